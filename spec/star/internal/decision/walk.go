// Package decision turns functions that read variables into programs of guarded
// commands: a function is run once for each combination of values that it distinguishes,
// its answers form a decision tree, and the tree is written as guards, effects and
// conditions ([Tree.Commands], [Tree.Condition]).
//
// The function is deterministic, given the values that a [Run] returns. Runs go depth first:
// each takes the first alternative wherever the trail of decisions ends, and the next
// run differs from it in the last decision that has another alternative. So there are
// as many runs as leaves.
package decision

import (
	"fmt"
	"maps"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/rewriting"
)

// None stands for no variable.
const None program.Var = -1

// Set is the value that a step gives to a variable: the sum of Add and of what From and
// Plus held before the step, without those that are None. Plus is None if From is. Or it is the sum of Add and Of, and
// both are None. A sum of two, and one with Of, may be out of range: then the step violates the range of Var.
type Set struct {
	Var, From, Plus program.Var
	Of              *Number // nil: none
	Add             int
}

// Number is a number that several variables determine. Equal ones of a run are one.
type Number struct {
	number int // of it among those of the run
	value  program.Expr
	reads  map[program.Var]bool
}

// Value is the value in a state.
func (s Set) Value(state []int) int {
	value := s.Add
	for _, x := range []program.Var{s.From, s.Plus} {
		if x != None {
			value += state[x]
		}
	}
	if s.Of != nil {
		value += s.Of.value.Number(state)
	}
	return value
}

// same reports whether the variable keeps its value.
func (s Set) same() bool { return s.From == s.Var && s.Plus == None && s.Add == 0 }

// reads reports whether the value that x had before the step is part of it.
func (s Set) reads(x program.Var) bool {
	return s.From == x || s.Plus == x || s.Of != nil && s.Of.reads[x]
}

// constant reports whether no variable has a part in the value.
func (s Set) constant() bool { return s.From == None && s.Of == nil }

// first is a variable that has a part in the value.
func (s Set) first() program.Var {
	if s.Of != nil {
		return slices.Min(slices.Collect(maps.Keys(s.Of.reads)))
	}
	return s.From
}

// Answer is how a run ends: for a condition, whether it holds; for a rule, whether it
// accepts the step, and what that changes, all at once. Also are the numbers of commands
// that belong to the step: all of them must accept it, and it makes their changes.
type Answer struct {
	Holds bool
	Sets  []Set
	Also  []int // ascending
}

// Run gives a function the values that it reads. After the same values the function must
// read the same variable next.
type Run struct {
	values  func(program.Var) int
	full    map[program.Var][]int // all values, made once
	domains map[program.Var][]int // those that the decisions leave
	tests   *conditions
	trail   []choice
	next    int     // the decision in trail that is returned next
	known   [][]any // results of Once, by the number of decisions before them
	used    int     // results used since the last decision

	state  []int         // for a run in one state, see [At]; nil: the run covers many
	Looked []program.Var // in one state: what was looked at, in order, each time
}

// At returns a run in one state, in which Choose takes the given options and, beyond
// them, always the first.
func At(state, options []int) *Run {
	r := &Run{state: state, domains: map[program.Var][]int{}}
	for _, taken := range options {
		r.trail = append(r.trail, choice{x: None, n: taken + 1, taken: taken})
	}
	return r
}

// conditions are tests of more than one variable: each is a variable below [None],
// which is 1 if it holds.
type conditions struct {
	all    []program.Expr
	number map[string]program.Var // by text

	numbers map[string]*Number // by text
}

func (c *conditions) intern(e program.Expr) program.Var {
	text := fmt.Sprint(e)
	x, known := c.number[text]
	if !known {
		x = None - 1 - program.Var(len(c.all))
		c.all = append(c.all, e)
		c.number[text] = x
	}
	return x
}

// value returns a number that an expression determines, which reads a variable.
func (c *conditions) value(e program.Expr) *Number {
	text := fmt.Sprint(e)
	n := c.numbers[text]
	if n == nil {
		n = &Number{len(c.numbers), e, map[program.Var]bool{}}
		rewriting.Reads(n.reads, &e)
		c.numbers[text] = n
	}
	return n
}

// of returns the condition that x stands for.
func (c *conditions) condition(x program.Var) program.Expr { return c.all[None-1-x] }

// choice is a decision: between groups of the values of a variable, or among options.
type choice struct {
	x      program.Var // None: options
	groups [][]int
	n      int // alternatives
	taken  int
}

// Domain lists the values that x can have before the step, in order.
func (r *Run) Domain(x program.Var) []int {
	if r.state != nil {
		r.Looked = append(r.Looked, x)
		return r.state[x : x+1 : x+1]
	}
	if d, narrowed := r.domains[x]; narrowed {
		return d
	}
	d, made := r.full[x]
	if !made {
		n := 2
		if x >= 0 {
			n = r.values(x)
		}
		d = make([]int, n)
		for i := range d {
			d[i] = i
		}
		r.full[x] = d
	}
	return d
}

