package explain_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// TestSimplified: parts of a condition that those before them decide are left out: of "is cur defined, or is it an error
// to read it" nothing is left after a test that it is.
func TestSimplified(t *testing.T) {
	p := program.New("m")
	cur, on, n := p.Var("cur", 3, "undefined", "1", "2"), p.Var("on", 2, "false", "true"), p.Var("n", 9)
	undefined, defined := program.Eq(cur, 0), program.Ne(cur, 0)
	many := program.Or(program.Lt(n, 4), program.Lt(6, n))
	for _, tt := range []struct {
		e    program.Expr
		want string
	}{
		{program.Or(program.And(defined, undefined), program.And(defined, program.Eq(cur, 1))), "cur = 1 and on = true"},
		{program.And(defined, program.Or(undefined, program.Lt(n, 4))), "cur != undefined and n < 4 and on = true"},
		{program.Or(undefined, program.And(defined, program.Lt(n, 4))), "(cur = undefined or n < 4) and on = true"},
		{program.And(defined, program.Ne(cur, 1), program.Or(program.Eq(2, cur), many)),
			"cur != undefined and cur != 1 and on = true"},
		{program.And(program.Eq(cur, 2), program.Eq(program.IfElse(program.Eq(cur, 1), 3, n), 4)),
			"cur = 2 and n = 4 and on = true"},
		{program.Or(program.And(program.Not(many), many), undefined), "cur = undefined and on = true"},
		{program.And(program.Not(program.Ne(on, 1)), defined), "on = true and cur != undefined"},
		{program.And(program.Ne(on, 0), program.Lt(n, 4)), "on != false and n < 4"},
		{program.And(defined, undefined), "false"},
	} {
		e := program.And(tt.e, program.Eq(on, 1))
		got := explain.Condition(p, explain.Simplified(p, &e))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// TestSimplifiedMeansTheSame: a drawn condition and what is left of it are true in the same states, and it has no more
// operators.
func TestSimplifiedMeansTheSame(t *testing.T) {
	p := program.New("m")
	sizes := []int{2, 3, 3}
	for i, size := range sizes {
		p.Var(string(rune('a'+i)), size)
	}
	var condition, number func(t *rapid.T, depth int) program.Expr
	number = func(t *rapid.T, depth int) program.Expr {
		switch k := rapid.IntRange(0, 6).Draw(t, "number"); {
		case k < 2:
			return program.Const(rapid.IntRange(0, 2).Draw(t, "constant"))
		case k < 5 || depth == 0:
			return program.Value(program.Var(rapid.IntRange(0, len(sizes)-1).Draw(t, "variable")))
		case k == 5:
			return program.Add(number(t, depth-1), number(t, depth-1))
		}
		return program.IfElse(condition(t, depth-1), number(t, depth-1), number(t, depth-1))
	}
	condition = func(t *rapid.T, depth int) program.Expr {
		k := rapid.IntRange(0, 9).Draw(t, "condition")
		if depth == 0 || k < 4 {
			a, b := number(t, max(0, depth-1)), number(t, 0)
			return []program.Expr{program.Eq(a, b), program.Ne(a, b), program.Lt(a, b), program.Le(a, b)}[k%4]
		}
		if k == 4 {
			return program.Not(condition(t, depth-1))
		}
		var parts []program.Expr
		for range rapid.IntRange(0, 4).Draw(t, "parts") {
			parts = append(parts, condition(t, depth-1))
		}
		return []program.Expr{program.And(parts...), program.Or(parts...)}[k%2]
	}
	rapid.Check(t, func(t *rapid.T) {
		e := condition(t, 4)
		got := explain.Simplified(p, &e)
		for a := range sizes[0] {
			for b := range sizes[1] {
				for c := range sizes[2] {
					if values := []int{a, b, c}; e.Holds(values) != got.Holds(values) {
						t.Fatalf("in %v: %s\nis not %s", values, explain.Condition(p, &e), explain.Condition(p, got))
					}
				}
			}
		}
		if operators(got) > operators(&e) {
			t.Fatalf("%s\nis longer than %s", explain.Condition(p, got), explain.Condition(p, &e))
		}
	})
}

func operators(e *program.Expr) int {
	n := 1
	for i := range e.Args {
		n += operators(&e.Args[i])
	}
	return n
}
