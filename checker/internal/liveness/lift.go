package liveness

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
	"github.com/seed-105a2da2/unknot/spec/support/deadline"
)

// From orbits back to states: a tour of a part becomes a cycle of the machine, and the
// ranks of representatives become those of all states.

// tour is lasso for actions that have to be followed: it returns a closed walk of steps from a
// state within its part on which each fair action, followed along it, is taken or somewhere
// not possible, and each strongly fair one is taken or nowhere possible.
func (g *Graph) tour(ctx context.Context, at int32) (loop []uint32) {
	m, f := g.space.Modulo, &follower{g, map[int32][]int32{}}
	here, frame := at, int32(0)
	settled := func(point int32) bool {
		i, own := at, point
		possible := g.canPoint(i, own)
		always := possible
		for _, e := range loop {
			if g.points[g.action(e)] == own {
				return true
			}
			i, own = g.To[e], m.Moved(f.turn(e), own)
			can := g.canPoint(i, own)
			possible, always = possible || can, always && can
		}
		return !possible || !always && !g.strongPoint[point]
	}
	walk := func(point int32, goal func(e uint32, before, after int32) bool) {
		for _, e := range f.path(ctx, here, point, goal) {
			loop = append(loop, e)
			here, frame = g.To[e], m.Compose(m.Inverse(f.turn(e)), frame)
		}
	}
	for before := -1; before < len(loop); {
		before = len(loop)
		for point := range int32(len(m.Members)) {
			if ctx.Err() != nil {
				return nil
			}
			if !settled(point) {
				walk(m.Moved(m.Inverse(frame), point), func(e uint32, before, after int32) bool {
					return g.points[g.action(e)] == before || !g.strongPoint[point] && !g.canPoint(g.To[e], after)
				})
			}
		}
		if len(loop) == 0 || here != at {
			walk(-1, func(e uint32, _, _ int32) bool { return g.To[e] == at })
		}
	}
	return loop
}

// follower follows points along steps. It caches the symmetries of the states it has met.
type follower struct {
	g     *Graph
	turns map[int32][]int32 // by state
}

// turn returns the symmetry that maps the target of a step to its representative.
func (f *follower) turn(e uint32) int32 {
	i := f.g.tail(e)
	if f.turns[i] == nil {
		f.turns[i] = slices.Clone(f.g.turns(i))
	}
	return f.turns[i][e-f.g.First[i]]
}

// path returns a shortest path within the part of a state whose last step is a goal; goal is
// given the point before and after the step. Point -1 means none.
func (f *follower) path(
	ctx context.Context, start, point int32, goal func(e uint32, before, after int32) bool,
) (path []uint32) {
	type place struct{ state, point int32 }
	g, looked, end := f.g, 0, place{-1, -1} // end is behind each goal
	next := func(at place, visit func(e uint32, to place)) {
		if looked++; deadline.Passed(ctx, looked) {
			return
		}
		from, to := g.steps(at.state)
		for e := from; e < to; e++ {
			if !g.inPart(at.state, e) {
				continue
			}
			after := place{g.To[e], -1}
			if point >= 0 {
				after.point = g.space.Modulo.Moved(f.turn(e), at.point)
			}
			if goal(e, at.point, after.point) {
				after = end
			}
			visit(e, after)
		}
	}
	_, path = bfs.Path([]place{{start, point}}, func(at place) bool { return at == end }, next)
	return path
}

