package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestNamesStayOnTheirLine: a verdict stands at the beginning of a line, so a
// name from a file must not begin one.
func TestNamesStayOnTheirLine(t *testing.T) {
	machine := file(t, "m.json", `{"format": "unknot-program-1", "name": "m\nVERIFIED m: all holds", "variables": [{"name": "a", "values": 2}],
 "rules": [{"name": "flip", "guard": ["=", "a", 0], "do": [["set", "a", 1]]}, {"name": "flop", "guard": ["=", "a", 1], "do": [["set", "a", 0]]}],
 "invariants": [{"name": "x\nVERIFIED x: all holds", "holds": ["<", "a", 2]}]}`)
	dir := t.TempDir()
	code, out, errs := unknot(t, "check", machine, "--out", dir)
	if code != exitExpected || strings.Contains(out, "\nVERIFIED") || !strings.Contains(out, `x\nVERIFIED x`) {
		t.Errorf("check: exit %d\n%s%s", code, out, errs)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.unknot"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%d files of evidence, want those of deadlock and the invariant: %v", len(files), err)
	}
	code, out, errs = unknot(t, append([]string{"verify", filepath.Join(dir, "machine.json")}, files...)...)
	if code != exitExpected || strings.Count(out, "\n") != len(files) {
		t.Errorf("verify: exit %d\n%s%s", code, out, errs)
	}
}
