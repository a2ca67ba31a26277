package symmetry

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/rewriting"
)

// Normal forms, for comparing parts of a program after renaming.
//
// A term is a number: two parts have the same one only if they mean the same. Arguments
// of commutative operators are sorted, associative ones are flattened, repeated
// conditions dropped, and double negations removed. Of statements in sequence,
// neighbours neither of which sets what the other reads or sets may be exchanged, and so
// may branches of "if, else if" that exclude each other: the normal form is the least
// sequence that such exchanges reach (Cartier & Foata 1969, Anisimov & Knuth 1979),
// found greedily.
//
// A renamed value may be compared with another for equality, and be assigned, as long as
// both are renamed alike. Elsewhere, as in sums or comparisons of size, it is refused.

// terms numbers terms by what they consist of.
type terms struct {
	ids map[string]int
	key []byte
}

// The kinds of terms besides operators.
const (
	sequence = iota + int(program.Choice) + 1
	assignment
	branches
	guarded
)

func (t *terms) of(kind int, parts ...int) int {
	t.key = binary.AppendUvarint(t.key[:0], uint64(kind))
	for _, part := range parts {
		t.key = binary.AppendVarint(t.key, int64(part))
	}
	id, known := t.ids[string(t.key)]
	if !known {
		id = len(t.ids)
		t.ids[string(t.key)] = id
	}
	return id
}

// renamed makes terms of a program's parts after renaming.
type renamed struct {
	*terms
	vars   []program.Var
	values map[program.Var][]int // nil where nothing changes
	// guess makes terms where values that are renamed are added, or compared with others: as if sums were mapped to sums.
	// Such terms say which rules may be alike, not that they are.
	guess bool
}

func (n *renamed) rule(r *program.Rule) (int, error) {
	guard, err := n.truth(&r.Guard)
	if err != nil {
		return 0, err
	}
	effect, err := n.sequence(r.Effect)
	if err != nil {
		return 0, err
	}
	return n.of(guarded, guard, effect, fairness(r)), nil
}

// fairness encodes how fair a rule is.
func fairness(r *program.Rule) int {
	switch {
	case r.Unfair:
		return 1
	case r.Strong:
		return 2
	}
	return 0
}

func (n *renamed) truth(e *program.Expr) (int, error) {
	switch e.Op {
	case program.Conjunction, program.Disjunction:
		all, err := n.flat(nil, e, n.truth)
		if err != nil {
			return 0, err
		}
		slices.Sort(all)
		if all = slices.Compact(all); len(all) == 1 {
			return all[0], nil
		}
		return n.of(int(e.Op), all...), nil
	case program.Negation:
		if not := &e.Args[0]; not.Op == program.Negation {
			return n.truth(&not.Args[0])
		}
		id, err := n.truth(&e.Args[0])
		return n.of(int(e.Op), id), err
	}
	var values []int
	if e.Op == program.Equal || e.Op == program.NotEqual {
		if values = n.valuesOf(&e.Args[0]); values == nil {
			values = n.valuesOf(&e.Args[1])
		}
	}
	a, err := n.number(&e.Args[0], values)
	if err != nil {
		return 0, err
	}
	b, err := n.number(&e.Args[1], values)
	if err != nil {
		return 0, err
	}
	if e.Op == program.Equal || e.Op == program.NotEqual {
		a, b = min(a, b), max(a, b)
	}
	return n.of(int(e.Op), a, b), nil
}

// flat collects the terms of an associative operator's arguments.
func (n *renamed) flat(dst []int, e *program.Expr, term func(*program.Expr) (int, error)) (_ []int, err error) {
	for i := range e.Args {
		a := &e.Args[i]
		if a.Op == e.Op {
			if dst, err = n.flat(dst, a, term); err != nil {
				return nil, err
			}
			continue
		}
		id, err := term(a)
		if err != nil {
			return nil, err
		}
		dst = append(dst, id)
	}
	return dst, nil
}

// valuesOf returns how the values of a number are renamed: like those of a variable that
// it may be; nil if they are not.
func (n *renamed) valuesOf(e *program.Expr) []int {
	switch e.Op {
	case program.Read:
		return n.values[program.Var(e.Value)]
	case program.Choice:
		if values := n.valuesOf(&e.Args[1]); values != nil {
			return values
		}
		return n.valuesOf(&e.Args[2])
	}
	return nil
}

var errUnlike = errors.New("values that symmetries map differently are compared or assigned")

