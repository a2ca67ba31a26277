package selection

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// projected keeps the sources and channels of a state: the variables whose names the
// other machine has, too.
func projected(m *Machine, s []uint64, fields map[string]bool) string {
	var b strings.Builder
	for _, f := range m.Layout().Fields() {
		if fields[f.Name] {
			fmt.Fprint(&b, f.Of(s), ",")
		}
	}
	return b.String()
}

// shared are the names of variables that both machines have.
func shared(a, b *Machine) map[string]bool {
	has := map[string]bool{}
	for _, f := range a.Layout().Fields() {
		has[f.Name] = true
	}
	both := map[string]bool{}
	for _, f := range b.Layout().Fields() {
		if has[f.Name] {
			both[f.Name] = true
		}
	}
	return both
}

// edges are the steps of all reachable states, restricted to the given variables; steps that
// change none of these are left out.
func edges(t *testing.T, m *Machine, fields map[string]bool) map[string]bool {
	all := map[string]bool{}
	walk(t, m, 300_000, func(s []uint64, next [][]uint64) {
		from := projected(m, s, fields)
		for _, after := range next {
			if to := projected(m, after, fields); to != from {
				all[from+">"+to] = true
			}
		}
	})
	return all
}

// TestOpenHistoryContainsExact: each step under an exact history is one under an open
// history. The converse must fail where a function prefers one of two, or the test would
// prove nothing. A machine with a larger bound on differences need not be part of one with
// a smaller bound; both are parts of the open one.
func TestOpenHistoryContainsExact(t *testing.T) {
	for _, f := range []Function{LRU, LFU, LD} {
		for i, form := range []Form{Again, Commit} {
			for k, traffic := range []Traffic{
				{Packets: []Packet{{0, 3}, {1, 2}}, Again: true, Ready: true, InFlight: 2},
				{Packets: []Packet{{0, 3}, {0, 3}, {0, 3}}},
			} {
				if !seedtest.Sampled(int(f)+i+k, 4) {
					continue
				}
				open := machine(t, torus{K: 2, N: 2, Function: f, Form: form}, traffic)
				both := shared(open, open)
				contains := edges(t, open, both)
				for _, bound := range []int{1, 2} {
					exact := machine(t, torus{K: 2, N: 2, Function: f, Form: form, History: Exact, Bound: bound}, traffic)
					part := edges(t, exact, both)
					for e := range part {
						if !contains[e] {
							t.Fatalf("%s: step %s is not one with an open history", exact.Name(), e)
						}
					}
					// Once: at first LRU sends into x, since y counts as used last; by any history y might be first.
					if f == LRU && !traffic.Again && len(part) >= len(contains) {
						t.Errorf("%s: %d steps, and %d with an open history", exact.Name(), len(part), len(contains))
					}
				}
			}
		}
	}
}

// TestClockIsForThoseWhoLook: for functions without history, a clock, in which each packet
// moves at most once, changes nothing: packets take the same steps in the same states.
func TestClockIsForThoseWhoLook(t *testing.T) {
	for i, f := range []Function{DimensionOrder, Zigzag, SCCB} {
		for k, form := range []Form{Again, Commit} {
			if !seedtest.Sampled(i+k, 2) {
				continue
			}
			o := torus{K: 2, N: 2, Function: f, Form: form}
			traffic := Traffic{Packets: []Packet{{0, 3}, {1, 2}, {3, 0}, {2, 1}}, Again: true, Ready: true, InFlight: 2}
			without := machine(t, o, traffic)
			with := machine(t, o, traffic, "\nclock = form", "\nclock = True or form")
			both := shared(without, with)
			if diff := cmp.Diff(edges(t, without, both), edges(t, with, both)); diff != "" {
				t.Errorf("%s (-without +with a clock):\n%s", without.Name(), diff)
			}
		}
	}
}

// TestRingsAreAlike: where packets have one dimension left, all functions are the same: the
// programs are identical byte for byte, except for names.
func TestRingsAreAlike(t *testing.T) {
	for form := range machineForms {
		if !seedtest.Sampled(form, 2) {
			continue
		}
		var first string
		for f := range Names {
			o := torus{K: 4, N: 1, Function: Function(f), Form: Form(form), History: Exact}
			p := *machine(t, o, Traffic{Who: "far", Again: true}).Program()
			p.Name = "ring"
			var text strings.Builder
			if err := program.WriteClosed(&text, &p); err != nil {
				t.Fatal(err)
			}
			if f == 0 {
				first = text.String()
			}
			if diff := cmp.Diff(first, text.String()); diff != "" {
				t.Errorf("%s is not %s on a ring: %s", Names[f], Names[0], diff)
			}
		}
	}
}

