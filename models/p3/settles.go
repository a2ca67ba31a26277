package p3

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/seed-105a2da2/unknot/spec"
)

// Settles decides: once all entries have been rewritten for one move, whatever
// the order was and wherever packets have got to meanwhile, the links do not
// wait for each other in a circle. Then no packet is left behind: a circle that
// closes while tables are half rewritten opens again.
//
// A packet can stand in a link only if some PE's entry, before or after, sent it
// there. So all links that it can reach by entries of either kind, mixed at
// will, are looked at, and from each the entries after the move. This holds for
// any number of packets and any size of buffers; it is not exact the other way:
// a circle may need packets that no order brings together.
func Settles(ctx context.Context, before, after *Plane, rule Rule) (Finding, error) {
	return settles(ctx, before, after, rule, false)
}

// SettlesQuietly decides the same where no packet meets entries of either kind:
// each travels by the tables before the move or by those after, as [Quiet]
// ensures, packets of both sorts at the same time.
func SettlesQuietly(ctx context.Context, before, after *Plane, rule Rule) (Finding, error) {
	return settles(ctx, before, after, rule, true)
}

func settles(ctx context.Context, before, after *Plane, rule Rule, quiet bool) (Finding, error) {
	kinds, err := Kinds(ctx, before, after, rule)
	if err != nil {
		return Finding{}, err
	}
	w := newWaits()
	number := map[*Cell]int{}
	places := 0
	for i := range kinds {
		k := &kinds[i]
		number[&k.Cell] = i
		if quiet {
			places += w.follow(&k.Cell, k.To[0], k.To[0])
			places += w.follow(&k.Cell, k.To[1], k.To[1])
			continue
		}
		either := make([]uint32, len(k.To[0]))
		for pe := range either {
			either[pe] = k.To[0][pe] | k.To[1][pe]
		}
		places += w.follow(&k.Cell, either, k.To[1])
	}
	circle := w.shortest()
	if circle == nil {
		return Finding{Verdict: spec.Holds, Because: "the waits of packets, wherever the tables may have put them, close no circle",
			Evidence: []string{fmt.Sprintf("%d kinds of targets, %d pairs of link and kind", len(kinds), places), w.size()},
			Picture:  &Picture{Plane: after, Zones: 0, Loop: -1}}, nil
	}
	fi := w.finding(after, circle)
	for i, a := range circle {
		k := number[w.why[[2]turning{a, circle[(i+1)%len(circle)]}]]
		fi.Evidence[i] += fmt.Sprintf(" (kind %d, of %s before and %s after)", k, before.Regions[kinds[k].Owner[0]].Name, before.Regions[kinds[k].Owner[1]].Name)
	}
	return fi, nil
}

// follow adds the waits of packets for one target, sent anywhere, that have come
// where they are by the entries of ways, and go on by those of waiting. It
// returns the number of links that they reach.
func (w *waits) follow(target *Cell, ways, waiting []uint32) int {
	seen := map[turning]bool{}
	var queue []turning
	reach := func(pe int) {
		for to := ways[pe]; to != 0; to &= to - 1 {
			if a := (turning{pe, bits.TrailingZeros32(to)}); !seen[a] {
				seen[a] = true
				queue = append(queue, a)
			}
		}
	}
	for pe := range ways {
		reach(pe)
	}
	for ; len(queue) > 0; queue = queue[1:] {
		a := queue[0]
		w.use(a)
		reach(a.to)
		for to := waiting[a.to]; to != 0; to &= to - 1 {
			w.add(a, turning{a.to, bits.TrailingZeros32(to)}, target)
		}
	}
	return len(seen)
}
