package fixpoint

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/each"
)

// RowGraph is what packets of one table can do next, with the sites that share
// a row taken as one vertex: they permit the same hops, so they have the same
// future. It is a quarter the size of the graph of sites on a torus with three
// VCs and two dimensions.
//
// Vertices are ordered successors first: every hop leads to a lower vertex, or
// stays within the vertex's group. A group is a set of vertices that lie on
// common cycles; without cycles every vertex is its own group.
type RowGraph struct {
	graph.Graph
	Rows  []spec.RowID // by vertex
	Group []int32      // starts of the groups of vertices, and Len(); nil if every vertex is its own group

	SiteFirst []int32 // sites of vertex v: Sites[SiteFirst[v]:SiteFirst[v+1]]
	Sites     []int32 // numbers within the table
}

// Groups returns the number of groups.
func (g *RowGraph) Groups() int { return groups(g.Group, g.Len()) }

func groups(group []int32, vertices int) int {
	if group == nil {
		return vertices
	}
	return len(group) - 1
}

// bounds returns the vertices lo <= v < hi of group i.
func bounds(group []int32, i int32) (lo, hi int32) {
	if group == nil {
		return i, i + 1
	}
	return group[i], group[i+1]
}

// RowGraphs makes the row graphs of tables, one after the other, all in the same
// memory: that of one worker.
type RowGraphs struct {
	Index  *spec.Index // loaded with the table of the last graph
	Table  spec.Table  // scratch, for a table that is stored in fragments
	Vertex []int32     // by site of that table: its vertex

	net        *spec.Network
	local      []int32 // by row: preliminary vertex + 1, or 0
	rows       []spec.RowID
	mark       []int32
	raw        graph.Graph
	made       RowGraph
	renamed    []int32
	fill       []int32
	components graph.Components
}

// EachTable calls f with the numbers of n's tables, side by side, and with what makes
// the row graphs of the worker that calls f.
func EachTable(ctx context.Context, n *spec.Network, workers int, f func(worker, table int, m *RowGraphs)) error {
	makers := make([]*RowGraphs, workers)
	return each.Do(ctx, workers, n.Tables(), func(worker, i int) error {
		f(worker, i, rowGraphsOf(n, makers, worker))
		return nil
	})
}

// rowGraphsOf returns the maker of a worker, made when first needed.
func rowGraphsOf(n *spec.Network, makers []*RowGraphs, worker int) *RowGraphs {
	if makers[worker] == nil {
		makers[worker] = NewRowGraphs(n)
	}
	return makers[worker]
}

// NewRowGraphs returns a maker of the row graphs of n's tables.
func NewRowGraphs(n *spec.Network) *RowGraphs {
	return &RowGraphs{Index: n.NewIndex(), net: n, local: make([]int32, n.RowCount())}
}

// Make returns the row graph of t, which is good until the next call. Linear in its
// sites and hops.
func (m *RowGraphs) Make(t *spec.Table) *RowGraph {
	m.Index.Load(t)
	m.rows = m.rows[:0]
	for _, r := range t.Rows {
		if m.local[r] == 0 {
			m.rows = append(m.rows, r)
			m.local[r] = int32(len(m.rows))
		}
	}
	raw := m.successors(t)
	m.components.Find(raw)
	g := m.order(raw)
	m.place(g, t)
	m.forget(m.rows)
	return g
}

func (m *RowGraphs) forget(rows []spec.RowID) {
	for _, r := range rows {
		m.local[r] = 0
	}
}

// successors is the graph in order of first appearance.
func (m *RowGraphs) successors(t *spec.Table) *graph.Graph {
	if len(m.mark) < len(m.rows) {
		m.mark = make([]int32, 2*len(m.rows))
	}
	clear(m.mark[:len(m.rows)])
	g := &m.raw
	g.First, g.To = append(g.First[:0], 0), g.To[:0]
	for v, r := range m.rows {
		for _, h := range m.net.Row(r) {
			if s := m.Index.Site(h); s >= 0 {
				w := m.local[t.Rows[s]] - 1
				if m.mark[w] != int32(v)+1 {
					m.mark[w] = int32(v) + 1
					g.To = append(g.To, w)
				}
			}
		}
		g.First = append(g.First, uint32(len(g.To)))
	}
	return g
}

// order renumbers the vertices by component, successors first.
func (m *RowGraphs) order(raw *graph.Graph) *RowGraph {
	n := raw.Len()
	g := &m.made
	g.Rows, g.Group = resize(g.Rows, n), nil
	m.renamed = resize(m.renamed, n)
	renamed := m.renamed
	old := m.components.Members
	for c := range int32(m.components.Count()) {
		slices.Sort(m.components.Component(c))
	}
	for w, v := range old {
		renamed[v] = int32(w)
		g.Rows[w] = m.rows[v]
	}
	g.First, g.To = append(g.First[:0], 0), g.To[:0]
	for _, v := range old {
		for _, x := range raw.Next(v) {
			g.To = append(g.To, renamed[x])
		}
		g.First = append(g.First, uint32(len(g.To)))
	}
	if m.components.Count() < n {
		g.Group = m.components.Bounds
	}
	for _, r := range m.rows {
		m.local[r] = renamed[m.local[r]-1] + 1
	}
	return g
}

// place lists the sites of each vertex.
func (m *RowGraphs) place(g *RowGraph, t *spec.Table) {
	m.Vertex, g.SiteFirst = resize(m.Vertex, t.Len()), resize(g.SiteFirst, g.Len()+1)
	clear(g.SiteFirst)
	for s, r := range t.Rows {
		v := m.local[r] - 1
		m.Vertex[s] = v
		g.SiteFirst[v+1]++
	}
	for v := range g.Len() {
		g.SiteFirst[v+1] += g.SiteFirst[v]
	}
	g.Sites, m.fill = resize(g.Sites, t.Len()), append(m.fill[:0], g.SiteFirst...)
	for s, v := range m.Vertex {
		g.Sites[m.fill[v]] = int32(s)
		m.fill[v]++
	}
}

// resize returns a slice of n elements, of s if there is room; what is in them means nothing.
func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
