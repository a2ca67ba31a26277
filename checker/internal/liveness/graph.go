package liveness

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
	"github.com/seed-105a2da2/unknot/proofs/machines"
)

// Graph is the whole state graph of a machine in memory, flat: for every step the
// number of the state it leads to and of its letter, 6 bytes together. States are
// numbered as by [statespace.Numbers], and stay in the space.
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
	high      []uint16 // the high bits; nil if there are none
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

// MostSteps is one more than a graph may have: step numbers fit into 32 bits with
// one to spare.
const MostSteps = 1<<32 - 2

// Bytes bounds the memory of a space's graph while all responses are decided, if there
// are at most 65,536 letters; with more, it takes two more bytes a step.
func (s *Space) Bytes() int64 {
	bytes := s.Numbered() + graphBytes(s.States(), s.Steps)
	if s.Modulo != nil {
		bytes += s.States() * (4 + 4) // frame; a queue
	}
	if len(s.Claims.Strong) > 0 {
		bytes += s.States() * (8 + 12) // bounds and divisions; some state stays in each divided part
	}
	return bytes
}

func graphBytes(states, steps int64) int64 {
	const (
		byState = 4 + 4 + 4 + 4 + 4 + 12 + 12 + 1 // First; fateful; components: Of, Members, bounds, path; depth and two more for a run; matters
		byStep  = 4 + 2 + 1                       // To, low; buffers of parts being made
	)
	return states*byState + steps*byStep
}

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

// findParts finds the parts and which of them are fateful. For most, what finding them has looked
// at already shows that no run stays there.
func (g *Graph) findParts(ctx context.Context) error {
	g.fateful = g.fateful[:0]
	keeps := g.unanswered
	if !g.answer {
		keeps = nil
	}
	err := g.FindWithin(ctx, &g.Graph, keeps, func(p int32) {
		part := g.Component(p)
		if _, end := g.fate(ctx, part); end != leaves || slices.ContainsFunc(part, g.rests) {
			g.fateful = append(g.fateful, p)
		}
	})
	return cmp.Or(err, ctx.Err())
}

// restrict finds the open states and the letters of steps that answer the k-th
// response, and reports whether any state is open.
func (g *Graph) restrict(ctx context.Context, k int) (any bool, err error) {
	if g.decided++; g.decided == g.mattersFrom() && !g.space.Ranked && !g.space.Partial && g.space.Modulo == nil {
		if err := g.findMatters(ctx); err != nil {
			return false, err
		}
	}
	g.answer = false
	for i, l := range g.letters {
		g.answers[i] = l.answers[k/8]>>(k%8)&1 != 0
		g.answer = g.answer || g.answers[i]
	}
	pending := g.space.Claims.Responses[k].Pending
	if g.matters != nil {
		return g.restrictToMatters(ctx, pending)
	}
	found := make([]bool, g.number.Parts())
	err = eachPart(g.space.Workers, len(found), func(part int) error {
		i, _ := g.number.Part(part)
		g.number.EachIn(part, func(s []uint64) bool {
			g.Of[i] = graph.Outside
			if pending(s) {
				g.Of[i] = graph.Inside
				found[part] = true
			}
			i++
			return i&1023 != 0 || ctx.Err() == nil
		})
		return ctx.Err()
	})
	for _, x := range found {
		any = any || x
	}
	return any, err
}

// mattersFrom returns the response before which it pays to find out what matters: the first if there are several,
// as those violated near the start are known by then (see Early).
func (g *Graph) mattersFrom() int {
	if len(g.space.Claims.Responses) > 2 {
		return 1
	}
	return 2
}

// findMatters finds the states that matter to any response, if they are few. A component of the whole
// graph in which a fair action is possible throughout and never taken does not matter: every part that a
// response leaves of it has that action, too. So hardly any state matters where traffic is bounded.
func (g *Graph) findMatters(ctx context.Context) error {
	for i := range g.Of {
		g.Of[i] = graph.Inside
	}
	g.answer = false
	if err := g.findParts(ctx); err != nil {
		return err
	}
	g.matters = []int32{}
	for _, p := range g.fateful {
		part := g.Component(p)
		_, end := g.helpful(ctx, part)
		for _, i := range part {
			if end != leaves || g.rests(i) {
				g.matters = append(g.matters, i)
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(g.matters) > (g.Len()+7)/8 { // going through all states in order is faster
			g.matters = nil
			break
		}
	}
	slices.Sort(g.matters)
	return ctx.Err()
}

// restrictToMatters is restrict where few states matter; no other state is open.
func (g *Graph) restrictToMatters(ctx context.Context, pending func(s []uint64) bool) (any bool, err error) {
	for i := range g.Of {
		g.Of[i] = graph.Outside
	}
	var s []uint64
	for k, i := range g.matters {
		if s = g.state(s[:0], i); pending(s) {
			g.Of[i], any = graph.Inside, true
		}
		if !goesOn(ctx, k) {
			return false, ctx.Err()
		}
	}
	k := 0
	g.space.Each(func(_ statespace.ID, s []uint64) bool {
		any = any || pending(s)
		k++
		return !any && goesOn(ctx, k)
	})
	return any, ctx.Err()
}

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
		if !goesOn(ctx, k+1) {
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
			if n == int32(k)+1 && g.within(i, e) {
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
			if g.within(i, e) {
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
			if !goesOn(ctx, k+1) {
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

// within reports whether a step of state i is kept and stays in its part.
func (g *Graph) within(i int32, e uint32) bool {
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
