package machines

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
	"github.com/seed-105a2da2/unknot/proofs/smt"
)

// search looks for clauses that make the invariants of the file inductive.
type search struct {
	m        *Machine
	solver   smt.Solver
	grounds  []*ground
	oracle   []*columns
	clauses  []clause
	goals    []goal
	random   *rand.Rand
	counting bool   // invariants of the file may follow by counting, and numbers may differ by one
	missing  string // why no invariant was found
	large    bool   // as errLarge says
}

// element is a participant of a state that breaks a goal.
type element struct {
	name  string
	of    set
	value int
}

// operand is what a comparison compares: a variable at elements, an element, or a term of the size.
type operand struct {
	v    *variable
	at   []int
	elem int // -1: none
	t    *symbolic.Term
}

// literal is a fact about a state: what a variable has, or how two numbers compare.
type literal struct {
	v      *variable // nil: a comparison
	at     []int     // elements
	values []int     // codes, or for participants: elements from firstElement on, and other
	a, b   operand
	off    int
	signs  [3]bool // of a - b - off: -1, 0, 1
}

const (
	firstElement = 1 << 20
	other        = 1 << 21 // a participant that is no element
)

func (l *literal) elements() (all []int) {
	if l.v != nil {
		all = append(all, l.at...)
		for _, x := range l.values {
			if x >= firstElement && x != other {
				all = append(all, x-firstElement)
			}
		}
		return all
	}
	for _, o := range []operand{l.a, l.b} {
		all = append(all, o.at...)
		if o.elem >= 0 {
			all = append(all, o.elem)
		}
	}
	return all
}

// others lists the elements that a literal about a participant says it is not.
func (l *literal) others(elements []element) (all []int) {
	if l.v == nil || !slices.Contains(l.values, other) {
		return nil
	}
	for i, e := range elements {
		if e.of.same(l.v.domain.set()) && !slices.Contains(l.values, firstElement+i) {
			all = append(all, i)
		}
	}
	return all
}

func (o *operand) term(elements []element) *symbolic.Term {
	switch {
	case o.v != nil:
		return symbolic.Read(o.v, at(o.at, elements))
	case o.elem >= 0:
		return symbolic.Named(elements[o.elem].name)
	}
	return o.t
}

func at(of []int, elements []element) (keys []*symbolic.Term) {
	for _, e := range of {
		keys = append(keys, symbolic.Named(elements[e].name))
	}
	return keys
}

// term writes a literal as a formula.
func (l *literal) term(elements []element, m *Machine) *symbolic.Term {
	if l.v == nil {
		a, b := l.a.term(elements), symbolic.Plus(l.b.term(elements), 1, symbolic.Number(l.off))
		switch l.signs {
		case [3]bool{true, false, false}:
			return symbolic.Less(a, b)
		case [3]bool{true, true, false}:
			return symbolic.AtMost(a, b)
		case [3]bool{false, true, false}:
			return symbolic.Equal(a, b)
		case [3]bool{false, true, true}:
			return symbolic.AtMost(b, a)
		case [3]bool{false, false, true}:
			return symbolic.Less(b, a)
		case [3]bool{true, false, true}:
			return symbolic.Not(symbolic.Equal(a, b))
		}
		return symbolic.Truth(true)
	}
	t := symbolic.Read(l.v, at(l.at, elements))
	if l.v.domain.kind == truths {
		if l.values[0] == 0 {
			return symbolic.Not(t)
		}
		return t
	}
	options := l.options(elements)
	if slices.Contains(l.values, other) || l.v.domain.kind == texts && 2*len(l.values) > len(options) {
		var none []*symbolic.Term // by what it is not: shorter, and other is nothing else
		for _, x := range options {
			if !slices.Contains(l.values, x) {
				none = append(none, symbolic.Not(symbolic.Equal(t, l.value(x, elements, m))))
			}
		}
		return symbolic.And(none...)
	}
	var any []*symbolic.Term
	for _, x := range l.values {
		any = append(any, symbolic.Equal(t, l.value(x, elements, m)))
	}
	return symbolic.Or(any...)
}

