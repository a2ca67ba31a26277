package checker

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
)

// Liveness under weak fairness.
//
// A response is violated if some run keeps it pending for ever without an
// answer, although no fair action is put off while it stays possible. In a
// finite space such a run rests in a state without fair actions, or goes round in a strongly connected
// part of the graph whose nodes are the states in which it is pending and whose
// edges are the steps that do not answer. A part can be gone round fairly if
// and only if every fair action that is possible in all of its states is taken
// within it: going round all of it takes every such action, and passes, for
// every other action, a state where that is not possible. If an action is
// possible throughout and never taken, the same is true of every smaller part,
// so no part of this one will do either (cf. Lichtenstein and Pnueli 1985). The
// numbers of the parts, which never rise along an edge, and those actions are
// the certificate where the response holds.

// flowGraph is the whole space with its steps in memory.
type flowGraph struct {
	states [][]uint64
	first  []int     // steps of state i: first[i]..first[i+1]
	to     []int32   // by step
	label  []int32   // by step: its action
	index  []int32   // by step: its number among those of its state
	labels int       // number of actions
	fair   []bool    // by action
	depth  []int32   // by state: steps from the start
	open   []bool    // by state: the response is pending
	kept   []bool    // by step: leads from an open state to an open one and does not answer
	part   []int32   // by state: its strongly connected part; -1 if not open
	parts  [][]int32 // states of each part
}

const mostFlowSteps = 1 << 24

// liveness decides the machine's responses. For a network they are one
// question: does every first packet move on.
func (s *subject) liveness(ctx context.Context, space *statespace.Space, x *Exploration) error {
	if len(s.claims.Responses) == 0 {
		return nil
	}
	if !x.Complete || x.Transitions > mostFlowSteps {
		because := x.Ended
		if x.Complete {
			because = fmt.Sprintf("the space has %d steps, too many to look for fair loops (at most %d)", x.Transitions, mostFlowSteps)
		}
		for _, name := range s.responseNames() {
			x.Findings = append(x.Findings, Finding{Property: name, Because: because})
		}
		return nil
	}
	g, err := s.flow(space)
	if err != nil {
		return err
	}
	total := Finding{Property: starvation, Verdict: spec.Holds, Vacuous: true}
	for _, v := range s.claims.Responses {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		f, err := s.respond(g, v)
		if err != nil {
			return err
		}
		if s.traffic == nil {
			x.Findings = append(x.Findings, *f)
			continue
		}
		total.Vacuous = total.Vacuous && f.Vacuous
		if f.Verdict == spec.Violated {
			total.Verdict, total.Vacuous, total.Because, total.Run = f.Verdict, false, v.Name+" may never come true: "+f.Because, f.Run
			break
		}
		total.Because = f.Because
	}
	if s.traffic != nil {
		x.Findings = append(x.Findings, total)
	}
	return nil
}

func (s *subject) responseNames() []string {
	if s.traffic != nil {
		return []string{starvation}
	}
	var names []string
	for _, v := range s.claims.Responses {
		names = append(names, v.Name)
	}
	return names
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
	g.labels = len(g.fair)
	for _, id := range ids {
		g.depth = append(g.depth, int32(len(space.Chain(id))))
	}
	return g, nil
}

