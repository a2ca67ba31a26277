package repair

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/topology/updown"
)

// Escapes.
//
// An escape is a VC that every blocked packet may enter, and whose own dependencies
// are acyclic (Duato 1993). Here it leads towards a root along one tree of links, and
// from there away along another: up, then down. For N nodes it takes 2N-2 channels. If
// all send to all, no escape with one path for each pair takes fewer: in the order of
// their ranks its channels are one-way calls after which everyone knows everything
// (Harary and Schwenk 1974).
//
// Packets that are committed to an alternative enter the escape from each: without that they would wait for its hops
// alone. A packet that may be discarded where it is never waits, and stays where its network discards it.

// escapeRelation is the relation with an escape: after its own VCs a link has one for each
// tree that contains it, up first.
type escapeRelation struct {
	*updown.Trees
	t   *spec.Topology // before
	w   *paths
	now *spec.Topology
}

// vcs counts the trees that contain a link.
func vcs(x *updown.Trees, l spec.Link, id spec.LinkID) int {
	k := 0
	if x.Up[l.From] == id {
		k++
	}
	if x.Down[l.To] == id {
		k++
	}
	return k
}

func (r *escapeRelation) escape(at, to spec.NodeID) spec.Hop {
	l, down := r.Trees.LinkToward(at, to)
	vc := r.t.Link(l).VCs
	if down && r.Up[at] == l {
		vc++
	}
	return spec.Hop{Channel: r.now.Channel(l, vc)}
}

func (r *escapeRelation) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
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
	waits := node != h.Dest
	for e, end := t.Edges(v); e < end; e++ {
		hop := t.Hop[e]
		if hop.Channel != spec.Eject {
			hop.Channel = r.now.Channel(r.t.LinkOf(hop.Channel), r.t.VC(hop.Channel))
		}
		if t.Live[e] {
			waits = waits && !hop.Discards()
			dst = append(dst, hop)
		}
	}
	if waits {
		dst = append(dst, r.escape(node, h.Dest))
	}
	return dst, nil
}

func (r *escapeRelation) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
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
		return spec.Reason{Text: "escape"}
	}
	return r.w.n.Reason(spec.Site{Channel: c, Header: h}, spec.Hop{Channel: to, Tag: hop.Tag})
}

// escape adds the trees of the root whose two trees share the fewest links.
func (u *search) escape(ctx context.Context) (Proposal, error) {
	j, out, err := u.keepEveryHop(ctx)
	if j == nil {
		return out, err
	}
	topo := u.n.Topology()
	var best *updown.Trees
	for root := range spec.NodeID(topo.Nodes()) {
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		x := updown.NewTrees(topo, func(_, _ spec.NodeID) bool { return true }, root)
		if !x.Spans() {
			return Proposal{
				Because: findings.Say(findings.NoTree{Root: topo.Node(root).Name}),
			}, nil
		}
		if best == nil || x.Both < best.Both {
			best = x
		}
		if best.Both == 0 {
			break
		}
	}
	def := routing.FromNetwork(u.n)
	most := 0
	out = Proposal{Unit: "VC", AtLeast: 1}
	patch := []findings.Fact{findings.EnterEscape, findings.KeepToEscape}
	def.Topology = routing.Widened(topo, func(l spec.LinkID) int {
		k := vcs(best, topo.Link(l), l)
		if most = max(most, k); k > 0 {
			patch = append(patch, findings.GiveEscape{Link: topo.LinkName(l), VCs: k})
		}
		return topo.Link(l).VCs + k
	})
	def.Routing = &escapeRelation{best, topo, j.paths, def.Topology}
	root := topo.Node(spec.NodeID(slices.Index(best.Up, -1))).Name
	out.Cost = most
	out.Because = findings.Say(findings.EscapeAdded{VCs: most, Channels: 2*topo.Nodes() - 2, Root: root})
	if most > 1 {
		out.Because = out.Because.And(findings.Say(findings.OneVCOpen))
	}
	out.Patch = findings.Each(append(patch, j.deadHops(ctx, make([]bool, len(j.units)))...)...)
	return u.certify(ctx, out, def)
}
