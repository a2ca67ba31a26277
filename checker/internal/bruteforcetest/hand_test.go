package bruteforcetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestByHand: the second program is right where the answer is obvious.
func TestByHand(t *testing.T) {
	type answers struct{ Delivered, Loops, PacketsBlock, WormsBlock, PacketsStick, WormsStick bool }
	all := func(n *network, class int) { // every node sends to every other
		for from := range spec.NodeID(n.topo.Nodes()) {
			for to := range spec.NodeID(n.topo.Nodes()) {
				if from != to {
					n.flows = append(n.flows, flow{from, to, class})
				}
			}
		}
	}
	ask := func(n *network) {
		n.classes, n.replies = 2, []reply{{request: 0, reply: 1, places: 1}}
		all(n, 0)
	}
	for _, c := range []struct {
		name    string
		links   [][2]spec.NodeID
		vcs     int
		change  func(*network)
		want    answers
		because string
	}{
		{"ring", [][2]spec.NodeID{{0, 1}, {1, 2}, {2, 0}}, 1, func(n *network) { all(n, 0) },
			answers{true, false, true, true, true, true}, "three packets, each two hops from home"},
		{"ring, neighbours", [][2]spec.NodeID{{0, 1}, {1, 2}, {2, 0}}, 1, func(n *network) { n.flows = []flow{{0, 1, 0}, {1, 2, 0}, {2, 0, 0}} },
			answers{true, false, false, false, false, false}, "no packet waits for a channel"},
		{"ring, one sender", [][2]spec.NodeID{{0, 1}, {1, 2}, {2, 0}}, 1, func(n *network) { n.flows = []flow{{0, 2, 0}} },
			answers{true, false, false, false, false, false}, "the second channel leads home"},
		{"line", [][2]spec.NodeID{{0, 1}, {1, 0}, {1, 2}, {2, 1}}, 1, func(n *network) { all(n, 0) },
			answers{true, false, false, false, false, false}, "no turn leads back"},
		{"no way", [][2]spec.NodeID{{0, 1}, {1, 0}}, 1, func(n *network) {
			n.flows = []flow{{0, 1, 0}, {1, 0, 0}}
			n.route = func(question) [][]spec.Hop { return [][]spec.Hop{nil} }
		}, answers{}, "no packet has a first hop"},
		{"round and round", [][2]spec.NodeID{{0, 1}, {1, 2}, {2, 0}, {0, 3}}, 1, func(n *network) {
			n.flows = []flow{{0, 3, 0}}
			n.route = func(q question) [][]spec.Hop {
				return [][]spec.Hop{{{Channel: n.topo.Channel(n.topo.OutLinks(n.topo.Head(q.at))[0], 0)}}}
			}
		}, answers{false, true, true, true, true, true}, "the packet turns for ever, and three of them fill the ring"},
		{"behind a dead end", [][2]spec.NodeID{{0, 1}, {1, 2}, {2, 0}}, 1, func(n *network) {
			all(n, 0)
			along := n.route
			n.route = func(q question) [][]spec.Hop {
				if q.at == 0 { // 0->1
					return [][]spec.Hop{nil}
				}
				return along(q)
			}
		}, answers{false, false, false, false, false, false}, "what is in 0->1 has arrived or is discarded, so the ring has a gap"},
		{"pair", [][2]spec.NodeID{{0, 1}, {1, 0}}, 1, ask,
			answers{true, false, true, true, true, true}, "requests both ways fill both places and both links"},
		{"pair, two VCs", [][2]spec.NodeID{{0, 1}, {1, 0}}, 2, ask,
			answers{true, false, false, false, false, false}, "replies wait for nothing but replies, which are consumed"},
		{"pair, one asks", [][2]spec.NodeID{{0, 1}, {1, 0}}, 1, func(n *network) {
			ask(n)
			n.flows = n.flows[:1]
		}, answers{true, false, false, false, false, false}, "only replies go back"},
		{"memory without a way", [][2]spec.NodeID{{0, 1}, {1, 0}, {0, 2}}, 1, func(n *network) {
			ask(n)
			n.flows = []flow{{0, 1, 0}, {0, 2, 0}}
		}, answers{false, false, false, false, false, false}, "2 cannot reply"},
		{"requests counted", [][2]spec.NodeID{{0, 1}, {1, 2}, {2, 0}}, 1, func(n *network) {
			n.classes, n.replies = 2, []reply{{request: 0, reply: 1, outstanding: 1}}
			n.flows = []flow{{0, 1, 0}, {0, 2, 0}, {1, 2, 0}}
		}, answers{true, false, true, true, false, false}, "two messages do not fill the ring, though three would: one that waits holds one channel"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := &network{topo: spec.NewTopology(), buffer: 1, classes: 1, tags: 1}
			for _, l := range c.links {
				for spec.NodeID(n.topo.Nodes()) <= max(l[0], l[1]) {
					n.topo.AddNode("")
				}
			}
			for _, l := range c.links {
				n.topo.AddLink(spec.Link{From: l[0], To: l[1], VCs: c.vcs})
			}
			distance := n.distances()
			n.route = func(q question) [][]spec.Hop { // the shortest way, on the VC of the class
				at, hops := n.topo.Head(q.at), []spec.Hop(nil)
				for _, l := range n.topo.OutLinks(at) {
					if distance[n.topo.Link(l).To][q.to] < distance[at][q.to] {
						hops = append(hops, spec.Hop{Channel: n.topo.Channel(l, min(q.class, c.vcs-1))})
					}
				}
				return [][]spec.Hop{hops}
			}
			c.change(n)
			x := n.packets()
			got := answers{Delivered: x.delivered(), Loops: x.loops(), PacketsBlock: x.packetsCanBlock(), WormsBlock: x.wormsCanBlock()}
			for _, by := range []struct {
				switching spec.Switching
				sticks    *bool
			}{{spec.StoreAndForward, &got.PacketsStick}, {spec.Wormhole, &got.WormsStick}} {
				n.switching = by.switching
				var known bool
				if *by.sticks, known = x.deadlocks(10_000); !known {
					t.Errorf("%s: too many states", by.switching)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s%s", diff, c.because)
			}
		})
	}
}