// respond decides one response.
func (s *subject) respond(g *flowGraph, v spec.Response) (*Finding, error) {
	f := &Finding{Property: v.Name, Vacuous: true}
	g.restrict(v)
	g.components()
	worst := -1 // the open state, of least depth, from which a fair run goes on for ever
	consider := func(i int) {
		if worst < 0 || cmp.Or(cmp.Compare(g.depth[i], g.depth[worst]), slices.Compare(g.states[i], g.states[worst])) < 0 {
			worst = i
		}
	}
	helpful := make([]int32, len(g.parts))
	for p, states := range g.parts {
		var fair bool
		if helpful[p], fair = g.helpful(states); fair {
			for _, i := range states {
				consider(int(i))
			}
		}
	}
	for i := range g.states {
		if g.open[i] {
			f.Vacuous = false
			if g.rests(i) {
				consider(i)
			}
		}
	}
	if worst >= 0 {
		return s.unanswered(g, v, f, worst)
	}
	f.Verdict = spec.Holds
	f.Because = "every fair run of the whole space was considered"
	return f, s.ranked(g, v, f, helpful)
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

// possible is the set of actions of a state.
func (g *flowGraph) possible(i int32) map[int32]bool {
	set := map[int32]bool{}
	for e := g.first[i]; e < g.first[i+1]; e++ {
		set[g.label[e]] = true
	}
	return set
}

// unanswered makes a lasso: the way to a state, and a fair loop from there.
func (s *subject) unanswered(g *flowGraph, v spec.Response, f *Finding, at int) (*Finding, error) {
	trail := g.stem(at)
	run, err := s.run(trail)
	if err != nil {
		return nil, &EvidenceError{Name: v.Name, Err: err}
	}
	run.Property, run.Fault, run.Back = v.Name, counterexamples.Unanswered, len(run.Steps)
	f.Verdict, f.Run = spec.Violated, run
	if g.rests(at) {
		f.Because = fmt.Sprintf("after %s nothing has to happen any more", plural(run.Back, "step"))
	} else {
		for _, e := range g.lasso(int32(at)) {
			run.Steps = append(run.Steps, taken(s.m, g.states[g.from(e)], int(g.index[e])))
		}
		f.Because = fmt.Sprintf("after %s a fair loop of %s goes on for ever", plural(run.Back, "step"), plural(len(run.Steps)-run.Back, "step"))
	}
	if err := counterexamples.ReplayRun(s.m, s.claims, run); err != nil {
		return nil, &EvidenceError{Name: v.Name, Err: err}
	}
	return f, nil
}

// stem returns the states of a shortest way to one, by depth.
func (g *flowGraph) stem(at int) [][]uint64 {
	// Depths fall by one along a shortest way back; predecessors are found by
	// going through the states once a level.
	want := at
	trail := [][]uint64{g.states[at]}
	for g.depth[want] > 1 {
		found := -1
		for i := range g.states {
			if g.depth[i] != g.depth[want]-1 {
				continue
			}
			if slices.Contains(g.to[g.first[i]:g.first[i+1]], int32(want)) {
				found = i
				break
			}
		}
		want = found
		trail = append(trail, g.states[want])
	}
	slices.Reverse(trail)
	return trail
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

// lasso returns steps that go round within the part of a state, back to it, so
// that every fair action is taken, or somewhere not possible.
func (g *flowGraph) lasso(at int32) []int {
	states := g.parts[g.part[at]]
	var loop []int
	here := at
	settled := func(a int32) bool {
		i := at
		if !g.possible(i)[a] {
			return true
		}
		for _, e := range loop {
			i = g.to[e]
			if g.label[e] == a || !g.possible(i)[a] {
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
	for a := range int32(g.labels) {
		if candidates[a] && !settled(a) {
			walk(func(_ int32, e int) bool { return g.label[e] == a || !g.possible(g.to[e])[a] })
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

// ranked makes the parts' numbers the evidence, in a small space, and verifies it.
func (s *subject) ranked(g *flowGraph, v spec.Response, f *Finding, helpful []int32) error {
	if int64(len(g.states)) > int64(cmp.Or(s.opt.Closed, 10_000)) || s.traffic != nil {
		return nil
	}
	r := &proofs.Ranking{ClosedSet: proofs.ClosedSet{Machine: s.m.Name(), Property: v.Name, States: g.states}}
	r.Ranks, r.Helpful = make([]int, len(g.states)), make([]string, len(g.states))
	names := g.actionNames(s.m)
	for i, p := range g.part {
		if p >= 0 {
			r.Ranks[i] = int(p)
			if helpful[p] >= 0 {
				r.Helpful[i] = names[helpful[p]]
			}
		}
	}
	if err := proofs.VerifyRanking(s.m, s.claims, v, r); err != nil {
		return &EvidenceError{Name: v.Name, Err: err}
	}
	f.Ranking = r
	return nil
}

// actionNames asks the reference for the name of every action.
func (g *flowGraph) actionNames(m spec.Machine) []string {
	names := make([]string, g.labels)
	for i, s := range g.states {
		for e := g.first[i]; e < g.first[i+1]; e++ {
			if names[g.label[e]] == "" {
				names[g.label[e]] = m.Action(s, int(g.index[e]))
			}
		}
	}
	return names
}
