package explain

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
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
	_, why := failing(p, &p.Invariants[k].Holds, values)
	return why
}

// Refusal says why rules that are declared together, such as one for each key, are not possible in a state.
type Refusal struct {
	Rule, Why string   // the nearest, and its reason
	Like      []string // others that the same condition refuses
}

// String tells the rule, why, and which others.
func (r Refusal) String() string {
	const most = 3
	text := r.Rule + ": " + r.Why
	if names := r.Like; len(names) > most {
		text += "; likewise " + strings.Join(names[:most], ", ") + " and " + words.Plural(len(names)-most, "more rule")
	} else if len(names) > 0 {
		text += "; likewise " + strings.Join(names, ", ")
	}
	return text
}

// Refusals lists rules of a program that are not possible in a state, those first that lack the fewest conditions. Of these,
// rules whose FIFO holds a message come first, and those whose FIFO is empty last; then those that must be taken some time
// before requests from outside; then those of which the most conditions hold. Of those with one name it lists the
// nearest, unless one of them is possible. It says why for at most most of them, and how many more there are.
func Refusals(m states.Machine, s []uint64, most int) (all []Refusal, more int) {
	pm, ok := m.(programMachine)
	if !ok {
		return nil, 0
	}
	return refusals(pm, s, most, func(string) bool { return true })
}

// refusals lists those of the rules whose names are wanted.
func refusals(pm programMachine, s []uint64, most int, wanted func(name string) bool) (all []Refusal, more int) {
	values, rules, from := pm.Values(s), pm.Program().Rules, star.SourceOf(pm.Program())
	var near []closeness
	byName := map[string]int{}
	for k := range rules {
		c, guard := closeness{rule: k}, &rules[k].Guard
		if from == nil {
			guard = Simplified(pm.Program(), guard)
		}
		c.lacks, _, c.holds = lacking(guard, values)
		if i, known := byName[rules[k].Name]; !known {
			byName[rules[k].Name] = len(near)
			near = append(near, c)
		} else if c.lacks < near[i].lacks {
			near[i] = c
		}
	}
	near = slices.DeleteFunc(near, func(c closeness) bool { return c.lacks == 0 || !wanted(rules[c.rule].Name) })
	if from != nil {
		for i := range near {
			near[i].input = from.Input(near[i].rule, values)
		}
	}
	unfair := map[bool]int{true: 1}
	slices.SortStableFunc(near, func(a, b closeness) int {
		return cmp.Or(cmp.Compare(a.lacks, b.lacks), cmp.Compare(a.input, b.input),
			cmp.Compare(unfair[rules[a.rule].Unfair], unfair[rules[b.rule].Unfair]), cmp.Compare(b.holds, a.holds))
	})
	// Rules are declared together if they stand at one place of the file.
	type declared struct {
		at, refused string
		lacks       int
		input       star.Input
	}
	first := map[declared]int{}
	for _, c := range near {
		r := &rules[c.rule]
		place, why := refused(pm, c.rule, s)
		together := declared{r.Where.Clause(), place, c.lacks, c.input}
		if i, known := first[together]; known && together.at != "" {
			all[i].Like = append(all[i].Like, r.Name)
			continue
		}
		if len(all) == most {
			more++
			continue
		}
		if first[together] = len(all); from != nil {
			why = place + ": " + why
		}
		all = append(all, Refusal{Rule: r.Name, Why: why})
	}
	return all, more
}

// closeness is how near a rule is to being possible in a state.
type closeness struct {
	rule, lacks, holds int // its number, and how many of its conditions do not hold, and do
	input              star.Input
}

// never is the distance of a condition that no values make true.
const never = 1 << 30

