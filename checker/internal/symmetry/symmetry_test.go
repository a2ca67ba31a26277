package symmetry_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/symmetry"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/rewriting"
)

// like is a program of n like parts: what each does, whom it points to, and whose turn it
// is (n: nobody's).
type like struct {
	*rapid.T
	n        int
	p        *program.Program
	does, to []program.Var
	turn     program.Var
}

func (l *like) upTo(n int, what string) int { return rapid.IntRange(0, n).Draw(l.T, what) }

// newLike draws rules for some parts and adds them for all permutations of the parts, each
// written in another order but with the same meaning.
func newLike(t *rapid.T) *like {
	l := &like{T: t, n: rapid.IntRange(2, 3).Draw(t, "parts"), p: program.New("like parts")}
	for i := range l.n {
		l.does = append(l.does, l.p.Var(fmt.Sprintf("does %d", i), 3))
		l.to = append(l.to, l.p.Var(fmt.Sprintf("to %d", i), l.n+1))
		l.p.Init(l.to[i], l.n)
	}
	l.turn = l.p.Var("turn", l.n+1)
	l.p.Init(l.turn, l.n)
	perms := permutations(l.n)
	for _, perm := range perms[1:] {
		l.p.Renamings = append(l.p.Renamings, l.renaming(perm))
	}
	for range rapid.IntRange(1, 3).Draw(t, "rules") {
		guard, effect := l.truth(2), l.statements(1)
		for _, perm := range perms {
			l.p.Rule("some rule", l.shuffled(l.image(guard, perm)), l.reordered(l.images(effect, perm))...)
		}
	}
	always := l.truth(2)
	var all []program.Expr
	for _, perm := range perms {
		all = append(all, l.image(always, perm))
	}
	l.p.Invariant("always", program.Or(all...))
	return l
}

// permutations returns those of 0..n-1, the identity first.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, perm := range permutations(n - 1) {
		for i := range n {
			all = append(all, slices.Insert(slices.Clone(perm), n-1-i, n-1))
		}
	}
	return all
}

func (l *like) renaming(perm []int) program.Renaming {
	r := rewriting.Identity(l.p)
	for i, x := range perm {
		r.Vars[l.does[i]], r.Vars[l.to[i]] = l.does[x], l.to[x]
	}
	for _, x := range append([]program.Var{l.turn}, l.to...) {
		r.Values[x] = append(slices.Clone(perm), l.n)
	}
	return r
}

func (l *like) truth(depth int) program.Expr {
	i, j := l.upTo(l.n-1, "part"), l.upTo(l.n-1, "part")
	switch l.upTo(8-2*min(1, 2-depth), "condition") {
	case 0:
		return program.Eq(l.does[i], l.upTo(2, "value"))
	case 1:
		return program.Eq(l.to[i], l.upTo(l.n, "part"))
	case 2:
		return program.Ne(l.turn, l.upTo(l.n, "part"))
	case 3:
		return program.Eq(l.to[i], l.to[j])
	case 4:
		return program.Eq(l.turn, l.to[j])
	case 5:
		return program.Lt(l.does[i], program.Add(l.does[j], l.upTo(1, "value")))
	case 6:
		return program.Le(program.IfElse(program.Eq(l.turn, i), program.Value(l.does[i]), program.Const(1)), 1)
	}
	if depth == 0 {
		return program.And()
	}
	if l.upTo(1, "or") == 0 {
		return program.Or(l.truth(depth-1), l.truth(depth-1), l.truth(depth-1))
	}
	return program.And(l.truth(depth-1), program.Not(l.truth(depth-1)), l.truth(depth-1))
}

func (l *like) statements(depth int) []program.Stmt {
	list := make([]program.Stmt, 1+l.upTo(2, "statements"))
	for k := range list {
		i, j := l.upTo(l.n-1, "part"), l.upTo(l.n-1, "part")
		switch l.upTo(4+depth, "statement") {
		case 0:
			list[k] = program.Set(l.does[i], l.upTo(2, "value"))
		case 1:
			list[k] = program.Set(l.does[i], l.does[j])
		case 2:
			list[k] = program.Set(l.turn, l.to[j])
		case 3:
			list[k] = program.Set(l.to[i], l.turn)
		case 4:
			list[k] = program.Set(l.to[i], j)
		default:
			list[k] = program.If(l.truth(0), l.statements(0)...).Otherwise(
				program.If(program.Eq(l.turn, i), l.statements(0)...).Otherwise(
					program.If(program.Eq(l.turn, (i+1)%l.n), l.statements(0)...)))
		}
	}
	return list
}

