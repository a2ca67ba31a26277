// Package liveness decides responses under weak and strong fairness to actions, on the
// whole state graph of a machine.
//
// A response is violated if some run keeps it pending forever without an
// answer, although no fair action is put off while it stays possible. In a
// finite space such a run rests in a state without fair actions, or stays in a strongly connected
// part of the graph whose nodes are the states in which it is pending and whose
// edges are the steps that do not answer. A fair run can visit all of a part if
// and only if every fair action that is possible in all of its states is taken
// within it, and every strongly fair one that is possible in any: a tour of all of it
// takes every such action, and passes, for every other action, a state where that is
// not possible. If an action is possible throughout and never taken, the same is true
// of every smaller part, so no subset of this one has a fair run either (cf. Lichtenstein and
// Pnueli 1985). If a strongly fair one is possible somewhere and never taken, a smaller
// part without the states in which it is possible may have one: they are taken out,
// and what is left of the part is divided again (Emerson and Lei 1987). The
// numbers of the parts, which never rise along an edge, and those actions, a level for
// each division, are the certificate where the response holds.
//
// The graph is made once and takes about 7 bytes a step and 45 a state besides the
// space ([Space.Bytes]); responses are decided one after the other, each in time
// proportional to the graph. Only steps between open states are looked at.
package liveness

