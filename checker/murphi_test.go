package checker_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/murphi"
)

// TestFlash: Rumur 2022.08.20, without symmetry reduction, counts 461777 states and 2088415 rules fired in the protocol of FLASH
// for a home and 2 nodes, and finds no error; so does the same protocol as a file in unknot's language.
func TestFlash(t *testing.T) {
	file := filepath.Join("..", "spec", "murphi", "testdata", "flash.m")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := murphi.Load(t.Context(), file, text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	x := explore(t, m, checker.Question{Explore: checker.Whole})
	if x.States != 461777 || x.Transitions != 2088415 || x.Of("one writer").Verdict != spec.Holds {
		t.Errorf("%d states, %d steps, one writer %s: want 461777, 2088415, holds", x.States, x.Transitions, x.Of("one writer").Verdict)
	}
}
