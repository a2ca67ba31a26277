package checker_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func explore(t rapid.TB, m states.Machine, opt checker.Question) *checker.Result {
	t.Helper()
	x, err := checker.Explore(context.Background(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func finding(t rapid.TB, x *checker.Result, property string) checker.Finding {
	t.Helper()
	i := slices.IndexFunc(x.Findings, func(f checker.Finding) bool { return f.Property == property })
	if i < 0 {
		t.Fatalf("nothing was found out about %q", property)
	}
	return x.Findings[i]
}

func trafficOf(t rapid.TB, n *spec.Network, sc spec.Scenario) *states.Traffic {
	t.Helper()
	m, err := states.NewTraffic(n, sc)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestExploreAgainstDecide: on random networks of packets the static decision and the
// exploration never contradict each other; one and two workers find the same; leaving out
// orders of deliveries changes no verdict; minimised traces are
// 1-minimal.
func TestExploreAgainstDecide(t *testing.T) {
	seedtest.Sample(t, 40)
	rapid.Check(t, func(t *rapid.T) {
		n := netgen.Network(t, netgen.Options{Nodes: 4, Channels: 6, Tags: 2, MayFail: rapid.Bool().Draw(t, "may fail")}, spec.StoreAndForward)
		if n.Tables() == 0 {
			t.Skip("no traffic")
		}
		report, err := checker.Check(context.Background(), n, checker.Question{Properties: []string{"deadlock-freedom"}, Explore: checker.Never})
		if err != nil {
			t.Fatal(err)
		}
		m := trafficOf(t, n, spec.Scenario{})
		const most = 20000
		one := explore(t, m, checker.Question{Explore: checker.Whole, Workers: 1, MaxStates: most})
		two := explore(t, m, checker.Question{Explore: checker.Whole, Workers: 2, MaxStates: most})
		if diff := cmp.Diff(one, two, written, cmpopts.IgnoreFields(checker.Space{}, "Peak"),
			cmpopts.IgnoreFields(checker.Result{}, "Network", "Machine")); diff != "" {
			t.Fatalf("one and two workers differ:\n%s", diff)
		}
		found := finding(t, one, "deadlock-freedom")
		switch static := report.Findings[0]; {
		case static.Verdict == spec.Holds && found.Verdict == spec.Violated:
			t.Fatalf("decided free (%s), but %s", static.Because, found.Because)
		case static.Verdict == spec.Violated && found.Verdict == spec.Holds:
			t.Fatalf("decided stuck (%s), but no state of %d is", static.Because, one.States)
		}
		if !one.Complete {
			return
		}
		if (found.Verdict == spec.Violated) != (one.Local > 0) {
			t.Fatalf("%d local deadlocks, but %s", one.Local, found.Verdict)
		}
		reduced := explore(t, m, checker.Question{Explore: checker.Whole, PartialOrder: true})
		if got := finding(t, reduced, "deadlock-freedom").Verdict; got != found.Verdict || reduced.States > one.States {
			t.Fatalf("%s and %d states, with deliveries first %s and %d", found.Verdict, one.States, got, reduced.States)
		}
		orbits := explore(t, m, checker.Question{Explore: checker.Whole, Symmetry: true})
		if got := finding(t, orbits, "deadlock-freedom").Verdict; got != found.Verdict || orbits.States > one.States {
			t.Fatalf("%s and %d states, modulo symmetry %s and %d", found.Verdict, one.States, got, orbits.States)
		}
		if found.Trace() != nil {
			small, err := explain.Minimise(t.Context(), evidence.Trace{Network: n, Trace: found.Trace()})
			if err != nil {
				t.Fatal(err)
			}
			oneMinimal(t, n, small.Trace)
		}
	})
}

// oneMinimal checks that no single move of a trace to a deadlock can be left out.
func oneMinimal(t *rapid.T, n *spec.Network, x *counterexamples.Trace) {
	m := trafficOf(t, n, x.Scenario)
	for i := range x.Moves {
		state, possible := m.Empty(), true
		for _, mv := range slices.Delete(slices.Clone(x.Moves), i, i+1) {
			after, err := m.Step(state, mv)
			if err != nil {
				possible = false
				break
			}
			state = after
		}
		if possible && len(m.Stuck(state)) > 0 {
			t.Fatalf("move %d can be left out of %v", i+1, x.Moves)
		}
	}
}

// TestFaultsOfFlits: in random networks that lead messages astray, with channels that hold
// several of them, what exploring finds about delivery is what single packets show: a fault
// not hidden behind another message.
func TestFaultsOfFlits(t *testing.T) {
	violated := 0
	rapid.Check(t, func(t *rapid.T) {
		def := netgen.Definition(t, netgen.Options{Nodes: 3, Channels: 4, Tags: 1, MayFail: true})
		def.Switching, def.Buffer = spec.Wormhole, 2
		n := routingtest.Compile(t, def)
		if n.Tables() == 0 {
			t.Skip("no traffic")
		}
		m := trafficOf(t, n, spec.Scenario{Length: rapid.IntRange(1, 3).Draw(t, "length"), Shared: true})
		x := explore(t, m, checker.Question{Explore: checker.Whole, MaxStates: 5000})
		if finding(t, x, "delivery").Verdict == spec.Violated {
			violated++
			if static := decide(t, n, spec.Delivery); static.Verdict != spec.Violated {
				t.Fatalf("%s by exploring, decided %s: %s", spec.Violated, static.Verdict, static.Because)
			}
		}
	})
	if seedtest.Usual() && violated == 0 {
		t.Error("no random network led a message astray")
	}
}

// TestWormsAgainstDecide: on random networks of worms, if the verdict is "holds", no exploration
// finds a stuck worm, whatever the length, the buffer and the sharing; what an exploration
// finds stuck in a channel of its own, brute force over all sets of worms finds,
// too.
func TestWormsAgainstDecide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		def := netgen.Definition(t, netgen.Options{Nodes: 3, Channels: 4, Tags: 1})
		def.Switching, def.Buffer = spec.Wormhole, rapid.IntRange(1, 2).Draw(t, "buffer")
		n := routingtest.Compile(t, def)
		if n.Tables() == 0 {
			t.Skip("no traffic")
		}
		report, err := checker.Check(context.Background(), n, checker.Question{Properties: []string{"deadlock-freedom"}, Explore: checker.Never})
		if err != nil {
			t.Fatal(err)
		}
		sc := spec.Scenario{Length: rapid.SampledFrom([]int{1, 2, 3, spec.AnyLength}).Draw(t, "length"),
			Elastic: rapid.Bool().Draw(t, "elastic"), Shared: rapid.Bool().Draw(t, "shared")}
		x := explore(t, trafficOf(t, n, sc), checker.Question{MaxStates: 3000})
		f := finding(t, x, "deadlock-freedom")
		if report.Findings[0].Verdict == spec.Holds && f.Verdict == spec.Violated && !sc.Shared {
			t.Fatalf("decided free (%s), but under %s %s", report.Findings[0].Because, sc, f.Because)
		}
		if f.Verdict == spec.Violated && !sc.Shared && !wormsCanBlock(n) {
			t.Fatalf("under %s %s, but no set of worms blocks", sc, f.Because)
		}
		if f.Trace() != nil {
			small, err := explain.Minimise(t.Context(), evidence.Trace{Network: n, Trace: f.Trace()})
			if err != nil {
				t.Fatal(err)
			}
			if len(small.Moves) > len(f.Trace().Moves) {
				t.Fatalf("%d moves became %d", len(f.Trace().Moves), len(small.Moves))
			}
		}
	})
}

// crossing is a machine: two processes that ask for a token and give it back.
// The token circulates by itself, or goes to whom it likes.
type crossing struct {
	layout    states.Layout
	asks      [2]states.Field
	owner     states.Field // 0 and 1: a process; 2: nobody
	stubborn, // nobody gives it back
	unfair bool // giving it to process 1 is not a fair action
}

func newCrossing(stubborn, unfair bool) *crossing {
	c := &crossing{stubborn: stubborn, unfair: unfair}
	c.asks[0], c.asks[1] = c.layout.Field("asks 0", 2), c.layout.Field("asks 1", 2)
	c.owner = c.layout.Field("owner", 3)
	return c
}

func (c *crossing) Name() string           { return fmt.Sprintf("crossing %t %t", c.stubborn, c.unfair) }
func (c *crossing) Layout() *states.Layout { return &c.layout }
func (c *crossing) Start(dst []uint64) []uint64 {
	s := []uint64{0}
	c.owner.Put(s, 2)
	return append(dst, s...)
}

func (c *crossing) steps(s []uint64) (names []string, states [][]uint64) {
	add := func(name string, change func([]uint64)) {
		after := slices.Clone(s)
		change(after)
		names, states = append(names, name), append(states, after)
	}
	for i := range c.asks {
		if c.asks[i].Of(s) == 0 && c.owner.Of(s) != uint64(i) {
			add(fmt.Sprint("ask ", i), func(x []uint64) { c.asks[i].Put(x, 1) })
		}
		if c.asks[i].Of(s) == 1 && c.owner.Of(s) == 2 {
			add(fmt.Sprint("give to ", i), func(x []uint64) { c.owner.Put(x, uint64(i)); c.asks[i].Put(x, 0) })
		}
		if c.owner.Of(s) == uint64(i) && !c.stubborn {
			add(fmt.Sprint("back from ", i), func(x []uint64) { c.owner.Put(x, 2) })
		}
	}
	return names, states
}

func (c *crossing) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	_, states := c.steps(s)
	for _, x := range states {
		dst = append(dst, x...)
	}
	return dst, nil
}

