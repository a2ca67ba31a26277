package fixpoint

import (
	"context"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
)

// part is a stretch of tables for the head/tail fixpoint, which one worker at a time
// works on. The vertices of its tables' row graphs have one numbering. A group goes by
// the number of its first vertex, and is clear when it waits for nothing.
type part struct {
	from, to int      // its tables
	base     []int32  // by table, and one more: its first vertex
	vertices []vertex // of all its tables
	first    []int32  // by vertex: the first of its group; nil if all groups are of one vertex
	links    cells    // two a vertex, and two more: the vertex before with the same row + 1, or 0; the first of the ways into it
	ways     cells    // each by the group that it comes from
	ofRow    []int32  // by row: the last vertex with it + 1, or 0
	room     []int32  // that Held has for cells
	profiles profiles
	cleared  []int32 // groups that are clear, and their predecessors do not know

	into  []uint32 // scratch, by vertex of a table
	ends  []int32
	sites []spec.ChannelID
}

// vertex is one of a row graph.
type vertex struct {
	// waits is of the first of a group: rows not resolved, and ways on into groups not clear. If there
	// are none it is the round from which on the group is clear, less than 0 or 0.
	waits   int32
	profile int32
}

// cells is a list that grows without moving, by chunks of 1<<log.
type cells struct {
	chunks [][]int32
	log    int
}

func (l *cells) at(i uint32) *int32 { return &l.chunks[i>>(l.log&31)][i&(1<<(l.log&31)-1)] }

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
func (p *part) prepare(ctx context.Context, h *HeadTail, worker int, look Look) error {
	p.room = h.Held[firstSite(h.net, p.from):firstSite(h.net, p.to)]
	sites := len(p.room)
	p.links.log = min(max(bits.Len(uint(sites))-5, 1), 14)
	p.ways.log = p.links.log
	p.base = make([]int32, 1, p.to-p.from+1)
	p.ofRow, p.profiles.ofRow = make([]int32, h.net.RowCount()), make([]int32, h.net.RowCount())
	for i := p.from; i < p.to; i++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t, g := makerOf(h.net, h.makers, worker).ofTable(i)
		if look != nil {
			look(worker, i, t, g)
		}
		if i == p.from { // tables are mostly alike
			p.vertices = make([]vertex, 0, min(sites, g.Len()*(p.to-p.from)))
		}
		p.add(h, t, g)
	}
	return nil
}

// reserve makes room for n cells.
func (p *part) reserve(l *cells, n uint32) {
	for chunk := 1 << l.log; uint32(len(l.chunks))<<l.log < n; {
		if len(p.room) < chunk {
			l.chunks = append(l.chunks, make([]int32, chunk))
			continue
		}
		l.chunks, p.room = append(l.chunks, p.room[:chunk]), p.room[chunk:]
	}
}

func (p *part) add(h *HeadTail, t *spec.Table, g *RowGraph) {
	base := int32(len(p.vertices))
	p.base = append(p.base, base+int32(g.Len()))
	if g.Group != nil && p.first == nil {
		p.first = graph.Identity[int32](int(base))
	}
	p.reserve(&p.links, 2*(uint32(base)+uint32(g.Len())+1))
	p.into = resize(p.into, g.Len()) // first the number of ways
	clear(p.into)
	for i := range int32(g.Groups()) {
		lo, hi := g.bounds(i)
		waits := int32(0)
		for v := lo; v < hi; v++ {
			p.vertices = append(p.vertices, vertex{})
			if p.first != nil {
				p.first = append(p.first, base+lo)
			}
			if r := g.Rows[v]; !h.resolved[r] {
				waits++
				*p.links.at(2 * uint32(base+v)) = p.ofRow[r]
				p.ofRow[r] = base + v + 1
			}
			for _, w := range g.Next(v) {
				if w < lo && p.waits(base+w) {
					waits++
					p.into[w]++
				}
			}
		}
		p.vertices[base+lo].waits = waits
	}
	p.addWays(g, base)
	p.addSites(h, t, g, base)
}

// addWays lists the ways into each vertex of a table, behind those of the tables before.
func (p *part) addWays(g *RowGraph, base int32) {
	sum := uint32(0)
	if base > 0 {
		sum = p.firstWay(base)
	}
	for v, n := range p.into {
		*p.links.at(2*uint32(base+int32(v)) + 1) = int32(sum)
		p.into[v], sum = sum, sum+n
	}
	*p.links.at(2*uint32(base+int32(g.Len())) + 1) = int32(sum)
	p.reserve(&p.ways, sum)
	for i := range int32(g.Groups()) {
		lo, hi := g.bounds(i)
		for v := lo; v < hi; v++ {
			for _, w := range g.Next(v) {
				if w < lo && p.waits(base+w) {
					*p.ways.at(p.into[w]) = base + lo
					p.into[w]++
				}
			}
		}
	}
}

func (p *part) firstWay(v int32) uint32 { return uint32(*p.links.at(2*uint32(v) + 1)) }

