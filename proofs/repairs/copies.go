package repairs

import "slices"

// places reports whether a condition holds of every sharing out of the flows among copies. Either it is against turns
// on one copy that close a cycle. Or a flow that no condition has placed yet is on one of the copies; as they
// are alike, the first of these flows is on the first copy, the second flow on that or the second one, and so on. Then
// all turns on its paths are on its copy: the clauses returned.
func (g *Graph) places(literals []int32) (bool, [][]int32) {
	turns, copies, keep := int32(len(g.turns)), int32(g.copies), map[int32]bool{}
	for _, l := range literals {
		if l%2 == 1 && l/2 < turns*copies && l/2%copies == literals[0]/2%copies {
			keep[l/2/copies] = true
		}
	}
	if len(keep) == len(literals) {
		return g.close(keep), nil
	}
	flow := literals[0]/2/copies - turns
	first := 2 * (turns + flow) * copies
	for k, l := range literals {
		if flow < 0 || l != first+2*int32(k) {
			return false, nil
		}
	}
	if g.placed[flow] || len(literals) < min(len(g.placed)+1, g.copies) || len(literals) > g.copies {
		return false, nil
	}
	g.placed[flow] = true
	on, clauses := map[int32]bool{free: true}, [][]int32(nil)
	for _, v := range g.reach(g.sources[flow : flow+1]) {
		for _, e := range g.out[v] {
			for copy := int32(0); !on[e.unit] && copy < copies; copy++ {
				clauses = append(clauses, []int32{first + 2*copy + 1, 2 * (e.unit*copies + copy)})
			}
			on[e.unit] = true
		}
	}
	g.clauses += len(clauses)
	return g.clauses <= most, clauses
}

// crosses reports whether the turns of a condition cannot all be turns at which packets move to the next copy. A path
// takes the turns one after the other, and there are more of them than copies to move to; and turns on paths lead
// from the last back to the first, so that all lie on cycles together, where packets do not return to the first copy.
func (g *Graph) crosses(literals []int32) bool {
	var behind []int32
	for i, l := range literals {
		on := map[int32]bool{}
		for _, v := range g.reach(behind) {
			on[v] = true
		}
		behind = nil
		for _, e := range g.of[l/2] {
			if l%2 == 1 && (i == 0 || on[e.from]) {
				behind = append(behind, e.to)
			}
		}
	}
	if len(behind) == 0 || len(literals) < g.copies {
		return false
	}
	first, last := g.turns[literals[0]/2], g.turns[literals[len(literals)-1]/2]
	back := make([]bool, len(g.after))
	spread(g.after, edge.head, back, []int32{last.to})
	return back[first.from]
}

// LeastTrue returns a lower bound on how many literals of a condition, which every dateline meets, are true. If packets
// cannot move to the next copy at all of its turns, see crosses, they do so fewer times than there are copies, and the
// literals of the other turns are true. A turn that occurs more than once is counted as often.
func (g *Graph) LeastTrue(literals []int32) int {
	if g.crosses(literals) {
		return len(literals) - g.copies + 1
	}
	return 1
}

// reach returns what hops lead to from some vertices, and these.
func (g *Graph) reach(from []int32) []int32 {
	reached := spread(g.out, edge.head, g.marked, from)
	for _, v := range reached {
		g.marked[v] = false
	}
	return reached
}

// long reports whether some path has more hops than there are copies, or no end.
func (g *Graph) long() bool {
	vertices, hops := order(g.out), make([]int, len(g.out))
	for _, v := range vertices {
		for _, e := range g.out[v] {
			hops[e.to] = max(hops[e.to], hops[v]+1)
		}
	}
	return len(vertices) < len(hops) || slices.Max(hops) > g.copies
}
