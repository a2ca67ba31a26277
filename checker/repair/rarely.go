package repair

import (
	"context"
	"math/rand/v2"
	"slices"
)

// Datelines by search.
//
// The turns that lead back in an order of the channels cut every cycle, and every minimal set that does so comes from
// such an order. Channels are sifted to where the turns that lead back weigh least; then turns that some packet crosses
// too often weigh more, and so on, until there is no such packet (breakout: Morris 1993).

const (
	inSearch = 1 << 10 // rounds for one copy fewer
	lightest = 4       // initial weight of a turn
	heaviest = 1 << 12
)

// rarely looks for sets that need fewer copies than the best one, until the effort is used up or ctx ends.
func (d *datelines) rarely(ctx context.Context, effort int64) {
	if d.best == nil || d.cost == 2 {
		return
	}
	g, units := *d.g, make([]int32, heaviest) // a turn has as many units as it weighs
	g.units = slices.Repeat([][]int32{units[:lightest]}, len(g.turns))
	a, c := arranged(&g, d.best), d.newCover(ctx)
	random := rand.New(rand.NewPCG(1, 2)) // the same every time
	for left := inSearch; left > 0 && d.cost > 2 && effort > 0 && ctx.Err() == nil; left-- {
		a.work = 0
		for again, times := true, 0; again && times < 3; times++ {
			again = false
			channels := slices.Clone(a.order)
			random.Shuffle(len(channels), func(i, k int) { channels[i], channels[k] = channels[k], channels[i] })
			for _, channel := range channels {
				again = a.sift(channel) || again
			}
		}
		set := a.forbidden()
		often := c.crossed(ctx, set, d.cost-1, func(k int32) { g.units[k] = units[:min(heaviest, len(g.units[k])+1)] })
		effort -= a.work + int64(d.hops)
		if often || ctx.Err() != nil {
			continue
		}
		d.try(ctx, set, d.cost-1)
		left = inSearch
	}
}

// crossed reports whether some path crosses a set that often, and calls f for the turns where it does, of one path of
// each table.
func (c *cover) crossed(ctx context.Context, set []bool, often int, f func(k int32)) (some bool) {
	for k, is := range set {
		c.left[k] = 0
		if is {
			c.left[k] = 1
		}
	}
	for i := range c.tables {
		if ctx.Err() != nil {
			break
		}
		v, turns := c.best(i)
		if turns < often {
			continue
		}
		some = true
		for t := &c.tables[i]; c.next[v] >= 0; v = t.to[c.next[v]] {
			if k := c.turn[t.unit[c.next[v]]]; set[k] {
				f(k)
			}
		}
	}
	return some
}
