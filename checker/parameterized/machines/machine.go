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
	"strings"

	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
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

	situations []*situation
	crowded    bool // there are more situations
}

// kind says what the values of a variable are.
type kind int

const (
	truths kind = iota + 1
	texts
	numbers
	participants // of a set
)

// Codes of texts that are no texts of the file. Participants and numbers are never below 0 where these are.
const (
	codeNone   = -1
	codeAbsent = -2 // what a FIFO has at a place without a message
)

var (
	none   = symbolic.Text("None", codeNone)
	absent = symbolic.Text("-", codeAbsent)
)

// domain is the values of a variable: texts by code, or numbers lo <= x < hi, perhaps with None.
type domain struct {
	kind     kind
	codes    []*symbolic.Term // texts, None and absent among them
	lo, hi   *symbolic.Term
	optional bool // None, of numbers and participants
	absent   bool // a place of a FIFO of numbers or participants

	processes bool // of the participants that the file declares
}

// set returns the numbers of a domain.
func (d *domain) set() set { return set{d.lo, d.hi, d.processes} }

// contains says that the value of t is in the domain.
func (d *domain) contains(t *symbolic.Term) *symbolic.Term {
	switch d.kind {
	case truths:
		return symbolic.Truth(true)
	case texts:
		var any []*symbolic.Term
		for _, c := range d.codes {
			any = append(any, symbolic.Equal(t, c))
		}
		return symbolic.Or(any...)
	}
	in := symbolic.Within(t, d.lo, d.hi)
	if d.optional {
		in = symbolic.Or(in, symbolic.Equal(t, none))
	}
	if d.absent {
		in = symbolic.Or(in, symbolic.Equal(t, absent))
	}
	return in
}

// same reports whether two domains have the same values.
func (d *domain) same(e *domain) bool {
	if d.kind == truths || d.kind == texts || e.kind == truths || e.kind == texts {
		in := func(codes []*symbolic.Term) func(*symbolic.Term) bool {
			return func(c *symbolic.Term) bool { return !slices.ContainsFunc(codes, c.Same) }
		}
		return d.kind == e.kind && !slices.ContainsFunc(d.codes, in(e.codes)) && !slices.ContainsFunc(e.codes, in(d.codes))
	}
	return d.optional == e.optional && d.set().same(e.set())
}

// set is the numbers lo <= x < hi: the keys of an array, the participants.
type set struct {
	lo, hi    *symbolic.Term
	processes bool
}

func (s set) same(t set) bool { return s.lo != nil && s.lo.Same(t.lo) && s.hi.Same(t.hi) }

// variable is one of the file, or a place of a FIFO, for all keys.
type variable struct {
	name    string
	keys    []set
	domain  domain
	names   []string       // for the keys in initial
	initial *symbolic.Term // nil: any value
}

// Symbol, IsTruth and Infix are those of a [symbolic.Function].
func (v *variable) Symbol() string { return symbolic.Symbol("s", v.name) }
func (v *variable) IsTruth() bool  { return v.domain.kind == truths }
func (v *variable) Infix(keys []string) string {
	if len(keys) == 0 {
		return v.name
	}
	base, place, isFIFO := strings.Cut(v.name, ".")
	if isFIFO {
		place = "." + place
	}
	return base + "[" + strings.Join(keys, ", ") + "]" + place
}

// variableOf returns the variable that a term reads, nil if it is another term.
func variableOf(t *symbolic.Term) *variable {
	v, _ := t.Of.(*variable)
	return v
}

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
	conds   []*symbolic.Term
	updates map[*variable][]update
	owed    []obligation
}

// update gives a variable a value at the keys for which the condition holds.
type update struct {
	names       []string // of the keys
	cond, value *symbolic.Term
}

// obligation is a condition that must be true whenever a rule gets there, as the step is wrong otherwise. Its names are
// those that a path has by then: later ones may have no values.
type obligation struct {
	at     syntax.Position
	says   string
	params []binder
	must   *symbolic.Term
}

// property is an invariant of the file.
type property struct {
	name   string
	params []binder
	holds  *symbolic.Term
}

// after returns what t is after the step of a path.
func (p *path) after(t *symbolic.Term) *symbolic.Term {
	if t.Op == symbolic.OpRead {
		keys := make([]*symbolic.Term, len(t.Args))
		for i, a := range t.Args {
			keys[i] = p.after(a)
		}
		return updated(p.updates[variableOf(t)], variableOf(t), keys)
	}
	return t.Each(p.after)
}

// updated reads a variable after updates.
func updated(updates []update, v *variable, keys []*symbolic.Term) *symbolic.Term {
	t := symbolic.Read(v, keys)
	for _, u := range updates {
		by := map[string]*symbolic.Term{}
		for i, name := range u.names {
			by[name] = keys[i]
		}
		t = symbolic.Cases(u.cond.Replace(by), u.value.Replace(by), t)
	}
	return t
}
