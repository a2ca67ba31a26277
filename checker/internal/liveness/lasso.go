package liveness

import (
	"context"
	"slices"
	"sort"

	"github.com/seed-105a2da2/unknot/spec/support/deadline"
)

// Paths in the graph of the whole space: from the start to a state, and around a
// part so that the run is fair.

// depths finds, for each state, the number of states on a shortest path from the start; once,
// unless ctx ends. Here and below, results are meaningless once ctx has ended.
func (g *Graph) depths(ctx context.Context) {
	if g.depth != nil {
		return
	}
	g.depth = make([]int32, g.Len()+1)
	g.depth[g.Len()] = -1 // the vertex for missing states
	var queue []int32
	reach := func(i, depth int32) {
		if g.depth[i] == 0 {
			g.depth[i] = depth
			queue = append(queue, i)
		}
	}
	for _, i := range g.starts {
		reach(i, 1)
	}
	for k := 0; k < len(queue) && !deadline.Passed(ctx, k); k++ {
		from, to := g.steps(queue[k])
		for _, j := range g.To[from:to] {
			reach(j, g.depth[queue[k]]+1)
		}
	}
}

// stem returns the states of a shortest path to one. Needs depths.
func (g *Graph) stem(ctx context.Context, at int32) [][]uint64 {
	// before[j] is the first state one level up from which a step leads to j.
	before := make([]int32, g.Len()+1)
	for i := range int32(g.Len()) {
		if deadline.Passed(ctx, int(i)) {
			return nil
		}
		from, to := g.steps(i)
		for _, j := range g.To[from:to] {
			if before[j] == 0 && g.depth[i]+1 == g.depth[j] {
				before[j] = i + 1
			}
		}
	}
	trail := [][]uint64{g.state(nil, at)}
	for g.depth[at] > 1 {
		at = before[at] - 1
		trail = append(trail, g.state(nil, at))
	}
	slices.Reverse(trail)
	return trail
}

// tail returns the state that a step leaves.
func (g *Graph) tail(e uint32) int32 {
	// The first state whose steps end after e: earlier states whose steps begin
	// at e have none.
	return int32(sort.Search(g.Len(), func(i int) bool { return g.First[i+1] > e }))
}

// lasso returns a closed walk of steps from a state within its part on which every fair
// action is taken or somewhere not possible, and every strongly fair one is taken or
// nowhere possible. A path added for one action may pass where another is possible, so it
// looks again until nothing is added.
func (g *Graph) lasso(ctx context.Context, at int32) []uint32 {
	var loop []uint32
	here := at
	search := paths{g: g, by: make([]uint32, g.Len())}
	settled := func(a int32) bool {
		possible, always := g.can(at, a), g.can(at, a)
		for _, e := range loop {
			if g.action(e) == a {
				return true
			}
			can := g.can(g.To[e], a)
			possible, always = possible || can, always && can
			if !always && !g.strong[a] {
				return true
			}
		}
		return !always && !(possible && g.strong[a])
	}
	walk := func(goal func(e uint32) bool) {
		path := search.find(ctx, here, goal)
		loop = append(loop, path...)
		if len(path) > 0 {
			here = g.To[path[len(path)-1]]
		}
	}
	candidates := make([]bool, len(g.fair))
	for _, i := range g.Component(g.Of[at]) {
		from, to := g.steps(i)
		for e := from; e < to; e++ {
			candidates[g.action(e)] = g.fair[g.action(e)]
		}
	}
	for before := -1; before < len(loop); {
		before = len(loop)
		for a := range int32(len(g.fair)) {
			if ctx.Err() != nil {
				return nil
			}
			if candidates[a] && !settled(a) {
				walk(func(e uint32) bool { return g.action(e) == a || !g.strong[a] && !g.can(g.To[e], a) })
			}
		}
		if len(loop) == 0 || here != at {
			walk(func(e uint32) bool { return g.To[e] == at })
		}
	}
	return loop
}

// paths finds paths within parts. by is 1 + the step that first reached a state, or 0;
// all are 0 between calls.
type paths struct {
	g     *Graph
	by    []uint32
	queue []int32
}

// find returns a shortest path within the part of a state whose last step is a goal.
func (w *paths) find(ctx context.Context, start int32, goal func(e uint32) bool) []uint32 {
	g := w.g
	w.queue = append(w.queue[:0], start)
	defer func() {
		for _, i := range w.queue {
			w.by[i] = 0
		}
	}()
	for k := 0; k < len(w.queue) && !deadline.Passed(ctx, k); k++ {
		i := w.queue[k]
		from, to := g.steps(i)
		for e := from; e < to; e++ {
			if !g.inPart(i, e) {
				continue
			}
			if goal(e) {
				path := []uint32{e}
				for i != start {
					path = append(path, w.by[i]-1)
					i = g.tail(w.by[i] - 1)
				}
				slices.Reverse(path)
				return path
			}
			if j := g.To[e]; j != start && w.by[j] == 0 {
				w.by[j] = e + 1
				w.queue = append(w.queue, j)
			}
		}
	}
	return nil
}
