package star

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// A program says whether a rule is possible and what it changes; its file says why. So
// properties of one state are found by running a function again in that state, and
// recording what when, push and pop do. None of it is evidence.

// Source is the file that a program was made from. It is safe for concurrent use.
type Source struct {
	b    *builder
	text []byte
	mu   sync.Mutex // functions run one at a time
}

// SourceOf returns the file that a program was made from; nil if it was not made from one, or
// has been changed since, or is a copy.
func SourceOf(p *program.Program) *Source {
	s, ok := p.Source.(*Source)
	if !ok || s.b.m.p != p || len(s.b.instances) != len(p.Rules) {
		return nil
	}
	return s
}

// Declared returns the name under which a rule of the program is declared, for all of its
// keys.
func (s *Source) Declared(rule int) string { return s.b.instances[rule].d.name }

// Symmetry returns where the file states the symmetries that make a renaming of the program: the
// first place and, if there are several, the others as text.
func (s *Source) Symmetry(renaming int) (file string, line, col int, others string) {
	g := s.b.m.group
	var at []position
	for _, k := range g.made[renaming+1] {
		if !slices.Contains(at, g.at[k]) {
			at = append(at, g.at[k])
		}
	}
	for _, p := range at[1:] {
		others += fmt.Sprintf(" and %s:%d:%d", p.file, p.line, p.col)
	}
	return at[0].file, int(at[0].line), int(at[0].col), others
}

// Refusal says where and why a rule of the program is refused in a state, given by the
// values of the variables; "" if it is possible.
func (s *Source) Refusal(rule int, state []int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refusal(s.b.instances[rule], state)
}

func (s *Source) refusal(in instance, state []int) string {
	if of := in.d.turn; of != nil && !of.guard.Holds(state) {
		return in.d.place().String() + ": it is the turn of others to push into " + of.of.fifo.path
	}
	a, t := s.b.newEvaluation(s.b.m, in.d, in.i)
	a.seen = &observations{}
	_, err := a.call(t, decision.At(state, in.options), in.d, in.i)
	if why := new(refusal); errors.As(err, &why) {
		at, _ := innermost(s.b.file, err)
		at = in.d.citationOf(in.i, at)
		switch {
		case why.why != "":
			return at.String() + ": " + oneLine(why.why)
		case why.by != nil:
			return why.by.at.String() + ": " + s.where(in.d, in.i, state, why.by.text, why.by.looked)
		}
		return at.String() + ": " + oneLine(s.line(at))
	}
	for _, part := range slices.Sorted(maps.Keys(a.also)) {
		if why := s.refusal(instance{d: &s.b.m.parts[part].declared}, state); why != "" {
			return why
		}
	}
	return ""
}

// Fault returns which rule has a wrong step in a state, where, and what is wrong there; "" if
// that is not known. In the program a fault is a variable, which several at one place may share.
func (s *Source) Fault(state []int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.b.m.p
	for k := range s.b.instances {
		if !p.Rules[k].Guard.Holds(state) {
			continue
		}
		if text := s.fault(s.b.instances[k], state); text != "" {
			return p.Rules[k].Name + ": " + text
		}
	}
	return ""
}

func (s *Source) fault(in instance, state []int) string {
	a, t := s.b.newEvaluation(s.b.m, in.d, in.i)
	_, err := a.call(t, decision.At(state, in.options), in.d, in.i)
	if err != nil && !errors.Is(err, errRefused) {
		at, cause := innermost(s.b.file, err)
		return in.d.citationOf(in.i, at).String() + ": " + oneLine(advised(cause.Error()))
	}
	for _, part := range slices.Sorted(maps.Keys(a.also)) {
		if text := s.fault(instance{d: &s.b.m.parts[part].declared}, state); text != "" {
			return text
		}
	}
	return ""
}

// line returns a line of the file, as it is written.
func (s *Source) line(at position) string {
	lines := strings.Split(string(newlines(s.text)), "\n")
	if at.file != s.b.file || int(at.line) > len(lines) {
		return "a condition does not hold"
	}
	return strings.TrimSpace(lines[at.line-1])
}

