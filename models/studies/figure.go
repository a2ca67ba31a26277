package studies

import (
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
	Ran      bool     // instead, those of the figure that were run, if at least two were
	Fitted   bool     // a value of the setup was chosen to produce this result
	Detail   Detail   // nil: none
}

// Detail says in numbers what a comparison compares.
type Detail func(of func(name string) *simulate.Curve, names []string) string

// Across is what the text states about several figures together.
type Across struct {
	Sentence string
	Figures  []string
	Compare  func(curves [][]simulate.Curve) (Outcome, string) // by figure; with the numbers that were compared
}

// Judge says how the statement fares in the curves of its figures.
func (a Across) Judge(curves [][]simulate.Curve) simulate.Stated {
	outcome, detail := a.Compare(curves)
	return simulate.Stated{Sentence: a.Sentence, Outcome: string(outcome), Detail: detail}
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
		names := names
		if s.Ran {
			needed = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return of(name) == nil })
			if names = needed; len(names) < 2 {
				continue
			}
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
		stated := simulate.Stated{Sentence: s.Sentence, Outcome: string(outcome)}
		if s.Detail != nil {
			stated.Detail = s.Detail(of, names)
		}
		all = append(all, stated)
	}
	return all
}

// better compares two functions: by the load at which they saturate, or if that is the same,
// by latency at the last load at which neither is saturated: that of the network, from when a head leaves its source.
func better(f, g *simulate.Curve) Outcome {
	switch last := stable(f); {
	case last > stable(g):
		return Confirmed
	case last < stable(g):
		return Refuted
	case last == 0:
		return Within
	default:
		return faster(&f.Points[last-1].Network, &g.Points[last-1].Network)
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
			switch faster(&x.Points[i].Network, &r.Network) {
			case Refuted:
				return Refuted
			case Within:
				outcome = Within
			}
		}
		return outcome
	}
}

