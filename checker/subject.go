package checker

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/explore"
	"github.com/seed-105a2da2/unknot/checker/internal/reduction"
	"github.com/seed-105a2da2/unknot/checker/internal/symmetry"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// subject is what one call of Explore is about: a machine in the form in which it is
// explored, the flags its states can have, and the questions those flags answer.
type subject struct {
	m           states.Machine // the reference
	q           Question
	name        string
	assumptions []words.Sentence
	claims      states.Claims

	walk      *explore.Walk
	group     *symmetry.Group // with liveness modulo symmetries
	unsliced  bool            // a slice was asked for, but leaves nothing out
	questions []question
	traffic   *states.Traffic // nil unless the machine is a network's traffic
	network   *spec.Network   // of the traffic
	ranged    bool            // whether values stay in range is asked, and not plain from the text of the program
	sums      []sums          // by worker, over the states of a walk from the start; nil: not summed
}

// question is a property that flags decide.
type question struct {
	name     string
	violated walk.Flags // states with one of these violate it
	applies  walk.Flags // if no state has one of these, the property is vacuous
	vacuous  string     // why, in that case
	cover    string     // the property shown by a state that violates this one; "" if none
}

// fault is what a run to a violating state shows.
func (q question) fault() runs.Fault {
	if q.violated == explore.Halt {
		return runs.Halt
	}
	return runs.Broken
}

// firstOf returns the lowest of the given flags that occurs.
func firstOf(flags walk.Flags, flagged *[walk.FlagBits]int64) (flag int, found bool) {
	for f := range walk.FlagBits {
		if flags&(1<<f) != 0 && flagged[f] > 0 {
			return f, true
		}
	}
	return 0, false
}

// bit returns the number of a flag.
func bit(f walk.Flags) int { return bits.TrailingZeros32(uint32(f)) }

var notionFlags = [...]walk.Flags{Local: explore.Local, Weak: explore.Weak, Global: explore.Global}

// mayLeaveRange reports whether some assignment of a program can give a variable a value that it does not have, as far as the
// bounds of each expression by itself tell. A fault in a file is such an assignment.
func mayLeaveRange(m states.Machine) bool {
	x, ok := m.(interface{ Program() *program.Program })
	if !ok {
		return false
	}
	p := x.Program()
	var leaves func(list []program.Stmt) bool
	leaves = func(list []program.Stmt) bool {
		return slices.ContainsFunc(list, func(s program.Stmt) bool {
			if !s.Assigns() {
				return leaves(s.Then) || leaves(s.Else)
			}
			least, most, err := p.Bounds(&s.Value)
			return err != nil || least < 0 || most >= p.Variables[s.Var].Values
		})
	}
	return slices.ContainsFunc(p.Rules, func(r program.Rule) bool { return leaves(r.Effect) })
}

func newSubject(ctx context.Context, m states.Machine, q Question) (*subject, error) {
	s := &subject{m: m, q: q, name: m.Name(), claims: states.ClaimsOf(m)}
	if t, ok := m.(*states.Traffic); ok {
		s.traffic, s.network, s.name, s.assumptions = t, t.Network(), t.Network().Name(), trafficAssumptions(t, deadlock)
	} else {
		s.assumptions = overNetworks(m)
	}
	if err := s.choose(); err != nil {
		return nil, err
	}
	if err := s.q.exclusions(); err != nil {
		return nil, err
	}
	switch {
	case q.Slice && s.traffic != nil:
		return nil, &QuestionError{Field: "Slice", Why: "slicing takes a program: a network has no variables to leave out"}
	case q.PartialOrder && s.traffic != nil && !s.wants(deadlock):
		return nil, &QuestionError{"PartialOrder", "Properties", "in a network, partial-order reduction preserves deadlock only"}
	}
	s.ranged = len(q.Properties) == 0 && mayLeaveRange(m)
	var err error
	if s.traffic != nil {
		err = s.askTraffic(ctx)
	} else {
		err = s.askMachine()
	}
	if err == nil && s.q.Liveness && s.q.Symmetry {
		if s.group, err = symmetry.GroupOf(s.walk.Orbits); err != nil {
			err = &QuestionError{"Symmetry", "Liveness", fmt.Sprintf("liveness modulo symmetries must follow fair rules through them (Emerson and Sistla 1997), which is not possible in %s: %v", s.name, err)}
		}
	}
	return s, err
}

// choose keeps only the claims that are to be decided.
func (s *subject) choose() error {
	if len(s.q.Properties) == 0 {
		return nil
	}
	known := Properties(s.m)
	for _, name := range s.q.Properties {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%s: invalid property %.60q: want one of %s", s.name, name, words.Quoted(known))
		}
	}
	if s.traffic != nil {
		s.q.Liveness = s.wants(starvation)
		return nil
	}
	s.claims = s.wanted(s.claims)
	s.q.Liveness = len(s.claims.Responses) > 0
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
	return len(s.q.Properties) == 0 || slices.Contains(s.q.Properties, name)
}

// askTraffic prepares the walk of a network.
func (s *subject) askTraffic(ctx context.Context) (err error) {
	const never = "no packet ever enters a channel"
	s.ask(question{deadlock, notionFlags[s.q.Notion], explore.InFlight, never, ""})
	if !s.q.PartialOrder {
		s.ask(question{delivery, explore.Lost, explore.InFlight, never, ""})
	}
	if s.q.Memory, err = explore.Bounded(s.traffic, s.q.Memory); err == nil {
		s.walk, err = explore.Traffic(ctx, s.traffic, s.q.Symmetry, s.q.PartialOrder)
	}
	return err
}

// askMachine prepares the walk of a machine that is not a network's traffic.
func (s *subject) askMachine() (err error) {
	const most = (walk.FlagBits - 1) / 2
	if len(s.claims.Invariants) > most {
		return fmt.Errorf("%s has %d invariants: at most %d are explored at a time", s.name, len(s.claims.Invariants), most)
	}
	s.ask(question{name: deadlock, violated: explore.Halt})
	for i, v := range s.claims.Invariants {
		q := question{name: v.Name, cover: v.Cover, violated: explore.Broken(i)}
		if v.Applies != nil {
			q.applies, q.vacuous = explore.Applies(i), "its premise never holds"
		}
		s.ask(q)
	}
	if s.q.PartialOrder || s.q.Slice {
		if s.walk, err = explore.Reduced(s.m, s.wanted, s.preserved(), s.q.Slice, s.q.PartialOrder); err != nil {
			return err
		}
		if c := s.walk.Slice; c != nil && !s.q.PartialOrder && len(c.Left)+c.Rules == 0 { // then there is evidence
			s.q.Slice, s.unsliced = false, true
		}
	}
	if !s.q.PartialOrder && !s.q.Slice {
		s.walk, err = explore.Machine(s.m, s.wanted, s.q.Symmetry)
	}
	return err
}

// preserved lists what the reduced state graph must preserve.
func (s *subject) preserved() reduction.Asked {
	asked := reduction.Asked{Deadlock: s.wants(deadlock)}
	for _, v := range s.claims.Invariants {
		asked.Invariants = append(asked.Invariants, v.Name)
	}
	return asked
}

// exact reports whether a complete walk finds exactly the reachable states.
func (s *subject) exact() bool {
	return !s.q.Compact && !s.q.Symmetry && !s.q.PartialOrder && !s.q.Slice
}
