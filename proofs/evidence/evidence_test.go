package evidence_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/addresses"
	"github.com/seed-105a2da2/unknot/proofs/answers"
	"github.com/seed-105a2da2/unknot/proofs/bubbles"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/costtest"
)

// subjects are a one-way ring of three nodes and a machine that toggles.
func subjects(t testing.TB) (network, machine *evidence.Subject) {
	t.Helper()
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	for v := range spec.NodeID(3) {
		topo.AddLink(spec.Link{From: v, To: (v + 1) % 3, VCs: 1})
	}
	n, err := routing.Compile(context.Background(), routing.Definition{Name: "ring", Topology: topo,
		Routing: routing.Named("ahead", routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			if v := topo.Head(at); v != h.Dest {
				return append(dst, spec.Hop{Channel: spec.ChannelID(v)})
			}
			return append(dst, spec.Hop{Channel: spec.Eject})
		}))}, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := evidence.OfProgram(toggle())
	if err != nil {
		t.Fatal(err)
	}
	return evidence.OfNetwork(n), m
}

func toggle() *program.Program {
	p := program.New("toggle")
	x := p.Var("x", 3, "off", "on", "broken")
	p.Rule("toggle", program.Lt(x, 2), program.Set(x, program.Sub(1, x)))
	p.Invariant("not broken", program.Ne(x, 2))
	p.Response("goes off", program.Eq(x, 1))
	p.Response("breaks", program.Ne(x, 2)) // which it never does
	return p
}

