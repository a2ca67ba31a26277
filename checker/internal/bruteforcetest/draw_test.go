package bruteforcetest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
)

// drawn is a random network. Its routes, and to whom replies go, are drawn when they are first asked for, so that
// nothing is drawn that no packet sees.
type drawn struct {
	network
	uses   uses
	routes map[question][][]spec.Hop
	to     []map[[2]spec.NodeID][]spec.NodeID // by reply
	asked  bool                               // all that packets see has been asked for
	inFile bool                               // it is written as a file; otherwise as a definition in Go, where a packet may leave at a wrong node
	drops  bool                               // routers may discard packets on purpose
}

// traffic is what nodes send: packets, or transactions of requests and replies, perhaps with a bound on the requests of
// a node that are not answered.
type traffic int

const (
	packetsOnly traffic = iota
	withReplies
	outstanding
	committedReplies // a bound or none, and routes that commit packets
)

// draw draws a network that carries it.
func draw(t *rapid.T, sent traffic) *drawn {
	d := &drawn{routes: map[question][][]spec.Hop{}, inFile: rapid.Bool().Draw(t, "in a file")}
	n := &d.network
	n.switching = rapid.SampledFrom([]spec.Switching{spec.StoreAndForward, spec.VirtualCutThrough, spec.Wormhole, spec.Wormhole}).Draw(t, "switching")
	n.buffer = rapid.IntRange(1, 2).Draw(t, "buffer")
	nodes := rapid.IntRange(2, 4).Draw(t, "nodes")
	lanes := rapid.IntRange(0, 3).Draw(t, "lanes") == 3
	if lanes {
		nodes = min(nodes, 3)
		n.topo = line(nodes, rapid.IntRange(1, 5-nodes).Draw(t, "vcs"))
	} else {
		n.topo = netgen.Multigraph(t, nodes, netgen.Options{Channels: rapid.IntRange(nodes, 7).Draw(t, "channels"), Ring: true})
	}
	n.tags = rapid.IntRange(1, 2).Draw(t, "tags")
	n.classes = rapid.IntRange(1, 3).Draw(t, "classes")
	switch sent {
	case packetsOnly:
		n.sources = rapid.IntRange(0, 3).Draw(t, "sources") == 3
		d.drops = rapid.IntRange(0, 2).Draw(t, "discards") == 2
	case committedReplies:
		n.classes, n.commits = max(n.classes, 2), true
		bounded := rapid.IntRange(0, 3).Draw(t, "bounded") == 3
		d.drawReplies(t, bounded)
		d.drops = !bounded && rapid.IntRange(0, 3).Draw(t, "discards") == 3 // with a bound they are refused
	default:
		n.classes = max(n.classes, 2)
		d.drawReplies(t, sent == outstanding)
	}
	d.uses = uses{channel: rapid.Bool().Draw(t, "by channel"), class: n.classes > 1 &&
		(rapid.Bool().Draw(t, "by class") || lanes), tag: n.tags > 1, source: n.sources}
	for range rapid.IntRange(1, 9).Draw(t, "flows") {
		f := flow{from: spec.NodeID(rapid.IntRange(0, nodes-1).Draw(t, "source"))}
		f.to = (f.from + spec.NodeID(rapid.IntRange(1, nodes-1).Draw(t, "destination"))) % spec.NodeID(nodes)
		f.class = rapid.IntRange(0, n.classes-1).Draw(t, "class")
		if n.sentAsReply(f.class) {
			f.class = 0 // always a request
		}
		if !slices.Contains(n.flows, f) {
			n.flows = append(n.flows, f)
		}
	}
	style := rapid.SampledFrom([]style{{}, {strays: 6}, {strays: 6, fails: 12}, {strays: 1}, {strays: 1, fails: 12}}).Draw(t, "style")
	style.lanes = lanes
	distance := n.distances()
	n.route = func(q question) [][]spec.Hop {
		q = d.uses.reduced(n.topo, q)
		all, known := d.routes[q]
		if !known && !d.asked {
			alternatives := 1
			if n.commits {
				alternatives = rapid.SampledFrom([]int{1, 1, 2, 2, 3}).Draw(t, "alternatives")
			}
			for range alternatives {
				all = append(all, d.row(t, q, style, distance))
			}
			d.routes[q] = all
		}
		return all
	}
	return d
}

