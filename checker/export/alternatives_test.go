package export_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/export"
	"github.com/seed-105a2da2/unknot/checker/export/enginetest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestEnginesKnowAlternatives has SPIN, Rumur and the host of LTSmin's models count the states of three nodes that send
// either way around, as a hash decides: the states, steps and weak deadlocks that the exploration of the network counts,
// which knows nothing of the program.
func TestEnginesKnowAlternatives(t *testing.T) {
	const links = `n = [node() for _ in range(3)]
up = [link(n[i], n[(i + 1) % 3]) for i in range(3)]
down = [link(n[i], n[(i + 2) % 3]) for i in range(3)]
`
	const plain = `network(name = "n", switching = "store-and-forward")` + "\n" + links +
		"flows(lambda s, d, c: d.id == (s.id + 1) % 3)\ndef route(at, to):\n"
	const asks = `network(name = "n", switching = "store-and-forward", classes = ["req", "rsp"])` + "\n" + links +
		"replies(\"req\", \"rsp\", buffer = 1)\nflows(lambda s, d, c: c == 0 and s.id < 2 and d.id == 2)\ndef route(at, to):\n" +
		"    if not at.injecting:\n        return [hop(up[at.node.id] if at.link in up else down[at.node.id])]\n"
	for i, tt := range []struct {
		name, text string
		deadlocks  bool // in which nothing moves
	}{
		// Two packets that turn back, each in the channel that the other must take.
		{"hashed", plain + "    return oblivious([hop(up[at.node.id]), hop(down[at.node.id])])\n", true},
		// The first packet of every channel may go.
		{"dropped", plain + "    return oblivious([[hop(up[at.node.id]), discard()], [hop(down[at.node.id]), discard()]])\n", false},
		// Node 2 answers 0 and 1 through the channels that more requests fill.
		{"asks", asks + "    return oblivious([hop(up[at.node.id]), hop(down[at.node.id])])\n", true},
	} {
		if !seedtest.Sampled(i, 3) {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := star.Load(t.Context(), "n.star", []byte(tt.text), star.Options{})
			if err != nil {
				t.Fatal(err)
			}
			n := routingtest.Compile(t, f.Definition)
			r, err := checker.Check(t.Context(), n, checker.Question{
				Properties: []string{spec.DeadlockFreedom.String()}, Explore: checker.Whole, Workers: 1,
			})
			if err != nil {
				t.Fatal(err)
			}
			p, err := export.Network(n, spec.Scenario{})
			if err != nil {
				t.Fatal(err)
			}
			s := r.Space
			if (s.Weak > 0) != tt.deadlocks {
				t.Errorf("%d weak deadlocks, want some: %v", s.Weak, tt.deadlocks)
			}
			enginetest.Compare(t, p, enginetest.Counts{
				States: int(s.States), Transitions: int(s.Transitions), Broken: int(s.Weak),
			})
		})
	}
}