// image is what a condition becomes if part i becomes part perm[i], for everything that truth
// draws.
func (l *like) image(e program.Expr, perm []int) program.Expr {
	out := program.Expr{Op: e.Op, Value: e.Value}
	if e.Op == program.Read {
		out.Value = int(l.renaming(perm).Vars[e.Value])
	}
	for _, a := range e.Args {
		out.Args = append(out.Args, l.image(a, perm))
	}
	if e.Op == program.Equal || e.Op == program.NotEqual {
		if x, c := e.Args[0], e.Args[1]; x.Op == program.Read && c.Op == program.Constant && c.Value < l.n && !slices.Contains(l.does, program.Var(x.Value)) {
			out.Args[1] = program.Const(perm[c.Value])
		}
	}
	return out
}

func (l *like) images(list []program.Stmt, perm []int) (out []program.Stmt) {
	for _, s := range list {
		if s.Cond.Op != 0 {
			out = append(out, program.If(l.image(s.Cond, perm), l.images(s.Then, perm)...).Otherwise(l.images(s.Else, perm)...))
			continue
		}
		value := l.image(s.Value, perm)
		if s.Value.Op == program.Constant && s.Value.Value < l.n && !slices.Contains(l.does, s.Var) {
			value = program.Const(perm[s.Value.Value])
		}
		out = append(out, program.Stmt{Var: l.renaming(perm).Vars[s.Var], Value: value})
	}
	return out
}

// shuffled is a condition written in another order.
func (l *like) shuffled(e program.Expr) program.Expr {
	out := program.Expr{Op: e.Op, Value: e.Value}
	for _, a := range e.Args {
		out.Args = append(out.Args, l.shuffled(a))
	}
	switch e.Op {
	case program.Conjunction, program.Disjunction, program.Equal, program.NotEqual, program.Plus:
		out.Args = rapid.Permutation(out.Args).Draw(l.T, "order")
	}
	if e.Op == program.Conjunction && len(out.Args) == 3 && l.upTo(1, "nest") == 0 {
		out = program.And(out.Args[0], program.And(out.Args[1], program.Not(program.Not(out.Args[2]))))
	}
	return out
}

// reordered is an effect in which neighbours without a common variable are
// exchanged.
func (l *like) reordered(list []program.Stmt) []program.Stmt {
	list = slices.Clone(list)
	for k := range list {
		if list[k].Cond.Op != 0 {
			list[k].Then, list[k].Else = l.reordered(list[k].Then), l.reordered(list[k].Else)
		}
		if k > 0 && l.upTo(1, "exchange") == 0 {
			a, b := mentioned(list[k-1]), mentioned(list[k])
			if !slices.ContainsFunc(a, func(x program.Var) bool { return slices.Contains(b, x) }) {
				list[k-1], list[k] = list[k], list[k-1]
			}
		}
	}
	return list
}

func mentioned(s program.Stmt) (all []program.Var) {
	var within func(e program.Expr)
	within = func(e program.Expr) {
		if e.Op == program.Read {
			all = append(all, program.Var(e.Value))
		}
		for _, a := range e.Args {
			within(a)
		}
	}
	if s.Cond.Op == 0 {
		all = append(all, s.Var)
		within(s.Value)
		return all
	}
	within(s.Cond)
	for _, x := range slices.Concat(s.Then, s.Else) {
		all = append(all, mentioned(x)...)
	}
	return all
}