// value writes one of the values of a literal, but other.
func (l *literal) value(x int, elements []element, m *Machine) *symbolic.Term {
	switch {
	case x >= firstElement:
		return symbolic.Named(elements[x-firstElement].name)
	case x == codeNone:
		return none
	case x == codeAbsent:
		return absent
	case l.v.domain.kind == texts:
		return symbolic.Text(m.texts[x], x)
	}
	return symbolic.Number(x)
}

// options lists the values that a literal about a variable could have.
func (l *literal) options(elements []element) (all []int) {
	d := &l.v.domain
	switch d.kind {
	case truths:
		return nil
	case texts:
		for _, c := range d.codes {
			all = append(all, c.N)
		}
		return all
	}
	if d.optional {
		all = append(all, codeNone)
	}
	if d.absent {
		all = append(all, codeAbsent)
	}
	if d.kind == numbers {
		for x := d.lo.N; x < d.hi.N; x++ {
			all = append(all, x)
		}
		return all
	}
	for i, e := range elements {
		if e.of.same(d.set()) {
			all = append(all, firstElement+i)
		}
	}
	return append(all, other)
}

// isFew reports whether the values of a variable are told one by one, and not by comparisons.
func (v *variable) isFew() bool {
	const few = 8
	d := &v.domain
	return d.kind != numbers || d.lo.IsNumber() && d.hi.IsNumber() && d.hi.N-d.lo.N <= few
}

// view is what a solver says of a state that breaks a goal.
type view struct {
	q      *query
	values map[string]*big.Rat
	terms  []*symbolic.Term
	names  []string
}

func (v *view) value(t *symbolic.Term) int {
	for i, u := range v.terms {
		if u.Same(t) {
			if x := v.values[v.names[i]]; x != nil {
				return int(x.Num().Int64())
			}
		}
	}
	return 0
}

// counterexample asks the solver for a state that breaks a goal, with the values of all variables at the participants
// that the query names; nil if there is none.
func (s *search) counterexample(ctx context.Context, g *goal) (*view, error) {
	q := s.m.ask(g, s.clauses)
	v := &view{q: q}
	for _, i := range q.indexes {
		v.terms = append(v.terms, i.t)
	}
	v.terms = append(v.terms, symbolic.Named(s.m.Size))
	var reads []*symbolic.Term
	for _, x := range s.m.variables {
		keys := make([]*symbolic.Term, len(x.keys))
		var fill func(i int)
		fill = func(i int) {
			if i < len(keys) {
				for _, index := range q.indexes {
					if q.room >= 0 && index.of.same(x.keys[i]) {
						keys[i] = index.t
						fill(i + 1)
					}
				}
				return
			}
			q.takes(1 + len(keys))
			reads = append(reads, symbolic.Read(x, slices.Clone(keys)))
		}
		fill(0)
	}
	if q.room < 0 {
		s.missing, s.large = errLarge.Error(), true
		return nil, nil
	}
	v.terms = append(v.terms, reads...)
	var b strings.Builder
	b.WriteString("(set-option :timeout 10000)\n" + s.m.preamble())
	q.declare(&b)
	for _, t := range slices.Concat(q.asserts, q.domains(reads...)) {
		fmt.Fprintf(&b, "(assert %s)\n", t)
	}
	for _, u := range q.uses {
		fmt.Fprintf(&b, "(assert %s)\n", u.says)
	}
	// A small size comes first, as it has few participants that the formulas do not name.
	for i, t := range v.terms {
		name := fmt.Sprintf("w_%d", i)
		v.names = append(v.names, name)
		if t.IsTruth() {
			fmt.Fprintf(&b, "(declare-const %s Int)\n(assert (= %s (ite %s 1 0)))\n", name, name, t)
		} else {
			fmt.Fprintf(&b, "(declare-const %s Int)\n(assert (= %s %s))\n", name, name, t)
		}
	}
	fmt.Fprintf(&b, "(check-sat)\n(get-value (%s))\n", strings.Join(v.names, " "))
	out, err := s.solver.Output(ctx, b.String())
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case strings.HasPrefix(out, string(smt.Unsat)):
		return nil, nil
	case !strings.HasPrefix(out, string(smt.Sat)):
		if err == nil {
			err = fmt.Errorf("%s gives no answer: %.200s", s.solver.Name, strings.TrimSpace(out))
		}
		return nil, err
	}
	v.values, err = smt.Values(out)
	return v, err
}

