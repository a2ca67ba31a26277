package compiled_test

import (
	"fmt"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// TestFree checks which steps owe nothing to an invariant: those that cannot falsify it, for the
// reason given with each. TestTight checks that the obligations suffice.
func TestFree(t *testing.T) {
	for _, apart := range []bool{false, true} { // whether a FIFO lies in two words
		p := program.New("two FIFOs")
		fifo := func(name string) (places []program.Var) {
			for i := range 3 {
				places = append(places, p.Var(fmt.Sprint(name, i), 5))
				if apart && i == 0 {
					p.Var(name+" apart", 1<<30)
					p.Var(name+" apart, too", 1<<30)
				}
			}
			return places
		}
		from, to := fifo("from"), fifo("to")
		full, lossy := p.Var("full", 2), p.Var("lossy", 2)
		leaves := []program.Stmt{program.Set(from[0], from[1]), program.Set(from[1], from[2]), program.Set(from[2], 0)}
		room := program.Eq(to[2], 0)
		heads := func(m int) program.Expr { return program.Eq(from[0], m) }
		p.Rule("1 passes", program.And(heads(1), room), append(leaves, pushed(to, 1))...)
		p.Rule("2 passes", program.And(heads(2), room), append(leaves, pushed(to, 2))...)
		p.Rule("1 leaves", heads(1), leaves...)
		p.Rule("1 may be lost", program.And(heads(1), program.Or(program.Eq(lossy, 1), room)),
			append(leaves, program.If(program.Eq(lossy, 0), pushed(to, 1)), program.Set(full, 1))...)
		places := append(from, to...)
		are := func(m int) (sum program.Expr, any []program.Expr) {
			sum = program.Const(0)
			for _, x := range places {
				sum = program.Add(sum, program.IfElse(program.Eq(x, m), 1, 0))
				any = append(any, program.Eq(x, m))
			}
			return sum, any
		}
		ones, one := are(1)
		twos, two := are(2)
		p.Invariant("two of 1", program.Eq(ones, 2))
		p.Invariant("two of 2", program.Eq(twos, 2))
		p.Invariant("some 1", program.Or(one...))
		p.Invariant("some 2", program.Or(two...))
		m := compile(t, p)
		for _, tt := range []struct {
			invariant string
			free      [4]bool // by rule
		}{
			{"two of 1", [4]bool{true, true, false, false}}, // what passes is one less and one more, and no other; what leaves is one less
			{"two of 2", [4]bool{true, true, true, true}},   // no 2 is lost: a full FIFO is left as it is, or is not pushed to
			{"some 1", [4]bool{true, true, false, false}},   // what passed is in the second FIFO
			{"some 2", [4]bool{true, true, true, true}},     // what moves up stays in its FIFO
		} {
			free := m.Obligations([]string{tt.invariant}).Free()
			for rule, want := range tt.free {
				if got := free[1+rule]; got != want {
					t.Errorf("FIFOs apart: %v. %q owes nothing to %q: %v, want %v", apart, p.Rules[rule].Name, tt.invariant, got, want)
				}
			}
		}
	}
}

// TestNotFree has effects whose statements depend on each other, each of which falsifies what held.
func TestNotFree(t *testing.T) {
	for _, tt := range []struct {
		name   string
		not    int // what y is not before
		effect func(x, y program.Var) []program.Stmt
	}{
		{"set twice, the second time perhaps", 0, func(x, y program.Var) []program.Stmt {
			return []program.Stmt{program.If(program.Eq(y, 1), program.Set(x, 1)), program.If(program.Eq(y, 2), program.Set(x, 2))}
		}},
		{"set, then read", 1, func(x, y program.Var) []program.Stmt {
			return []program.Stmt{program.If(program.Eq(y, 0), program.Set(y, 1)), program.If(program.Lt(y, 2), program.Set(x, y))}
		}},
		{"read, then set", 0, func(x, y program.Var) []program.Stmt {
			return []program.Stmt{program.If(program.Eq(y, 1), program.Set(x, y)), program.If(program.Eq(x, 1), program.Set(y, 0))}
		}},
	} {
		p := program.New("pairs")
		x := p.Var("x", 3)
		for i := range 3 { // so that y lies in another word
			p.Var(fmt.Sprint("apart ", i), 1<<30)
		}
		y := p.Var("y", 3)
		p.Rule("steps", program.And(program.Eq(x, 0), program.Ne(y, tt.not)), tt.effect(x, y)...)
		p.Invariant("x is not 1", program.Ne(x, 1))
		if free := compile(t, p).Obligations([]string{"x is not 1"}).Free(); free[1] {
			t.Errorf("%s: the step owes nothing, and may set x to 1", tt.name)
		}
	}
}
