// Package repairs, internal to unknot, checks conditions that every repair of a network meets. A
// repair takes hops away, or spreads packets over copies of the VCs, so that all packets arrive,
// none can travel in a cycle, and ranks of the channels show freedom from deadlock (the
// certificates of package proofs). Removing the hops that then lead nowhere costs nothing. Package
// repair looks for repairs; that none costs less is a proof from such conditions, in package
// unsat.
package repairs

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Graph is all tables of a network as one. Its vertices are, for each table, the sources,
// then the sites; its edges the hops from one to another that lie on a path of some flow. For order, the sites
// are the first VCs of all links, and every hop is permitted but those straight back.
//
// A unit is what a scheme forbids at once: for hops, one hop; otherwise the hops of all sites from
// one channel into another. Units are numbered in the order of the hops, whether they lie on a path or not.
type Graph struct {
	Variables int // see Meets

	scheme        string // turns, hops, order, layers, hop-index or dateline, as package repair describes them
	copies        int
	worms         bool             // packets hold channels behind their heads
	channel       []spec.ChannelID // by vertex
	arrives       []bool           // by vertex: packets leave there
	out, into, of [][]edge         // by vertex, and by unit: edges that leave it, that lead to it, that are of it
	turns         []edge           // by unit: from one channel into another
	after         [][]edge         // by channel: turns on paths that leave it
	sources       []int32          // by flow: its vertex; by alternative, if the routing may drop all but one
	flow          []int32          // by vertex: the number of its flow, if it is a source
	bubbles       map[edge]bool    // those that need room for several packets
	stranded      bool             // a flow has no path
	marked        []bool           // by vertex; scratch
	placed        map[int32]bool   // flows, see places
	clauses       int              // that these brought
}

// edge is a hop from one vertex to another, or a turn from one channel into another.
type edge struct{ from, to, unit int32 }

const (
	free = -1      // the unit of hops that a scheme does not forbid
	most = 1 << 24 // edges, variables and clauses, of some 100 bytes each
)

// ErrTooLarge says that a network is too large for proofs about its repairs.
var ErrTooLarge = errors.New("the network is too large for a proof about repairs")

// New returns the graph of a network for a scheme, and for that many copies of the VCs where
// it makes copies. Linear in the hops of the network; of order, in its turns times its destinations. It ends with ctx.
func New(ctx context.Context, n *spec.Network, scheme string, copies int) (*Graph, error) {
	g := &Graph{
		scheme: scheme, copies: copies, worms: n.Switching() == spec.Wormhole, placed: map[int32]bool{}, bubbles: map[edge]bool{},
	}
	b := builder{g: g, n: n, units: map[[2]spec.ChannelID]int32{}}
	for i := range n.Tables() {
		b.table(n.Table(i))
		if len(b.edges) > most || ctx.Err() != nil {
			return nil, cmp.Or(ctx.Err(), ErrTooLarge)
		}
	}
	if g.Variables = len(g.turns); scheme == "layers" {
		g.Variables = (len(g.turns) + len(g.sources)) * copies
	}
	if g.Variables > most {
		return nil, ErrTooLarge
	}
	g.link(n.Topology().Channels(), b.edges, b.leaves)
	return g, nil
}

// builder is a graph that is being made, table by table.
type builder struct {
	g      *Graph
	n      *spec.Network
	units  map[[2]spec.ChannelID]int32 // the unit of each turn met so far, unless hops are units
	edges  []edge
	leaves []int32 // vertices at which a packet leaves the network
	flows  int32
}

// table adds the vertices and edges of one table.
func (b *builder) table(t *spec.Table) {
	g := b.g
	sites, hops := g.rows(b.n, t)
	vertex := map[spec.Hop]int32{}
	for k, at := range sites {
		vertex[spec.Hop{Channel: at.Channel, Tag: at.Header.Tag}] = int32(len(g.channel) + k)
	}
	for k, at := range sites {
		v := int32(len(g.channel))
		g.channel, g.arrives = append(g.channel, at.Channel), append(g.arrives, false)
		g.flow = append(g.flow, b.flows)
		if at.Channel.IsInjection() {
			g.sources = append(g.sources, v)
			if !b.n.ContinuesFlow(t, k+1) {
				b.flows++
			}
		}
		b.hops(v, at, hops[k], vertex)
	}
}

