package star_test

import (
	"context"
	"slices"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// flood is a protocol in which everybody may send, and accepts what arrives, at any
// time.
const flood = `machine(name = "flood")
net = network_of("net.star")
def put(s, i, j, c):
    net.send(s, i, j, c)
def take(s, i):
    net.receive(s, i)
rule("send", put, over = [(i, j, c) for i in net.nodes for j in net.nodes for c in CLASSES if i != j])
rule("take", take, over = net.nodes)
`

// TestFlood: a protocol that floods a network has the states and steps of the network's own
// machine: with and without VCs, classes, tags, choices of hops, and several places in a
// channel.
func TestFlood(t *testing.T) {
	const ring = "at = [node() for _ in range(3)]\nfor i in range(3):\n    link(at[i], at[(i + 1) % 3])\n"
	for _, c := range []struct{ name, classes, net string }{
		{"a ring that deadlocks", `[""]`, ring + "def route(at, to):\n    return [hop(at.node.out[0])]\n"},
		{"two places", `[""]`, "network(buffer = 2)\n" + ring + "def route(at, to):\n    return [hop(at.node.out[0])]\n"},
		{"a dateline", `[""]`, "network(vcs = 2)\n" + ring + "def route(at, to):\n    return [hop(at.node.out[0], 0 if at.node.id > to.id else 1)]\n"},
		{"classes on one VC", `["q", "r"]`, "network(classes = [\"q\", \"r\"])\n" + ring + "def route(at, to):\n    return [hop(at.node.out[0])]\n"},
		{"any VC, counted hops", `["q", "r"]`, "network(classes = [\"q\", \"r\"], vcs = 2, tags = 2)\n" + ring +
			"def route(at, to):\n    return [hop(at.node.out[0], v, 1) for v in range(2) if at.cls == 0 or v == 1 or at.tag == 1]\n"},
		{"a mesh", `[""]`, "network(switching = \"wormhole\")\nat = {(x, y): node(at = (x, y)) for x in range(2) for y in range(2)}\n" +
			"for a in range(2):\n    both(at[0, a], at[1, a])\n    both(at[a, 0], at[a, 1])\n" +
			"def route(at, to):\n    x = at.node.at[0] if at.node.at[0] == to.at[0] else to.at[0]\n    return [hop(l) for l in at.node.out if l.dst.at == ((x, at.node.at[1]) if x != at.node.at[0] else to.at)]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := star.Load(context.Background(), "m.star", []byte("CLASSES = "+c.classes+"\n"+flood), star.Options{Open: folder{"net.star": c.net}.open})
			if err != nil {
				t.Fatal(err)
			}
			m, err := f.Program.Machine()
			if err != nil {
				t.Fatal(err)
			}
			n := compile(t, load(t, c.net, nil), 1)
			traffic, err := states.NewTraffic(n, spec.Scenario{})
			if err != nil {
				t.Fatal(err)
			}
			all, steps, stuck := reached(t, m)
			wantAll, wantSteps, wantStuck := reached(t, traffic)
			if all != wantAll || steps != wantSteps || stuck != wantStuck || all < 8 {
				t.Errorf("%d states, %d steps, %d without: of the network %d, %d, %d", all, steps, stuck, wantAll, wantSteps, wantStuck)
			}
		})
	}
}

// reached counts states, steps, and states without a step.
func reached(t *testing.T, m states.Machine) (all, steps, stuck int) {
	t.Helper()
	words := m.Layout().Words()
	seen := map[string]bool{}
	queue := slices.Collect(slices.Chunk(m.Start(nil), words))
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if key := m.Layout().Text(s); seen[key] {
			continue
		} else {
			seen[key] = true
		}
		next, err := m.AppendSuccessors(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		if len(next) == 0 {
			stuck++
		}
		steps += len(next) / words
		queue = slices.AppendSeq(queue, slices.Chunk(next, words))
	}
	return len(seen), steps, stuck
}