var crossingActions = []string{"ask 0", "give to 0", "back from 0", "ask 1", "give to 1", "back from 1"}

func (c *crossing) Action(s []uint64, i int) states.Action {
	names, _ := c.steps(s)
	return states.Action{Number: slices.Index(crossingActions, names[i]), Name: names[i]}
}

func (c *crossing) Claims() states.Claims {
	return states.Claims{
		Invariants: []states.Invariant{
			{Name: "the owner does not ask", Holds: func(s []uint64) bool { o := c.owner.Of(s); return o == 2 || c.asks[o].Of(s) == 0 }},
			{Name: "never applies", Holds: func([]uint64) bool { return false }, Applies: func([]uint64) bool { return false }},
			{Name: "nobody owns", Holds: func(s []uint64) bool { return c.owner.Of(s) == 2 }},
		},
		Responses: []states.Response{
			{Name: "0 is served", Pending: func(s []uint64) bool { return c.asks[0].Of(s) == 1 }},
			{Name: "the token comes back", Pending: func(s []uint64) bool { return c.owner.Of(s) != 2 }},
		},
		Fair: func(a int) bool { return !c.unfair || crossingActions[a] != "back from 0" },
	}
}

// TestMachine: verdicts that can be worked out by hand. Process 0 may be passed over forever,
// since giving it the token is not always possible (weak fairness does not help); the
// token always comes back, unless that step is not fair, or missing, in which case the machine
// halts when both ask or own.
func TestMachine(t *testing.T) {
	h, v := spec.Holds, spec.Violated
	for _, tt := range []struct {
		stubborn, unfair bool
		want             map[string]spec.Verdict
		faults           map[string]runs.Fault
		steps            map[string]int
	}{
		{false, false, map[string]spec.Verdict{"deadlock-freedom": h, "the owner does not ask": h, "never applies": h,
			"nobody owns": v, "0 is served": v, "the token comes back": h},
			map[string]runs.Fault{"nobody owns": runs.Broken, "0 is served": runs.Unanswered}, map[string]int{"nobody owns": 2}},
		{false, true, map[string]spec.Verdict{"deadlock-freedom": h, "the owner does not ask": h, "never applies": h,
			"nobody owns": v, "0 is served": v, "the token comes back": v},
			map[string]runs.Fault{"nobody owns": runs.Broken, "0 is served": runs.Unanswered, "the token comes back": runs.Unanswered}, nil},
		{true, false, map[string]spec.Verdict{"deadlock-freedom": v, "the owner does not ask": h, "never applies": h,
			"nobody owns": v, "0 is served": v, "the token comes back": v},
			map[string]runs.Fault{"deadlock-freedom": runs.Halt, "nobody owns": runs.Broken,
				"0 is served": runs.Unanswered, "the token comes back": runs.Unanswered},
			map[string]int{"deadlock-freedom": 3}}, // both ask, one is served, and nothing is left: or one asks, is served, the other asks
	} {
		m := newCrossing(tt.stubborn, tt.unfair)
		x := explore(t, m, checker.Question{Explore: checker.Whole, Liveness: true})
		got, faults := map[string]spec.Verdict{}, map[string]runs.Fault{}
		for _, f := range x.Findings {
			got[f.Property] = f.Verdict
			if f.Run() != nil {
				faults[f.Property] = f.Run().Fault
				if want, ok := tt.steps[f.Property]; ok && len(f.Run().Steps) != want {
					t.Errorf("%s: %s in %d steps, want %d", m.Name(), f.Property, len(f.Run().Steps), want)
				}
			}
			if f.Verdict == spec.Holds && f.Evidence == nil {
				t.Errorf("%s: %s holds without evidence", m.Name(), f.Property)
			}
			if f.Vacuous != (f.Property == "never applies") {
				t.Errorf("%s: %s vacuous: %t", m.Name(), f.Property, f.Vacuous)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", m.Name(), diff)
		}
		if diff := cmp.Diff(tt.faults, faults); diff != "" {
			t.Errorf("%s, faults (-want +got):\n%s", m.Name(), diff)
		}
	}
}

// TestIntendedEnd: a halt where the machine is meant to end is not a deadlock.
func TestIntendedEnd(t *testing.T) {
	m := &ending{newCrossing(true, false)}
	if f := finding(t, explore(t, m, checker.Question{Explore: checker.Whole}), "deadlock-freedom"); f.Verdict != spec.Holds {
		t.Errorf("deadlock %s: %s", f.Verdict, f.Because)
	}
}

type ending struct{ *crossing }

func (e *ending) Claims() states.Claims {
	c := e.crossing.Claims()
	c.Final = func(s []uint64) bool { return e.owner.Of(s) != 2 }
	return c
}

// TestManyInvariants: as many invariants as there are flags, of which x, that counts to 40, breaks the first 33: each has its
// own verdict. One more is refused, as are half as many with premises.
func TestManyInvariants(t *testing.T) {
	counter := func(invariants int) states.Machine {
		p := program.New("counter")
		x := p.Var("x", 100)
		p.Rule("on", program.Lt(x, 40), program.Set(x, program.Add(x, 1)))
		for i := range invariants {
			p.Invariant(fmt.Sprint("x is not ", i+8), program.Ne(x, i+8))
		}
		m, err := p.Machine()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	x := explore(t, counter(63), checker.Question{Explore: checker.Whole})
	for i := range 63 {
		want := spec.Holds
		if i+8 <= 40 {
			want = spec.Violated
		}
		if f := finding(t, x, fmt.Sprint("x is not ", i+8)); f.Verdict != want {
			t.Errorf("%s %s, want %s: %s", f.Property, f.Verdict, want, f.Because)
		}
	}
	for _, m := range []states.Machine{counter(64), &premised{newCrossing(false, false), 32}} {
		if _, err := checker.Explore(t.Context(), m, checker.Question{}); err == nil || !strings.Contains(err.Error(), "at a time") {
			t.Errorf("%s: %v", m.Name(), err)
		}
	}
	x = explore(t, &premised{newCrossing(false, false), 31}, checker.Question{Explore: checker.Whole})
	if f := finding(t, x, "premise 30"); f.Verdict != spec.Violated {
		t.Errorf("%s %s, want violated in the first state", f.Property, f.Verdict)
	}
}

// premised has invariants that apply to every state, of which number 30 fails in each.
type premised struct {
	*crossing
	invariants int
}

func (m *premised) Claims() (c states.Claims) {
	for i := range m.invariants {
		c.Invariants = append(c.Invariants, states.Invariant{Name: fmt.Sprint("premise ", i),
			Applies: func([]uint64) bool { return true }, Holds: func([]uint64) bool { return i != 30 }})
	}
	return c
}

// TestNotionIsOfDeadlock: the notion of deadlock is mentioned for deadlock, and for
// no other property.
func TestNotionIsOfDeadlock(t *testing.T) {
	ring := trafficOf(t, ringOf(t, map[string]string{"n": "3"}), spec.Scenario{})
	for _, notion := range []checker.Notion{checker.Local, checker.Weak, checker.Global} {
		for _, f := range explore(t, ring, checker.Question{Notion: notion, Liveness: true}).Findings {
			said := strings.Contains(fmt.Sprint(f.Assumptions, f.Notes), "("+notion.String()+")")
			if said != (f.Property == "deadlock-freedom") {
				t.Errorf("%s: %s: %q, %q", notion, f.Property, f.Assumptions, f.Notes)
			}
		}
	}
}

// TestNothingIsLeft: a search that stops at a violation when it has expanded every state leaves nothing. Each of four
// channels is empty or holds a packet for one of three nodes: 256 states, of which those with four packets come last.
func TestNothingIsLeft(t *testing.T) {
	n := modeltest.Network(t, "ring", map[string]string{"n": "4"}, func(*routing.Definition) {})
	x, err := checker.Check(t.Context(), n, checker.Question{Properties: []string{"deadlock-freedom"}, Notion: counterexamples.Weak})
	if err != nil {
		t.Fatal(err)
	}
	if x.States != 256 || x.Expanded != 256 || x.Ended.String() != "stopped at the violation, when all states had been explored" {
		t.Errorf("%d of %d states expanded: %s", x.Expanded, x.States, x.Ended)
	}
}