import (
	"context"
	"slices"
	"sort"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
	"github.com/seed-105a2da2/unknot/checker/internal/symmetry"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Space is the whole space of a machine, explored, and what its steps are called.
type Space struct {
	*statespace.Space
	Steps   int64
	Machine states.Machine     // the reference
	Fast    statespace.Machine // whose states they are; it steps as Machine does
	Claims  states.Claims
	// Labels appends, for every successor of a state, a number that steps of one
	// action share, and of two actions do not; nil if only Machine tells actions apart.
	Labels  func(dst []int32, state []uint64) []int32
	Fair    []bool  // by label, if labels are actions; nil: Claims tells
	Answers []int32 // by label: the response that all such steps answer if it is pending, and the only one, or -1; nil: Claims tells
	// AnswersOf appends a step, counted from 0, and a response that it answers, for all such steps of a state, whose
	// successors are next, in ascending order of steps; nil: Claims or labels tell. Needs Labels.
	AnswersOf func(dst [][2]int32, state, next []uint64) [][2]int32
	Ranked    bool // Ranking will be asked for
	// Partial says that states are missing. Then a response that is not found violated is open.
	Partial bool
	// Modulo says that the states are those that are kept of orbits, of a response that these
	// symmetries take to itself. Fast is that machine, and Claims say nothing of answers.
	Modulo  *symmetry.Stabiliser
	Workers int
}

// Answer says whether every fair run answers a response.
type Answer struct {
	Vacuous bool // it is never pending
	// Stem are the states of a way, shortest if no states are missing, to one in which the response
	// is pending and a fair run can keep it so: by the steps of Loop over and over, or, without
	// any, by ending there. Nil: the response holds.
	// Modulo symmetries these are states that are kept: see Lift.
	Stem [][]uint64
	Loop []Step

	tour []uint32 // modulo symmetries: the steps of a way round
}

// Step is the K-th step of a state.
type Step struct {
	State []uint64
	K     int
}

// Decide decides the k-th response, and leaves its parts for [Graph.Ranking].
func (g *Graph) Decide(ctx context.Context, k int) (*Answer, error) {
	g.divisions = g.divisions[:0]
	open, err := g.restrict(ctx, k)
	if err != nil {
		return nil, err
	}
	if err := g.findParts(ctx); err != nil {
		return nil, err
	}
	a := &Answer{Vacuous: !open}
	worst, err := g.worst(ctx)
	if err != nil || worst < 0 {
		return a, err
	}
	a.Stem = g.stem(ctx, worst)
	switch {
	case g.rests(worst):
	case g.space.Modulo != nil:
		a.tour = g.tour(ctx, worst)
	default:
		for _, e := range g.lasso(ctx, worst) {
			i := g.from(e)
			a.Loop = append(a.Loop, Step{g.state(nil, i), int(e - g.First[i])})
		}
	}
	return a, ctx.Err()
}

// worst returns the open state, of least depth, from which a fair run goes on forever
// without an answer, or -1.
func (g *Graph) worst(ctx context.Context) (int32, error) {
	worst := int32(-1)
	var a, b []uint64
	err := g.eachWaiting(ctx, func(i int32) bool {
		if worst < 0 {
			g.depths(ctx)
		}
		if worst < 0 || g.depth[i] < g.depth[worst] {
			worst = i
		}
		if i != worst && g.depth[i] == g.depth[worst] {
			if a, b = g.state(a[:0], i), g.state(b[:0], worst); slices.Compare(a, b) < 0 {
				worst = i
			}
		}
		return true
	})
	return worst, err
}

// waits reports whether a fair run keeps the k-th response pending forever.
func (g *Graph) waits(ctx context.Context, k int) (waits bool, err error) {
	if _, err := g.restrict(ctx, k); err != nil {
		return false, err
	}
	if err := g.findParts(ctx); err != nil {
		return false, err
	}
	err = g.eachWaiting(ctx, func(int32) bool {
		waits = true
		return false
	})
	return waits, err
}

// eachWaiting calls f with each open state that a fair run can visit over and over without an answer, or end in, until it
// returns false.
func (g *Graph) eachWaiting(ctx context.Context, f func(i int32) bool) error {
	for n := 0; n < len(g.fateful); n++ {
		p := g.fateful[n]
		part := g.Component(p)
		never, end := g.fate(ctx, part)
		for k, i := range part {
			if !goesOn(ctx, k+int(g.Bounds[p])) {
				return ctx.Err()
			}
			if (end == goesRound || g.rests(i)) && !f(i) {
				return ctx.Err()
			}
		}
		if end == divided {
			never.keep(g, part)
			first, err := g.Split(ctx, &g.Graph, g.unanswered, p, func(i int32) bool { return g.possible(i, &never) })
			if err != nil {
				return err
			}
			g.divisions = append(g.divisions, division{p, never, first})
			for p := first; int(p) < g.Count(); p++ {
				g.fateful = append(g.fateful, p)
			}
		}
	}
	return ctx.Err()
}

// Ranking returns the certificate of the response that was decided last, which holds, if
// the space says that it will be asked for: of every state the number of its part, and
// the helpful action, behind those of the parts that were divided.
func (g *Graph) Ranking(ctx context.Context) (*machines.Ranking, error) {
	helpful := map[int32]int32{}
	for _, d := range g.divisions {
		helpful[d.part] = d.never.action
	}
	r, numbers := &machines.Ranking{}, g.actionNumbers()
	for i := range int32(g.Len()) {
		if !goesOn(ctx, int(i)) {
			return nil, ctx.Err()
		}
		levels := []machines.Level{{Helpful: machines.NoAction}}
		if p := g.Of[i]; p != graph.Outside {
			levels = nil
			for ; p >= 0; p = g.divided(p) {
				a, known := helpful[p]
				if !known {
					a, _ = g.helpful(ctx, g.Component(p))
					helpful[p] = a
				}
				l := machines.Level{Rank: int(p), Helpful: machines.NoAction}
				if a >= 0 {
					l.Helpful = numbers[a]
				}
				levels = slices.Insert(levels, 0, l)
			}
		}
		r.States, r.Levels = append(r.States, g.state(nil, i)), append(r.Levels, levels)
	}
	return r, ctx.Err()
}

// division says that a part was divided because an action that it never takes is
// strongly fair: into what stays in it, where the action is possible, and parts that are
// numbered from first on, up to those of the next division.
type division struct {
	part  int32
	never never
	first int32
}

// divided returns the part from which a part was made, or -1.
func (g *Graph) divided(p int32) int32 {
	k := sort.Search(len(g.divisions), func(k int) bool { return g.divisions[k].first > p })
	if k == 0 {
		return -1
	}
	return g.divisions[k-1].part
}
