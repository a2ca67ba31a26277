package repair

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/topology/updown"
)

// Orders of the nodes.
//
// Package updown proves that it suffices to forbid turns from down to up. Those that close no cycle are then permitted
// again, among them the turns that finer classes permit, such as those of L-turn routing (Koibuchi et al. 2001).

// turnsUp reports whether a turn leads from a down link to an up link.
func turnsUp(t *spec.Topology, o updown.Order, at, to spec.ChannelID) bool {
	up := func(c spec.ChannelID) bool { return o.IsUp(t.Link(t.LinkOf(c))) }
	return !up(at) && up(to)
}

// turnGraph is the dependency graph with the units of each edge.
type turnGraph struct {
	turns [][2]spec.ChannelID
	units [][]int32 // By turn
	next  [][]int32 // by channel: turns that begin there
}

// newTurnGraph omits units if ctx ends.
func newTurnGraph(ctx context.Context, channels int, units []unit) *turnGraph {
	g := &turnGraph{next: make([][]int32, channels)}
	number := map[[2]spec.ChannelID]int{}
	for u, x := range units {
		if ctx.Err() != nil {
			break
		}
		if x.at.Channel.IsInjection() {
			continue
		}
		turn := [2]spec.ChannelID{x.at.Channel, x.hop.Channel}
		k, known := number[turn]
		if !known {
			k = len(g.turns)
			number[turn] = k
			g.turns, g.units = append(g.turns, turn), append(g.units, nil)
			g.next[turn[0]] = append(g.next[turn[0]], int32(k))
		}
		g.units[k] = append(g.units[k], int32(u))
	}
	return g
}

// graphWithout returns the graph of the turns that are not in a set.
func (g *turnGraph) graphWithout(set []bool) *graph.Graph {
	return graph.Collect(len(g.next), func(add func(from, to int32)) {
		for k, turn := range g.turns {
			if !set[k] {
				add(int32(turn[0]), int32(turn[1]))
			}
		}
	})
}

// cycle returns the turns of a short cycle among those not yet used.
func (g *turnGraph) cycle(used []bool) []int32 {
	cycle, _ := graph.ShortestCycle(g.graphWithout(used), 1<<16)
	var turns []int32
	for i, c := range cycle {
		for _, k := range g.next[c] {
			if g.turns[k][1] == spec.ChannelID(cycle[(i+1)%len(cycle)]) && !used[k] {
				turns = append(turns, k)
				break
			}
		}
	}
	return turns
}

// cycleClauses returns a bounded number of clauses against cycles that no turn of a set cuts; fewer if ctx ends.
func (g *turnGraph) cycleClauses(ctx context.Context, set []bool, most int) (clauses [][]sat.Literal) {
	used := slices.Clone(set)
	for len(clauses) < most && ctx.Err() == nil {
		cycle := g.cycle(used)
		if cycle == nil {
			break
		}
		var clause []sat.Literal
		for _, k := range cycle {
			used[k] = true
			clause = append(clause, sat.Yes(k))
		}
		clauses = append(clauses, clause)
	}
	return clauses
}

// thinTurns permits turns again that close no cycle, in order, until ctx ends.
func (g *turnGraph) thinTurns(ctx context.Context, forbidden []bool) {
	seen := make([]int32, len(g.next))
	for u, is := range forbidden {
		if !is {
			continue
		}
		if ctx.Err() != nil {
			return
		}
		if !g.reaches(g.turns[u][1], g.turns[u][0], forbidden, seen, int32(u)+1) {
			forbidden[u] = false
		}
	}
}

// reaches reports whether a path of permitted turns leads from one channel to another.
func (g *turnGraph) reaches(from, to spec.ChannelID, forbidden []bool, seen []int32, mark int32) bool {
	queue := []spec.ChannelID{from}
	seen[from] = mark
	for i := 0; i < len(queue); i++ {
		if queue[i] == to {
			return true
		}
		for _, u := range g.next[queue[i]] {
			if c := g.turns[u][1]; !forbidden[u] && seen[c] != mark {
				seen[c] = mark
				queue = append(queue, c)
			}
		}
	}
	return false
}

// tryOrders tries, for each order, those turns from down to up that are needed to cut cycles.
func (l *hittingSet) tryOrders(ctx context.Context) {
	t := l.n.Topology()
	g := newTurnGraph(ctx, t.Channels(), l.units)
	enough := l.effort / 2
	for o := range updown.Orders(t) {
		if ctx.Err() != nil || l.best != nil && l.effort < enough {
			return
		}
		turns := make([]bool, len(g.turns))
		for k, turn := range g.turns {
			turns[k] = turnsUp(t, o, turn[0], turn[1])
		}
		l.effort -= int64(count(turns) * len(turns) / 8)
		g.thinTurns(ctx, turns)
		forbidden := make([]bool, len(l.units))
		for k, is := range turns {
			for _, u := range g.units[k] {
				forbidden[u] = is
			}
		}
		for _, c := range l.try(ctx, forbidden, clausesPerTrial) {
			l.require(c)
		}
	}
}

