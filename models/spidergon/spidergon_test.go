package spidergon_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models/graph/censustest"
	"github.com/seed-105a2da2/unknot/models/spidergon"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

func compile(t testing.TB, nodes, vcs int) *spec.Network {
	t.Helper()
	return routingtest.Network(t)(spidergon.New(nodes, vcs))
}

// On one VC the answer depends on node and destination alone: N(N-1) legal
// pairs on 3N channels. From N = 6 on, an across channel is followed by both
// ring channels; from N = 8 on, a ring channel by the next. Which closes the
// ring: N = 4 and 6 are free, larger ones are not.
func TestOneVC(t *testing.T) {
	for nodes := 4; nodes <= 24; nodes += 2 {
		want := censustest.Census{Channels: 3 * nodes, Edges: 4 * nodes, Sites: nodes * (nodes - 1)}
		switch nodes {
		case 4:
			want.Edges, want.Acyclic = 0, true
		case 6:
			want.Edges, want.Acyclic = 2*nodes, true
		}
		if diff := cmp.Diff(want, censustest.Count(compile(t, nodes, 1))); diff != "" {
			t.Errorf("%d nodes (-want +got):\n%s", nodes, diff)
		}
	}
}

// The dateline adds no site and frees every size.
func TestTwoVCs(t *testing.T) {
	for nodes := 4; nodes <= 24; nodes += 2 {
		got := censustest.Count(compile(t, nodes, 2))
		if !got.Acyclic || got.Sites != nodes*(nodes-1) {
			t.Errorf("%d nodes: acyclic %t with %d sites, want true with %d", nodes, got.Acyclic, got.Sites, nodes*(nodes-1))
		}
	}
}

// Every packet arrives, across at most once and first, then at most a quarter
// of the ring.
func TestAcrossFirst(t *testing.T) {
	for _, nodes := range []int{4, 6, 8, 14, 16} {
		for vcs := 1; vcs <= 2; vcs++ {
			n := compile(t, nodes, vcs)
			if err := errors.Join(censustest.Undelivered(n), censustest.Unexplained(n)); err != nil {
				t.Errorf("%d nodes, %d VCs: %v", nodes, vcs, err)
			}
			if n.FlowCount() != nodes*(nodes-1) {
				t.Errorf("%d nodes, %d VCs: %d flows", nodes, vcs, n.FlowCount())
			}
			for dest := 1; dest < nodes; dest++ {
				ports := route(t, n, 0, spec.NodeID(dest))
				across, ring := 0, len(ports)
				for i, p := range ports {
					if p == "across" {
						across++
						ring--
						if i > 0 {
							t.Errorf("%d nodes: from 0 to %d by %v: across must come first", nodes, dest, ports)
						}
					}
				}
				if across > 1 || 4*ring > nodes {
					t.Errorf("%d nodes: from 0 to %d by %v: too long", nodes, dest, ports)
				}
			}
		}
	}
}

// TestDateline: with two VCs a packet on the ring is on VC 0 as long as it has
// the link between the last node and node 0 still before it, on that link too,
// and on VC 1 otherwise.
func TestDateline(t *testing.T) {
	for _, nodes := range []int{6, 8, 12, 18} {
		n := compile(t, nodes, 2)
		top := n.Topology()
		seen := [2]int{}
		err := routing.Sites(n, func(s spec.Site, _ []spec.Hop) error {
			if s.Channel.IsInjection() || top.Link(top.LinkOf(s.Channel)).Out == "across" {
				return nil
			}
			step := nodes - 1
			if top.Link(top.LinkOf(s.Channel)).Out == "clockwise" {
				step = 1
			}
			want := 1
			for v := int(top.Tail(s.Channel)); v != int(s.Header.Dest); v = (v + step) % nodes {
				if next := (v + step) % nodes; v+next == nodes-1 && min(v, next) == 0 {
					want = 0
				}
			}
			seen[want]++
			if got := top.VC(s.Channel); got != want {
				t.Errorf("%d nodes: a packet for %d in %s, want VC %d", nodes, s.Header.Dest, top.ChannelName(s.Channel), want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if seen[0] == 0 || seen[1] == 0 {
			t.Errorf("%d nodes: sites by VC %v, want both used", nodes, seen)
		}
	}
}

// route follows the one packet from src to dest and returns the ports it takes.
func route(t *testing.T, n *spec.Network, src, dest spec.NodeID) []string {
	t.Helper()
	var ports []string
	at := spec.Injection(src)
	for range n.Topology().Nodes() {
		hops, ok := n.Hops(spec.Site{Channel: at, Header: spec.Header{Dest: dest}})
		if !ok || len(hops) != 1 {
			t.Fatalf("%d hops at %s", len(hops), n.Topology().ChannelName(at))
		}
		if hops[0].Channel == spec.Eject {
			return ports
		}
		at = hops[0].Channel
		ports = append(ports, n.Topology().Link(n.Topology().LinkOf(at)).Out)
	}
	t.Fatalf("from %d to %d: no end after %v", src, dest, ports)
	return nil
}

func TestNewRefuses(t *testing.T) {
	for _, tt := range []struct {
		nodes, vcs int
		want       string
	}{
		{2, 1, "a Spidergon of 2 nodes: want an even number from 4 to 16384"},
		{7, 1, "a Spidergon of 7 nodes: want an even number from 4 to 16384"},
		{100000, 1, "a Spidergon of 100000 nodes: want an even number from 4 to 16384"},
		{8, 3, "a Spidergon with 3 VCs: want 1 or 2"},
	} {
		got := ""
		if _, err := spidergon.New(tt.nodes, tt.vcs); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
