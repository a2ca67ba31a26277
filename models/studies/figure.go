package studies

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/simulate"
	"github.com/seed-105a2da2/unknot/spec"
)

// What papers measured or built, as data: what is run, and the result that the text states.

// Figure is a paper's setup, in which a network is run.
type Figure struct {
	Name       string
	Network    string            // model
	Set, Flags map[string]string // parameters of the model; flags of unknot simulate
	Functions  []string          // compared, a curve each; none: a single curve
	Traces     []Trace           // instead, a curve each
	Stated     []Stated
}

// Trace is the traffic of a setup: packets by the clock at which each is sent.
type Trace struct {
	Name   string
	Events func(n *spec.Network) []simulate.Event
}

// Stated is an ordering that the text states.
type Stated struct {
	Sentence string // in translation, with its section
	Compare  Comparison
	Between  []string // functions compared; nil: all of the figure
	Fitted   bool     // a value of the setup was chosen to produce this result
}

// Comparison compares the curves of a figure, which it finds by the names of their functions or traces.
type Comparison func(of func(name string) *simulate.Curve, names []string) Outcome

// Outcome is the result under the conditions of a run.
type Outcome string

const (
	Confirmed Outcome = "confirmed"
	Fitted    Outcome = "fitted" // the setup was chosen to produce it, so it confirms nothing
	Refuted   Outcome = "refuted"
	Within    Outcome = "too close to tell" // the 95 % interval contains both
)

// Judge says how each stated ordering fares in the curves; it skips an ordering if a function that it compares has no
// curve.
func (f Figure) Judge(curves []simulate.Curve) []simulate.Stated {
	of := func(function string) *simulate.Curve {
		for i := range curves {
			if curves[i].Name == function {
				return &curves[i]
			}
		}
		return nil
	}
	names := f.Functions
	for _, t := range f.Traces {
		names = append(names, t.Name)
	}
	for _, t := range f.Traces {
		if c := of(t.Name); c != nil && c.Points[0].Finished == 0 {
			return []simulate.Stated{{
				Sentence: fmt.Sprintf("nothing to compare: trace %s had not arrived by the last clock", t.Name),
			}}
		}
	}
	var all []simulate.Stated
	for _, s := range f.Stated {
		needed := s.Between
		if needed == nil {
			needed = names
		}
		if slices.ContainsFunc(needed, func(name string) bool { return of(name) == nil }) {
			continue
		}
		outcome := s.Compare(of, names)
		if outcome == "" {
			continue
		}
		if outcome == Confirmed && s.Fitted {
			outcome = Fitted
		}
		all = append(all, simulate.Stated{Sentence: s.Sentence, Outcome: string(outcome)})
	}
	return all
}

// better compares two functions: by the load at which they saturate, or if that is the same,
// by latency at the last load at which neither is saturated.
func better(f, g *simulate.Curve) Outcome {
	switch last := stable(f); {
	case last > stable(g):
		return Confirmed
	case last < stable(g):
		return Refuted
	case last == 0:
		return Within
	default:
		return faster(&f.Points[last-1].Total, &g.Points[last-1].Total)
	}
}

// faster compares two latencies.
func faster(x, y *simulate.Latency) Outcome { return less(x.Estimate, y.Estimate, x.Runs, y.Runs) }

// less compares two measurements, from one seed or from several.
func less(x, y simulate.Estimate, ofX, ofY []float64) Outcome {
	gain := gain(x, y, ofX, ofY)
	switch {
	case gain.Mean > gain.Half:
		return Confirmed
	case -gain.Mean > gain.Half:
		return Refuted
	}
	return Within
}

// gain estimates by how much x is less than y. With several seeds it uses their differences: a seed generates the same
// messages for both, so most of the chance cancels. With one seed the intervals add up; an unknown one is infinite.
func gain(x, y simulate.Estimate, ofX, ofY []float64) simulate.Estimate {
	if len(ofX) == 0 || len(ofX) != len(ofY) {
		if x.Half < 0 || y.Half < 0 {
			return simulate.Estimate{Mean: y.Mean - x.Mean, Half: math.Inf(1)}
		}
		return simulate.Estimate{Mean: y.Mean - x.Mean, Half: x.Half + y.Half}
	}
	differences := make([]float64, len(ofX))
	for i := range differences {
		differences[i] = ofY[i] - ofX[i]
	}
	return simulate.MeanOf(differences)
}

// stable returns how many loads, from the lowest on, do not saturate.
func stable(c *simulate.Curve) int {
	for i, r := range c.Points {
		if r.State() != "" {
			return i
		}
	}
	return len(c.Points)
}

func saturates(c *simulate.Curve) bool { return stable(c) < len(c.Points) }

// Everywhere asks whether f is faster than g at each load at which neither is saturated, and saturates no earlier.
func Everywhere(f, g string) Comparison {
	return func(of func(string) *simulate.Curve, _ []string) Outcome {
		x, y := of(f), of(g)
		if stable(x) < stable(y) {
			return Refuted
		}
		if stable(x) == 0 {
			return Within
		}
		outcome := Confirmed
		for i, r := range y.Points[:stable(y)] {
			switch faster(&x.Points[i].Total, &r.Total) {
			case Refuted:
				return Refuted
			case Within:
				outcome = Within
			}
		}
		return outcome
	}
}