// Broken says why an invariant of the program does not hold in a state, once for each key
// for which it fails: the part of the condition that decides, and the values that it
// read, such as `msi.star:56:60: s.state[a] != "M", where a=0, b=1, state[0]=M`.
func (s *Source) Broken(invariant string, state []int) (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.b.m.rules {
		d := &s.b.m.rules[r]
		if d.property() != invariant || !slices.Contains([]string{"invariant", "never", "reach"}, d.what) {
			continue
		}
		for i := range d.over.args {
			a, t := s.b.newEvaluation(s.b.m, d, i)
			a.seen = &observations{}
			v, err := a.call(t, decision.At(state, nil), d, i)
			if err == nil && v == starlark.Bool(d.what == "invariant") || err != nil && d.what == "reach" {
				continue
			}
			all = append(all, s.why(d, i, state, a, err))
		}
	}
	return all
}

// why returns why an instance of a property fails: from what its function met, and the
// error, if any, with which it ended.
func (s *Source) why(d *declared, i int, state []int, a *evaluation, err error) string {
	at, text, looked := position{}, "", a.run.Looked
	if err != nil {
		at, err = innermost(s.b.file, err)
		text = oneLine(err.Error())
	} else {
		// Every return has marked its parts, so there is a reason.
		reason := a.seen.decidingReason(d.what != "invariant")
		if at, text = reason.at, reason.text; len(reason.looked) > 0 {
			looked = reason.looked
		}
	}
	return at.String() + ": " + s.where(d, i, state, text, looked)
}

// where adds to a text which instance it is about, and the values of variables.
func (s *Source) where(d *declared, i int, state []int, text string, looked []program.Var) string {
	var words []string
	for k, x := range d.over.args[i] {
		name, _ := d.f.Param(k + 1)
		words = append(words, name+"="+shown(x))
	}
	if words = append(words, s.values(looked, state)...); len(words) > 0 {
		text += ", where " + strings.Join(words, ", ")
	}
	return text
}

// values describes the values of variables, of at most 12.
func (s *Source) values(of []program.Var, state []int) (words []string) {
	const most = 12
	told := map[program.Var]bool{}
	for _, x := range of {
		switch {
		case told[x]:
			continue
		case len(told) == most:
			return append(words, "...")
		}
		told[x] = true
		v := &s.b.m.p.Variables[x]
		value := fmt.Sprint(state[x])
		if v.Names != nil {
			value = v.Names[state[x]]
		}
		words = append(words, v.Name+"="+value)
	}
	return words
}

// Step returns who takes the step of a rule of the program in a state where it is possible,
// and which messages it sends and receives, in order.
func (s *Source) Step(rule int, state []int) (by string, all []Transfer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.b.instances[rule]
	s.transfers(in, state, &all)
	return in.d.actor(in.i), all
}

func (s *Source) transfers(in instance, state []int, all *[]Transfer) {
	a, t := s.b.newEvaluation(s.b.m, in.d, in.i)
	a.seen = &observations{transfers: all}
	if _, err := a.call(t, decision.At(state, in.options), in.d, in.i); err != nil {
		return
	}
	for _, part := range slices.Sorted(maps.Keys(a.also)) {
		s.transfers(instance{d: &s.b.m.parts[part].declared}, state, all)
	}
}

// Waiting returns how many messages each FIFO holds in a state, by its name; empty FIFOs
// are left out.
func (s *Source) Waiting(state []int) map[string]int {
	all := map[string]int{}
	var look func(p *slot)
	look = func(p *slot) {
		_, isQueue := p.kind.(*queue)
		for _, q := range p.in {
			look(q)
			for isQueue && len(q.in) > 0 {
				q = q.in[0]
			}
			if isQueue && q.occupied(state[q.x]) {
				all[p.path]++
			}
		}
	}
	look(s.b.m.root)
	return all
}
