package report_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec/support/contexttest"
)

// refusing refuses to have a file replaced.
type refusing struct {
	name    string
	written *int
}

var errRefused = errors.New("it is kept")

func (f refusing) Allow(name string, _ func(io.Writer) error) error {
	if filepath.Base(name) == f.name {
		return errRefused
	}
	return nil
}
func (f refusing) Write(string, func(io.Writer) error) error { *f.written++; return nil }
func (f refusing) Remove(string) error                       { *f.written++; return nil }

func checked(t *testing.T, property ...string) *checker.Result {
	t.Helper()
	r, err := checker.Check(t.Context(), modeltest.Network(t, "ring", nil), checker.Question{Properties: property})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWriteFolder: a folder holds what its last result says, and the files of others.
func TestWriteFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "here")
	for _, tt := range []struct {
		properties []string
		want       []string
	}{
		{nil, []string{"deadlock-freedom.unknot", "delivery.unknot", "livelock-freedom.unknot", "network.json", "reasons.json", "result.json"}},
		{[]string{"livelock-freedom"}, []string{"livelock-freedom.unknot", "network.json", "notes.txt", "reasons.json", "result.json"}},
	} {
		if err := report.WriteFolder(t.Context(), dir, checked(t, tt.properties...)); err != nil {
			t.Fatal(err)
		}
		if err := evidence.VerifyFolder(t.Context(), dir, evidence.Options{}); err != nil {
			t.Errorf("%v: %v", tt.properties, err)
		}
		var got []string
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			got = append(got, e.Name())
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.properties, diff)
		}
		if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o600); err != nil { // is there the second time
			t.Fatal(err)
		}
	}
}

// TestWriteFolderStops: whenever ctx ends, no evidence is left, nor a folder that was made; see TestEvidenceStops of
// unknot for what is left of a folder that there was.
func TestWriteFolderStops(t *testing.T) {
	r, stopped := checked(t), 0
	for after := 0; ; after++ {
		dir := filepath.Join(t.TempDir(), "made")
		err := report.WriteFolder(contexttest.New(t.Context(), after), dir, r)
		if err == nil {
			break
		}
		stopped++
		if _, left := os.Stat(dir); !errors.Is(err, context.Canceled) || !os.IsNotExist(left) {
			t.Errorf("stopped at look %d: %v; the folder is left: %v", after, err, left)
		}
	}
	if stopped < 5 { // files are written
		t.Errorf("stopped %d times", stopped)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := report.WriteFolder(t.Context(), file, r); err == nil {
		t.Error("a file is taken for a folder")
	}
}

// TestFilesRefuse: if one file may not be replaced, none is written or removed.
func TestFilesRefuse(t *testing.T) {
	r := checked(t)
	for _, name := range slices.Concat([]string{evidence.NetworkFile}, report.EvidenceFiles(r)) {
		written := 0
		err := report.WriteFiles(t.Context(), t.TempDir(), r, refusing{name, &written})
		if !errors.Is(err, errRefused) || written > 0 {
			t.Errorf("%s is not to be replaced: %v, after %d files", name, err, written)
		}
	}
}
