package symmetry

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/compiled"
	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/orbit"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
)

// What symmetries do to fair actions and to responses, for liveness.
//
// A symmetry maps the steps of a rule to the steps of a rule that is as fair (Confirm). If
// it maps all rules of a fair action to those of one, a run is fair if and only if its
// image is. Actions of like rules are one point here: whatever a symmetry maps one of them
// to, it may map the other to. So each symmetry is a permutation of points, and the product
// of two symmetries is the product of their permutations.

// Group is the symmetries of a program and what they do to states and to fair actions.
// Symmetries are numbered; 0 is the identity. It is not safe for concurrent use.
type Group struct {
	*orbit.Group
	Members [][]int // by point, the numbers of its actions, ascending

	machine *compiled.Machine
	points  []int32   // by number of an action; -1: not fair
	moves   [][]int32 // by symmetry and point: its image
	images  []symmetryFunc
	inverse []int32
	compare *meanings
}

// GroupOf returns the symmetries by which a program's orbits are made. The error says why
// it is not known what they do to fair actions.
func GroupOf(o Orbits) (*Group, error) {
	r, ok := o.(*renamedOrbits)
	if !ok {
		const how = "its symmetries are verified in every state, not on its rules, so it is not known how they map fair rules"
		if c, ok := o.(*checkedOrbits); ok && c.unconfirmed != nil {
			return nil, fmt.Errorf("%s: %w", how, c.unconfirmed)
		}
		return nil, errors.New(how)
	}
	m, ok := r.Machine.(*compiled.Machine)
	if !ok {
		return nil, errors.New(
			"a network has a response and rules for each channel, and it is not known how symmetries map them")
	}
	p := m.Program()
	renamings, err := Fieldwise(p)
	if err != nil {
		return nil, err
	}
	closed, ok := orbit.NewGroup(renamings)
	if !ok {
		return nil, errors.New("its symmetries are not a group: the product of two is not among them")
	}
	closed.Renamings[0].To = graph.Identity[int](len(p.Variables)) // also if there are no others
	g := &Group{Group: closed, machine: m, compare: newMeanings(p, len(closed.Generators))}
	c := g.compare
	plain := func(r program.Renaming) func(*program.Rule) (int, error) { return c.renamed(r).rule }
	trees := func(r program.Renaming) func(*program.Rule) (int, error) { return c.treesOf(c.renamed(r)).rule }
	if g.followActions(c.before.rule, plain) != nil {
		if err := g.followActions(c.trees.rule, trees); err != nil {
			return nil, err
		}
	}
	for a, r := range g.Renamings {
		g.images = append(g.images, r.Of(m.Layout()))
		g.inverse = append(g.inverse, g.Group.Inverse(int32(a)))
	}
	return g, nil
}

// followActions makes points of fair actions, by the terms of their rules, and finds the
// images of the points.
func (g *Group) followActions(
	before func(*program.Rule) (int, error), after func(program.Renaming) func(*program.Rule) (int, error),
) error {
	p := g.machine.Program()
	g.points, g.Members, g.moves = make([]int32, len(p.Rules)), nil, make([][]int32, g.Order())
	keys, names, err := actionTerms(p, before)
	if err != nil {
		return err
	}
	number := map[string]int32{}
	for i, key := range keys {
		if g.points[i] = -1; key == "" {
			continue
		}
		point, known := number[key]
		if !known {
			point = int32(len(g.Members))
			number[key] = point
			g.Members = append(g.Members, nil)
		}
		g.points[i], g.Members[point] = point, append(g.Members[point], i)
	}
	var by [][]int32
	for _, k := range g.Generators {
		keys, _, err := actionTerms(p, after(p.Renamings[k]))
		if err != nil {
			return err
		}
		becomes, taken := make([]int32, len(g.Members)), make([]bool, len(g.Members))
		for i := range g.Members {
			becomes[i] = -1
		}
		for i, key := range keys {
			if key == "" {
				continue
			}
			from := g.points[i]
			to, known := number[key]
			if !known || becomes[from] >= 0 && becomes[from] != to || becomes[from] < 0 && taken[to] ||
				len(g.Members[from]) != len(g.Members[to]) {
				return fmt.Errorf("a symmetry maps the rules of %q, which are fair together, to rules that are not",
					names[i])
			}
			becomes[from], taken[to] = to, true
		}
		by = append(by, becomes)
	}
	for a := range g.moves {
		g.moves[a] = make([]int32, len(g.Members))
		for point := range g.moves[a] {
			g.moves[a][point] = int32(point)
			if a > 0 {
				of, generator := g.Made(int32(a))
				g.moves[a][point] = by[generator][g.moves[of][point]]
			}
		}
	}
	return nil
}

