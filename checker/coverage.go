package checker

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// mostCovered bounds the states in which rules are looked for that never fire.
const mostCovered = 1 << 20

// idle lists the actions of a program that no reachable state permits: a guard that is
// too strong, or a part of the protocol that nothing leads to. Most actions are met in
// the first states, so few guards are asked in all of them. It is nil if the space is not
// complete, too large, or explored modulo symmetries, which tell like actions apart.
func (s *subject) idle(ctx context.Context, space *statespace.Space, x *Result) []string {
	m, ok := s.m.(interface {
		Program() *program.Program
		Values(s []uint64) []int
	})
	if !ok || !x.Complete || !s.exact() || x.States > mostCovered {
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
