package untie

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Orders of the nodes.
//
// A channel is up if it leads to a node that comes earlier. A way of channels that
// comes back to its first channel goes up and goes down, and so turns from down to up
// somewhere: without those turns the dependency graph has no cycle. Up*/down* is the
// order breadth first from a root (Schroeder et al. 1991); depth first often
// forbids less (Sancho, Robles and Duato 2000). Turns whose return closes no cycle
// are permitted again, which takes in what finer classes of turns, such as those of
// L-turn routing (Koibuchi et al. 2001), leave.

// mostRoots are tried, spread evenly over the nodes.
const mostRoots = 16

// eachOrder calls f with the nodes' places, by number and from each root.
func eachOrder(t *spec.Topology, f func(place []int32)) {
	place := make([]int32, t.Nodes())
	for v := range place {
		place[v] = int32(v)
	}
	f(place)
	roots := min(mostRoots, t.Nodes())
	for i := range roots {
		root := spec.NodeID(i * t.Nodes() / roots)
		f(traverse(t, root, false))
		f(traverse(t, root, true))
	}
}

// traverse places the nodes in the order in which they are met from a root, against links,
// too; nodes that are not met come last.
func traverse(t *spec.Topology, root spec.NodeID, deep bool) []int32 {
	place := slices.Repeat([]int32{-1}, t.Nodes())
	next := int32(0)
	for start := range spec.NodeID(t.Nodes()) {
		list := []spec.NodeID{(root + start) % spec.NodeID(t.Nodes())}
		for len(list) > 0 {
			var v spec.NodeID
			if deep {
				v, list = list[len(list)-1], list[:len(list)-1]
			} else {
				v, list = list[0], list[1:]
			}
			if place[v] >= 0 {
				continue
			}
			place[v] = next
			next++
			var beside []spec.NodeID
			for _, l := range t.Out(v) {
				beside = append(beside, t.Link(l).To)
			}
			for _, l := range t.In(v) {
				beside = append(beside, t.Link(l).From)
			}
			slices.Sort(beside)
			if deep {
				slices.Reverse(beside)
			}
			list = append(list, beside...)
		}
	}
	return place
}

// rises reports whether a turn goes down and then up.
func rises(t *spec.Topology, place []int32, at, to spec.ChannelID) bool {
	up := func(c spec.ChannelID) bool { return place[t.Head(c)] < place[t.Tail(c)] }
	return !up(at) && up(to)
}

// acyclic thins a set of turns without which a graph of channels has no cycle, to one of which
// none can be spared.
// turnGraph is the dependency graph with the units of each edge.
type turnGraph struct {
	turns [][2]spec.ChannelID
	units [][]int32 // by turn
	next  [][]int32 // by channel: turns that begin there
}

func newTurnGraph(channels int, units []unit) *turnGraph {
	g := &turnGraph{next: make([][]int32, channels)}
	number := map[[2]spec.ChannelID]int{}
	for u, x := range units {
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

// thin permits turns again that close no cycle, the first ones first.
func (g *turnGraph) thin(forbidden []bool) {
	seen := make([]int32, len(g.next))
	for u, is := range forbidden {
		if is && !g.leads(g.turns[u][1], g.turns[u][0], forbidden, seen, int32(u)+1) {
			forbidden[u] = false
		}
	}
}

// leads reports whether a way of permitted turns leads from one channel to another.
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

// orders tries, of each order, the turns from down to up, as far as cycles need them.
func (l *least) orders(ctx context.Context) {
	t := l.n.Topology()
	g := newTurnGraph(t.Channels(), l.units)
	enough := l.effort / 2
	eachOrder(t, func(place []int32) {
		if ctx.Err() != nil || l.best != nil && l.effort < enough {
			return
		}
		turns := make([]bool, len(g.turns))
		for k, turn := range g.turns {
			turns[k] = rises(t, place, turn[0], turn[1])
		}
		l.effort -= int64(count(turns) * len(turns) / 8)
		g.thin(turns)
		forbidden := make([]bool, len(l.units))
		for k, is := range turns {
			for _, u := range g.units[k] {
				forbidden[u] = is
			}
		}
		for _, c := range l.try(ctx, forbidden, atOnce) {
			l.require(c)
		}
	})
}
