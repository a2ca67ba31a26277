package fixpoint

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/each"
)

// The head/tail fixpoint for wormhole switching.
//
// A blocked message is stretched over channels from its tail to its head. Start
// from all channels and delete a channel as soon as no message that occupies it
// can have a blocked head: every site downstream of its own sites (itself
// included) has arrived, is a dead end, or permits a hop into a channel deleted
// in an earlier round. If all channels go, the rounds are ranks, and no set of
// messages can block each other: proofs.ExtendedEscape says why.
//
// The deletion is monotone, so it finds ranks whenever there are any: it
// succeeds exactly if some routing subfunction has an acyclic extended channel
// dependency graph.
//
// Call a site clear when all of its future is resolved in the sense above.
// Within a table one sweep over the vertices, successors first, finds all that
// have become clear; a group of vertices on common cycles becomes clear
// together. A channel is deleted when all its sites, over all tables, are clear.

// HeadTail is what the head/tail fixpoint leaves.
type HeadTail struct {
	Rank  []int32 // by channel: the round in which it was deleted, or Unranked
	Stuck int     // channels that are Unranked

	net      *spec.Network
	tables   []tableState
	pending  []int32 // by channel: sites not clear
	resolved []bool  // by row: arrived, a dead end, or some hop's channel is deleted
	// held is what Held returns. Until then it keeps the channels of each table's
	// sites, in the order of vertices: there is a number for each site in either.
	held []int32
}

// tableState is what a table needs from round to round.
type tableState struct {
	rows      []spec.RowID // by vertex, see RowGraph
	group     []int32
	next      graph.Graph
	siteFirst []int32
	channels  []int32  // by position in RowGraph.Sites
	clear     []uint64 // by vertex, a bit each; set behind the last one
}

func (s *tableState) isClear(v int32) bool { return s.clear[v/64]>>(v%64)&1 == 1 }

// HeadTail computes the fixpoint. round is called after every round with the number of
// channels deleted so far; it may be nil. Beside the tables it takes 4 bytes a site, and
// some 20 a vertex of the row graphs until it returns.
func (u *Usage) HeadTail(ctx context.Context, workers int, round func(deleted int)) (*HeadTail, error) {
	n := u.net
	h := &HeadTail{
		net:      n,
		tables:   make([]tableState, n.Tables()),
		pending:  make([]int32, n.Topology().Channels()),
		resolved: make([]bool, n.RowCount()),
		held:     make([]int32, n.SiteCount()),
	}
	if err := h.prepare(ctx, workers); err != nil {
		return nil, err
	}
	rank := make([]int32, len(h.pending))
	for c := range rank {
		rank[c] = Unranked
		if h.pending[c] == 0 { // no site is ever there
			rank[c] = 0
		}
	}
	inRows := u.rowsInto()
	deleted := 0
	for now := int32(0); ; now++ {
		err := each.Do(ctx, workers, n.Tables(), func(_, i int) error {
			h.sweep(&h.tables[i])
			return nil
		})
		if err != nil {
			return nil, err
		}
		before := deleted
		for c := range rank {
			if rank[c] == Unranked && h.pending[c] == 0 {
				rank[c] = now
				deleted++
				for _, r := range inRows.Next(int32(c)) {
					h.resolved[r] = true
				}
			}
		}
		if round != nil {
			round(deleted)
		}
		if deleted == before {
			break
		}
	}
	for _, r := range rank {
		if r == Unranked {
			h.Stuck++
		}
	}
	for i, s := range h.tables { // Held needs no more
		h.tables[i] = tableState{rows: s.rows, group: s.group}
	}
	h.Rank = rank
	return h, nil
}

func (h *HeadTail) prepare(ctx context.Context, workers int) error {
	for r := range h.resolved {
		h.resolved[r] = !Waits(h.net, spec.RowID(r))
	}
	return EachTable(ctx, h.net, workers, func(_, i int, m *RowGraphs) {
		t := h.net.Table(i)
		g := m.Make(t)
		s := tableState{
			rows: slices.Clone(g.Rows), group: slices.Clone(g.Group), next: graph.Graph{First: slices.Clone(g.First), To: slices.Clone(g.To)},
			siteFirst: slices.Clone(g.SiteFirst), channels: h.held[t.First : t.First+t.Len()], clear: make([]uint64, (g.Len()+63)/64),
		}
		if rest := g.Len() % 64; rest > 0 {
			s.clear[len(s.clear)-1] = ^uint64(0) << rest // there are no such vertices
		}
		for j, site := range g.Sites {
			s.channels[j] = int32(t.Channels[site])
			atomic.AddInt32(&h.pending[t.Channels[site]], 1)
		}
		h.tables[i] = s
	})
}

