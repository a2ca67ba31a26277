package untie

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/layers"
	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/refutation"
	"github.com/seed-105a2da2/unknot/spec"
)

// Layers.
//
// Each flow keeps to one copy on all of its ways, so that a copy's dependencies are those
// of its flows. All begin on the first copy; while that has a cycle, the flows of the
// turn on it that fewest share move to the next copy, which is then treated alike
// (DFSSSP: Domke, Hoefler and Nagel 2011); then back to the first copy where they close no
// cycle.

// layering is an assignment of flows to copies.
type layering struct {
	*judge
	flows  []place   // table and source
	turns  [][]int32 // by flow: units of its ways
	number map[place]int
	of     []int // by flow: its copy
	count  int
	least  *evidence.Refutation // of fewer copies
}

// mostFlowTurns bounds memory.
const mostFlowTurns = 1 << 26

// newLayering lists the turns of each flow; nil if they are too many.
func newLayering(ctx context.Context, j *judge) *layering {
	l := &layering{judge: j, number: map[place]int{}, count: 1}
	seen := make([]int32, len(j.units))
	total := 0
	for i := range j.tables {
		t := &j.tables[i]
		at := make([]int32, t.vertices())
		for v := range int32(len(t.Sources)) {
			f := place{int32(i), v}
			l.number[f] = len(l.flows)
			l.flows = append(l.flows, f)
			mark := int32(len(l.flows))
			var turns []int32
			queue := []int32{v}
			for k := 0; k < len(queue); k++ {
				t.eachNext(queue[k], func(e, to int32) {
					if u := t.unit[e]; u != free && seen[u] != mark {
						seen[u] = mark
						turns = append(turns, u)
					}
					if at[to] != v+1 {
						at[to] = v + 1
						queue = append(queue, to)
					}
				})
			}
			l.turns = append(l.turns, turns)
			if total += len(turns); total > mostFlowTurns || ctx.Err() != nil {
				return nil
			}
		}
	}
	l.of = make([]int, len(l.flows))
	return l
}

// cycle returns turns that close a cycle among some; nil if there is none.
func (l *layering) cycle(has func(u int32) bool) []int32 {
	g := graph.Collect(len(l.sites), func(add func(from, to int32)) {
		for u, x := range l.units {
			if has(int32(u)) {
				add(int32(x.at.Channel), int32(x.hop.Channel))
			}
		}
	})
	cycle, _ := graph.ShortestCycle(g, 1<<12)
	if cycle == nil {
		return nil
	}
	after := map[spec.ChannelID]spec.ChannelID{}
	for i, c := range cycle {
		after[spec.ChannelID(c)] = spec.ChannelID(cycle[(i+1)%len(cycle)])
	}
	var turns []int32
	for u, x := range l.units {
		if to, on := after[x.at.Channel]; on && to == x.hop.Channel {
			turns = append(turns, int32(u))
		}
	}
	return turns
}

// tangled returns one of some flows whose own turns close a cycle, or -1. Only a flow with a choice can.
func (l *layering) tangled(ctx context.Context, flows []int) int {
	for _, f := range flows {
		if ctx.Err() != nil {
			break
		}
		turns := l.turns[f]
		from := map[spec.ChannelID]bool{}
		choice := false
		for _, u := range turns {
			choice = choice || from[l.units[u].at.Channel]
			from[l.units[u].at.Channel] = true
		}
		if choice && !l.acyclic(turns) {
			return f
		}
	}
	return -1
}

// acyclic decides a few turns.
func (l *layering) acyclic(turns []int32) bool {
	number := map[spec.ChannelID]int32{}
	of := func(c spec.ChannelID) int32 {
		k, known := number[c]
		if !known {
			k = int32(len(number))
			number[c] = k
		}
		return k
	}
	for _, u := range turns {
		of(l.units[u].at.Channel)
		of(l.units[u].hop.Channel)
	}
	_, ok := graph.Heights(graph.Collect(len(number), func(add func(from, to int32)) {
		for _, u := range turns {
			add(of(l.units[u].at.Channel), of(l.units[u].hop.Channel))
		}
	}))
	return ok
}

// paths are the flows with their turns.
func (l *layering) paths() layers.Paths {
	g := graph.Collect(len(l.sites), func(add func(from, to int32)) {
		for _, x := range l.units {
			add(int32(x.at.Channel), int32(x.hop.Channel))
		}
	})
	next := slices.Clone(g.First)
	edge := make([]uint32, len(l.units))
	for u, x := range l.units {
		edge[u] = next[x.at.Channel]
		next[x.at.Channel]++
	}
	return layers.Paths{Graph: g, Count: len(l.flows), Edges: func(f int, visit func(e uint32)) {
		for _, u := range l.turns[f] {
			visit(edge[u])
		}
	}}
}

