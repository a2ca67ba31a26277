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
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
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
			wanted, fault := plain.AppendSuccessors([]uint64{7}, s)
			next, err := m.AppendSuccessors([]uint64{7}, s)
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
			_, kinds, _ := m.Steps(nil, nil, s)
			taken := make([]bool, slices.Max(kinds)+1)
			for _, k := range kinds {
				taken[k] = true
			}
			var got []int32
			ok := m.Taken(taken, func(rule int32) { got = append(got, rule) })
			slices.Sort(got)
			slices.Sort(rules[1:])
			if diff := cmp.Diff(slices.Compact(rules[1:]), slices.Compact(got)); !ok || diff != "" {
				rt.Fatalf("rules of the kinds taken (-rules +got):\n%s", diff)
			}
			several = several || len(rules) > 2
			i := rapid.IntRange(0, len(next)/words-1).Draw(rt, "step")
			s = next[i*words : (i+1)*words]
		}
	})
	if seedtest.Usual() && !several {
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
		if _, err := m.AppendSuccessors(dst, s); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations in Next", n)
	}
}

// TestContradiction: comparisons of one variable with two constants must not be merged
// into one of their bits: 1|2 is 3.
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

// tight draws programs whose few variables are adjacent, or in separate words: choices between
// short sequences that read what others of them set, FIFOs, counts, nested
// conditions.
type tight struct {
	*rapid.T
	p    *program.Program
	vars []program.Var
}

func (d *tight) upTo(n int) int { return rapid.IntRange(0, n).Draw(d.T, "n") }

func (d *tight) any() program.Var { return d.vars[d.upTo(len(d.vars)-1)] }

func (d *tight) truth(depth int) program.Expr {
	if depth == 0 || d.upTo(3) == 0 {
		x := d.any()
		if d.upTo(1) == 0 {
			return program.Lt(x, 1+d.upTo(1))
		}
		return program.Eq(x, d.upTo(min(d.p.Variables[x].Values, 4)-1))
	}
	parts := []program.Expr{d.truth(depth - 1), d.truth(depth - 1), d.truth(depth - 1)}[d.upTo(1):]
	switch d.upTo(8) {
	case 0, 1:
		return program.And(parts...)
	case 7, 8: // one of several parts, by a variable
		x := d.any()
		for i, p := range parts {
			parts[i] = program.And(program.Eq(x, max(0, i-d.upTo(5)/5)), p)
		}
		return program.Or(parts...)
	case 2, 3:
		return program.Or(parts...)
	case 4:
		return program.Not(parts[0])
	case 5:
		return program.Eq(d.any(), d.any())
	default:
		sum := program.Value(d.any())
		for i, p := range parts {
			sum = program.Add(program.IfElse(p, 1, 1-i), program.Sub(sum, program.IfElse(p, i-1, 0)))
		}
		if d.upTo(1) == 0 {
			return program.Lt(sum, d.upTo(3))
		}
		return program.Eq(sum, d.upTo(3))
	}
}

func (d *tight) statements(depth int) (list []program.Stmt) {
	for range 1 + d.upTo(1) {
		x := d.any()
		switch d.upTo(6) {
		case 0:
			list = append(list, program.Set(x, d.any()))
		case 1:
			list = append(list, program.Set(x, program.IfElse(d.truth(1), program.Const(0), program.Sub(min(d.p.Variables[x].Values, 4)-1, x))))
		case 2, 3:
			list = append(list, program.Set(x, d.upTo(min(d.p.Variables[x].Values, 4)-1)))
		case 4: // a FIFO moves up
			for i := range len(d.vars) - 1 {
				list = append(list, program.Set(d.vars[i], d.vars[i+1]))
			}
		case 5: // a message goes to the end of a FIFO
			list = append(list, pushed(d.vars[d.upTo(len(d.vars)-1):], d.upTo(1)))
		default:
			if depth > 0 {
				then, otherwise := d.statements(depth-1), d.statements(depth-1)
				if d.upTo(1) == 0 { // ends in common
					otherwise = []program.Stmt{program.If(d.truth(1), then...).Otherwise(otherwise...)}
				}
				list = append(list, program.If(d.truth(1), then...).Otherwise(otherwise...))
			}
		}
	}
	return list
}

