package fixpoint

import (
	"context"
	"math"

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
// Call a site clear when all of its future is resolved in the sense above; a
// group of vertices on common cycles becomes clear together. A group waits for
// its rows that are not resolved and for its ways on into groups that are not
// clear, and each of these ends once: a row when a channel is deleted, a way when
// the group behind it becomes clear. So the whole takes time linear in the hops,
// however many rounds there are. A channel is deleted when all its sites, over
// all tables, are clear.

// HeadTail is what the head/tail fixpoint leaves.
type HeadTail struct {
	Rank  []int32 // by channel: the round in which it was deleted, or Unranked
	Stuck int     // channels that are Unranked

	net      *spec.Network
	parts    []part
	tables   []tableState
	pending  []int32 // by channel: sites not clear
	resolved []bool  // by row: arrived, a dead end, or some hop's channel is deleted
	// held is what Held returns. Until then it keeps the channels of each table's
	// sites, in the order of vertices: there is a number for each site in either.
	held []int32
}

// tableState is what Held needs of a table.
type tableState struct {
	rows  []int32 // by vertex, see RowGraph
	group []int32
}

// HeadTail computes the fixpoint. round is called after every round with the number of
// channels deleted so far; it may be nil. Beside the tables it takes 4 bytes a site, and
// some 25 a vertex of the row graphs until it returns.
func (u *Usage) HeadTail(ctx context.Context, workers int, round func(deleted int)) (*HeadTail, error) {
	n := u.net
	h := &HeadTail{
		net:      n,
		parts:    partsOf(n, workers),
		tables:   make([]tableState, n.Tables()),
		pending:  make([]int32, n.Topology().Channels()),
		resolved: make([]bool, n.RowCount()),
		held:     make([]int32, n.SiteCount()),
	}
	for r := range h.resolved {
		h.resolved[r] = !Waits(n, spec.RowID(r))
	}
	makers := make([]*RowGraphs, workers)
	err := each.Do(ctx, workers, len(h.parts), func(worker, i int) error {
		return h.parts[i].prepare(ctx, h, rowGraphsOf(n, makers, worker))
	})
	if err != nil {
		return nil, err
	}
	rank := make([]int32, len(h.pending))
	for c := range rank {
		rank[c] = Unranked
		if !u.Used[c] {
			rank[c] = 0
		}
	}
	inRows := u.rowsInto()
	var fresh []int32 // rows that this round resolves
	deleted := 0
	for now := int32(0); ; now++ {
		before := deleted
		fresh = fresh[:0]
		for c := range rank {
			if rank[c] == Unranked && h.pending[c] == 0 {
				rank[c] = now
				deleted++
				for _, r := range inRows.Next(int32(c)) {
					if !h.resolved[r] {
						h.resolved[r] = true
						fresh = append(fresh, r)
					}
				}
			}
		}
		if round != nil {
			round(deleted)
		}
		if deleted == before {
			break
		}
		err := each.Do(ctx, workers, len(h.parts), func(_, i int) error {
			h.parts[i].resolve(h, fresh)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for _, r := range rank {
		if r == Unranked {
			h.Stuck++
		}
	}
	h.Rank = rank
	return h, each.Do(ctx, workers, len(h.parts), func(_, i int) error {
		h.parts[i].finish(h)
		return nil
	})
}

// Held returns, by site of the whole network, the least rank of a channel that
// a message may occupy when its head stands there: over all ways from a source,
// the channels on the way and the site's own. It is called once.
func (h *HeadTail) Held(ctx context.Context, workers int) ([]int32, error) {
	err := EachTable(ctx, h.net, workers, func(_, i int, m *RowGraphs) {
		t := h.net.TableIn(&m.Table, i)
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
		for _, r := range w.rows {
			m.local[r] = 0
		}
	})
	return h.held, err
}

// passing is what is held at the sites of one table, passed on from hop to hop.
type passing struct {
	*RowGraphs
	t     *spec.Table
	rows  []int32 // by vertex
	held  []int32 // by site
	least []int32 // by vertex: of its sites
}

// passing begins with the rank of each site's own channel.
func (m *RowGraphs) passing(t *spec.Table, rows, rank, held []int32) *passing {
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
	for _, hop := range w.net.Row(spec.RowID(w.rows[v])) {
		if s := w.Index.Site(hop); s >= 0 && w.held[s] > least {
			to := w.local[w.t.Rows[s]] - 1
			w.held[s], w.least[to] = least, min(w.least[to], least)
			changed = true
		}
	}
	return changed
}
