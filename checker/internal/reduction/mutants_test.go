package reduction

import (
	"slices"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/internal/compiled"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// TestEachConditionIsNeeded: for each condition of a stubborn set, a program for which a set
// without it misses what is asked, and a set with it does not.
func TestEachConditionIsNeeded(t *testing.T) {
	at := func(p *program.Program, name string, values int) program.Var { return p.Var(name, values) }
	move := func(p *program.Program, x program.Var, from, to int, more ...program.Expr) *program.Rule {
		return p.Rule("move", program.And(append(more, program.Eq(x, from))...), program.Set(x, to))
	}
	for _, tt := range []struct {
		name  string
		asked Asked
		what  string // is reached
		make  func(p *program.Program)
		spoil func(m *Stubborn)
	}{
		{"rules that disable each other do not accord", Asked{Deadlock: true}, "deadlock-freedom", func(p *program.Program) {
			x, spins := at(p, "x", 3), at(p, "spins", 2)
			move(p, x, 0, 1)
			move(p, x, 0, 2) // the end
			p.Rule("turn", program.Eq(x, 1), program.Set(spins, program.Sub(1, spins)))
		}, func(m *Stubborn) { m.rules.all[0].clash, m.rules.all[1].clash = nil, nil }},
		{"rules whose orders end otherwise do not accord", Asked{Deadlock: true}, "deadlock-freedom", func(p *program.Program) {
			x, a, b := at(p, "x", 2), at(p, "a", 2), at(p, "b", 2)
			p.Rule("a", program.Eq(a, 0), program.Set(a, 1), program.Set(x, 0))
			p.Rule("b", program.Eq(b, 0), program.Set(b, 1), program.Set(x, 1))
			p.Rule("spins", program.And(program.Eq(a, 1), program.Eq(b, 1), program.Eq(x, 1)))
		}, func(m *Stubborn) { m.rules.all[0].clash, m.rules.all[1].clash = nil, nil }},
		{"what can make a guard true is in the set", Asked{Deadlock: true}, "deadlock-freedom", func(p *program.Program) {
			x, y := at(p, "x", 3), at(p, "y", 2)
			spins := at(p, "spins", 2)
			move(p, x, 0, 1)
			move(p, x, 0, 2, program.Eq(y, 1)) // the end, if y moves first
			p.Rule("turn", program.Eq(x, 1), program.Set(spins, program.Sub(1, spins)))
			move(p, y, 0, 1)
		}, func(m *Stubborn) {
			for i := range m.rules.atoms.all {
				m.rules.atoms.all[i].makers = nil
			}
		}},
		{"what can make an invariant false is in the set", Asked{Deadlock: true, Invariants: []string{"below"}}, "below", func(p *program.Program) {
			spins, x := at(p, "spins", 2), at(p, "x", 2)
			p.Rule("turn", program.And(), program.Set(spins, program.Sub(1, spins)))
			move(p, x, 0, 1)
			p.Invariant("below", program.Eq(x, 0))
		}, func(m *Stubborn) { m.goals = nil }},
		{"of alternatives, what can make any true is in the set", Asked{Invariants: []string{"both stay"}}, "both stay", func(p *program.Program) {
			stays, x := at(p, "stays", 2), at(p, "x", 2)
			move(p, x, 0, 1)
			p.Rule("turn", program.And())
			p.Invariant("both stay", program.And(program.Eq(stays, 0), program.Eq(x, 0)))
		}, func(m *Stubborn) { m.goals[0].parts = m.goals[0].parts[:1] }},
		{"what can leave a range is in the set", Asked{Deadlock: true}, "refused", func(p *program.Program) {
			spins, x := at(p, "spins", 2), at(p, "x", 3)
			p.Rule("turn", program.And(), program.Set(spins, program.Sub(1, spins)))
			p.Rule("more", program.And(), program.Set(x, program.Add(x, 1)))
		}, func(m *Stubborn) { m.goals = nil }},
		{"a range is left where the guard holds", Asked{Deadlock: true}, "refused", func(p *program.Program) {
			spins, x, y := at(p, "spins", 2), at(p, "x", 2), at(p, "y", 2)
			p.Init(x, 1)
			p.Rule("turn", program.And(), program.Set(spins, program.Sub(1, spins)))
			p.Rule("more", program.Eq(y, 1), program.Set(x, program.Add(x, 1)))
			move(p, y, 0, 1)
		}, func(m *Stubborn) { m.goals[0].parts = m.goals[0].parts[1:] }},
		{"where deadlock is asked, something steps", Asked{Deadlock: true, Invariants: []string{"never"}}, "deadlock-freedom", func(p *program.Program) {
			x, y, stays := at(p, "x", 3), at(p, "y", 2), at(p, "stays", 2)
			move(p, x, 0, 1)
			move(p, x, 1, 2)
			move(p, y, 0, 1)
			p.Final = program.And(program.Eq(x, 0), program.Eq(y, 0))
			p.Invariant("never", program.Eq(stays, 0))
		}, func(m *Stubborn) { m.deadlock = false }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := program.New("small")
			tt.make(p)
			m, err := p.Machine()
			if err != nil {
				t.Fatal(err)
			}
			all, _ := plainly(m, m, tt.asked, mostDrawn)
			if _, is := all.nearest[tt.what]; !is {
				t.Fatal("it is not reached at all")
			}
			for _, broken := range []bool{false, true} {
				stubborn, err := New(t.Context(), compiled.New(m), tt.asked)
				if err != nil {
					t.Fatal(err)
				}
				if broken {
					tt.spoil(stubborn)
				}
				reduced, _ := plainly(stubborn, m, tt.asked, mostDrawn)
				if diff := same(all, reduced, tt.asked, true); (diff != "") != broken {
					t.Errorf("broken: %v, but %q", broken, diff)
				}
			}
		})
	}
}