// asymmetric looks for a state in which a renaming does not map the steps, or the invariant, to
// those of the image: the definition, over all states that the variables
// allow.
func asymmetric(t *rapid.T, p *program.Program, k int) string {
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	renamings, err := symmetry.Fieldwise(p)
	if err != nil {
		t.Fatal(err)
	}
	rename := renamings[k].Of(m.Layout())
	words := m.Layout().Words()
	sorted := func(states []uint64) [][]uint64 {
		return slices.SortedFunc(slices.Chunk(states, words), slices.Compare[[]uint64])
	}
	next := func(s []uint64) []uint64 {
		out, err := m.AppendSuccessors(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if !slices.Equal(rename(nil, m.Start(nil)), m.Start(nil)) {
		return "the start"
	}
	fields := m.Layout().Fields()
	s := make([]uint64, words)
	for {
		var images []uint64
		for after := range slices.Chunk(next(s), words) {
			images = rename(images, after)
		}
		image := rename(nil, s)
		always := m.Claims().Invariants[0]
		if !slices.EqualFunc(sorted(images), sorted(next(image)), slices.Equal[[]uint64]) || always.Holds(s) != always.Holds(image) {
			return m.Layout().Text(s)
		}
		i := 0
		for ; i < len(fields); i++ {
			if v := fields[i].Of(s) + 1; v < fields[i].Values {
				fields[i].Put(s, v)
				break
			}
			fields[i].Put(s, 0)
		}
		if i == len(fields) {
			return ""
		}
	}
}

// TestConfirm: like parts are confirmed to be alike, in whatever order their rules are written. If
// the program is changed somewhere, what is still confirmed holds by the definition, in all
// states.
func TestConfirm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLike(t)
		for k, r := range l.p.Renamings {
			if err := symmetry.Confirm(l.p, r); err != nil {
				t.Fatalf("renaming %d: %v", k, err)
			}
		}
		r := &l.p.Rules[l.upTo(len(l.p.Rules)-1, "rule")]
		switch l.upTo(4, "change") {
		case 0:
			r.Guard = program.And(r.Guard, l.truth(1))
		case 1:
			r.Effect = r.Effect[1:]
		case 2:
			r.Effect = append(l.statements(1), r.Effect...)
		case 3:
			l.p.Init(l.turn, l.upTo(l.n, "turn"))
		case 4:
			l.p.Invariants[0].Holds = l.truth(1)
		}
		k := l.upTo(len(l.p.Renamings)-1, "renaming")
		if symmetry.Confirm(l.p, l.p.Renamings[k]) != nil {
			return
		}
		if where := asymmetric(t, l.p, k); where != "" {
			t.Fatalf("renaming %d is confirmed, but not one of %s", k, where)
		}
	})
}

