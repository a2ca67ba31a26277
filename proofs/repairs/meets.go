package repairs

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Meets reports whether every repair meets a condition, a clause: none is left where all
// its literals are false. Literal 2v says that variable v is true, 2v+1 that it is false.
// A variable is true if a unit is forbidden; of layers, if the turn v/copies is on copy
// v%copies. Each literal must be of one of these.
//
// Soundness: a repair keeps at least the ways of the units that the literals keep, and at
// most the hops of units that they do not forbid. It is none if a flow has no way of the
// latter, or a way of the former closes a cycle. Channels are stuck if from a site of
// each a way of the former leads to a head all of whose hops in the latter lead into such
// channels (one of no hops with whole packets): of the lowest rank among them no certificate could go lower.
// Of order the turns that stay close no cycle, of layers those on one copy. A hop
// index takes a copy for each hop of a way; its condition has no literal.
func (g *Graph) Meets(literals []int32) bool {
	keep, gone := make([]bool, len(g.turns)), make([]bool, len(g.turns))
	for _, l := range literals {
		switch u := int(l / 2); {
		case g.scheme == "layers" && (l%2 == 0 || u >= len(g.turns)*g.copies || u%g.copies != int(literals[0]/2)%g.copies):
			return false
		case g.scheme == "layers":
			keep[u/g.copies] = true
		default:
			keep[u], gone[u] = keep[u] || l%2 == 0, gone[u] || l%2 == 1
		}
	}
	leads, stranded := g.leads, false
	if slices.Contains(gone, true) {
		_, leads = g.reach(but(g.edges, func(e edge) bool { return e.unit != free && gone[e.unit] }))
	}
	for v, c := range g.channel {
		stranded = stranded || c.IsInjection() && !leads[v]
	}
	switch g.scheme {
	case "order", "layers":
		return stranded || cyclic(but(g.turns, func(t edge) bool { return !keep[t.unit] }))
	case "hop-index":
		return g.longest()
	}
	ways := but(g.edges, func(e edge) bool { return e.unit != free && !keep[e.unit] })
	on, end := g.reach(ways)
	ways = but(ways, func(e edge) bool { return !on[e.from] || !end[e.to] })
	return stranded || cyclic(ways) || g.stuck(ways, gone, leads)
}

// but returns the edges but some.
func but(edges []edge, some func(e edge) bool) []edge {
	return slices.DeleteFunc(slices.Clone(edges), some)
}

// cyclic reports whether edges close a cycle.
func cyclic(edges []edge) bool {
	for before := -1; before != len(edges); {
		before = len(edges)
		starts := map[int32]bool{}
		for _, e := range edges {
			starts[e.from] = true
		}
		edges = but(edges, func(e edge) bool { return !starts[e.to] })
	}
	return len(edges) > 0
}

// stuck reports whether channels are stuck.
func (g *Graph) stuck(ways []edge, gone, leads []bool) bool {
	var in map[spec.ChannelID]bool // all, at first
	blocked := func(v int32) bool {
		return !g.arrives[v] && !slices.ContainsFunc(g.edges[g.first[v]:g.first[v+1]], func(e edge) bool {
			return !gone[e.unit] && leads[e.to] && in != nil && !in[g.channel[e.to]]
		})
	}
	for before := -1; before != len(in); {
		before = len(in)
		waits, stays := map[int32]bool{}, map[spec.ChannelID]bool{}
		for more := true; more; {
			more = false
			for _, e := range ways {
				if c := g.channel[e.from]; !c.IsInjection() && !waits[e.from] && (blocked(e.from) || g.worms && waits[e.to]) {
					waits[e.from], stays[c], more = true, true, true
				}
			}
		}
		in = stays
	}
	return len(in) > 0
}

// longest reports whether some way has more hops than there are copies; or as many as vertices, and so goes
// on forever.
func (g *Graph) longest() bool {
	at, _ := g.reach(nil) // where packets enter, then where they are a hop later
	for range min(g.copies+1, len(g.channel)) {
		next := make([]bool, len(at))
		for _, e := range g.edges {
			next[e.to] = next[e.to] || at[e.from] && g.leads[e.to]
		}
		at = next
	}
	return slices.Contains(at, true)
}