// drawReplies makes some classes replies, perhaps with a bound on the requests of class 0 that are outstanding.
func (d *drawn) drawReplies(t *rapid.T, bounded bool) {
	n := &d.network
	all := [][]reply{{{request: 0, reply: 1}}}
	if n.classes > 2 {
		all = append(all,
			[]reply{{request: 0, reply: 1}, {request: 1, reply: 2}},
			[]reply{{request: 0, reply: 1}, {request: 0, reply: 2}},
			[]reply{{request: 0, reply: 1}, {request: 2, reply: 1}})
	}
	n.replies = rapid.SampledFrom(all).Draw(t, "replies")
	d.to = make([]map[[2]spec.NodeID][]spec.NodeID, len(n.replies))
	window := 0
	if bounded {
		window = rapid.IntRange(1, 2).Draw(t, "outstanding")
	}
	places := n.unit() * rapid.IntRange(1, 2).Draw(t, "places")
	shared := rapid.Bool().Draw(t, "one request buffer")
	n.replies = slices.Clone(n.replies)
	for i := range n.replies {
		r := &n.replies[i]
		if bounded && r.request == 0 {
			r.outstanding = window
		} else {
			r.places = places
		}
		if shared && !bounded {
			r.buffer = "x"
		}
		if rapid.IntRange(0, 2).Draw(t, "to") < 2 {
			continue
		}
		d.to[i] = map[[2]spec.NodeID][]spec.NodeID{}
		r.to = func(origin, at spec.NodeID) []spec.NodeID {
			k := [2]spec.NodeID{origin, at}
			to, known := d.to[i][k]
			if !known && !d.asked {
				nodes := n.topo.Nodes()
				for range rapid.SampledFrom([]int{1, 1, 1, 2, 2, 0}).Draw(t, "replies go to") {
					to = append(to, (at+spec.NodeID(rapid.IntRange(1, nodes-1).Draw(t, "to")))%spec.NodeID(nodes))
				}
				d.to[i][k] = to
			}
			return to
		}
	}
}

func (n *network) sentAsReply(class int) bool {
	return slices.ContainsFunc(n.replies, func(r reply) bool { return r.reply == class })
}

// style says how often a packet strays from the shortest ways, one row in so many, and meets a fault. 0 is never.
type style struct {
	strays, fails int
	lanes         bool // unless it strays, a packet keeps to the VC of its class
}

// row draws the hops of a packet that has not arrived.
func (d *drawn) row(t *rapid.T, q question, s style, distance [][]int) (hops []spec.Hop) {
	oneIn := func(n int, what string) bool { return n > 0 && rapid.IntRange(0, n-1).Draw(t, what) == n-1 }
	if oneIn(s.fails, "dead end") {
		return nil
	}
	at := d.topo.Head(q.at)
	var near, all []spec.ChannelID
	for _, l := range d.topo.OutLinks(at) {
		for vc := range d.topo.Link(l).VCs {
			all = append(all, d.topo.Channel(l, vc))
			if distance[d.topo.Link(l).To][q.to] < distance[at][q.to] && (!s.lanes || vc == min(q.class, d.topo.Link(l).VCs-1)) {
				near = append(near, d.topo.Channel(l, vc))
			}
		}
	}
	if oneIn(s.strays, "strays") {
		near = all
	}
	if len(near) == 0 {
		return nil
	}
	for range rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "hops") {
		h := spec.Hop{Channel: rapid.SampledFrom(near).Draw(t, "hop")}
		if d.tags > 1 {
			h.Tag = spec.Tag(rapid.IntRange(0, d.tags-1).Draw(t, "tag"))
		}
		if !slices.Contains(hops, h) {
			hops = append(hops, h)
		}
	}
	if d.drops && oneIn(6, "discard") {
		if hops = append(hops, spec.Discard()); rapid.Bool().Draw(t, "nothing else") {
			return hops[len(hops)-1:]
		}
	}
	if !d.inFile && oneIn(2*s.fails, "misled") {
		hops = append(hops, spec.Hop{Channel: spec.Eject})
	}
	return hops
}

// line returns nodes in a line, with links both ways.
func line(nodes, vcs int) *spec.Topology {
	t := spec.NewTopology()
	for v := range spec.NodeID(nodes) {
		t.AddNode("")
		if v > 0 {
			t.AddPair(v-1, v, vcs)
		}
	}
	return t
}

// distances returns the number of links from node to node.
func (n *network) distances() [][]int {
	const far = 1 << 20
	all := make([][]int, n.topo.Nodes())
	for a := range all {
		all[a] = slices.Repeat([]int{far}, n.topo.Nodes())
		all[a][a] = 0
	}
	for range all {
		for l := range spec.LinkID(n.topo.Links()) {
			x := n.topo.Link(l)
			for v := range all {
				all[x.From][v] = min(all[x.From][v], 1+all[x.To][v])
			}
		}
	}
	return all
}