// actionTerms returns, by number of a fair action, what its rules mean, and its name; "" for
// other actions.
func actionTerms(p *program.Program, term func(*program.Rule) (int, error)) (keys, names []string, err error) {
	first := map[string]int{}
	all := make([][]int, len(p.Rules))
	names = make([]string, len(p.Rules))
	for i := range p.Rules {
		r := &p.Rules[i]
		if r.Unfair {
			continue
		}
		id, err := term(r)
		if err != nil {
			return nil, nil, fmt.Errorf("rule %q: %w", r.Name, err)
		}
		if _, known := first[r.Name]; !known {
			first[r.Name] = i
			names[i] = r.Name
		}
		all[first[r.Name]] = append(all[first[r.Name]], id)
	}
	keys = make([]string, len(p.Rules))
	for i, ids := range all {
		if slices.Sort(ids); len(ids) > 0 {
			keys[i] = fmt.Sprint(ids)
		}
	}
	return keys, names, nil
}

// Point returns the point of an action, by its number, or -1 if it is not fair.
func (g *Group) Point(action int) int32 { return g.points[action] }

// Moved returns the image of a point under a symmetry.
func (g *Group) Moved(by, point int32) int32 { return g.moves[by][point] }

// Inverse returns the inverse of a symmetry.
func (g *Group) Inverse(a int32) int32 { return g.inverse[a] }

// Image returns the image of a state under a symmetry.
func (g *Group) Image(by int32, s []uint64) []uint64 { return g.images[by](nil, s) }

// Stabiliser is the symmetries that map a response to itself, and the program modulo
// those.
type Stabiliser struct {
	walk.Machine
	*Group
	Symmetries []int32 // ascending; the first is 0
	// Like gives, by index of a response of the program, a symmetry that maps this response to
	// it; -1: none does.
	Like []int32

	least *orbit.Least
}

// Stabiliser returns the stabiliser of a response, by its index, as far as the way responses
// are written shows it.
func (g *Group) Stabiliser(response int) (*Stabiliser, error) {
	p := g.machine.Program()
	s := &Stabiliser{Group: g, Like: slices.Repeat([]int32{-1}, len(p.Responses))}
	for a, r := range g.Renamings {
		for _, is := range g.becomes(response, r) {
			if s.Like[is] < 0 {
				s.Like[is] = int32(a)
			}
			if is == response {
				s.Symmetries = append(s.Symmetries, int32(a))
			}
		}
	}
	found := s.Symmetries
	_, s.Symmetries = bfs.Reach(found, func(a int32, visit func(int32)) { // makes it a group even if some were missed
		for _, b := range found {
			visit(g.Compose(a, b))
		}
	})
	slices.Sort(s.Symmetries)
	var renamings []orbit.Renaming
	for _, a := range s.Symmetries[1:] {
		renamings = append(renamings, g.Renamings[a])
	}
	var err error
	if s.least, err = orbit.New(g.machine.Layout(), renamings); err != nil {
		return nil, err
	}
	s.Machine = &renamedOrbits{Machine: g.machine, least: s.least}
	return s, nil
}

// becomes returns the indices of the images of a response under a renaming, as far as they
// are known.
func (g *Group) becomes(response int, by orbit.Renaming) (is []int) {
	r := program.Renaming{Values: map[program.Var][]int{}}
	for _, to := range by.To {
		r.Vars = append(r.Vars, program.Var(to))
	}
	for i, table := range by.Values {
		for _, v := range table {
			r.Values[program.Var(i)] = append(r.Values[program.Var(i)], int(v))
		}
	}
	all, after := g.machine.Program().Responses, g.compare.renamed(r)
	alike := func(term func(*program.Expr) (int, error), id int, err error) {
		for k := 0; err == nil && k < len(all); k++ {
			if other, err := term(&all[k].Pending); err == nil && other == id {
				is = append(is, k)
			}
		}
	}
	e := &all[response].Pending
	id, err := after.truth(e)
	if alike(g.compare.before.truth, id, err); len(is) == 0 {
		id, err = g.compare.treesOf(after).condition(nil, e)
		alike(func(e *program.Expr) (int, error) { return g.compare.trees.condition(nil, e) }, id, err)
	}
	return is
}

// How says how many symmetries there are, and how they were verified.
func (s *Stabiliser) How() string {
	return count(len(s.Symmetries)) + " that keep it, verified on its rules"
}

// Whole reports whether all symmetries map the response to itself.
func (s *Stabiliser) Whole() bool { return len(s.Symmetries) == s.Order() }

// Steps does what AppendSuccessors does, and appends the symmetries that map the successors to their
// representatives.
func (s *Stabiliser) Steps(dst []uint64, by []int32, state []uint64) ([]uint64, []int32, error) {
	at := len(dst)
	dst, err := s.machine.AppendSuccessors(dst, state)
	for ; at < len(dst); at += len(state) {
		k, _ := s.least.ReplaceBy(dst[at : at+len(state)])
		by = append(by, s.Symmetries[k])
	}
	return dst, by, err
}

// Orbit returns how many states a representative stands for.
func (s *Stabiliser) Orbit(state []uint64) int {
	state = slices.Clone(state)
	_, ways := s.least.ReplaceBy(state)
	return len(s.Symmetries) / cmp.Or(ways, 1)
}
