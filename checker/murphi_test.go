package checker_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/murphi"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
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

// TestBridge: the bridge between two clusters, written in Murphi by hand and generated from a protocol file, has the same states
// and steps. Those of two caches a cluster are Rumur's, which finds no error in them, nor a deadlock.
func TestBridge(t *testing.T) {
	murphiFile := filepath.Join("..", "spec", "murphi", "testdata", "bridge.m")
	starFile := filepath.Join("..", "models", "examples", "coherence", "bridge.star")
	for n, want := range map[string]counts{"1": {353, 708, 23}, "2": {61945, 220108, 43}} {
		text, err := os.ReadFile(murphiFile)
		if err != nil {
			t.Fatal(err)
		}
		p, err := murphi.Load(t.Context(), murphiFile, bytes.Replace(text, []byte("n: 3;"), []byte("n: "+n+";"), 1))
		if err != nil {
			t.Fatal(err)
		}
		text, err = os.ReadFile(starFile)
		if err != nil {
			t.Fatal(err)
		}
		src, err := star.Load(t.Context(), starFile, text, star.Options{Set: map[string]string{"n": n}})
		if err != nil {
			t.Fatal(err)
		}
		for file, p := range map[string]*program.Program{murphiFile: p, starFile: src.Program} {
			m, err := p.Machine()
			if err != nil {
				t.Fatal(err)
			}
			x := explore(t, m, checker.Question{Explore: checker.Whole})
			if got := (counts{x.States, x.Transitions, x.Levels}); got != want {
				t.Errorf("%s, n = %s: %+v, want %+v", file, n, got, want)
			}
			for _, name := range []string{"deadlock-freedom", "one writer, or readers"} {
				if got := x.Of(name).Verdict; got != spec.Holds {
					t.Errorf("%s, n = %s: %s %s", file, n, name, got)
				}
			}
		}
	}
}

type counts struct {
	states, transitions int64
	levels              int
}
