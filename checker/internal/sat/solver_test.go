package sat

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSolverAgreesWithTruthTable on random clauses and groups, within bounds that rise and fall,
// asked one after the other with the clauses learned so far and with few of them kept. What is
// learned holds in every model, whichever bounds it meets.
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
		bound, lasting := variables, variables
		holds := func(model uint) bool {
			if len(members) > 1 && bits.OnesCount(model&group) > 1 || bits.OnesCount(model&counted) > lasting {
				return false
			}
			for _, c := range clauses {
				if model&c.yes == 0 && ^model&c.no == 0 {
					return false
				}
			}
			return true
		}
		good := func(model uint) bool { return holds(model) && bits.OnesCount(model&counted) <= bound }
		exists := func(v int) bool {
			for model := range uint(1) << variables {
				if model>>v&1 == 1 && good(model) {
					return true
				}
			}
			return false
		}
		var learned [][]Literal
		s.Log = func(c []Literal, _ int32) bool { learned = append(learned, slices.Clone(c)); return true }
		limits := map[int32]int{} // by variable of a bound
		for range 4 {
			for v := range variables {
				got, err := s.Solve(context.Background(), Yes(int32(v)),
					Limits{Conflicts: math.MaxInt64, Visits: math.MaxInt64}, func() [][]Literal { return nil })
				if err != nil {
					rt.Fatal(err)
				}
				want := Refuted
				if exists(v) {
					want = Satisfied
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
			bound = min(lasting, rapid.IntRange(0, variables).Draw(rt, "bound"))
			by := s.Limit(bound)
			limits[by.Variable()] = bound
			if rapid.IntRange(0, 4).Draw(rt, "for good") == 0 {
				s.AtMost(bound)
				lasting = bound
			}
		}
		for model := range uint(1) << variables {
			count := bits.OnesCount(model & counted)
			for _, c := range learned {
				if holds(model) && !slices.ContainsFunc(c, func(l Literal) bool {
					most, limit := limits[l.Variable()]
					is := limit && count <= most || !limit && model>>l.Variable()&1 == 1
					return is != l.Negative()
				}) {
					rt.Fatalf("%v was learned, and is false in %b", c, model)
				}
			}
		}
		conflicts += s.Conflicts
	})
	t.Logf("%d models, %d conflicts", models, conflicts)
}

// TestNeededEnds: a long trace is followed back until the context ends.
func TestNeededEnds(t *testing.T) {
	s := New()
	s.trace = &trace{first: make([]int32, 1<<13), answers: []int32{1}}
	if needed := s.Needed(t.Context()); !needed[1] || needed[2] {
		t.Error("in time, node 1 is needed, and no other")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if s.Needed(ended) != nil {
		t.Error("nodes are known after the end")
	}
}
