package star

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// How steps and states are told to readers: a FIFO by what is put and taken, a record by its fields, and an array of truth
// values as the set of keys for which it is true. None of it is evidence, which has the variables of the program.

// StepText tells what a step of a rule changes between two states, given by the values of the variables: "q: - get 0,
// at[1]: idle -> busy"; "-" if it changes nothing.
func (s *Source) StepText(rule int, before, after []int) string {
	_, transfers := s.Step(rule, before)
	s.mu.Lock()
	defer s.mu.Unlock()
	told := map[string]bool{}
	var parts []string
	for _, t := range transfers {
		told[t.FIFO] = true
		parts = append(parts, t.FIFO+": "+t.change())
	}
	within := s.fifos()
	for x := range before {
		if q := within[program.Var(x)]; before[x] != after[x] && (q == nil || !told[q.path]) {
			v := &s.b.m.p.Variables[x]
			parts = append(parts, fmt.Sprintf("%s: %s -> %s", v.Name, valueText(v, before[x]), valueText(v, after[x])))
		}
	}
	if parts == nil {
		return "-"
	}
	return strings.Join(parts, ", ")
}

// change tells a transfer without the name of the FIFO.
func (t *Transfer) change() string {
	switch {
	case t.Cleared:
		return "- all"
	case t.Sent && t.Copies == 0:
		return t.Text + " is lost"
	case t.Sent && t.Copies > 1:
		return fmt.Sprintf("+ %s, %d times", t.Text, t.Copies)
	case t.Sent:
		return "+ " + t.Text
	case t.Place > 0:
		return fmt.Sprintf("- %s, from place %d", t.Text, t.Place)
	}
	return "- " + t.Text
}

// fifos returns the FIFO of each variable that is a part of one.
func (s *Source) fifos() map[program.Var]*slot {
	of := map[program.Var]*slot{}
	var look func(p, within *slot)
	look = func(p, within *slot) {
		if _, is := p.kind.(*queue); is {
			within = p
		}
		if _, is := p.kind.(*domain); is && within != nil {
			of[p.x] = within
		}
		for _, q := range p.in {
			look(q, within)
		}
	}
	look(s.b.m.root, nil)
	return of
}

func valueText(v *program.Variable, value int) string {
	if v.Names != nil {
		return v.Names[value]
	}
	return fmt.Sprint(value)
}

// StateText tells a whole state, given by the values of the variables: "q=[get 0, put 3], r=(kind=get, v=0), has={0, 2}".
func (s *Source) StateText(state []int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	shownHere := map[program.Var]bool{}
	var parts []string
	for _, p := range s.b.m.root.in {
		parts = append(parts, s.stateOf(p, state, shownHere)...)
	}
	for x := range state { // such as whose turn it is at an arbiter
		if v := &s.b.m.p.Variables[x]; v.Values > 1 && !shownHere[program.Var(x)] {
			parts = append(parts, v.Name+"="+valueText(v, state[x]))
		}
	}
	return strings.Join(parts, ", ")
}

// stateOf tells what a variable of the file holds: an array by its elements, unless they are truth values.
func (s *Source) stateOf(p *slot, state []int, met map[program.Var]bool) (parts []string) {
	a, is := p.kind.(*array)
	if !is {
		return []string{p.path + "=" + s.heldText(p, state, met, true)}
	}
	members := []string{}
	for i, q := range p.in {
		d, plain := q.kind.(*domain)
		if !plain || len(d.values) != 2 || d.values[0] != starlark.False || d.values[1] != starlark.True {
			members = nil
			break
		}
		if met[q.x] = true; q.value(state[q.x]) == starlark.True {
			members = append(members, shown(a.keys.values[i]))
		}
	}
	if members != nil {
		return []string{p.path + "={" + strings.Join(members, ", ") + "}"}
	}
	for _, q := range p.in {
		parts = append(parts, s.stateOf(q, state, met)...)
	}
	return parts
}

