// Package machines, internal to unknot, proves invariants of protocols for every number of participants: a protocol file
// whose size stays symbolic.
//
// [Read] runs the file on formulas (symbolic execution, King 1976): each rule becomes paths, and each path has a
// condition, and formulas for what it assigns. [Machine.Prove] looks for an inductive invariant that implies the
// invariants of the file, and writes the conditions as a file in SMT-LIB 2. Two solvers decide that file. Nothing that
// is found is trusted. That the formulas mean the file is tested, by comparisons at many sizes, and not proved.
//
// # The invariant
//
// It is a conjunction of clauses: for all different participants, these facts are not true together. It begins with the
// invariants of the file. If a step breaks a clause, the solver gives a state that satisfies all clauses, before that
// step. A part of that state which no reachable state of small sizes has, made as small as such a part can be, is
// excluded by a new clause (property-directed, as Bradley 2011, with small sizes as the oracle of what is reachable;
// Pnueli, Ruah and Zuck 2001; Conchon et al. 2012). If small sizes have the whole state, there is no such invariant,
// or none is found.
//
// # Instances
//
// A condition is proved from instances of the clauses at the participants that the step and the clause name. So the
// formulas that solvers meet have no quantifiers, and they always answer.
package machines

import (
	"slices"

	"go.starlark.net/syntax"
)

// Machine is a protocol of every size.
type Machine struct {
	Size  string // the parameter that stays symbolic
	Least int
	Most  int // that the file accepts; 0: any

	set   map[string]string // values of other parameters
	file  string
	text  []byte
	texts []string // by code

	constants []int // numbers that the file writes, or that given values are, ascending

	variables  []*variable
	rules      []rule
	properties []property
}

// kind says what the values of a variable are.
type kind int

const (
	truths kind = iota + 1
	texts
	numbers
	participants // of a set
)

// domain is the values of a variable: texts by code, or numbers lo <= x < hi, perhaps with None.
type domain struct {
	kind     kind
	codes    []*term // texts, None and absent among them
	lo, hi   *term
	optional bool // None, of numbers and participants
	absent   bool // a place of a FIFO of numbers or participants
}

// contains says that the value of t is in the domain.
func (d *domain) contains(t *term) *term {
	switch d.kind {
	case truths:
		return truth(true)
	case texts:
		var any []*term
		for _, c := range d.codes {
			any = append(any, compare(opEqual, t, c))
		}
		return or(any...)
	}
	in := within(t, d.lo, d.hi)
	if d.optional {
		in = or(in, compare(opEqual, t, none))
	}
	if d.absent {
		in = or(in, compare(opEqual, t, absent))
	}
	return in
}

// same reports whether two domains have the same values.
func (d *domain) same(e *domain) bool {
	if d.kind == truths || d.kind == texts || e.kind == truths || e.kind == texts {
		in := func(codes []*term) func(*term) bool {
			return func(c *term) bool { return !slices.ContainsFunc(codes, c.same) }
		}
		return d.kind == e.kind && !slices.ContainsFunc(d.codes, in(e.codes)) && !slices.ContainsFunc(e.codes, in(d.codes))
	}
	return d.optional == e.optional && set{lo: d.lo, hi: d.hi}.same(set{lo: e.lo, hi: e.hi})
}

// set is the numbers lo <= x < hi: the keys of an array, the participants.
type set struct {
	lo, hi    *term
	processes bool
}

func (s set) same(t set) bool { return s.lo != nil && s.lo.same(t.lo) && s.hi.same(t.hi) }

// variable is one of the file, or a place of a FIFO, for all keys.
type variable struct {
	name    string
	keys    []set
	domain  domain
	names   []string // for the keys in initial
	initial *term    // nil: any value
}

func (v *variable) symbol() string { return symbol("s", v.name) }

// binder is a name with its range.
type binder struct {
	name string
	of   set
}

// rule is one of the file, for all its keys.
type rule struct {
	name  string
	paths []path
}

// path is one way through a rule: if all conditions hold, the state changes so.
type path struct {
	at      syntax.Position
	params  []binder
	conds   []*term
	updates map[*variable][]update
	owed    []obligation
}

// update gives a variable a value at the keys for which the condition holds.
type update struct {
	names       []string // of the keys
	cond, value *term
}

// obligation is a condition that must be true whenever a rule gets there, as the step is wrong otherwise. Its names are
// those that a path has by then: later ones may have no values.
type obligation struct {
	at     syntax.Position
	says   string
	params []binder
	must   *term
}

// property is an invariant of the file.
type property struct {
	name   string
	params []binder
	holds  *term
}

// after returns what t is after the step of a path.
func (p *path) after(t *term) *term {
	if t.op == opRead {
		keys := make([]*term, len(t.args))
		for i, a := range t.args {
			keys[i] = p.after(a)
		}
		return updated(p.updates[t.v], t.v, keys)
	}
	return t.each(p.after)
}

// updated reads a variable after updates.
func updated(updates []update, v *variable, keys []*term) *term {
	t := read(v, keys)
	for _, u := range updates {
		by := map[string]*term{}
		for i, name := range u.names {
			by[name] = keys[i]
		}
		t = cases(u.cond.replace(by), u.value.replace(by), t)
	}
	return t
}
