package checker

import (
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
	"github.com/seed-105a2da2/unknot/spec"
)

// flowGraph is the whole space with its steps in memory.
type flowGraph struct {
	states [][]uint64
	first  []int     // steps of state i: first[i]..first[i+1]
	to     []int32   // by step
	label  []int32   // by step: its action
	index  []int32   // by step: its number among those of its state
	fair   []bool    // by action
	depth  []int32   // by state: states of a shortest way from the start
	open   []bool    // by state: the response is pending
	kept   []bool    // by step: leads from an open state to an open one and does not answer
	part   []int32   // by state: its strongly connected part; -1 if not open
	parts  [][]int32 // states of each part
}

// flow takes the whole space into memory.
func (s *subject) flow(space *statespace.Space) (*flowGraph, error) {
	g := &flowGraph{first: []int{0}}
	ids := space.IDs()
	space.Number()
	dense := space.Dense()
	words := s.m.Layout().Words()
	actions := map[string]int32{}
	if s.packed != nil {
		g.fair = s.packed.FairLabels()
	}
	var next []uint64
	var labels []int32
	for _, id := range ids {
		state := space.State(nil, id)
		g.states = append(g.states, state)
		var err error
		if next, err = s.fast.Next(next[:0], state); err != nil {
			return nil, err
		}
		if labels = labels[:0]; s.packed != nil {
			labels = s.packed.Labels(labels, state)
		}
		for k := 0; (k+1)*words <= len(next); k++ {
			to, _ := space.Find(next[k*words : (k+1)*words])
			if s.packed == nil {
				name := s.m.Action(state, k)
				a, known := actions[name]
				if !known {
					a = int32(len(actions))
					actions[name] = a
					g.fair = append(g.fair, s.claims.Fair == nil || s.claims.Fair(name))
				}
				labels = append(labels, a)
			}
			g.to = append(g.to, int32(dense(to)))
			g.label = append(g.label, labels[k])
			g.index = append(g.index, int32(k))
		}
		g.first = append(g.first, len(g.to))
	}
	for _, id := range ids {
		g.depth = append(g.depth, int32(len(space.Chain(id))))
	}
	return g, nil
}

// from returns the state that a step leaves.
func (g *flowGraph) from(e int) int {
	i, found := slices.BinarySearch(g.first, e)
	if !found {
		return i - 1
	}
	for g.first[i+1] == e {
		i++ // states without steps
	}
	return i
}

// restrict finds the open states and the steps that are kept.
func (g *flowGraph) restrict(v spec.Response) {
	g.open, g.kept = make([]bool, len(g.states)), make([]bool, len(g.to))
	for i, s := range g.states {
		g.open[i] = v.Pending(s)
	}
	for i, s := range g.states {
		if !g.open[i] {
			continue
		}
		for e := g.first[i]; e < g.first[i+1]; e++ {
			after := g.to[e]
			g.kept[e] = g.open[after] && (v.Answered == nil || !v.Answered(s, int(g.index[e]), g.states[after]))
		}
	}
}

// components finds the strongly connected parts of what is kept, those that
// others lead to first (Tarjan 1972, without recursion).
func (g *flowGraph) components() {
	n := len(g.states)
	g.part, g.parts = make([]int32, n), nil
	for i := range g.part {
		g.part[i] = -1
	}
	order, low := make([]int32, n), make([]int32, n) // order 0: not seen
	at := make([]int, n)
	var stack, path []int32
	seen := int32(0)
	visit := func(i int32) {
		seen++
		order[i], low[i] = seen, seen
		at[i] = g.first[i]
		stack, path = append(stack, i), append(path, i)
	}
	for root := range int32(n) {
		if !g.open[root] || order[root] > 0 {
			continue
		}
		visit(root)
		for len(path) > 0 {
			i := path[len(path)-1]
			if at[i] < g.first[i+1] {
				e := at[i]
				at[i]++
				if !g.kept[e] {
					continue
				}
				switch j := g.to[e]; {
				case order[j] == 0:
					visit(j)
				case g.part[j] < 0:
					low[i] = min(low[i], order[j])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				up := path[len(path)-1]
				low[up] = min(low[up], low[i])
			}
			if low[i] == order[i] {
				var states []int32
				for {
					j := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					g.part[j] = int32(len(g.parts))
					states = append(states, j)
					if j == i {
						break
					}
				}
				slices.Sort(states)
				g.parts = append(g.parts, states)
			}
		}
	}
}

// inside calls f with the kept steps within a part.
func (g *flowGraph) inside(states []int32, f func(i int32, e int)) {
	for _, i := range states {
		for e := g.first[i]; e < g.first[i+1]; e++ {
			if g.kept[e] && g.part[g.to[e]] == g.part[i] {
				f(i, e)
			}
		}
	}
}

// helpful returns a fair action that is possible all over a part and never
// taken within it; or -1, and whether a run can stay in the part for ever.
func (g *flowGraph) helpful(states []int32) (action int32, fair bool) {
	possible := map[int32]int{}
	taken := map[int32]bool{}
	stays := false
	g.inside(states, func(_ int32, e int) {
		stays = true
		taken[g.label[e]] = true
	})
	if !stays {
		return -1, false
	}
	for _, i := range states {
		for a := range g.possible(i) {
			possible[a]++
		}
	}
	action = -1
	for a, count := range possible {
		if count == len(states) && g.fair[a] && !taken[a] && (action < 0 || a < action) {
			action = a
		}
	}
	return action, action < 0
}

// rests reports whether a run may end in a state: no fair action is possible.
func (g *flowGraph) rests(i int) bool {
	for e := g.first[i]; e < g.first[i+1]; e++ {
		if g.fair[g.label[e]] {
			return false
		}
	}
	return true
}

// can reports whether an action is possible in a state.
func (g *flowGraph) can(i, action int32) bool {
	return slices.Contains(g.label[g.first[i]:g.first[i+1]], action)
}

// possible is the set of actions of a state.
func (g *flowGraph) possible(i int32) map[int32]bool {
	set := map[int32]bool{}
	for e := g.first[i]; e < g.first[i+1]; e++ {
		set[g.label[e]] = true
	}
	return set
}

// actionNames asks the reference for the name of every action.
func (g *flowGraph) actionNames(m spec.Machine) []string {
	names := make([]string, len(g.fair))
	for i, s := range g.states {
		for e := g.first[i]; e < g.first[i+1]; e++ {
			if names[g.label[e]] == "" {
				names[g.label[e]] = m.Action(s, int(g.index[e]))
			}
		}
	}
	return names
}