// addSites finds the profiles of a table's vertices, and counts those that are not clear.
func (p *part) addSites(h *HeadTail, t *spec.Table, g *RowGraph, base int32) {
	ends := p.list(t, g)
	first := int32(0)
	for v, end := range ends {
		channels := p.sites[first:end]
		first = end
		i := p.profiles.find(g.Rows[v], channels)
		p.vertices[base+int32(v)].profile = i
		if p.waits(base + int32(v)) {
			if p.profiles.all[i].waiting++; p.profiles.all[i].waiting == 1 {
				for _, c := range channels {
					atomic.AddInt32(&h.pending[c], 1)
				}
			}
		}
	}
}

// list makes p.sites the channels of each vertex, and returns where they end.
func (p *part) list(t *spec.Table, g *RowGraph) (ends []int32) {
	p.ends, p.sites = resize(p.ends, g.Len()+1), resize(p.sites, t.Len())
	clear(p.ends)
	for _, v := range g.Vertex {
		p.ends[v+1]++
	}
	for v := range g.Len() { // first where they begin
		p.ends[v+1] += p.ends[v]
	}
	for s, v := range g.Vertex {
		p.sites[p.ends[v]] = t.Channels[s]
		p.ends[v]++
	}
	return p.ends[:g.Len()]
}

func (p *part) group(v int32) int32 {
	if p.first == nil {
		return v
	}
	return p.first[v]
}

// waits reports that the group of vertex v is not clear.
func (p *part) waits(v int32) bool { return p.vertices[p.group(v)].waits > 0 }

// resolve passes on that rows are resolved; what is clear then is so from a round on.
func (p *part) resolve(h *HeadTail, rows []int32, round int32) {
	for _, r := range rows {
		for v := p.ofRow[r] - 1; v >= 0; v = *p.links.at(2 * uint32(v)) - 1 {
			p.waitLess(p.group(v))
		}
		for len(p.cleared) > 0 {
			last := len(p.cleared) - 1
			g := p.cleared[last]
			p.cleared = p.cleared[:last]
			p.clear(h, g, round)
		}
	}
}

func (p *part) waitLess(group int32) {
	if p.vertices[group].waits--; p.vertices[group].waits == 0 {
		p.cleared = append(p.cleared, group)
	}
}

// clear tells the channels and the predecessors of a group that it is clear.
func (p *part) clear(h *HeadTail, group, round int32) {
	p.vertices[group].waits = -round
	end := group
	for again := true; again; again = p.first != nil && int(end) < len(p.first) && p.first[end] == group {
		if q := &p.profiles.all[p.vertices[end].profile]; q.waiting > 1 {
			q.waiting--
		} else {
			q.waiting = 0
			for _, c := range p.profiles.of(q) {
				atomic.AddInt32(&h.pending[c], -1)
			}
		}
		end++
	}
	for i := p.firstWay(group); i < p.firstWay(end); i++ {
		p.waitLess(*p.ways.at(i))
	}
}

// finish says of the sites what is known of the vertices, and forgets all else.
func (p *part) finish(h *HeadTail, worker int) {
	m := makerOf(h.net, h.makers, worker)
	for i := p.from; i < p.to; i++ {
		t := h.net.TableIn(&m.table, i)
		for v := p.base[i-p.from]; v < p.base[i-p.from+1]; v++ {
			m.local[p.profiles.all[p.vertices[v].profile].row] = -p.vertices[p.group(v)].waits
		}
		for s, r := range t.Rows {
			h.Held[t.First+s] = m.local[r]
		}
	}
	*p = part{}
}

// profiles are the different lists of channels in which the sites of a vertex are. From one table to the next
// most vertices keep theirs, so there are far fewer, and channels are told once that no vertex with one waits.
type profiles struct {
	all      []profile
	channels []spec.ChannelID
	ofRow    []int32 // by row: the profile that was found last + 1, or 0
}

type profile struct {
	row         spec.RowID
	first, last int32 // its channels
	before      int32 // of the same row, found before; + 1, or 0
	waiting     int32 // vertices that are not clear
}

func (s *profiles) of(q *profile) []spec.ChannelID { return s.channels[q.first:q.last] }

// find returns the number of a profile, which is added if it is none of the few that its row had last: it
// does not matter if it stands there twice.
func (s *profiles) find(r spec.RowID, channels []spec.ChannelID) int32 {
	const few = 8
	last := &s.ofRow[r]
	for i, n := last, 0; *i > 0 && n < few; n++ {
		q := &s.all[*i-1]
		if slices.Equal(s.of(q), channels) {
			found := *i
			*i = q.before // to the front
			q.before, *last = *last, found
			return found - 1
		}
		i = &q.before
	}
	first := int32(len(s.channels))
	s.channels = append(s.channels, channels...)
	s.all = append(s.all, profile{r, first, int32(len(s.channels)), *last, 0})
	*last = int32(len(s.all))
	return *last - 1
}
