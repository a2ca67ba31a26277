package checker

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec/states"
)

// Names of properties. Machines name their own, except deadlock.
const (
	deadlock   = "deadlock"
	livelock   = "livelock"
	delivery   = "delivery"
	starvation = "starvation" // a network's one response: every first packet moves on
)

// Properties lists what exploring a machine can decide: deadlock, delivery and starvation
// for a network's traffic; deadlock and the invariants and responses that it claims for
// any other machine.
func Properties(m states.Machine) []string {
	if _, ok := m.(*states.Traffic); ok {
		return []string{deadlock, delivery, starvation}
	}
	names := []string{deadlock}
	claims := states.ClaimsOf(m)
	for _, v := range claims.Invariants {
		names = append(names, cmp.Or(v.Cover, v.Name))
	}
	for _, v := range claims.Responses {
		names = append(names, v.Name)
	}
	return names
}

// choose keeps only the claims that are to be decided.
func (s *subject) choose() error {
	if len(s.opt.Properties) == 0 {
		return nil
	}
	known := Properties(s.m)
	for _, name := range s.opt.Properties {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%s: invalid property %.60q: want one of %s", s.name, name, quoted(known))
		}
	}
	if s.traffic != nil {
		s.opt.Liveness = s.wants(starvation)
		return nil
	}
	s.claims = s.wanted(s.claims)
	s.opt.Liveness = len(s.claims.Responses) > 0
	return nil
}

// wanted returns the claims that are to be decided.
func (s *subject) wanted(c states.Claims) states.Claims {
	c.Invariants = slices.DeleteFunc(slices.Clone(c.Invariants), func(v states.Invariant) bool { return !s.wants(cmp.Or(v.Cover, v.Name)) })
	c.Responses = slices.DeleteFunc(slices.Clone(c.Responses), func(r states.Response) bool { return !s.wants(r.Name) })
	return c
}

// ask adds a question if its answer is wanted.
func (s *subject) ask(q question) {
	if s.wants(cmp.Or(q.cover, q.name)) {
		s.questions = append(s.questions, q)
	}
}

// wants reports whether a property is to be decided.
func (s *subject) wants(name string) bool {
	return len(s.opt.Properties) == 0 || slices.Contains(s.opt.Properties, name)
}

func quoted(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, strconv.Quote(name))
	}
	return strings.Join(all, ", ")
}
