package static

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/fixpoint"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// survey is what single packets can do, each table by itself: how many hops
// they may still make, and where they can go wrong.
type survey struct {
	// left is indexed by site: in a table without cycles the length of the longest
	// way on, which every hop lowers; in a table with cycles the length of the
	// shortest way out of the network, or never.
	left   []int32
	cyclic []bool // by table: a packet can return to a site
	faults []fault
	counts [faultKinds]int
}

const (
	never      = int32(1<<31 - 1)
	faultKinds = int(counterexamples.Trap) + 1
)

// fault is the first delivery fault of its kind in a table.
type fault struct {
	kind  counterexamples.Fault
	table int
	site  int // within the table; for Unrouted and at a source, -(index of the source)-1
}

// surveyed surveys the single packets, once.
func (d *Decision) surveyed(ctx context.Context) (*survey, error) {
	if d.survey != nil {
		return d.survey, nil
	}
	d.say(routing.Progress{Stage: "survey of single packets"})
	s := &survey{left: make([]int32, d.n.SiteCount()), cyclic: make([]bool, d.n.Tables())}
	found := make([][]fault, d.n.Tables())
	counts := make([][faultKinds]int, d.opt.Workers)
	ways := make([][]int32, d.opt.Workers) // scratch memory
	err := fixpoint.EachTable(ctx, d.n, d.opt.Workers, func(worker, i int, m *fixpoint.RowGraphs) {
		t := d.n.Table(i)
		mine := s.left[t.First : t.First+t.Len()]
		s.cyclic[i] = hopsLeft(d.n, m, t, mine, &ways[worker])
		found[i] = faultsOf(d.n, i, mine, s.cyclic[i], &counts[worker])
	})
	if err != nil {
		return nil, err
	}
	for _, fs := range found {
		s.faults = append(s.faults, fs...)
	}
	for _, k := range counts {
		for i := range k {
			s.counts[i] += k[i]
		}
	}
	d.survey = s
	return s, nil
}

// hopsLeft fills in what survey.left says for one table, and reports whether a
// packet of the table can return to a site.
func hopsLeft(n *spec.Network, m *fixpoint.RowGraphs, t *spec.Table, left []int32, scratch *[]int32) (cyclic bool) {
	g := m.Make(t)
	*scratch = slices.Grow((*scratch)[:0], g.Len())[:g.Len()]
	ways := *scratch // by vertex
	if g.Cyclic {
		shortestWays(n, g, ways)
	} else {
		longestWays(g, ways)
	}
	for s := range left {
		left[s] = ways[m.Vertex[s]]
	}
	return g.Cyclic
}

// longestWays fills in the number of hops of the longest way on from each vertex.
func longestWays(g *fixpoint.RowGraph, left []int32) {
	for v := range int32(g.Len()) { // successors come first
		left[v] = 0
		for _, w := range g.Next(v) {
			left[v] = max(left[v], left[w]+1)
		}
	}
}

// shortestWays fills in the number of hops of the shortest way from each vertex
// to one that permits Eject, or never.
func shortestWays(n *spec.Network, g *fixpoint.RowGraph, left []int32) {
	var queue []int32
	for v := range int32(g.Len()) {
		left[v] = never
		if n.Arrives(g.Rows[v]) {
			left[v] = 0
			queue = append(queue, v)
		}
	}
	before := g.Reverse()
	for i := 0; i < len(queue); i++ {
		for _, u := range before.Next(queue[i]) {
			if left[u] == never {
				left[u] = left[queue[i]] + 1
				queue = append(queue, u)
			}
		}
	}
}

// faultsOf finds the first delivery fault of each kind in a table and counts all.
func faultsOf(n *spec.Network, table int, left []int32, cyclic bool, counts *[faultKinds]int) []fault {
	t := n.Table(table)
	topo := n.Topology()
	var first [faultKinds]*fault
	add := func(kind counterexamples.Fault, site int) {
		counts[kind]++
		if first[kind] == nil {
			first[kind] = &fault{kind, table, site}
		}
	}
	for i, src := range t.Sources {
		switch {
		case len(n.Row(src.Row)) == 0:
			add(counterexamples.Unrouted, -i-1)
		case n.Arrives(src.Row):
			add(counterexamples.Misdelivery, -i-1)
		}
	}
	for s, r := range t.Rows {
		switch {
		case len(n.Row(r)) == 0:
			add(counterexamples.DeadEnd, s)
		case n.Arrives(r) && topo.Head(t.Channels[s]) != t.Dest:
			add(counterexamples.Misdelivery, s)
		case cyclic && left[s] == never:
			add(counterexamples.Trap, s)
		}
	}
	var out []fault
	for _, f := range first {
		if f != nil {
			out = append(out, *f)
		}
	}
	return out
}
