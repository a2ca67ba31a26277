package route

import (
	"cmp"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/topology/updown"
)

// candidates finds the roots for each strongly connected part with terminals: the given ones,
// otherwise some of its nodes, those with the fewest links from all terminals first.
func (y *nue) candidates() {
	y.parts = new(graph.Components)
	y.parts.Find(graph.Collect(y.t.Nodes(), func(add func(from, to int32)) {
		for l := range spec.LinkID(y.t.Links()) {
			add(int32(y.t.Link(l).From), int32(y.t.Link(l).To))
		}
	}))
	for i := range int32(y.parts.Count()) {
		nodes := slices.Sorted(slices.Values(y.parts.Component(i)))
		if !slices.ContainsFunc(nodes, func(v int32) bool { return y.terminal[v] }) {
			continue
		}
		roots := slices.DeleteFunc(slices.Clone(y.opt.Roots), func(r spec.NodeID) bool { return y.parts.Of[r] != i })
		if len(roots) == 0 {
			roots = y.central(nodes)
		}
		y.centers = append(y.centers, roots)
	}
}

// central returns some nodes of a part, the most central first.
func (y *nue) central(nodes []int32) []spec.NodeID {
	var some []spec.NodeID
	sum := map[spec.NodeID]int64{}
	for _, k := range updown.Spread(len(nodes)) {
		root := spec.NodeID(nodes[k])
		some = append(some, root)
		far := distances(y.t, root)
		for _, v := range nodes {
			if y.terminal[v] {
				sum[root] += int64(far[v])
			}
		}
	}
	slices.SortStableFunc(some, func(a, b spec.NodeID) int { return cmp.Compare(sum[a], sum[b]) })
	return some
}

// open adds a VC, with the next roots and their escape, unless that has a cycle.
func (y *nue) open() {
	l := &lane{never: make([]bool, len(y.turns.To))}
	for _, roots := range y.centers {
		l.roots = append(l.roots, roots[len(y.vcs)%len(roots)])
	}
	y.vcs = append(y.vcs, l)
	l.part = y.none.None()
	if len(l.roots) == 0 {
		return
	}
	order := y.channels(updown.BreadthFirst(y.t, l.roots...))
	l.part.SetOrder(order)
	l.escape = updown.NewTrees(y.t, func(root, v spec.NodeID) bool { return y.parts.Of[root] == y.parts.Of[v] },
		l.roots...)
	for _, e := range y.escapeTurns(l.escape) {
		if !l.part.Add(e) {
			l.escape, l.roots, l.part = nil, nil, y.none.None().SetOrder(order)
			return
		}
	}
}

// channels orders the links so that turns up, from up to down, and down all lead forward.
func (y *nue) channels(o updown.Order) []int32 {
	place := func(l int32) int32 {
		k := y.t.Link(spec.LinkID(l))
		if o.IsUp(k) {
			return -o.Place[k.From]
		}
		return 1 + o.Place[k.To]
	}
	order := graph.Identity[int32](y.t.Links())
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(place(a), place(b)) })
	return order
}

// escapeTurns returns the turns of all paths of the escape between terminals.
func (y *nue) escapeTurns(x *updown.Trees) []uint32 {
	var all []uint32
	below := x.CountBelow(func(v spec.NodeID) bool { return y.terminal[v] })
	for l := range spec.LinkID(y.t.Links()) {
		from, v := y.t.Link(l).From, y.t.Link(l).To
		up, down := x.Up[from] == l, x.Down[v] == l
		if up && x.Up[v] >= 0 {
			all = append(all, y.turns.of(l, x.Up[v]))
		}
		for _, to := range y.t.OutLinks(v) {
			if u := y.t.Link(to).To; (up || down) && x.Down[u] == to && u != from && below[u] > 0 {
				all = append(all, y.turns.of(l, to))
			}
		}
	}
	return all
}
