package machines

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
)

// clause is a part of the invariant: for all names, the body.
type clause struct {
	names  []binder
	body   *symbolic.Term
	says   string           // the invariant of the file that it is
	own    bool             // it is one
	counts *variable        // with which it follows by counting; nil: it is proved by induction
	facts  []*symbolic.Term // that the clause excludes, if it is no invariant of the file
}

// goal is what must be shown of every state that satisfies the clauses, or of the state after a step from one, or that it
// is true of initial states.
type goal struct {
	says    string
	of      *clause
	number  int         // of the clause, from 1
	path    *path       // nil: of one state
	follows bool        // of every state in which the clauses hold; else without a path: of initial states
	counts  *counting   // of every state in which the clauses hold that are proved by induction, and this one does not
	owed    *obligation // of the path, in the state before it; nil: the clause after the step
	rule    string
}

// query asks for a state that satisfies the clauses and breaks a goal. It names participants by constants, and has
// instances of whatever is said of all at these. So it has no quantifiers, and a solver always decides it.
type query struct {
	m       *Machine
	made    int
	consts  []binder
	asserts []*symbolic.Term // that are no instances of clauses
	indexes []indexed        // the terms that name participants
	uses    []instance       // of clauses
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
	t  *symbolic.Term
	of set
}

type instance struct {
	clause int
	args   []*symbolic.Term
	says   *symbolic.Term
}

// negate returns the opposite of t; both it and positive return negations of comparisons and reads alone.
func negate(t *symbolic.Term) *symbolic.Term {
	switch t.Op {
	case symbolic.OpNot:
		return positive(t.Args[0])
	case symbolic.OpAnd, symbolic.OpOr:
		args := make([]*symbolic.Term, len(t.Args))
		for i, a := range t.Args {
			args[i] = negate(a)
		}
		if t.Op == symbolic.OpAnd {
			return symbolic.Or(args...)
		}
		return symbolic.And(args...)
	case symbolic.OpEvery:
		return symbolic.Exists(t.Name, t.Args[0], t.Args[1], negate(t.Args[2]))
	case symbolic.OpExists:
		return symbolic.Every(t.Name, t.Args[0], t.Args[1], negate(t.Args[2]))
	}
	return symbolic.Not(t)
}

func positive(t *symbolic.Term) *symbolic.Term {
	switch t.Op {
	case symbolic.OpNot:
		return negate(t.Args[0])
	case symbolic.OpAnd, symbolic.OpOr, symbolic.OpEvery, symbolic.OpExists:
		return t.Each(positive)
	}
	return t
}

// constant returns a new constant for one of a set.
func (q *query) constant(of set) *symbolic.Term {
	q.made++
	c := fmt.Sprintf("c_%d", q.made)
	q.consts = append(q.consts, binder{c, of})
	return symbolic.Named(c)
}

// setOf returns the set of numbers between bounds: participants, if some array has these as keys, and none has numbers.
func (m *Machine) setOf(lo, hi *symbolic.Term) set {
	of := set{lo: lo, hi: hi}
	numbers := false
	for _, v := range m.variables {
		for _, k := range v.keys {
			if of.same(k) {
				of.processes, numbers = of.processes || k.processes, numbers || !k.processes
			}
		}
	}
	of.processes = of.processes && !numbers
	return of
}

// skolem puts constants in place of names that exist, outside what is said of all.
func (q *query) skolem(t *symbolic.Term) *symbolic.Term {
	switch t.Op {
	case symbolic.OpExists:
		c := q.constant(q.m.setOf(t.Args[0], t.Args[1]))
		body := q.skolem(t.Args[2].Replace(map[string]*symbolic.Term{t.Name: c}))
		return symbolic.And(symbolic.Within(c, t.Args[0], t.Args[1]), body)
	case symbolic.OpAnd, symbolic.OpOr:
		return t.Each(q.skolem)
	}
	return t
}

// instantiate puts the indexes in place of names that something is said of all of.
func (q *query) instantiate(t *symbolic.Term) *symbolic.Term {
	switch t.Op {
	case symbolic.OpEvery:
		var all []*symbolic.Term
		size := t.Args[2].Size()
		for _, i := range q.indexes {
			if !q.takes(size) {
				break
			}
			body := q.instantiate(t.Args[2].Replace(map[string]*symbolic.Term{t.Name: i.t}))
			all = append(all, symbolic.Implies(symbolic.Within(i.t, t.Args[0], t.Args[1]), body))
		}
		return symbolic.And(all...)
	case symbolic.OpExists:
		return q.skolem(t)
	case symbolic.OpAnd, symbolic.OpOr:
		return t.Each(q.instantiate)
	}
	return t
}

