package checker

import (
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/internal/reduction"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// The words for a program that was explored in part (package reduction).

// explored names one unit of what an exploration visited.
func (s *subject) explored() string {
	switch {
	case s.traffic == nil && (s.q.PartialOrder || s.q.Slice):
		return "state of the reduced state graph"
	case s.unsliced:
		return "reachable state (a slice leaves nothing out)"
	}
	return "reachable state"
}

// bits is the size of an explored state.
func (s *subject) bits() int {
	if s.walk.Slice != nil {
		return s.walk.Machine.Layout().Bits()
	}
	return s.m.Layout().Bits()
}

// reduced says what was left out, and why no verdict depends on it.
func (s *subject) reduced() (lines []string) {
	switch {
	case s.q.Symmetry:
		return []string{"symmetry: one state of each orbit under " + s.walk.Orbits.How()}
	case s.q.PartialOrder && s.traffic != nil:
		return []string{"partial order: of ejections, which leads to the same deadlocks"}
	}
	if c := s.walk.Slice; c != nil {
		lines = append(lines, "slice: "+leftOut(c))
	}
	if s.q.PartialOrder {
		lines = append(lines, "partial order: each state takes a stubborn set of its steps (Valmari 1990): the others lead to no other deadlock, and to no violation sooner")
	}
	return lines
}

// leftOut counts what a slice lacks, and names the first variables.
func leftOut(c *reduction.Slice) string {
	const most = 6
	var what []string
	if n := len(c.Left); n > 0 {
		names := strings.Join(c.Left[:min(n, most)], ", ")
		if n > most {
			names += ", ..."
		}
		what = append(what, fmt.Sprintf("%s (%s)", words.Plural(n, "variable"), names))
	}
	if c.Rules > 0 {
		what = append(what, words.Plural(c.Rules, "rule"))
	}
	if len(what) == 0 {
		return "nothing was left out: the property depends on all variables"
	}
	return strings.Join(what, " and ") + " left out: no property, no guard that a property needs and no assignment that may leave its range depends on them"
}

func (s *subject) reduction() string {
	switch {
	case s.q.Symmetry:
		return ", one of each orbit under " + s.walk.Orbits.How()
	case s.q.PartialOrder && s.traffic != nil:
		return ", with partial-order reduction of ejections"
	}
	return ""
}
