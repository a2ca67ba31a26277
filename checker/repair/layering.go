package repair

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/layers"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
)

// layering is an assignment of flows to copies.
type layering struct {
	*judge
	flows  []place   // table and source
	turns  [][]int32 // by flow: units of its paths
	number map[place]int
	of     []int // by flow: its copy
	count  int
	least  *evidence.Refutation // of fewer copies
}

// mostFlowTurns bounds memory.
const mostFlowTurns = 1 << 26

// newLayering lists the turns of each flow; nil if there are too many.
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

// flow names a flow.
func (l *layering) flow(f int) string {
	t := &l.tables[l.flows[f].table]
	return fmt.Sprintf("from %s %s", l.n.Topology().Node(t.Sources[l.flows[f].vertex].Node).Name, l.header(t.siteOf(l.flows[f].vertex).Header))
}

// Assignment of flows to copies by heuristics.
//
// Only maximal flows are assigned; a flow all of whose turns are turns of another follows it. One heuristic gathers
// compatible flows on a copy until every other flow would close a cycle there, and fills the next copy with the rest. In
// the other all flows begin on the first copy; while that has a cycle, the flows of the turn on it that the fewest flows
// share move to the next copy, which is then treated alike (DFSSSP: Domke, Hoefler and Nagel 2011). The assignment with
// fewer copies is kept.

// spread assigns maximal flows to copies as far as the copies suffice; the others follow their leaders.
func (l *layering) spread(ctx context.Context, flows, leader []int, effort int64) bool {
	p, most := l.turnPaths(flows), mostCopies
	s := layers.Gathered(ctx, p, most, effort)
	if s != nil {
		most = s.Count
	}
	if o := layers.Offline(ctx, p, most); o != nil {
		if o.Lower(ctx, p); s == nil || o.Count < s.Count {
			s = o
		}
	}
	if s == nil {
		return false
	}
	l.assign(flows, leader, func(i int) int { return int(s.Of[i]) })
	l.count = s.Count
	return true
}

// turnPaths are some flows with their turns.
func (l *layering) turnPaths(flows []int) layers.Paths {
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
	return layers.Paths{Graph: g, Count: len(flows), Edges: func(i int, visit func(e uint32)) {
		for _, u := range l.turns[flows[i]] {
			visit(edge[u])
		}
	}}
}

// assign assigns flows and their followers.
func (l *layering) assign(flows, leader []int, copy func(i int) int) {
	at := make([]int, len(l.flows))
	for i, f := range flows {
		at[f] = copy(i)
	}
	for f := range l.of {
		l.of[f] = at[leader[f]]
	}
}

// maximal returns the flows whose turns are not all turns of another flow in the list. Every other flow can
// follow such a flow: leader holds it, by flow. Fewer if ctx ends.
func (l *layering) maximal(ctx context.Context, some func(place) bool) (flows []int, leader []int) {
	of := make([][]int, len(l.units))          // by turn: flows in the list
	ascending := make([][]int32, len(l.flows)) // by flow in the list: its turns
	leader = make([]int, len(l.flows))
	var order []int
	for f, at := range l.flows {
		if some(at) {
			order = append(order, f)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(l.turns[b]) - len(l.turns[a]) })
	for _, f := range order {
		if ctx.Err() != nil {
			break
		}
		leader[f] = f
		if len(l.turns[f]) == 0 {
			continue
		}
		rarest := slices.MinFunc(l.turns[f], func(a, b int32) int { return len(of[a]) - len(of[b]) })
		for _, g := range of[rarest] {
			if !slices.ContainsFunc(l.turns[f], func(u int32) bool { _, found := slices.BinarySearch(ascending[g], u); return !found }) {
				leader[f] = g
				break
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

// tangled returns a flow whose own turns close a cycle, or -1. Only an adaptive flow has such turns.
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

// acyclic reports whether a few turns close no cycle.
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
