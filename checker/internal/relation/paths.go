package relation

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
)

// Paths is the relation of one table as a graph, forward and back, some of whose hops may be closed. Its vertices are
// first the sources, then the sites; its edges are the hops. Ejections at the destination, and discards, lead to Arrived;
// ejections at another node, which deliver to the wrong one, are left out. An edge is live if it is open and lies on a path of open
// edges from a source to Arrived. Closing more never makes an edge live.
type Paths struct {
	*spec.Table
	graph.Graph
	Hop  []spec.Hop // by edge
	From []int32    // by edge: the vertex where it begins

	// Of the last call of Open:
	Live []bool  // by edge
	By   []int32 // by vertex: the edge that reached it from a source, or AtSource, or Unseen
	Left []int32 // by vertex: hops to Arrived, or graph.Never

	fewer bool // Enter was called after Open: not all live edges begin at a vertex with By

	into *graph.Graph // by vertex: the edges that lead there
}

const (
	Arrived = -1 // in Paths.To

	AtSource = -1 // in Paths.By
	Unseen   = -2
)

// Place is a vertex of one of several tables.
type Place struct{ Table, Vertex int32 }

// Paths makes the graph of the table that is loaded.
func (w *Walk) Paths() *Paths {
	p := &Paths{Table: w.Table}
	add := func(row spec.RowID, at spec.ChannelID) {
		v := int32(len(p.Graph.First))
		p.Graph.First = append(p.Graph.First, uint32(len(p.To)))
		for _, h := range w.n.Row(row) {
			to := int32(Arrived)
			if h.Channel != spec.Eject {
				to = int32(len(p.Sources) + w.index.Site(h))
			} else if !h.Discards() && (at.IsInjection() || w.n.Topology().Head(at) != p.Dest) {
				continue
			}
			p.To, p.Hop, p.From = append(p.To, to), append(p.Hop, h), append(p.From, v)
		}
	}
	for i, src := range p.Sources {
		add(src.Row, p.SourceSite(i).Channel)
	}
	for s, row := range p.Rows {
		add(row, p.Channels[s])
	}
	p.Graph.First = append(p.Graph.First, uint32(len(p.To)))
	p.into = graph.Collect(p.Vertices(), func(add func(from, to int32)) {
		for e, to := range p.To {
			if to >= 0 {
				add(to, int32(e))
			}
		}
	})
	p.Live, p.By, p.Left = make([]bool, len(p.To)), make([]int32, p.Vertices()), make([]int32, p.Vertices())
	return p
}

// Vertices returns the number of sources and sites.
func (p *Paths) Vertices() int { return p.Graph.Len() }

// SiteNumber returns the site of a vertex; negative for a source.
func (p *Paths) SiteNumber(v int32) int { return int(v) - len(p.Sources) }

// VertexSite returns where a packet of a vertex is.
func (p *Paths) VertexSite(v int32) spec.Site {
	if s := p.SiteNumber(v); s >= 0 {
		return p.Site(s)
	}
	return p.SourceSite(int(v))
}

// EdgesInto returns the edges that lead to a vertex.
func (p *Paths) EdgesInto(v int32) []int32 { return p.into.Successors(v) }

// Enter finds anew, after Open, which vertices open edges lead to from the sources: of what Open finds, By alone.
// Linear.
func (p *Paths) Enter(open func(e int32) bool) {
	p.enter(open)
	p.fewer = true
}

func (p *Paths) enter(open func(e int32) bool) {
	queue := make([]int32, 0, p.Vertices())
	for v := range p.By {
		p.By[v] = Unseen
		if v < len(p.Sources) {
			p.By[v] = AtSource
			queue = append(queue, int32(v))
		}
	}
	for i := 0; i < len(queue); i++ {
		for e, end := p.Edges(queue[i]); e < end; e++ {
			if to := p.To[e]; to >= 0 && open(e) && p.By[to] == Unseen {
				p.By[to] = e
				queue = append(queue, to)
			}
		}
	}
}

