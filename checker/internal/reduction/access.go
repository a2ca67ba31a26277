package reduction

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// vars is a set of variables, ascending.
type vars []program.Var

func set(all []program.Var) vars {
	slices.Sort(all)
	return slices.Compact(all)
}

func (v vars) has(x program.Var) bool {
	_, found := slices.BinarySearch(v, x)
	return found
}

func (v vars) meets(w vars) bool { return slices.ContainsFunc(v, w.has) }

func (v vars) and(w vars) vars { return set(slices.Concat(v, w)) }

// readBy appends the variables that an expression reads.
func readBy(dst []program.Var, e *program.Expr) []program.Var {
	if e.Op == program.Read {
		return append(dst, program.Var(e.Value))
	}
	for i := range e.Args {
		dst = readBy(dst, &e.Args[i])
	}
	return dst
}

// assignments calls f with each assignment of an effect, and the conditions around it.
func assignments(list []program.Stmt, under []*program.Expr, f func(s *program.Stmt, under []*program.Expr)) {
	for i := range list {
		s := &list[i]
		if s.Assigns() {
			f(s, under)
			continue
		}
		inside := append(slices.Clip(under), &s.Cond)
		assignments(s.Then, inside, f)
		assignments(s.Else, inside, f)
	}
}

// writtenBy returns the variables that an effect may set.
func writtenBy(effect []program.Stmt) vars {
	var all []program.Var
	assignments(effect, nil, func(s *program.Stmt, _ []*program.Expr) { all = append(all, s.Var) })
	return set(all)
}

// lookedAt returns the variables that an effect may read.
func lookedAt(effect []program.Stmt) vars {
	var all []program.Var
	assignments(effect, nil, func(s *program.Stmt, under []*program.Expr) {
		all = readBy(all, &s.Value)
		for _, c := range under {
			all = readBy(all, c)
		}
	})
	return set(all)
}

// dependsOn returns the variables on which the values of some depend after an effect, including
// those.
func dependsOn(effect []program.Stmt, of vars) vars {
	for {
		more := slices.Clone(of)
		assignments(effect, nil, func(s *program.Stmt, under []*program.Expr) {
			if of.has(s.Var) {
				more = readBy(more, &s.Value)
				for _, c := range under {
					more = readBy(more, c)
				}
			}
		})
		if more = set(more); len(more) == len(of) {
			return of
		}
		of = more
	}
}

// only returns the part of an effect that sets some of the given variables.
func only(effect []program.Stmt, of vars) (rest []program.Stmt) {
	for _, s := range effect {
		if s.Assigns() {
			if of.has(s.Var) {
				rest = append(rest, s)
			}
			continue
		}
		s.Then, s.Else = only(s.Then, of), only(s.Else, of)
		if len(s.Then)+len(s.Else) > 0 {
			rest = append(rest, s)
		}
	}
	return rest
}

// run applies an effect to values; false if one leaves its range.
func run(p *program.Program, effect []program.Stmt, values []int) (ok bool) {
	for i := range effect {
		s := &effect[i]
		if !s.Assigns() {
			branch := s.Else
			if s.Cond.Holds(values) {
				branch = s.Then
			}
			if !run(p, branch, values) {
				return false
			}
			continue
		}
		x := s.Value.Number(values)
		if x < 0 || x >= p.Variables[s.Var].Values {
			return false
		}
		values[s.Var] = x
	}
	return true
}
