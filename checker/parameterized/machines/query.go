package machines

import (
	"fmt"
	"slices"
	"strings"
)

// clause is a part of the invariant: for all names, the body.
type clause struct {
	names []binder
	body  *term
	says  string  // the invariant of the file that it is
	own   bool    // it is one
	facts []*term // that the clause excludes, if it is no invariant of the file
}

// goal is what must be shown of every state that satisfies the clauses, or of the state after a step from one.
type goal struct {
	says   string
	of     *clause
	number int         // of the clause, from 1
	path   *path       // nil: of initial states
	owed   *obligation // of the path, in the state before it; nil: the clause after the step
	rule   string
}

// query asks for a state that satisfies the clauses and breaks a goal. It names participants by constants, and has
// instances of whatever is said of all at these. So it has no quantifiers, and a solver always decides it.
type query struct {
	m       *Machine
	made    int
	consts  []binder
	asserts []*term    // that are no instances of clauses
	indexes []indexed  // the terms that name participants
	uses    []instance // of clauses
	known   map[string]bool
	room    int // for operators of instances; below 0: some were left out, and so nothing follows from an answer
}

// A clause of k names has up to 10^k instances. That bounds time and memory of a query.
const mostOperators = 2_000_000

// takes reports whether a query has room for so many operators more.
func (q *query) takes(operators int) bool {
	q.room -= operators
	return q.room >= 0
}

// errLarge says that a query has no room.
var errLarge = fmt.Errorf("a condition needs instances of more than %d operators: want invariants of fewer participants",
	mostOperators)

type indexed struct {
	t  *term
	of set
}

type instance struct {
	clause int
	args   []*term
	says   *term
}

// negate returns the opposite of t; both it and positive return negations of comparisons and reads alone.
func negate(t *term) *term {
	switch t.op {
	case opNot:
		return positive(t.args[0])
	case opAnd, opOr:
		args := make([]*term, len(t.args))
		for i, a := range t.args {
			args[i] = negate(a)
		}
		if t.op == opAnd {
			return or(args...)
		}
		return and(args...)
	case opEvery:
		return bound(opExists, t.name, t.args[0], t.args[1], negate(t.args[2]))
	case opExists:
		return bound(opEvery, t.name, t.args[0], t.args[1], negate(t.args[2]))
	}
	return not(t)
}

func positive(t *term) *term {
	switch t.op {
	case opNot:
		return negate(t.args[0])
	case opAnd, opOr, opEvery, opExists:
		return t.each(positive)
	}
	return t
}

// constant returns a new constant for one of a set.
func (q *query) constant(of set) *term {
	q.made++
	c := fmt.Sprintf("c_%d", q.made)
	q.consts = append(q.consts, binder{c, of})
	return named(c)
}

// skolem puts constants in place of names that exist, outside what is said of all.
func (q *query) skolem(t *term) *term {
	switch t.op {
	case opExists:
		c := q.constant(set{lo: t.args[0], hi: t.args[1]})
		return and(within(c, t.args[0], t.args[1]), q.skolem(t.args[2].replace(map[string]*term{t.name: c})))
	case opAnd, opOr:
		return t.each(q.skolem)
	}
	return t
}

// instantiate puts the indexes in place of names that something is said of all of.
func (q *query) instantiate(t *term) *term {
	switch t.op {
	case opEvery:
		var all []*term
		size := t.args[2].size()
		for _, i := range q.indexes {
			if !q.takes(size) {
				break
			}
			body := q.instantiate(t.args[2].replace(map[string]*term{t.name: i.t}))
			all = append(all, implies(within(i.t, t.args[0], t.args[1]), body))
		}
		return and(all...)
	case opExists:
		return q.skolem(t)
	case opAnd, opOr:
		return t.each(q.instantiate)
	}
	return t
}

// ask makes the query for a goal.
func (m *Machine) ask(g *goal, clauses []clause) *query {
	q := &query{m: m, known: map[string]bool{}, room: mostOperators}
	var first []*term
	by := map[string]*term{}
	if g.path != nil {
		params := g.path.params
		if g.owed != nil {
			params = g.owed.params
		}
		for _, b := range params {
			c := q.constant(set{b.of.lo.replace(by), b.of.hi.replace(by), b.of.processes})
			by[b.name] = c
			last := q.consts[len(q.consts)-1]
			first = append(first, within(c, last.of.lo, last.of.hi))
		}
	}
	var opposite *term
	switch {
	case g.owed != nil:
		opposite = negate(g.owed.must)
	default:
		names := map[string]*term{}
		for _, b := range g.of.names {
			c := q.constant(set{b.of.lo.replace(names), b.of.hi.replace(names), b.of.processes})
			names[b.name] = c
			last := q.consts[len(q.consts)-1]
			first = append(first, within(c, last.of.lo, last.of.hi))
		}
		t := g.of.body.replace(names)
		if g.path != nil {
			t = g.path.after(t)
		}
		opposite = negate(t)
	}
	if g.path != nil && g.owed == nil {
		for _, c := range g.path.conds {
			first = append(first, positive(c))
		}
	}
	first = append(first, opposite)
	for i, t := range first {
		first[i] = q.skolem(t.replace(by))
	}
	q.index(first)
	for _, t := range first {
		q.asserts = append(q.asserts, q.instantiate(t))
	}
	if g.path != nil {
		for i := range clauses {
			q.use(i, &clauses[i])
		}
	} else {
		q.start()
	}
	return q
}

