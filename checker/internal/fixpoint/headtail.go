package fixpoint

import (
	"context"
	"sync/atomic"

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

// HeadTail computes the fixpoint. rank is the round in which a channel was
// deleted, or Unranked; stuck counts the latter. round is called after every
// round with the number of channels deleted so far; it may be nil.
func (u *Usage) HeadTail(ctx context.Context, workers int, round func(deleted int)) (rank []int32, stuck int, err error) {
	n := u.net
	h := &headTail{
		net:      n,
		tables:   make([]tableState, n.Tables()),
		pending:  make([]int32, n.Topology().Channels()),
		resolved: make([]bool, n.RowCount()),
	}
	if err := h.prepare(ctx, workers); err != nil {
		return nil, 0, err
	}
	rank = make([]int32, len(h.pending))
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
			return nil, 0, err
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
			stuck++
		}
	}
	return rank, stuck, nil
}

type headTail struct {
	net      *spec.Network
	tables   []tableState
	pending  []int32 // by channel: sites not clear
	resolved []bool  // by row: arrived, a dead end, or some hop's channel is deleted
}

// tableState is what a table needs from round to round.
type tableState struct {
	rows     *RowGraph
	channels []spec.ChannelID // by position in rows.Sites
	clear    []bool           // by vertex
	active   []int32          // groups not clear, ascending: successors first
}

func (h *headTail) prepare(ctx context.Context, workers int) error {
	for r := range h.resolved {
		h.resolved[r] = !Waits(h.net, spec.RowID(r))
	}
	return EachTable(ctx, h.net, workers, func(_, i int, m *RowGraphs) {
		t := h.net.Table(i)
		g := m.Make(t)
		s := tableState{rows: g, channels: make([]spec.ChannelID, len(g.Sites)), clear: make([]bool, g.Len()), active: make([]int32, g.Groups())}
		for j, site := range g.Sites {
			s.channels[j] = t.Channels[site]
			atomic.AddInt32(&h.pending[t.Channels[site]], 1)
		}
		g.Sites = nil // the channels are all that the rounds need
		for j := range s.active {
			s.active[j] = int32(j)
		}
		h.tables[i] = s
	})
}

func (h *headTail) sweep(s *tableState) {
	still := s.active[:0]
	for _, i := range s.active {
		lo, hi := s.rows.Bounds(i)
		if !h.isClear(s, lo, hi) {
			still = append(still, i)
			continue
		}
		for v := lo; v < hi; v++ {
			s.clear[v] = true
		}
		for _, c := range s.channels[s.rows.SiteFirst[lo]:s.rows.SiteFirst[hi]] {
			atomic.AddInt32(&h.pending[c], -1)
		}
	}
	s.active = still
}

// isClear reports whether every vertex of a group is resolved and leads to
// clear vertices or within the group.
func (h *headTail) isClear(s *tableState, lo, hi int32) bool {
	for v := lo; v < hi; v++ {
		if !h.resolved[s.rows.Rows[v]] {
			return false
		}
		for _, w := range s.rows.Next(v) {
			if w < lo && !s.clear[w] {
				return false
			}
		}
	}
	return true
}

// Held returns, by site of the whole network, the least rank of a channel that
// a message may occupy when its head stands there: over all ways from a source,
// the channels on the way and the site's own.
func Held(ctx context.Context, n *spec.Network, workers int, rank []int32) ([]int32, error) {
	held := make([]int32, n.SiteCount())
	err := EachTable(ctx, n, workers, func(_, i int, m *RowGraphs) {
		t := n.Table(i)
		g := m.Make(t)
		mine := held[t.First : t.First+t.Len()]
		for i, c := range t.Channels {
			mine[i] = rank[c]
		}
		for i := int32(g.Groups()) - 1; i >= 0; i-- { // predecessors first
			lo, hi := g.Bounds(i)
			for again := true; again; {
				again = false
				for v := lo; v < hi; v++ {
					if passOn(n, m.Index, g, v, mine) && hi-lo > 1 {
						again = true
					}
				}
			}
		}
	})
	return held, err
}

// passOn lowers what is held at the successors of vertex v to what is held at
// v, and reports whether that changed anything.
func passOn(n *spec.Network, index *spec.Index, g *RowGraph, v int32, held []int32) bool {
	least := int32(1<<31 - 1)
	for _, s := range g.SitesOf(v) {
		least = min(least, held[s])
	}
	changed := false
	for _, hop := range n.Row(g.Rows[v]) {
		if s := index.Site(hop); s >= 0 && held[s] > least {
			held[s] = least
			changed = true
		}
	}
	return changed
}