// number returns the term of a number whose values are to be renamed by values.
func (n *renamed) number(e *program.Expr, values []int) (int, error) {
	switch e.Op {
	case program.Constant:
		v := e.Value
		if v >= 0 && v < len(values) {
			v = values[v]
		}
		return n.of(int(program.Constant), v), nil
	case program.Read:
		if !n.guess && !slices.Equal(n.values[program.Var(e.Value)], values) {
			return 0, errUnlike
		}
		return n.of(int(program.Read), int(n.vars[e.Value])), nil
	case program.Choice:
		cond, err := n.truth(&e.Args[0])
		if err != nil {
			return 0, err
		}
		a, err := n.number(&e.Args[1], values)
		if err != nil {
			return 0, err
		}
		b, err := n.number(&e.Args[2], values)
		return n.of(int(program.Choice), cond, a, b), err
	}
	if values != nil && !n.guess {
		return 0, errUnlike
	}
	plain := func(e *program.Expr) (int, error) { return n.number(e, values) }
	if e.Op == program.Minus {
		a, err := plain(&e.Args[0])
		if err != nil {
			return 0, err
		}
		b, err := plain(&e.Args[1])
		return n.of(int(program.Minus), a, b), err
	}
	all, err := n.flat(nil, e, plain)
	slices.Sort(all)
	return n.of(int(e.Op), all...), err
}

// step is a statement or a branch, and what keeps it in its place.
type step struct {
	parts []int
	after func(earlier *step) bool // whether it must stay behind an earlier one
	uses  rewriting.Uses
	facts map[program.Var]int // branches: values of variables that the condition implies
}

// sequence returns the term of statements in sequence.
func (n *renamed) sequence(list []program.Stmt) (int, error) {
	parts := make([]int, len(list))
	for i := range list {
		id, err := n.statement(&list[i])
		if err != nil {
			return 0, err
		}
		parts[i] = id
	}
	if constants(list) { // any order is possible
		slices.Sort(parts)
		return n.of(sequence, parts...), nil
	}
	var steps []step
	for i, id := range parts {
		s := step{parts: []int{id}, uses: rewriting.UsesOf(list[i : i+1])}
		s.after = func(earlier *step) bool { return meet(s.uses, earlier.uses) }
		steps = append(steps, s)
	}
	return n.of(sequence, least(steps)...), nil
}

// constants reports whether all statements assign constants, each to another variable, or there is only one statement.
func constants(list []program.Stmt) bool {
	if len(list) == 1 {
		return true
	}
	for i := range list {
		s := &list[i]
		if !s.Assigns() || s.Value.Op != program.Constant ||
			slices.ContainsFunc(list[:i], func(o program.Stmt) bool { return o.Var == s.Var }) {
			return false
		}
	}
	return true
}

func (n *renamed) statement(s *program.Stmt) (int, error) {
	if s.Assigns() {
		value, err := n.number(&s.Value, n.values[s.Var])
		return n.of(assignment, int(n.vars[s.Var]), value), err
	}
	var steps []step
	for {
		cond, err := n.truth(&s.Cond)
		if err != nil {
			return 0, err
		}
		then, err := n.sequence(s.Then)
		if err != nil {
			return 0, err
		}
		b := step{parts: []int{cond, then}, facts: map[program.Var]int{}}
		said(&s.Cond, b.facts)
		b.after = func(earlier *step) bool { return !exclude(b.facts, earlier.facts) }
		steps = append(steps, b)
		if len(s.Else) != 1 || s.Else[0].Assigns() {
			break
		}
		s = &s.Else[0]
	}
	otherwise, err := n.sequence(s.Else)
	return n.of(branches, append(least(steps), otherwise)...), err
}

// least puts steps into their least order: repeatedly the least of those that need not wait for another. Each pair is
// compared at most once.
func least(steps []step) (parts []int) {
	waits := make([]int, len(steps)) // by step: the first earlier one that it may have to wait for
	taken := make([]bool, len(steps))
	for range steps {
		next := -1
		for i := range steps {
			if taken[i] || next >= 0 && slices.Compare(steps[i].parts, steps[next].parts) >= 0 {
				continue
			}
			for waits[i] < i && (taken[waits[i]] || !steps[i].after(&steps[waits[i]])) {
				waits[i]++
			}
			if waits[i] == i {
				next = i
			}
		}
		parts = append(parts, steps[next].parts...)
		taken[next] = true
	}
	return parts
}

// said collects the values of variables that a condition implies.
func said(e *program.Expr, facts map[program.Var]int) {
	if e.Op == program.Conjunction {
		for i := range e.Args {
			said(&e.Args[i], facts)
		}
	}
	if x, value, ok := comparison(e); ok {
		facts[x] = value
	}
}

// exclude reports whether two conditions cannot hold together, by what they imply.
func exclude(a, b map[program.Var]int) bool {
	for x, v := range a {
		if w, ok := b[x]; ok && v != w {
			return true
		}
	}
	return false
}

// meet reports whether one sets what the other reads or sets.
func meet(u, o rewriting.Uses) bool {
	for x := range u.Sets {
		if o.Sets[x] || o.Reads[x] {
			return true
		}
	}
	for x := range o.Sets {
		if u.Reads[x] {
			return true
		}
	}
	return false
}

// comparison recognises a variable = a constant.
func comparison(e *program.Expr) (x program.Var, value int, ok bool) {
	if e.Op != program.Equal {
		return 0, 0, false
	}
	a, b := e.Args[0], e.Args[1]
	if a.Op == program.Constant {
		a, b = b, a
	}
	return program.Var(a.Value), b.Value, a.Op == program.Read && b.Op == program.Constant
}
