package simulate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestKept: a study whose runs were kept has the same results the second time, without running them: seeds that are
// added are run alone, another function or load is another run, and a file that is no run is refused by its name.
func TestKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	n := funnel(t)
	points := func(load float64, selects string, seeds int) ([]*Result, error) {
		o := Options{Load: load, Lengths: flits(5), Clocks: 2000, Warmup: 100, Seed: 7}
		return Points(t.Context(), []Job{{Network: n, Options: o, Seeds: seeds, Keep: dir, Selects: selects}}, 1, nil)
	}
	files := func() []string {
		all, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	first, err := points(0.2, "any", 3)
	if err != nil || len(files()) != 3 {
		t.Fatal(err, files())
	}
	for _, name := range files() { // what is written again would be newer, what is read may be marked
		if err := os.Chmod(name, 0o444); err != nil {
			t.Fatal(err)
		}
	}
	again, err := points(0.2, "any", 3)
	if err != nil {
		t.Fatal(err)
	}
	same := cmp.Options{cmp.AllowUnexported(Result{}, growth{}), cmpopts.IgnoreUnexported(Latency{})}
	if diff := cmp.Diff(first, again, same); diff != "" {
		t.Error(diff)
	}
	for i, step := range []struct {
		load    float64
		selects string
		seeds   int
	}{{0.2, "any", 4}, {0.3, "any", 1}, {0.2, "ld", 1}} {
		if _, err := points(step.load, step.selects, step.seeds); err != nil || len(files()) != 4+i {
			t.Errorf("%+v: %v, %d files, want %d", step, err, len(files()), 4+i)
		}
	}
	name := files()[0]
	for _, text := range []string{"", "{}", `{"Format":"unknot-kept-0","Result":{}}`} {
		_ = os.Remove(name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		failed := false
		for _, step := range []struct {
			load    float64
			selects string
		}{{0.2, "any"}, {0.3, "any"}, {0.2, "ld"}} {
			if _, err := points(step.load, step.selects, 4); err != nil {
				failed = true
				if !strings.HasPrefix(err.Error(), name) {
					t.Error(err)
				}
			}
		}
		if !failed {
			t.Errorf("%q is taken for a run", text)
		}
	}
}

// TestStop: a queue that overflows ends the run, which counts as saturated for that alone; the longest queue is known.
func TestStop(t *testing.T) {
	o := Options{Load: 0.9, Lengths: flits(5), Queue: 4, Clocks: 10_000}
	whole := simulated(t, funnel(t), o)
	o.Stop = true
	ended := simulated(t, funnel(t), o)
	switch {
	case whole.Overflowed || whole.Clocks != 10_000 || whole.Longest != 4:
		t.Errorf("without it: overflowed %t in clock %d, longest %d", whole.Overflowed, whole.Clocks, whole.Longest)
	case !ended.Overflowed || !ended.Saturated || ended.Clocks >= 1000 || ended.Longest != 4:
		t.Errorf("with it: overflowed %t in clock %d, longest %d", ended.Overflowed, ended.Clocks, ended.Longest)
	case !strings.HasPrefix(ended.State(), "a queue overflowed by clock "):
		t.Error(ended.State())
	}
	o.Load = 0.01
	if r := simulated(t, funnel(t), o); r.Overflowed || r.Saturated || r.Clocks != 10_000 {
		t.Errorf("at a light load: %q in clock %d", r.State(), r.Clocks)
	}
	study := Study{Curves: []Curve{{Points: []*Result{whole, ended, whole}}}}
	if study.Cut(); len(study.Curves[0].Points) != 2 {
		t.Errorf("%d points are left, want those up to the overflow", len(study.Curves[0].Points))
	}
}
