package compiled_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/compiled"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec/program"
)

func compile(t *testing.T, p *program.Program) *compiled.Machine {
	t.Helper()
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return compiled.New(m)
}

// TestPlain compares the compiled machine with the plain meaning of the syntax tree,
// on random programs and states, reachable or not: successors, their rules, errors, and
// claims.
func TestPlain(t *testing.T) {
	several := false
	rapid.Check(t, func(rt *rapid.T) {
		plain, err := netgen.Program(rt, rapid.Bool().Draw(rt, "careful")).Machine()
		if err != nil {
			rt.Skip(err) // numbers that grow too large
		}
		m := compiled.New(plain)
		want, got := plain.Claims(), m.Claims()
		words := m.Layout().Words()
		s := m.Start(nil)
		for range 20 {
			if rapid.Bool().Draw(rt, "elsewhere") {
				for _, f := range m.Layout().Fields() {
					f.Put(s, uint64(rapid.IntRange(0, int(min(f.Values, 8))-1).Draw(rt, f.Name)))
				}
			}
			for i, pair := range [][2]func([]uint64) bool{
				{want.Invariants[0].Holds, got.Invariants[0].Holds}, {want.Responses[0].Pending, got.Responses[0].Pending}, {want.Final, got.Final},
			} {
				if pair[0](s) != pair[1](s) {
					rt.Fatalf("claim %d is %v in %s: want %v", i, pair[1](s), m.Layout().Text(s), pair[0](s))
				}
			}
			before := slices.Clone(s)
			wanted, fault := plain.Next([]uint64{7}, s)
			next, err := m.Next([]uint64{7}, s)
			if diff := cmp.Diff(wanted, next); diff != "" || fmt.Sprint(fault) != fmt.Sprint(err) || !slices.Equal(before, s) {
				rt.Fatalf("errors %v and %v, successors of %v (-plain +compiled):\n%s", fault, err, before, diff)
			}
			if next = next[1:]; err != nil || len(next) == 0 {
				continue
			}
			rules := m.Rules([]int32{7}, s)
			if rules[0] != 7 || len(rules)-1 != len(next)/words {
				rt.Fatalf("rules %v behind 7 for %d successors", rules, len(next)/words)
			}
			for i, k := range rules[1:] {
				if want := plain.RuleOf(s, i); int(k) != want {
					rt.Fatalf("successor %d is by rule %d, want %d", i, k, want)
				}
			}
			several = several || len(rules) > 2
			i := rapid.IntRange(0, len(next)/words-1).Draw(rt, "step")
			s = next[i*words : (i+1)*words]
		}
	})
	if !several {
		t.Error("no state had several successors")
	}
}

// TestNextAllocatesNothing: exploring must not load the collector.
func TestNextAllocatesNothing(t *testing.T) {
	p := program.New("counter")
	x := p.Var("count", 4)
	p.Rule("count", program.Lt(x, 3), program.If(program.Ne(x, 1), program.Set(x, program.Add(x, 1))).Otherwise(program.Set(x, 3)))
	m := compile(t, p)
	s := m.Start(nil)
	dst := make([]uint64, 0, 8)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := m.Next(dst, s); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations in Next", n)
	}
}

// TestContradiction: comparisons of one variable with two constants must not
// melt into one of their bits: 1|2 is 3.
func TestContradiction(t *testing.T) {
	p := program.New("contradiction")
	x := p.Var("x", 4)
	p.Init(x, 3)
	p.Rule("never", program.And(program.Eq(x, 1), program.Eq(x, 2)))
	p.Rule("always", program.And(program.Eq(x, 3), program.Eq(3, x)))
	m := compile(t, p)
	if got := m.Rules(nil, m.Start(nil)); !slices.Equal(got, []int32{1}) {
		t.Errorf("steps by rules %d: want 1", got)
	}
}

// TestOwed: behind a step from a state in which all invariants hold, those are broken that
// the plain meaning breaks, whatever the step spares them; behind kind 0 from any state.
func TestOwed(t *testing.T) {
	broke, kept := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		p := netgen.Program(rt, rapid.Bool().Draw(rt, "careful"))
		not := program.Not(p.Invariants[0].Holds)
		p.Invariant("implied", program.Implies(p.Final, program.And(p.Responses[0].Pending, not)))
		p.Invariant("one of them", program.Or(p.Responses[0].Pending, not, p.Final))
		plain, err := p.Machine()
		if err != nil {
			rt.Skip(err) // numbers that grow too large
		}
		var names []string
		invariants := plain.Claims().Invariants
		for _, v := range invariants {
			names = append(names, v.Name)
		}
		broken := func(s []uint64) (bits uint32) {
			for i, v := range invariants {
				if !v.Holds(s) {
					bits |= 1 << i
				}
			}
			return bits
		}
		m := compiled.New(plain)
		owed := m.Obligations(names)
		words := m.Layout().Words()
		for range 20 {
			s := m.Start(nil)
			for _, f := range m.Layout().Fields() {
				f.Put(s, uint64(rapid.IntRange(0, int(min(f.Values, 8))-1).Draw(rt, f.Name)))
			}
			if got, want := owed.Broken(s, 0), broken(s); got != want {
				rt.Fatalf("%b are broken in %s: want %b", got, m.Layout().Text(s), want)
			}
			next, kinds, err := m.Steps(nil, nil, s)
			if err != nil || broken(s) != 0 {
				continue
			}
			for i, kind := range kinds {
				after := next[i*words : (i+1)*words]
				got, want := owed.Broken(after, kind), broken(after)
				if got != want {
					rt.Fatalf("%b are broken behind %s, in %s: want %b", got, m.Layout().Text(s), m.Layout().Text(after), want)
				}
				if want == 0 {
					kept++
				} else {
					broke++
				}
			}
		}
	})
	if broke == 0 || kept == 0 {
		t.Errorf("%d steps broke an invariant and %d none: want some of each", broke, kept)
	}
}
