package route

import (
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/updown"
	"github.com/seed-105a2da2/unknot/spec"
)

// reserve looks for an escape, and returns its roots.
func (y *nue) reserve() []spec.NodeID {
	y.parts = new(graph.Components)
	y.parts.Find(graph.Collect(y.t.Nodes(), func(add func(from, to int32)) {
		for l := range spec.LinkID(y.t.Links()) {
			add(int32(y.t.Link(l).From), int32(y.t.Link(l).To))
		}
	}))
	roots := y.centers()
	y.escape = updown.TreesFrom(y.t, func(root, v spec.NodeID) bool { return y.parts.Of[root] == y.parts.Of[v] }, roots...)
	for _, e := range y.escapeTurns() {
		if !y.empty.Add(e) {
			y.escape, y.empty = nil, y.empty.None()
			return nil
		}
	}
	return roots
}

// centers returns a root for each strongly connected part with terminals: the first that was
// given, or else of some of its nodes the one to which the links from all
// terminals are fewest, the first of equals.
func (y *nue) centers() []spec.NodeID {
	var roots []spec.NodeID
	for i := range int32(y.parts.Count()) {
		nodes := slices.Sorted(slices.Values(y.parts.Component(i)))
		if !slices.ContainsFunc(nodes, func(v int32) bool { return y.terminal[v] }) {
			continue
		}
		if k := slices.IndexFunc(y.opt.Roots, func(r spec.NodeID) bool { return y.parts.Of[r] == i }); k >= 0 {
			roots = append(roots, y.opt.Roots[k])
			continue
		}
		best, least := spec.NodeID(-1), int64(0)
		for _, k := range updown.Spread(len(nodes)) {
			sum, far := int64(0), distances(y.t, spec.NodeID(nodes[k]))
			for _, v := range nodes {
				if y.terminal[v] {
					sum += int64(far[v])
				}
			}
			if best < 0 || sum < least {
				best, least = spec.NodeID(nodes[k]), sum
			}
		}
		roots = append(roots, best)
	}
	return slices.Sorted(slices.Values(roots))
}

// escapeTurns returns the turns of all ways of the escape between terminals.
func (y *nue) escapeTurns() []uint32 {
	var all []uint32
	x := y.escape
	below := x.Below(func(v spec.NodeID) bool { return y.terminal[v] })
	for l := range spec.LinkID(y.t.Links()) {
		from, v := y.t.Link(l).From, y.t.Link(l).To
		up, down := x.Up[from] == l, x.Down[v] == l
		if up && x.Up[v] >= 0 {
			all = append(all, y.turns.of(l, x.Up[v]))
		}
		for _, to := range y.t.Out(v) {
			if u := y.t.Link(to).To; (up || down) && x.Down[u] == to && u != from && below[u] > 0 {
				all = append(all, y.turns.of(l, to))
			}
		}
	}
	return all
}