// hops adds the edges that lead from a vertex, and whether a packet may leave there.
func (b *builder) hops(v int32, at spec.Site, hops []spec.Hop, vertex map[spec.Hop]int32) {
	g, n, injects := b.g, b.n, at.Channel.IsInjection()
	var own map[spec.Hop]int32 // hops of this vertex as the routing permits them, each to all alternatives
	if g.scheme == "hops" && n.Alternatives() > 1 {
		own = map[spec.Hop]int32{}
	}
	for _, h := range hops {
		if h.Channel == spec.Eject { // of order, a packet may be there from the start
			g.arrives[v] = g.arrives[v] || h.Discards() ||
				n.Topology().Head(at.Channel) == at.Header.Dest && (!injects || g.scheme == "order")
			if g.arrives[v] {
				b.leaves = append(b.leaves, v)
			}
			continue
		}
		u, known, turn := int32(free), injects, [2]spec.ChannelID{at.Channel, h.Channel}
		if !known {
			u, known = b.units[turn]
		}
		as := spec.Hop{Channel: h.Channel, Tag: n.OwnTag(h.Tag)}
		if g.scheme == "hops" {
			u, known = own[as]
		}
		if !known {
			u = int32(len(g.turns))
			b.units[turn], g.turns = u, append(g.turns, edge{int32(at.Channel), int32(h.Channel), u})
			if own != nil {
				own[as] = u
			}
		}
		e := edge{v, vertex[spec.Hop{Channel: h.Channel, Tag: h.Tag}], u}
		if b.edges = append(b.edges, e); h.Room > 1 {
			g.bubbles[e] = true
		}
	}
}

// link lists the edges, but those that lie on no path.
func (g *Graph) link(channels int, edges []edge, leaves []int32) {
	vertices := len(g.channel)
	on, leads := make([]bool, vertices), make([]bool, vertices)
	spread(group(vertices, edges, edge.tail), edge.head, on, g.sources)
	spread(group(vertices, edges, edge.head), edge.tail, leads, leaves)
	edges = slices.DeleteFunc(edges, func(e edge) bool { return !on[e.from] || !leads[e.to] })
	g.out, g.into = group(vertices, edges, edge.tail), group(vertices, edges, edge.head)
	g.of = group(len(g.turns), edges, edge.what)
	routed := map[int32]bool{}
	for _, v := range g.sources {
		routed[g.flow[v]] = routed[g.flow[v]] || leads[v]
	}
	g.stranded = slices.ContainsFunc(g.sources, func(v int32) bool { return !routed[g.flow[v]] })
	g.marked = make([]bool, vertices)
	g.after = group(channels,
		slices.DeleteFunc(slices.Clone(g.turns), func(t edge) bool { return len(g.of[t.unit]) == 0 }), edge.tail)
}

// rows returns the sources and sites of a table with their hops.
func (g *Graph) rows(n *spec.Network, table *spec.Table) (sites []spec.Site, hops [][]spec.Hop) {
	t, header := n.Topology(), spec.Header{Dest: table.Dest, Class: table.Class}
	for i, s := range table.Sources {
		sites, hops = append(sites, table.SourceSite(i)), append(hops, n.Row(s.Row))
	}
	for s, row := range table.Rows {
		sites, hops = append(sites, table.Site(s)), append(hops, n.Row(row))
	}
	if g.scheme != "order" {
		return sites, hops
	}
	sites, hops = sites[:len(table.Sources)], nil
	for l := range spec.LinkID(t.Links()) {
		sites = append(sites, spec.Site{Channel: t.Channel(l, 0), Header: header})
	}
	for _, at := range sites {
		onward := []spec.Hop{{Channel: spec.Eject}}
		for _, l := range t.OutLinks(t.Head(at.Channel)) {
			if at.Channel.IsInjection() || t.Link(l).To != t.Tail(at.Channel) {
				onward = append(onward, spec.Hop{Channel: t.Channel(l, 0)})
			}
		}
		hops = append(hops, onward)
	}
	return sites, hops
}