// heldText tells a value, a record with or without the names of its fields, or the messages of a FIFO.
func (s *Source) heldText(p *slot, state []int, met map[program.Var]bool, fields bool) string {
	var parts []string
	switch k := p.kind.(type) {
	case *domain:
		met[p.x] = true
		v := p.value(state[p.x])
		if v == nil {
			return "-"
		}
		return shown(v)
	case *record:
		for i, q := range p.in {
			text := s.heldText(q, state, met, fields)
			if fields {
				text = k.names[i] + "=" + text
			}
			parts = append(parts, text)
		}
		if fields {
			return "(" + strings.Join(parts, ", ") + ")"
		}
		return strings.Join(parts, " ")
	case *queue:
		for _, q := range p.in {
			first := q
			for len(first.in) > 0 {
				first = first.in[0]
			}
			text := s.heldText(q, state, met, false)
			if first.occupied(state[first.x]) {
				parts = append(parts, text)
			}
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return ""
}

// holdsText says what a FIFO holds first.
func (s *Source) holdsText(p *slot, state []int) string {
	first := p.in[0]
	for len(first.in) > 0 {
		first = first.in[0]
	}
	if !first.occupied(state[first.x]) {
		return emptyText
	}
	return "at its head is " + s.heldText(p.in[0], state, map[program.Var]bool{}, false)
}

// Input says what a rule finds in the first FIFO from which it would take a message.
type Input uint8

const (
	HeldInput  Input = iota // a message
	NoInput                 // it takes none, or does not come so far
	EmptyInput              // nothing
)

// Input returns what a rule of the program finds in a state in the first FIFO from which it would take a message if all its
// conditions held: most rules test a state before they take anything.
func (s *Source) Input(rule int, state []int) Input {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.input(s.b.instances[rule], state)
}

func (s *Source) input(in instance, state []int) Input {
	if in.d.turn != nil {
		return NoInput
	}
	var met []Transfer
	a, t := s.b.newEvaluation(s.b.m, in.d, in.i)
	a.unconditional, a.seen = true, &observations{transfers: &met}
	_, err := a.call(t, decision.At(state, in.options), in.d, in.i)
	if slices.ContainsFunc(met, func(t Transfer) bool { return !t.Sent && !t.Cleared }) {
		return HeldInput
	}
	if why := new(refusal); errors.As(err, &why) && (why.empty || why.of != nil) {
		if why.empty || s.holdsText(why.of, state) == emptyText {
			return EmptyInput
		}
		return HeldInput
	}
	for _, part := range slices.Sorted(maps.Keys(a.also)) {
		if found := s.input(instance{d: &s.b.m.parts[part].declared}, state); found != NoInput {
			return found
		}
	}
	return NoInput
}

const emptyText = "it is empty"

// FaultKind says what is wrong with a step.
type FaultKind uint8

const (
	NoFault    FaultKind = iota
	OutOfRange           // a number that its variable cannot hold
	FullFIFO             // a push into a FIFO without room
	Failed               // fail(...)
	InError              // another error, such as a key that does not exist
)

// String names the property that such a fault violates, as a headline.
func (k FaultKind) String() string {
	return []string{"", "values stay in range", "no FIFO overflows", "no rule calls fail", "no rule ends with an error"}[k]
}

// FaultKind returns what is wrong with the first wrong step in a state; NoFault if that is not known.
func (s *Source) FaultKind(state []int) FaultKind {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range s.b.instances {
		if s.b.m.p.Rules[k].Guard.Holds(state) {
			if kind := s.faultKind(s.b.instances[k], state); kind != NoFault {
				return kind
			}
		}
	}
	return NoFault
}

func (s *Source) faultKind(in instance, state []int) FaultKind {
	a, t := s.b.newEvaluation(s.b.m, in.d, in.i)
	_, err := a.call(t, decision.At(state, in.options), in.d, in.i)
	var said *failure
	var far *outOfRange
	switch {
	case errors.As(err, &said):
		return Failed
	case errors.As(err, &far) && far.full != nil:
		return FullFIFO
	case errors.As(err, &far):
		return OutOfRange
	case err != nil && !errors.Is(err, errRefused):
		return InError
	}
	var parts []int
	for part := range a.also {
		parts = append(parts, part)
	}
	slices.Sort(parts)
	for _, part := range parts {
		if kind := s.faultKind(instance{d: &s.b.m.parts[part].declared}, state); kind != NoFault {
			return kind
		}
	}
	return NoFault
}
