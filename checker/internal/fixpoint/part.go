package fixpoint

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
)

// part is a stretch of tables for the head/tail fixpoint, which one worker at a time
// works on. The vertices of its tables' row graphs have one numbering. A group goes by
// the number of its first vertex, and is clear when it waits for nothing.
type part struct {
	from, to  int      // its tables
	base      []int32  // by table, and one more: its first vertex
	first     []int32  // by vertex: the first of its group; nil if all groups are of one vertex
	waits     []int32  // by group: rows not resolved, and ways on into groups not clear
	waysAt    []uint32 // by vertex, and one more: the first of the ways into it
	ways      ways     // each by the group that it comes from
	sitesAt   []uint32 // by vertex, and one more: the first of its sites
	channels  []int32  // of those sites
	ofRow     []int32  // by row: the last vertex with it + 1, or 0
	nextOfRow []int32  // by vertex: the one before with the same row + 1, or 0
	cleared   []int32  // groups that are clear, and their predecessors do not know
}

// ways is a list that grows without moving.
type ways [][]int32

const chunk = 1 << 16 // of ways

func (w ways) at(i uint32) *int32 { return &w[i/chunk][i%chunk] }

// partsOf cuts the tables of n into parts of about equally many sites, a few for each worker.
func partsOf(n *spec.Network, workers int) []part {
	size := n.SiteCount()/(4*workers) + 1
	var parts []part
	for i, sites := 0, size; i < n.Tables(); i++ {
		if sites >= size {
			parts, sites = append(parts, part{from: i}), 0
		}
		parts[len(parts)-1].to = i + 1
		sites += firstSite(n, i+1) - firstSite(n, i)
	}
	return parts
}

// firstSite is the number of the first site of table i, or of all sites behind the last table.
func firstSite(n *spec.Network, i int) int {
	if i == n.Tables() {
		return n.SiteCount()
	}
	return n.Stored(i).First
}

// prepare makes the row graphs of the part's tables and finds what is clear from the start.
func (p *part) prepare(ctx context.Context, h *HeadTail, m *RowGraphs) error {
	p.channels = h.held[firstSite(h.net, p.from):firstSite(h.net, p.to)]
	p.base = make([]int32, 1, p.to-p.from+1)
	p.waysAt, p.sitesAt = []uint32{0}, []uint32{0}
	p.ofRow = make([]int32, h.net.RowCount())
	for i := p.from; i < p.to; i++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t := h.net.TableIn(&m.Table, i)
		g := m.Make(t)
		if i == p.from { // tables are mostly alike
			p.grow(min(len(p.channels), g.Len()*(p.to-p.from)))
		}
		h.tables[i].group = slices.Clone(g.Group)
		p.add(h, t, g)
	}
	return nil
}

// grow makes room for n more vertices.
func (p *part) grow(n int) {
	p.waits, p.nextOfRow = slices.Grow(p.waits, n), slices.Grow(p.nextOfRow, n)
	p.waysAt, p.sitesAt = slices.Grow(p.waysAt, n), slices.Grow(p.sitesAt, n)
}

func (p *part) add(h *HeadTail, t *spec.Table, g *RowGraph) {
	base := int32(len(p.waits))
	p.base = append(p.base, base+int32(g.Len()))
	if g.Group != nil && p.first == nil {
		p.first = graph.Identity[int32](int(base))
	}
	ways := p.waysAt[base]
	p.waysAt = append(p.waysAt, make([]uint32, g.Len())...)
	into := p.waysAt[base+1:] // first their number
	for i := range int32(g.Groups()) {
		lo, hi := bounds(g.Group, i)
		waits := int32(0)
		for v := lo; v < hi; v++ {
			r := g.Rows[v]
			if !h.resolved[r] {
				waits++
			}
			p.nextOfRow = append(p.nextOfRow, p.ofRow[r])
			p.ofRow[r] = base + v + 1
			for _, w := range g.Next(v) {
				if w < lo && p.waits[p.group(base+w)] > 0 {
					waits++
					into[w]++
				}
			}
		}
		for v := lo; v < hi; v++ {
			p.waits = append(p.waits, 0)
			if p.first != nil {
				p.first = append(p.first, base+lo)
			}
		}
		p.waits[base+lo] = waits
	}
	p.addWays(g, base, ways)
	p.addSites(h, t, g, base)
}

// addWays lists the ways into each vertex of a table, behind the first ones. Their numbers
// are where waysAt has them: it then holds the ends of the lists, which are the
// beginnings of the next.
func (p *part) addWays(g *RowGraph, base int32, sum uint32) {
	into := p.waysAt[base+1:]
	for v, n := range into {
		into[v], sum = sum, sum+n
	}
	for sum > uint32(len(p.ways))*chunk {
		p.ways = append(p.ways, make([]int32, chunk))
	}
	for i := range int32(g.Groups()) {
		lo, hi := bounds(g.Group, i)
		for v := lo; v < hi; v++ {
			for _, w := range g.Next(v) {
				if w < lo && p.waits[p.group(base+w)] > 0 {
					*p.ways.at(into[w]) = base + lo
					into[w]++
				}
			}
		}
	}
}

// addSites lists the channels of each vertex of a table, and counts those that are not clear.
func (p *part) addSites(h *HeadTail, t *spec.Table, g *RowGraph, base int32) {
	before := p.sitesAt[base]
	for v := range int32(g.Len()) {
		p.sitesAt = append(p.sitesAt, before+uint32(g.SiteFirst[v+1]))
		pending := p.waits[p.group(base+v)] > 0
		for j := g.SiteFirst[v]; j < g.SiteFirst[v+1]; j++ {
			c := t.Channels[g.Sites[j]]
			p.channels[before+uint32(j)] = int32(c)
			if pending {
				atomic.AddInt32(&h.pending[c], 1)
			}
		}
	}
}

func (p *part) group(v int32) int32 {
	if p.first == nil {
		return v
	}
	return p.first[v]
}

// resolve passes on that rows are resolved.
func (p *part) resolve(h *HeadTail, rows []int32) {
	for _, r := range rows {
		for v := p.ofRow[r] - 1; v >= 0; v = p.nextOfRow[v] - 1 {
			p.waitLess(p.group(v))
		}
		for len(p.cleared) > 0 {
			last := len(p.cleared) - 1
			g := p.cleared[last]
			p.cleared = p.cleared[:last]
			p.clear(h, g)
		}
	}
}

func (p *part) waitLess(group int32) {
	if p.waits[group]--; p.waits[group] == 0 {
		p.cleared = append(p.cleared, group)
	}
}

// clear tells the channels and the predecessors of a group that it is clear.
func (p *part) clear(h *HeadTail, group int32) {
	end := group + 1
	for p.first != nil && int(end) < len(p.first) && p.first[end] == group {
		end++
	}
	for _, c := range p.channels[p.sitesAt[group]:p.sitesAt[end]] {
		atomic.AddInt32(&h.pending[c], -1)
	}
	for i := p.waysAt[group]; i < p.waysAt[end]; i++ {
		p.waitLess(*p.ways.at(i))
	}
}

// finish keeps the rows of the vertices, and nothing else.
func (p *part) finish(h *HeadTail) {
	rows := p.waits // in their memory
	for r, v := range p.ofRow {
		for ; v > 0; v = p.nextOfRow[v-1] {
			rows[v-1] = int32(r)
		}
	}
	for i := p.from; i < p.to; i++ {
		h.tables[i].rows = rows[p.base[i-p.from]:p.base[i-p.from+1]]
	}
	*p = part{}
}