// elements lists the participants of a state, those that the step and the clause name first.
func (v *view) elements(most func(of set) int) (all []element) {
	for _, i := range v.q.indexes {
		if !v.q.m.isClosed(i.of) {
			continue // a range that depends on another participant is none of a clause
		}
		e := element{fmt.Sprintf("p_%d", len(all)+1), i.of, v.value(i.t)}
		n := v.value(symbolic.Named(v.q.m.Size))
		g := &ground{m: v.q.m, n: n}
		env := map[string]int{v.q.m.Size: n}
		if e.value < g.value(i.of.lo, env, nil) || e.value >= g.value(i.of.hi, env, nil) {
			continue
		}
		same := 0
		known := false
		for _, o := range all {
			if o.of.same(e.of) {
				same++
				known = known || o.value == e.value
			}
		}
		if !known && same < most(e.of) {
			all = append(all, e)
		}
	}
	return all
}

// isClosed reports whether the bounds of a set depend on the size alone.
func (m *Machine) isClosed(of set) bool {
	free := map[string]bool{}
	of.lo.Free(free)
	of.hi.Free(free)
	delete(free, m.Size)
	return len(free) == 0
}

// index returns the term that names an element.
func (v *view) index(e element) *symbolic.Term {
	for _, i := range v.q.indexes {
		if i.of.same(e.of) && v.value(i.t) == e.value {
			return i.t
		}
	}
	return nil
}

// literals lists all facts about a state and these elements; near adds whether numbers differ by one.
func (v *view) literals(elements []element, near bool) (all []literal) {
	m := v.q.m
	var compared []operand
	var values []int
	for _, x := range m.variables {
		keys := make([]int, len(x.keys))
		var fill func(i int)
		fill = func(i int) {
			if i < len(keys) {
				for j, e := range elements {
					if e.of.same(x.keys[i]) {
						keys[i] = j
						fill(i + 1)
					}
				}
				return
			}
			var terms []*symbolic.Term
			for _, k := range keys {
				terms = append(terms, v.index(elements[k]))
			}
			is := v.value(symbolic.Read(x, terms))
			if !x.isFew() {
				compared, values = append(compared, operand{v: x, at: slices.Clone(keys), elem: -1}), append(values, is)
				return
			}
			l := literal{v: x, at: slices.Clone(keys), values: []int{is}}
			if x.domain.kind == participants && is >= 0 {
				l.values[0] = other
				for j, e := range elements {
					if e.value == is && e.of.same(x.domain.set()) {
						l.values[0] = firstElement + j
					}
				}
			}
			all = append(all, l)
		}
		fill(0)
	}
	if len(compared) == 0 {
		return all
	}
	n := v.value(symbolic.Named(m.Size))
	g := &ground{m: m, n: n}
	env := map[string]int{m.Size: n}
	for i, e := range elements {
		if !e.of.processes {
			compared, values = append(compared, operand{elem: i}), append(values, e.value)
		}
	}
	ends := len(compared)
	for _, o := range compared[:ends] {
		if o.v == nil {
			continue
		}
		d, one := &o.v.domain, symbolic.Number(1)
		for _, t := range []*symbolic.Term{d.lo, symbolic.Plus(d.lo, 1, one), symbolic.Plus(d.hi, -1, one)} {
			if !slices.ContainsFunc(compared[ends:], func(p operand) bool { return p.t.Same(t) }) {
				compared, values = append(compared, operand{elem: -1, t: t}), append(values, g.value(t, env, nil))
			}
		}
	}
	for i, a := range compared[:ends] {
		for j, b := range compared[i+1:] {
			d := values[i] - values[i+1+j]
			sign := cmp.Compare(d, 0)
			l := literal{a: a, b: b}
			l.signs[sign+1] = true
			all = append(all, l)
			if near && d != 0 && b.t == nil {
				l := literal{a: a, b: b, off: sign}
				l.signs[cmp.Compare(d-sign, 0)+1] = true
				all = append(all, l)
			}
		}
	}
	return all
}

// mostElements bounds the participants of one set that a clause names.
const mostElements = 4

