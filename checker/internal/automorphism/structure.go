package automorphism

import (
	"cmp"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/spec"
)

// structure is a network as a directed graph with coloured vertices whose
// automorphisms are the symmetries of the network. Its vertices are, in this
// order,
//
//	nodes, links, channels; dimensions, tables, sources, sites
//
// and its edges
//
//	node -> link -> node      link -> channel        dimension -> link
//	node -> table             destination
//	table -> source, site     node -> source         channel -> site
//	source, site -> site      hop
//
// The colour of a vertex includes its kind, so no edge needs a label. The first
// three kinds are the frame: the images of its vertices determine all others.
//
// Channels that no packet ever enters are left out, and parallel links without
// any other channel are one vertex: they may be exchanged at will, and following
// every way to do so would drown the symmetries that matter. They keep their
// order instead, and nodes without links and flows stay in place.
type structure struct {
	n       *spec.Network
	out, in *graph.Graph
	colours []colour    // by vertex
	nodes   int         // vertices 0..nodes-1
	groups  []linkGroup // vertices nodes..; a link, or unused parallel links
	used    []spec.ChannelID
	frame   int // nodes + len(groups) + len(used)
}

type linkGroup struct {
	links []spec.LinkID
	idle  []spec.ChannelID // its channels that no packet enters, ascending
}

type colour struct {
	kind kind
	a, b int32
}

type kind uint8

const (
	idleNode kind = iota // sends nothing, receives nothing, is on no way
	node
	link
	idleLinks
	channel
	dimension
	table
	source
	site
)

