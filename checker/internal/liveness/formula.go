package liveness

import (
	"context"
	"math"
	"slices"
	"sort"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec/ltl"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
	"github.com/seed-105a2da2/unknot/spec/support/deadline"
)

// Formulas of temporal logic, decided on the whole state graph.
//
// The product of the graph with an automaton for the opposite of a formula has a pair of a state and obligations for
// each state and what is left to be read there; where a run may stay, a step *stays* leads from the state to itself
// (Vardi and Wolper 1986). The formula is violated if the product has a strongly connected part in which a fair run can
// stay that is accepted: for each until, some pair lacks it; each fair action that is possible in all pairs is taken, and
// each strongly fair one that is possible in any. What fairness asks of a part is asked as for responses (decide.go),
// and an until is like an action that is possible everywhere. Parts without such a run have a helper, which is the
// certificate.

// Product is the product of a graph with an automaton.
type Product struct {
	graph.Graph
	graph.Components
	g        *Graph
	f        states.Formula
	opposite *ltl.Automaton
	pairs    []pair
	actions  []int32 // by step: of the graph, or stays
	steps    []int32 // by step: which one of its state it is
	before   []int32 // by pair: the step by which it was first met; -1: initial
	by       []int32 // by pair: the pair that it was first met from

	divisions []division
	helpers   map[int32]int // by part, in terms of the graph's actions
}

type pair struct {
	state int32
	left  ltl.Obligations
}

// stays is the action of a step that repeats the last state of a run.
const stays = -1

// pairBytes and stepBytes bound what a pair and a step take.
const (
	pairBytes = 16 + 4 + 4 + 4 + 12 + 60 // with the components, and the map of pairs
	stepBytes = 4 + 4 + 4
)

// NewProduct makes the product for a formula, unless it takes more than so many bytes: then it is nil. 0: no limit.
func NewProduct(ctx context.Context, g *Graph, f states.Formula, bytes int64) (*Product, error) {
	opposite, err := ltl.New(ltl.Not(f.Formula))
	if err != nil {
		return nil, err
	}
	p := &Product{g: g, f: f, opposite: opposite, helpers: map[int32]int{}}
	number := map[pair]int32{}
	reach := func(to pair, step, from int32) int32 {
		i, known := number[to]
		if !known {
			i = int32(len(p.pairs))
			number[to], p.pairs = i, append(p.pairs, to)
			p.before, p.by = append(p.before, step), append(p.by, from)
		}
		return i
	}
	for _, i := range g.starts {
		reach(pair{i, opposite.Start()}, -1, -1)
	}
	type reading struct {
		left   ltl.Obligations
		letter ltl.Letter
	}
	moves := map[reading][]ltl.Obligations{}
	var words []uint64
	for k := 0; k < len(p.pairs); k++ {
		p.First = append(p.First, uint32(len(p.To)))
		if deadline.Passed(ctx, k) {
			return nil, ctx.Err()
		}
		if bytes > 0 && int64(len(p.pairs))*pairBytes+int64(len(p.To))*stepBytes > bytes ||
			len(p.pairs) > math.MaxInt32/2 || len(p.To) > math.MaxInt32/2 {
			return nil, nil
		}
		at := p.pairs[k]
		words = g.state(words[:0], at.state)
		r := reading{at.left, f.Letter(words)}
		sets, known := moves[r]
		if !known {
			sets = opposite.Moves(r.left, r.letter)
			moves[r] = sets
		}
		from, to := g.Graph.First[at.state], g.Graph.First[at.state+1]
		for _, left := range sets {
			for e := from; e < to; e++ {
				p.add(reach(pair{g.Graph.To[e], left}, int32(len(p.To)), int32(k)), g.action(e), int32(e-from))
			}
			if f.Unfair && from == to || !f.Unfair && g.rests(at.state) {
				p.add(reach(pair{at.state, left}, int32(len(p.To)), int32(k)), stays, -1)
			}
		}
	}
	p.First = append(p.First, uint32(len(p.To)))
	return p, nil
}

func (p *Product) add(to, action, step int32) {
	p.To, p.actions, p.steps = append(p.To, to), append(p.actions, action), append(p.steps, step)
}

// Len returns the number of pairs.
func (p *Product) Len() int { return len(p.pairs) }

