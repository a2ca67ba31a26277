package sat

import (
	"context"
	"math"
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

// TestSolverAgreesWithTruthTable on random clauses, groups and bounds, asked one
// after the other with the clauses learned so far and with few of them kept.
func TestSolverAgreesWithTruthTable(t *testing.T) {
	var conflicts, models int64
	rapid.Check(t, func(rt *rapid.T) {
		variables := rapid.IntRange(1, 11).Draw(rt, "variables")
		s := New()
		s.most = 3
		for range variables {
			s.Add()
		}
		var group, counted uint
		var members []int32
		for v := range variables {
			if rapid.IntRange(0, 3).Draw(rt, "in group") == 0 {
				group |= 1 << v
				members = append(members, int32(v))
			}
			if rapid.Bool().Draw(rt, "counted") {
				s.Count(int32(v))
				counted |= 1 << v
			}
		}
		s.AtMostOne(members)
		type plain struct{ yes, no uint }
		var clauses []plain
		for range rapid.IntRange(0, 5*variables).Draw(rt, "clauses") {
			var c []Literal
			var p plain
			for range rapid.IntRange(2, 3).Draw(rt, "length") {
				v := rapid.IntRange(0, variables-1).Draw(rt, "variable")
				if rapid.Bool().Draw(rt, "negative") {
					c, p.no = append(c, No(int32(v))), p.no|1<<v
				} else {
					c, p.yes = append(c, Yes(int32(v))), p.yes|1<<v
				}
			}
			clauses = append(clauses, p)
			s.Require(c...)
		}
		bound := variables
		good := func(model uint) bool {
			if len(members) > 1 && bits.OnesCount(model&group) > 1 || bits.OnesCount(model&counted) > bound {
				return false
			}
			for _, c := range clauses {
				if model&c.yes == 0 && ^model&c.no == 0 {
					return false
				}
			}
			return true
		}
		exists := func(v int) bool {
			for model := range uint(1) << variables {
				if model>>v&1 == 1 && good(model) {
					return true
				}
			}
			return false
		}
		for range 2 {
			for v := range variables {
				got, err := s.Solve(context.Background(), Yes(int32(v)), Limits{Conflicts: math.MaxInt64, Visits: math.MaxInt64}, func() [][]Literal { return nil })
				if err != nil {
					rt.Fatal(err)
				}
				want := Refuted
				if exists(v) {
					want = Satisfied
				} else {
					// What is refuted is false for good.
					clauses = append(clauses, plain{no: 1 << v})
				}
				if got != want {
					rt.Fatalf("variable %d, bound %d: Answer %d, want %d", v, bound, got, want)
				}
				if got == Satisfied {
					models++
					var model uint
					for v := range variables {
						if s.IsTrue(int32(v)) {
							model |= 1 << v
						}
					}
					if !good(model) {
						rt.Fatalf("the model %b breaks a rule", model)
					}
				}
				s.BackTo(0)
			}
			bound = rapid.IntRange(0, variables).Draw(rt, "bound")
			s.AtMost(bound)
		}
		conflicts += s.Conflicts
	})
	t.Logf("%d models, %d conflicts", models, conflicts)
}