func compareColours(x, y colour) int {
	return cmp.Or(cmp.Compare(x.kind, y.kind), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
}

// edges collects edges before they are counted.
type edges struct{ from, to []int32 }

func (e *edges) add(from, to int) {
	e.from = append(e.from, int32(from))
	e.to = append(e.to, int32(to))
}

// newStructure builds the structure of n. Linear in channels, sites and hops.
func newStructure(n *spec.Network, dims bool) *structure {
	t := n.Topology()
	g := &structure{n: n, nodes: t.Nodes()}
	vertexOf := g.addFrame(dims)
	var e edges
	g.joinFrame(&e, vertexOf)
	if dims {
		g.addDimensions(&e)
	}
	walk := relation.NewWalk(n)
	for i := range n.Tables() {
		walk.Load(n.Table(i))
		g.addTable(&e, walk, vertexOf)
	}
	g.out = graph.Collect(len(g.colours), func(add func(from, to int32)) {
		for i, v := range e.from {
			add(v, e.to[i])
		}
	})
	g.in = g.out.Reverse()
	return g
}

func (g *structure) add(c colour) int {
	g.colours = append(g.colours, c)
	return len(g.colours) - 1
}

// addFrame makes the vertices of nodes, links and channels. It returns the vertex of
// each channel, or -1 if no packet enters it.
func (g *structure) addFrame(dims bool) (vertexOf []int32) {
	t := g.n.Topology()
	vertexOf = make([]int32, t.Channels())
	busy := make([]bool, g.nodes)
	for i := range g.n.Tables() {
		table := g.n.Table(i)
		busy[table.Dest] = true
		for _, s := range table.Sources {
			busy[s.Node] = true
		}
		for _, c := range table.Channels {
			vertexOf[c] = 1
			busy[t.Tail(c)], busy[t.Head(c)] = true, true
		}
	}
	alone := int32(0)
	for v := range g.nodes {
		switch v := spec.NodeID(v); {
		case busy[v]:
			g.add(colour{kind: node})
		case len(t.OutLinks(v))+len(t.InLinks(v)) == 0: // stays, or goes to the k-th of the other network
			g.add(colour{idleNode, 1, alone})
			alone++
		default:
			g.add(colour{kind: idleNode})
		}
	}
	g.addLinks(dims, vertexOf)
	for c, used := range vertexOf {
		vertexOf[c] = -1
		if used == 1 {
			vertexOf[c] = int32(g.add(colour{kind: channel}))
			g.used = append(g.used, spec.ChannelID(c))
		}
	}
	g.frame = len(g.colours)
	return vertexOf
}

func (g *structure) addLinks(dims bool, used []int32) {
	t := g.n.Topology()
	groupOf := map[spec.Link]int{} // parallel links without packets, by all but their ports
	for l := range t.Links() {
		l := spec.LinkID(l)
		group := linkGroup{links: []spec.LinkID{l}}
		for vc := range t.Link(l).VCs {
			if c := t.Channel(l, vc); used[c] == 0 {
				group.idle = append(group.idle, c)
			}
		}
		if len(group.idle) == t.Link(l).VCs {
			key := t.Link(l)
			key.Out, key.In = "", ""
			if !dims {
				key.Dim = 0
			}
			if i, seen := groupOf[key]; seen {
				g.groups[i].links = append(g.groups[i].links, l)
				g.groups[i].idle = append(g.groups[i].idle, group.idle...)
				continue
			}
			groupOf[key] = len(g.groups)
		}
		g.groups = append(g.groups, group)
	}
	for _, group := range g.groups {
		vcs := t.Link(group.links[0]).VCs
		k := link
		if len(group.idle) == vcs*len(group.links) {
			k = idleLinks
		}
		g.add(colour{k, int32(vcs), int32(len(group.links))})
	}
}

func (g *structure) joinFrame(e *edges, vertexOf []int32) {
	t := g.n.Topology()
	for i, group := range g.groups {
		l := t.Link(group.links[0])
		e.add(int(l.From), g.nodes+i)
		e.add(g.nodes+i, int(l.To))
		for vc := range l.VCs {
			if c := vertexOf[t.Channel(group.links[0], vc)]; c >= 0 {
				e.add(g.nodes+i, int(c))
			}
		}
	}
}

func (g *structure) addDimensions(e *edges) {
	t := g.n.Topology()
	vertex := map[int]int{}
	for i, group := range g.groups {
		dim := t.Link(group.links[0]).Dim
		if _, seen := vertex[dim]; !seen {
			vertex[dim] = g.add(colour{kind: dimension})
		}
		e.add(vertex[dim], g.nodes+i)
	}
}

// addTable adds the table that is walked.
func (g *structure) addTable(e *edges, t *relation.Walk, vertexOf []int32) {
	arrives := func(r spec.RowID) (bits int32) {
		if g.n.Arrives(r) {
			bits |= 1
		}
		if g.n.MayDiscard(r) {
			bits |= 2
		}
		return bits
	}
	at := g.add(colour{kind: table, a: int32(t.Class)})
	e.add(int(t.Dest), at)
	sources := len(g.colours)
	for _, s := range t.Sources {
		g.add(colour{kind: source, a: arrives(s.Row)})
	}
	sites := len(g.colours)
	for i := range t.Channels {
		g.add(colour{site, int32(t.Tag(i)), arrives(t.Rows[i])})
	}
	hops := func(from int, r spec.RowID) {
		for _, to := range t.SitesAfter(r) {
			e.add(from, sites+to)
		}
	}
	for i, s := range t.Sources {
		e.add(at, sources+i)
		e.add(int(s.Node), sources+i)
		hops(sources+i, s.Row)
	}
	for i, c := range t.Channels {
		e.add(at, sites+i)
		e.add(int(vertexOf[c]), sites+i)
		hops(sites+i, t.Rows[i])
	}
}

// vc returns the VC of a channel in the frame, or -1 for a node or link.
func (g *structure) vc(v int32) int {
	if first := g.nodes + len(g.groups); int(v) >= first {
		return g.n.Topology().VC(g.used[int(v)-first])
	}
	return -1
}

// symmetry translates a mapping of the frame to that of another structure; it
// returns false if a link is not mapped to one like it.
func (g *structure) symmetry(into *structure, images []int32) (Symmetry, bool) {
	t := g.n.Topology()
	s := Identity(t)
	for v := range g.nodes {
		if images[v] >= int32(g.nodes) {
			return s, false
		}
		s.Nodes[v] = spec.NodeID(images[v])
	}
	channels := g.nodes + len(g.groups)
	for i, group := range g.groups {
		to := int(images[g.nodes+i])
		if to < g.nodes || to >= channels || len(into.groups[to-g.nodes].idle) != len(group.idle) {
			return s, false
		}
		for k, c := range group.idle {
			s.Channels[c] = into.groups[to-g.nodes].idle[k]
		}
	}
	for i, c := range g.used {
		to := int(images[channels+i])
		if to < channels {
			return s, false
		}
		s.Channels[c] = into.used[to-channels]
	}
	return s, true
}