// spread shares the flows out, as far as it comes with the copies.
func (l *layering) spread(ctx context.Context) bool {
	p := l.paths()
	s := layers.Offline(ctx, p, mostCopies)
	if s == nil {
		return false
	}
	s.Lower(ctx, p)
	for f, layer := range s.Of {
		l.of[f] = int(layer)
	}
	l.count = s.Count
	return true
}

// mostLinks bounds the memory of an exact search: turns of flows, times copies.
const mostLinks = 1 << 21

// maximal returns the flows whose turns are not all turns of another one that is in the list:
// the others can follow that. By flow, leader is it. When ctx ends, fewer.
func (l *layering) maximal(ctx context.Context) (flows []int, leader []int) {
	of := make([][]int, len(l.units))          // by turn: flows in the list
	ascending := make([][]int32, len(l.flows)) // by flow in the list: its turns
	order := make([]int, len(l.flows))
	leader = make([]int, len(l.flows))
	for f := range order {
		order[f] = f
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(l.turns[b]) - len(l.turns[a]) })
	for _, f := range order {
		if ctx.Err() != nil {
			break
		}
		leader[f] = f
		if len(l.turns[f]) > 0 {
			rarest := slices.MinFunc(l.turns[f], func(a, b int32) int { return len(of[a]) - len(of[b]) })
			for _, g := range of[rarest] {
				if !slices.ContainsFunc(l.turns[f], func(u int32) bool { _, found := slices.BinarySearch(ascending[g], u); return !found }) {
					leader[f] = g
					break
				}
			}
		}
		if leader[f] == f {
			flows = append(flows, f)
			ascending[f] = slices.Sorted(slices.Values(l.turns[f]))
			for _, u := range l.turns[f] {
				of[u] = append(of[u], f)
			}
		}
	}
	slices.Sort(flows)
	return flows, leader
}

// mostApart bounds the time of apart: turns looked at.
const mostApart = 1 << 21

// apart puts flows first of which no two can share a copy, as it comes upon them, and counts these.
func (l *layering) apart(ctx context.Context, flows []int) (sorted []int, count int) {
	var first, rest []int
	work := 0
	for _, f := range flows {
		if work > mostApart || ctx.Err() != nil || slices.ContainsFunc(first, func(g int) bool {
			work += len(l.turns[f]) + len(l.turns[g])
			return l.acyclic(slices.Concat(l.turns[f], l.turns[g]))
		}) {
			rest = append(rest, f)
		} else {
			first = append(first, f)
		}
	}
	return slices.Concat(first, rest), len(first)
}

// exactly decides by the solver whether a number of copies suffices for flows, see maximal: each turn of a flow is on its copy,
// and no copy has all turns of a cycle. Undecided when the effort is used up.
func (l *layering) exactly(ctx context.Context, copies int, flows, leader []int, effort int64) (sat.Answer, error) {
	links := 0
	for _, f := range flows {
		links += len(l.turns[f]) * copies
	}
	if links > mostLinks {
		return sat.Undecided, nil
	}
	s, steps := sat.New(), &log{}
	on := func(k, c int) int32 { return int32(k*copies + c) } // of a turn, or behind them of a flow
	for range (len(l.units) + len(l.flows)) * copies {
		if ctx.Err() != nil {
			return sat.Undecided, ctx.Err()
		}
		s.Add()
	}
	s.Trace()
	for i, f := range flows {
		if ctx.Err() != nil {
			return sat.Undecided, ctx.Err()
		}
		var some []sat.Literal
		for c := range min(copies, i+1) { // copies are alike
			some = append(some, sat.Yes(on(len(l.units)+f, c)))
		}
		s.Told = steps.condition
		s.Require(some...)
		s.Told = steps.along
		for _, u := range l.turns[f] {
			for c := range copies {
				s.Require(sat.No(on(len(l.units)+f, c)), sat.Yes(on(int(u), c)))
			}
		}
	}
	effort -= int64(links)
	s.Log, s.Told = steps.learned, steps.condition
	got, err := s.Solve(ctx, sat.Yes(s.Add()), sat.Limits{Conflicts: math.MaxInt64, Visits: effort}, func() [][]sat.Literal {
		var clauses [][]sat.Literal
		for c := range copies {
			used := make([]bool, len(l.units))
			for len(clauses) < atOnce*copies && ctx.Err() == nil {
				cycle := l.cycle(func(u int32) bool { return !used[u] && s.IsTrue(on(int(u), c)) })
				if effort -= int64(len(l.units)); cycle == nil {
					break
				}
				for _, u := range cycle {
					used[u] = true
				}
				for c := range copies {
					var clause []sat.Literal
					for _, u := range cycle {
						clause = append(clause, sat.No(on(int(u), c)))
					}
					clauses = append(clauses, clause)
				}
			}
		}
		if effort < 0 || ctx.Err() != nil {
			return nil
		}
		if clauses == nil {
			l.count = copies
			for f := range l.of {
				l.of[f] = 0
				for c := range copies {
					if s.IsTrue(on(len(l.units)+leader[f], c)) {
						l.of[f] = c
					}
				}
			}
		}
		return clauses
	})
	if got == sat.Refuted && err == nil {
		l.least, err = verified(ctx, l.n, refutation.Bound{Of: refutation.Layers, Most: copies}, steps.refuted(s), once)
	}
	return got, err
}

