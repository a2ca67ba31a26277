package star_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec/star"
)

// TestStep: who takes a step, and what it sends and receives, in order; a choice is that of
// the rule of the program, here to lose a message.
func TestStep(t *testing.T) {
	p := machine(t, `machine(name = "m")
nodes = processes("node", 2)
fifo("net", record(kind = ["get", "put"], to = nodes), size = 2, over = nodes, lossy = True)
fifo("back", ["a", "b"], size = 2, init = ["b"])
def go(s, i):
    s.net[1 - i].push(kind = "put", to = 1 - i)
def turn(s, i):
    m = s.net[i].pop()
    s.back.push("a")
    s.back.pop()
def all_out(s):
    s.back.clear()
rule("{} goes", go, over = nodes)
rule("{} turns", turn, over = nodes, by = "turner {}")
rule("clear", all_out)
`, nil)
	from := star.SourceOf(p)
	want := map[string]string{
		"0 goes":  `node 0 [{net[1] true 1 0 false put 1}]node 0 [{net[1] true 0 0 false put 1}]`,
		"1 turns": `turner 1 [{net[1] false 0 0 false put 1} {back true 1 0 false a} {back false 0 0 false b}]`,
		"clear":   `clear [{back false 0 0 true }]`,
	}
	got := map[string]string{}
	state := p.Start()
	for x, v := range p.Variables { // a message waits for node 1
		switch v.Name {
		case "net[1].0.kind", "net[1].0.to": // after the number for a free place
			state[x] = 2
		}
	}
	for k, r := range p.Rules {
		if _, wanted := want[r.Name]; wanted && r.Guard.Holds(state) {
			by, all := from.Step(k, state)
			got[r.Name] += fmt.Sprint(by, " ", all)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"back": 1, "net[1]": 1}, from.Waiting(state)); diff != "" {
		t.Errorf("waiting (-want +got):\n%s", diff)
	}
}
