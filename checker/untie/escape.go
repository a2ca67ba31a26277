package untie

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/explain"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Escapes.
//
// An escape is a VC that every blocked packet may enter, and whose own dependencies
// are acyclic (Duato 1993). Here it leads towards a root along one tree of links, and
// from there away along another: up, then down. Of N nodes it takes 2N-2 channels, and
// if all send to all, no escape on one path a pair takes fewer: in the order of
// their ranks its channels are calls by which everybody learns everything, one way
// (Harary and Schwenk 1974).

// trees are the ways to a root and from it.
type trees struct {
	t      *spec.Topology
	up     []spec.LinkID // by node: towards the root; -1 at it
	parent []spec.LinkID // by node: the link that comes from the root; -1 at it
	enter  []int         // by node: its subtree of the way from the root is
	leave  []int         // [enter, leave)
	both   int           // links in both trees
}

// treesAt grows the trees breadth first; nil if the root does not reach all, or not all reach it.
func treesAt(t *spec.Topology, root spec.NodeID) *trees {
	x := &trees{t: t}
	grow := func(links func(spec.NodeID) []spec.LinkID, far func(spec.Link) spec.NodeID) ([]spec.LinkID, []spec.NodeID) {
		by := slices.Repeat([]spec.LinkID{-1}, t.Nodes())
		queue := []spec.NodeID{root}
		for i := 0; i < len(queue); i++ {
			for _, l := range links(queue[i]) {
				if v := far(t.Link(l)); v != root && by[v] < 0 {
					by[v] = l
					queue = append(queue, v)
				}
			}
		}
		return by, queue
	}
	var there, back []spec.NodeID
	x.parent, there = grow(t.Out, func(l spec.Link) spec.NodeID { return l.To })
	x.up, back = grow(t.In, func(l spec.Link) spec.NodeID { return l.From })
	if len(there) < t.Nodes() || len(back) < t.Nodes() {
		return nil
	}
	size := slices.Repeat([]int{1}, t.Nodes())
	for _, v := range slices.Backward(there[1:]) {
		size[t.Link(x.parent[v]).From] += size[v]
		if slices.Contains(x.up, x.parent[v]) {
			x.both++
		}
	}
	x.enter, x.leave = make([]int, t.Nodes()), make([]int, t.Nodes())
	next := make([]int, t.Nodes())
	x.leave[root] = t.Nodes()
	next[root] = 1
	for _, v := range there[1:] {
		p := t.Link(x.parent[v]).From
		x.enter[v] = next[p]
		next[p] += size[v]
		x.leave[v] = x.enter[v] + size[v]
		next[v] = x.enter[v] + 1
	}
	return x
}

// below reports whether the way from the root to a node leads by another.
func (x *trees) below(v, by spec.NodeID) bool {
	return x.enter[by] <= x.enter[v] && x.enter[v] < x.leave[by]
}

// next returns the link of the escape from a node to another.
func (x *trees) next(at, to spec.NodeID) (l spec.LinkID, down bool) {
	if !x.below(to, at) {
		return x.up[at], false
	}
	for v := to; ; {
		l := x.parent[v]
		if v = x.t.Link(l).From; v == at {
			return l, true
		}
	}
}

// escaping is the relation with an escape: behind the VCs of a link there is one for each
// tree that it is in, up first.
type escaping struct {
	*trees
	w   *ways
	now *spec.Topology
}

func (x *trees) vcs(l spec.LinkID) int {
	k := 0
	if x.up[x.t.Link(l).From] == l {
		k++
	}
	if x.parent[x.t.Link(l).To] == l {
		k++
	}
	return k
}

func (r *escaping) escape(at, to spec.NodeID) spec.Hop {
	l, down := r.next(at, to)
	vc := r.t.Link(l).VCs
	if down && r.up[at] == l {
		vc++
	}
	return spec.Hop{Channel: r.now.Channel(l, vc)}
}

func (r *escaping) Next(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	node, c := r.now.Head(at), at
	if !at.IsInjection() {
		l, vc := r.now.LinkOf(at), r.now.VC(at)
		if vc >= r.t.Link(l).VCs { // on the escape
			if node == h.Dest {
				return append(dst, spec.Hop{Channel: spec.Eject}), nil
			}
			return append(dst, r.escape(node, h.Dest)), nil
		}
		c = r.t.Channel(l, vc)
	}
	t, v := r.w.vertex(c, h)
	for e := t.first[v]; e < t.first[v+1]; e++ {
		hop := t.hop[e]
		if hop.Channel != spec.Eject {
			hop.Channel = r.now.Channel(r.t.LinkOf(hop.Channel), r.t.VC(hop.Channel))
		}
		if t.live[e] {
			dst = append(dst, hop)
		}
	}
	if node != h.Dest {
		dst = append(dst, r.escape(node, h.Dest))
	}
	return dst, nil
}

func (r *escaping) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) string {
	old := func(c spec.ChannelID) (spec.ChannelID, bool) {
		if c < 0 {
			return c, true
		}
		l, vc := r.now.LinkOf(c), r.now.VC(c)
		if vc >= r.t.Link(l).VCs {
			return 0, false
		}
		return r.t.Channel(l, vc), true
	}
	c, from := old(at)
	to, known := old(hop.Channel)
	if !from || !known {
		return "escape"
	}
	return r.w.n.Reason(spec.Site{Channel: c, Header: h}, spec.Hop{Channel: to, Tag: hop.Tag})
}

// escape adds the trees of the root for which fewest links are in both.
func (u *untying) escape(ctx context.Context) (Proposal, error) {
	j, out, err := u.kept(ctx)
	if j == nil {
		return out, err
	}
	topo := u.n.Topology()
	var best *trees
	for root := range spec.NodeID(topo.Nodes()) {
		x := treesAt(topo, root)
		if x == nil {
			return Proposal{Because: fmt.Sprintf("no links lead from %s to every node and back", topo.Node(root).Name)}, nil
		}
		if best == nil || x.both < best.both {
			best = x
		}
		if best.both == 0 {
			break
		}
	}
	def := routing.FromNetwork(u.n)
	most := 0
	out = Proposal{Unit: "VC", AtLeast: 1}
	def.Topology = routing.Widened(topo, func(l spec.LinkID) int {
		k := best.vcs(l)
		if most = max(most, k); k > 0 {
			out.Patch = append(out.Patch, fmt.Sprintf("give %s %s more for the escape", topo.LinkName(l), explain.Plural(k, "VC")))
		}
		return topo.Link(l).VCs + k
	})
	def.Routing = &escaping{best, j.ways, def.Topology}
	root := topo.Node(spec.NodeID(slices.Index(best.up, -1))).Name
	out.Cost = most
	out.Because = fmt.Sprintf("%s more on a link at most, %s in all, for an escape up to %s and down again; without one it is the network as it is", explain.Plural(most, "VC"), explain.Plural(2*topo.Nodes()-2, "channel"), root)
	if most > 1 {
		out.Because += "; whether 1 VC will do is open"
	}
	out.Patch = slices.Concat([]string{
		"wherever a packet is that has not arrived, let it enter the escape as well: down, if its destination is below, else up",
		"on the escape it goes up until its destination is below, then down, and does not leave it",
	}, out.Patch, j.follows(make([]bool, len(j.units))))
	return u.certified(ctx, out, def)
}
