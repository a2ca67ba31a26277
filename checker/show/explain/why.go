package explain

import (
	"cmp"
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

// Refusals lists rules of a program that are not possible in a state, those first that lack the fewest conditions. Of these,
// rules whose FIFO holds a message come first, and those whose FIFO is empty last. Of those with one name it lists the
// nearest, unless one of them is possible. It says why for at most most of them, and how many more there are.
func Refusals(m states.Machine, s []uint64, most int) (all []Refusal, more int) {
	pm, ok := m.(programMachine)
	if !ok {
		return nil, 0
	}
	values, rules, distance := pm.Values(s), pm.Program().Rules, map[string]int{}
	var near []int // the nearest rule of each name
	for k := range rules {
		far, _ := lacking(&rules[k].Guard, values)
		before, known := distance[rules[k].Name]
		switch {
		case !known:
			near = append(near, k)
		case far < before:
			near[slices.IndexFunc(near, func(i int) bool { return rules[i].Name == rules[k].Name })] = k
		default:
			continue
		}
		distance[rules[k].Name] = far
	}
	near = slices.DeleteFunc(near, func(k int) bool { return distance[rules[k].Name] == 0 })
	from := star.SourceOf(pm.Program())
	input := map[int]star.Input{}
	if from != nil {
		for _, k := range near {
			input[k] = from.Input(k, values)
		}
	}
	slices.SortStableFunc(near, func(a, b int) int {
		return cmp.Or(cmp.Compare(distance[rules[a].Name], distance[rules[b].Name]), cmp.Compare(input[a], input[b]))
	})
	for _, k := range near[:min(most, len(near))] {
		all = append(all, Refusal{rules[k].Name, refused(pm, k, s)})
	}
	return all, max(0, len(near)-most)
}

// lacking returns how many parts of a condition would have to change to make it true, and to make it false.
func lacking(e *program.Expr, values []int) (yes, no int) {
	const never = 1 << 30
	sums, least := [2]int{}, [2]int{never, never}
	if e.Op == program.Conjunction || e.Op == program.Disjunction {
		for i := range e.Args {
			y, n := lacking(&e.Args[i], values)
			sums[0], sums[1] = min(never, sums[0]+y), min(never, sums[1]+n)
			least[0], least[1] = min(least[0], y), min(least[1], n)
		}
	}
	switch e.Op {
	case program.Conjunction:
		return sums[0], least[1]
	case program.Disjunction:
		return least[0], sums[1]
	case program.Negation:
		no, yes = lacking(&e.Args[0], values)
		return yes, no
	}
	if e.Holds(values) {
		return 0, 1
	}
	return 1, 0
}

// Halted says in lines what a state is in which no rule of a program is possible, and why; nil for other machines.
func Halted(m states.Machine, s []uint64) (lines []string) {
	all, more := Refusals(m, s, 12)
	if _, is := m.(programMachine); is {
		lines = append(lines, "   in "+StateText(m, s))
	}
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
