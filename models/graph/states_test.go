package graph_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models/graph"
	"github.com/seed-105a2da2/unknot/models/graph/census"
	"github.com/seed-105a2da2/unknot/spec"
)

// states counts what the reference machine of spec can reach.
type states struct {
	States, Transitions int
	Global              int // nothing can move, not even an injection
	Weak                int // nothing in flight can move
	Local               int // some packet can never move again
}

func explore(t testing.TB, n *spec.Network) states {
	t.Helper()
	key := func(s spec.State) string {
		var b []byte
		for _, packets := range s {
			for _, h := range packets {
				b = append(b, byte(h.Dest)+1, byte(h.Tag))
			}
			b = append(b, 0)
		}
		return string(b)
	}
	queue := []spec.State{n.EmptyState()}
	seen := map[string]bool{key(queue[0]): true}
	var c states
	for i := 0; i < len(queue); i++ {
		s := queue[i]
		queue[i] = nil
		inFlight := slices.ContainsFunc(s, func(p []spec.Header) bool { return len(p) > 0 })
		moves := n.Moves(s)
		c.Transitions += len(moves)
		if inFlight && len(moves) == 0 {
			c.Global++
		}
		if inFlight && !slices.ContainsFunc(moves, func(m spec.Move) bool { return !m.From.IsInjection() }) {
			c.Weak++
		}
		if hasStuck(n, s) {
			c.Local++
		}
		for _, m := range moves {
			next, err := n.Step(s, m)
			if err != nil {
				t.Fatal(err)
			}
			if k := key(next); !seen[k] {
				seen[k] = true
				queue = append(queue, next)
			}
		}
	}
	c.States = len(queue)
	return c
}

// hasStuck takes away channels whose packet may go where there is or will be
// room; packets left wait for each other for ever. With one packet a channel.
func hasStuck(n *spec.Network, s spec.State) bool {
	stuck := make([]bool, len(s))
	left := 0
	for c, packets := range s {
		if stuck[c] = len(packets) > 0; stuck[c] {
			left++
		}
	}
	for changed := true; changed; {
		changed = false
		for c := range s {
			if !stuck[c] {
				continue
			}
			hops, _ := n.Hops(spec.Site{Channel: spec.ChannelID(c), Header: s[c][0]})
			if slices.ContainsFunc(hops, func(h spec.Hop) bool { return h.Channel == spec.Eject || !stuck[h.Channel] }) {
				stuck[c], changed = false, true
				left--
			}
		}
	}
	return left > 0
}

// The packet switching networks and the ring with terminals, with all three
// notions of deadlock; figures computed independently of this project.
func TestStatesOfPacketSwitching(t *testing.T) {
	ring := func(m []int) (spec.Definition, error) { return graph.OneWayRing(4, m) }
	for _, tt := range []struct {
		name      string
		build     func([]int) (spec.Definition, error)
		terminals []int
		want      states
	}{
		{"4-ring", ring, []int{1, 2, 3}, states{81, 288, 2, 2, 2}},
		{"17 nodes", graph.PacketSwitching, []int{2, 4, 6}, states{3888, 18792, 4, 6, 48}},
		{"17 nodes", graph.PacketSwitching, []int{1, 3, 5}, states{31104, 196992, 0, 0, 0}},
		{"17 nodes", graph.PacketSwitching, []int{11, 12, 13}, states{729, 2916, 8, 8, 8}},
		{"17 nodes", graph.PacketSwitching, []int{11, 12, 13, 15}, states{12288, 75264, 0, 72, 288}},
	} {
		n := compile(t)(tt.build(tt.terminals))
		if diff := cmp.Diff(tt.want, explore(t, n)); diff != "" {
			t.Errorf("%s, terminals %v (-want +got):\n%s", tt.name, tt.terminals, diff)
		}
		m := len(tt.terminals)
		if n.FlowCount() != m*(m-1) {
			t.Errorf("%s, terminals %v: %d flows, want %d", tt.name, tt.terminals, n.FlowCount(), m*(m-1))
		}
		if err := errors.Join(census.Undelivered(n), census.Unexplained(n)); err != nil {
			t.Errorf("%s, terminals %v: %v", tt.name, tt.terminals, err)
		}
	}
}

// TestUniqueShortestWays: as the packet switching networks were published, the
// next hop of every packet is unique.
func TestUniqueShortestWays(t *testing.T) {
	all := make([]int, 17)
	for i := range all {
		all[i] = i + 1
	}
	n := compile(t)(graph.PacketSwitching(all))
	err := n.Sites(func(s spec.Site, hops []spec.Hop) error {
		if len(hops) != 1 {
			t.Errorf("%d hops at %s for node %d", len(hops), n.Topology().ChannelName(s.Channel), s.Header.Dest+1)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The complete graph of 3 with at most one detour: with one VC 729 states, of
// which 3 are weak deadlocks; with two 46,656 and none. Sites with 1 VC: each
// of the 6 channels for 2 destinations. With 2: on VC 0 both, on VC 1 only those
// that arrive.
func TestDetour(t *testing.T) {
	for _, tt := range []struct {
		vcs    int
		states int
		weak   int
		want   census.Census
	}{
		{1, 729, 3, census.Census{Channels: 6, Edges: 6, Sites: 12}},
		{2, 46656, 0, census.Census{Channels: 12, Edges: 6, Sites: 18, Acyclic: true}},
	} {
		n := compile(t)(graph.Detour(3, tt.vcs))
		if diff := cmp.Diff(tt.want, census.Count(n)); diff != "" {
			t.Errorf("%d VCs (-want +got):\n%s", tt.vcs, diff)
		}
		if got := explore(t, n); got.States != tt.states || got.Weak != tt.weak {
			t.Errorf("%d VCs: %d states, %d weak deadlocks; want %d and %d", tt.vcs, got.States, got.Weak, tt.states, tt.weak)
		}
		wantAllPairs(t, n.Name(), n)
	}
}
