package runs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestStandingStillIsNoDeadlock: with traffic of one packet the ring is empty once
// it has arrived, and then nothing moves; the packet has not waited for anything.
func TestStandingStillIsNoDeadlock(t *testing.T) {
	traffic, err := states.NewTraffic(ring(t), spec.Scenario{Packets: 1})
	if err != nil {
		t.Fatal(err)
	}
	run := &runs.Run{Machine: traffic.Name(), Property: "deadlock", Fault: runs.Halt}
	s := traffic.Start(nil)
	for {
		next, err := traffic.Next(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		if len(next) == 0 {
			break
		}
		run.Steps = append(run.Steps, runs.TakenBy(traffic, s, 0))
		s = next[:traffic.Layout().Words()]
	}
	if len(run.Steps) < 3 { // in, over a link or two, out
		t.Errorf("the packet takes %d steps", len(run.Steps))
	}
	err = runs.Replay(t.Context(), traffic, traffic.Claims(), run)
	if err == nil || !strings.Contains(err.Error(), "need not be stuck") {
		t.Errorf("a halt of a network: %v", err)
	}
	run.Start = int(^uint(0) >> 1) // so that the next number is negative
	if err := runs.Replay(t.Context(), traffic, traffic.Claims(), run); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("the largest initial state: %v", err)
	}
}

// TestLoops: three fair steps lead round through 0, 1 and 2. What waits for 3 waits
// for ever; what waits at 0 is answered; and no part of the loop is one.
func TestLoops(t *testing.T) {
	p := program.New("three")
	x := p.Var("x", 3)
	for i := range 3 {
		p.Rule(fmt.Sprint(i), program.Eq(x, i), program.Set(x, (i+1)%3))
	}
	p.Response("three", program.Lt(x, 3))
	p.Response("not zero", program.Eq(x, 0))
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		property    string
		steps, back int
		want        string
	}{
		{"three", 3, 0, ""}, {"three", 5, 2, ""}, {"three", 6, 0, ""},
		{"three", 2, 0, "does not come back"}, {"three", 5, 1, "does not come back"},
		{"three", 3, 3, "stays enabled after step 3"}, {"three", 0, 0, "stays enabled after step 0"},
		{"three", 3, 4, "want 0 to 3"}, {"three", 3, -1, "want 0 to 3"},
		{"not zero", 3, 0, "is not pending after step 1"}, {"not zero", 3, 2, "is not pending after step 2"},
		{"zero", 3, 0, "no response"},
	} {
		r := &runs.Run{Machine: m.Name(), Property: tt.property, Fault: runs.Unanswered, Back: tt.back}
		for i := range tt.steps {
			r.Steps = append(r.Steps, runs.Taken{Action: states.Action{Number: i % 3, Name: fmt.Sprint(i % 3)}})
		}
		if got := fmt.Sprint(runs.Replay(t.Context(), m, m.Claims(), r)); tt.want == "" && got != "<nil>" || !strings.Contains(got, tt.want) {
			t.Errorf("%q, %d steps, back to %d: %s, want %q", tt.property, tt.steps, tt.back, got, tt.want)
		}
	}
}

// TestNamesOfTraffic: a machine's name says all there is to know to make it again,
// single packets included; what is not written so is refused.
func TestNamesOfTraffic(t *testing.T) {
	n := ring(t)
	flow := func(from, to spec.NodeID) spec.Flow { return spec.Flow{Source: from, Target: spec.Target{Dest: to}} }
	for _, sc := range []spec.Scenario{{}, {Packets: 2}, {Sink: 1, Once: []spec.Flow{flow(1, 0), flow(0, 1), flow(1, 0)}}, {Once: []spec.Flow{flow(0, 2)}}} {
		m, err := states.NewTraffic(n, sc)
		if err != nil {
			t.Fatal(err)
		}
		again, err := states.TrafficNamed(n, m.Name())
		if err != nil || again.Name() != m.Name() || again.Layout().Words() != m.Layout().Words() {
			t.Errorf("%s: %v", m.Name(), err)
		}
	}
	for _, text := range []string{"once 1", "once 2 0,1,0", "once 1 0,1", "once 1 0,1,-1", "once 1 0,9,0", "once 2 1,0,0 0,2,0 ", "once 2 0,2,0 0,1,0", "once 0", "once 1 00,1,0"} {
		if m, err := states.TrafficNamed(n, n.Digest().String()+" under "+text); err == nil {
			t.Errorf("%q is read as %s", text, m.Name())
		}
	}
}

// TestTextAfterTheEnd: also a line that is longer than the reader takes is refused.
func TestTextAfterTheEnd(t *testing.T) {
	const text = "unknot-run 2\nmachine \"m\"\nproperty \"p\"\nfault halt\nstart 0\nend\n"
	if _, err := runs.Read("f", strings.NewReader(text)); err != nil {
		t.Error(err)
	}
	for name, more := range map[string]string{"a line": "end\n", "a very long line": strings.Repeat("x", 1<<24+1)} {
		if _, err := runs.Read("f", strings.NewReader(text+more)); err == nil || !strings.Contains(err.Error(), "text after the end") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// ring is a one-way ring of three nodes.
func ring(t *testing.T) *spec.Network {
	t.Helper()
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	for i := range spec.NodeID(3) {
		topo.AddLink(spec.Link{From: i, To: (i + 1) % 3, VCs: 1})
	}
	next := routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
		return append(dst, spec.Hop{Channel: spec.ChannelID(topo.Head(at))})
	})
	n, err := routing.Compile(t.Context(), routing.Definition{Name: "ring", Topology: topo, Routing: routing.Deliver(topo, next)}, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