// extreme compares one function with each of the others: refuted by one, confirmed by all.
func extreme(f string, better func(f, g *simulate.Curve) Outcome) Comparison {
	return func(of func(string) *simulate.Curve, functions []string) Outcome {
		if of(f) == nil {
			return ""
		}
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

// High asks whether f is better than at least half of the others.
func High(f string) Comparison {
	return func(of func(string) *simulate.Curve, functions []string) Outcome {
		ahead, behind := 0, 0
		for _, g := range functions {
			if g == f {
				continue
			}
			switch better(of(f), of(g)) {
			case Confirmed:
				ahead++
			case Refuted:
				behind++
			}
		}
		others := len(functions) - 1
		switch {
		case 2*ahead >= others:
			return Confirmed
		case 2*behind > others:
			return Refuted
		}
		return Within
	}
}

// common returns the last load at which none of the functions is saturated, the paper's "just before the network
// saturates"; -1 if there is none.
func common(of func(string) *simulate.Curve, functions []string) int {
	last := math.MaxInt
	for _, f := range functions {
		last = min(last, stable(of(f)))
	}
	return last - 1
}

// cf returns the share of CF among the grants of a dimension.
func cf(r *simulate.Result, dim int) float64 {
	for _, s := range r.VCs {
		if s.VC == "CF" && s.Dim == dim {
			return s.Share
		}
	}
	return 0
}

// Dimensions names them as papers do, from the lowest, 1.
var Dimensions = []string{"", "x", "y", "z"}

// Uses asks whether f uses CF of a dimension more, or else less, than the functions that are not named do on average,
// just before one of them saturates.
func Uses(section, f string, dim int, more bool, named ...string) Stated {
	share := func(of func(string) *simulate.Curve, functions []string) (own, others float64, all string, ok bool) {
		last := common(of, functions)
		if last < 0 {
			return 0, 0, "", false
		}
		count := 0.0
		for _, g := range functions {
			x := cf(of(g).Points[last], dim)
			if all += fmt.Sprintf("%s %.3f, ", g, x); g == f {
				own = x
			} else if !slices.Contains(named, g) {
				others, count = others+x, count+1
			}
		}
		load := of(f).Points[last].Load
		return own, others / count, fmt.Sprintf("%sat a load of %v", all, load), true
	}
	words := map[bool]string{true: "more", false: "less"}[more]
	return Stated{
		Sentence: fmt.Sprintf("%s: %s uses %s %s-CF than others do on average", section, f, words, Dimensions[dim]),
		Compare: func(of func(string) *simulate.Curve, functions []string) Outcome {
			own, others, _, ok := share(of, functions)
			if !ok {
				return Within
			}
			return Confirm(own != others && (own > others) == more)
		},
		Detail: func(of func(string) *simulate.Curve, functions []string) string {
			_, _, all, _ := share(of, functions)
			return all
		},
	}
}

// Ranks asks whether functions are the better the less, or the more, they use CF of a dimension, just before one of
// them saturates: by Spearman's rank correlation of the share and the latency, which must exceed what chance reaches
// in one of twenty cases.
func Ranks(section string, dim int, more bool) Stated {
	words := map[bool]string{true: "more", false: "less"}[more]
	rank := func(of func(string) *simulate.Curve, functions []string) (rho float64, ok bool) {
		last := common(of, functions)
		if last < 0 {
			return 0, false
		}
		var shares, latencies []float64
		for _, f := range functions {
			r := of(f).Points[last]
			shares, latencies = append(shares, cf(r, dim)), append(latencies, r.Network.Mean)
		}
		rho = spearman(shares, latencies)
		if more { // better is faster
			rho = -rho
		}
		return rho, true
	}
	return Stated{
		Sentence: fmt.Sprintf("%s: the %s %s-CF, the better", section, words, Dimensions[dim]),
		Compare: func(of func(string) *simulate.Curve, functions []string) Outcome {
			rho, ok := rank(of, functions)
			switch {
			case ok && rho >= critical(len(functions)):
				return Confirmed
			case ok && rho <= 0:
				return Refuted
			}
			return Within
		},
		Detail: func(of func(string) *simulate.Curve, functions []string) string {
			rho, _ := rank(of, functions)
			return fmt.Sprintf("rank correlation %.2f of %d functions", rho, len(functions))
		},
	}
}

// critical is the least rank correlation of n values that chance reaches in at most one of twenty cases (one-sided;
// exact, by all permutations: Zar 1972, table 1).
func critical(n int) float64 {
	table := []float64{4: 1, 5: 0.9, 6: 0.829, 7: 0.714, 8: 0.643, 9: 0.6}
	if n < 4 {
		return math.Inf(1)
	}
	return table[min(n, len(table)-1)]
}

// spearman is the rank correlation of two lists, in which equal values have their mean rank.
func spearman(x, y []float64) float64 {
	ranks := func(of []float64) []float64 {
		all := make([]float64, len(of))
		for i, a := range of {
			for _, b := range of {
				if b < a {
					all[i]++
				} else if b == a {
					all[i] += 0.5
				}
			}
		}
		return all
	}
	a, b := ranks(x), ranks(y)
	mean := float64(len(a)) / 2
	var ab, aa, bb float64
	for i := range a {
		ab, aa, bb = ab+(a[i]-mean)*(b[i]-mean), aa+(a[i]-mean)*(a[i]-mean), bb+(b[i]-mean)*(b[i]-mean)
	}
	if aa*bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// named returns what finds a curve by its name; there is one.
func named(curves []simulate.Curve) func(name string) *simulate.Curve {
	return func(name string) *simulate.Curve {
		return &curves[slices.IndexFunc(curves, func(c simulate.Curve) bool { return c.Name == name })]
	}
}

// Spread returns the largest difference between two curves in the share of a VC, just before one of them saturates; ok
// is false if there is no such load.
func Spread(curves []simulate.Curve) (most float64, ok bool) {
	var functions []string
	for _, c := range curves {
		functions = append(functions, c.Name)
	}
	last := common(named(curves), functions)
	if last < 0 {
		return 0, false
	}
	for i := range curves[0].Points[last].VCs {
		least, best := 1.0, 0.0
		for _, c := range curves {
			if all := c.Points[last].VCs; i < len(all) {
				least, best = min(least, all[i].Share), max(best, all[i].Share)
			}
		}
		most = max(most, best-least)
	}
	return most, true
}

// Lead returns by how much f is faster than g, as a share of the latency of g, and at which load: the last at which
// neither is saturated. ok is false if there is none, or no curve of one of them.
func Lead(curves []simulate.Curve, f, g string) (lead simulate.Estimate, load float64, ok bool) {
	for _, name := range []string{f, g} {
		if !slices.ContainsFunc(curves, func(c simulate.Curve) bool { return c.Name == name }) {
			return simulate.Estimate{}, 0, false
		}
	}
	of := named(curves)
	last := common(of, []string{f, g})
	if last < 0 {
		return simulate.Estimate{}, 0, false
	}
	x, y := &of(f).Points[last].Network, &of(g).Points[last].Network
	lead = gain(x.Estimate, y.Estimate, x.Runs, y.Runs)
	return simulate.Estimate{Mean: lead.Mean / y.Mean, Half: lead.Half / y.Mean}, of(f).Points[last].Load, true
}

// Less compares two measurements that share no seeds.
func Less(x, y simulate.Estimate) Outcome { return less(x, y, nil, nil) }

// Flattest asks whether the peaks of the links vary least with f.
func Flattest(f string) Comparison {
	return func(of func(string) *simulate.Curve, functions []string) Outcome {
		outcome := Confirmed
		for _, g := range functions {
			last := max(0, common(of, []string{f, g}))
			if g != f && variation(of(g).Points[last]) <= variation(of(f).Points[last]) {
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
