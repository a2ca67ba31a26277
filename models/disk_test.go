package models_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestCatalogueOnDisk: all subjects of the catalogue that have few enough states have the
// same counts, digests and verdicts whether their states are in memory or on disk.
func TestCatalogueOnDisk(t *testing.T) {
	most, dir, compared := int64(2_000), filepath.Join(t.TempDir(), "states"), 0
	if seedtest.Whole() {
		most = 100_000
	}
	agree := func(name string, m states.Machine) {
		t.Helper()
		opt := checker.Question{Explore: checker.Whole, MaxStates: most, Closed: -1}
		x, err := checker.Explore(t.Context(), m, opt)
		if err != nil {
			t.Fatal(err)
		}
		if !x.Complete {
			return
		}
		opt.Disk = dir
		y, err := checker.Explore(t.Context(), m, opt)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(x.Space, y.Space, cmpopts.IgnoreFields(checker.Space{}, "Visited", "Peak")); diff != "" {
			t.Errorf("%s, in memory (-), on disk (+):\n%s", name, diff)
		}
		for i, f := range x.Findings {
			if g := y.Findings[i]; f.Verdict != g.Verdict || f.Vacuous != g.Vacuous || f.Run() != nil && len(f.Run().Steps) != len(g.Run().Steps) {
				t.Errorf("%s, %s: %s (%s) in memory, %s (%s) on disk", name, f.Property, f.Verdict, f.Because, g.Verdict, g.Because)
			}
		}
		compared++
	}
	number := 0
	for _, e := range models.Catalogue() {
		for _, x := range e.Described().Machines {
			number++
			if !seedtest.Sampled(number, 40) {
				continue
			}
			m, err := e.Machine(x.Set)
			if err != nil {
				t.Fatal(err)
			}
			agree(e.Name, m)
		}
		for _, x := range e.Described().Expect {
			number++
			if !e.IsMachine() && seedtest.Sampled(number, 300) { // compiling takes long
				agree(e.Name, traffic(t, modeltest.SwitchedNetwork(t, e.Name, x.Set, spec.StoreAndForward), spec.Scenario{}))
			}
		}
	}
	if seedtest.Whole() && compared < 3 {
		t.Errorf("only %d subjects were small enough", compared)
	}
}