// pushed puts a message into the first place that is 0, or otherwise into the last.
func pushed(places []program.Var, message int) program.Stmt {
	set := program.Set(places[0], message)
	if len(places) > 1 {
		return program.If(program.Eq(places[0], 0), set).Otherwise(pushed(places[1:], message))
	}
	return program.If(program.Eq(0, 0), set)
}

func (d *tight) program() *program.Program {
	for range 3 + d.upTo(2) {
		if d.upTo(3) == 0 {
			d.p.Var(fmt.Sprint("apart ", len(d.p.Variables)), 1<<30)
			d.p.Var(fmt.Sprint("apart ", len(d.p.Variables)), 1<<28)
		}
		values := rapid.SampledFrom([]int{2, 2, 2, 3, 3, 4, 70}).Draw(d.T, "values")
		d.vars = append(d.vars, d.p.Var(fmt.Sprint("x", len(d.p.Variables)), values))
	}
	for i := range 1 + d.upTo(2) {
		d.p.Rule(fmt.Sprint("rule ", i), d.truth(1), d.statements(2)...)
	}
	for i := range 3 {
		d.p.Invariant(fmt.Sprint("invariant ", i), d.truth(3))
	}
	return d.p
}

// TestTight compares with the plain meaning in every state of small programs: successors and
// errors; and that after each step Broken tells whether an invariant that held before still
// holds, and never calls broken one that holds.
func TestTight(t *testing.T) {
	broke, kept, out := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		d := &tight{T: rt, p: program.New("tight")}
		plain, err := d.program().Machine()
		if err != nil {
			rt.Skip(err) // always out of range
		}
		var names []string
		invariants := plain.Claims().Invariants
		for _, v := range invariants {
			names = append(names, v.Name)
		}
		m := compiled.New(plain)
		owed := m.Obligations(names)
		broken := func(s []uint64) (bits uint64) {
			for i, v := range invariants {
				if !v.Holds(s) {
					bits |= 1 << i
				}
			}
			return bits
		}
		words := m.Layout().Words()
		s := m.Start(nil)
		var each func(vars []program.Var)
		each = func(vars []program.Var) {
			if len(vars) > 0 {
				f := m.Layout().Fields()[vars[0]]
				for v := range min(f.Values, 4) {
					f.Put(s, v)
					each(vars[1:])
				}
				return
			}
			before := broken(s)
			if got := owed.Broken(s, 0); got != before {
				rt.Fatalf("%03b are broken in %s: want %03b", got, m.Layout().Text(s), before)
			}
			wanted, fault := plain.AppendSuccessors(nil, s)
			next, kinds, err := m.Steps(nil, nil, s)
			if !slices.Equal(wanted, next) || fmt.Sprint(fault) != fmt.Sprint(err) {
				rt.Fatalf("from %s: %v, %v; want %v, %v", m.Layout().Text(s), next, err, wanted, fault)
			}
			if err != nil {
				out++
				return
			}
			for i, kind := range kinds {
				after := next[i*words : (i+1)*words]
				got, want := owed.Broken(after, kind), broken(after)
				if got&^want != 0 || want&^before&^got != 0 {
					rt.Fatalf("%03b are broken behind %s, where %03b are, in %s: want %03b", got, m.Layout().Text(s), before, m.Layout().Text(after), want)
				}
				if want&^before != 0 {
					broke++
				} else {
					kept++
				}
			}
		}
		each(d.vars)
	})
	if seedtest.Usual() && (broke == 0 || kept == 0 || out == 0) {
		t.Errorf("%d steps broke an invariant and %d none, %d states have errors: want some of each", broke, kept, out)
	}
}
