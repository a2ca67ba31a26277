package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/proofs/families"
	"github.com/seed-105a2da2/unknot/proofs/smt"
)

// TestProve: every family is listed, and prove prints its theorem, formula and files; the solvers that are installed
// agree, and without one the exit code is that of unknown.
func TestProve(t *testing.T) {
	installed := 0
	for _, v := range smt.Solvers() {
		if _, err := exec.LookPath(v.Name); err == nil {
			installed++
		}
	}
	code, list, errs := unknot(t, "prove")
	if code != exitExpected {
		t.Fatal(errs)
	}
	for _, f := range families.All() {
		if !strings.Contains(list, "  "+f.Name+" ") {
			t.Errorf("%s is not listed", f.Name)
		}
		code, out, errs := unknot(t, "prove", f.Name)
		want := exitExpected
		if installed == 0 {
			want = exitUnknown
		}
		if code != want || strings.Count(out, "  proves ") != installed || strings.Count(out, "not installed") != len(smt.Solvers())-installed {
			t.Errorf("%s: exit %d, %d solvers are installed\n%s%s", f.Name, code, installed, out, errs)
		}
		for _, part := range append(f.Files(), "  rank.1 = ", "  # not covered: ") {
			if !strings.Contains(out, part) {
				t.Errorf("%s does not print %q:\n%s", f.Name, part, out)
			}
		}
	}
	t.Setenv("PATH", "")
	if code, _, errs := unknot(t, "prove", "xy"); code != exitUnknown || !strings.Contains(errs, "no solver is installed") {
		t.Errorf("without solvers: exit %d, %s", code, errs)
	}
	if code, _, errs := unknot(t, "prove", "dateliné"); code != exitUsage || !strings.Contains(errs, "want xy, west-first") {
		t.Errorf("exit %d, %s", code, errs)
	}
}
