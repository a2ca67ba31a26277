package explain_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// TestCondition: a condition is written with the names of values, and with as few
// parentheses as possible.
func TestCondition(t *testing.T) {
	p := program.New("m")
	a, n := p.Var("a", 2, "idle", "busy"), p.Var("n", 5)
	idle, busy := program.Eq(a, 0), program.Eq(1, a)
	for _, tt := range []struct {
		e    program.Expr
		want string
	}{
		{idle, "a = idle"},
		{busy, "busy = a"},
		{program.Ne(a, 7), "a != 7"},
		{program.And(idle, program.Or(busy, program.Lt(n, 2))), "a = idle and (busy = a or n < 2)"},
		{program.And(program.Or(busy)), "busy = a"},
		{program.And(), "true"},
		{program.Or(), "false"},
		{program.Not(program.And(idle, busy)), "not (a = idle and busy = a)"},
		{program.Eq(program.Add(n, program.Mul(n, 2)), 4), "(n + (n * 2)) = 4"},
		{program.Le(program.IfElse(idle, 1, n), 3), "(if (a = idle) then 1 else n) <= 3"},
	} {
		if diff := cmp.Diff(tt.want, explain.Condition(p, &tt.e)); diff != "" {
			t.Error(diff)
		}
	}
	long := idle
	for range 1000 {
		long = program.And(idle, program.Or(busy, long))
	}
	if got := explain.Condition(p, &long); len(got) > 250 || !strings.HasSuffix(got, "...") {
		t.Errorf("%d bytes, %q", len(got), got)
	}
}

// TestFailingPart: for a violated invariant the deciding part is named with its values, also under
// a negation.
func TestFailingPart(t *testing.T) {
	p := program.New("m")
	a, b, n := p.Var("a", 2, "idle", "busy"), p.Var("b", 2, "idle", "busy"), p.Var("n", 3)
	p.Rule("go", program.And())
	p.Invariant("one", program.And(program.Lt(n, 3), program.And(program.Or(program.Eq(a, 0), program.Eq(b, 0)), program.Eq(n, 0))))
	p.Invariant("never both", program.Not(program.Or(program.Eq(n, 2), program.And(program.Eq(a, 1), program.Eq(b, 1)))))
	p.Invariant("alone", program.Lt(n, 1))
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	at := func(values ...int) []uint64 {
		s := make([]uint64, m.Layout().Words())
		for i, v := range values {
			m.Layout().Fields()[i].Put(s, uint64(v))
		}
		return s
	}
	for _, tt := range []struct {
		invariant string
		state     []uint64
		want      string
	}{
		{"one", at(1, 1, 0), "condition 2 of 3: a = idle or b = idle, where a=busy, b=busy"},
		{"one", at(1, 0, 2), "condition 3 of 3: n = 0, where n=2"},
		{"one", at(1, 0, 0), ""},
		{"never both", at(1, 1, 1), "condition 2 of 2: not (a = busy and b = busy), where a=busy, b=busy"},
		{"alone", at(0, 0, 2), "n < 1, where n=2"},
	} {
		if diff := cmp.Diff(tt.want, explain.Broken(m, tt.invariant, tt.state)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.invariant, diff)
		}
	}
}

// TestEffect: assignments are separated, and those under a condition are in parentheses.
func TestEffect(t *testing.T) {
	p := program.New("m")
	x, n := p.Var("x", 2, "idle", "busy"), p.Var("n", 3)
	inner := program.If(program.Eq(n, 1), program.Set(n, 2), program.Set(x, 0))
	for want, list := range map[string][]program.Stmt{
		"nothing":           {},
		"x := busy":         {program.Set(x, 1)},
		"x := busy, n := 2": {program.Set(x, 1), program.Set(n, 2)},
		"n := n + 1, if n = 1 then (n := 2, x := idle), x := busy": {program.Set(n, program.Add(n, 1)), inner, program.Set(x, 1)},
	} {
		if got := explain.Effect(p, list); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestCut: a text is the whole one if that has at most 240 bytes, and otherwise its first 240 and three
// dots, wherever the cut falls: the name of the variable grows by one byte each time.
func TestCut(t *testing.T) {
	texts := func(name string) []string {
		p := program.New("m")
		x, n := p.Var(name, 3), p.Var("n", 3)
		condition := program.And(program.Eq(x, 1), program.Or(program.Lt(n, 2), program.Not(program.Eq(x, 2))), program.Eq(n, 1))
		return []string{explain.Condition(p, &condition), explain.Effect(p, []program.Stmt{
			program.Set(n, 1), program.If(program.Eq(x, 2), program.Set(n, 2), program.Set(x, 0)), program.Set(x, 1), program.Set(n, 0),
		})}
	}
	short := texts("X")
	for length := 1; length < 300; length++ {
		name := strings.Repeat("X", length)
		for i, got := range texts(name) {
			want := strings.ReplaceAll(short[i], "X", name)
			if len(want) > 240 {
				want = want[:240] + "..."
			}
			if got != want {
				t.Fatalf("a name of %d bytes: %q, want %q", length, got, want)
			}
		}
	}
}
