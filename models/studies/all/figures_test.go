package all_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/simulate"
	"github.com/seed-105a2da2/unknot/models/studies/all"
)

// curve saturates at the given point.
func curve(name string, saturatesAt int) simulate.Curve {
	c := simulate.Curve{Name: name}
	for i := range 4 {
		r := &simulate.Result{Saturated: i >= saturatesAt, Delivered: 1, Accepted: simulate.Estimate{Mean: float64(min(i, saturatesAt))}}
		r.Total.Estimate = simulate.Estimate{Mean: 10 + float64(i), Half: 2}
		r.VCs = []simulate.Share{{Dim: 1, VC: "CF", Share: 0.1}, {Dim: 2, VC: "CF", Share: 0.7}}
		r.Links = []simulate.Use{{Peak: 0.5}, {Peak: 0.6}}
		c.Points = append(c.Points, r)
	}
	return c
}

// TestFigures: what the figures name exists, in package simulate and among their own functions.
func TestFigures(t *testing.T) {
	for _, f := range all.Figures() {
		for _, name := range f.Functions {
			if _, ok := simulate.Function(name); !ok {
				t.Errorf("%s: no function %s", f.Name, name)
			}
		}
		if !slices.ContainsFunc(simulate.Patterns, func(p struct{ Name, Doc string }) bool { return p.Name == cmp.Or(f.Flags["traffic"], "uniform") }) {
			t.Errorf("%s: no pattern %s", f.Name, f.Flags["traffic"])
		}
		var curves []simulate.Curve
		for _, name := range f.Functions {
			curves = append(curves, curve(name, 3))
		}
		for _, x := range f.Traces {
			c := curve(x.Name, 1)
			c.Points[0].Finished = 1
			curves = append(curves, c)
		}
		if got := f.Judge(curves); len(got) != len(f.Stated) || len(got) == 0 && len(f.Functions)+len(f.Traces) > 0 {
			t.Errorf("%s: %q", f.Name, got)
		}
	}
}
