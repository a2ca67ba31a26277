package combining_test

import (
	"context"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/combining"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestClassesByBoth: what the dependencies of channels decide and what exploring
// all states finds are the same, and are what is to be expected: sharing two
// classes that bring about one another is harmless as long as one end of them is
// the only home; see the expectations of the catalogue.
func TestClassesByBoth(t *testing.T) {
	one, two := []int{0}, []int{0, 1}
	for _, tt := range []struct {
		o    combining.ClassOptions
		want spec.Verdict
	}{
		{combining.ClassOptions{FanOut: 2, Homes: two, Sharing: combining.SharedByAll}, spec.Violated},
		{combining.ClassOptions{FanOut: 2, Homes: one, Sharing: combining.EachItsOwn}, spec.Holds},
		{combining.ClassOptions{FanOut: 2, Homes: two, Sharing: combining.RequestApart}, spec.Violated},
		{combining.ClassOptions{FanOut: 2, Homes: two, Sharing: combining.ThereAndBack}, spec.Violated},
		{combining.ClassOptions{FanOut: 2, Homes: two, Sharing: combining.SharedByAll, Ample: true}, spec.Holds},
		{combining.ClassOptions{FanOut: 2, Homes: one, Sharing: combining.SharedByAll}, spec.Violated},
		{combining.ClassOptions{FanOut: 2, Homes: one, Sharing: combining.RequestApart}, spec.Violated},
		{combining.ClassOptions{FanOut: 2, Homes: one, Sharing: combining.ThereAndBack}, spec.Holds},
		{combining.ClassOptions{FanOut: 3, Homes: one, Sharing: combining.SharedByAll}, spec.Violated},
	} {
		tt.o.Depth = 1
		def, err := combining.Classes(tt.o)
		if err != nil {
			t.Fatal(err)
		}
		n, err := routing.Compile(context.Background(), def, routing.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := checker.Decide(t.Context(), n, checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := states.NewTraffic(n, spec.Scenario{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := checker.Explore(t.Context(), m, checker.ExploreOptions{Whole: tt.want == spec.Holds, MaxStates: 200_000, Closed: -1})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Findings[0].Verdict; got != tt.want || x.Findings[0].Verdict != tt.want {
			t.Errorf("%s: by dependencies %s, by exploring %d states %s, want %s", def.Name, got, x.States, x.Findings[0].Verdict, tt.want)
		}
	}
}

func TestClassOptions(t *testing.T) {
	for want, o := range map[string]combining.ClassOptions{
		"fan-out of 2 to 8":              {FanOut: 1, Depth: 1, Homes: []int{0}},
		"at most 16":                     {FanOut: 2, Depth: 5, Homes: []int{0}},
		"want at least one":              {FanOut: 2, Depth: 1},
		"homes [0 0]: want different":    {FanOut: 2, Depth: 1, Homes: []int{0, 0}},
		"homes [2]: want different":      {FanOut: 2, Depth: 1, Homes: []int{2}},
		"homes [-1]: want different":     {FanOut: 2, Depth: 1, Homes: []int{-1}},
		"sharing 9 of VCs: want 0 to 3":  {FanOut: 2, Depth: 1, Homes: []int{0}, Sharing: 9},
		"fan-out of 2 to 8 and a depth ": {FanOut: 2, Depth: 0, Homes: []int{0}},
	} {
		if _, err := combining.Classes(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}
