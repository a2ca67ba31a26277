package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func TestMain(m *testing.M) { seedtest.Main(m) }

// evidenceFolder writes a network and its evidence as unknot does, by hand.
func evidenceFolder(t *testing.T, model string, set map[string]string) (network string, files []string) {
	t.Helper()
	n := modeltest.Network(t, model, set)
	r, err := checker.Check(context.Background(), n, checker.Question{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put := func(name string, f func(io.Writer) error) string {
		var b bytes.Buffer
		if err := f(&b); err != nil {
			t.Fatal(err)
		}
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	network = put("network.json", func(w io.Writer) error { return spec.WriteClosed(w, n) })
	for _, res := range r.Findings {
		files = append(files, put(res.Property, func(w io.Writer) error {
			return write.Evidence(w, res.Evidence)
		}))
	}
	return network, files
}

func TestRun(t *testing.T) {
	free, freeFiles := evidenceFolder(t, "star-channel", nil)
	stuck, stuckFiles := evidenceFolder(t, "ring", map[string]string{"n": "5"})
	broken := filepath.Join(t.TempDir(), "broken")
	text, err := os.ReadFile(freeFiles[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(broken, text[:len(text)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"certificates", append([]string{free}, freeFiles...), exitVerified, []string{
			"VERIFIED: deadlock freedom holds (extended-escape) of star-channel (wormhole)",
			"VERIFIED: livelock freedom holds (measure) of star-channel (wormhole)",
			"VERIFIED: delivery holds (arrival) of star-channel (wormhole)"}},
		{"a trace", append([]string{stuck}, stuckFiles...), exitVerified,
			[]string{"VERIFIED: deadlock freedom violated (deadlock) of one-way ring (store-and-forward)"}},
		{"of another network", []string{stuck, freeFiles[0]}, exitRejected, []string{"REJECTED: ", "another network"}},
		{"truncated", []string{free, broken, freeFiles[1]}, exitRejected, []string{"REJECTED: ", "VERIFIED: livelock"}},
		{"its version", []string{"--version"}, exitVerified, []string{"unknot-verify "}},
		{"its version, and evidence", append([]string{"--version", free}, freeFiles...), exitUsage, []string{"--version"}}, // nothing is verified
		{"nothing", nil, exitUsage, []string{"usage:"}},
		{"its help", []string{"--help"}, exitVerified, []string{"usage:", "Exit codes: "}},
		{"its help, in short", []string{"-h"}, exitVerified, []string{"usage:", "Exit codes: "}},
		{"its help, and evidence", append([]string{"--help", free}, freeFiles...), exitUsage, []string{"--help"}}, // nothing is verified
		{"a flag", []string{"--recont"}, exitUsage, []string{"usage:"}},
		{"no folder", []string{"nowhere"}, exitUsage, []string{"unknot-verify: ", "nowhere: no such file"}},
		{"no evidence", []string{free}, exitUsage, []string{"usage:"}},
		{"no file", []string{free, "nowhere"}, exitUsage, []string{"nowhere"}},
		{"a name that ends its line", []string{free, "a\n\x1b[2JVERIFIED b"}, exitUsage, []string{`a\n\x1b[2JVERIFIED b`}},
		{"no network", []string{"nowhere", free}, exitUsage, []string{"nowhere"}},
		{"not a network", []string{freeFiles[0], free}, exitUsage, []string{":1:1: "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			if code := run(tt.args, &out, &out); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			for _, want := range tt.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q does not contain %q", out.String(), want)
				}
			}
			samePlain(t, tt.args, tt.code, out.String())
		})
	}
}

// samePlain checks that --plain says the same of evidence.
func samePlain(t *testing.T, args []string, code int, out string) {
	t.Helper()
	if code == exitUsage || slices.Contains([]string{"--version", "--help", "-h"}, args[0]) {
		return
	}
	var plain bytes.Buffer
	if got := run(append([]string{"--plain"}, args...), &plain, &plain); got != code || plain.String() != out {
		t.Errorf("with --plain exit code %d, want %d; %s", got, code, cmp.Diff(out, plain.String()))
	}
}
