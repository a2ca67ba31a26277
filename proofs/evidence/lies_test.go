package evidence_test

import (
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs/bubbles"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Lies are what a careless check would accept: right except for one thing. Where a
// property is violated they claim that it holds, and the other way round.

// lies returns the lies about a space.
func (s *judged) lies(t testing.TB) (all []found) {
	t.Helper()
	m := s.Machine
	if s.Network != nil {
		m = s.traffic
	}
	g := s.space(m)
	if g == nil {
		return nil
	}
	properties := []string{spec.DeadlockFreedom.String(), spec.Delivery.String(), states.InRange} // of a space no step is refused
	for _, v := range g.claims().Responses {
		properties = append(properties, v.Name)
	}
	for _, v := range g.claims().Invariants {
		properties = append(properties, v.Name)
	}
	for _, p := range properties {
		before := len(all)
		violated, ok := g.violated(p)
		if ok && violated && p == spec.DeadlockFreedom.String() && s.Network != nil && !s.traffic.Scenario().Flits() && s.traffic.Scenario().Bubble == 0 {
			all = append(all, s.bubbles(t)...)
		}
		switch {
		case ok && violated && p == spec.DeadlockFreedom.String() && s.Network != nil && s.traffic.Scenario().Equal(spec.Scenario{Length: spec.AnyLength}):
			all = append(all, s.refuted(t)...)
			fallthrough
		case ok && violated:
			all = append(all, g.holds(t, p)...)
		case ok:
			all = append(all, g.goesRound(t, p)...)
			all = append(all, g.comesTo(t, p)...)
			count := g.count(p)
			count.Transitions++
			all = append(all, written(t, "counts", func(w io.Writer) error { return write.Count(w, count) }))
		}
		if slices.ContainsFunc(g.claims().Invariants, func(v states.Invariant) bool { return v.Name == p }) {
			for i := range all[before:] {
				all[before+i].kind += " of an invariant"
			}
		}
	}
	return all
}

// refuted claims that no worms block each other: because none goes round in all sites,
// or in those of a table, and each channel is free.
func (s *judged) refuted(t testing.TB) (all []found) {
	for first := range s.Network.SiteCount() {
		r := &unsat.Proof{Network: s.Digest}
		var sites []int32
		for site := first; site < s.Network.SiteCount(); site++ {
			sites = append(sites, int32(site))
		}
		r.Steps = append(r.Steps, unsat.Step{List: sites})
		for c := range s.Network.Topology().Channels() {
			r.Steps = append(r.Steps, unsat.Step{Clause: true, List: []int32{int32(2*c + 1)}})
		}
		all = append(all, written(t, "unsatisfiability-proof", func(w io.Writer) error { return write.Unsatisfiability(w, r) }))
	}
	return all
}

// bubbles claims that all channels together always have a place free, that each has, and that no hop is in the way.
func (s *judged) bubbles(t testing.TB) (all []found) {
	set, each := bubbles.Set{Free: 1}, []bubbles.Set{}
	for c := range spec.ChannelID(s.Network.Topology().Channels()) {
		set.Channels = append(set.Channels, c)
		each = append(each, bubbles.Set{Channels: []spec.ChannelID{c}, Free: 1})
	}
	for _, sets := range [][]bubbles.Set{{set}, each, nil} {
		c := &bubbles.Certificate{Network: s.Digest, Levels: make([]int32, len(each)), Sets: sets}
		all = append(all, written(t, "bubbles", func(w io.Writer) error { return write.Bubbles(w, c) }))
	}
	return all
}

// holds claims that a property holds: with the right states, with the right number of
// them, for a response with rankings, and for an invariant with only the states that
// satisfy it, and because states that break it are left again.
func (g *space) holds(t testing.TB, property string) []found {
	set := machines.ClosedSet{Machine: g.m.Name(), Property: property, States: g.states}
	all := []found{
		written(t, "closed-set", func(w io.Writer) error { return write.ClosedSet(w, &set) }),
		written(t, "counts", func(w io.Writer) error { return write.Count(w, g.count(property)) }),
	}
	var rankings []*machines.Ranking
	starves := false
	for _, v := range g.claims().Responses {
		r := g.ranking(v)
		r.ClosedSet = set
		r.Property = v.Name
		rankings = append(rankings, r)
		if v.Name == property {
			_, starves = g.m.(*states.Traffic)
			all = append(all, written(t, "ranking", func(w io.Writer) error { return write.Ranking(w, r) }))
		}
	}
	if starves {
		all = append(all, written(t, "rankings", func(w io.Writer) error { return write.Evidence(w, evidence.Rankings{Rankings: rankings}) }))
	}
	for _, v := range g.claims().Invariants {
		if v.Name == property {
			r := g.ranking(states.Response{Pending: v.Broken})
			r.ClosedSet = set
			all = append(all, written(t, "ranking", func(w io.Writer) error { return write.Ranking(w, r) }))
			kept := set
			kept.States = slices.DeleteFunc(slices.Clone(set.States), v.Broken)
			all = append(all, written(t, "closed-set", func(w io.Writer) error { return write.ClosedSet(w, &kept) }))
		}
	}
	return all
}

// ranking has ranks that fall wherever they can, towards where the machine rests; and
// where they cannot, a fair action that is possible throughout and, if there is one,
// helps.
func (g *space) ranking(v states.Response) *machines.Ranking {
	kept, fair := g.kept(v), g.claims().Fair
	r := &machines.Ranking{Levels: make([][]machines.Level, len(g.states))}
	for i, in := range components(len(g.states), func(s int, f func(int)) {
		for k, e := range g.next[s] {
			if kept(s, k) {
				f(e.to)
			}
		}
	}) {
		possible, useless := map[int]int{}, map[int]bool{}
		for _, s := range in {
			here := map[int]bool{}
			for k, e := range g.next[s] {
				here[e.action] = true
				useless[e.action] = useless[e.action] || kept(s, k)
			}
			for a := range here {
				possible[a]++
			}
		}
		best := machines.NoAction
		for _, a := range slices.Sorted(maps.Keys(possible)) {
			if possible[a] == len(in) && (fair == nil || fair(a)) && (best < 0 || useless[best]) {
				best = a
			}
		}
		for _, s := range in {
			r.Levels[s] = []machines.Level{{Rank: len(g.states) - i, Helpful: best}}
		}
	}
	return r
}

// goesRound claims that a response is never given: because of cycles that are not fair,
// answer it, or have nothing pending.
func (g *space) goesRound(t testing.TB, property string) (all []found) {
	const most = 3 // of each sort
	for _, v := range g.claims().Responses {
		if v.Name != property {
			continue
		}
		unanswered := g.kept(v)
		pending := func(s, k int) bool { return v.Pending(g.states[s]) && v.Pending(g.states[g.next[s][k].to]) }
		for _, kept := range []func(s, k int) bool{unanswered, pending, anyStep} {
			for _, r := range g.lassos(kept, most) {
				r.Property = property
				all = append(all, written(t, "run", func(w io.Writer) error { return write.Run(w, g.m, r) }))
			}
		}
	}
	return all
}

func anyStep(int, int) bool { return true }

// lassos returns runs that go round by some steps, a bounded number of them.
func (g *space) lassos(chosen func(s, k int) bool, most int) (all []*runs.Run) {
	for s, steps := range g.next {
		for k, e := range steps {
			if len(all) == most || !chosen(s, k) {
				continue
			}
			back, ok := g.way(e.to, s, chosen)
			if !ok {
				continue
			}
			stem, _ := g.way(0, s, anyStep)
			r := g.run(runs.Unanswered, slices.Concat(stem, [][2]int{{s, k}}, back))
			r.Back = len(stem)
			all = append(all, r)
		}
	}
	return all
}

// comesTo claims that a property is violated where a run ends: in the initial state, or
// in the state found last, in each way in which a state can violate it.
func (g *space) comesTo(t testing.TB, property string) (all []found) {
	for _, s := range slices.Compact([]int{0, len(g.states) - 1}) {
		way, ok := g.way(0, s, anyStep)
		for _, fault := range []runs.Fault{runs.Broken, runs.Halt, runs.Refused} {
			if r := g.run(fault, way); ok { // else it is another initial state
				r.Property = property
				all = append(all, written(t, "run", func(w io.Writer) error { return write.Run(w, g.m, r) }))
			}
		}
	}
	return all
}

func (g *space) run(fault runs.Fault, way [][2]int) *runs.Run {
	r := &runs.Run{Machine: g.m.Name(), Fault: fault}
	for _, e := range way {
		r.Steps = append(r.Steps, write.TakenBy(g.m, g.states[e[0]], e[1]))
	}
	return r
}

// way returns the steps of a shortest path between two states, as states and numbers of
// their steps.
func (g *space) way(from, to int, chosen func(s, k int) bool) (way [][2]int, ok bool) {
	by := map[int][2]int{from: {-1, 0}}
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		if s == to {
			for by[s][0] >= 0 {
				way = append(way, by[s])
				s = by[s][0]
			}
			slices.Reverse(way)
			return way, true
		}
		for k, e := range g.next[s] {
			if _, seen := by[e.to]; !seen && chosen(s, k) {
				by[e.to] = [2]int{s, k}
				queue = append(queue, e.to)
			}
		}
	}
	return nil, false
}
