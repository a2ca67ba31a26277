package decision

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// TooManyError says that a function distinguishes too many combinations.
type TooManyError struct {
	Limit   int
	Looked  []program.Var // what the last run looked at, in order
	Choices []int         // how many options each choice of that run had, in order
}

func (e *TooManyError) Error() string {
	return fmt.Sprintf("more than %d combinations of values", e.Limit)
}

// Evaluate runs a function for all combinations of values that it distinguishes, at most limit
// of them; values returns how many values a variable has. An error of the function is
// returned as it is.
func Evaluate(values func(program.Var) int, limit int, f func(*Run) (Answer, error)) (*Tree, error) {
	tests := &conditions{number: map[string]program.Var{}, numbers: map[string]*Number{}}
	a := &evaluator{
		run: Run{values: values, full: map[program.Var][]int{}, domains: map[program.Var][]int{}, tests: tests}, f: f,
		left: limit, limit: limit, b: newBuilder(tests),
	}
	if err := a.rerun(); err != nil {
		return nil, err
	}
	root, err := a.subtree(0)
	if err != nil {
		return nil, err
	}
	return &Tree{b: a.b, root: root, Leaves: limit - a.left}, nil
}

type evaluator struct {
	run         Run
	f           func(*Run) (Answer, error)
	answer      Answer
	left, limit int
	b           *builder
}

// rerun runs the function along the trail.
func (a *evaluator) rerun() error {
	if a.left--; a.left < 0 {
		return a.tooMany()
	}
	a.run.next, a.run.used = 0, 0
	clear(a.run.domains)
	var err error
	if a.answer, err = a.f(&a.run); err == nil {
		a.run.sequenceSets(&a.answer)
	}
	return err
}

// tooMany is the error of one run more than are allowed, after a run whose trail is whole.
func (a *evaluator) tooMany() error {
	many := &TooManyError{Limit: a.limit}
	for _, c := range a.run.trail {
		switch {
		case c.x == None:
			many.Choices = append(many.Choices, c.n)
		case c.x >= 0 && !slices.Contains(many.Looked, c.x):
			many.Looked = append(many.Looked, c.x)
		}
	}
	return many
}

// subtree returns the tree below the first decisions of the trail. The last run took the
// first alternative of all others.
func (a *evaluator) subtree(depth int) (nodeID, error) {
	if depth == len(a.run.trail) {
		return a.b.leaf(a.answer), nil
	}
	c := a.run.trail[depth]
	children := make([]nodeID, c.n)
	for i := range children {
		if i > 0 {
			if a.left == 0 {
				return 0, a.tooMany()
			}
			a.run.trail = a.run.trail[:depth+1]
			a.run.trail[depth].taken = i
			a.run.known = a.run.known[:min(len(a.run.known), depth+1)]
			if err := a.rerun(); err != nil {
				return 0, err
			}
		}
		var err error
		if children[i], err = a.subtree(depth + 1); err != nil {
			return 0, err
		}
	}
	if c.x == None {
		return a.b.choice(children), nil
	}
	groups := make([]group, len(children))
	for i, child := range children {
		groups[i] = group{c.groups[i], child}
	}
	return a.b.test(c.x, groups), nil
}

// sequenceSets turns an answer's assignments into a sequence that exists: what is known
// becomes a number, what changes nothing is left out, and of variables that exchange
// their values one is looked at.
func (r *Run) sequenceSets(a *Answer) {
	for {
		for i := range a.Sets {
			s := &a.Sets[i]
			for _, x := range []*program.Var{&s.Plus, &s.From} {
				if *x != None && len(r.Domain(*x)) == 1 {
					*x, s.Add = None, s.Add+r.Domain(*x)[0]
				}
			}
			if s.Of != nil {
				r.simplify(s)
			}
			if s.From == None || s.Plus != None && s.Plus < s.From {
				s.From, s.Plus = s.Plus, s.From
			}
		}
		a.Sets = slices.DeleteFunc(a.Sets, Set.same)
		slices.SortFunc(a.Sets, func(s, t Set) int { return int(s.Var - t.Var) })
		_, stuck := inSequence(a.Sets)
		if stuck == None {
			return
		}
		r.Read(stuck)
	}
}

// simplify puts the variables whose values are known into the number that is assigned.
func (r *Run) simplify(s *Set) {
	for x := range s.Of.reads {
		if len(r.Domain(x)) > 1 {
			continue
		}
		e := r.valued(s.Of.value)
		if s.Of = r.tests.value(e); len(s.Of.reads) == 0 {
			s.Of, s.Add = nil, s.Add+e.Number(nil)
		}
		return
	}
}

// valued returns an expression in which the variables whose values are known are replaced by them.
func (r *Run) valued(e program.Expr) program.Expr {
	if e.Op == program.Read {
		if d := r.Domain(program.Var(e.Value)); len(d) == 1 {
			return program.Const(d[0])
		}
	}
	out := e
	out.Args = make([]program.Expr, len(e.Args))
	for i, x := range e.Args {
		out.Args[i] = r.valued(x)
	}
	return out
}

// EachIn runs a function in one state, once for each sequence of options that Choose can return there, at most limit of them.
// The run is the function's until it returns. An error of the function is returned as it is.
func EachIn(state []int, limit int, f func(*Run) error) error {
	r := At(state, nil)
	for left := limit; ; left-- {
		if left == 0 {
			return &TooManyError{Limit: limit}
		}
		r.next, r.used, r.Looked = 0, 0, r.Looked[:0]
		if err := f(r); err != nil {
			return err
		}
		for len(r.trail) > 0 && r.trail[len(r.trail)-1].taken == r.trail[len(r.trail)-1].n-1 {
			r.trail = r.trail[:len(r.trail)-1]
		}
		if len(r.trail) == 0 {
			return nil
		}
		r.trail[len(r.trail)-1].taken++
	}
}
