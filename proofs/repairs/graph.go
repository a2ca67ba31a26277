// Package repairs checks conditions that every repair of a network meets. A repair takes
// hops away, or spreads packets over copies of the VCs, so that all packets arrive,
// none can travel in a cycle, and ranks of the channels show freedom from deadlock (the
// certificates of package proofs). Hops that then lead nowhere go at no cost. Package
// untie looks for repairs; that none costs less is a proof from such conditions, in
// package refutation.
package repairs

import (
	"errors"

	"github.com/seed-105a2da2/unknot/spec"
)

// Graph is all tables of a network as one. Its vertices are, for each table, the sources,
// then the sites; its edges the hops from one to another. Of order the sites are the first
// VCs of all links, and every hop is permitted but those straight back.
//
// A unit is what a scheme forbids at once: of hops a hop, else the hops of all sites from
// one channel into another. Units are numbered in the order of the edges.
type Graph struct {
	Variables int       // see Meets
	Clauses   [][]int32 // that hold of every repair, in literals as in Meets

	scheme  string // turns, hops, order, layers or hop-index, as package untie describes them
	copies  int
	worms   bool // messages hold channels behind their heads
	edges   []edge
	first   []int32          // by vertex, and one more: its first edge
	channel []spec.ChannelID // by vertex
	arrives []bool           // by vertex: packets leave there
	turns   []edge           // by unit: from one channel into another
	leads   []bool           // by vertex: packets can leave from there, if nothing is forbidden
}

// edge is a hop from one vertex to another, or a turn from one channel into another.
type edge struct{ from, to, unit int32 }

const (
	free = -1      // the unit of hops that a scheme does not forbid
	most = 1 << 24 // edges and variables, of some 100 bytes each
)

// ErrTooLarge says that a network is too large for proofs about its repairs.
var ErrTooLarge = errors.New("the network is too large for a proof about repairs")

// New returns the graph of a network for a scheme, and for so many copies of the VCs where
// it makes copies.
func New(n *spec.Network, scheme string, copies int) (*Graph, error) {
	g := &Graph{scheme: scheme, copies: copies, worms: n.Switching() == spec.Wormhole}
	units := map[[2]spec.Site]int32{}
	for i := range n.Tables() {
		sites, hops := g.rows(n, n.Table(i))
		vertex := map[spec.Hop]int32{}
		for k, at := range sites {
			vertex[spec.Hop{Channel: at.Channel, Tag: at.Header.Tag}] = int32(len(g.channel) + k)
		}
		for k, at := range sites {
			g.first, g.arrives = append(g.first, int32(len(g.edges))), append(g.arrives, false)
			for _, h := range hops[k] {
				injects, u, key := at.Channel.IsInjection(), int32(free), [2]spec.Site{{Channel: at.Channel}, {Channel: h.Channel}}
				if h.Channel == spec.Eject { // of order, a packet may be there from the start
					g.arrives[len(g.channel)] = n.Topology().Head(at.Channel) == at.Header.Dest && (!injects || scheme == "order")
					continue
				}
				if scheme == "hops" {
					key[0].Header, key[1].Header.Tag = at.Header, h.Tag
				}
				if known := false; scheme == "hops" || !injects {
					if u, known = units[key]; !known {
						u = int32(len(g.turns))
						units[key], g.turns = u, append(g.turns, edge{int32(at.Channel), int32(h.Channel), u})
					}
				}
				g.edges = append(g.edges, edge{int32(len(g.channel)), vertex[h], u})
			}
			g.channel = append(g.channel, at.Channel)
		}
		if len(g.edges) > most {
			return nil, ErrTooLarge
		}
	}
	g.first = append(g.first, int32(len(g.edges)))
	_, g.leads = g.reach(g.edges)
	if g.Variables = len(g.turns); scheme == "layers" {
		g.Variables = (len(g.turns) + n.FlowCount()) * copies
	}
	if g.Variables > most || !g.share() {
		return nil, ErrTooLarge
	}
	return g, nil
}

// rows returns the sources and sites of a table with their hops.
func (g *Graph) rows(n *spec.Network, table *spec.Table) (sites []spec.Site, hops [][]spec.Hop) {
	t, header := n.Topology(), spec.Header{Dest: table.Dest, Class: table.Class}
	for _, s := range table.Sources {
		sites, hops = append(sites, spec.Site{Channel: spec.Injection(s.Node), Header: header}), append(hops, n.Row(s.Row))
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
		for _, l := range t.Out(t.Head(at.Channel)) {
			if at.Channel.IsInjection() || t.Link(l).To != t.Tail(at.Channel) {
				onward = append(onward, spec.Hop{Channel: t.Channel(l, 0)})
			}
		}
		hops = append(hops, onward)
	}
	return sites, hops
}

// reach returns the vertices to which some edges lead from where packets enter, and those
// from which they lead to where packets leave.
func (g *Graph) reach(edges []edge) (on, leads []bool) {
	on, leads = make([]bool, len(g.channel)), append([]bool{}, g.arrives...)
	for v, c := range g.channel {
		on[v] = c.IsInjection()
	}
	for again := true; again; {
		again = false
		for _, e := range edges {
			again = again || on[e.from] && !on[e.to] || leads[e.to] && !leads[e.from]
			on[e.to], leads[e.from] = on[e.to] || on[e.from], leads[e.from] || leads[e.to]
		}
	}
	return on, leads
}

// share says that the turns on the ways of a flow are on its copy. Copies are alike: the
// first flow has the first one, the second flow that or the second one, and so on. It is
// false if they are too many.
func (g *Graph) share() bool {
	seen, copies := make([]int32, len(g.channel)), int32(g.copies)
	for source, flow := int32(0), int32(0); int(source) < len(g.channel) && g.scheme == "layers" && len(g.Clauses) <= most; source++ {
		if !g.channel[source].IsInjection() {
			continue
		}
		of := (int32(len(g.turns)) + flow) * copies
		flow++
		var visit func(v int32)
		visit = func(v int32) {
			for _, e := range g.edges[g.first[v]:g.first[v+1]] {
				for copy := int32(0); g.leads[e.to] && e.unit != free && copy < copies; copy++ {
					g.Clauses = append(g.Clauses, []int32{2*(of+copy) + 1, 2 * (e.unit*copies + copy)})
				}
				if g.leads[e.to] && seen[e.to] < flow {
					seen[e.to] = flow
					visit(e.to)
				}
			}
		}
		visit(source)
		var some []int32
		for copy := range min(flow, copies) {
			some = append(some, 2*(of+copy))
		}
		g.Clauses = append(g.Clauses, some)
	}
	return len(g.Clauses) <= most
}
