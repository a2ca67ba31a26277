package explain

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// programMachine is a machine written as a program.
type programMachine interface {
	Program() *program.Program
	Values(s []uint64) []int
}

// Broken says for which instance, or in which part, an invariant of a program does not
// hold in a state, and with which values; "" for other machines.
func Broken(m states.Machine, invariant string, s []uint64) string {
	pm, ok := m.(programMachine)
	if !ok {
		return ""
	}
	p, values := pm.Program(), pm.Values(s)
	if from := star.SourceOf(p); from != nil {
		const most = 3
		all := from.Broken(invariant, values)
		if len(all) > most {
			all = append(all[:most], fmt.Sprintf("and %d more", len(all)-most))
		}
		return strings.Join(all, "; ")
	}
	k := slices.IndexFunc(p.Invariants, func(v program.Invariant) bool { return v.Name == invariant })
	if k < 0 {
		return ""
	}
	return failing(p, &p.Invariants[k].Holds, values)
}

// Refusal is a rule that is not possible in a state, and why.
type Refusal struct{ Rule, Why string }

// Refusals lists rules of a program that are not possible in a state: of those with one name the first,
// unless one of them is possible. It says why for at most most of them, and how many more there are.
func Refusals(m states.Machine, s []uint64, most int) (all []Refusal, more int) {
	pm, ok := m.(programMachine)
	if !ok {
		return nil, 0
	}
	listed, values := map[string]bool{}, pm.Values(s)
	rules := pm.Program().Rules
	for i := range rules {
		listed[rules[i].Name] = listed[rules[i].Name] || rules[i].Guard.Holds(values)
	}
	for k := range rules {
		name := rules[k].Name
		switch {
		case listed[name]:
		case len(all) < most:
			all = append(all, Refusal{name, refused(pm, k, s)})
		default:
			more++
		}
		listed[name] = true
	}
	return all, more
}

// Halted says in lines why no rule of a program is possible in a state; nil for other machines.
func Halted(m states.Machine, s []uint64) (lines []string) {
	all, more := Refusals(m, s, 12)
	for _, r := range all {
		lines = append(lines, "   "+r.Rule+": "+r.Why)
	}
	if more > 0 {
		lines = append(lines, "   ... and "+words.Plural(more, "more rule"))
	}
	return lines
}

// refused says why a rule of a program is not possible in a state: for a file, the place
// and what the file says, otherwise which part of the guard does not hold; "" if it is possible.
func refused(m programMachine, rule int, s []uint64) string {
	p, values := m.Program(), m.Values(s)
	if p.Rules[rule].Guard.Holds(values) {
		return ""
	}
	if from := star.SourceOf(p); from != nil {
		return from.Refusal(rule, values)
	}
	return failing(p, &p.Rules[rule].Guard, values)
}

// Wrong says which rule of a program takes an invalid step in a state, where and why, in the
// words of its file; "" for a program without a file whose step takes a value out of its range.
func Wrong(m states.Machine, s []uint64) string {
	pm, ok := m.(programMachine)
	if !ok {
		return ""
	}
	if star.SourceOf(pm.Program()) == nil {
		return faultOf(pm, pm.Values(s))
	}
	return star.SourceOf(pm.Program()).Fault(pm.Values(s))
}

// faultOf is the fault of the first wrong step from a state, and its rule.
func faultOf(m programMachine, values []int) string {
	p, taken := m.Program(), 0
	err := p.Each(values, func(int, []int) { taken++ })
	var fault *program.FaultError
	if !errors.As(err, &fault) {
		return ""
	}
	for i := range p.Rules {
		if r := &p.Rules[i]; r.Guard.Holds(values) {
			if taken == 0 {
				return fmt.Sprintf("%s (rule %q)", fault.Fault, r.Name)
			}
			taken--
		}
	}
	return fault.Fault
}

// failing says which conjunct of a condition does not hold, and the values that it reads.
func failing(p *program.Program, e *program.Expr, values []int) string {
	type part struct {
		e        *program.Expr
		contrary bool
	}
	var parts []part
	var split func(e *program.Expr, contrary bool)
	split = func(e *program.Expr, contrary bool) {
		switch {
		case e.Op == program.Negation:
			split(&e.Args[0], !contrary)
		case e.Op == program.Conjunction && !contrary, e.Op == program.Disjunction && contrary && len(e.Args) > 0:
			for i := range e.Args {
				split(&e.Args[i], contrary)
			}
		default:
			parts = append(parts, part{e, contrary})
		}
	}
	split(e, false)
	k := slices.IndexFunc(parts, func(x part) bool { return x.e.Holds(values) == x.contrary })
	if k < 0 {
		return ""
	}
	text := Condition(p, parts[k].e)
	if parts[k].contrary {
		text = "not (" + text + ")"
	}
	if len(parts) > 1 {
		text = fmt.Sprintf("condition %d of %d: %s", k+1, len(parts), text)
	}
	if read := readings(p, parts[k].e, values); read != "" {
		text += ", where " + read
	}
	return text
}

// readings lists the variables that a condition reads, with their values.
func readings(p *program.Program, e *program.Expr, values []int) string {
	const most = 12
	var read []string
	var look func(e *program.Expr)
	look = func(e *program.Expr) {
		if e.Op == program.Read {
			v := &p.Variables[e.Value]
			if text := v.Name + "=" + valueName(v, values[e.Value]); !slices.Contains(read, text) {
				read = append(read, text)
			}
		}
		for i := range e.Args {
			look(&e.Args[i])
		}
	}
	look(e)
	if len(read) > most {
		read = append(read[:most], "...")
	}
	return strings.Join(read, ", ")
}

// Stuck says what a deadlock of a network is, in the words of every other one.
func Stuck() words.Sentence {
	return findings.Say(findings.Blocked{What: words.Count{Of: "packet"}})
}
