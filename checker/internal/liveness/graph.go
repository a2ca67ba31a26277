package liveness

import (
	"context"
	"slices"
	"sort"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec/support/deadline"
)

// Graph is the whole state graph of a machine in memory, flat: for every step the
// number of the state it leads to and of its letter, 6 bytes together. States are
// numbered as by [walk.Numbers], and stay in the space.
//
// What depends on the response is in arrays that are made once and reused for each
// response. Vertices outside are the states that are not open: the
// response is not pending. The components of the others are the parts.
type Graph struct {
	graph.Graph
	graph.Components
	space     Space
	number    numbers
	starts    []int32
	low       []uint16 // by step: the low bits of its letter
	high      []uint16 // the high bits, or nil
	letters   []letter
	actions   []int32 // by letter
	fair      []bool  // by action
	strong    []bool  // by action
	anyStrong bool
	round     []uint64 // one bit for each state: some step leads from it to itself
	depth     []int32  // by state: states on a shortest path from the start; see depths

	answers []bool  // by letter: steps with it answer
	answer  bool    // some letter answers
	fateful []int32 // parts that a run may stay in
	decided int     // responses decided so far
	matters []int32 // states that matter to some response, if few; nil: not known
	seen    marks   // by action
	taken   marks   // by action

	divisions []division // in order

	modulo
}

// division records that a part was divided because it never takes a strongly fair action:
// into the states where the action is possible, which keep its number, and parts that are
// numbered from first on, up to those of the next division.
type division struct {
	part  int32
	never never
	first int32
}

// divided returns the part whose division produced a part, or -1.
func (g *Graph) divided(p int32) int32 {
	k := sort.Search(len(g.divisions), func(k int) bool { return g.divisions[k].first > p })
	if k == 0 {
		return -1
	}
	return g.divisions[k-1].part
}

// never is what a part never takes.
type never struct {
	action int32   // helpful; -1: none
	points []int32 // modulo symmetries: all such points, in the part's first state
	frames map[int32]int32
}

// modulo is what a graph has in addition, modulo symmetries.
type modulo struct {
	points      []int32 // by action
	strongPoint []bool
	frame       []int32 // by state, for the parts that were followed last
	words       []uint64
	successors  []uint64
	by          []int32
	some        []int32
}

// letter is what liveness needs to know about a step besides where it leads.
type letter struct {
	action  int    // or, before it is in the graph, its label
	answers string // one bit for each response with an Answered: set if the step answers it while it is pending
}

// MostSteps is one more than a graph may have: step numbers fit into 32 bits with
// one to spare.
const MostSteps = 1<<32 - 2

// marks are counters that can all be reset at once.
type marks struct {
	now int64
	at  []int64
	n   []int32
}

func newMarks(n int) marks { return marks{at: make([]int64, n), n: make([]int32, n), now: 1} }

func (m *marks) wipe() { m.now++ }

// count adds one to a counter and returns it.
func (m *marks) count(i int32) int32 {
	if m.at[i] != m.now {
		m.at[i], m.n[i] = m.now, 0
	}
	m.n[i]++
	return m.n[i]
}

func (m *marks) of(i int32) int32 {
	if m.at[i] != m.now {
		return 0
	}
	return m.n[i]
}

// letter returns the number of a step's letter.
func (g *Graph) letter(e uint32) int32 {
	l := int32(g.low[e])
	if g.high != nil {
		l |= int32(g.high[e]) << 16
	}
	return l
}

// action returns the action of a step.
func (g *Graph) action(e uint32) int32 { return g.actions[g.letter(e)] }

// steps returns the range from <= e < to of a state's steps.
func (g *Graph) steps(i int32) (from, to uint32) { return g.First[i], g.First[i+1] }

// state appends the words of a state.
func (g *Graph) state(dst []uint64, i int32) []uint64 {
	return g.number.State(dst, int(i))
}

// unanswered reports whether a step does not answer.
func (g *Graph) unanswered(e uint32) bool { return !g.answer || !g.answers[g.letter(e)] }

// end is what can become of a run in a part.
type end uint8

