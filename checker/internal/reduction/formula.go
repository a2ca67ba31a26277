package reduction

import (
	"fmt"
	"math/bits"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// formula is a condition in which only atoms are negated.
type formula struct {
	shape shape
	atom  int // if single: its number
	parts []formula
}

type shape uint8

const (
	single shape = iota
	all          // of the parts
	some         // of the parts, at least one
)

// atom is a condition that is evaluated as a whole: a comparison, or any condition on one variable.
type atom struct {
	expr    program.Expr
	reads   vars
	set     uint64 // if small: the values of its one variable for which it holds
	small   bool   // set decides it
	failing []program.Stmt
	makers  []int32 // rules that may make it true where it is false; see enable.go
}

// atoms numbers the atoms of a program.
type atoms struct {
	p     *program.Program
	all   []atom
	known map[string]int
}

// of turns a condition, or its negation, into a formula.
func (a *atoms) of(e *program.Expr, negated bool) formula {
	if e.Op == program.Negation {
		return a.of(&e.Args[0], !negated)
	}
	reads := set(readBy(nil, e))
	if (e.Op != program.Conjunction && e.Op != program.Disjunction) || len(reads) == 1 {
		x := *e
		if negated {
			x = program.Not(x)
		}
		return formula{atom: a.number(x, reads)}
	}
	f := formula{shape: all}
	if (e.Op == program.Disjunction) != negated {
		f.shape = some
	}
	for i := range e.Args {
		if part := a.of(&e.Args[i], negated); part.shape == f.shape {
			f.parts = append(f.parts, part.parts...)
		} else {
			f.parts = append(f.parts, part)
		}
	}
	return f
}

func (a *atoms) number(e program.Expr, reads vars) int {
	key := fmt.Sprint(e)
	if n, known := a.known[key]; known {
		return n
	}
	x := atom{expr: e, reads: reads}
	if x.small = len(reads) == 1 && a.p.Variables[reads[0]].Values <= 64; x.small {
		values := make([]int, len(a.p.Variables))
		for v := range a.p.Variables[reads[0]].Values {
			if values[reads[0]] = v; e.Holds(values) {
				x.set |= 1 << v
			}
		}
	}
	a.all = append(a.all, x)
	a.known[key] = len(a.all) - 1
	return len(a.all) - 1
}

// fails returns the formula that an effect takes some variable out of its range.
func (a *atoms) fails(effect []program.Stmt) formula {
	a.all = append(a.all, atom{failing: effect, reads: lookedAt(effect)})
	return formula{atom: len(a.all) - 1}
}

// holds evaluates an atom. after is scratch.
func (a *atom) holds(p *program.Program, values, after []int) bool {
	switch {
	case a.small:
		return a.set>>uint(values[a.reads[0]])&1 == 1
	case a.failing != nil:
		copy(after, values)
		return !run(p, a.failing, after)
	}
	return a.expr.Holds(values)
}

// holds evaluates a formula without atoms about failing effects.
func (a *atoms) holds(f formula, values []int) bool {
	switch f.shape {
	case single:
		return a.all[f.atom].holds(a.p, values, nil)
	case all:
		for i := range f.parts {
			if !a.holds(f.parts[i], values) {
				return false
			}
		}
		return true
	}
	for i := range f.parts {
		if a.holds(f.parts[i], values) {
			return true
		}
	}
	return false
}

// domains are the values that variables with at most 64 may have; any, if a variable is not
// in the map.
type domains map[program.Var]uint64

// domains returns the values that variables have wherever a formula holds. ok is false if it
// holds nowhere, as some variable has no value left.
func (a *atoms) domains(f formula) (d domains, ok bool) {
	switch f.shape {
	case single:
		if x := &a.all[f.atom]; x.small {
			return domains{x.reads[0]: x.set}, x.set != 0
		}
		return nil, true
	case all:
		d = domains{}
		for _, p := range f.parts {
			part, ok := a.domains(p)
			if !ok || !d.meet(part) {
				return nil, false
			}
		}
		return d, true
	}
	for _, p := range f.parts {
		part, possible := a.domains(p)
		switch {
		case !possible:
		case !ok:
			d, ok = domains{}, true
			d.meet(part)
		default:
			for x := range d {
				if more, is := part[x]; is {
					d[x] |= more
				} else {
					delete(d, x)
				}
			}
		}
	}
	return d, ok
}

// meet intersects the domains with others; false if a variable has no value left.
func (d domains) meet(others domains) bool {
	possible := true
	for x, set := range others {
		if own, is := d[x]; is {
			set &= own
		}
		d[x] = set
		possible = possible && set != 0
	}
	return possible
}

func (a *atoms) size(d domains, x program.Var) int {
	if set, is := d[x]; is {
		return bits.OnesCount64(set)
	}
	return a.p.Variables[x].Values
}
