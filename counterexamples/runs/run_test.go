package runs_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestStandingStillIsNoDeadlock: with traffic of one packet, the ring is empty once the
// packet has arrived, and then nothing moves; but no packet has waited for anything.
func TestStandingStillIsNoDeadlock(t *testing.T) {
	traffic, err := states.NewTraffic(routingtest.Compile(t, routingtest.OneWayRing(3, 1)), spec.Scenario{Packets: 1})
	if err != nil {
		t.Fatal(err)
	}
	run := &runs.Run{Machine: traffic.Name(), Property: "deadlock-freedom", Fault: runs.Halt}
	s := traffic.Start(nil)
	for {
		next, err := traffic.AppendSuccessors(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		if len(next) == 0 {
			break
		}
		run.Steps = append(run.Steps, write.TakenBy(traffic, s, 0))
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

// TestReplay: at 0 the machine may stay, or go up to 1, whose only step leaves the
// range, or to 2, where nothing is possible. Each run has one fault.
func TestReplay(t *testing.T) {
	p := program.New("fork")
	x := p.Var("x", 3)
	p.Rule("stay", program.Eq(x, 0))
	p.Rule("up", program.Eq(x, 0), program.Set(x, 1))
	p.Rule("up", program.Eq(x, 0), program.Set(x, 2))
	p.Rule("over", program.Eq(x, 1), program.Set(x, program.Add(x, 2)))
	p.Invariant("not two", program.Ne(x, 2))
	p.Invariant("zero", program.Eq(x, 0))
	p.Response("two", program.Lt(x, 2))
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	const stay, up = 0, 1 // numbers of actions
	step := func(action, choice int) runs.Taken {
		return runs.Taken{Action: states.Action{Number: action, Name: p.Rules[action].Name}, Choice: choice}
	}
	for i, want := range []runs.Taken{step(stay, 0), step(up, 0), step(up, 1)} {
		if got := write.TakenBy(m, m.Start(nil), i); got != want {
			t.Errorf("step %d: %v, want %v", i, got, want)
		}
	}
	to1, to2 := []runs.Taken{step(up, 0)}, []runs.Taken{step(up, 1)}
	is := func(x uint64) states.Claims {
		return states.Claims{Final: func(s []uint64) bool { return s[0] == x }}
	}
	fair := func(action int) states.Claims { return states.Claims{Fair: func(a int) bool { return a == action }} }
	for _, tt := range []struct {
		name string
		run  *runs.Run
		more states.Claims // Final and Fair
		want string        // "" accepts
	}{
		{"none", nil, states.Claims{}, "no trace"},
		{"another machine", &runs.Run{Machine: "knife", Property: "zero", Fault: runs.Broken, Steps: to1}, states.Claims{}, "another machine"},
		{"a start below the first", &runs.Run{Property: "zero", Fault: runs.Broken, Steps: to1, Start: -1}, states.Claims{}, "initial state -1"},
		{"a start beyond the last", &runs.Run{Property: "zero", Fault: runs.Broken, Steps: to1, Start: 1}, states.Claims{}, "initial state 1"},
		{"no fault", &runs.Run{Property: "zero", Steps: to1}, states.Claims{}, `invalid fault ""`},

		{"broken", &runs.Run{Property: "zero", Fault: runs.Broken, Steps: to1}, states.Claims{}, ""},
		{"broken by a second choice", &runs.Run{Property: "not two", Fault: runs.Broken, Steps: to2}, states.Claims{}, ""},
		{"not broken by the first", &runs.Run{Property: "not two", Fault: runs.Broken, Steps: to1}, states.Claims{}, "holds at the end"},
		{"no such choice", &runs.Run{Property: "zero", Fault: runs.Broken, Steps: []runs.Taken{step(up, 2)}}, states.Claims{}, `"up" is not possible`},
		{"an action by another name",
			&runs.Run{Property: "zero", Fault: runs.Broken, Steps: []runs.Taken{{Action: states.Action{Number: up, Name: "down"}}}},
			states.Claims{}, `action 1 is "up", not "down"`},
		{"no such invariant", &runs.Run{Property: "one", Fault: runs.Broken, Steps: to1}, states.Claims{}, `no invariant "one"`},
		{"broken, with a loop", &runs.Run{Property: "zero", Fault: runs.Broken, Steps: to1, Back: 1}, states.Claims{}, "has a loop"},

		{"halt", &runs.Run{Property: "deadlock-freedom", Fault: runs.Halt, Steps: to2}, states.Claims{}, ""},
		{"halt that breaks something else", &runs.Run{Property: "not two", Fault: runs.Halt, Steps: to2}, states.Claims{}, "a halt is a deadlock"},
		{"halt where one may stay", &runs.Run{Property: "deadlock-freedom", Fault: runs.Halt}, states.Claims{}, `"stay" is still enabled`},
		{"halt where a step is refused", &runs.Run{Property: "deadlock-freedom", Fault: runs.Halt, Steps: to1}, states.Claims{}, "set to 3"},
		{"halt at the intended end", &runs.Run{Property: "deadlock-freedom", Fault: runs.Halt, Steps: to2}, is(2), "as intended"},
		{"halt, and the end is elsewhere", &runs.Run{Property: "deadlock-freedom", Fault: runs.Halt, Steps: to2}, is(1), ""},

		{"refused", &runs.Run{Property: states.InRange, Fault: runs.Refused, Steps: to1}, states.Claims{}, ""},
		{"refused, called a deadlock", &runs.Run{Property: "deadlock-freedom", Fault: runs.Refused, Steps: to1}, states.Claims{}, "a refused step violates"},
		{"refused where all is in range", &runs.Run{Property: states.InRange, Fault: runs.Refused, Steps: to2}, states.Claims{}, "stays in range"},

		{"stays, though it may go up",
			&runs.Run{Property: "two", Fault: runs.Unanswered, Steps: []runs.Taken{step(stay, 0)}}, states.Claims{},
			`"up" stays enabled after step 0`},
		{"stays, and going up is fair",
			&runs.Run{Property: "two", Fault: runs.Unanswered, Steps: []runs.Taken{step(stay, 0)}}, fair(up),
			`"up" stays enabled after step 0`},
		{"stays, and nothing else is fair", &runs.Run{Property: "two", Fault: runs.Unanswered, Steps: []runs.Taken{step(stay, 0)}}, fair(stay), ""},
		{"rests where a step is refused", &runs.Run{Property: "two", Fault: runs.Unanswered, Steps: to1, Back: 1}, states.Claims{}, "set to 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			claims := m.Claims()
			claims.Final, claims.Fair = tt.more.Final, tt.more.Fair
			if tt.run != nil && tt.run.Machine == "" {
				tt.run.Machine = "fork"
			}
			refusal(t, runs.Replay(t.Context(), m, claims, tt.run), tt.want)
		})
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	refusal(t, runs.Replay(ended, m, m.Claims(), &runs.Run{Machine: "fork", Property: "zero", Fault: runs.Broken, Steps: to1}), "context canceled")
}

// TestAnswered: what matters is which steps of a state answer, not where they lead. At
// 0, "ring" and "wait" change nothing, and "ring" may also lead to 1; "back" leads to
// 0.
func TestAnswered(t *testing.T) {
	p := program.New("bell")
	x := p.Var("x", 2)
	p.Rule("ring", program.Eq(x, 0))
	p.Rule("wait", program.Eq(x, 0))
	p.Rule("ring", program.Eq(x, 0), program.Set(x, 1))
	p.Rule("back", program.Eq(x, 1), program.Set(x, 0))
	p.Response("door", program.And())
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	ring, wait, go1, back := write.TakenBy(m, []uint64{0}, 0), write.TakenBy(m, []uint64{0}, 1),
		write.TakenBy(m, []uint64{0}, 2), write.TakenBy(m, []uint64{1}, 0)
	for _, tt := range []struct {
		steps  []runs.Taken
		answer int // the step of 0 that answers, -1: none
		want   string
	}{
		{[]runs.Taken{ring}, -1, ""},
		{[]runs.Taken{ring}, 0, `step 1 answers "door"`},
		{[]runs.Taken{wait}, 0, ""},
		{[]runs.Taken{go1, back}, 0, ""},
		{[]runs.Taken{go1, back}, 2, `step 1 answers "door"`},
	} {
		claims := m.Claims()
		claims.Fair = func(int) bool { return false }
		claims.Responses[0].Answered = func(s []uint64, i int, _ []uint64) bool { return s[0] == 0 && i == tt.answer }
		refusal(t, runs.Replay(t.Context(), m, claims, &runs.Run{Machine: "bell", Property: "door", Fault: runs.Unanswered, Steps: tt.steps}), tt.want)
	}
}

func refusal(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" && err != nil || !strings.Contains(fmt.Sprint(err), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

// TestStrongLoops: from 0 "on" leads to 1, and "off" or "out" lead back; "out" may also
// lead to 2. Going round by off is weakly fair to out, which is not possible in 0, but not
// strongly fair; going round by out is. If out is never possible, it need not be taken.
func TestStrongLoops(t *testing.T) {
	p := program.New("switch")
	x := p.Var("x", 3)
	p.Rule("on", program.Eq(x, 0), program.Set(x, 1))
	p.Rule("off", program.Eq(x, 1), program.Set(x, 0))
	p.Rule("out", program.Eq(x, 1), program.Set(x, 2))
	p.Rule("out", program.Eq(x, 1), program.Set(x, 0))
	p.Rule("wait", program.Eq(x, 0))
	p.Response("over", program.Lt(x, 2))
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	on, wait := write.TakenBy(m, []uint64{0}, 0), write.TakenBy(m, []uint64{0}, 1)
	off, out := write.TakenBy(m, []uint64{1}, 0), write.TakenBy(m, []uint64{1}, 2)
	for _, tt := range []struct {
		steps  []runs.Taken
		back   int
		strong []int
		want   string
	}{
		{[]runs.Taken{on, off}, 0, nil, ""},
		{[]runs.Taken{on, off}, 0, []int{2}, `not strongly fair: "out" is enabled again and again after step 0 and is never taken`},
		{[]runs.Taken{on, off, on, off}, 2, []int{2}, `not strongly fair: "out" is enabled again and again after step 2`},
		{[]runs.Taken{on, off, on, out}, 0, []int{2}, ""},
		{[]runs.Taken{on, out}, 0, []int{2}, ""},
		{[]runs.Taken{on, out}, 0, []int{2, 1}, `not strongly fair: "off"`},
		{[]runs.Taken{on, out}, 0, []int{2, 4}, `not strongly fair: "wait"`},
		{[]runs.Taken{on, out, wait}, 2, []int{2}, `not weakly fair: "on"`},
		{[]runs.Taken{on, out, wait, on, out}, 0, []int{0, 2, 4}, ""},
	} {
		claims := m.Claims()
		claims.Strong = map[int]bool{}
		for _, a := range tt.strong {
			claims.Strong[a] = true
		}
		refusal(t, runs.Replay(t.Context(), m, claims, &runs.Run{Machine: "switch", Property: "over",
			Fault: runs.Unanswered, Steps: tt.steps, Back: tt.back}), tt.want)
	}
}

// TestLoops: three fair steps lead round through 0, 1 and 2. What waits for 3 waits
// forever; what waits at 0 is answered; and no part of the loop is a loop.
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

// TestNamesOfTraffic: the name of a machine is enough to make it again, single packets
// included; a name written otherwise is refused.
func TestNamesOfTraffic(t *testing.T) {
	n := routingtest.Compile(t, routingtest.OneWayRing(3, 1))
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
	for _, text := range []string{"once 1", "once 2 0,1,0", "once 1 0,1", "once 1 0,1,-1", "once 1 0,9,0",
		"once 2 1,0,0 0,2,0 ", "once 2 0,2,0 0,1,0", "once 0", "once 1 00,1,0", "once 1 -1,0,0", "once 1 0,1,0x",
		"once 2147483648 0,1,0", "once 1 4294967296,1,0"} {
		if m, err := states.TrafficNamed(n, n.Digest().String()+" under "+text); err == nil {
			t.Errorf("%q is read as %s", text, m.Name())
		}
	}
}

// TestTextAfterTheEnd: text after the end is refused, even a line longer than the
// reader takes.
func TestTextAfterTheEnd(t *testing.T) {
	const text = "unknot-machine-trace 2\nmachine \"m\"\nproperty \"p\"\nfault halt\nstart 0\nend\n"
	if _, err := runs.Read("f", strings.NewReader(text)); err != nil {
		t.Error(err)
	}
	for name, more := range map[string]string{"a line": "end\n", "a very long line": strings.Repeat("x", 1<<24+1)} {
		if _, err := runs.Read("f", strings.NewReader(text+more)); err == nil || !strings.Contains(err.Error(), "text after the end") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestReadRefuses: each text has one wrong line.
func TestReadRefuses(t *testing.T) {
	const text = "unknot-machine-trace 2\nmachine \"m\"\nproperty \"p\"\nfault unanswered\nstart 0\nback 1\nstep 2 3 \"go\"\nstate x=1\nend\n"
	r, err := runs.Read("f", strings.NewReader(text))
	want := &runs.Run{Machine: "m", Property: "p", Fault: runs.Unanswered, Back: 1,
		Steps: []runs.Taken{{Action: states.Action{Number: 2, Name: "go"}, Choice: 3}}}
	if diff := cmp.Diff(want, r); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, tt := range []struct{ old, new, want string }{
		{"fault unanswered\nstart 0\nback 1", "fault knot\nstart 0", `f:4:7: invalid fault of a trace "knot"`},
		{"back 1\n", "", `want "back ..." here`},
		{"step 2", "stop 2", `want "step ACTION CHOICE NAME"`},
		{`3 "go"`, "3", `want "step ACTION CHOICE NAME"`},
		{"state", "stage", `want "step ACTION CHOICE NAME"`},
	} {
		_, err := runs.Read("f", strings.NewReader(strings.Replace(text, tt.old, tt.new, 1)))
		refusal(t, err, tt.want)
	}
}

// TestPastRefusal: no step out of a state counts if the machine refuses another step of
// that state. 0 -up-> 1 -up-> 2, where "back" is possible, and "up" leaves the range.
func TestPastRefusal(t *testing.T) {
	p := program.New("brink")
	x := p.Var("x", 3)
	p.Rule("back", program.Eq(x, 2), program.Set(x, 0))
	p.Rule("up", program.Lt(x, 3), program.Set(x, program.Add(x, 1)))
	p.Invariant("not zero", program.Ne(x, 0))
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	step := func(action int) runs.Taken {
		return runs.Taken{Action: states.Action{Number: action, Name: p.Rules[action].Name}}
	}
	r := &runs.Run{Machine: "brink", Property: "not zero", Fault: runs.Broken, Steps: []runs.Taken{step(1), step(1), step(0)}}
	refusal(t, runs.Replay(t.Context(), m, m.Claims(), r), "set to 3")
}