// ask makes the query for a goal.
func (m *Machine) ask(g *goal, clauses []clause) *query {
	q := &query{m: m, known: map[string]bool{}, room: mostOperators}
	var first []*symbolic.Term
	by := map[string]*symbolic.Term{}
	if g.path != nil {
		params := g.path.params
		if g.owed != nil {
			params = g.owed.params
		}
		for _, b := range params {
			c := q.constant(set{b.of.lo.Replace(by), b.of.hi.Replace(by), b.of.processes})
			by[b.name] = c
			last := q.consts[len(q.consts)-1]
			first = append(first, symbolic.Within(c, last.of.lo, last.of.hi))
		}
	}
	var opposite *symbolic.Term
	switch {
	case g.owed != nil:
		opposite = negate(g.owed.must)
	default:
		names := map[string]*symbolic.Term{}
		for _, b := range g.of.names {
			c := q.constant(set{b.of.lo.Replace(names), b.of.hi.Replace(names), b.of.processes})
			names[b.name] = c
			last := q.consts[len(q.consts)-1]
			first = append(first, symbolic.Within(c, last.of.lo, last.of.hi))
		}
		t := g.of.body.Replace(names)
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
		first[i] = q.skolem(t.Replace(by))
	}
	var named []indexed
	if g.counts != nil {
		var more []*symbolic.Term
		more, named = g.counts.opposite(q)
		first = append(first, more...)
	}
	q.index(first, named)
	for _, t := range first {
		q.asserts = append(q.asserts, q.instantiate(t))
	}
	if g.path == nil && g.counts == nil && !g.follows {
		q.start()
		return q
	}
	for i := range clauses {
		if g.counts == nil || clauses[i].counts == nil {
			q.use(i, &clauses[i])
		}
	}
	return q
}

// index collects the terms that name participants.
func (q *query) index(from []*symbolic.Term, more []indexed) {
	met := map[string]bool{}
	add := func(t *symbolic.Term, of set) {
		const most = 10
		key := t.String() + " " + of.lo.String() + " " + of.hi.String()
		if !met[key] && len(q.indexes) < most && t.Size() < 40 {
			met[key] = true
			q.indexes = append(q.indexes, indexed{t, of})
		}
	}
	for _, b := range q.consts {
		add(symbolic.Named(b.name), b.of)
	}
	for _, i := range more {
		add(i.t, i.of)
	}
	for _, v := range q.m.variables {
		if v.domain.kind == participants && len(v.keys) == 0 {
			add(symbolic.Read(v, nil), v.domain.set())
		}
	}
	for _, t := range from {
		t.Visit(func(u *symbolic.Term) {
			if u.Op == symbolic.OpRead {
				for i, a := range u.Args {
					if !a.Contains(q.isBound) {
						add(a, variableOf(u).keys[i])
					}
				}
			}
		})
	}
}

// isBound reports whether a name is no constant: it is said of all.
func (q *query) isBound(t *symbolic.Term) bool {
	isConstant := slices.ContainsFunc(q.consts, func(b binder) bool { return b.name == t.Name })
	return t.IsName() && t.Name != q.m.Size && !isConstant
}

// use adds the instances of a clause at the indexes of its sets.
func (q *query) use(number int, c *clause) {
	args := make([]*symbolic.Term, len(c.names))
	size := c.body.Size()
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
		by := map[string]*symbolic.Term{}
		scope := symbolic.Truth(true)
		for j, b := range c.names {
			by[b.name] = args[j]
			scope = symbolic.And(scope, symbolic.Within(args[j], b.of.lo, b.of.hi))
		}
		says := q.instantiate(positive(symbolic.Implies(scope, c.body.Replace(by))))
		if !says.IsTrue() {
			q.uses = append(q.uses, instance{number, slices.Clone(args), says})
		}
	}
	fill(0)
}

// start says what initial states are, for the values that the query has.
func (q *query) start() {
	q.eachRead(func(t *symbolic.Term) {
		by := map[string]*symbolic.Term{}
		for i, name := range variableOf(t).names {
			by[name] = t.Args[i]
		}
		if variableOf(t).initial != nil {
			q.asserts = append(q.asserts, symbolic.Equal(t, variableOf(t).initial.Replace(by)))
		}
	})
}

// eachRead calls f once for each value that the query has.
func (q *query) eachRead(f func(t *symbolic.Term)) {
	met := map[string]bool{}
	var all []*symbolic.Term
	visit := func(t *symbolic.Term) {
		t.Visit(func(u *symbolic.Term) {
			if u.Op == symbolic.OpRead && !met[u.String()] {
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
func (q *query) domains(more ...*symbolic.Term) (all []*symbolic.Term) {
	met := map[string]bool{}
	add := func(t *symbolic.Term) {
		if in := variableOf(t).domain.contains(t); !in.IsTrue() && !met[t.String()] {
			met[t.String()] = true
			for i, k := range t.Args { // elsewhere it has no value
				in = symbolic.Implies(symbolic.Within(k, variableOf(t).keys[i].lo, variableOf(t).keys[i].hi), in)
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
		if name := symbolic.Symbol("is", s); name != "is.None" && name != "is.~2d~" {
			fmt.Fprintf(&b, "(define-fun %s () Int %d)\n", name, i)
		}
	}
	for _, v := range m.variables {
		sort := "Int"
		if v.domain.kind == truths {
			sort = "Bool"
		}
		fmt.Fprintf(&b, "(declare-fun %s (%s) %s)\n", v.Symbol(),
			strings.TrimSpace(strings.Repeat("Int ", len(v.keys))), sort)
	}
	return b.String()
}
