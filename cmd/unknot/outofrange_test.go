package main

import (
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutOfRange: a machine in which a value leaves its range is violated, and
// what check writes about it replays.
func TestOutOfRange(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "counter.json")
	text := `{"format": "unknot-program-1", "name": "counter", "variables": [{"name": "n", "values": 4}],
		"rules": [{"name": "count", "guard": ["<", "n", 9], "do": [["set", "n", ["+", "n", 1]]]}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "evidence")
	code, stdout, stderr := unknot(t, "check", file, "--out", out)
	want := `values stay in range violated: 3 steps from the start: program "counter": rule "count": "n" is set to 4: must be 0 to 3`
	if code != exitViolated || !strings.Contains(stdout, want) {
		t.Fatalf("exit %d, want %d and %s:\n%s%s", code, exitViolated, want, stdout, stderr)
	}
	evidence := filepath.Join(out, "values-stay-in-range.unknot")
	for _, x := range [][2]string{{"verify", "refused"}, {"replay", "violated by a step that is wrong"}, {"shrink", "refused"}} {
		if code, stdout, stderr := unknot(t, x[0], filepath.Join(out, "machine.json"), evidence); code != exitExpected || !strings.Contains(stdout, x[1]) {
			t.Errorf("%s: exit %d, want %q:\n%s%s", x[0], code, x[1], stdout, stderr)
		}
	}
	for _, flag := range []string{"--report", "--junit", "--markdown", "--sarif"} {
		file := filepath.Join(dir, "made")
		if code, _, stderr := unknot(t, "check", filepath.Join(out, "machine.json"), flag, file); code != exitViolated {
			t.Fatalf("%s: exit %d: %s", flag, code, stderr)
		}
		if made, err := os.ReadFile(file); err != nil || !strings.Contains(string(made), "out of its range") {
			t.Errorf("%s does not say how the run ends: %v", flag, err)
		}
	}
	// From the state before it, explore goes on to no other, and says why.
	last := exploring(t, "end", "explore", filepath.Join(out, "machine.json"), "--trace", evidence)
	for _, want := range []string{`"n" is set to 4: must be 0 to 3`, `<th scope="row">n</th><td>3</td>`, "The trace ends here (refused)"} {
		if !strings.Contains(html.UnescapeString(last), want) {
			t.Errorf("explore at the last state does not say %s:\n%s", want, last)
		}
	}
}
