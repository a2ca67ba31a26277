package checker

import "slices"

// Ways in the graph of the whole space: to a state from the start, and round a
// part of it so that the run is fair.

// stem returns the states of a shortest way to one.
func (g *flowGraph) stem(at int) [][]uint64 {
	// before[j] is the first state a level above from which a step leads to j.
	before := make([]int32, len(g.states))
	for i := range g.states {
		for _, j := range g.to[g.first[i]:g.first[i+1]] {
			if before[j] == 0 && g.depth[i]+1 == g.depth[j] {
				before[j] = int32(i) + 1
			}
		}
	}
	trail := [][]uint64{g.states[at]}
	for g.depth[at] > 1 {
		at = int(before[at]) - 1
		trail = append(trail, g.states[at])
	}
	slices.Reverse(trail)
	return trail
}

// lasso returns steps that go round within the part of a state, back to it, so
// that every fair action is taken, or somewhere not possible.
func (g *flowGraph) lasso(at int32) []int {
	states := g.parts[g.part[at]]
	var loop []int
	here := at
	settled := func(a int32) bool {
		i := at
		if !g.can(i, a) {
			return true
		}
		for _, e := range loop {
			i = g.to[e]
			if g.label[e] == a || !g.can(i, a) {
				return true
			}
		}
		return false
	}
	walk := func(goal func(i int32, e int) bool) {
		way := g.way(here, goal)
		loop = append(loop, way...)
		if len(way) > 0 {
			here = g.to[way[len(way)-1]]
		}
	}
	candidates := map[int32]bool{}
	for _, i := range states {
		for a := range g.possible(i) {
			candidates[a] = candidates[a] || g.fair[a]
		}
	}
	for a := range int32(len(g.fair)) {
		if candidates[a] && !settled(a) {
			walk(func(_ int32, e int) bool { return g.label[e] == a || !g.can(g.to[e], a) })
		}
	}
	if len(loop) == 0 || here != at {
		walk(func(_ int32, e int) bool { return g.to[e] == at })
	}
	return loop
}

// way returns a shortest way within the part of a state whose last step is a goal.
func (g *flowGraph) way(from int32, goal func(i int32, e int) bool) []int {
	by := map[int32]int{from: -1}
	queue := []int32{from}
	for k := 0; k < len(queue); k++ {
		i := queue[k]
		for e := g.first[i]; e < g.first[i+1]; e++ {
			if !g.kept[e] || g.part[g.to[e]] != g.part[from] {
				continue
			}
			if goal(i, e) {
				way := []int{e}
				for i != from {
					way = append(way, by[i])
					i = int32(g.from(by[i]))
				}
				slices.Reverse(way)
				return way
			}
			if _, seen := by[g.to[e]]; !seen {
				by[g.to[e]] = e
				queue = append(queue, g.to[e])
			}
		}
	}
	return nil
}
