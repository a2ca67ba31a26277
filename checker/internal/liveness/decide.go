// Package liveness decides responses under weak and strong fairness to actions, on the
// whole state graph of a machine.
//
// A response is violated if some run keeps it pending forever without an answer although
// no fair action is postponed forever while it stays possible. In a finite space such a run ends in
// a state without fair actions, or stays in a strongly connected part of the graph whose
// nodes are the states in which the response is pending and whose edges are the steps that
// do not answer. A fair run can visit all of a part if and only if the part takes every
// fair action that is possible in all of its states and every strongly fair one that is
// possible in any: a tour of the part takes all of these, and for every other action
// passes a state where that is not possible. An action that is possible throughout and
// never taken remains so in every smaller part, so no subset has a fair run either (cf.
// Lichtenstein and Pnueli 1985). If a strongly fair action is possible somewhere and never
// taken, a smaller part without the states in which it is possible may have a fair run:
// they are taken out, and the rest of the part is divided again (Emerson and Lei 1987).
// Where the response holds, the certificate is the numbers of the parts, which never rise
// along an edge, and those actions, a level for each division.
//
// The graph is made once and takes about 7 bytes per step and 45 per state besides the
// space ([Space.Bytes]); responses are decided one after the other, each in time
// linear in the graph. Only steps between open states are looked at.
package liveness

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec/support/deadline"
)

// Decide decides the k-th response and keeps its parts for [Graph.Ranking].
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
			i := g.tail(e)
			a.Loop = append(a.Loop, Step{g.state(nil, i), int(e - g.First[i])})
		}
	}
	return a, ctx.Err()
}

// worst returns the open state of least depth from which a fair run continues forever
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

// eachWaiting calls f with each open state that a fair run can visit again and again without an answer, or end in,
// until f returns false.
func (g *Graph) eachWaiting(ctx context.Context, f func(i int32) bool) error {
	for n := 0; n < len(g.fateful); n++ {
		p := g.fateful[n]
		part := g.Component(p)
		never, end := g.fate(ctx, part)
		for k, i := range part {
			if deadline.Passed(ctx, k+int(g.Bounds[p])) {
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

// Ranking returns the certificate of the response decided last, which must hold, if the space
// is Ranked: for every state the number of its part and the helpful action, after those of
// the divided parts that it came from.
func (g *Graph) Ranking(ctx context.Context) (*machines.Ranking, error) {
	helpful := map[int32]int32{}
	for _, d := range g.divisions {
		helpful[d.part] = d.never.action
	}
	r, numbers := &machines.Ranking{}, g.actionNumbers()
	for i := range int32(g.Len()) {
		if deadline.Passed(ctx, int(i)) {
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
