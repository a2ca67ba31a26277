package graph

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
	"github.com/seed-105a2da2/unknot/spec/topology/updown"
)

// UpDown is up*/down* routing (Schroeder et al., Autonet, 1991) on a graph in which
// every link has one back: nodes are ordered by their distance from the root, then by
// number; a link to an earlier node is up, all others are down. A packet goes up any
// number of links, then down any number, by a shortest such path; one VC. On a
// connected graph every pair is routed, through the root at worst, and the dependency
// graph is acyclic.
func UpDown(g Graph, root int) (routing.Definition, error) {
	return newUpDown(g, root, "up*/down* on a graph", false)
}

// UpDownAny is [UpDown] with every legal path, not only the shortest: any link up or,
// from the first one down on, down, as long as the destination can still be reached.
// The dependency graph is still acyclic, so no packet goes astray forever.
func UpDownAny(g Graph, root int) (routing.Definition, error) {
	return newUpDown(g, root, "up*/down* on a graph, every path", true)
}

func newUpDown(g Graph, root int, name string, detours bool) (routing.Definition, error) {
	if err := g.check(); err != nil {
		return routing.Definition{}, err
	}
	if root < 0 || root >= g.Nodes {
		return routing.Definition{}, fmt.Errorf("invalid root %d: want 0 to %d", root, g.Nodes-1)
	}
	back := map[[2]int]int{} // links one way minus links back
	for _, l := range g.Links {
		back[l]++
		back[[2]int{l[1], l[0]}]--
	}
	for _, l := range g.Links {
		if back[l] > 0 {
			return routing.Definition{}, fmt.Errorf("link %d->%d has no link back: want links in both directions",
				l[0], l[1])
		}
	}
	t := g.topology(1)
	level := distancesTo(t, spec.NodeID(root))
	for v, l := range level {
		if l == bfs.Never {
			return routing.Definition{}, fmt.Errorf("node %d has no path to the root %d", v, root)
		}
	}
	u := &upDown{
		t: t, order: updown.ByLevel(level, spec.NodeID(root)), detours: detours,
		left: make([][2][]int32, g.Nodes),
	}
	for dest := range spec.NodeID(g.Nodes) {
		u.left[dest] = u.distances(dest)
	}
	return routing.Definition{
		Name: name, Topology: t, Switching: spec.Wormhole, Routing: routing.Deliver(t, routing.Named("up*/down*", u)),
	}, nil
}

const (
	mayRise = iota
	mustFall
)

type upDown struct {
	t       *spec.Topology
	order   updown.Order
	detours bool
	left    [][2][]int32 // by destination, phase and node: hops of a shortest legal path, or bfs.Never
}

func (u *upDown) isUp(l spec.LinkID) bool { return u.order.IsUp(u.t.Link(l)) }

// distances searches backwards from dest over pairs of phase and node. A down link
// keeps or ends the rise; an up link requires it and keeps it.
func (u *upDown) distances(dest spec.NodeID) [2][]int32 {
	n := spec.NodeID(u.t.Nodes()) // the places are v, from which a packet may rise, and n + v, from which it must fall
	d, _ := bfs.Levels(2*int(n), []spec.NodeID{dest, n + dest}, func(place spec.NodeID, visit func(spec.NodeID)) {
		for _, l := range u.t.InLinks(place % n) {
			from := u.t.Link(l).From
			switch falls := place >= n; {
			case u.isUp(l) && !falls:
				visit(from)
			case !u.isUp(l) && falls:
				visit(from)
				visit(n + from)
			}
		}
	})
	return [2][]int32{mayRise: d[:n], mustFall: d[n:]}
}

// AppendHops implements routing.Relation.
func (u *upDown) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	phase := mayRise
	if !at.IsInjection() && !u.isUp(u.t.LinkOf(at)) {
		phase = mustFall
	}
	v, left := u.t.Head(at), u.left[h.Dest]
	for _, l := range u.t.OutLinks(v) {
		after := mustFall
		if u.isUp(l) {
			if phase == mustFall {
				continue
			}
			after = mayRise
		}
		if d := left[after][u.t.Link(l).To]; d < left[phase][v] || u.detours && d < bfs.Never {
			dst = append(dst, spec.Hop{Channel: u.t.Channel(l, 0)})
		}
	}
	return dst, nil
}
