package repairs

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Meets reports whether every repair meets a condition, a clause: none is left where all
// its literals are false. With it go further clauses that then hold. Literal 2v says that variable v is true, 2v+1
// that it is false. A variable is true if a unit is forbidden; of dateline, if packets move to the next copy at
// a turn; of layers, if the turn v/copies is on copy v%copies or, after all turns, a flow is. Each
// literal must be of one of these.
//
// Soundness: a repair keeps at least the paths of the units that the literals keep, and at
// most the hops of units that they do not forbid. It is not one if a flow has no path of the
// latter, or a path of the former closes a cycle. Channels are stuck if from a site of
// each a path of the former leads to a head all of whose hops in the latter lead into such
// channels (one of no hops with whole packets): of the lowest rank among them no certificate could go lower. Nor is there one of
// bubbles if no hop of these paths needs room for several packets. Call their channels P, each of B places. A set s of
// such a certificate has at most B places free for each channel of s that is not in P, by induction over the sets: on
// one of the paths the first hop into s keeps none free in its channel, and what an earlier set has in the others is
// bounded so. Hence all stuck channels of the lowest level may be full at once.
// For order, the turns that stay close no cycle. A hop index takes a copy for each hop of a path; its condition has no
// literal. For layers and dateline see places, crosses and Least; dateline cuts each cycle of turns on paths.
//
// Linear in the hops of the units that the condition keeps, of those before the ones that it forbids, and of the
// paths that it follows.
func (g *Graph) Meets(literals []int32) (bool, [][]int32) {
	sign := [2]map[int32]bool{{}, {}}
	for _, l := range literals {
		sign[l%2][l/2] = true
	}
	keep, gone := sign[0], sign[1]
	switch g.scheme {
	case "layers":
		return g.places(literals)
	case "hop-index":
		return g.long(), nil
	case "dateline":
		return g.crosses(literals) || len(gone) == 0 && g.close(keep), nil
	}
	lost := g.markStranded(gone)
	fails := g.stranded || slices.ContainsFunc(lost, g.unrouted) ||
		g.scheme == "order" && g.close(keep) || g.scheme != "order" && g.stuck(keep, gone)
	for _, v := range lost {
		g.marked[v] = false
	}
	return fails, nil
}

// unrouted reports whether a source and all its alternatives are marked, or lead nowhere in any case.
func (g *Graph) unrouted(v int32) bool {
	if !g.marked[v] || !g.channel[v].IsInjection() {
		return false
	}
	k, _ := slices.BinarySearch(g.sources, v)
	for k > 0 && g.flow[g.sources[k-1]] == g.flow[v] {
		k--
	}
	for ; k < len(g.sources) && g.flow[g.sources[k]] == g.flow[v]; k++ {
		u := g.sources[k]
		if !g.marked[u] && (g.arrives[u] || len(g.out[u]) > 0) {
			return false
		}
	}
	return true
}

// close reports whether turns close a cycle.
func (g *Graph) close(turns map[int32]bool) bool {
	var some []edge
	for u := range turns {
		if g.scheme == "order" || len(g.of[u]) > 0 { // of others, those on paths
			some = append(some, g.turns[u])
		}
	}
	some, was := local(some, nil)
	return len(order(group(len(was), some, edge.tail))) < len(was)
}

// markStranded marks the vertices that packets cannot leave without some units, and returns these and others.
func (g *Graph) markStranded(units map[int32]bool) []int32 {
	var queue []int32
	for u := range units {
		for _, e := range g.of[u] {
			queue = append(queue, e.from)
		}
	}
	lost := spread(g.into, edge.tail, g.marked, queue)
	for queue = slices.Clone(lost); len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		leaves := func(e edge) bool { return !units[e.unit] && !g.marked[e.to] }
		if g.marked[v] && (g.arrives[v] || slices.ContainsFunc(g.out[v], leaves)) {
			g.marked[v] = false
			for _, e := range g.into[v] {
				queue = append(queue, e.from)
			}
		}
	}
	return lost
}

// stuck reports whether paths of the hops that stay, from where packets enter to where they leave, close a cycle or
// hold channels that are stuck.
func (g *Graph) stuck(keep, gone map[int32]bool) bool {
	var hops []edge
	for u := range keep {
		hops = append(hops, g.of[u]...)
	}
	bare, was := local(slices.DeleteFunc(slices.Clone(hops), func(e edge) bool { return g.bubbles[e] }), nil)
	hops, was = local(hops, was)
	fills, on, end := make([]bool, len(was)), make([]bool, len(was)), make([]bool, len(was))
	var first, enter, leave []int32 // first: without a bubble
	for k, v := range was {
		for _, e := range g.into[v] {
			if e.unit == free && !g.bubbles[e] {
				first = append(first, int32(k))
			}
			if e.unit == free {
				enter = append(enter, int32(k))
			}
		}
		if g.channel[v].IsInjection() {
			first, enter = append(first, int32(k)), append(enter, int32(k))
		}
		if g.arrives[v] {
			leave = append(leave, int32(k))
		}
	}
	spread(group(len(was), bare, edge.tail), edge.head, fills, first)
	spread(group(len(was), hops, edge.tail), edge.head, on, enter)
	spread(group(len(was), hops, edge.head), edge.tail, end, leave)
	ways := group(len(was), slices.DeleteFunc(hops, func(e edge) bool { return !on[e.from] || !end[e.to] }), edge.tail)
	vertices := order(ways)
	if len(vertices) < len(was) {
		return true
	}
	var in map[spec.ChannelID]bool // all, at first
	for before := -1; before != len(in); {
		before = len(in)
		waits, stays := make([]bool, len(was)), map[spec.ChannelID]bool{}
		for _, v := range slices.Backward(vertices) {
			blocked := !g.arrives[was[v]] && !slices.ContainsFunc(g.out[was[v]], func(e edge) bool {
				return !gone[e.unit] && !g.marked[e.to] && in != nil && !in[g.channel[e.to]]
			})
			behind := g.worms && slices.ContainsFunc(ways[v], func(e edge) bool { return waits[e.to] })
			if len(ways[v]) > 0 && fills[v] && (blocked || behind) {
				waits[v], stays[g.channel[was[v]]] = true, true
			}
		}
		in = stays
	}
	return len(in) > 0
}