// ordering is an order of the channels. It forbids the turns that lead back in it, which cuts every
// cycle. Moving one channel at a time, and occasionally several at random, leads to orders that forbid few
// (iterated local search for linear orderings: Schiavinotto and Stützle 2004).
type ordering struct {
	g     *turnGraph
	into  [][]int32        // by channel: turns that end there
	order []spec.ChannelID // those with turns
	place []int            // by channel
	cost  int              // units forbidden
	work  int64            // turns examined
}

// newOrdering returns an order that forbids no turns but those given; nil if the others close a cycle.
func newOrdering(g *turnGraph, forbidden []bool) *ordering {
	a := &ordering{g: g, into: make([][]int32, len(g.next)), place: make([]int, len(g.next))}
	heights, acyclic := graph.Heights(g.graphWithout(forbidden))
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
	a.setOrder(a.order)
	return a
}

// setOrder adopts an order.
func (a *ordering) setOrder(order []spec.ChannelID) {
	a.order = slices.Clone(order)
	for i, c := range order {
		a.place[c] = i
	}
	a.cost = 0
	for k, back := range a.backTurns() {
		if back {
			a.cost += len(a.g.units[k])
		}
	}
}

// backTurns returns the turns that lead back.
func (a *ordering) backTurns() []bool {
	back := make([]bool, len(a.g.turns))
	for k, turn := range a.g.turns {
		back[k] = a.place[turn[0]] > a.place[turn[1]]
	}
	a.work += int64(len(back))
	return back
}

// move puts a channel in another place.
func (a *ordering) move(c spec.ChannelID, to int) {
	from := a.place[c]
	a.order = slices.Insert(slices.Delete(a.order, from, from+1), to, c)
	for i := min(from, to); i <= max(from, to); i++ {
		a.place[a.order[i]] = i
	}
	a.work += int64(max(from, to)-min(from, to)) / 8
}

// sift puts a channel where the fewest units of its turns lead back, and reports whether that is fewer than before.
func (a *ordering) sift(c spec.ChannelID) bool {
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
	// the cost between two steps at one place is never lower
	slices.SortFunc(steps, func(x, y step) int { return cmp.Or(x.place-y.place, y.more-x.more) })
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

// descend moves channels until no move of one forbids fewer units, or ctx ends.
func (a *ordering) descend(ctx context.Context) {
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

// mostFailures is the number of changes without success, per channel, after which the search stops.
const mostFailures = 64

// improveOrdering searches for orders that forbid fewer turns than the best repair, with half of the effort.
func (l *hittingSet) improveOrdering(ctx context.Context) {
	g := newTurnGraph(ctx, l.n.Topology().Channels(), l.units)
	without := make([]bool, len(g.turns))
	for k, units := range g.units {
		without[k] = !slices.ContainsFunc(units, func(u int32) bool { return !l.best[u] })
	}
	a := newOrdering(g, without)
	if a == nil || len(a.order) < 2 {
		return
	}
	random := rand.New(rand.NewPCG(1, 2)) // the same every time
	kept, cost, end := slices.Clone(a.order), a.cost, l.effort/2
	left := mostFailures * len(a.order)
	for ; left > 0 && l.effort > end && ctx.Err() == nil && l.bound(ctx) < l.cost; left-- {
		a.work = 0
		a.descend(ctx)
		switch {
		case a.cost >= l.cost:
		case !l.tryOrdering(ctx, a):
			a.cost = cost + 1
		}
		if a.cost < cost {
			left = mostFailures * len(a.order)
		}
		if a.cost <= cost {
			kept, cost = slices.Clone(a.order), a.cost
		} else {
			a.setOrder(kept)
		}
		for range 2 + random.IntN(4) {
			a.move(a.order[random.IntN(len(a.order))], random.IntN(len(a.order)))
		}
		a.setOrder(a.order)
		l.effort -= a.work + int64(len(a.order))
	}
}

// tryOrdering tries the turns that an order forbids.
func (l *hittingSet) tryOrdering(ctx context.Context, a *ordering) bool {
	forbidden := make([]bool, len(l.units))
	for k, back := range a.backTurns() {
		for _, u := range a.g.units[k] {
			forbidden[u] = back
		}
	}
	clauses := l.try(ctx, forbidden, clausesPerTrial)
	for _, c := range clauses {
		l.require(c)
	}
	return len(clauses) == 0
}
