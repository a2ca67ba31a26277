package liveness

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec/support/deadline"
)

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
// response leaves of it has that action, too. So few states matter where traffic is bounded.
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
		if deadline.Passed(ctx, k) {
			return false, ctx.Err()
		}
	}
	k := 0
	g.space.Each(0, 1, func(s []uint64) bool {
		any = any || pending(s)
		k++
		return !any && !deadline.Passed(ctx, k)
	})
	return any, ctx.Err()
}

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
