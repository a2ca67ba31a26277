package liveness

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker/internal/symmetry"
	"github.com/seed-105a2da2/unknot/spec/support/deadline"
)

// Responses on one representative of each orbit.
//
// Let G be symmetries of a machine that map the response to itself and fair actions to
// equally fair ones, and let the graph be that of the states modulo G. A step from a
// representative r leads to a state t, and on to the representative r' = h(t). So a path of
// representatives from r lifts to a path of states from each state x(r) of the orbit: x
// becomes x·h⁻¹ with the step. As G is finite, a closed walk, repeated often enough, lifts to a
// closed one. So the states of a part C of the graph are those of strongly connected parts S
// of the whole graph, which are images of each other and have states of each orbit in C.
//
// An action a of x(r) is the action of r that x maps to a. Which actions are possible throughout
// S, or taken within it, is seen in C by following each action along all paths from one state of
// C (Emerson and Sistla, Utilizing symmetry when model checking under fairness assumptions,
// 1997; there by a graph of pairs of a state and a process). Here a frame x is chosen for each
// state of C along a tree, starting from the first state, which is in S. Any other step within
// C, from r in frame x to r' in frame y, shows that x·h⁻¹·y⁻¹ maps S to itself. These generate
// all that following other paths can add (as Schreier's generators do), so actions that they map
// to each other share what is known of them. That is linear in the steps for each fair
// action.
//
// What holds for S holds for its images. An action that is possible throughout S and never
// taken within it is helpful, as in the whole graph. If strongly fair actions are possible
// somewhere in S and never taken, S is divided by all of them at once: the symmetries of S
// map their set to itself, so C can be divided instead. The ranking of all states has a level
// for each of them.

// fate is helpful, also modulo symmetries. Its points are in terms of g.frame.
func (g *Graph) fate(ctx context.Context, part []int32) (never, end) {
	if g.space.Modulo == nil {
		action, end := g.helpful(ctx, part)
		return never{action: action}, end
	}
	if len(part) == 1 && !g.loops(part[0]) {
		return never{action: -1}, leaves
	}
	return g.follow(ctx, part)
}

// pointsOf is what is known of points in a part. Points that a symmetry of the part maps
// to each other have one root.
type pointsOf struct {
	up                    []int32
	lacks, somewhere, own []bool // not possible in some state; possible in one; taken
}

func newPointsOf(n int) *pointsOf {
	p := &pointsOf{up: make([]int32, n), lacks: make([]bool, n), somewhere: make([]bool, n), own: make([]bool, n)}
	for i := range p.up {
		p.up[i] = int32(i)
	}
	return p
}

func (p *pointsOf) root(i int32) int32 {
	for p.up[i] != i {
		p.up[i] = p.up[p.up[i]]
		i = p.up[i]
	}
	return i
}

// share gives each point what is known of its root.
func (p *pointsOf) share() {
	for _, known := range [][]bool{p.lacks, p.somewhere, p.own} {
		for i := range p.up {
			if known[i] {
				known[p.root(int32(i))] = true
			}
		}
		for i := range p.up {
			known[i] = known[p.root(int32(i))]
		}
	}
}

// follow finds what a part never takes by following fair actions along its steps, and
// leaves in g.frame the frame of each of its states.
func (g *Graph) follow(ctx context.Context, part []int32) (never, end) {
	m := g.space.Modulo
	known, met := newPointsOf(len(m.Members)), make([]bool, m.Order())
	if g.frame == nil {
		g.frame = make([]int32, g.Len())
	}
	for _, i := range part {
		g.frame[i] = -1
	}
	g.frame[part[0]] = 0
	possible := make([]int32, len(m.Members)) // by point: the number of the last state looked at where it is possible
	for k, queue := 0, []int32{part[0]}; k < len(queue); k++ {
		if deadline.Passed(ctx, k+1) {
			return never{action: -1}, leaves
		}
		i := queue[k]
		x, by := g.frame[i], g.turns(i)
		from, to := g.steps(i)
		for e := from; e < to; e++ {
			point := g.points[g.action(e)]
			if point >= 0 {
				possible[point] = int32(k) + 1
			}
			if !g.inPart(i, e) {
				continue
			}
			if point >= 0 {
				known.own[m.Moved(x, point)] = true
			}
			j, after := g.To[e], m.Compose(m.Inverse(by[e-from]), x)
			if g.frame[j] < 0 {
				g.frame[j] = after
				queue = append(queue, j)
				continue
			}
			if turn := m.Compose(m.Inverse(g.frame[j]), after); !met[turn] {
				met[turn] = true
				for point := range known.up {
					known.up[known.root(int32(point))] = known.root(m.Moved(turn, int32(point)))
				}
			}
		}
		for point, when := range possible {
			if when == int32(k)+1 {
				known.somewhere[m.Moved(x, int32(point))] = true
			} else {
				known.lacks[m.Moved(x, int32(point))] = true
			}
		}
	}
	known.share()
	var throughout, strong []int32
	for point := range int32(len(m.Members)) {
		switch {
		case known.own[point]:
		case !known.lacks[point]:
			throughout = append(throughout, point)
		case known.somewhere[point] && g.strongPoint[point]:
			strong = append(strong, point)
		}
	}
	switch {
	case throughout != nil:
		return never{action: -1, points: throughout}, leaves
	case strong != nil:
		return never{action: -1, points: strong}, divided
	}
	return never{action: -1}, goesRound
}

// turns returns, by step of a state, the symmetry that maps the successor to its
// representative.
func (g *Graph) turns(i int32) []int32 {
	g.words = g.state(g.words[:0], i)
	// no error, as the state was expanded before
	g.successors, g.by, _ = g.space.Modulo.Steps(g.successors[:0], g.by[:0], g.words)
	return g.by
}

// keep saves frames of the graph before others replace them.
func (n *never) keep(g *Graph, part []int32) {
	if n.points == nil {
		return
	}
	n.frames = map[int32]int32{}
	for _, i := range part {
		n.frames[i] = g.frame[i]
	}
}

// own returns the images of a part's points in one of the part's states.
func (g *Graph) own(dst []int32, n *never, i int32) []int32 {
	if len(n.points) == 0 {
		return dst
	}
	x, kept := n.frames[i]
	if !kept {
		x = g.frame[i]
	}
	for _, point := range n.points {
		dst = append(dst, g.space.Modulo.Moved(g.space.Modulo.Inverse(x), point))
	}
	return dst
}

// possible reports whether something that a part never takes is possible in one of its states.
func (g *Graph) possible(i int32, n *never) bool {
	if n.points == nil {
		return g.can(i, n.action)
	}
	g.some = g.own(g.some[:0], n, i)
	for _, point := range g.some {
		if g.canPoint(i, point) {
			return true
		}
	}
	return false
}

func (g *Graph) canPoint(i, point int32) bool {
	from, to := g.steps(i)
	for e := from; e < to; e++ {
		if g.points[g.action(e)] == point {
			return true
		}
	}
	return false
}

func newModulo(m *symmetry.Stabiliser, strong map[int]bool, actions map[int]int32) modulo {
	out := modulo{points: make([]int32, len(actions)), strongPoint: make([]bool, len(m.Members))}
	for number, a := range actions {
		out.points[a] = m.Point(number)
	}
	for point, members := range m.Members {
		out.strongPoint[point] = strong[members[0]]
	}
	return out
}