// Read returns the value that x has before the step.
func (r *Run) Read(x program.Var) int {
	d := r.Domain(x)
	if len(d) == 1 {
		return d[0]
	}
	c := r.decide(func() choice {
		groups := make([][]int, len(d))
		for i := range d {
			groups[i] = d[i : i+1]
		}
		return choice{x: x, groups: groups, n: len(groups)}
	})
	return c.groups[c.taken][0]
}

// Test reports whether the value that x has before the step is one for which in is true.
func (r *Run) Test(x program.Var, in func(value int) bool) bool {
	d, yes := r.Domain(x), 0
	for _, v := range d {
		if in(v) {
			yes++
		}
	}
	if yes == 0 || yes == len(d) { // mostly, as it was decided before
		return yes == len(d)
	}
	return r.decide(func() choice {
		all := make([]int, 0, len(d))
		for _, wanted := range []bool{true, false} {
			for _, v := range d {
				if in(v) == wanted {
					all = append(all, v)
				}
			}
		}
		return choice{x: x, groups: [][]int{all[:yes:yes], all[yes:]}, n: 2}
	}).taken == 0
}

// Holds reports whether a condition on the variables before the step holds; it is made
// once. The variables keep all their values, so combinations may be met that cannot be.
func (r *Run) Holds(condition func() program.Expr) bool {
	if r.state != nil {
		e := condition()
		r.look(&e)
		return e.Holds(r.state)
	}
	x, _ := r.Memoize(func() (any, error) { return r.tests.intern(condition()), nil })
	return r.Test(x.(program.Var), func(value int) bool { return value == 1 })
}

// Number is a number that an expression determines, which reads a variable. The run covers many states.
func (r *Run) Number(e program.Expr) *Number { return r.tests.value(e) }

// look notes that an expression is evaluated in the one state.
func (r *Run) look(e *program.Expr) {
	if e.Op == program.Read {
		r.Domain(program.Var(e.Value))
	}
	for i := range e.Args {
		r.look(&e.Args[i])
	}
}

// Restrict restricts each variable to the values that an outer run has left: a test
// within another one is about the same state.
func (r *Run) Restrict(outer *Run) {
	for x, d := range outer.domains {
		if x >= 0 {
			r.Assume(x, func(v int) bool { return slices.Contains(d, v) })
		}
	}
}

// Assume restricts x to the values for which in is true, as others cannot be. If there
// are none, the values stay.
func (r *Run) Assume(x program.Var, in func(value int) bool) {
	d := r.Domain(x)
	left := slices.DeleteFunc(slices.Clone(d), func(v int) bool { return !in(v) })
	if len(left) > 0 && len(left) < len(d) {
		r.domains[x] = left
	}
}

// Choose returns one of 0..n-1: all of them can happen.
func (r *Run) Choose(n int) int {
	taken := r.decide(func() choice { return choice{x: None, n: n} }).taken
	if taken >= n { // in one state, where there are fewer options than were given
		return 0
	}
	return taken
}

// Memoize returns what f returns, which is called once after the same decisions: runs that
// differ later get the same result. f makes no decisions of this run.
func (r *Run) Memoize(f func() (any, error)) (any, error) {
	if r.state != nil {
		return f()
	}
	for len(r.known) <= r.next {
		r.known = append(r.known, nil)
	}
	if r.used == len(r.known[r.next]) {
		x, err := f()
		if err != nil {
			return nil, err
		}
		r.known[r.next] = append(r.known[r.next], x)
	}
	r.used++
	return r.known[r.next][r.used-1], nil
}

// OneState reports whether the run is one in a state, see [At].
func (r *Run) OneState() bool { return r.state != nil }

// Decisions returns the number of decisions so far.
func (r *Run) Decisions() int { return r.next }

func (r *Run) decide(fresh func() choice) *choice {
	if r.next == len(r.trail) {
		r.trail = append(r.trail, fresh())
	}
	c := &r.trail[r.next]
	r.next, r.used = r.next+1, 0
	if c.x != None {
		r.domains[c.x] = c.groups[c.taken]
	}
	return c
}

// inSequence orders assignments so that none reads what one before it has set. If there
// is no such order, it returns a variable that is read too late.
func inSequence(sets []Set) (sequence []Set, stuck program.Var) {
	if !slices.ContainsFunc(sets, func(s Set) bool { return !s.constant() }) {
		return sets, None
	}
	rest := slices.Clone(sets)
	for len(rest) > 0 {
		i := slices.IndexFunc(rest, func(s Set) bool {
			return !slices.ContainsFunc(rest, func(t Set) bool { return t.reads(s.Var) && t.Var != s.Var })
		})
		if i < 0 {
			return nil, rest[slices.IndexFunc(rest, func(s Set) bool { return !s.constant() })].first()
		}
		sequence = append(sequence, rest[i])
		rest = slices.Delete(rest, i, i+1)
	}
	return sequence, None
}
