package explorer

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

func traffic(t testing.TB, n *spec.Network, sc spec.Scenario) *states.Traffic {
	t.Helper()
	m, err := states.NewTraffic(n, sc)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// deadlock returns the trace to the deadlock of a network.
func deadlock(t testing.TB, n *spec.Network) *counterexamples.Trace {
	t.Helper()
	r, err := checker.Check(context.Background(), n, checker.Question{Properties: []string{"deadlock-freedom"}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Findings[0].Trace() == nil {
		t.Fatalf("%s has no deadlock", n.Name())
	}
	return r.Findings[0].Trace()
}

func TestRunsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Run{Start: rapid.IntRange(0, 1<<31-1).Draw(t, "start"), Choices: rapid.SliceOf(rapid.IntRange(0, 1<<31-1)).Draw(t, "choices")}
		back, err := ParseRun(r.String())
		if err != nil || back.Start != r.Start || !slices.Equal(back.Choices, r.Choices) {
			t.Fatalf("%s came back as %v: %v", r, back, err)
		}
	})
}

func TestRunsRefused(t *testing.T) {
	for _, text := range []string{"", ".", "0.", ".0", "-1", "0.-1", "+1", "00", "0.01", "0..1", "a", "0.a",
		"2147483648", "0,1", " 0", "0 ", "0.9999999999999999999999", strings.Repeat("0.", mostSteps+1) + "0"} {
		if r, err := ParseRun(text); err == nil {
			t.Errorf("%.40q was read as %v", text, r)
		}
	}
}

// A run leads to the states to which the reference step leads by the same moves, whatever was
// requested before.
func TestRunsLeadWhereTheMachineDoes(t *testing.T) {
	ring := modeltest.Network(t, "ring", nil)
	for name, m := range map[string]states.Machine{
		"peterson": modeltest.Machine(t, "peterson", nil),
		"ring":     traffic(t, ring, spec.Scenario{}),
		"bounded":  traffic(t, ring, spec.Scenario{Packets: 3, Sink: 1}),
		"worms":    traffic(t, modeltest.Network(t, "gadget", nil), spec.Scenario{Length: 2}),
	} {
		t.Run(name, func(t *testing.T) {
			w, err := newWalker(m)
			if err != nil {
				t.Fatal(err)
			}
			words := m.Layout().Words()
			rapid.Check(t, func(t *rapid.T) {
				starts := m.Start(nil)
				run := Run{Start: rapid.IntRange(0, len(starts)/words-1).Draw(t, "start")}
				state := starts[run.Start*words : (run.Start+1)*words]
				want := [][]uint64{state}
				for range rapid.IntRange(0, 12).Draw(t, "steps") {
					next, err := m.AppendSuccessors(nil, state)
					if err != nil {
						t.Fatal(err)
					}
					options, err := w.options(state)
					if err != nil || options.count() != len(next)/words {
						t.Fatalf("%d moves are told, %d are possible: %v", options.count(), len(next)/words, err)
					}
					inFlight, injections := options.order()
					all := append(inFlight, injections...)
					slices.Sort(all)
					if !slices.Equal(all, numbers(options.count())) {
						t.Fatalf("of %d moves these are shown: %v", options.count(), all)
					}
					if len(next) == 0 {
						break
					}
					c := rapid.IntRange(0, len(next)/words-1).Draw(t, "choice")
					if options.action(c) != m.Action(state, c).Name {
						t.Fatalf("move %d is %q, named %q", c, m.Action(state, c).Name, options.action(c))
					}
					state = next[c*words : (c+1)*words]
					run.Choices = append(run.Choices, c)
					want = append(want, state)
				}
				got, err := w.statesOf(run)
				if diff := cmp.Diff(want, got); diff != "" || err != nil {
					t.Fatalf("%s: %v (-want +got):\n%s", run, err, diff)
				}
				next, err := m.AppendSuccessors(nil, state)
				if err != nil {
					t.Fatal(err)
				}
				for _, none := range []int{len(next) / words, 1 << 30} {
					if _, err := w.statesOf(run.extend(none)); err == nil {
						t.Fatalf("move %d was taken, of %d", none, len(next)/words)
					}
				}
			})
		})
	}
}

func numbers(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// If every state has more moves than can be listed, that is reported at once.
func TestTooManyFlows(t *testing.T) {
	n := modeltest.Network(t, "mesh", map[string]string{"k": "22"}) // 484 * 483 flows
	if _, err := newWalker(traffic(t, n, spec.Scenario{})); err == nil || !strings.Contains(err.Error(), "--once") {
		t.Errorf("%d flows: %v", n.FlowCount(), err)
	}
	one := spec.Scenario{Once: []spec.Flow{{Source: 0, Target: spec.Target{Dest: 5}}}}
	if _, err := newWalker(traffic(t, n, one)); err != nil {
		t.Error(err)
	}
}

func TestTraces(t *testing.T) {
	n := modeltest.Network(t, "torus", map[string]string{"routing": "dor"})
	trace := deadlock(t, n)
	m := traffic(t, n, trace.Scenario)
	o, err := Follow(evidence.Trace{Network: n, Trace: trace})
	if err != nil {
		t.Fatal(err)
	}
	w, err := newWalker(m)
	if err != nil {
		t.Fatal(err)
	}
	through, err := w.statesOf(*o.Trace)
	if err != nil {
		t.Fatal(err)
	}
	state := m.Empty()
	for _, move := range trace.Moves {
		if state, err = m.Step(state, move); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(m.Encode(nil, state), through[len(through)-1]); diff != "" {
		t.Errorf("the trace ends elsewhere (-want +got):\n%s", diff)
	}

	other := *trace
	other.Network[0]++
	if _, err := Follow(evidence.Trace{Network: n, Trace: &other}); err == nil || !strings.Contains(err.Error(), "another network") {
		t.Errorf("a trace of another network: %v", err)
	}
	wrong := *trace
	wrong.Moves = append(slices.Clone(trace.Moves), trace.Moves[len(trace.Moves)-1])
	if _, err := Follow(evidence.Trace{Network: n, Trace: &wrong}); err == nil || !strings.Contains(err.Error(), "not possible") {
		t.Errorf("a trace with a move into a full channel: %v", err)
	}
}

func TestRunsOfMachines(t *testing.T) {
	m := modeltest.Machine(t, "peterson", nil)
	words := m.Layout().Words()
	state := m.Start(nil)[:words]
	run := &runs.Run{Machine: m.Name(), Property: "mutual exclusion", Fault: runs.Broken}
	var want []uint64
	for range 6 { // always the last move
		next, err := m.AppendSuccessors(nil, state)
		if err != nil {
			t.Fatal(err)
		}
		last := len(next)/words - 1
		run.Steps = append(run.Steps, write.TakenBy(m, state, last))
		state = next[last*words:]
		want = state
	}
	o, err := Follow(evidence.Run{Machine: m, Run: run})
	if err != nil {
		t.Fatal(err)
	}
	w, err := newWalker(m)
	if err != nil {
		t.Fatal(err)
	}
	through, err := w.statesOf(*o.Trace)
	if diff := cmp.Diff(want, through[len(through)-1]); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for name, wrong := range map[string]*runs.Run{
		"another machine": {Machine: "x", Steps: run.Steps},
		"not possible":    {Machine: m.Name(), Steps: []runs.Taken{{Action: states.Action{Number: 1 << 20, Name: "fly"}}}},
		"does not exist":  {Machine: m.Name(), Start: 99},
	} {
		if _, err := Follow(evidence.Run{Machine: m, Run: wrong}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
