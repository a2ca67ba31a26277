package wormhole_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/internal/wormhole"
	"github.com/seed-105a2da2/unknot/models/gadget"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

func gadgetNetwork(t testing.TB, name string) *spec.Network {
	t.Helper()
	def, err := gadget.Wormhole(name)
	if err != nil {
		t.Fatal(err)
	}
	return compile(t, def)
}

func compile(t testing.TB, def routing.Definition) *spec.Network {
	t.Helper()
	def.Switching = spec.Wormhole
	return routingtest.Compile(t, def)
}

// siteAt is the site of a channel by its name, with a header to a node by its name.
func siteAt(t *testing.T, n *spec.Network, channel, dest string) spec.Site {
	t.Helper()
	node, ok := n.Topology().NodeNamed(dest)
	if !ok {
		t.Fatalf("no node %s", dest)
	}
	for c := range spec.ChannelID(n.Topology().Channels()) {
		if n.Topology().Link(n.Topology().LinkOf(c)).Out == channel {
			return spec.Site{Channel: c, Header: spec.Header{Dest: node}}
		}
	}
	t.Fatalf("no channel %s", channel)
	return spec.Site{}
}

// TestCheckRefuses starts from the stuck set of W1. A message to D1 with its head in e1 may go to the
// sink x1, so it is not stuck; with its head in a1 it waits only for e2, and its tail holds e1. The
// message to D2 is its mirror image: it waits for e1 and holds e2. Every mutation of this set must be
// refused, for its own
// reason.
func TestCheckRefuses(t *testing.T) {
	n := gadgetNetwork(t, "W1")
	at := func(channel, dest string) spec.Site { return siteAt(t, n, channel, dest) }
	stuck := []wormhole.Worm{
		{Sites: []spec.Site{at("e1", "D1"), at("a1", "D1")}},
		{Sites: []spec.Site{at("e2", "D2"), at("a2", "D2")}},
	}
	if err := wormhole.Check(n, stuck); err != nil {
		t.Fatalf("the stuck set of W1 is refused: %v", err)
	}
	for _, tt := range []struct {
		name   string
		mutate func(w []wormhole.Worm) []wormhole.Worm
		want   string
	}{
		{"empty set", func(w []wormhole.Worm) []wormhole.Worm { return nil }, "no packets"},
		{"empty worm", func(w []wormhole.Worm) []wormhole.Worm { return append(w, wormhole.Worm{}) }, "holds no channel"},
		{"a worm left out", func(w []wormhole.Worm) []wormhole.Worm { return w[:1] }, "no packet holds"},
		{"the other left out", func(w []wormhole.Worm) []wormhole.Worm { return w[1:] }, "no packet holds"},
		{"tail cut off", func(w []wormhole.Worm) []wormhole.Worm { w[0].Sites = w[0].Sites[1:]; return w }, "no packet holds"},
		{"head cut off", func(w []wormhole.Worm) []wormhole.Worm { w[0].Sites = w[0].Sites[:1]; return w }, "no packet holds"},
		{"a worm twice", func(w []wormhole.Worm) []wormhole.Worm { return append(w, w[0]) }, "held already"},
		{"a worm past a place where it leaves the network", func(w []wormhole.Worm) []wormhole.Worm {
			w[1].Sites = append(w[1].Sites, at("e1", "D2"), at("x2", "D2"), at("x2", "D2"))
			return w
		}, "permits no hop"},
		{"two worms in one channel", func(w []wormhole.Worm) []wormhole.Worm {
			w[1].Sites = append(w[1].Sites, at("e1", "D2"))
			return w
		}, "held already"},
		{"tail and head exchanged", func(w []wormhole.Worm) []wormhole.Worm { slices.Reverse(w[0].Sites); return w }, "permits no hop"},
		{"header changed on the way", func(w []wormhole.Worm) []wormhole.Worm { w[1].Sites[1] = at("y1", "D1"); return w }, "another packet"},
		{"no such site", func(w []wormhole.Worm) []wormhole.Worm { w[0].Sites[1] = at("a1", "D2"); return w }, "no injected packet"},
		{"no such tag", func(w []wormhole.Worm) []wormhole.Worm { w[0].Sites[0].Header.Tag = 1; return w }, "no injected packet"},
		{"no such destination", func(w []wormhole.Worm) []wormhole.Worm { w[0].Sites[0].Header.Dest = 99; return w }, "no injected packet"},
		{"no such channel", func(w []wormhole.Worm) []wormhole.Worm { w[0].Sites[0].Channel = 99; return w }, "no injected packet"},
		{"an injection channel", func(w []wormhole.Worm) []wormhole.Worm {
			e, _ := n.Topology().NodeNamed("E")
			w[0].Sites = slices.Insert(w[0].Sites, 0, spec.Site{Channel: spec.Injection(e), Header: w[0].Sites[0].Header})
			return w
		}, "not in a channel"},
		{"head arrived", func(w []wormhole.Worm) []wormhole.Worm {
			return append(w, wormhole.Worm{Sites: []spec.Site{at("x1", "D1")}})
		}, "arrived"},
		{"head free to go", func(w []wormhole.Worm) []wormhole.Worm {
			return []wormhole.Worm{{Sites: []spec.Site{at("e1", "D1")}}}
		}, "no packet holds"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var fresh []wormhole.Worm
			for _, w := range stuck {
				fresh = append(fresh, wormhole.Worm{Sites: slices.Clone(w.Sites)})
			}
			err := wormhole.Check(n, tt.mutate(fresh))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that says %q", err, tt.want)
			}
		})
	}
}

// TestCheckRefusesDeadEnds: a head at a dead end waits for nothing, so it is
// not stuck in the sense of deadlock.
func TestCheckRefusesDeadEnds(t *testing.T) {
	top := spec.NewTopology()
	a, b, c := top.AddNode("a"), top.AddNode("b"), top.AddNode("c")
	ab := top.Channel(top.AddLink(spec.Link{From: a, To: b, VCs: 1}), 0)
	top.AddLink(spec.Link{From: b, To: c, VCs: 1})
	n := compile(t, routing.Definition{
		Name: "dead end", Topology: top,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == a && dst == c },
		Routing: routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
			if at.IsInjection() {
				return append(dst, spec.Hop{Channel: ab})
			}
			return dst
		}),
	})
	err := wormhole.Check(n, []wormhole.Worm{{Sites: []spec.Site{{Channel: ab, Header: spec.Header{Dest: c}}}}})
	if err == nil || !strings.Contains(err.Error(), "dead end") {
		t.Errorf("error %v, want one that says dead end", err)
	}
}
