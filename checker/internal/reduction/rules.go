package reduction

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// rules is what is known of a program's rules before any state is looked at. A rule is
// divided into cases (see cases); below, a rule is such a case.
type rules struct {
	p       *program.Program
	atoms   *atoms
	all     []rule
	first   []int32   // by rule of the program, plus one: its first case
	writers [][]int32 // by variable: the rules that may set it, ascending
	trial   *trial
}

type rule struct {
	guard  formula
	effect []program.Stmt
	within domains // where the guard holds
	reads  vars    // by guard and effect
	writes vars
	clash  []int32 // rules that do not accord with it, ascending; see accord.go
}

func rulesOf(p *program.Program) *rules {
	a := &atoms{p: p, known: map[string]int{}}
	r := &rules{p: p, atoms: a, trial: newTrial(a), writers: make([][]int32, len(p.Variables)), first: []int32{0}}
	for i := range p.Rules {
		for _, x := range r.cases(&p.Rules[i]) {
			guard := []program.Var{}
			a.reads(x.guard, func(v program.Var) { guard = append(guard, v) })
			x.reads, x.writes = set(append(guard, lookedAt(x.effect)...)), writtenBy(x.effect)
			for _, v := range x.writes {
				r.writers[v] = append(r.writers[v], int32(len(r.all)))
			}
			r.all = append(r.all, x)
		}
		r.first = append(r.first, int32(len(r.all)))
	}
	return r
}

// mostCases bounds the cases of a rule.
const mostCases = 16

// cases divides a rule by the conditions in its effect that are evaluated in the state before
// the step, unless they are too many. Where the rule can step, one of its cases can.
func (r *rules) cases(of *program.Rule) []rule {
	return r.grown(nil, r.atoms.of(&of.Guard, false), of.Effect)
}

// grown appends the cases of an effect, except those that never hold.
func (r *rules) grown(cases []rule, guard formula, effect []program.Stmt) []rule {
	within, possible := r.atoms.domains(guard)
	if !possible {
		return cases
	}
	var before []program.Var
	for i := range effect {
		s := &effect[i]
		if s.Assigns() {
			before = append(before, s.Var)
			continue
		}
		if len(cases) < mostCases && !set(slices.Clone(before)).meets(set(readBy(nil, &s.Cond))) {
			for k, branch := range [][]program.Stmt{s.Then, s.Else} {
				cases = r.grown(cases, both(guard, r.atoms.of(&s.Cond, k == 1)),
					slices.Concat(effect[:i], branch, effect[i+1:]))
			}
			return cases
		}
		before = append(before, writtenBy(effect[i:i+1])...)
	}
	return append(cases, rule{guard: guard, effect: effect, within: within})
}

func both(f, g formula) formula {
	return formula{shape: all, parts: slices.Concat(f.conjuncts(), g.conjuncts())}
}

// mayFail reports whether a rule may set a variable to a value out of its range.
func (r *rules) mayFail(x *rule, v program.Var) bool {
	suspect := false
	assignments(x.effect, nil, func(s *program.Stmt, _ []*program.Expr) {
		if s.Var == v && !suspect {
			least, most, err := r.p.Bounds(&s.Value)
			suspect = err != nil || least < 0 || most >= r.p.Variables[v].Values
		}
	})
	if !suspect {
		return false
	}
	of := dependsOn(x.effect, vars{v})
	effect := only(x.effect, of)
	return r.trial.satisfiable(of, x.within, x.guard.conjuncts(), func() bool {
		copy(r.trial.after[0], r.trial.values)
		return !run(r.p, effect, r.trial.after[0])
	})
}

// fails reports whether a rule may set any variable to a value out of its range.
func (r *rules) fails(x *rule) bool {
	return slices.ContainsFunc(x.writes, func(v program.Var) bool { return r.mayFail(x, v) })
}