// lacking returns how many parts of a condition would have to change to make it true, and to make it false, and how many
// parts of the nearest case hold.
func lacking(e *program.Expr, values []int) (yes, no, holds int) {
	sums, least := [2]int{}, [2]int{never, never}
	if e.Op == program.Conjunction || e.Op == program.Disjunction {
		for i := range e.Args {
			y, n, h := lacking(&e.Args[i], values)
			sums[0], sums[1] = min(never, sums[0]+y), min(never, sums[1]+n)
			if y < least[0] || e.Op == program.Conjunction {
				holds = h + map[bool]int{true: holds}[e.Op == program.Conjunction]
			}
			least[0], least[1] = min(least[0], y), min(least[1], n)
		}
	}
	switch {
	case e.Op == program.Conjunction && contradictory(e.Args):
		return never, 0, 0
	case e.Op == program.Conjunction:
		return sums[0], least[1], holds
	case e.Op == program.Disjunction:
		return least[0], sums[1], holds
	case e.Op == program.Negation:
		no, yes, _ = lacking(&e.Args[0], values)
		if yes == 0 {
			holds = 1
		}
		return yes, no, holds
	case e.Holds(values):
		return 0, 1, 1
	}
	return 1, 0, 0
}

// contradictory reports whether two of the conditions are that something is a number and that it is not, or is another.
func contradictory(all []program.Expr) bool {
	for i := range all {
		x := &all[i]
		if x.Op != program.Equal || x.Args[0].Op != program.Read || x.Args[1].Op != program.Constant {
			continue
		}
		for k := range all {
			y := &all[k]
			if (y.Op == program.Equal || y.Op == program.NotEqual) && y.Args[0].Op == program.Read &&
				y.Args[0].Value == x.Args[0].Value && y.Args[1].Op == program.Constant &&
				(y.Op == program.Equal) != (y.Args[1].Value == x.Args[1].Value) {
				return true
			}
		}
	}
	return false
}

// Halted says in lines what a state is in which no rule of a program is possible, and why; nil for other machines.
func Halted(m states.Machine, s []uint64) (lines []string) {
	pm, is := m.(programMachine)
	if !is {
		return nil
	}
	return append([]string{"   in " + StateText(m, s)}, refusalLines(pm, s, func(string) bool { return true })...)
}

// refusalLines lists rules that are not possible in a state, of those whose names are wanted.
func refusalLines(m programMachine, s []uint64, wanted func(name string) bool) (lines []string) {
	const most = 12
	all, more := refusals(m, s, most, wanted)
	for _, r := range all {
		lines = append(lines, "   "+r.String())
	}
	if more > 0 {
		lines = append(lines, "   ... and "+words.Plural(more, "more rule"))
	}
	return lines
}

// refused says at which place and why a rule of a program is not possible in a state: of a file what it says, otherwise
// which part of the guard does not hold; "" if it is possible.
func refused(m programMachine, rule int, s []uint64) (place, why string) {
	p, values := m.Program(), m.Values(s)
	if p.Rules[rule].Guard.Holds(values) {
		return "", ""
	}
	if from := star.SourceOf(p); from != nil {
		return from.Refusal(rule, values)
	}
	part, why := failing(p, &p.Rules[rule].Guard, values)
	return strconv.Itoa(part), why
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

// failing says which conjunct of a condition does not hold, by its number, and the values that it reads. What the parts
// before it decide, as a switch leaves it, is left out.
func failing(p *program.Program, e *program.Expr, values []int) (part int, text string) {
	whole := e
	if e = Simplified(p, e); e.Op == program.Disjunction && len(e.Args) == 0 {
		return 0, "no values make it true: " + Condition(p, whole)
	}
	type conjunct struct {
		e        *program.Expr
		contrary bool
	}
	var parts []conjunct
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
			parts = append(parts, conjunct{e, contrary})
		}
	}
	split(e, false)
	k := slices.IndexFunc(parts, func(x conjunct) bool { return x.e.Holds(values) == x.contrary })
	if k < 0 {
		return 0, ""
	}
	text = Condition(p, parts[k].e)
	if parts[k].contrary {
		text = "not (" + text + ")"
	}
	if len(parts) > 1 {
		text = fmt.Sprintf("condition %d of %d: %s", k+1, len(parts), text)
	}
	if read := readings(p, parts[k].e, values); read != "" {
		text += ", where " + read
	}
	return k, text
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
