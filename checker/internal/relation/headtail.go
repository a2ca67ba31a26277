package relation

import (
	"context"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/each"
)

// The head/tail fixpoint for wormhole switching.
//
// A blocked packet is stretched over channels from its tail to its head. Start
// from all channels and delete a channel as soon as no packet that occupies it
// can have a blocked head: every site downstream of its own sites (itself
// included) has arrived, is a dead end, or permits a hop into a channel deleted
// in an earlier round. If all channels go, the rounds are ranks, and no set of
// packets can block each other: proofs.ExtendedEscape says why.
//
// The deletion is monotone, so it finds ranks whenever there are any: it
// succeeds exactly if some routing subfunction has an acyclic extended channel
// dependency graph.
//
// Call a site clear when all of its future is resolved in the sense above; a
// group of vertices on common cycles becomes clear together. A group waits for
// its unresolved rows and for its edges into groups that are not clear. Each wait
// ends once: a row is resolved when a channel is deleted, an edge when the group it
// leads into becomes clear. So the whole takes time linear in the hops, however
// many rounds there are. A channel is deleted when all its sites, in all tables,
// are clear.
//
// The round in which a site becomes clear is a lower bound for the ranks of what its packet
// may hold: a channel on the way to the site has a site that is clear no sooner, and so a rank
// no lower. The certificate states this round: some hop of the site leads into a channel deleted before it.

// HeadTail is the head/tail fixpoint and, after Run, its result.
type HeadTail struct {
	Rank  []int32 // by channel: the round in which it was deleted, or Unranked
	Stuck int     // number of Unranked channels
	// Held is the round in which each site of the network becomes clear; nil if it was not asked for, or if channels are
	// Unranked. Until then the parts use its memory.
	Held []int32

	usage    *Usage
	net      *spec.Network
	workers  int
	makers   []*RowGraphs // by worker
	parts    []part
	pending  []int32 // by channel: profiles with it, over all parts, that some site not yet clear has
	resolved []bool  // by row: arrived, a dead end, or some hop's channel is deleted
}

