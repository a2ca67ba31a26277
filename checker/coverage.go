package checker

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// mostCovered bounds the states that are searched for rules that never fire.
const mostCovered = 1 << 20

// programMachine is a machine written as a program.
type programMachine interface {
	Program() *program.Program
	Values(s []uint64) []int
}

// covered returns the machine if its coverage can be counted: a program whose space is complete,
// small enough, and explored without reductions (symmetries merge actions that coverage tells apart).
func (s *subject) covered(x *Result) programMachine {
	m, _ := s.m.(programMachine)
	if !x.Complete || !s.exact() || x.States > mostCovered {
		return nil
	}
	return m
}

// uncounted says why coverage was not counted.
func (s *subject) uncounted(x *Result, found bool) string {
	switch {
	case s.traffic != nil:
		return "a network has no rules"
	case found:
		return "not all states were explored; --whole explores past a violation"
	case !x.Complete:
		return "not all states were explored"
	case !s.exact():
		return "with symmetry reduction one state stands for several, and in compact storage a hash for a state"
	case x.States > mostCovered:
		return fmt.Sprintf("there are more than %d states", mostCovered)
	}
	return "it is about rules as data"
}

// whens counts, over all states, how often the conditions of a file's rules hold and refuse.
func (s *subject) whens(ctx context.Context, space visited, x *Result) []star.When {
	m := s.covered(x)
	if m == nil || star.SourceOf(m.Program()) == nil {
		return nil
	}
	c, err := star.SourceOf(m.Program()).Coverage(ctx)
	if err != nil || ctx.Err() != nil {
		return nil // interrupted: the verdicts stand without coverage
	}
	for state := range each(ctx, space) {
		c.Count(m.Values(state))
	}
	if ctx.Err() != nil {
		return nil
	}
	return c.Whens
}

// fired counts the steps of each rule over all states; their sum is the number of transitions.
func (s *subject) fired(ctx context.Context, space visited, x *Result) (all []Fired) {
	m := s.covered(x)
	if m == nil || s.walk.Labels == nil {
		return nil
	}
	p, from := m.Program(), star.SourceOf(m.Program())
	place := make([]int, len(p.Rules)) // by rule, its index in all
	for i := range p.Rules {
		name := p.Rules[i].Name
		if from != nil {
			name = from.Declared(i)
		}
		if place[i] = slices.IndexFunc(all, func(f Fired) bool { return f.Rule == name }); place[i] < 0 {
			place[i] = len(all)
			all = append(all, Fired{Rule: name})
		}
	}
	var rules []int32
	for state := range each(ctx, space) {
		rules = s.walk.Labels(rules[:0], state)
		for _, i := range rules {
			all[place[i]].Steps++
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return all
}

// idle lists the actions of a program that no reachable state permits: their guard is
// too strong, or nothing leads to that part of the protocol. Unless the walk recorded
// which rules it took, states are searched until every action has been seen.
func (s *subject) idle(ctx context.Context, space visited, r *walk.Result, x *Result) (names []string) {
	m := s.covered(x)
	if m == nil || s.walk.Labels == nil {
		return nil
	}
	p := m.Program()
	fires := map[string]bool{}
	for _, r := range p.Rules {
		fires[r.Name] = false
	}
	left := len(fires)
	met := func(rule int32) {
		if name := p.Rules[rule].Name; !fires[name] {
			fires[name] = true
			left--
		}
	}
	if s.walk.Taken != nil && s.walk.Taken(r.Taken, met) {
		left = 0
	}
	fired := make([]bool, len(p.Rules))
	var rules []int32
	for state := range each(ctx, space) {
		if left == 0 {
			break
		}
		rules = s.walk.Labels(rules[:0], state)
		for _, i := range rules {
			if !fired[i] {
				fired[i] = true
				met(i)
			}
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	for _, r := range p.Rules {
		if !fires[r.Name] && !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}
