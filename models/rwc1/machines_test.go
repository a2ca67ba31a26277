package rwc1_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/rwc1"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
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
	x, err := checker.Explore(t.Context(), m, checker.ExploreOptions{Whole: true, Liveness: true})
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

// TestDrain: all variants. A drain is safe if packets keep their order in memory
// and nothing can arrive at a router between freezing and running: the router
// must wait for what is half-way, and either refuse handshakes meanwhile, or be
// sure that the node before has stopped (the word) and runs again not before all
// have restored. If it refuses and goes by the word, it must do so from when it
// hears the word; in a ring of two it may do so later, since there the node before
// waits for this one's word as well.
func TestDrain(t *testing.T) {
	for _, freeze := range []rwc1.Freeze{rwc1.OnWord, rwc1.OnIdle, rwc1.AtOnce} {
		for variant := range 32 {
			o := rwc1.DrainOptions{
				Nodes: 2, VCs: 1, Depth: 2, Freeze: freeze,
				Open: variant&1 != 0, Alone: variant&2 != 0, Reversed: variant&4 != 0, Ring: variant&8 != 0, Deaf: variant&16 != 0,
			}
			if o.Deaf && freeze != rwc1.OnWord {
				continue // there is no word
			}
			refuses := freeze == rwc1.OnIdle || !o.Deaf || o.Ring
			want := !o.Reversed && freeze != rwc1.AtOnce && (!o.Alone && freeze == rwc1.OnWord || !o.Open && refuses)
			p, err := rwc1.Drain(o)
			x, err := checker.Explore(t.Context(), machine(t, p, err), checker.ExploreOptions{Liveness: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := x.Verdict(); got != spec.Holds && got != spec.Violated || (got == spec.Holds) != want {
				t.Errorf("%+v: %s, want holds: %t", o, got, want)
			}
		}
	}
}

// TestMutations: what is taken away or added is noticed, and by the right property.
func TestMutations(t *testing.T) {
	router := func() (*program.Program, error) {
		return rwc1.Router(rwc1.RouterOptions{Inputs: 2, VCs: 1, Depth: 2, Watch: 1, Arbiter: rwc1.Queue})
	}
	drain := func() (*program.Program, error) {
		return rwc1.Drain(rwc1.DrainOptions{Nodes: 2, Ring: true, VCs: 1, Depth: 2})
	}
	const first, second = 2, 3 // of a watched place
	for _, tt := range []struct {
		name   string
		build  func() (*program.Program, error)
		change func(p *program.Program)
		want   string
	}{
		{"packets change places", router, func(p *program.Program) {
			a, b := variable(t, p, "input 1 VC 0 place 0"), variable(t, p, "input 1 VC 0 place 1")
			p.Rule("swap", program.And(program.Eq(a, first), program.Eq(b, second)), program.Set(a, second), program.Set(b, first))
		}, "in order"},
		{"a packet is dropped", router, func(p *program.Program) {
			a := variable(t, p, "beyond, VC 0")
			p.Rule("drop", program.Eq(a, first), program.Set(a, 0))
		}, "nothing lost or doubled"},
		{"a packet stays in its FIFO", router, func(p *program.Program) {
			a, b := variable(t, p, "input 1 VC 0 place 0"), variable(t, p, "beyond, VC 0")
			p.Rule("copy", program.And(program.Eq(a, first), program.Eq(b, 0)), program.Set(b, first))
		}, "nothing lost or doubled"},
		{"the arbiter forgets", router, func(p *program.Program) {
			p.Unfair("forget", program.And(), program.Set(variable(t, p, "turn: 1 before 0"), 0))
		}, "bounded turn"},
		{"the next router never passes on", router, func(p *program.Program) {
			p.Rules = slices.DeleteFunc(p.Rules, func(r program.Rule) bool { return strings.HasPrefix(r.Name, "the next router") })
		}, "a user packet is sent"},
		{"no word", drain, func(p *program.Program) {
			p.Rules = slices.DeleteFunc(p.Rules, func(r program.Rule) bool { return r.Name == "1 hears the word" })
		}, "the drain ends"},
		{"the word is heard too early", drain, func(p *program.Program) {
			p.Rule("guess", program.And(), program.Set(variable(t, p, "1 has heard the word"), 1))
		}, "nothing arrives at a frozen router"},
		{"memory is cleared", drain, func(p *program.Program) {
			p.Rule("clear", program.And(), program.Set(variable(t, p, "memory 1.0 a"), 0))
		}, "nothing lost or doubled"},
	} {
		p, err := tt.build()
		if err != nil {
			t.Fatal(err)
		}
		if before := violated(t, machine(t, p, nil)); len(before) > 0 {
			t.Errorf("%s: violated without the change: %v", tt.name, before)
		}
		tt.change(p)
		m := machine(t, p, nil)
		x, err := checker.Explore(t.Context(), m, checker.ExploreOptions{Whole: true, Liveness: true, MaxStates: 300_000})
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

// TestArbiters: on random walks the FIFO that is granted the port is the one
// that a plain list of FIFOs in the order of their turns gives: with queue the
// winner goes to its end, with rotate the list is turned until the winner is last.
func TestArbiters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := rwc1.RouterOptions{
			Inputs: rapid.IntRange(1, 3).Draw(t, "inputs"), VCs: rapid.IntRange(1, 3).Draw(t, "vcs"),
			Injection: rapid.Bool().Draw(t, "injection"), Depth: rapid.IntRange(1, 3).Draw(t, "depth"),
			Arbiter: rwc1.Arbiter(rapid.IntRange(0, 2).Draw(t, "arbiter")),
		}
		fifos := o.Inputs * o.VCs
		names := make([]string, fifos)
		for c := range names {
			names[c] = fmt.Sprintf("input %d VC %d", c/o.VCs, c%o.VCs)
		}
		if o.Injection {
			names = append(names, "injection")
			fifos++
		}
		o.Watch = rapid.IntRange(0, fifos-1).Draw(t, "watch")
		p, err := rwc1.Router(o)
		if err != nil {
			t.Fatal(err)
		}
		m, err := p.Machine()
		if err != nil {
			t.Fatal(err)
		}
		value := map[string]states.Field{}
		for _, f := range m.Layout().Fields() {
			value[f.Name] = f
		}
		order := make([]int, fifos)
		for c := range order {
			order[c] = c
		}
		s := m.Start(nil)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			offers := func(c int) bool {
				vc := 0
				if c < o.Inputs*o.VCs {
					vc = c % o.VCs
				}
				user := names[c] + " user"
				if c == o.Watch {
					user = names[c] + " place 0"
				}
				return value[user].Of(s) != 0 && value[fmt.Sprintf("beyond, VC %d", vc)].Of(s) == 0
			}
			want := -1
			if i := slices.IndexFunc(order, offers); i >= 0 {
				want = order[i]
			}
			next, err := m.Next(nil, s)
			if err != nil {
				t.Fatal(err)
			}
			words := m.Layout().Words()
			var granted []int
			for i := range len(next) / words {
				if c := slices.Index(names, strings.TrimSuffix(strings.TrimPrefix(m.Action(s, i).Name, "user packet of "), " is sent")); c >= 0 {
					granted = append(granted, c)
				}
			}
			if want < 0 && len(granted) > 0 || want >= 0 && !slices.Equal(granted, []int{want}) {
				t.Fatalf("granted %v, want %d; order %v in %s", granted, want, order, m.Layout().Text(s))
			}
			if len(next) == 0 {
				break
			}
			i := rapid.IntRange(0, len(next)/words-1).Draw(t, "step")
			if len(granted) == 1 && strings.HasSuffix(m.Action(s, i).Name, "is sent") {
				switch at := slices.Index(order, granted[0]); o.Arbiter {
				case rwc1.Queue:
					order = append(slices.Delete(order, at, at+1), granted[0])
				case rwc1.Rotate:
					order = append(order[at+1:len(order):len(order)], order[:at+1]...)
				}
			}
			s = next[i*words : (i+1)*words]
		}
	})
}

