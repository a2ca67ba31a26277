package repair

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/checker/internal/updown"
	"github.com/seed-105a2da2/unknot/spec"
)

// Orders of the nodes.
//
// Package updown proves that it suffices to forbid turns from down to up. Those that close no cycle are then permitted
// again, among them the turns that finer classes permit, such as those of L-turn routing (Koibuchi et al. 2001).

// rises reports whether a turn leads from a down link to an up link.
func rises(t *spec.Topology, o updown.Order, at, to spec.ChannelID) bool {
	up := func(c spec.ChannelID) bool { return o.Up(t.Link(t.LinkOf(c))) }
	return !up(at) && up(to)
}

// turnGraph is the dependency graph with the units of each edge.
type turnGraph struct {
	turns [][2]spec.ChannelID
	units [][]int32 // by turn
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

// without returns the graph of the turns that are not in a set.
func (g *turnGraph) without(set []bool) *graph.Graph {
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
	cycle, _ := graph.ShortestCycle(g.without(used), 1<<16)
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

// uncut returns a bounded number of clauses against cycles that no turn of a set cuts; fewer if ctx ends.
func (g *turnGraph) uncut(ctx context.Context, set []bool, most int) (clauses [][]sat.Literal) {
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

// thin permits turns again that close no cycle, in order, until ctx ends.
func (g *turnGraph) thin(ctx context.Context, forbidden []bool) {
	seen := make([]int32, len(g.next))
	for u, is := range forbidden {
		if !is {
			continue
		}
		if ctx.Err() != nil {
			return
		}
		if !g.leads(g.turns[u][1], g.turns[u][0], forbidden, seen, int32(u)+1) {
			forbidden[u] = false
		}
	}
}

// leads reports whether a path of permitted turns leads from one channel to another.
func (g *turnGraph) leads(from, to spec.ChannelID, forbidden []bool, seen []int32, mark int32) bool {
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

// orders tries, for each order, those turns from down to up that are needed to cut cycles.
func (l *least) orders(ctx context.Context) {
	t := l.n.Topology()
	g := newTurnGraph(ctx, t.Channels(), l.units)
	enough := l.effort / 2
	for o := range updown.Orders(t) {
		if ctx.Err() != nil || l.best != nil && l.effort < enough {
			return
		}
		turns := make([]bool, len(g.turns))
		for k, turn := range g.turns {
			turns[k] = rises(t, o, turn[0], turn[1])
		}
		l.effort -= int64(count(turns) * len(turns) / 8)
		g.thin(ctx, turns)
		forbidden := make([]bool, len(l.units))
		for k, is := range turns {
			for _, u := range g.units[k] {
				forbidden[u] = is
			}
		}
		for _, c := range l.try(ctx, forbidden, atOnce) {
			l.require(c)
		}
	}
}
