package p3

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/seed-105a2da2/unknot/spec"
)

// Settles decides: once all entries have been rewritten for one move, whatever
// the order was and wherever packets have got to meanwhile, the links do not
// wait for each other in a cycle. Then no packet is left behind: a cycle that
// closes while tables are half rewritten opens again.
//
// A packet can stand in a link only if some PE's entry, before or after, sent it
// there; what it waits for is the entry after. This holds for any number of
// packets and any size of buffers. Where the rule leaves no choice it is exact,
// with buffers of one packet: those that come by entries as before are sent, each
// straight into its link, before anything is rewritten, the others when all has
// been. Rewriting all entries for a target at once changes nothing of that.
func Settles(ctx context.Context, before, after *Plane, rule Rule) (Finding, error) {
	return settles(ctx, before, after, rule, afterwards)
}

// SettlesQuietly decides the same where no packet meets entries of either kind:
// each travels by the tables before the move or by those after, as if an entry
// waits until no packet for its target is on its way, and none is let in until
// all are rewritten; packets of both sorts, for different targets, are there at
// the same time. It is sufficient, not exact; see [Frontier].
func SettlesQuietly(ctx context.Context, before, after *Plane, rule Rule) (Finding, error) {
	return settles(ctx, before, after, rule, sorts)
}

func settles(ctx context.Context, before, after *Plane, rule Rule, m meeting) (Finding, error) {
	kinds, err := Kinds(ctx, before, after, rule)
	if err != nil {
		return Finding{}, err
	}
	w := m.waits(kinds)[0]
	cycle := w.shortest()
	if cycle == nil {
		return Finding{Verdict: spec.Holds, Because: "the waits of packets, wherever the tables may have put them, close no cycle",
			Evidence: []string{fmt.Sprintf("%d kinds of targets", len(kinds)), w.size()},
			Picture:  &Picture{Plane: after, Zones: 0, Loop: -1}}, nil
	}
	fi := w.finding(after, cycle)
	for i, a := range cycle {
		cell := w.why[[2]turning{a, cycle[(i+1)%len(cycle)]}]
		for k := range kinds {
			if cell == &kinds[k].Cell {
				fi.Evidence[i] += fmt.Sprintf(" (kind %d, of %s before and %s after)", k, before.Regions[kinds[k].Owner[0]].Name, before.Regions[kinds[k].Owner[1]].Name)
			}
		}
	}
	return fi, nil
}

// follow adds the waits of packets for one target, sent anywhere, that have come
// into a link by the entries of ways, and go on by those of waiting.
func (w *waits) follow(target *Cell, ways, waiting []uint32) {
	for pe, out := range ways {
		for ; out != 0; out &= out - 1 {
			a := turning{pe, bits.TrailingZeros32(out)}
			w.use(a)
			for to := waiting[a.to]; to != 0; to &= to - 1 {
				w.add(a, turning{a.to, bits.TrailingZeros32(to)}, target)
			}
		}
	}
}