// TestMachinesRefuse: options out of range.
func TestMachinesRefuse(t *testing.T) {
	for _, tt := range []struct {
		build func() (*program.Program, error)
		want  string
	}{
		{func() (*program.Program, error) { return rwc1.Router(rwc1.RouterOptions{}) }, "0 inputs of 0 VCs: want 1 to 3 of each"},
		{func() (*program.Program, error) { return rwc1.Router(rwc1.RouterOptions{Inputs: 1, VCs: 1}) }, "a FIFO of 0 packets: want 1 to 4"},
		{func() (*program.Program, error) {
			return rwc1.Router(rwc1.RouterOptions{Inputs: 1, VCs: 1, Depth: 1, Watch: 1})
		}, "FIFO 1 is watched: there are 0 to 0"},
		{func() (*program.Program, error) {
			return rwc1.Router(rwc1.RouterOptions{Inputs: 1, VCs: 1, Depth: 1, Arbiter: 3})
		}, "arbiter 3, system traffic 0, priority 0: want 0 to 2, 0 to 2, 0 to 1"},
		{func() (*program.Program, error) {
			return rwc1.Router(rwc1.RouterOptions{Inputs: 1, VCs: 1, Depth: 1, System: rwc1.Pauses})
		}, "bursts of 0 system packets: want 1 to 4"},
		{func() (*program.Program, error) { return rwc1.Drain(rwc1.DrainOptions{Nodes: 1}) }, "1 nodes: want 2 to 4"},
		{func() (*program.Program, error) { return rwc1.Drain(rwc1.DrainOptions{Nodes: 2}) }, "0 VCs: want 1 or 2"},
		{func() (*program.Program, error) { return rwc1.Drain(rwc1.DrainOptions{Nodes: 2, VCs: 1, Depth: -1}) }, "FIFOs of -1 packets: want 1 to 3"},
		{func() (*program.Program, error) {
			return rwc1.Drain(rwc1.DrainOptions{Nodes: 2, VCs: 1, Depth: 1, Freeze: 3})
		}, "freeze 3 does not exist"},
	} {
		p, err := tt.build()
		if err == nil || err.Error() != tt.want || p != nil {
			t.Errorf("%v, %v: want %q", p, err, tt.want)
		}
	}
}
