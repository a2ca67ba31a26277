package rwc1_test

import (
	"slices"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/rwc1"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func machine(t testing.TB, p *program.Program, err error) *program.Machine {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// violated explores the whole space and lists the properties that do not hold.
func violated(t testing.TB, m states.Machine) []string {
	t.Helper()
	x, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole, Liveness: true})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range x.Findings {
		switch f.Verdict {
		case spec.Unknown:
			t.Fatalf("%s: %s is unknown: %s", m.Name(), f.Property, f.Because)
		case spec.Violated:
			names = append(names, f.Property)
		}
	}
	return names
}

// variable finds a variable by its name.
func variable(t testing.TB, p *program.Program, name string) program.Var {
	t.Helper()
	i := slices.IndexFunc(p.Variables, func(v program.Variable) bool { return v.Name == name })
	if i < 0 {
		t.Fatalf("%s has no variable %q", p.Name, name)
	}
	return program.Var(i)
}

func drain(t testing.TB, set catalogue.Set) *program.Machine {
	t.Helper()
	p, err := programtest.Of(rwc1.DrainEntry().Machine(set))
	return machine(t, p, err)
}

// TestDrain: all variants. A drain is safe if packets keep their order in memory and none
// can arrive at a router between freezing and running. The router must wait for packets that
// are half-way, and either refuse handshakes meanwhile or be sure that the node before it
// has stopped (the word) and does not run again before all have restored. If it both refuses
// and waits for the word, it must refuse from the moment that it hears the word; in a ring
// of two it may do so later, because there the node before waits for this one's word, too.
func TestDrain(t *testing.T) {
	pick := func(yes bool, a, b string) string { return map[bool]string{true: a, false: b}[yes] }
	number := 0
	for _, freeze := range []string{"word", "idle", "at-once"} {
		for variant := range 32 {
			open, alone, reversed, ring, deaf := variant&1 != 0, variant&2 != 0, variant&4 != 0, variant&8 != 0, variant&16 != 0
			if deaf && freeze != "word" {
				continue // there is no word
			}
			if number++; !seedtest.Sampled(number, 6) {
				continue
			}
			refuses := freeze == "idle" || !deaf || ring
			want := !reversed && freeze != "at-once" && (!alone && freeze == "word" || !open && refuses)
			o := catalogue.Set{
				"freeze": freeze, "accept": pick(open, "room", "running"), "resume": pick(alone, "alone", "together"),
				"restore": pick(reversed, "reversed", "order"), "shape": pick(ring, "ring", "line"), "spread": pick(deaf, "no", "yes"),
			}
			x, err := checker.Explore(t.Context(), drain(t, o), checker.Question{Liveness: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := x.Verdict(); got != spec.Holds && got != spec.Violated || (got == spec.Holds) != want {
				t.Errorf("%v: %s, want holds: %t", o, got, want)
			}
		}
	}
}

// TestMutations: removals and additions violate the right property.
func TestMutations(t *testing.T) {
	const first, second = 2, 3 // of a watched place
	for i, tt := range []struct {
		name   string
		change func(p *program.Program)
		want   string
	}{
		{"packets change places", func(p *program.Program) {
			a, b := variable(t, p, "fifo[1,0].0"), variable(t, p, "fifo[1,0].1")
			p.Rule("swap", program.And(program.Eq(a, first), program.Eq(b, second)), program.Set(a, second), program.Set(b, first))
		}, "in order"},
		{"no word", func(p *program.Program) {
			p.Rules = slices.DeleteFunc(p.Rules, func(r program.Rule) bool { return r.Name == "1 hears the word" })
		}, "the drain ends"},
		{"the word is heard too early", func(p *program.Program) {
			p.Rule("guess", program.And(), program.Set(variable(t, p, "heard[1]"), 1))
		}, "nothing arrives at a frozen router"},
		{"memory is cleared", func(p *program.Program) {
			p.Rule("clear", program.And(), program.Set(variable(t, p, "memory[1,0].0"), 0))
		}, "nothing lost or doubled"},
	} {
		if !seedtest.Sampled(i, 3) {
			continue
		}
		p, err := programtest.Of(rwc1.DrainEntry().Machine(nil))
		if before := violated(t, machine(t, p, err)); len(before) > 0 {
			t.Errorf("%s: violated without the change: %v", tt.name, before)
		}
		tt.change(p)
		m := machine(t, p, nil)
		x, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole, Liveness: true, MaxStates: 300_000})
		got := map[string]spec.Verdict{}
		if err == nil {
			for _, f := range x.Findings {
				got[f.Property] = f.Verdict
			}
		}
		if got[tt.want] != spec.Violated {
			t.Errorf("%s: %q is %s: want violated (%v)", tt.name, tt.want, got[tt.want], err)
		}
	}
}
