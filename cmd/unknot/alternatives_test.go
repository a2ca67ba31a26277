package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAlternativesAreNamed: where packets are committed, an edge of the dependency graph, a packet of the decisive cycle, a
// move and each packet of a state in an ITF trace name the alternative.
func TestAlternativesAreNamed(t *testing.T) {
	hashed, err := filepath.Abs(filepath.Join("..", "..", "models", "examples", "field", "hashed_choice.star"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if code, out, errs := unknot(t, "check", hashed, "--property", "deadlock-freedom", "--out", "ev"); code != exitViolated {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	result, err := os.ReadFile("ev/result.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"packet": "packet for r0 (alternative 1 of 2)"`, `"text": "packet for r0 (alternative 1 of 2) enters`} {
		if !strings.Contains(string(result), want) {
			t.Errorf("the result lacks %s\n%s", want, result)
		}
	}
	for _, tt := range []struct {
		args  []string
		wants []string
	}{
		{[]string{"replay", "ev/network.json", "ev/deadlock-freedom.unknot", "--to", "itf"}, []string{`"alternative": {`, `"tag": {`}},
		{[]string{"graph", hashed, "--kind", "cycle"}, []string{"(alternative "}},
	} {
		code, out, errs := unknot(t, tt.args...)
		for _, want := range tt.wants {
			if code != exitExpected || !strings.Contains(out, want) {
				t.Errorf("%q: exit %d, want 0 and %s\n%s%s", tt.args, code, want, out, errs)
			}
		}
	}
}