// most returns how many elements a set has at the small sizes.
func (s *search) most(of set) (size int) {
	for _, g := range s.grounds {
		env := map[string]int{s.m.Size: g.n}
		size = max(size, g.value(of.hi, env, nil)-g.value(of.lo, env, nil))
	}
	return size
}

// exclude returns a clause that excludes a part of a state which no reachable state of small sizes has; nil if these
// have all of it.
func (s *search) exclude(v *view) *clause {
	for limit := 1; limit <= mostElements; limit++ {
		elements := v.elements(func(of set) int { return min(limit, s.most(of)) })
		cube := v.literals(elements, s.counting)
		if s.isReachable(cube, elements) {
			continue
		}
		best := s.shrink(cube, elements, nil)
		for range 4 {
			if c := s.shrink(cube, elements, s.random.Perm(len(cube))); weight(c) < weight(best) {
				best = c
			}
		}
		return s.clause(s.widen(best, elements), elements)
	}
	return nil
}

// weight prefers few participants, and then few facts.
func weight(cube []literal) int {
	used := map[int]bool{}
	for i := range cube {
		for _, e := range cube[i].elements() {
			used[e] = true
		}
	}
	return 3*len(used) + len(cube)
}

// shrink drops facts from a cube while no reachable state has it.
func (s *search) shrink(cube []literal, elements []element, order []int) []literal {
	if order == nil {
		for i := range cube {
			order = append(order, i)
		}
	}
	kept := make([]literal, 0, len(cube))
	for _, i := range order {
		kept = append(kept, cube[i])
	}
	for e := len(elements) - 1; e >= 0; e-- {
		without := slices.DeleteFunc(slices.Clone(kept), func(l literal) bool { return slices.Contains(l.elements(), e) })
		if len(without) < len(kept) && !s.isReachable(without, elements) {
			kept = without
		}
	}
	for i := len(kept) - 1; i >= 0; i-- {
		if without := slices.Delete(slices.Clone(kept), i, i+1); !s.isReachable(without, elements) {
			kept = without
		}
	}
	return kept
}

// widen lets each fact have more values while no reachable state has the cube.
func (s *search) widen(cube []literal, elements []element) []literal {
	for i := range cube {
		cube = s.widenOne(cube, elements, i)
	}
	return cube
}

// widenOne lets one fact have more values while no reachable state has the cube.
func (s *search) widenOne(cube []literal, elements []element, i int) []literal {
	cube = slices.Clone(cube)
	l := &cube[i]
	keep := func(wider literal) {
		try := slices.Clone(cube)
		try[i] = wider
		if !s.isReachable(try, elements) {
			*l = wider
		}
	}
	if l.v == nil {
		for sign := range l.signs {
			wider := *l
			wider.signs[sign] = true
			if wider.signs != l.signs && wider.signs != [3]bool{true, true, true} {
				keep(wider)
			}
		}
		return cube
	}
	used := map[int]bool{}
	for j := range cube {
		for _, e := range cube[j].elements() {
			used[firstElement+e] = true
		}
	}
	for _, x := range l.options(elements) {
		if !slices.Contains(l.values, x) && (x < firstElement || x == other || used[x]) {
			wider := *l
			wider.values = append(slices.Clone(l.values), x)
			keep(wider)
		}
	}
	return cube
}

// clause says that no participants have a cube. It keeps the elements that the cube names.
func (s *search) clause(cube []literal, elements []element) *clause {
	used := map[int]bool{}
	for i := range cube {
		for _, e := range cube[i].elements() {
			used[e] = true
		}
		for _, e := range cube[i].others(elements) {
			used[e] = true
		}
	}
	c := &clause{}
	var excluded []*symbolic.Term
	for i := range elements {
		if !used[i] {
			continue
		}
		e := elements[i]
		for _, b := range c.names {
			if b.of.same(e.of) {
				excluded = append(excluded, symbolic.Equal(symbolic.Named(b.name), symbolic.Named(e.name)))
			}
		}
		c.names = append(c.names, binder{e.name, e.of})
	}
	var facts []*symbolic.Term
	for i := range cube {
		facts = append(facts, cube[i].term(elements, s.m))
	}
	c.facts = facts
	c.body = symbolic.Or(append(excluded, symbolic.Not(symbolic.And(facts...)))...)
	return c
}