// texts are evidence about both, some of it correct.
func texts(t testing.TB) []string {
	t.Helper()
	network, machine := subjects(t)
	n := network.Network
	traffic, err := states.NewTraffic(n, spec.Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	site := func(c spec.ChannelID, d spec.NodeID) spec.Site {
		return spec.Site{Channel: c, Header: spec.Header{Dest: d}}
	}
	var all []string
	for _, write := range []func(io.Writer) error{
		func(w io.Writer) error {
			return write.Certificate(w, &proofs.Certificate{Network: n.Digest(), Property: spec.LivelockFreedom,
				Kind: proofs.Measure, Measure: []int32{1, 0, 0, 1, 1, 0}})
		},
		func(w io.Writer) error {
			return write.ClosedSet(w, &machines.ClosedSet{Machine: "toggle", Property: "not broken", States: [][]uint64{{0}, {1}}})
		},
		func(w io.Writer) error {
			return write.ClosedSet(w, &machines.ClosedSet{Machine: traffic.Name(), Property: "deadlock-freedom", States: [][]uint64{{0}, {1}, {2}}})
		},
		func(w io.Writer) error {
			return write.Ranking(w, &machines.Ranking{
				ClosedSet: machines.ClosedSet{Machine: "toggle", Property: "goes off", States: [][]uint64{{0}, {1}}},
				Levels:    [][]machines.Level{{{Rank: 0, Helpful: machines.NoAction}}, {{Rank: 1, Helpful: 0}}}})
		},
		func(w io.Writer) error {
			c := &machines.Count{Machine: "toggle", Property: "not broken", States: 2, Transitions: 2}
			c.Digest.Add([]uint64{0})
			c.Digest.Add([]uint64{1})
			return write.Count(w, c)
		},
		func(w io.Writer) error {
			return write.Run(w, machine.Machine, &runs.Run{Machine: "toggle", Property: "goes off", Fault: runs.Unanswered,
				Steps: []runs.Taken{{Action: states.Action{Name: "toggle"}}}, Back: 1})
		},
		func(w io.Writer) error {
			return write.Trace(w, n, &counterexamples.Trace{Network: n.Digest(), Fault: counterexamples.Deadlock, Stuck: []spec.ChannelID{0, 1, 2},
				Moves: []spec.Move{{From: spec.Injection(0), Header: spec.Header{Dest: 2}, Hop: spec.Hop{Channel: 0}}}})
		},
		func(w io.Writer) error {
			return write.Cycle(w, n, &answers.Cycle{Network: n.Digest(), Sites: []spec.Site{site(0, 2), site(1, 0), site(2, 1)}})
		},
		func(w io.Writer) error {
			return write.Regions(w, &answers.RegionSet{Network: n.Digest(), Regions: [][]spec.NodeID{{0, 1}}, Way: []spec.NodeID{1, 2}})
		},
		func(w io.Writer) error {
			return write.Unsatisfiability(w, &unsat.Proof{Network: n.Digest(),
				Steps: []unsat.Step{{List: []int32{0, 1, 2}}, {Clause: true, List: []int32{1, 3}}}})
		},
		func(w io.Writer) error {
			return write.Addresses(w, &addresses.Table{Bits: 2, Boards: 1, Ports: 1, Cases: []int8{1, -1, -1},
				Registers: []addresses.Register{{Mask: 2, Lower: 2, Upper: 2}}, Areas: []addresses.Area{{First: 2, Last: 3, LocalLast: 3}}})
		},
		func(w io.Writer) error {
			return write.Bubbles(w, &bubbles.Certificate{Network: n.Digest(), Levels: []int32{0, 0, 0},
				Sets: []bubbles.Set{{Channels: []spec.ChannelID{0, 1, 2}, Free: 1}}})
		},
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		all = append(all, b.String())
	}
	return all
}

// TestCheck: which texts are evidence, and about which subjects.
func TestCheck(t *testing.T) {
	network, machine := subjects(t)
	for i, want := range []struct{ network, machine, table string }{
		{"livelock freedom holds (measure)", "is about a network, not about toggle", "is about a network, not about nothing"},
		{"want traffic of the network", "not broken holds (closed set of 2 states)", "is about a machine, not about nothing"},
		{"lacks the state", "another machine", "is about a machine, not about nothing"},
		{"want traffic of the network", "goes off holds (ranking of 2 states)", "is about a machine, not about nothing"},
		{"want traffic of the network", "not broken holds (2 states visited again)", "is about a machine, not about nothing"},
		{"want traffic of the network", "stays enabled after step 1 and is never taken", "is about a machine, not about nothing"},
		{"c: ", "is about a network, not about toggle", "is about a network, not about nothing"},
		{"acyclic violated (cycle of 3 dependencies)", "is about a network, not about toggle", "is about a network, not about nothing"},
		{"regions violated (way of 1 hops)", "is about a network, not about toggle", "is about a network, not about nothing"},
		{"the clause does not follow", "is about a network, not about toggle", "is about a network, not about nothing"},
		{"is about nothing else", "is about nothing else", "addresses holds (2 cases"},
		{"may leave only 0 of 1 free places", "is about a network, not about toggle", "is about a network, not about nothing"},
	} {
		text := []byte(texts(t)[i])
		say := func(s evidence.Shown, err error) string {
			if err != nil {
				return err.Error()
			}
			return s.String()
		}
		opt := evidence.Options{Recount: true}
		for subject, tt := range map[string]struct{ got, want string }{
			"network": {say(network.Check(context.Background(), "c", text, opt)), want.network},
			"machine": {say(machine.Check(context.Background(), "c", text, opt)), want.machine},
			"itself":  {say((&evidence.Subject{}).Check(context.Background(), "c", text, opt)), want.table},
		} {
			if !strings.Contains(tt.got, tt.want) {
				t.Errorf("text %d, %s: %q, want %q", i, subject, tt.got, tt.want)
			}
		}
	}
}

// broken is a machine that panics at a step.
type broken struct{ states.Machine }

func (broken) AppendSuccessors([]uint64, []uint64) ([]uint64, error) { panic("a fault of ours") }

// TestOneCountAfterAnother: that all states were visited for a correct count says
// nothing about a wrong one.
func TestOneCountAfterAnother(t *testing.T) {
	_, machine := subjects(t)
	right := texts(t)[4]
	for _, tt := range []struct{ text, want string }{
		{right, ""},
		{strings.Replace(right, "states 2\n", "states 3\n", 1), "2 states are reachable, not 3"},
		{right, ""},
		{strings.Replace(right, "transitions 2\n", "transitions 3\n", 1), "there are 2 steps, not 3"},
	} {
		_, err := machine.Check(t.Context(), "c", []byte(tt.text), evidence.Options{Recount: true})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}

// TestCountsOfAll: a correct count of states shows no property that one of them lacks,
// whatever was shown of the same states before. A clock stops at 2; where each node of the
// ring sends two hops ahead, all may wait for each other, and no packet is lost.
func TestCountsOfAll(t *testing.T) {
	p := program.New("clock")
	x := p.Var("x", 4)
	p.Rule("tick", program.Lt(x, 2), program.Set(x, program.Add(x, 1)))
	p.Invariant("below 2", program.Lt(x, 2))
	p.Invariant("below 3", program.Lt(x, 3))
	clock, err := evidence.OfProgram(p)
	if err != nil {
		t.Fatal(err)
	}
	ring, _ := subjects(t)
	traffic, err := states.NewTraffic(ring.Network, spec.Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		of   *evidence.Subject
		m    states.Machine
		want [][2]string // property and why it is refused, "" if it holds
	}{
		{clock, clock.Machine, [][2]string{{"below 3", ""}, {"below 2", `"below 2" is violated`},
			{"deadlock-freedom", "no step is possible"}, {"below 3", ""}}},
		{ring, traffic, [][2]string{{"delivery", ""}, {"deadlock-freedom", "is stuck"}, {"delivery", ""}}},
	} {
		g := spaceOf(tt.m, tt.m.Start(nil), 10_000)
		c := &machines.Count{Machine: tt.m.Name(), States: int64(len(g.states))}
		for i, s := range g.states {
			c.Digest.Add(s)
			c.Transitions += int64(len(g.next[i]))
		}
		for _, want := range tt.want {
			c.Property = want[0]
			var text bytes.Buffer
			if err := write.Count(&text, c); err != nil {
				t.Fatal(err)
			}
			_, err := tt.of.Check(t.Context(), "c", text.Bytes(), evidence.Options{Recount: true})
			if (err == nil) != (want[1] == "") || err != nil && !strings.Contains(err.Error(), want[1]) {
				t.Errorf("%s, %s: %v, want %q", c.Machine, c.Property, err, want[1])
			}
		}
	}
}

// TestPanics: if a machine panics, whichever check takes its steps says so, and only on
// the caller's goroutine.
func TestPanics(t *testing.T) {
	_, machine := subjects(t)
	machine.Machine = struct {
		broken
		states.Claimer
	}{broken{machine.Machine}, machine.Machine.(states.Claimer)}
	tried := 0
	for _, text := range texts(t) {
		_, err := machine.Check(t.Context(), "f", []byte(text), evidence.Options{Recount: true})
		if fault := new(evidence.PanicError); errors.As(err, &fault) {
			tried++
			if err.Error() != "f: the check failed: a fault of ours" || !bytes.Contains(fault.Stack, []byte("goroutine")) {
				t.Errorf("%v\n%s", err, fault.Stack)
			}
		}
	}
	if want := 4; tried != want { // a closed set, a ranking, a count and a run
		t.Errorf("%d checks took a step, want %d", tried, want)
	}
}

// TestLongRun: a run costs time in proportion to its length, even if its states are
// large: none of those that it passes is kept. 300,000 places of two bits in three
// channels are some 75 kB a state.
func TestLongRun(t *testing.T) {
	def := routing.FromNetwork(networks(t)[0])
	def.Buffer = 100_000
	n := routingtest.Compile(t, def)
	m, err := states.NewTraffic(n, spec.Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	inject := m.Action(m.Start(nil), 0)
	for _, v := range m.Claims().Responses {
		text := fmt.Sprintf("unknot-machine-trace 2\nmachine %q\nproperty %q\nfault unanswered\nstart 0\nback 1\n%send\n", m.Name(), v.Name,
			strings.Repeat(fmt.Sprintf("step %d 0 %q\n", inject.Number, inject.Name), 300))
		var got error
		costtest.Within(t, len(text), func() {
			_, got = evidence.OfNetwork(n).Check(t.Context(), "f", []byte(text), evidence.Options{})
		})
		if want := "does not come back|is not pending after step 1"; got == nil || !regexp.MustCompile(want).MatchString(got.Error()) {
			t.Errorf("%s: %v, want %s", v.Name, got, want)
		}
	}
}

// TestKinds: evidence of every kind is read back, for its subject, as what was written,
// and no two kinds have names that could be confused.
func TestKinds(t *testing.T) {
	network, machine := subjects(t)
	kinds := map[string]bool{}
	for i, text := range texts(t) {
		var e evidence.Evidence
		for _, s := range []*evidence.Subject{network, machine, {}} {
			if read, err := s.Read("c", []byte(text)); err == nil {
				e = read
			}
		}
		var again strings.Builder
		if e == nil || write.Evidence(&again, e) != nil || again.String() != text {
			t.Fatalf("text %d was read as\n%s\nfor\n%s", i, &again, text)
		}
		kinds[e.Kind()] = true
	}
	if want := len(texts(t)) - 1; len(kinds) != want { // two are closed sets
		t.Errorf("%d kinds, want %d: %v", len(kinds), want, kinds)
	}
}