// index collects the terms that name participants.
func (q *query) index(from []*term) {
	met := map[string]bool{}
	add := func(t *term, of set) {
		const most = 10
		key := t.String() + " " + of.lo.String() + " " + of.hi.String()
		if !met[key] && len(q.indexes) < most && t.size() < 40 {
			met[key] = true
			q.indexes = append(q.indexes, indexed{t, of})
		}
	}
	for _, b := range q.consts {
		add(named(b.name), b.of)
	}
	for _, v := range q.m.variables {
		if v.domain.kind == participants && len(v.keys) == 0 {
			add(read(v, nil), set{lo: v.domain.lo, hi: v.domain.hi})
		}
	}
	for _, t := range from {
		t.visit(func(u *term) {
			if u.op == opRead {
				for i, a := range u.args {
					if !a.contains(q.isBound) {
						add(a, u.v.keys[i])
					}
				}
			}
		})
	}
}

// isBound reports whether a name is no constant: it is said of all.
func (q *query) isBound(t *term) bool {
	isConstant := slices.ContainsFunc(q.consts, func(b binder) bool { return b.name == t.name })
	return t.op == opName && t.name != q.m.Size && !isConstant
}

// use adds the instances of a clause at the indexes of its sets.
func (q *query) use(number int, c *clause) {
	args := make([]*term, len(c.names))
	size := c.body.size()
	var fill func(i int)
	fill = func(i int) {
		if i < len(args) {
			for _, index := range q.indexes {
				if q.room >= 0 && index.of.same(c.names[i].of) {
					args[i] = index.t
					fill(i + 1)
				}
			}
			return
		}
		if !q.takes(size + len(args)) {
			return
		}
		by := map[string]*term{}
		scope := truth(true)
		for j, b := range c.names {
			by[b.name] = args[j]
			scope = and(scope, within(args[j], b.of.lo, b.of.hi))
		}
		says := q.instantiate(positive(implies(scope, c.body.replace(by))))
		if says.op != opTrue {
			q.uses = append(q.uses, instance{number, slices.Clone(args), says})
		}
	}
	fill(0)
}

// start says what initial states are, for the values that the query has.
func (q *query) start() {
	q.eachRead(func(t *term) {
		by := map[string]*term{}
		for i, name := range t.v.names {
			by[name] = t.args[i]
		}
		if t.v.initial != nil {
			q.asserts = append(q.asserts, equal(t, t.v.initial.replace(by)))
		}
	})
}

// eachRead calls f once for each value that the query has.
func (q *query) eachRead(f func(t *term)) {
	met := map[string]bool{}
	var all []*term
	visit := func(t *term) {
		t.visit(func(u *term) {
			if u.op == opRead && !met[u.String()] {
				met[u.String()] = true
				all = append(all, u)
			}
		})
	}
	for _, t := range q.asserts {
		visit(t)
	}
	for _, u := range q.uses {
		visit(u.says)
	}
	for _, i := range q.indexes {
		visit(i.t)
	}
	for _, t := range all {
		f(t)
	}
}

// domains are what is said of each value: it is one of its variable's.
func (q *query) domains(more ...*term) (all []*term) {
	met := map[string]bool{}
	add := func(t *term) {
		if in := t.v.domain.contains(t); in.op != opTrue && !met[t.String()] {
			met[t.String()] = true
			for i, k := range t.args { // elsewhere it has no value
				in = implies(within(k, t.v.keys[i].lo, t.v.keys[i].hi), in)
			}
			all = append(all, in)
		}
	}
	q.eachRead(add)
	for _, t := range more {
		add(t)
	}
	return all
}

// declare writes the constants.
func (q *query) declare(b *strings.Builder) {
	for _, c := range q.consts {
		fmt.Fprintf(b, "(declare-const %s Int)\n", c.name)
	}
}

// preamble declares the size, the texts and the variables.
func (m *Machine) preamble() string {
	var b strings.Builder
	b.WriteString("(set-logic QF_UFLIA)\n")
	fmt.Fprintf(&b, "(declare-const %s Int)\n(assert (<= %d %s))\n", m.Size, m.Least, m.Size)
	b.WriteString("(define-fun is.None () Int (- 1))\n(define-fun is.~2d~ () Int (- 2))\n")
	for i, s := range m.texts {
		if name := symbol("is", s); name != "is.None" && name != "is.~2d~" {
			fmt.Fprintf(&b, "(define-fun %s () Int %d)\n", name, i)
		}
	}
	for _, v := range m.variables {
		sort := "Int"
		if v.domain.kind == truths {
			sort = "Bool"
		}
		fmt.Fprintf(&b, "(declare-fun %s (%s) %s)\n", v.symbol(),
			strings.TrimSpace(strings.Repeat("Int ", len(v.keys))), sort)
	}
	return b.String()
}
