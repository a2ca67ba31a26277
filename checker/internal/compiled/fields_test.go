package compiled_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestFields compares conditions on many variables, and sums of them, with the plain meaning:
// variables of 1 to 3 bits that fill words, any of which may be asked for.
func TestFields(t *testing.T) {
	held, broken := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		upTo := func(n int) int { return rapid.IntRange(0, n).Draw(rt, "n") }
		p := program.New("fields")
		var vars []program.Var
		for i := range 8 + upTo(40) {
			vars = append(vars, p.Var(fmt.Sprint("x", i), 2+upTo(6)))
		}
		wanted := upTo(2)
		at := func(x program.Var) int { return min(wanted+upTo(1), p.Variables[x].Values-1) }
		var none, some []program.Expr
		sums := []program.Expr{program.Const(0), program.Const(upTo(1))}
		for _, x := range vars {
			if upTo(7) == 0 {
				continue
			}
			is := program.Eq(x, at(x))
			none = append(none, program.Not(is))
			switch upTo(5) {
			case 0:
				some = append(some, program.Lt(x, 1))
			case 1: // two of them are distinguished by one bit fewer
				some = append(some, program.Or(program.Eq(x, 0), program.Eq(x, 1)))
			default:
				some = append(some, is)
			}
			for i, sum := range sums {
				factor := 1
				if i == 1 {
					factor = 3 - 4*upTo(1)
				}
				cond := program.Eq(x, at(x))
				for range upTo(8) / 7 * upTo(2) { // of variables that may lie in one word
					y := vars[upTo(len(vars)-1)]
					cond = program.And(cond, program.Eq(y, at(y)))
				}
				sums[i] = program.Add(sum, program.IfElse(cond, factor, 0))
			}
		}
		p.Invariant("none", program.And(none...))
		p.Invariant("some", program.Or(some...))
		p.Invariant("few", program.Lt(sums[0], 1+upTo(6)))
		p.Invariant("so many", program.Eq(sums[1], upTo(8)-2))
		p.Rule("sum", program.And(none...), program.Set(vars[0], program.Sub(sums[0], upTo(6))))
		plain, err := p.Machine()
		if err != nil {
			rt.Skip(err) // always out of range
		}
		m := compile(t, p)
		s := m.Start(nil)
		for range 30 {
			often := upTo(3)
			for i, f := range m.Layout().Fields()[:len(vars)] {
				v := uint64(wanted)
				if upTo(7) > often { // rarely or mostly
					v = uint64(upTo(7))
				}
				f.Put(s, min(v, uint64(p.Variables[i].Values)-1))
			}
			for i, v := range plain.Claims().Invariants {
				if got, want := m.Claims().Invariants[i].Holds(s), v.Holds(s); got != want {
					rt.Fatalf("%s is %v in %s: want %v", v.Name, got, m.Layout().Text(s), want)
				} else if want {
					held++
				} else {
					broken++
				}
			}
			want, fault := plain.AppendSuccessors(nil, s)
			got, err := m.AppendSuccessors(nil, s)
			if fmt.Sprint(want, fault) != fmt.Sprint(got, err) {
				rt.Fatalf("from %s: %v, %v; want %v, %v", m.Layout().Text(s), got, err, want, fault)
			}
		}
	})
	if seedtest.Usual() && (held == 0 || broken == 0) {
		t.Errorf("%d invariants held, %d did not: want some of each", held, broken)
	}
}