// Decide returns a run that violates the formula, with Stem and Loop; or, if the formula holds, an answer without Stem.
func (p *Product) Decide(ctx context.Context) (*Answer, error) {
	p.Of = slices.Repeat([]int32{graph.Inside}, len(p.pairs))
	if err := p.FindWithin(ctx, &p.Graph, nil, nil); err != nil {
		return nil, err
	}
	// Pairs are numbered breadth first, so the least one of a part is nearest to the start.
	nearest := int32(-1)
	var parts []int32
	for k := range int32(p.Count()) {
		parts = append(parts, k)
	}
	for n := 0; n < len(parts); n++ {
		k := parts[n]
		part := p.Component(k)
		if deadline.Passed(ctx, n+len(part)) {
			return nil, ctx.Err()
		}
		helper, end := p.helper(part)
		switch end {
		case goesRound:
			if at := slices.Min(part); nearest < 0 || at < nearest {
				nearest = at
			}
			continue
		case divided:
			possible := func(i int32) bool { return p.g.can(p.pairs[i].state, int32(helper)) }
			first, err := p.Split(ctx, &p.Graph, nil, k, possible)
			if err != nil {
				return nil, err
			}
			p.divisions = append(p.divisions, division{k, never{action: int32(helper)}, first})
			for k := first; int(k) < p.Count(); k++ {
				parts = append(parts, k)
			}
		}
		p.helpers[k] = helper
	}
	if nearest < 0 || ctx.Err() != nil {
		return &Answer{}, ctx.Err()
	}
	return p.answer(p.stem(nearest), p.loop(nearest)), ctx.Err()
}

// inside reports whether a step stays in its part.
func (p *Product) inside(i int32, e uint32) bool { return p.Of[p.To[e]] == p.Of[i] }

// helper returns why no fair run that is accepted stays in a part: an action or, below machines.NoAction, an until.
func (p *Product) helper(part []int32) (helper int, _ end) {
	throughout, taken := ^ltl.Obligations(0), map[int32]bool{}
	possible := map[int32]int{} // in how many pairs of the part
	moves := false
	for _, i := range part {
		throughout &= p.pairs[i].left
		for e := p.First[i]; e < p.First[i+1]; e++ {
			if p.inside(i, e) {
				moves, taken[p.actions[e]] = true, true
			}
		}
	}
	if !moves {
		return machines.NoAction, leaves
	}
	for _, u := range p.opposite.Untils() {
		if throughout.Has(u) {
			return machines.HelpfulUntil(u), leaves
		}
	}
	if p.f.Unfair {
		return 0, goesRound
	}
	for _, i := range part {
		here := map[int32]bool{}
		for e := p.g.Graph.First[p.pairs[i].state]; e < p.g.Graph.First[p.pairs[i].state+1]; e++ {
			here[p.g.action(e)] = true
		}
		for a := range here {
			possible[a]++
		}
	}
	strong := int32(-1)
	for a := range int32(len(p.g.fair)) {
		switch {
		case taken[a] || possible[a] == 0:
		case p.g.fair[a] && possible[a] == len(part):
			return int(a), leaves
		case p.g.strong[a] && strong < 0:
			strong = a
		}
	}
	if strong >= 0 {
		return int(strong), divided
	}
	return 0, goesRound
}

// stem returns the steps to a pair from the start, shortest.
func (p *Product) stem(at int32) (steps []uint32) {
	for ; p.before[at] >= 0; at = p.by[at] {
		steps = append(steps, uint32(p.before[at]))
	}
	slices.Reverse(steps)
	return steps
}

