package relation

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/each"
)

// RowGraph is what packets of one table can do next. Sites that share a row are one
// vertex: they permit the same hops, so they have the same future. On a torus with
// three VCs and two dimensions it is a quarter the size of the graph of sites.
//
// Vertices are ordered successors first: every hop leads to a lower vertex, or
// stays within the vertex's group. A group is a set of vertices that lie on
// common cycles; without cycles every vertex is its own group.
type RowGraph struct {
	graph.Graph
	Rows  []spec.RowID // by vertex
	Group []int32      // starts of the groups of vertices, and Len(); nil if every vertex is its own group

	Vertex []int32 // by site of the table
}

// Groups returns the number of groups.
func (g *RowGraph) Groups() int {
	if g.Group == nil {
		return g.Len()
	}
	return len(g.Group) - 1
}

// bounds returns the vertices lo <= v < hi of group i.
func (g *RowGraph) bounds(i int32) (lo, hi int32) {
	if g.Group == nil {
		return i, i + 1
	}
	return g.Group[i], g.Group[i+1]
}

// RowGraphs makes the row graphs of tables, one after the other, reusing the memory
// of one worker.
type RowGraphs struct {
	net   *spec.Network
	table spec.Table // scratch, for a table that is stored in fragments
	at    []int32    // by channel and tag: the vertex there, where the table has a site
	local []int32    // by row: vertex + 1, or 0
	made  RowGraph

	// Vertices in order of first appearance; at refers to these numbers until the final ones exist.
	rows    []spec.RowID
	renamed []int32 // the final number in made, or unasked, or onPath
	path    []leg
	mark    []int32 // by vertex: the last vertex found to lead there, + 1

	raw        graph.Graph
	components graph.Components
}

const (
	unasked = -1
	onPath  = -2
)

// leg is a vertex on the path of a search, and its hops still to be followed.
type leg struct {
	vertex int32
	hops   []spec.Hop
}

// EachTable calls look with each table of n and its row graph, in parallel; both are valid until it returns.
func EachTable(ctx context.Context, n *spec.Network, workers int, look Look) error {
	makers := make([]*RowGraphs, workers)
	return each.Do(ctx, workers, n.Tables(), func(worker, i int) error {
		t, g := makerOf(n, makers, worker).ofTable(i)
		look(worker, i, t, g)
		return nil
	})
}

// Look is called by a worker with a table and its row graph.
type Look func(worker, table int, t *spec.Table, g *RowGraph)

// makerOf returns the maker of a worker, creating it when first needed.
func makerOf(n *spec.Network, makers []*RowGraphs, worker int) *RowGraphs {
	if makers[worker] == nil {
		makers[worker] = NewRowGraphs(n)
	}
	return makers[worker]
}

// NewRowGraphs returns a maker of the row graphs of n's tables.
func NewRowGraphs(n *spec.Network) *RowGraphs {
	return &RowGraphs{net: n, at: make([]int32, n.Topology().Channels()*n.Tags()), local: make([]int32, n.RowCount())}
}

func (m *RowGraphs) ofTable(i int) (*spec.Table, *RowGraph) {
	t := m.net.TableIn(&m.table, i)
	return t, m.Make(t)
}

// Make returns the row graph of t, valid until the next call. It is linear in the sites
// and hops of t.
func (m *RowGraphs) Make(t *spec.Table) *RowGraph {
	m.load(t)
	g := &m.made
	g.Rows, g.First, g.To = g.Rows[:0], append(g.First[:0], 0), g.To[:0]
	if g.Group = nil; !m.follow(g) {
		m.order(g, m.successors())
	}
	for s, v := range g.Vertex {
		g.Vertex[s] = m.renamed[v]
	}
	return g
}

// load numbers the rows of t. It need not clear at: every hop leads to a site of its own table.
func (m *RowGraphs) load(t *spec.Table) {
	m.rows, m.made.Vertex = m.rows[:0], resize(m.made.Vertex, t.Len())
	tags, vertex := m.net.Tags(), m.made.Vertex
	for s, r := range t.Rows {
		v := m.local[r]
		if v == 0 {
			m.rows = append(m.rows, r)
			v = int32(len(m.rows))
			m.local[r] = v
		}
		vertex[s] = v - 1
		m.at[int(t.Channels[s])*tags+int(t.Tag(s))] = v - 1
	}
	for _, r := range m.rows {
		m.local[r] = 0
	}
	m.renamed, m.mark = resize(m.renamed, len(m.rows)), resize(m.mark, len(m.rows))
	for v := range m.renamed {
		m.renamed[v] = unasked
	}
	clear(m.mark)
}