const (
	leaves    end = iota // it cannot stay: it takes a step out, or fairness forces it to
	goesRound            // it can tour all of the part, as fairly as required
	divided              // it can in a smaller part, or not at all: the helpful action is possible somewhere
)

// helpful returns a fair action that is possible throughout a part and never taken within
// it, or a strongly fair one that is possible somewhere and never taken; or -1. The
// results are meaningless once ctx has ended.
func (g *Graph) helpful(ctx context.Context, states []int32) (action int32, _ end) {
	if len(states) == 1 && !g.loops(states[0]) {
		return -1, leaves // most parts of most graphs
	}
	// A run can stay in all others. An action is possible throughout if, after k states, it was
	// possible in k of them. Usually none is left soon, and the remaining states need not be looked
	// at; what is taken matters only for those that are left.
	const gone = -1
	g.seen.wipe()
	left := 0
	for k, i := range states {
		if deadline.Passed(ctx, k+1) {
			return -1, leaves
		}
		left = 0
		from, to := g.steps(i)
		for e := from; e < to; e++ {
			a := g.action(e)
			n := g.seen.of(a)
			if n == int32(k) && (k > 0 || g.fair[a]) {
				n = g.seen.count(a)
				left++
			}
			if n == int32(k)+1 && g.inPart(i, e) {
				g.seen.n[a] = gone
				left--
			}
		}
		if left == 0 {
			break
		}
	}
	if left > 0 {
		action := int32(-1)
		from, to := g.steps(states[0])
		for e := from; e < to; e++ {
			if a := g.action(e); g.seen.of(a) == int32(len(states)) && (action < 0 || a < action) {
				action = a
			}
		}
		return action, leaves
	}
	if action := g.helpfulSomewhere(ctx, states); action >= 0 {
		return action, divided
	}
	return -1, goesRound
}

// helpfulSomewhere returns a strongly fair action that is possible somewhere in a part and never
// taken within it, or -1.
func (g *Graph) helpfulSomewhere(ctx context.Context, states []int32) int32 {
	if !g.anyStrong {
		return -1
	}
	g.taken.wipe()
	least := int32(-1)
	for _, look := range []func(i int32, e uint32, a int32){
		func(i int32, e uint32, a int32) {
			if g.inPart(i, e) {
				g.taken.count(a)
			}
		},
		func(_ int32, _ uint32, a int32) {
			if least < 0 || a < least {
				least = a
			}
		},
	} {
		for k, i := range states {
			if deadline.Passed(ctx, k+1) {
				return -1
			}
			from, to := g.steps(i)
			for e := from; e < to; e++ {
				if a := g.action(e); g.strong[a] && g.taken.of(a) == 0 {
					look(i, e, a)
				}
			}
		}
	}
	return least
}

// loops reports whether a state has a kept step to itself.
func (g *Graph) loops(i int32) bool {
	if g.round[i/64]>>(i%64)&1 == 0 {
		return false
	}
	from, to := g.steps(i)
	for e := from; e < to; e++ {
		if g.To[e] == i && g.unanswered(e) {
			return true
		}
	}
	return false
}

// inPart reports whether a step of state i is kept and stays in its part.
func (g *Graph) inPart(i int32, e uint32) bool {
	return g.Of[g.To[e]] == g.Of[i] && g.unanswered(e)
}

// rests reports whether a fair run may end in a state: no fair action is possible there.
func (g *Graph) rests(i int32) bool {
	from, to := g.steps(i)
	for e := from; e < to; e++ {
		if g.fair[g.action(e)] {
			return false
		}
	}
	return true
}

// can reports whether an action is possible in a state.
func (g *Graph) can(i, action int32) bool {
	from, to := g.steps(i)
	for e := from; e < to; e++ {
		if g.action(e) == action {
			return true
		}
	}
	return false
}

// actionNumbers asks the reference for the number of each action.
func (g *Graph) actionNumbers() []int {
	numbers := slices.Repeat([]int{machines.NoAction}, len(g.fair))
	for i := range int32(g.Len()) {
		from, to := g.steps(i)
		for e := from; e < to; e++ {
			if a := g.action(e); numbers[a] < 0 {
				numbers[a] = g.space.Machine.Action(g.state(nil, i), int(e-from)).Number
			}
		}
	}
	return numbers
}