// Open finds the live edges, given which edges are open. Linear.
func (p *Paths) Open(open func(e int32) bool) {
	p.enter(open)
	p.fewer = false
	queue := make([]int32, 0, p.Vertices())
	for v := range p.Left {
		p.Left[v] = graph.Never
	}
	for e, to := range p.To {
		if v := p.From[e]; to == Arrived && open(int32(e)) && p.Left[v] == graph.Never {
			p.Left[v] = 1
			queue = append(queue, v)
		}
	}
	for i := 0; i < len(queue); i++ {
		for _, e := range p.EdgesInto(queue[i]) {
			if v := p.From[e]; open(e) && p.Left[v] == graph.Never {
				p.Left[v] = p.Left[queue[i]] + 1
				queue = append(queue, v)
			}
		}
	}
	for e, to := range p.To {
		p.Live[e] = open(int32(e)) && p.By[p.From[e]] != Unseen && (to == Arrived || p.Left[to] < graph.Never)
	}
}

// IsLive reports whether a vertex has a live edge.
func (p *Paths) IsLive(v int32) bool { return p.By[v] != Unseen && p.Left[v] < graph.Never }

// Waits reports whether the packet of a vertex has to wait for channels.
func (p *Paths) Waits(v int32) bool {
	if !p.IsLive(v) {
		return false
	}
	for e, end := p.Edges(v); e < end; e++ {
		if p.Live[e] && p.To[e] == Arrived {
			return false
		}
	}
	return true
}

// EachNext calls f for the live edges of a vertex that lead to sites.
func (p *Paths) EachNext(v int32, f func(e, to int32)) {
	for e, end := p.Edges(v); e < end; e++ {
		if p.Live[e] && p.To[e] >= 0 {
			f(e, p.To[e])
		}
	}
}

// PathLength returns the hops of a shortest path from a source through a live vertex to Arrived.
func (p *Paths) PathLength(v int32) int {
	n := int(p.Left[v])
	for ; p.By[v] != AtSource; v = p.From[p.By[v]] {
		n++
	}
	return n
}

// Leftover returns the channels that the deletion fixpoint of the live edges leaves or, for worms, the head/tail
// fixpoint, for which the live edges of a table must be acyclic. It is Deletion and HeadTail for a relation that
// changes by edges, where sites share no rows. places are the sites, by channel. If ctx ends it leaves more, or is
// nil. Linear.
func Leftover(ctx context.Context, tables []*Paths, places [][]Place, worms bool) []bool {
	pending := make([]int32, len(places)) // by channel: sites not yet clear
	type state struct {
		waits bool  // for a channel that is not deleted
		ahead int32 // vertices not yet clear after live edges; of worms only
	}
	states := make([][]state, len(tables))
	var clear []Place
	for i := range tables {
		if ctx.Err() != nil {
			return nil
		}
		t := tables[i]
		states[i] = make([]state, t.Vertices())
		for v := int32(len(t.Sources)); v < int32(t.Vertices()); v++ {
			if !t.IsLive(v) {
				continue
			}
			s := &states[i][v]
			s.waits = t.Waits(v)
			if worms {
				t.EachNext(v, func(int32, int32) { s.ahead++ })
			}
			pending[t.Channels[t.SiteNumber(v)]]++
			if !s.waits && s.ahead == 0 {
				clear = append(clear, Place{int32(i), v})
			}
		}
	}
	left := make([]bool, len(places))
	for c := range left {
		left[c] = pending[c] > 0
	}
	each := func(p Place, f func(s *state)) { // before a vertex
		t := tables[p.Table]
		for _, e := range t.EdgesInto(p.Vertex) {
			v := t.From[e]
			if t.SiteNumber(v) < 0 || !t.Live[e] {
				continue
			}
			s := &states[p.Table][v]
			was := !s.waits && s.ahead == 0
			f(s)
			if !was && !s.waits && s.ahead == 0 {
				clear = append(clear, Place{p.Table, v})
			}
		}
	}
	if slices.ContainsFunc(tables, func(p *Paths) bool { return p.fewer }) {
		for c, of := range places {
			for _, q := range of {
				if pending[c] == 0 { // nothing enters, though live hops may lead there
					each(q, func(s *state) { s.waits = false })
				}
			}
		}
	}
	for len(clear) > 0 {
		p := clear[len(clear)-1]
		clear = clear[:len(clear)-1]
		t := tables[p.Table]
		if worms {
			each(p, func(s *state) { s.ahead-- })
		}
		c := t.Channels[t.SiteNumber(p.Vertex)]
		if pending[c]--; pending[c] > 0 {
			continue
		}
		left[c] = false
		if ctx.Err() != nil {
			break
		}
		for _, q := range places[c] {
			each(q, func(s *state) { s.waits = false })
		}
	}
	return left
}
