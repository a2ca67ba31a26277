package study_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/draw"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/models/peach2"
	"github.com/seed-105a2da2/unknot/models/studies"
	"github.com/seed-105a2da2/unknot/models/studies/all"
	"github.com/seed-105a2da2/unknot/spec"
)

func askPeach2(t *testing.T, question string, set map[string]string) studies.Answer {
	t.Helper()
	e := peach2.Entry()
	a, err := all.Ask(t.Context(), e, question, set)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestPeach2Questions(t *testing.T) {
	type set = map[string]string
	for _, tt := range []struct {
		question string
		set      set
		want     spec.Verdict
		because  string // a part of it
	}{
		{"addresses", set{"n": "16"}, spec.Holds,
			"every address of the window of 0x8000000000 bytes is routed correctly at each of 16 boards, by 77 registers, at most 2 a port"},
		{"addresses", set{"tie": "EEWW"}, spec.Holds, "by 16 registers, at most 1 a port"}, // N, I, E, W at each board
		{"links", nil, spec.Holds, "all 4 cables"},
		{"links", set{"rings": "2"}, spec.Holds, "all 12 cables"},
		{"links", set{"rings": "2", "south": "ep-ep"}, spec.Violated, "cable 0.S-4.S joins ep and ep"},
		{"ties", nil, spec.Holds, "of 16 rules for ties 14 are free"},
		{"ties", set{"n": "16", "rings": "2"}, spec.Violated, "none is deadlock-free"},
		{"ties", set{"rings": "2", "coupled": "0,2"}, spec.Violated, "of 256 rules for ties none is deadlock-free"},
		{"hops", set{"n": "8"}, spec.Violated, "at most 4 cables"},
		{"hops", set{"rings": "2"}, spec.Holds, "at most 3 cables"},
		{"registers", set{"n": "16", "rings": "2"}, spec.Holds, "the file is below"},
	} {
		a := askPeach2(t, tt.question, tt.set)
		if a.Verdict != tt.want || !strings.Contains(a.Because, tt.because) {
			t.Errorf("%s %v: %s, %s, want %s, %s", tt.question, tt.set, a.Verdict, a.Because, tt.want, tt.because)
		}
		if a.Picture != nil {
			var b bytes.Buffer
			var missing *draw.MissingError
			if err := a.Picture(&b); !errors.As(err, &missing) && (err != nil || !strings.HasPrefix(b.String(), "<?xml ")) {
				t.Errorf("%s %v: picture %.40q, %v", tt.question, tt.set, b.String(), err)
			}
		}
	}
}

// TestPeach2RegisterFile: the file that the question registers prints makes the same network as the parameters; a lost
// register is detected by the question addresses and by the checker.
func TestPeach2RegisterFile(t *testing.T) {
	lines := askPeach2(t, "registers", map[string]string{"tie": "EEEW"}).Evidence
	write := func(lines []string) map[string]string {
		name := filepath.Join(t.TempDir(), "registers")
		if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		return map[string]string{"registers": name}
	}
	n := modeltest.SwitchedNetwork(t, "peach2", write(lines), spec.StoreAndForward)
	if diff := cmp.Diff(modeltest.SwitchedNetwork(t, "peach2", map[string]string{"tie": "EEEW"}, spec.StoreAndForward).Digest(), n.Digest()); diff != "" {
		t.Errorf("digest of the network of parameters, and of the file:\n%s", diff)
	}
	var lost []string
	for i, line := range lines {
		if i > 0 && strings.HasPrefix(line, "  W") && strings.HasPrefix(lines[i-1], "  E") && len(lost) == i {
			continue
		}
		lost = append(lost, line)
	}
	if len(lost) != len(lines)-1 {
		t.Fatalf("%d lines of %d are left, want one fewer", len(lost), len(lines))
	}
	set := write(lost)
	if a := askPeach2(t, "addresses", set); a.Verdict != spec.Violated || !strings.Contains(a.Because, "board 0, gap") {
		t.Errorf("addresses: %s, %s", a.Verdict, a.Because)
	}
	r, err := checker.Check(t.Context(), modeltest.SwitchedNetwork(t, "peach2", set, spec.StoreAndForward), checker.Question{Properties: []string{"delivery"}})
	if err != nil || r.Findings[0].Verdict != spec.Violated {
		t.Errorf("delivery: %+v, %v, want violated", r, err)
	}

	e := peach2.Entry()
	if _, err := all.Ask(t.Context(), e, "ties", map[string]string{"registers": "f"}); err == nil ||
		!strings.Contains(err.Error(), `invalid registers "f": the question is about generated rings`) {
		t.Errorf("ties of a file: %v", err)
	}
	_, err = e.Define(write(append(lines, "cable")))
	var pos *spec.PosError
	if !errors.As(err, &pos) || pos.Line != len(lines)+1 {
		t.Errorf("a wrong line: %v, want a *spec.PosError", err)
	}
	if _, err := e.Define(map[string]string{"registers": filepath.Join(t.TempDir(), "none")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestTies: counts known beforehand: on a ring of four E is closed if all go east, W if all go west; two rings close
// independently, 14*14; with three boards nothing goes two hops; from five on, distance 2 is not a tie. Two boards
// are a tie without consequences: either cable leads there.
func TestTies(t *testing.T) {
	for _, tt := range []struct {
		set  map[string]string
		want string
	}{
		{map[string]string{"n": "2"}, "of 4 rules for ties 4 are free"},
		{map[string]string{"n": "3"}, "the only minimal routing (no ties) is deadlock-free"},
		{map[string]string{"n": "4"}, "of 16 rules for ties 14 are free"},
		{map[string]string{"n": "5"}, "the only minimal routing (no ties) is not free"},
		{map[string]string{"n": "6"}, "of 2^6 rules for ties none is deadlock-free"},
		{map[string]string{"n": "16"}, "of 2^16 rules for ties none is deadlock-free"},
		{map[string]string{"n": "4", "rings": "2"}, "of 256 rules for ties 196 are free"},
		{map[string]string{"n": "5", "rings": "2"}, "the only minimal routing (no ties) is not free"},
	} {
		if a := askPeach2(t, "ties", tt.set); !strings.Contains(a.Because, tt.want) {
			t.Errorf("%v: %s, want %s", tt.set, a.Because, tt.want)
		}
	}
}