// vertex returns the vertex that a hop other than Eject leads to.
func (m *RowGraphs) vertex(h spec.Hop) int32 {
	return m.at[int(h.Channel)*m.net.Tags()+int(h.Tag)]
}

// follow makes g depth first; false if there is a cycle. A vertex is numbered once those it leads to are.
func (m *RowGraphs) follow(g *RowGraph) bool {
	for root := range int32(len(m.rows)) {
		if m.renamed[root] >= 0 {
			continue
		}
		m.path = append(m.path[:0], m.begin(root))
		for len(m.path) > 0 {
			at := &m.path[len(m.path)-1]
			next := int32(-1)
			for i, h := range at.hops {
				w := m.vertex(h)
				if m.renamed[w] == onPath {
					return false
				}
				if m.renamed[w] == unasked {
					next, at.hops = w, at.hops[i+1:]
					break
				}
			}
			if next >= 0 {
				m.path = append(m.path, m.begin(next))
				continue
			}
			m.end(g, at.vertex)
			m.path = m.path[:len(m.path)-1]
		}
	}
	return true
}

func (m *RowGraphs) begin(v int32) leg {
	m.renamed[v] = onPath
	return leg{v, m.onward(v)}
}

// onward returns the hops of a vertex except those out of the network.
func (m *RowGraphs) onward(v int32) []spec.Hop {
	hops := m.net.Row(m.rows[v])
	for len(hops) > 0 && hops[0].Channel == spec.Eject {
		hops = hops[1:]
	}
	return hops
}

// end adds vertex v to g.
func (m *RowGraphs) end(g *RowGraph, v int32) {
	g.Rows = append(g.Rows, m.rows[v])
	m.renamed[v] = int32(len(g.Rows)) - 1
	for _, h := range m.onward(v) {
		if w := m.vertex(h); m.mark[w] != v+1 {
			m.mark[w] = v + 1
			g.To = append(g.To, m.renamed[w])
		}
	}
	g.First = append(g.First, uint32(len(g.To)))
}

// successors is the graph in order of first appearance.
func (m *RowGraphs) successors() *graph.Graph {
	clear(m.mark)
	g := &m.raw
	g.First, g.To = append(g.First[:0], 0), g.To[:0]
	for v := range int32(len(m.rows)) {
		for _, h := range m.onward(v) {
			if w := m.vertex(h); m.mark[w] != v+1 {
				m.mark[w] = v + 1
				g.To = append(g.To, w)
			}
		}
		g.First = append(g.First, uint32(len(g.To)))
	}
	return g
}

// order makes g from the raw graph: vertices by component, successors first.
func (m *RowGraphs) order(g *RowGraph, raw *graph.Graph) {
	m.components.Find(raw)
	for c := range int32(m.components.Count()) {
		slices.Sort(m.components.Component(c))
	}
	old := m.components.Members
	g.Rows, g.First, g.To = g.Rows[:0], g.First[:1], g.To[:0]
	for w, v := range old {
		m.renamed[v] = int32(w)
		g.Rows = append(g.Rows, m.rows[v])
	}
	for _, v := range old {
		for _, x := range raw.Successors(v) {
			g.To = append(g.To, m.renamed[x])
		}
		g.First = append(g.First, uint32(len(g.To)))
	}
	g.Group = m.components.Bounds
}

// resize returns a slice of n elements, reusing the memory of s; their values are arbitrary.
func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// HopsLeft fills in, by site of the table of g, how many hops a packet may still make: without cycles those of the
// longest path, which every hop lowers; with a cycle those of the shortest path out of the network, or graph.Never.
// Sites with the same row have the same future. It reports whether a packet can return to a site. paths is scratch,
// by vertex. Linear in the sites and edges.
func (g *RowGraph) HopsLeft(n *spec.Network, paths, left []int32) (cyclic bool) {
	if cyclic = g.Group != nil; cyclic {
		var out []int32
		for v, r := range g.Rows {
			if n.Leaves(r) {
				out = append(out, int32(v))
			}
		}
		paths, _ = g.Reverse().Distances(paths, out, nil)
	} else {
		for v := range int32(g.Len()) { // successors first
			most := int32(0)
			for _, w := range g.Successors(v) {
				most = max(most, paths[w]+1)
			}
			paths[v] = most
		}
	}
	for s, v := range g.Vertex {
		left[s] = paths[v]
	}
	return cyclic
}