// loop returns a closed walk from a pair within its part that lacks each until somewhere and is fair: it takes each action
// that is taken in the part and, of the others, passes where they are not possible.
func (p *Product) loop(at int32) (loop []uint32) {
	part, here := p.Component(p.Of[at]), at
	walk := func(goal func(e uint32) bool) {
		path := p.path(here, goal)
		if loop = append(loop, path...); len(path) > 0 {
			here = p.To[path[len(path)-1]]
		}
	}
	passes := func(is func(i int32) bool) bool {
		if is(at) {
			return true
		}
		return slices.ContainsFunc(loop, func(e uint32) bool { return is(p.To[e]) })
	}
	for _, u := range p.opposite.Untils() {
		lacks := func(i int32) bool { return !p.pairs[i].left.Has(u) }
		if !passes(lacks) {
			walk(func(e uint32) bool { return lacks(p.To[e]) })
		}
	}
	taken, possible := map[int32]bool{}, map[int32]bool{}
	for _, i := range part {
		for e := p.First[i]; e < p.First[i+1]; e++ {
			possible[p.actions[e]] = true
			taken[p.actions[e]] = taken[p.actions[e]] || p.inside(i, e)
		}
	}
	for a := range int32(len(p.g.fair)) {
		cannot := func(i int32) bool { return !p.g.can(p.pairs[i].state, a) }
		takes := func(e uint32) bool { return p.actions[e] == a }
		switch {
		case p.f.Unfair || !possible[a] || !p.g.fair[a] || slices.ContainsFunc(loop, takes):
		case !p.g.strong[a] && passes(cannot):
		case taken[a] && p.g.strong[a]:
			walk(takes)
		default:
			walk(func(e uint32) bool { return takes(e) || cannot(p.To[e]) })
		}
	}
	if len(loop) == 0 || here != at {
		walk(func(e uint32) bool { return p.To[e] == at })
	}
	return loop
}

// path returns a shortest path within the part of a pair whose last step is a goal.
func (p *Product) path(start int32, goal func(e uint32) bool) []uint32 {
	out := func(i int32) (steps []uint32) {
		for e := p.First[i]; e < p.First[i+1]; e++ {
			if p.inside(i, e) {
				steps = append(steps, e)
			}
		}
		return steps
	}
	steps, _ := bfs.Path(out(start), goal, func(e uint32, visit func(by struct{}, to uint32)) {
		for _, next := range out(p.To[e]) {
			visit(struct{}{}, next)
		}
	})
	return steps
}

// tail returns the pair that a step leaves.
func (p *Product) tail(e uint32) int32 {
	return int32(sort.Search(len(p.pairs), func(i int) bool { return p.First[i+1] > e }))
}

// answer makes a run of a stem and a loop in the product, without the steps that stay. The automaton may read the loop
// several times, or enter it late: the run is told in the shortest form.
func (p *Product) answer(stem, loop []uint32) *Answer {
	moved := func(steps []uint32) (out []Step) {
		for _, e := range steps {
			if p.actions[e] != stays {
				out = append(out, Step{p.g.state(nil, p.pairs[p.tail(e)].state), int(p.steps[e])})
			}
		}
		return out
	}
	equal := func(a, b Step) bool { return a.K == b.K && slices.Equal(a.State, b.State) }
	before, around := moved(stem), moved(loop)
	for n := 1; n < len(around); n++ {
		if len(around)%n == 0 && slices.EqualFunc(around[n:], around[:len(around)-n], equal) {
			around = around[:n]
		}
	}
	for len(around) > 0 && len(before) > 0 && equal(before[len(before)-1], around[len(around)-1]) {
		before = before[:len(before)-1]
		around = slices.Concat(around[len(around)-1:], around[:len(around)-1])
	}
	a := &Answer{Loop: around}
	for _, s := range before {
		a.Stem = append(a.Stem, s.State)
	}
	last := p.g.state(nil, p.pairs[p.To[loop[len(loop)-1]]].state)
	if len(around) > 0 {
		last = around[0].State
	}
	a.Stem = append(a.Stem, last)
	return a
}

// Ranking returns the certificate of a formula that holds, if the space is Ranked.
func (p *Product) Ranking() *machines.FormulaRanking {
	r, numbers := &machines.FormulaRanking{}, p.g.actionNumbers()
	for i, at := range p.pairs {
		var levels []machines.Level
		for k := p.Of[i]; k >= 0; k = p.divided(k) {
			l := machines.Level{Rank: int(k), Helpful: p.helpers[k]}
			if l.Helpful >= 0 {
				l.Helpful = numbers[l.Helpful]
			}
			levels = slices.Insert(levels, 0, l)
		}
		r.Pairs = append(r.Pairs, machines.Pair{State: p.g.state(nil, at.state), Left: at.left, Levels: levels})
	}
	return r
}

// divided returns the part whose division produced a part, or -1.
func (p *Product) divided(part int32) int32 {
	k := sort.Search(len(p.divisions), func(k int) bool { return p.divisions[k].first > part })
	if k == 0 {
		return -1
	}
	return p.divisions[k-1].part
}