// Accepts asks whether f accepts more than g at each load at which both are saturated: there, latency only reflects how
// long the run was. Without such a load it says nothing.
func Accepts(f, g string) Comparison {
	return func(of func(string) *simulate.Curve, _ []string) (outcome Outcome) {
		for i, x := range of(f).Points {
			y := of(g).Points[i]
			if !x.Saturated || !y.Saturated {
				continue
			}
			switch less(y.Accepted, x.Accepted, y.Accepts, x.Accepts) {
			case Refuted:
				return Refuted
			case Within:
				outcome = Within
			default:
				outcome = cmp.Or(outcome, Confirmed)
			}
		}
		return outcome
	}
}

// extreme compares one function with each of the others: refuted by one, confirmed by all.
func extreme(f string, better func(f, g *simulate.Curve) Outcome) Comparison {
	return func(of func(string) *simulate.Curve, functions []string) Outcome {
		outcome := Confirmed
		for _, g := range functions {
			if g == f {
				continue
			}
			switch better(of(f), of(g)) {
			case Refuted:
				return Refuted
			case Within:
				outcome = Within
			}
		}
		return outcome
	}
}

// Best asks whether f is better than each of the others.
func Best(f string) Comparison { return extreme(f, better) }

// Worst asks whether each of the others is better than f.
func Worst(f string) Comparison {
	return extreme(f, func(f, g *simulate.Curve) Outcome {
		if !saturates(f) && !saturates(g) {
			return Within
		}
		return better(g, f)
	})
}

// Near asks whether all functions, at saturation, accept a load within a tenth of the best; one that
// does not saturate accepts at least what was offered.
func Near(of func(string) *simulate.Curve, functions []string) Outcome {
	least, best := math.Inf(1), 0.0
	for _, f := range functions {
		accepted := 0.0
		for _, r := range of(f).Points {
			accepted = max(accepted, r.Accepted.Mean)
		}
		least, best = min(least, accepted), max(best, accepted)
	}
	switch all := !slices.ContainsFunc(functions, func(f string) bool { return !saturates(of(f)) }); {
	case least <= 0.9*best:
		return Refuted
	case all:
		return Confirmed
	}
	return Within
}

// before returns the points of two functions at the last load at which neither is saturated:
// the paper compares channels just before saturation.
func before(f, g *simulate.Curve) (x, y *simulate.Result) {
	last := max(0, min(stable(f), stable(g))-1)
	return f.Points[last], g.Points[last]
}

// Shares asks whether f gives messages less CF than g in the lowest dimension, and more in
// the highest.
func Shares(f, g string) Comparison {
	return func(of func(string) *simulate.Curve, _ []string) Outcome {
		x, y := before(of(f), of(g))
		lowF, highF := cf(x)
		lowG, highG := cf(y)
		if lowF < lowG && highF > highG {
			return Confirmed
		}
		return Refuted
	}
}

// cf returns the share of CF in the lowest and in the highest dimension.
func cf(r *simulate.Result) (lowest, highest float64) {
	first := true
	for _, s := range r.VCs {
		if s.VC != "CF" {
			continue
		}
		if first {
			lowest, first = s.Share, false
		}
		highest = s.Share
	}
	return lowest, highest
}

// Flattest asks whether the peaks of the links vary least with f.
func Flattest(f string) Comparison {
	return func(of func(string) *simulate.Curve, functions []string) Outcome {
		outcome := Confirmed
		for _, g := range functions {
			if x, y := before(of(f), of(g)); g != f && variation(y) <= variation(x) {
				outcome = Refuted
			}
		}
		return outcome
	}
}

// variation is the coefficient of variation of the peaks.
func variation(r *simulate.Result) float64 {
	var sum, squares float64
	for _, l := range r.Links {
		sum, squares = sum+l.Peak, squares+l.Peak*l.Peak
	}
	n := float64(len(r.Links))
	if sum == 0 {
		return math.Inf(1)
	}
	return math.Sqrt(max(0, squares/n-sum/n*sum/n)) / (sum / n)
}

// Burst is a burst of packets generated together.
func Burst(clock int, from, to spec.NodeID, packets, flits int) []simulate.Event {
	all := make([]simulate.Event, packets)
	for i := range all {
		all[i] = simulate.Event{Clock: clock, Source: from, Dest: to, Flits: flits}
	}
	return all
}

// OneEach is one packet from the first node to each other one, 100 clocks apart.
func OneEach(flits int) func(n *spec.Network) []simulate.Event {
	return func(n *spec.Network) (all []simulate.Event) {
		for v := 1; v < n.Topology().Nodes(); v++ {
			all = append(all, Burst(100*v, 0, spec.NodeID(v), 1, flits)...)
		}
		return all
	}
}

// OfTrace asks something about the result of a trace.
func OfTrace(name string, asked func(r *simulate.Result) bool) Comparison {
	return func(of func(string) *simulate.Curve, _ []string) Outcome {
		return Confirm(asked(of(name).Points[0]))
	}
}

// Confirm is Confirmed if yes, otherwise Refuted.
func Confirm(yes bool) Outcome {
	if yes {
		return Confirmed
	}
	return Refuted
}

// Close reports whether x is within 1 % of y.
func Close(x, y float64) bool { return math.Abs(x-y) <= 0.01*y }
