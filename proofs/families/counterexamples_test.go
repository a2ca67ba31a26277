package families_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestTwoVCs: the deadlock that proofs/coq/CCCBTwo.v has for every n >= 3, with its ways from the sources, is one of the
// network that unknot checks with 2 VCs, and none of the network with 3.
func TestTwoVCs(t *testing.T) {
	for _, n := range []int{3, 4} {
		two := twoVCs(modeltest.Network(t, "cccb", map[string]string{"n": fmt.Sprint(n), "vcs": "2"}), n)
		if err := counterexamples.Replay(t.Context(), two.network, &two.Trace); err != nil {
			t.Errorf("n = %d: %v", n, err)
		}
		if len(two.Stuck) != n {
			t.Errorf("n = %d: %d channels are stuck", n, len(two.Stuck))
		}
		three := twoVCs(modeltest.Network(t, "cccb", map[string]string{"n": fmt.Sprint(n)}), n)
		err := counterexamples.Replay(t.Context(), three.network, &three.Trace)
		if err == nil || !strings.Contains(err.Error(), "may still take (") {
			t.Errorf("n = %d with 3 VCs: %v, want a packet that can move", n, err)
		}
	}
}

type followed struct {
	counterexamples.Trace
	network *spec.Network
}

// twoVCs sends the packets of CCCBTwo.v, one for each channel of the ring, as its lemmas way_astray to way_ring do.
func twoVCs(network *spec.Network, n int) followed {
	f := followed{network: network, Trace: counterexamples.Trace{
		Network: network.Digest(), Property: spec.DeadlockFreedom, Fault: counterexamples.Deadlock,
	}}
	t := network.Topology()
	node := func(x, z int) spec.NodeID { // with y = 0
		id, _ := t.NodeNamed(fmt.Sprintf("(%d,0,%d)", x, z))
		return id
	}
	for x := range n {
		from, path := node(n-1, 1<<x), []spec.NodeID{} // bit x of z is wrong
		if x == n-1 {
			from = node(n-1, 0)
		} else {
			for j := range x + 1 {
				path = append(path, node(j, 1<<x))
			}
			path = append(path, node(x, 0))
		}
		path = append(path, node((x+1)%n, 0))
		h := spec.Header{Dest: node((x+2)%n, 0)}
		at := spec.Injection(from)
		for _, to := range path {
			c := t.Channel(t.LinksBetween(t.Head(at), to)[0], 1)
			f.Moves = append(f.Moves, spec.Move{From: at, Header: h, Hop: spec.Hop{Channel: c}})
			at = c
		}
		f.Stuck = append(f.Stuck, at)
	}
	slices.Sort(f.Stuck)
	return f
}
