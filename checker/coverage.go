package checker

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// mostCovered bounds the states in which rules are looked for that never fire.
const mostCovered = 1 << 20

// programMachine is a machine that is written as a program.
type programMachine interface {
	Program() *program.Program
	Values(s []uint64) []int
}

// covered returns the program whose coverage is counted; nil if it is none, or the space is
// not complete, too large, or explored modulo symmetries, which tell like actions apart.
func (s *subject) covered(x *Result) programMachine {
	m, _ := s.m.(programMachine)
	if !x.Complete || !s.exact() || x.States > mostCovered {
		return nil
	}
	return m
}

// whens counts the conditions of the rules of a file in all states.
func (s *subject) whens(ctx context.Context, space *statespace.Space, x *Result) []star.When {
	m := s.covered(x)
	if m == nil || star.SourceOf(m.Program()) == nil {
		return nil
	}
	c, err := star.SourceOf(m.Program()).Coverage(ctx)
	if err != nil || ctx.Err() != nil {
		return nil // interrupted: verdicts stand without it
	}
	count := 0
	space.Each(func(_ statespace.ID, state []uint64) bool {
		c.Count(m.Values(state))
		count++
		return count&1023 != 0 || ctx.Err() == nil
	})
	if ctx.Err() != nil {
		return nil
	}
	return c.Whens
}

// idle lists the actions of a program that no reachable state permits: a guard that is
// too strong, or a part of the protocol that nothing leads to. Most actions are met in
// the first states, so few guards are asked in all of them.
func (s *subject) idle(ctx context.Context, space *statespace.Space, x *Result) []string {
	m := s.covered(x)
	if m == nil {
		return nil
	}
	p := m.Program()
	fires := map[string]bool{}
	var rest []int
	for i := range p.Rules {
		rest = append(rest, i)
	}
	count := 0
	space.Each(func(_ statespace.ID, state []uint64) bool {
		values := m.Values(state)
		rest = slices.DeleteFunc(rest, func(i int) bool {
			if r := &p.Rules[i]; !fires[r.Name] && r.Guard.Holds(values) {
				fires[r.Name] = true
			}
			return fires[p.Rules[i].Name]
		})
		count++
		return len(rest) > 0 && (count&1023 != 0 || ctx.Err() == nil)
	})
	if ctx.Err() != nil {
		return nil
	}
	var names []string
	for _, i := range rest {
		if name := p.Rules[i].Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