// TestAccord: rules that accord and rules that do not, each for its own reason.
func TestAccord(t *testing.T) {
	p := program.New("pairs")
	x, y := p.Var("x", 3), p.Var("y", 3)
	q := []program.Var{p.Var("q 0", 2), p.Var("q 1", 2)} // a FIFO; 0: no message
	wide := p.Var("wide", 1<<20)
	p.Rule("x up", program.Lt(x, 2), program.Set(x, program.Add(x, 1)))
	p.Rule("x up again", program.Lt(x, 2), program.Set(x, program.Add(x, 1)))
	p.Rule("y up", program.Lt(y, 2), program.Set(y, program.Add(y, 1)))
	p.Rule("y by x", program.And(), program.Set(y, x))
	p.Rule("send", program.Eq(q[1], 0), program.If(program.Eq(q[0], 0), program.Set(q[0], 1)).Otherwise(program.Set(q[1], 1)))
	p.Rule("receive", program.Eq(q[0], 1), program.Set(q[0], q[1]), program.Set(q[1], 0))
	p.Rule("x is 0", program.Eq(x, 0), program.Set(x, 1))
	p.Rule("x is 1", program.Eq(x, 1), program.Set(x, 0))
	z, a, b := p.Var("z", 2), p.Var("a", 2), p.Var("b", 2)
	p.Rule("a if z is 0", program.Eq(z, 0), program.Set(a, 1))
	p.Rule("z", program.And(), program.Set(z, 1))
	p.Rule("b if z is 0", program.Eq(z, 0), program.Set(b, 1))
	p.Rule("wide", program.Lt(wide, 9), program.Set(wide, program.Add(wide, 1)))
	p.Rule("wide too", program.Lt(wide, 9), program.Set(wide, program.Add(wide, 1)))
	many := []program.Var{p.Var("many 0", 40), p.Var("many 1", 40), p.Var("many 2", 40)}
	p.Rule("all but never", program.And(), program.Set(many[0],
		program.IfElse(program.Eq(program.Add(many[1], many[2]), 78), program.Const(1), program.Value(many[0]))))
	p.Rule("where 0", program.Eq(many[0], 0), program.Set(many[0], 2))
	r := rulesOf(p)
	if err := r.clashes(t.Context()); err != nil {
		t.Fatal(err)
	}
	name := func(i int) string {
		for k := range p.Rules {
			if r.first[k] <= int32(i) && int32(i) < r.first[k+1] {
				return p.Rules[k].Name
			}
		}
		return ""
	}
	var clash []string
	for i := range r.all {
		for _, k := range r.all[i].clash {
			if pair := name(i) + ", " + name(int(k)); int(k) > i && !slices.Contains(clash, pair) {
				clash = append(clash, pair)
			}
		}
	}
	want := []string{
		"x up, x up again", // at 1 the second cannot follow
		"x up, y by x",     // y tells the order
		"x up, x is 0",     // from 0 the second cannot follow
		"x up, x is 1",     // 1 up and down is 2, no longer 1
		"x up again, y by x", "x up again, x is 0", "x up again, x is 1",
		"y up, y by x",
		"y by x, x is 0", "y by x, x is 1",
		"send, receive",                    // the place of the message differs
		"a if z is 0, z", "z, b if z is 0", // one disables the other, whichever comes first
		"wide, wide too",         // too many values to try; at 8 the second cannot follow
		"all but never, where 0", // too many values of all three
	}
	if !slices.Equal(clash, want) {
		t.Errorf("do not accord: %q, want %q", clash, want)
	}
}