// TestConfirmTwo: two variables are exchanged. Every case has one rule for each; some are
// distinguished, and some are not.
func TestConfirmTwo(t *testing.T) {
	const x, y, z, w = program.Var(0), program.Var(1), program.Var(2), program.Var(3)
	set := func(v program.Var, c int) program.Stmt { return program.Set(v, c) }
	over := func(v program.Var) program.Stmt { return program.Set(v, program.Add(v, 2)) }
	type rule struct {
		guard  program.Expr
		effect []program.Stmt
	}
	of := func(guard program.Expr, effect ...program.Stmt) rule { return rule{guard, effect} }
	always := program.And()
	one := func(v program.Var) program.Expr { return program.Eq(v, 1) }
	for name, tt := range map[string]struct {
		a, b   rule
		change func(p *program.Program, r *program.Renaming)
		want   string // part of what is wrong; "" accepts
	}{
		"the same":                {a: of(one(x), set(x, 0)), b: of(one(y), set(y, 0))},
		"sides of =":              {a: of(program.Eq(x, z)), b: of(program.Eq(z, y))},
		"order of a conjunction":  {a: of(program.And(one(x), one(y), one(z))), b: of(program.And(program.And(one(z), one(y)), one(x)))},
		"order of a sum":          {a: of(program.Eq(program.Add(program.Add(x, y), z), 2)), b: of(program.Eq(2, program.Add(z, program.Add(x, y))))},
		"said twice":              {a: of(program.Or(one(x), one(x))), b: of(one(y))},
		"negated twice":           {a: of(program.Not(program.Not(one(x)))), b: of(one(y))},
		"independent assignments": {a: of(always, set(x, 1), set(z, 1)), b: of(always, set(z, 1), set(y, 1))},
		"branches that exclude each other": {
			a: of(always, program.If(one(z), set(x, 1)).Otherwise(program.If(program.Eq(z, 2), set(x, 2)))),
			b: of(always, program.If(program.Eq(z, 2), set(y, 2)).Otherwise(program.If(one(z), set(y, 1))))},

		"another value":         {a: of(one(x), set(x, 0)), b: of(one(y), set(y, 2)), want: "is mapped to no rule"},
		"another guard":         {a: of(one(x)), b: of(program.Ne(y, 1)), want: "is mapped to no rule"},
		"dependent assignments": {a: of(always, set(x, 1), program.Set(z, x)), b: of(always, program.Set(z, y), set(y, 1)), want: "no rule"},
		"read, then set":        {a: of(always, program.Set(z, x), set(x, 1)), b: of(always, set(y, 1), program.Set(z, y)), want: "no rule"},
		"read between two": {
			a:    of(always, set(x, 2), set(x, 1), program.Set(z, x), set(x, 2)),
			b:    of(always, set(y, 2), set(y, 1), set(y, 2), program.Set(z, y)),
			want: "no rule"},
		"asked, then set": {
			a:    of(always, program.If(one(z), set(x, 1)), set(z, 0)),
			b:    of(always, set(z, 0), program.If(one(z), set(y, 1))),
			want: "no rule"},
		"set otherwise, then set": {
			a:    of(one(x), program.If(one(w)).Otherwise(set(z, 1)), set(z, 2)),
			b:    of(one(y), set(z, 2), program.If(one(w)).Otherwise(set(z, 1))),
			want: "no rule"},
		"set twice":         {a: of(always, set(z, 1), set(z, 2)), b: of(always, set(z, 2), set(z, 1)), want: ""}, // each is mapped to itself
		"set twice, by two": {a: of(one(x), set(z, 1), set(z, 2)), b: of(one(y), set(z, 2), set(z, 1)), want: "no rule"},
		"branches that do not exclude": {
			a:    of(always, program.If(one(z), set(x, 1)).Otherwise(program.If(one(w), set(x, 2)))),
			b:    of(always, program.If(one(w), set(y, 2)).Otherwise(program.If(one(z), set(y, 1)))),
			want: "no rule"},
		"order of a difference": {a: of(program.Eq(program.Sub(x, z), 1)), b: of(program.Eq(program.Sub(z, y), 1)), want: "no rule"},
		"then and else":         {a: of(always, program.If(one(z), set(x, 1))), b: of(always, program.If(one(z)).Otherwise(set(y, 1))), want: "no rule"},
		"sides of <":            {a: of(program.Lt(x, z)), b: of(program.Lt(z, y)), want: "no rule"},
		"unfair": {a: of(one(x)), b: of(one(y)), want: "no rule",
			change: func(p *program.Program, _ *program.Renaming) { p.Rules[1].Unfair, p.Rules[1].Name = true, "other" }},
		"strongly fair": {a: of(one(x)), b: of(one(y)), want: "no rule",
			change: func(p *program.Program, _ *program.Renaming) { p.Rules[1].Strong, p.Rules[1].Name = true, "other" }},
		"one more": {a: of(one(x)), b: of(one(y)), want: "no rule",
			change: func(p *program.Program, _ *program.Renaming) { p.Rule("r", one(y)) }},
		"the start": {a: of(one(x)), b: of(one(y)), want: "starts with",
			change: func(p *program.Program, _ *program.Renaming) { p.Init(y, 1) }},
		"the invariant": {a: of(one(x)), b: of(one(y)), want: `the invariant "v"`,
			change: func(p *program.Program, _ *program.Renaming) { p.Invariant("v", one(x)) }},
		"the invariant, of both": {a: of(one(x)), b: of(one(y)),
			change: func(p *program.Program, _ *program.Renaming) { p.Invariant("v", program.Or(one(x), one(y))) }},
		"the end": {a: of(one(x)), b: of(one(y)), want: "intended end",
			change: func(p *program.Program, _ *program.Renaming) { p.Final = one(y) }},
		"too few variables": {a: of(one(x)), b: of(one(y)), want: "variables",
			change: func(_ *program.Program, r *program.Renaming) { r.Vars = r.Vars[1:] }},
		"one variable twice": {a: of(one(x)), b: of(one(y)), want: "already mapped to",
			change: func(_ *program.Program, r *program.Renaming) { r.Vars[0] = 0 }},

		// z's values 1 and 2 are exchanged, too.
		"a value that is renamed": {a: of(one(z), set(z, 2)), b: of(program.Eq(2, z), set(z, 1)), change: exchangeOf(z)},
		"and should not be":       {a: of(one(z), set(z, 2)), b: of(one(z), set(z, 1)), change: exchangeOf(z), want: "no rule"},
		"beyond its range":        {a: of(program.Eq(z, 7)), b: of(program.Eq(z, 7)), change: exchangeOf(z)},
		"assigned to its like":    {a: of(always, program.Set(z, w)), b: of(always, program.Set(w, z)), change: exchangeOf(z, w)},
		"assigned to what is not": {a: of(always, program.Set(z, w)), b: of(always, program.Set(w, z)), change: exchangeOf(z), want: "map differently"},
		"assigned a sum":          {a: of(always, program.Set(z, program.Add(w, 1))), b: of(always), change: exchangeOf(z), want: "map differently"},
		"compared with a sum":     {a: of(program.Eq(z, program.Add(w, 1))), b: of(always), change: exchangeOf(z), want: "map differently"},
		"renamed to themselves": {a: of(always, program.Set(z, w)), b: of(always, program.Set(w, z)),
			change: func(_ *program.Program, r *program.Renaming) { r.Values[z] = []int{0, 1, 2} }},
		"tested in another order": {
			a: of(always, program.If(one(x), program.If(one(z), set(w, 1))).Otherwise(program.If(program.Eq(z, 2), set(w, 2)))),
			b: of(always, program.If(one(z), program.If(one(y), set(w, 1))).Otherwise(program.If(program.Eq(z, 2), program.If(program.Ne(y, 1), set(w, 2)))))},
		"otherwise in another order": {
			a:    of(always, program.If(one(x), program.If(one(z), set(w, 1))).Otherwise(program.If(program.Eq(z, 2), set(w, 2)))),
			b:    of(always, program.If(one(z), program.If(one(y), set(w, 1))).Otherwise(program.If(program.Eq(z, 2), set(w, 2)))),
			want: "no rule"},
		"counted up and down": {a: of(one(z), program.Set(z, program.Add(z, 1))),
			b: of(program.Eq(z, 2), program.Set(z, program.Sub(z, 1))), change: exchangeOf(z)},
		"where it cannot be": {a: of(one(x), program.If(program.Eq(x, 2), set(w, 1))), b: of(one(y))},
		"fails elsewhere first": { // where both z and w are 1, one value or the other leaves its range
			a: of(one(x), program.If(one(z), over(z)).Otherwise(program.If(one(w), over(w)))),
			b: of(one(y), program.If(one(w), over(w)).Otherwise(program.If(one(z), over(z))))},
		"fails or not": {a: of(one(x), over(z), set(z, 0)), b: of(one(y), set(z, 0)), want: "no rule"},
		"fails where one is 1": {
			a:    of(one(x), program.If(one(z), over(z)).Otherwise(set(w, 1))),
			b:    of(one(y), program.If(one(w), over(w)).Otherwise(set(w, 1))),
			want: "no rule"},
		"in a sum":                  {a: of(program.Eq(program.Add(z, 1), 2)), b: of(always), change: exchangeOf(z), want: "map differently"},
		"in order":                  {a: of(program.Lt(z, 2)), b: of(always), change: exchangeOf(z), want: "map differently"},
		"compared with what is not": {a: of(program.Eq(z, x)), b: of(always), change: exchangeOf(z), want: "map differently"},
		"chosen": {a: of(program.Eq(program.IfElse(one(x), program.Value(z), program.Const(1)), 2)),
			b: of(program.Eq(program.IfElse(one(y), program.Value(z), program.Const(2)), 1)), change: exchangeOf(z)},
	} {
		t.Run(name, func(t *testing.T) {
			p := program.New("two")
			for _, name := range []string{"x", "y", "z", "w"} {
				p.Var(name, 3)
			}
			p.Rule("r", tt.a.guard, tt.a.effect...)
			p.Rule("r", tt.b.guard, tt.b.effect...)
			r := rewriting.Identity(p)
			r.Vars[x], r.Vars[y] = y, x
			if tt.change != nil {
				tt.change(p, &r)
			}
			if err := p.Check(); err != nil {
				t.Fatal(err)
			}
			switch err := symmetry.Confirm(p, r); {
			case err == nil && tt.want != "":
				t.Errorf("confirmed; want %q", tt.want)
			case err != nil && (tt.want == "" || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("%v; want %q", err, tt.want)
			}
		})
	}
}

// exchangeOf exchanges the values 1 and 2 of some variables.
func exchangeOf(vars ...program.Var) func(*program.Program, *program.Renaming) {
	return func(_ *program.Program, r *program.Renaming) {
		for _, v := range vars {
			r.Values[v] = []int{0, 2, 1}
		}
	}
}