// HeadTail prepares the fixpoint. It calls look, which may be nil, with each table; held asks for Held. Until it has run
// it takes, besides the tables, some 12 bytes per vertex of the row graphs and 4 per edge, or more with Held, which takes
// 4 bytes per site.
func (u *Usage) HeadTail(ctx context.Context, workers int, held bool, look Look) (*HeadTail, error) {
	n := u.net
	h := &HeadTail{
		usage:    u,
		net:      n,
		workers:  workers,
		makers:   make([]*RowGraphs, workers),
		parts:    partsOf(n, workers),
		pending:  make([]int32, n.Topology().Channels()),
		resolved: make([]bool, n.RowCount()),
	}
	if held {
		h.Held = make([]int32, n.SiteCount())
	}
	for r := range h.resolved {
		h.resolved[r] = !Waits(n, spec.RowID(r))
	}
	err := each.Do(ctx, workers, len(h.parts), func(worker, i int) error {
		return h.parts[i].prepare(ctx, h, worker, look)
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// Run computes the fixpoint; call it once. It calls round, which may be nil, after every round
// with the number of channels deleted so far.
func (h *HeadTail) Run(ctx context.Context, round func(deleted int)) error {
	h.Rank = make([]int32, len(h.pending))
	for c := range h.Rank {
		if h.usage.Used[c] {
			h.Rank[c] = Unranked
			h.Stuck++
		}
	}
	inRows := h.usage.rowsInto()
	var fresh []int32 // rows resolved in this round
	for now := int32(0); ; now++ {
		before := h.Stuck
		fresh = fresh[:0]
		for c := range h.Rank {
			if h.Rank[c] == Unranked && h.pending[c] == 0 {
				h.Rank[c] = now
				h.Stuck--
				for _, r := range inRows.Successors(int32(c)) {
					if !h.resolved[r] {
						h.resolved[r] = true
						fresh = append(fresh, r)
					}
				}
			}
		}
		if round != nil {
			round(len(h.Rank) - h.Stuck)
		}
		if h.Stuck == before {
			break
		}
		err := each.Do(ctx, h.workers, len(h.parts), func(_, i int) error {
			h.parts[i].resolve(h, fresh, now+1)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if h.Stuck > 0 || h.Held == nil {
		h.Held, h.parts = nil, nil
		return nil
	}
	return each.Do(ctx, h.workers, len(h.parts), func(worker, i int) error {
		h.parts[i].finish(h, worker)
		return nil
	})
}

// part is a range of tables for the head/tail fixpoint; one worker at a time works on it.
// The vertices of its tables' row graphs are numbered consecutively. A group is named by
// its first vertex, and is clear when it waits for nothing.
type part struct {
	from, to int      // its tables
	base     []int32  // by table, plus one: its first vertex
	vertices []vertex // of all its tables
	first    []int32  // by vertex: the first of its group; nil if every group is one vertex
	// two per vertex, plus two: the previous vertex with the same row + 1, or 0; the first of the edges into it
	links    cells
	edges    cells   // each names the group it comes from
	ofRow    []int32 // by row: the last vertex with it + 1, or 0
	room     []int32 // the part of Held that cells may use; nil if there is none
	profiles profiles
	cleared  []int32 // groups that are clear but whose predecessors have not been told

	into  []uint32 // scratch, by vertex of a table
	ends  []int32
	sites []spec.ChannelID
}

// vertex is a vertex of a row graph.
type vertex struct {
	// waits counts, at the first vertex of a group, its unresolved rows and its edges into groups that
	// are not clear. Once there are none, it is minus the round in which the group became clear.
	waits   int32
	profile int32
}

// cells is a list that grows without moving, in chunks of 1<<log.
type cells struct {
	chunks [][]int32
	log    int
}

func (l *cells) cell(i uint32) *int32 { return &l.chunks[i>>(l.log&31)][i&(1<<(l.log&31)-1)] }

// partsOf cuts the tables of n into parts with about equally many sites, a few for each worker.
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

// firstSite is the number of the first site of table i; after the last table, the number of all sites.
func firstSite(n *spec.Network, i int) int {
	if i == n.Tables() {
		return n.SiteCount()
	}
	return n.Stored(i).First
}

// prepare makes the row graphs of the part's tables and finds the groups that are clear from the start.
func (p *part) prepare(ctx context.Context, h *HeadTail, worker int, look Look) error {
	from, to := firstSite(h.net, p.from), firstSite(h.net, p.to)
	sites := to - from
	if h.Held != nil {
		p.room = h.Held[from:to]
	}
	p.links.log = min(max(bits.Len(uint(sites))-5, 1), 14)
	p.edges.log = p.links.log
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
		if i == p.from { // tables are mostly alike in size
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
	p.into = resize(p.into, g.Len()) // first holds the number of edges
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
				*p.links.cell(2 * uint32(base+v)) = p.ofRow[r]
				p.ofRow[r] = base + v + 1
			}
			for _, w := range g.Successors(v) {
				if w < lo && p.waits(base+w) {
					waits++
					p.into[w]++
				}
			}
		}
		p.vertices[base+lo].waits = waits
	}
	p.addEdges(g, base)
	p.addSites(h, t, g, base)
}

// addEdges appends the edges into each vertex of a table.
func (p *part) addEdges(g *RowGraph, base int32) {
	sum := uint32(0)
	if base > 0 {
		sum = p.firstEdge(base)
	}
	for v, n := range p.into {
		*p.links.cell(2*uint32(base+int32(v)) + 1) = int32(sum)
		p.into[v], sum = sum, sum+n
	}
	*p.links.cell(2*uint32(base+int32(g.Len())) + 1) = int32(sum)
	p.reserve(&p.edges, sum)
	for i := range int32(g.Groups()) {
		lo, hi := g.bounds(i)
		for v := lo; v < hi; v++ {
			for _, w := range g.Successors(v) {
				if w < lo && p.waits(base+w) {
					*p.edges.cell(p.into[w]) = base + lo
					p.into[w]++
				}
			}
		}
	}
}

func (p *part) firstEdge(v int32) uint32 { return uint32(*p.links.cell(2*uint32(v) + 1)) }

// addSites finds the profiles of a table's vertices and counts the vertices that are not clear.
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

// list sets p.sites to the channels of all vertices, vertex by vertex, and returns where each vertex's end.
func (p *part) list(t *spec.Table, g *RowGraph) (ends []int32) {
	p.ends, p.sites = resize(p.ends, g.Len()+1), resize(p.sites, t.Len())
	clear(p.ends)
	for _, v := range g.Vertex {
		p.ends[v+1]++
	}
	for v := range g.Len() { // first, where each begins
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

// resolve propagates that rows were resolved in a round, and clears the groups that wait for nothing then.
func (p *part) resolve(h *HeadTail, rows []int32, round int32) {
	for _, r := range rows {
		for v := p.ofRow[r] - 1; v >= 0; v = *p.links.cell(2 * uint32(v)) - 1 {
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

// clear marks a group as clear, and updates its channels and predecessors.
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
	for i := p.firstEdge(group); i < p.firstEdge(end); i++ {
		p.waitLess(*p.edges.cell(i))
	}
}

// finish copies the rounds of the vertices to their sites and frees everything else.
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

// profiles are the distinct lists of channels that the sites of one vertex lie in. Most vertices keep theirs from
// table to table, so profiles are far fewer, and a channel is told once when no vertex with a profile waits.
type profiles struct {
	all      []profile
	channels []spec.ChannelID
	ofRow    []int32 // by row: the profile found last + 1, or 0
}

type profile struct {
	row         spec.RowID
	first, last int32 // its channels
	before      int32 // the profile of the same row found before + 1, or 0
	waiting     int32 // vertices that are not clear
}

func (s *profiles) of(q *profile) []spec.ChannelID { return s.channels[q.first:q.last] }

// find returns the number of a profile, adding it unless it is among the few that its row used last. Duplicates
// are harmless.
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