// layers looks for the fewest copies such that flows can be shared out among them.
func (u *untying) layers(ctx context.Context) (Proposal, error) {
	j, out, err := u.kept(ctx)
	if j == nil {
		return out, err
	}
	l := newLayering(ctx, j)
	if l == nil {
		return Proposal{Because: fmt.Sprintf("flows take more than %d turns", mostFlowTurns)}, ctx.Err()
	}
	flows, leader := l.maximal(ctx)
	if f := l.tangled(ctx, flows); f >= 0 {
		return Proposal{Verdict: spec.Violated, Because: "packets of one flow, " + l.flow(f) + ", can block each other, and the scheme keeps them on one copy"}, nil
	}
	if !l.spread(ctx) {
		return Proposal{Because: fmt.Sprintf("no assignment to %d copies was found", mostCopies)}, ctx.Err()
	}
	if out, err = u.sharedOut(ctx, l, out); err != nil {
		return out, err
	}
	atLeast, effort := 2, u.opt.Effort/4 // halved again for each copy more
	flows, apart := l.apart(ctx, flows)
	for copies := max(2, apart-1); err == nil && copies < l.count; copies++ {
		some := flows
		if copies < apart { // of which that is one too few
			some = flows[:apart]
		}
		var got sat.Answer
		if got, err = l.exactly(ctx, copies, some, leader, effort); got != sat.Refuted {
			break
		}
		effort /= 2
		atLeast = copies + 1
	}
	if err == nil {
		out, err = u.sharedOut(ctx, l, out)
	}
	why := itself
	if atLeast > 2 {
		why = fmt.Sprintf("on %s every assignment of the flows leaves the dependency graph of a copy with a cycle", plural(atLeast-1, "copy", "copies"))
		if l.least == nil {
			why += unchecked
		}
	}
	out.Least = l.least
	return out.bounded(atLeast, "the dependency graph of each copy has no cycle; "+why), err
}

// sharedOut certifies the assignment, see propose.
func (u *untying) sharedOut(ctx context.Context, l *layering, was Proposal) (Proposal, error) {
	p := &plan{
		start: func(t *table, v int32) int {
			i, _ := slices.BinarySearchFunc(l.tables, t.Target, func(t table, to spec.Target) int { return t.Target.Compare(to) })
			return l.of[l.number[place{int32(i), v}]]
		},
		step: func(_ spec.ChannelID, copy int, _ spec.ChannelID) int { return copy },
	}
	if p.copies, _ = p.follow(ctx, l.ways, l.count); p.copies == nil {
		return was, ctx.Err()
	}
	return u.propose(ctx, l.judge, p, was, l.patch())
}

// flow names a flow.
func (l *layering) flow(f int) string {
	t := &l.tables[l.flows[f].table]
	return fmt.Sprintf("from %s %s", l.n.Topology().Node(t.Sources[l.flows[f].vertex].Node).Name, l.header(t.siteOf(l.flows[f].vertex).Header))
}

// patch says which flows use later copies: a line for each target and copy.
func (l *layering) patch() []string {
	var lines []string
	for i := range l.tables {
		t := &l.tables[i]
		sources := make([][]string, l.count)
		for v, s := range t.Sources {
			c := l.of[l.number[place{int32(i), int32(v)}]]
			sources[c] = append(sources[c], l.n.Topology().Node(s.Node).Name)
		}
		for c := 1; c < l.count; c++ {
			if sources[c] != nil {
				lines = append(lines, fmt.Sprintf("packets %s from %s take copy %d of the VCs all the way", l.header(t.siteOf(0).Header), strings.Join(sources[c], ", "), c+1))
			}
		}
	}
	return append(lines, "all others take the first copy")
}