// sweep finds what has become clear, successors first.
func (h *HeadTail) sweep(s *tableState) {
	if s.group != nil {
		for i := range int32(len(s.group)) - 1 {
			if lo, hi := bounds(s.group, i); !s.isClear(lo) && h.isClear(s, lo, hi) {
				h.clear(s, lo, hi)
			}
		}
		return
	}
	for i, word := range s.clear {
		for left := ^word; left != 0; left &= left - 1 {
			if v := int32(i*64 + bits.TrailingZeros64(left)); h.isClear(s, v, v+1) {
				h.clear(s, v, v+1)
			}
		}
	}
}

// clear marks the vertices of a group, whose sites are in the way of no channel any more.
func (h *HeadTail) clear(s *tableState, lo, hi int32) {
	for v := lo; v < hi; v++ {
		s.clear[v/64] |= 1 << (v % 64)
	}
	for _, c := range s.channels[s.siteFirst[lo]:s.siteFirst[hi]] {
		atomic.AddInt32(&h.pending[c], -1)
	}
}

// isClear reports whether every vertex of a group is resolved and leads to
// clear vertices or within the group.
func (h *HeadTail) isClear(s *tableState, lo, hi int32) bool {
	for v := lo; v < hi; v++ {
		if !h.resolved[s.rows[v]] {
			return false
		}
		for _, w := range s.next.Next(v) {
			if w < lo && !s.isClear(w) {
				return false
			}
		}
	}
	return true
}

// Held returns, by site of the whole network, the least rank of a channel that
// a message may occupy when its head stands there: over all ways from a source,
// the channels on the way and the site's own. It is called once.
func (h *HeadTail) Held(ctx context.Context, workers int) ([]int32, error) {
	err := EachTable(ctx, h.net, workers, func(_, i int, m *RowGraphs) {
		t := h.net.Table(i)
		w := m.passing(t, h.tables[i].rows, h.Rank, h.held[t.First:t.First+t.Len()])
		group := h.tables[i].group
		for i := int32(groups(group, len(w.rows))) - 1; i >= 0; i-- { // predecessors first
			lo, hi := bounds(group, i)
			for again := true; again; {
				again = false
				for v := lo; v < hi; v++ {
					if w.passOn(v) && hi-lo > 1 {
						again = true
					}
				}
			}
		}
		m.forget(w.rows)
	})
	return h.held, err
}

// passing is what is held at the sites of one table, passed on from hop to hop.
type passing struct {
	*RowGraphs
	t     *spec.Table
	rows  []spec.RowID // by vertex
	held  []int32      // by site
	least []int32      // by vertex: of its sites
}

// passing begins with the rank of each site's own channel.
func (m *RowGraphs) passing(t *spec.Table, rows []spec.RowID, rank, held []int32) *passing {
	m.Index.Load(t)
	m.fill = resize(m.fill, len(rows))
	for v, r := range rows {
		m.local[r], m.fill[v] = int32(v)+1, math.MaxInt32
	}
	for s, c := range t.Channels {
		v := m.local[t.Rows[s]] - 1
		held[s] = rank[c]
		m.fill[v] = min(m.fill[v], held[s])
	}
	return &passing{m, t, rows, held, m.fill}
}

// passOn lowers what is held at the successors of vertex v to what is held at
// v, and reports whether that changed anything.
func (w *passing) passOn(v int32) bool {
	changed, least := false, w.least[v]
	for _, hop := range w.net.Row(w.rows[v]) {
		if s := w.Index.Site(hop); s >= 0 && w.held[s] > least {
			to := w.local[w.t.Rows[s]] - 1
			w.held[s], w.least[to] = least, min(w.least[to], least)
			changed = true
		}
	}
	return changed
}