// Lift returns the Stem and Loop of an answer in states of the machine, for the response
// that a symmetry maps the decided one to.
//
// The tour is repeated until it returns to the state where it began. Actions that are alike,
// one point, take turns: the tour is repeated until it returns to the frame, too, and
// then as many times as there are such actions.
func (g *Graph) Lift(a *Answer, by int32) (stem [][]uint64, loop []Step, err error) {
	m := g.space.Modulo
	frame := by
	for k, s := range a.Stem {
		if k > 0 {
			next, turns, err := m.Steps(nil, nil, a.Stem[k-1])
			if err != nil {
				return nil, nil, err
			}
			i := 0
			for !slices.Equal(next[i*len(s):][:len(s)], s) {
				i++
			}
			frame = m.Compose(m.Inverse(turns[i]), frame)
		}
		stem = append(stem, m.Image(frame, s))
	}
	rounds := 1
	for _, members := range m.Members {
		rounds = max(rounds, len(members))
	}
	f, start, first := &follower{g, map[int32][]int32{}}, stem[len(stem)-1], frame
	for round := 0; round < rounds && len(a.tour) > 0; {
		for _, e := range a.tour {
			here := m.Image(frame, g.state(nil, g.tail(e)))
			point := g.points[g.action(e)]
			if point >= 0 {
				point = m.Moved(frame, point)
			}
			frame = m.Compose(m.Inverse(f.turn(e)), frame)
			k, err := g.stepTo(here, m.Image(frame, g.state(nil, g.To[e])), point, round)
			if err != nil {
				return nil, nil, err
			}
			loop = append(loop, Step{here, k})
		}
		if frame == first || rounds == 1 && slices.Equal(m.Image(frame, a.Stem[len(a.Stem)-1]), start) {
			round++
		}
	}
	return stem, loop, nil
}

// stepTo returns which step of a state leads to another state by an action of a point.
func (g *Graph) stepTo(state, to []uint64, point int32, round int) (int, error) {
	m := g.space.Modulo
	next, err := g.space.Machine.AppendSuccessors(nil, state)
	for k := 0; err == nil && k < len(next)/len(state); k++ {
		action := g.space.Machine.Action(state, k).Number
		if slices.Equal(next[k*len(state):][:len(state)], to) && m.Point(action) == point &&
			(point < 0 || m.Members[point][round%len(m.Members[point])] == action) {
			return k, nil
		}
	}
	if err == nil {
		err = fmt.Errorf("%s: no step leads to the image of a state", g.space.Machine.Name())
	}
	return 0, err
}

// Unfolded is Ranking for all states of the orbits, for the response that a symmetry maps
// the decided one to.
func (g *Graph) Unfolded(ctx context.Context, by int32) (*machines.Ranking, error) {
	m := g.space.Modulo
	of, isDivided := map[int32]never{}, map[int32]bool{}
	for _, d := range g.divisions {
		of[d.part], isDivided[d.part] = d.never, true
	}
	r := &machines.Ranking{}
	var points []int32
	for i := range int32(g.Len()) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var parts []int32 // outermost first
		for p := g.Of[i]; p >= 0; p = g.divided(p) {
			parts = append([]int32{p}, parts...)
			if _, known := of[p]; !known {
				of[p], _ = g.fate(ctx, g.Component(p))
			}
		}
		kept, seen := g.state(nil, i), map[string]bool{}
		for _, x := range m.Symmetries {
			x = m.Compose(x, by)
			s := m.Image(x, kept)
			key := fmt.Sprint(s)
			if seen[key] {
				continue
			}
			seen[key] = true
			var levels []machines.Level
			for _, p := range parts {
				n := of[p]
				points = g.own(points[:0], &n, i)
				possible := map[int]bool{}
				var actions []int // ascending
				for _, point := range points {
					for _, action := range m.Members[m.Moved(x, point)] {
						actions, possible[action] = append(actions, action), g.canPoint(i, point)
					}
				}
				slices.Sort(actions)
				if !isDivided[p] && len(actions) > 0 {
					actions = actions[:1]
				} else if len(actions) == 0 {
					actions = []int{machines.NoAction}
				}
				for _, action := range actions {
					levels = append(levels, machines.Level{Rank: int(p), Helpful: action})
					if p == g.Of[i] && possible[action] {
						break
					}
				}
			}
			if g.Of[i] == graph.Outside {
				levels = []machines.Level{{Helpful: machines.NoAction}}
			}
			r.States, r.Levels = append(r.States, s), append(r.Levels, levels)
		}
	}
	return r, ctx.Err()
}
