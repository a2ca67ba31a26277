package symmetry

import (
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Decision diagrams, for rules written as trees of tests: a renaming maps a tree to one
// that tests in another order, which the normal form would distinguish.
//
// A diagram is a number: of a leaf, which is a term, or of a test with a diagram for each
// outcome. Tests have one order on all paths, and no test has the same diagram for all
// outcomes, so equal diagrams have one number (Bryant 1986; with more than two outcomes:
// Srinivasan et al. 1990). A variable of few values is tested for its value, so all
// arithmetic on it is done in the leaves; a comparison that involves other variables is a
// test of its own. A rule is its guard, whether it fails, as a value leaves its range, and, for
// each variable that it sets, what that becomes where the guard holds and it does not fail.
// Which value leaves which range does not count: exploration ends there. So rules are equal
// that put messages into several FIFOs in another order, of which any may be full.

// diagrams makes diagrams of a program's parts after renaming.
type diagrams struct {
	*renamed
	program *program.Program
	*shared
}

// shared is what the diagrams before and after a renaming share.
type shared struct {
	tests  []test // by diagram; without outcomes: a leaf, as are those beyond
	chosen map[[3]int]int
	values map[int]int // by leaf that is a constant
	reads  map[int]int // by leaf that is a variable: how many values it has
	truths [2]int      // the leaves false and true
	most   int         // choices
}

// test is a test with the diagrams of its outcomes.
type test struct {
	level    int // place in the order: variables by number, then comparisons by term
	outcomes []int
}

const (
	diagram = guarded + 1 + iota
	becomes
	beyond // a term, and a limit

	mostOutcomes = 256     // of a test
	mostOfSums   = 1 << 12 // choices for a rule that adds values which are renamed
	mostTests    = 1 << 18 // in all diagrams of a program and of its images, for each
)

var errTooLarge = errors.New("its decision diagrams are too large")

func newShared(t *terms, most int) *shared {
	return &shared{
		nil, map[[3]int]int{}, map[int]int{}, map[int]int{},
		[2]int{t.of(int(program.Disjunction)), t.of(int(program.Conjunction))}, most,
	}
}

func (d *diagrams) truth(holds bool) int {
	if holds {
		return d.truths[1]
	}
	return d.truths[0]
}

func (d *diagrams) node(level int, outcomes []int) int {
	if !slices.ContainsFunc(outcomes, func(o int) bool { return o != outcomes[0] }) {
		return outcomes[0]
	}
	id := d.of(diagram, append([]int{level}, outcomes...)...)
	if id >= len(d.tests) {
		d.tests = append(d.tests, make([]test, id+1-len(d.tests)+len(d.tests)/4)...)
	}
	d.tests[id] = test{level, outcomes}
	return id
}

// test returns the test of a diagram, without outcomes if it is a leaf.
func (d *diagrams) test(id int) test {
	if id < len(d.tests) {
		return d.tests[id]
	}
	return test{}
}

// top returns the first test of some diagrams, and how many outcomes it has; none if
// all are leaves.
func (d *diagrams) top(all ...int) (level, outcomes int) {
	level = math.MaxInt
	for _, id := range all {
		if t := d.test(id); t.outcomes != nil && t.level < level {
			level, outcomes = t.level, len(t.outcomes)
		}
	}
	return level, outcomes
}

// restrict returns what remains of a diagram restrict an outcome of a test above it.
func (d *diagrams) restrict(id, level, outcome int) int {
	if t := d.test(id); t.outcomes != nil && t.level == level {
		return t.outcomes[outcome]
	}
	return id
}

// choose returns the diagram of a where the condition holds, and of b elsewhere.
func (d *diagrams) choose(condition, a, b int) (int, error) {
	if condition == d.truths[1] || a == b {
		return a, nil
	} else if condition == d.truths[0] {
		return b, nil
	}
	key := [3]int{condition, a, b}
	id, known := d.chosen[key]
	if known {
		return id, nil
	}
	if len(d.chosen) > d.most {
		return 0, errTooLarge
	}
	level, count := d.top(condition, a, b)
	outcomes := make([]int, count)
	for k := range outcomes {
		var err error
		if outcomes[k], err = d.choose(d.restrict(condition, level, k), d.restrict(a, level, k),
			d.restrict(b, level, k)); err != nil {
			return 0, err
		}
	}
	id = d.node(level, outcomes)
	d.chosen[key] = id
	return id, nil
}

// leaves returns the diagram of f, applied to the leaves of a and b.
func (d *diagrams) leaves(a, b int, f func(a, b int) int) (int, error) {
	known := map[[2]int]int{}
	var of func(a, b int) (int, error)
	of = func(a, b int) (all int, err error) {
		level, count := d.top(a, b)
		if count == 0 {
			return f(a, b), nil
		}
		if id, is := known[[2]int{a, b}]; is {
			return id, nil
		}
		if len(known) > mostTests {
			return 0, errTooLarge
		}
		outcomes := make([]int, count)
		for k := range outcomes {
			if outcomes[k], err = of(d.restrict(a, level, k), d.restrict(b, level, k)); err != nil {
				return 0, err
			}
		}
		if first, _ := d.top(outcomes...); first > level {
			all = d.node(level, outcomes)
		} else { // below are tests that f made, which come before this one
			for k, one := range outcomes {
				is := slices.Repeat([]int{d.truth(false)}, count)
				is[k] = d.truth(true)
				if all, err = d.choose(d.node(level, is), one, all); err != nil {
					return 0, err
				}
			}
		}
		known[[2]int{a, b}] = all
		return all, nil
	}
	return of(a, b)
}

func (d *diagrams) constant(value int) int {
	id := d.of(int(program.Constant), value)
	d.shared.values[id] = value
	return id
}

// state is what variables have become, before renaming; variables left out are unchanged.
type state map[program.Var]int

// value returns what a variable is in a state.
func (d *diagrams) value(s state, x program.Var) (int, error) {
	if id, set := s[x]; set {
		return id, nil
	}
	if x == fails {
		return d.truth(false), nil
	}
	values := d.renamed.values[x]
	outcomes := make([]int, min(d.program.Variables[x].Values, mostOutcomes+1))
	switch {
	case len(outcomes) <= mostOutcomes:
	case values != nil:
		return 0, errUnlike
	default:
		id := d.of(int(program.Read), int(d.vars[x]))
		d.reads[id] = d.program.Variables[x].Values
		return id, nil
	}
	for v := range outcomes {
		to := v
		if values != nil {
			to = values[v]
		}
		outcomes[to] = d.constant(v)
	}
	return d.node(int(d.vars[x]), outcomes), nil
}

// condition returns the diagram of a condition in a state.
func (d *diagrams) condition(s state, e *program.Expr) (int, error) {
	switch e.Op {
	case program.Conjunction, program.Disjunction:
		all := d.truth(e.Op == program.Conjunction)
		for i := range e.Args {
			one, err := d.condition(s, &e.Args[i])
			if err != nil {
				return 0, err
			}
			if e.Op == program.Conjunction {
				all, err = d.choose(all, one, d.truth(false))
			} else {
				all, err = d.choose(all, d.truth(true), one)
			}
			if err != nil {
				return 0, err
			}
		}
		return all, nil
	case program.Negation:
		one, err := d.condition(s, &e.Args[0])
		if err != nil {
			return 0, err
		}
		return d.choose(one, d.truth(false), d.truth(true))
	}
	return d.binary(s, e, func(a, b int) int {
		x, constant := d.shared.values[a]
		y, both := d.shared.values[b]
		if constant && both {
			return d.truth(e.Op == program.Equal && x == y || e.Op == program.NotEqual && x != y ||
				e.Op == program.Less && x < y || e.Op == program.LessEqual && x <= y)
		}
		op := e.Op
		if op == program.Equal || op == program.NotEqual {
			a, b, op = min(a, b), max(a, b), program.Equal
		}
		return d.node(len(d.program.Variables)+d.of(int(op), a, b), []int{
			d.truth(e.Op == program.NotEqual),
			d.truth(e.Op != program.NotEqual),
		})
	})
}

// binary returns the diagram of f, applied to the leaves of an operator's two arguments.
func (d *diagrams) binary(s state, e *program.Expr, f func(a, b int) int) (int, error) {
	a, err := d.number(s, &e.Args[0])
	if err != nil {
		return 0, err
	}
	b, err := d.number(s, &e.Args[1])
	if err != nil {
		return 0, err
	}
	return d.leaves(a, b, f)
}

// number returns the diagram of a number in a state; its leaves are terms.
func (d *diagrams) number(s state, e *program.Expr) (int, error) {
	switch e.Op {
	case program.Constant:
		return d.constant(e.Value), nil
	case program.Read:
		return d.value(s, program.Var(e.Value))
	case program.Choice:
		c, err := d.condition(s, &e.Args[0])
		if err != nil {
			return 0, err
		}
		a, err := d.number(s, &e.Args[1])
		if err != nil {
			return 0, err
		}
		b, err := d.number(s, &e.Args[2])
		if err != nil {
			return 0, err
		}
		return d.choose(c, a, b)
	}
	return d.binary(s, e, func(a, b int) int {
		x, constant := d.shared.values[a]
		y, both := d.shared.values[b]
		switch {
		case !constant || !both:
			return d.of(int(e.Op), a, b)
		case e.Op == program.Plus:
			return d.constant(x + y)
		case e.Op == program.Minus:
			return d.constant(x - y)
		}
		return d.constant(x * y)
	})
}

// fails is where a state keeps whether a value has left its range.
const fails = program.Var(-1)

// run returns what statements make of the variables.
func (d *diagrams) run(s state, list []program.Stmt) (state, error) {
	s = maps.Clone(s)
	for i := range list {
		stmt := &list[i]
		if stmt.Assigns() {
			value, err := d.number(s, &stmt.Value)
			if err != nil {
				return nil, err
			}
			if err := d.failing(s, stmt.Var, value); err != nil {
				return nil, err
			}
			s[stmt.Var] = value
			continue
		}
		c, err := d.condition(s, &stmt.Cond)
		if err != nil {
			return nil, err
		}
		then, err := d.run(s, stmt.Then)
		if err != nil {
			return nil, err
		}
		otherwise, err := d.run(s, stmt.Else)
		if err != nil {
			return nil, err
		}
		if err := d.join(s, c, then, otherwise); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// join makes of a state what one of two others is, as a condition says.
func (d *diagrams) join(s state, c int, then, otherwise state) error {
	for k, side := range []state{then, otherwise} {
		for x := range side {
			if _, done := then[x]; done && k == 1 {
				continue
			}
			a, err := d.value(then, x)
			if err != nil {
				return err
			}
			b, err := d.value(otherwise, x)
			if err != nil {
				return err
			}
			if s[x], err = d.choose(c, a, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// failing notes in a state where a value that is assigned to a variable is out of its range.
func (d *diagrams) failing(s state, x program.Var, value int) error {
	count := d.program.Variables[x].Values
	outside, err := d.leaves(value, value, func(a, _ int) int {
		if v, constant := d.shared.values[a]; constant {
			return d.truth(v < 0 || v >= count)
		} else if read, is := d.reads[a]; is && read <= count {
			return d.truth(false)
		}
		return d.node(len(d.program.Variables)+d.of(beyond, a, count), []int{d.truth(false), d.truth(true)})
	})
	if err != nil || outside == d.truth(false) {
		return err
	}
	before, _ := d.value(s, fails)
	s[fails], err = d.choose(outside, d.truth(true), before)
	return err
}

// valueUnder returns what a variable becomes in a state, renamed, where a condition holds.
func (d *diagrams) valueUnder(condition int, s state, x program.Var) (int, error) {
	id, err := d.value(s, x)
	if err != nil {
		return 0, err
	}
	if values := d.renamed.values[x]; values != nil {
		if id, err = d.leaves(id, id, func(a, _ int) int {
			if v, constant := d.shared.values[a]; constant && v >= 0 && v < len(values) {
				return d.constant(values[v])
			}
			return a
		}); err != nil {
			return 0, err
		}
	}
	return d.choose(condition, id, d.truth(false))
}

// rule returns the term of a rule: its guard, where it fails, and what variables become where it does not.
func (d *diagrams) rule(r *program.Rule) (int, error) {
	guard, err := d.condition(nil, &r.Guard)
	if err != nil {
		return 0, err
	}
	after, err := d.run(state{}, r.Effect)
	if err != nil {
		return 0, err
	}
	failed, _ := d.value(after, fails)
	if failed, err = d.choose(guard, failed, d.truth(false)); err != nil {
		return 0, err
	}
	delete(after, fails)
	done, err := d.choose(failed, d.truth(false), guard)
	if err != nil {
		return 0, err
	}
	var parts []int
	for _, x := range slices.Sorted(maps.Keys(after)) {
		was, err := d.valueUnder(done, nil, x)
		if err != nil {
			return 0, err
		}
		is, err := d.valueUnder(done, after, x)
		if err != nil {
			return 0, err
		}
		if is != was {
			parts = append(parts, d.of(becomes, int(d.vars[x]), is))
		}
	}
	slices.Sort(parts)
	return d.of(guarded, append(parts, guard, failed, fairness(r))...), nil
}
