package parameterized_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/checker/parameterized"
)

func TestTry(t *testing.T) {
	for _, c := range []struct {
		file  string
		sizes []string
		set   map[string]string
	}{
		{"west_first.star", []string{"k"}, nil},
		{"mesh.star", []string{"w", "h"}, nil},
		{"ring.star", []string{"n"}, map[string]string{"vcs": "2"}},
		{"ring.star", []string{"n"}, nil},
		{"torus.star", []string{"k"}, nil},
		{"torus_nd.star", []string{"k"}, map[string]string{"n": "2"}},
	} {
		name := filepath.Join("../../models/examples", c.file)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		f, err := parameterized.Read(c.file, text, c.sizes, c.set)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		p, err := f.Prove(t.Context())
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		t.Logf("%s %v proved %v, %v, unproved %v, unranked %v, refuted %v, sizes %v", c.file, time.Since(began), p.Proved(), p.Solvers, p.Unproved, p.Unranked, p.Refuted, p.Sizes)
		for i := range p.Rank {
			t.Log(p.Rank[i], p.Invariant[i])
		}
		if p.Script != nil {
			os.WriteFile("/tmp/"+c.file+".smt2", []byte(p.Script.Text), 0o644)
		}
	}
}