// TestForms: the table of verdicts. On a ring of three, one way, all functions are
// alike, see TestRingsAreAlike; and three packets of a column of 3x3, one way, can fill
// the ring of the column, each with one hop left in x. Where the static decision has a
// verdict, for all traffic, it is the same.
func TestForms(t *testing.T) {
	ring := Traffic{Packets: []Packet{{0, 2}, {1, 0}, {2, 1}}, Again: true, Ready: true}
	for form := range machineForms {
		free := Form(form) == Again || Form(form) == Early
		if ring.InFlight = 0; !seedtest.Whole() { // as few as end in a deadlock
			ring.InFlight = map[Form]int{Stale: 3, Commit: 4}[Form(form)]
		}
		formed(t, torus{K: 3, N: 1, OneWay: true, Form: Form(form)}, ring, free)
	}
	// with a clock
	formed(t, torus{K: 2, N: 2, Function: CCB, Reading: FreeHere}, Traffic{Packets: []Packet{{0, 3}, {1, 2}, {3, 0}}, Again: true, InFlight: 2}, true)
	column := Traffic{Packets: []Packet{{0, 7}, {3, 1}, {6, 4}}}
	for f := range Names {
		for i, form := range []Form{Again, Early} { // rings have decided the others
			if !seedtest.Sampled(f+i, 16) {
				continue
			}
			// On arrival, as if all were free: these take the lowest dimension, and there the escape.
			lowest := Function(f) == DimensionOrder || Function(f) == SCCB
			formed(t, torus{K: 3, N: 2, OneWay: true, Function: Function(f), Form: form, Reading: FreeHere}, column, form == Again || lowest)
		}
	}
}

// TestStuckThoughSourcesSend: packets in flight can be stuck while sources can still send,
// and such a deadlock is found, on the ring of three.
func TestStuckThoughSourcesSend(t *testing.T) {
	m := machine(t, torus{K: 3, N: 1, OneWay: true, Form: Commit}, Traffic{Packets: []Packet{{0, 2}, {1, 0}, {2, 1}}, Again: true, Ready: true})
	x, err := checker.Explore(t.Context(), m, checker.Question{})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(x.Findings, func(f checker.Finding) bool { return f.Property == Moves })
	run := x.Findings[i].Run()
	if run == nil {
		t.Fatalf("%s: %s", Moves, x.Findings[i].Verdict)
	}
	states, err := explain.Through(m, run)
	if err != nil {
		t.Fatal(err)
	}
	end := states[len(states)-1]
	next, err := m.AppendSuccessors(nil, end)
	if err != nil {
		t.Fatal(err)
	}
	if len(next) == 0 || len(m.held(end)) == 0 {
		t.Errorf("after %d steps %d packets are held, and there are %d steps more", len(run.Steps), len(m.held(end)), len(next))
	}
	for i := range next {
		if action := m.Action(end, i).Name; !strings.Contains(action, "at its source") {
			t.Errorf("it is stuck, but %s", action)
		}
	}
}

// formed compares verdicts on deadlock with those wanted.
func formed(t *testing.T, o torus, traffic Traffic, free bool) {
	t.Helper()
	want := map[bool]spec.Verdict{true: spec.Holds, false: spec.Violated}[free]
	if o.Form != Commit {
		if got := decide(t, o); got != want {
			t.Errorf("%s %s k=%d n=%d: static %s, want %s", Names[o.Function], machineForms[o.Form], o.K, o.N, got, want)
		}
	}
	m := machine(t, o, traffic)
	x, err := checker.Explore(t.Context(), m, checker.Question{MaxStates: 1_000_000})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range x.Findings {
		asked := p.Property == Moves || p.Property == "deadlock-freedom" && !traffic.Again
		if asked && p.Verdict != want {
			t.Errorf("%s: %s %s, want %s (%s)", m.Name(), p.Property, p.Verdict, want, x.Ended)
		}
	}
}
