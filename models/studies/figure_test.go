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
		r.Network.Estimate = simulate.Estimate{Mean: latency + float64(i), Half: 2}
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
		f := Figure{Functions: []string{"ccb", "s-ccb"}, Stated: []Stated{{Sentence: "best", Compare: Best("ccb")},
			{Sentence: "above", Compare: Everywhere("ccb", "s-ccb")}, {Sentence: "last", Compare: Worst("s-ccb")}}}
		for _, got := range f.Judge(curves) {
			if got.Outcome != string(tt.want) {
				t.Errorf("%s, want %s", got, tt.want)
			}
		}
	}
	// The function that saturates later is better, but not at all loads if the other is faster before; one uncertain load is enough.
	of := func(other simulate.Curve) func(string) *simulate.Curve {
		return func(name string) *simulate.Curve {
			if name == "ccb" {
				return &ccb
			}
			return &other
		}
	}
	quick, once, close := curve("s-ccb", 2, 5, 0.2, 0.5), curve("s-ccb", 3, 15, 0.2, 0.5), curve("s-ccb", 3, 15, 0.2, 0.5)
	once.Points[0].Network.Mean, close.Points[1].Network.Mean = 5, 12
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
		c.Points[3].Network.Runs = runs
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
		{Sentence: "flat", Compare: Flattest("ccb")}, {Sentence: "not", Compare: Flattest("s-ccb")}, {Sentence: "near", Compare: Near},
	}}
	got := f.Judge([]simulate.Curve{ccb, other})
	want := []simulate.Stated{
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
	f = Figure{Functions: []string{"ccb", "s-ccb", "ld"}, Stated: []Stated{{Sentence: "best", Compare: Best("ccb")},
		{Sentence: "above", Compare: Everywhere("ccb", "s-ccb"), Between: []string{"ccb", "s-ccb"}}}}
	if got := f.Judge([]simulate.Curve{ccb, other}); len(got) != 1 || got[0].Sentence != "above" {
		t.Errorf("of two functions of three: %q", got)
	}
}

// TestFitted: what a setup was fitted to is never confirmed by it, and is still refuted if it does not come out.
func TestFitted(t *testing.T) {
	fitted := func(o Outcome) Stated {
		return Stated{Sentence: "time", Fitted: true, Compare: func(func(string) *simulate.Curve, []string) Outcome { return o }}
	}
	f := Figure{Functions: []string{"ccb"}, Stated: []Stated{fitted(Confirmed), fitted(Refuted)}}
	if diff := cmp.Diff([]simulate.Stated{{Sentence: "time", Outcome: "fitted"},
		{Sentence: "time", Outcome: "refuted"}}, f.Judge([]simulate.Curve{curve("ccb", 3, 10, 0, 0)})); diff != "" {
		t.Error(diff)
	}
}

// TestUses: shares and ranks are compared at the last load at which no function is saturated.
func TestUses(t *testing.T) {
	// y-CF grows and x-CF falls with performance but for the last two, which are exchanged.
	functions := []string{"a", "b", "c", "d", "e"}
	var curves []simulate.Curve
	for i, name := range functions {
		x := 0.1 * float64(i)
		curves = append(curves, curve(name, 3, 10+5*float64(i), x, 0.9-x*[]float64{1, 1, 1, 1.5, 1}[i]))
	}
	f := Figure{Functions: functions, Stated: []Stated{
		Uses("1", "a", 1, false), Uses("1", "e", 1, false), Uses("1", "a", 2, true, "b"), Ranks("2", 1, false), Ranks("2", 2, true), Ranks("2", 1, true),
		{Sentence: "high", Compare: High("c")}, {Sentence: "not", Compare: High("d")},
	}}
	want := []string{
		"1: a uses less x-CF than others do on average: confirmed", "1: e uses less x-CF than others do on average: refuted",
		"1: a uses more y-CF than others do on average: confirmed", "2: the less x-CF, the better: confirmed",
		"2: the more y-CF, the better: confirmed", "2: the more x-CF, the better: refuted", "high: confirmed", "not: refuted",
	}
	var got []string
	for _, s := range f.Judge(curves) {
		got = append(got, s.Sentence+": "+s.Outcome)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// Of the five, one pair is out of order: 1 - 6 * 2 / (5 * 24) = 0.9, as the definition says.
	if got := f.Judge(curves)[4].Detail; got != "rank correlation 0.90 of 5 functions" {
		t.Error(got)
	}
	if got := spearman([]float64{1, 1, 1}, []float64{1, 2, 3}); got != 0 {
		t.Errorf("nothing varies: %v", got)
	}
}
