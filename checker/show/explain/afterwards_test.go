package explain_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// server has two clients: it serves the first one whenever it asks again, and may lose the request of the second. A loss is
// a trap: the second client waits for ever, while the first one goes on.
func server(t *testing.T) states.Machine {
	t.Helper()
	const text = `machine(name = "server")
var("first", bool)
var("second", bool)
var("request", bool)
def ask(s):
    when(not s.first)
    s.first = True
def serve(s):
    when(s.first, "nobody asks")
    s.first = False
def ask_second(s):
    when(not s.second)
    s.second = True
    s.request = True
def serve_second(s):
    when(s.second)
    when(not s.first, "the first is before it")
    when(s.request, "there is no request")
    s.second = False
    s.request = False
def lose(s):
    when(s.request)
    s.request = False
rule("ask", ask)
rule("serve", serve)
rule("ask for the second", ask_second)
rule("serve the second", serve_second)
rule("lose", lose, fair = False)
`
	f, err := star.Load(t.Context(), "server.star", []byte(text), star.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Program.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// run takes rules by name from the initial state.
func run(t *testing.T, m states.Machine, back int, rules ...string) (*runs.Run, []uint64) {
	t.Helper()
	words := m.Layout().Words()
	at := m.Start(nil)[:words]
	r := &runs.Run{Machine: m.Name(), Property: "p", Fault: runs.Falsified, Back: back}
	for _, name := range rules {
		next, err := m.AppendSuccessors(nil, at)
		if err != nil {
			t.Fatal(err)
		}
		k := 0
		for m.Action(at, k).Name != name {
			k++
		}
		r.Steps = append(r.Steps, runs.Taken{Action: m.Action(at, k)})
		at = next[k*words:][:words]
	}
	return r, at
}

// TestPassedOver: while the first client asks and is served again and again, the second can be served only in the state in
// which the first does not wait: it needs strong fairness. A loss is possible in both states and need not happen.
func TestPassedOver(t *testing.T) {
	m := server(t)
	r, _ := run(t, m, 1, "ask for the second", "ask", "serve")
	want := []string{
		"   serve the second: possible in 1 of 2 states of the loop, and never taken: only strong fairness forces it",
		"   lose: possible in 2 of 2 states of the loop, and never taken: it is declared unfair",
	}
	if diff := cmp.Diff(want, explain.PassedOver(m, r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r.Back = -1; explain.PassedOver(m, r) != nil {
		t.Error("rules are passed over in a loop that is none")
	}
}

// TestAfterwards: once the request is lost, two states are left, in which the first client waits or does not. Before the
// loss it takes that one step to get there.
func TestAfterwards(t *testing.T) {
	m := server(t)
	end := []string{
		"   in first=False, second=True, request=False",
		"   serve the second: server.star:18:5: there is no request, where request=False",
		"   ask for the second: server.star:12:14: s.second, where second=True",
		"   lose: server.star:22:10: s.request, where request=False",
	}
	_, at := run(t, m, -1, "ask for the second", "lose")
	if diff := cmp.Diff(append([]string{"   the machine never leaves 2 states:"}, end...), explain.Afterwards(m, at)); diff != "" {
		t.Errorf("after the loss (-want +got):\n%s", diff)
	}
	_, at = run(t, m, -1, "ask for the second")
	if diff := cmp.Diff(append([]string{"   after 1 more step, for example, the machine never leaves 2 states:",
		"   + lose, request: True -> False"}, end...), explain.Afterwards(m, at)); diff != "" {
		t.Errorf("before the loss (-want +got):\n%s", diff)
	}
}

// TestResting: a run that stays in its last state is told that state and what is refused there; one that goes round is not.
func TestResting(t *testing.T) {
	m := server(t)
	rests, _ := run(t, m, 3, "ask for the second", "lose", "ask")
	want := []string{
		"   it stays in first=True, second=True, request=False",
		`   ask: server.star:6:14: s.first, where first=True`,
		`   ask for the second: server.star:12:14: s.second, where second=True`,
		`   lose: server.star:22:10: s.request, where request=False`,
		`   serve the second: server.star:17:5: the first is before it, where first=True`, // lacks the request as well
	}
	if diff := cmp.Diff(want, explain.Resting(m, rests)); diff != "" {
		t.Errorf("it may rest: %s", diff)
	}
	round, _ := run(t, m, 0, "ask", "serve")
	if got := explain.Resting(m, round); got != nil {
		t.Errorf("it goes round: %q", got)
	}
}
