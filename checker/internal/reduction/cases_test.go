package reduction

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestCases: in any state in which a rule's guard holds one of its cases holds, and does what the
// rule does, with all variables within its domains; elsewhere none holds.
func TestCases(t *testing.T) {
	divided := 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t)
		if p.Check() != nil {
			t.Skip("numbers that grow too large")
		}
		r := rulesOf(p)
		divided += len(r.all) - len(p.Rules)
		before := make([]int, len(p.Variables))
		for x, v := range p.Variables {
			before[x] = rapid.IntRange(0, min(v.Values-1, 6)).Draw(t, "value")
		}
		for i := range p.Rules {
			var hold []int32
			for k := r.first[i]; k < r.first[i+1]; k++ {
				if r.atoms.holds(r.all[k].guard, before) {
					hold = append(hold, k)
				}
			}
			if p.Rules[i].Guard.Holds(before) != (len(hold) == 1) || len(hold) > 1 {
				t.Fatalf("%q at %v: cases %v of %d\n%s", p.Rules[i].Name, before, hold, r.first[i+1]-r.first[i], text(p))
			}
			for _, k := range hold {
				for x, set := range r.all[k].within {
					if set>>uint(before[x])&1 == 0 {
						t.Fatalf("%q holds at %v, where variable %d is said not to be\n%s", p.Rules[i].Name, before, x, text(p))
					}
				}
				want, got := slices.Clone(before), slices.Clone(before)
				ok, also := run(p, p.Rules[i].Effect, want), run(p, r.all[k].effect, got)
				if ok != also || ok && !slices.Equal(want, got) {
					t.Fatalf("%q at %v: %v (%v), the case %v (%v)\n%s", p.Rules[i].Name, before, want, ok, got, also, text(p))
				}
			}
		}
	})
	if seedtest.Usual() && divided < 50 {
		t.Errorf("%d cases more than rules: the test is worth little", divided)
	}
}

// TestCasesOfSequence: a condition that reads what an earlier choice may have set is not
// evaluated before the step.
func TestCasesOfSequence(t *testing.T) {
	p := program.New("sequence")
	x, y, z := p.Var("x", 2), p.Var("y", 2), p.Var("z", 2)
	p.Rule("all", program.And(), program.Set(x, 1), program.If(program.Eq(x, 1), program.Set(y, 1)), program.If(program.Eq(y, 1), program.Set(z, 1)))
	r := rulesOf(p)
	if values := []int{0, 0, 0}; len(r.all) != 1 || !run(p, r.all[0].effect, values) || !slices.Equal(values, []int{1, 1, 1}) {
		t.Errorf("%d cases, the first leads to %v; want one, to 1, 1, 1", len(r.all), values)
	}
}

// TestDomains: a variable has the values that it has in one of the alternatives, and any if
// one of them says nothing about it.
func TestDomains(t *testing.T) {
	p := program.New("alternatives")
	x, y, z := p.Var("x", 4), p.Var("y", 2), p.Var("z", 2)
	a := &atoms{p: p, known: map[string]int{}}
	e := program.Or(program.And(program.Eq(x, 0), program.Eq(y, 0)), program.And(program.Eq(x, 2), program.Eq(z, 0)))
	d, ok := a.domains(a.of(&e, false))
	if want := (domains{x: 1<<0 | 1<<2}); !ok || !maps.Equal(d, want) {
		t.Errorf("%v, %v; want %v", d, ok, want)
	}
	if e = program.And(e, program.Eq(x, 1)); a.possible(&e) {
		t.Error("x is 1, and 0 or 2")
	}
}

func (a *atoms) possible(e *program.Expr) bool {
	_, ok := a.domains(a.of(e, false))
	return ok
}
