package decision

import (
	"errors"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Command is a guarded command: what a rule does for one sequence of choices.
type Command struct {
	Guard   program.Expr
	Effect  []program.Stmt
	Options []int // the choices
}

// Commands writes the tree of a rule, one command for each sequence of choices; also
// returns the commands that its answers name.
func (t *Tree) Commands(p *program.Program, also func(number int) Command) ([]Command, error) {
	var out []Command
	b := t.b
	e := emitter{p: p, b: b, also: also}
	for _, options := range b.options(t.root, map[nodeID][][]int{}) {
		tree := b.chosen(t.root, options, map[[2]int]nodeID{})
		guard, effect := e.commandsByPart(tree)
		out = append(out, Command{guard, effect, options})
	}
	return out, e.clash
}

// Condition writes the tree of a condition.
func (t *Tree) Condition(p *program.Program) program.Expr {
	return (&emitter{p: p, b: t.b}).condition(t.root)
}

// Possible writes the condition under which some accepting answer of a rule is possible: with
// gives that of the commands that an answer names.
func (t *Tree) Possible(p *program.Program, with func(also []int) program.Expr) program.Expr {
	b := t.b
	e := emitter{p: p, b: b, with: with}
	var any []program.Expr
	for _, options := range b.options(t.root, map[nodeID][][]int{}) {
		tree := b.mapped(b.chosen(t.root, options, map[[2]int]nodeID{}), map[nodeID]nodeID{}, func(a Answer) nodeID {
			return b.leaf(Answer{Holds: a.Holds && !isFalse(with(a.Also)), Also: a.Also})
		})
		if x := e.condition(tree); !isFalse(x) {
			any = append(any, x)
		}
	}
	if len(any) == 1 {
		return any[0]
	}
	return program.Or(any...)
}

func isFalse(e program.Expr) bool { return e.Op == program.Disjunction && len(e.Args) == 0 }

// Named lists the commands that answers of a rule name.
func (t *Tree) Named() []int {
	var all []int
	for i := range t.b.nodes {
		if n := &t.b.nodes[i]; n.isLeaf() && n.answer.Holds {
			all = append(all, n.answer.Also...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Constant reports whether a condition reads nothing, and its value.
func (t *Tree) Constant() (holds, constant bool) {
	n := t.b.nodes[t.root]
	return n.answer.Holds, n.isLeaf()
}

type emitter struct {
	p     *program.Program
	b     *builder
	also  func(number int) Command
	with  func(also []int) program.Expr // instead of the guards of what an answer names
	clash error
}

func (e *emitter) condition(id nodeID) program.Expr {
	n := &e.b.nodes[id]
	if n.isLeaf() {
		if !n.answer.Holds {
			return program.Or()
		}
		if e.with != nil {
			return e.with(n.answer.Also)
		}
		var all []program.Expr
		for _, i := range n.answer.Also {
			if g := e.also(i).Guard; g.Op == program.Conjunction {
				all = append(all, g.Args...)
			} else {
				all = append(all, g)
			}
		}
		return program.And(all...)
	}
	var cases []program.Expr
	for i, g := range n.groups {
		below := e.condition(g.child)
		// Beside one other case that holds throughout, the test is not needed.
		tested := len(n.groups) != 2 || !e.isTrue(n.groups[1-i].child)
		switch {
		case below.Op == program.Disjunction && len(below.Args) == 0: // false
		case !tested:
			cases = append(cases, below)
		case below.Op == program.Conjunction:
			cases = append(cases, program.And(append([]program.Expr{e.test(n, i)}, below.Args...)...))
		default:
			cases = append(cases, program.And(e.test(n, i), below))
		}
	}
	for i := range cases {
		if c := &cases[i]; c.Op == program.Conjunction && len(c.Args) == 1 {
			*c = c.Args[0]
		}
	}
	if len(cases) == 1 {
		return cases[0]
	}
	return program.Or(cases...)
}

func (e *emitter) isTrue(id nodeID) bool {
	n := &e.b.nodes[id]
	return n.isLeaf() && n.answer.Holds && len(n.answer.Also) == 0
}

func (e *emitter) statements(id nodeID) []program.Stmt {
	n := &e.b.nodes[id]
	if n.isLeaf() {
		var own []program.Stmt
		sequence, _ := inSequence(n.answer.Sets)
		for _, s := range sequence {
			own = append(own, e.assignment(s))
		}
		parts := []*use{{number: -1}}
		parts[0].add(e, nil, own)
		for _, i := range n.answer.Also {
			u := &use{}
			u.add(e, nil, e.also(i).Effect)
			parts = append(parts, u)
		}
		out, ordered := e.sequence(parts, func(u, o *use) bool { return true })
		if !ordered {
			e.clash = errors.New(
				"also(...) and the rest of the step each read what the other assigns: do both in one function")
		}
		return out
	}
	// The group with the longest test comes last, without one.
	order := make([]int, len(n.groups))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int { return len(n.groups[i].values) - len(n.groups[k].values) })
	out := e.statements(n.groups[order[len(order)-1]].child)
	for _, i := range slices.Backward(order[:len(order)-1]) {
		out = []program.Stmt{program.If(e.test(n, i), e.statements(n.groups[i].child)...).Otherwise(out...)}
	}
	return out
}

// assignment writes an assignment. A number that is always out of range is written so
// that the program is accepted and the step violates the range of the variable.
func (e *emitter) assignment(s Set) program.Stmt {
	values := e.p.Variables[s.Var].Values
	switch {
	case s.Of != nil:
		set := program.Set(s.Var, s.Of.value)
		if s.Add != 0 {
			set.Value = program.Add(s.Of.value, s.Add)
		}
		if least, most, err := e.p.Bounds(&set.Value); err == nil && most >= 0 && least < values {
			return set
		}
		s.Add = values
	case s.Add >= values: // always out of range
	case s.Plus != None && s.Add == 0:
		return program.Set(s.Var, program.Add(s.From, s.Plus))
	case s.Plus != None:
		return program.Set(s.Var, program.Add(program.Add(s.From, s.Plus), s.Add))
	case s.From != None && s.Add == 0:
		return program.Set(s.Var, s.From)
	case s.From != None && s.Add < 0:
		return program.Set(s.Var, program.Sub(s.From, -s.Add))
	case s.From != None:
		return program.Set(s.Var, program.Add(s.From, s.Add))
	case s.Add >= 0:
		return program.Set(s.Var, s.Add)
	}
	return program.Set(s.Var, program.IfElse(program.Le(0, s.Var), s.Add, 0))
}

// test says that the variable of a node has one of the values of its i-th group,
// provided that it has one of any group.
func (e *emitter) test(n *node, i int) program.Expr {
	in := n.groups[i].values
	if n.x < None {
		if holds := e.b.tests.condition(n.x); in[0] == 1 {
			return holds
		} else {
			return program.Not(holds)
		}
	}
	var out []int
	for k, g := range n.groups {
		if k != i {
			out = append(out, g.values...)
		}
	}
	slices.Sort(out)
	x := n.x
	switch {
	case len(in) == 1:
		return program.Eq(x, in[0])
	case len(out) == 1:
		return program.Ne(x, out[0])
	case in[len(in)-1] < out[0]:
		return program.Le(x, in[len(in)-1])
	case in[0] > out[len(out)-1]:
		return program.Le(in[0], x)
	case len(in) <= len(out):
		return program.Or(equals(x, in)...)
	}
	return program.Not(program.Or(equals(x, out)...))
}

func equals(x program.Var, values []int) []program.Expr {
	out := make([]program.Expr, len(values))
	for i, v := range values {
		out[i] = program.Eq(x, v)
	}
	return out
}
