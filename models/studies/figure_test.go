package studies

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/simulate"
)

// curve is a function's latency at the loads before it saturates.
func curve(name string, saturatesAt int, latency float64, xcf, ycf float64) simulate.Curve {
	c := simulate.Curve{Name: name}
	for i := range 4 {
		r := &simulate.Result{Saturated: i >= saturatesAt, Delivered: 1, Accepted: simulate.Estimate{Mean: float64(min(i, saturatesAt))}}
		r.Total.Estimate = simulate.Estimate{Mean: latency + float64(i), Half: 2}
		r.VCs = []simulate.Share{{Dim: 1, VC: "CH", Share: 1 - xcf}, {Dim: 1, VC: "CF", Share: xcf}, {Dim: 2, VC: "CF", Share: ycf}}
		r.Links = []simulate.Use{{Peak: 0.5}, {Peak: 0.5 + xcf}}
		c.Points = append(c.Points, r)
	}
	return c
}

// TestJudge: what is stated is confirmed, refuted or too close to tell, by which function saturates later, and then
// by latencies beyond their intervals.
func TestJudge(t *testing.T) {
	ccb := curve("ccb", 3, 10, 0.1, 0.7)
	for _, tt := range []struct {
		other simulate.Curve
		want  Outcome
	}{
		{curve("s-ccb", 2, 15, 0.2, 0.5), Confirmed}, // saturates earlier
		{curve("s-ccb", 4, 50, 0.2, 0.5), Refuted},
		{curve("s-ccb", 3, 15, 0.2, 0.5), Confirmed}, // 5 clocks slower, 4 are the intervals
		{curve("s-ccb", 3, 5, 0.2, 0.5), Refuted},
		{curve("s-ccb", 3, 13, 0.2, 0.5), Within},
	} {
		curves := []simulate.Curve{ccb, tt.other}
		f := Figure{Functions: []string{"ccb", "s-ccb"}, Stated: []Stated{{Sentence: "best", Compare: Best("ccb")}, {Sentence: "above", Compare: Everywhere("ccb", "s-ccb")}, {Sentence: "last", Compare: Worst("s-ccb")}}}
		for _, got := range f.Judge(curves) {
			if got.Outcome != string(tt.want) {
				t.Errorf("%s, want %s", got, tt.want)
			}
		}
	}
	// Whoever saturates later is better, but not at all loads if the other is faster before; one uncertain load is enough.
	of := func(other simulate.Curve) func(string) *simulate.Curve {
		return func(name string) *simulate.Curve {
			if name == "ccb" {
				return &ccb
			}
			return &other
		}
	}
	quick, once, close := curve("s-ccb", 2, 5, 0.2, 0.5), curve("s-ccb", 3, 15, 0.2, 0.5), curve("s-ccb", 3, 15, 0.2, 0.5)
	once.Points[0].Total.Mean, close.Points[1].Total.Mean = 5, 12
	for i, other := range []simulate.Curve{quick, once, close, curve("s-ccb", 0, 15, 0.2, 0.5)} {
		want := []struct{ better, everywhere Outcome }{{Confirmed, Refuted}, {Confirmed, Refuted}, {Confirmed, Within}, {Confirmed, Confirmed}}[i]
		if got := better(&ccb, &other); got != want.better {
			t.Errorf("%d: better: %s, want %s", i, got, want.better)
		}
		if got := Everywhere("ccb", "s-ccb")(of(other), nil); got != want.everywhere {
			t.Errorf("%d: everywhere: %s, want %s", i, got, want.everywhere)
		}
	}
	// With several seeds the differences count: here 1 to 1.2 clocks, although latencies differ by 40.
	seeds := func(runs ...float64) simulate.Curve {
		c := curve("", 4, 30, 0, 0)
		c.Points[3].Total.Runs = runs
		return c
	}
	slow, fast := seeds(11, 31.2, 51), seeds(10, 30, 50)
	if got := [2]Outcome{better(&fast, &slow), better(&slow, &fast)}; got != [2]Outcome{Confirmed, Refuted} {
		t.Errorf("seed by seed: %v", got)
	}
	if slow = seeds(11, 31, 47); better(&fast, &slow) != Within {
		t.Error("a difference of 1, 1 and -3 clocks is told")
	}
	other := curve("s-ccb", 3, 10, 0.2, 0.5)
	f := Figure{Functions: []string{"ccb", "s-ccb"}, Stated: []Stated{
		{Sentence: "shares", Compare: Shares("ccb", "s-ccb")}, {Sentence: "not", Compare: Shares("s-ccb", "ccb")}, {Sentence: "flat", Compare: Flattest("ccb")}, {Sentence: "not", Compare: Flattest("s-ccb")}, {Sentence: "near", Compare: Near},
	}}
	got := f.Judge([]simulate.Curve{ccb, other})
	want := []simulate.Stated{
		{Sentence: "shares", Outcome: "confirmed"}, {Sentence: "not", Outcome: "refuted"},
		{Sentence: "flat", Outcome: "confirmed"}, {Sentence: "not", Outcome: "refuted"},
		{Sentence: "near", Outcome: "confirmed"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	// For curves that do not saturate nothing follows about where they do, whatever their latencies.
	f = Figure{Functions: []string{"ccb", "s-ccb"}, Stated: []Stated{{Sentence: "last", Compare: Worst("s-ccb")}, {Sentence: "near", Compare: Near}}}
	for _, got := range f.Judge([]simulate.Curve{curve("ccb", 4, 10, 0.1, 0.7), curve("s-ccb", 4, 50, 0.2, 0.5)}) {
		if got.Outcome != string(Within) {
			t.Errorf("%s, want %s", got, Within)
		}
	}
	if got := f.Judge([]simulate.Curve{ccb}); got != nil {
		t.Errorf("without a curve of each function: %q", got)
	}
	f = Figure{Functions: []string{"ccb", "s-ccb", "ld"}, Stated: []Stated{{Sentence: "best", Compare: Best("ccb")}, {Sentence: "above", Compare: Everywhere("ccb", "s-ccb"), Between: []string{"ccb", "s-ccb"}}}}
	if got := f.Judge([]simulate.Curve{ccb, other}); len(got) != 1 || got[0].Sentence != "above" {
		t.Errorf("of two functions of three: %q", got)
	}
}

// TestAccepts: beyond saturation accepted loads are compared, seed by seed, at each load that saturates both.
func TestAccepts(t *testing.T) {
	saturated := func(name string, at int, ofSeeds ...[]float64) simulate.Curve {
		c := curve(name, at, 10, 0, 0)
		for i, seeds := range ofSeeds {
			p := c.Points[at+i]
			p.Accepts, p.Accepted = seeds, simulate.MeanOf(seeds)
		}
		return c
	}
	much, more, same := []float64{0.3, 0.4, 0.5}, []float64{0.2, 0.3, 0.41}, []float64{0.2, 0.31, 0.4}
	for _, tt := range []struct {
		ccb, other simulate.Curve
		want       []simulate.Stated
	}{
		{saturated("ccb", 2, much, much), saturated("s-ccb", 2, more, same), []simulate.Stated{{Sentence: "accepts", Outcome: "confirmed"}}},
		{saturated("ccb", 2, same, much), saturated("s-ccb", 2, more, more), []simulate.Stated{{Sentence: "accepts", Outcome: "too close to tell"}}},
		{saturated("ccb", 2, much, more), saturated("s-ccb", 2, more, same), []simulate.Stated{{Sentence: "accepts", Outcome: "too close to tell"}}},
		{saturated("ccb", 2, more, much), saturated("s-ccb", 2, much, more), []simulate.Stated{{Sentence: "accepts", Outcome: "refuted"}}},
		{saturated("ccb", 2, much, more), saturated("s-ccb", 2, more, much), []simulate.Stated{{Sentence: "accepts", Outcome: "refuted"}}},
		{saturated("ccb", 2, more, much), saturated("s-ccb", 3, more), []simulate.Stated{{Sentence: "accepts", Outcome: "confirmed"}}}, // at the last load alone both are saturated
		{saturated("ccb", 2, more, much), curve("s-ccb", 4, 10, 0, 0), nil},
	} {
		f := Figure{Functions: []string{"ccb", "s-ccb"}, Stated: []Stated{{Sentence: "accepts", Compare: Accepts("ccb", "s-ccb")}}}
		if diff := cmp.Diff(tt.want, f.Judge([]simulate.Curve{tt.ccb, tt.other})); diff != "" {
			t.Error(diff)
		}
	}
}

// TestFitted: what a setup was fitted to is never confirmed by it, and is still refuted if it does not come out.
func TestFitted(t *testing.T) {
	fitted := func(o Outcome) Stated {
		return Stated{Sentence: "time", Fitted: true, Compare: func(func(string) *simulate.Curve, []string) Outcome { return o }}
	}
	f := Figure{Functions: []string{"ccb"}, Stated: []Stated{fitted(Confirmed), fitted(Refuted)}}
	if diff := cmp.Diff([]simulate.Stated{{Sentence: "time", Outcome: "fitted"}, {Sentence: "time", Outcome: "refuted"}}, f.Judge([]simulate.Curve{curve("ccb", 3, 10, 0, 0)})); diff != "" {
		t.Error(diff)
	}
}
