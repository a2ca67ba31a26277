package checker_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/murphi"
)

// TestFlash: Rumur 2022.08.20 counts these states and rules fired in the protocol of FLASH for a home and 2 nodes, and finds
// no error. The first file is the public text, without symmetry; in the second, nodes are a scalarset, and the last row is
// Rumur's exhaustive symmetry reduction.
func TestFlash(t *testing.T) {
	for _, c := range []struct {
		file                string
		symmetry            bool
		states, transitions int64
	}{
		{"flash.m", false, 461777, 2088415},
		{"flash_symmetric.m", false, 789506, 3563780},
		{"flash_symmetric.m", true, 394753, 1781890},
	} {
		file := filepath.Join("..", "spec", "murphi", "testdata", c.file)
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
		x := explore(t, m, checker.Question{Explore: checker.Whole, Symmetry: c.symmetry})
		if x.States != c.states || x.Transitions != c.transitions || x.Of("one writer").Verdict != spec.Holds {
			t.Errorf("%s, symmetry %t: %d states, %d steps, one writer %s: want %d, %d, holds", c.file, c.symmetry, x.States,
				x.Transitions, x.Of("one writer").Verdict, c.states, c.transitions)
		}
	}
}
