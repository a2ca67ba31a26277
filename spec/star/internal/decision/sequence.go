package decision

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/rewriting"
)

// accepted returns the tree with become applied to accepting answers; the others are
// never evaluated.
func (b *builder) accepted(tree nodeID, become func(a Answer) Answer) nodeID {
	return b.mapped(tree, map[nodeID]nodeID{}, func(a Answer) nodeID {
		if !a.Holds {
			return anything
		}
		return b.leaf(become(a))
	})
}

// commandsByPart writes each command that the answers of a tree name once, under the condition that
// an answer names it, so that the text is as long as their sum. If they cannot be put in
// order, they are written into the leaves.
func (e *emitter) commandsByPart(tree nodeID) (guard program.Expr, effect []program.Stmt) {
	b := e.b
	var steps [][]int // what answers name together
	guard = e.condition(b.mapped(tree, map[nodeID]nodeID{}, func(a Answer) nodeID {
		if a.Holds {
			steps = append(steps, a.Also)
		}
		return b.leaf(Answer{Holds: a.Holds})
	}))
	own := &use{number: -1}
	own.add(e, nil, e.statements(b.accepted(tree, func(a Answer) Answer { return Answer{Holds: true, Sets: a.Sets} })))
	all := []*use{own}
	conditions := conjuncts(guard)
	for _, i := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(steps...)))) {
		c := e.also(i)
		when := b.accepted(tree, func(a Answer) Answer { return Answer{Holds: slices.Contains(a.Also, i)} })
		u := &use{number: i}
		if b.nodes[when].isLeaf() {
			conditions = append(conditions, conjuncts(c.Guard)...)
			u.add(e, nil, c.Effect)
		} else {
			is := e.condition(when)
			conditions = append(conditions, program.Or(program.Not(is), c.Guard))
			u.add(e, &is, c.Effect)
		}
		all = append(all, u)
	}
	guard = program.And(conditions...)
	if len(conditions) == 1 {
		guard = conditions[0]
	}
	effect, ordered := e.sequence(all, func(u, o *use) bool {
		return u.number < 0 || o.number < 0 || slices.ContainsFunc(steps,
			func(s []int) bool { return slices.Contains(s, u.number) && slices.Contains(s, o.number) })
	})
	if !ordered {
		effect = e.statements(b.accepted(tree, func(a Answer) Answer { return a }))
	}
	return guard, effect
}

func conjuncts(e program.Expr) []program.Expr {
	if e.Op == program.Conjunction {
		return e.Args
	}
	return []program.Expr{e}
}

// sequence puts effects that happen at once in order: one that assigns a variable comes
// after all others whose condition reads it or, if both can be in one step, that read it. No two in one
// step may assign the same variable, except one of a single value, which says that the
// step is wrong.
func (e *emitter) sequence(all []*use, both func(u, o *use) bool) (out []program.Stmt, ordered bool) {
	for len(all) > 0 {
		i := slices.IndexFunc(all, func(u *use) bool {
			return !slices.ContainsFunc(all, func(o *use) bool {
				return o != u && (meet(u.sets, o.condition) != None || meet(u.sets, o.reads) != None && both(u, o))
			})
		})
		if i < 0 {
			return nil, false
		}
		u := all[i]
		all = slices.Delete(all, i, i+1)
		for _, o := range all {
			if x := meet(u.sets, o.sets); x != None && both(u, o) {
				e.clash = fmt.Errorf("%s is assigned twice in one step, by also(...) and by the rest",
					e.p.Variables[x].Name)
			}
		}
		out = append(out, u.list...)
	}
	return out, true
}

// use is an effect: the variables that its condition reads, that it reads if it happens,
// and that it assigns.
type use struct {
	number                 int // of the command
	list                   []program.Stmt
	condition, reads, sets map[program.Var]bool
}

// add makes the use of an effect, which happens under a condition unless that is nil.
func (u *use) add(e *emitter, when *program.Expr, list []program.Stmt) {
	found := rewriting.UsesOf(list)
	u.condition, u.reads, u.sets = map[program.Var]bool{}, found.Reads, found.Sets
	for x := range u.sets { // one that says that the step is wrong has no value to look at
		if e.p.Variables[x].Values == 1 {
			delete(u.sets, x)
			delete(u.reads, x)
		}
	}
	if u.list = list; when != nil && len(list) > 0 {
		rewriting.Reads(u.condition, when)
		u.list = []program.Stmt{program.If(*when, list...)}
	}
	if u.number < 0 { // the tests of the tree itself
		u.condition = u.reads
	}
}

// meet returns the first variable that is in both sets.
func meet(a, b map[program.Var]bool) program.Var {
	first := None
	for x := range a {
		if b[x] && (first == None || x < first) {
			first = x
		}
	}
	return first
}
