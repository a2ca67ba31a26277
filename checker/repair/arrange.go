package repair

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
)

// arrangement is an order of the channels. It forbids the turns that lead back in it, which cuts every
// cycle. Moving one channel at a time, now and then some at random, leads to orders that forbid few
// (iterated local search for linear orderings: Schiavinotto and Stützle 2004).
type arrangement struct {
	g     *turnGraph
	into  [][]int32        // by channel: turns that end there
	order []spec.ChannelID // those with turns
	place []int            // by channel
	cost  int              // units forbidden
	work  int64            // turns examined
}

// arranged returns an order that forbids no turns but those given; nil if the others close a cycle.
func arranged(g *turnGraph, forbidden []bool) *arrangement {
	a := &arrangement{g: g, into: make([][]int32, len(g.next)), place: make([]int, len(g.next))}
	heights, acyclic := graph.Heights(g.without(forbidden))
	if !acyclic {
		return nil
	}
	for k, turn := range g.turns {
		a.into[turn[1]] = append(a.into[turn[1]], int32(k))
	}
	for c := range spec.ChannelID(len(g.next)) {
		if len(g.next[c])+len(a.into[c]) > 0 {
			a.order = append(a.order, c)
		}
	}
	slices.SortStableFunc(a.order, func(b, c spec.ChannelID) int { return int(heights[c]) - int(heights[b]) })
	a.set(a.order)
	return a
}

// set adopts an order.
func (a *arrangement) set(order []spec.ChannelID) {
	a.order = slices.Clone(order)
	for i, c := range order {
		a.place[c] = i
	}
	a.cost = 0
	for k, back := range a.forbidden() {
		if back {
			a.cost += len(a.g.units[k])
		}
	}
}

// forbidden returns the turns that lead back.
func (a *arrangement) forbidden() []bool {
	back := make([]bool, len(a.g.turns))
	for k, turn := range a.g.turns {
		back[k] = a.place[turn[0]] > a.place[turn[1]]
	}
	a.work += int64(len(back))
	return back
}

// move puts a channel in another place.
func (a *arrangement) move(c spec.ChannelID, to int) {
	from := a.place[c]
	a.order = slices.Insert(slices.Delete(a.order, from, from+1), to, c)
	for i := min(from, to); i <= max(from, to); i++ {
		a.place[a.order[i]] = i
	}
	a.work += int64(max(from, to)-min(from, to)) / 8
}

// sift puts a channel where the fewest units of its turns lead back, and reports whether that is fewer than before.
func (a *arrangement) sift(c spec.ChannelID) bool {
	type step struct{ place, more int } // from that place on, more units lead back
	var steps []step
	cost, now := 0, 0 // at the front, and where it stands
	for _, k := range a.into[c] {
		at, units := a.place[a.g.turns[k][0]], len(a.g.units[k])
		steps, cost = append(steps, step{at, -units}), cost+units
		if at > a.place[c] {
			now += units
		}
	}
	for _, k := range a.g.next[c] {
		at, units := a.place[a.g.turns[k][1]], len(a.g.units[k])
		steps = append(steps, step{at, units})
		if at < a.place[c] {
			now += units
		}
	}
	a.work += int64(len(steps))
	slices.SortFunc(steps, func(x, y step) int { return cmp.Or(x.place-y.place, y.more-x.more) }) // the cost between two steps at one place is never lower
	best, to := cost, 0
	for _, s := range steps {
		if cost += s.more; cost < best {
			best, to = cost, s.place+1
		}
	}
	if best >= now {
		return false
	}
	if to > a.place[c] {
		to-- // it leaves its place
	}
	a.move(c, to)
	a.cost += best - now
	return true
}

// settle moves channels until no move of one forbids fewer units, or ctx ends.
func (a *arrangement) settle(ctx context.Context) {
	for again := true; again; {
		again = false
		for _, c := range slices.Clone(a.order) {
			if ctx.Err() != nil {
				return
			}
			again = a.sift(c) || again
		}
	}
}

// inVain is the number of changes without success, per channel, after which the search stops.
const inVain = 64

// rearrange searches for orders that forbid fewer turns than the best repair, with half of the effort.
func (l *least) rearrange(ctx context.Context) {
	g := newTurnGraph(ctx, l.n.Topology().Channels(), l.units)
	without := make([]bool, len(g.turns))
	for k, units := range g.units {
		without[k] = !slices.ContainsFunc(units, func(u int32) bool { return !l.best[u] })
	}
	a := arranged(g, without)
	if a == nil || len(a.order) < 2 {
		return
	}
	random := rand.New(rand.NewPCG(1, 2)) // the same every time
	kept, cost, end := slices.Clone(a.order), a.cost, l.effort/2
	for left := inVain * len(a.order); left > 0 && l.effort > end && ctx.Err() == nil && l.bound(ctx) < l.cost; left-- {
		a.work = 0
		a.settle(ctx)
		switch {
		case a.cost >= l.cost:
		case !l.takes(ctx, a):
			a.cost = cost + 1
		}
		if a.cost < cost {
			left = inVain * len(a.order)
		}
		if a.cost <= cost {
			kept, cost = slices.Clone(a.order), a.cost
		} else {
			a.set(kept)
		}
		for range 2 + random.IntN(4) {
			a.move(a.order[random.IntN(len(a.order))], random.IntN(len(a.order)))
		}
		a.set(a.order)
		l.effort -= a.work + int64(len(a.order))
	}
}

// takes tries the turns that an order forbids.
func (l *least) takes(ctx context.Context, a *arrangement) bool {
	forbidden := make([]bool, len(l.units))
	for k, back := range a.forbidden() {
		for _, u := range a.g.units[k] {
			forbidden[u] = back
		}
	}
	clauses := l.try(ctx, forbidden, atOnce)
	for _, c := range clauses {
		l.require(c)
	}
	return len(clauses) == 0
}
