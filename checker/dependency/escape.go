package dependency

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
)

// Escape returns the dependencies of the escape that a deadlock certificate
// describes: c -> d if some packet in c that has not arrived has d as its permitted
// hop of least rank (the first, if there are several). From any blocked packet,
// following such edges ends at one that can move.
func Escape(ctx context.Context, n *spec.Network, c *proofs.Certificate) ([]Edge, error) {
	if c == nil || c.Rank == nil {
		return nil, errors.New("the escape needs a certificate with ranks")
	}
	seen := map[Edge]bool{}
	for i := range n.Tables() {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		t := n.Table(i)
		for s, r := range t.Rows {
			hops := n.Row(r)
			if len(hops) == 0 || n.Leaves(r) {
				continue
			}
			least := hops[0].Channel
			for _, h := range hops[1:] {
				if c.Rank[h.Channel] < c.Rank[least] {
					least = h.Channel
				}
			}
			seen[Edge{t.Channels[s], least}] = true
		}
	}
	return slices.SortedFunc(maps.Keys(seen), compareEdges), nil
}
