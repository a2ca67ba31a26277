package repair

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestArrangement: an order forbids no more at first than the set that it is made from. Its cost is that of
// what it forbids, which cuts every cycle, through any moves; a channel is sifted to a place as good as any.
func TestArrangement(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		channels := rapid.IntRange(2, 8).Draw(rt, "channels")
		g := &turnGraph{next: make([][]int32, channels)}
		for range rapid.IntRange(1, 20).Draw(rt, "turns") {
			a, b := spec.ChannelID(rapid.IntRange(0, channels-1).Draw(rt, "from")), spec.ChannelID(rapid.IntRange(0, channels-2).Draw(rt, "to"))
			if b >= a {
				b++
			}
			if slices.Contains(g.turns, [2]spec.ChannelID{a, b}) {
				continue
			}
			g.next[a] = append(g.next[a], int32(len(g.turns)))
			g.turns, g.units = append(g.turns, [2]spec.ChannelID{a, b}), append(g.units, make([]int32, rapid.IntRange(1, 3).Draw(rt, "units")))
		}
		cost := func(set []bool) (sum int) {
			for k, is := range set {
				if is {
					sum += len(g.units[k])
				}
			}
			return sum
		}
		any := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0)).Perm(channels)
		from := make([]bool, len(g.turns)) // what leads back in some order
		for k, turn := range g.turns {
			from[k] = any[turn[0]] > any[turn[1]]
		}
		a := newOrdering(g, from)
		if a == nil || a.cost > cost(from) {
			rt.Fatalf("%v of %v: %v", from, g.turns, a)
		}
		check := func() {
			if a.cost != cost(a.backTurns()) || newOrdering(g, a.backTurns()) == nil ||
				len(slices.Compact(slices.Sorted(slices.Values(a.order)))) != len(a.order) {
				rt.Fatalf("order %v forbids %v of %v, counted as %d", a.order, a.backTurns(), g.turns, a.cost)
			}
		}
		check()
		for range 4 {
			c := a.order[rapid.IntRange(0, len(a.order)-1).Draw(rt, "channel")]
			least := a.cost
			for to := range a.order {
				other := newOrdering(g, a.backTurns())
				other.setOrder(a.order)
				other.move(c, to)
				least = min(least, cost(other.backTurns()))
			}
			before := a.cost
			if moved := a.sift(c); a.cost != least || moved != (least < before) {
				rt.Fatalf("%v: channel %d sifted to cost %d, of at least %d", a.order, c, a.cost, least)
			}
			check()
		}
		before := a.cost
		if a.descend(t.Context()); a.cost > before {
			rt.Fatal(before, "became", a.cost)
		}
		check()
	})
}
