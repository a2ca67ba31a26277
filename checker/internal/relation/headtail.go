package relation

import (
	"context"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/each"
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
// its unresolved rows and for its edges into groups that are not clear. Each wait
// ends once: a row is resolved when a channel is deleted, an edge when the group it
// leads into becomes clear. So the whole takes time linear in the hops, however
// many rounds there are. A channel is deleted when all its sites, in all tables,
// are clear.
//
// The round in which a site becomes clear is a lower bound for the ranks of what its message
// may hold: a channel on the way to the site has a site that is clear no sooner, and so a rank
// no lower. The certificate states this round: some hop of the site leads into a channel deleted before it.

// HeadTail is the head/tail fixpoint and, after Run, its result.
type HeadTail struct {
	Rank  []int32 // by channel: the round in which it was deleted, or Unranked
	Stuck int     // number of Unranked channels
	// Held is the round in which each site of the network becomes clear; nil if channels are Unranked.
	// Until then the parts use its memory.
	Held []int32

	usage    *Usage
	net      *spec.Network
	workers  int
	makers   []*RowGraphs // by worker
	parts    []part
	pending  []int32 // by channel: profiles with it, over all parts, that some site not yet clear has
	resolved []bool  // by row: arrived, a dead end, or some hop's channel is deleted
}

// HeadTail prepares the fixpoint. It calls look, which may be nil, with each table. Until it has run it
// takes, besides the tables, 4 bytes per site and some 12 per vertex of the row graphs.
func (u *Usage) HeadTail(ctx context.Context, workers int, look Look) (*HeadTail, error) {
	n := u.net
	h := &HeadTail{
		Held:     make([]int32, n.SiteCount()),
		usage:    u,
		net:      n,
		workers:  workers,
		makers:   make([]*RowGraphs, workers),
		parts:    partsOf(n, workers),
		pending:  make([]int32, n.Topology().Channels()),
		resolved: make([]bool, n.RowCount()),
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
				for _, r := range inRows.Next(int32(c)) {
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
	if h.Stuck > 0 {
		h.Held, h.parts = nil, nil
		return nil
	}
	return each.Do(ctx, h.workers, len(h.parts), func(worker, i int) error {
		h.parts[i].finish(h, worker)
		return nil
	})
}
