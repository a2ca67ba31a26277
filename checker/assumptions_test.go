package checker_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// TestOverNetworkAssumes: a protocol over a network states how its packets move, and what becomes
// of one at a dead end; any other protocol assumes nothing.
func TestOverNetworkAssumes(t *testing.T) {
	const ring = "at = [node() for _ in range(3)]\nfor i in range(3):\n    link(at[i], at[(i + 1) % 3])\n"
	const protocol = `machine(name = "m")
net = network_of("net.star")
rule("send", lambda s, i: net.send(s, i, (i + 1) % 3), over = net.nodes)
rule("take", lambda s, i: when(net.receive(s, i) != None), over = net.nodes)
`
	for _, c := range []struct{ name, net, want string }{
		{"whole packets", "network(name = \"r\", buffer = 2)\n" + ring + "def route(at, to):\n    return [hop(at.node.out[0])]\n",
			"net is r: store-and-forward switching, 2 packets per channel, any work-conserving selection function, any delay (asynchronous)\nnet: the protocol decides who sends, and when a packet is consumed"},
		{"wormhole", "network(name = \"r\", switching = \"wormhole\")\n" + ring + "def route(at, to):\n    return [hop(at.node.out[0])]\n",
			"net is r: wormhole switching, packets that fit into one channel, one packet per channel, any work-conserving selection function, any delay (asynchronous)\nnet: the protocol decides who sends, and when a packet is consumed"},
		{"a dead end", "network(name = \"r\")\n" + ring + "def route(at, to):\n    return [hop(at.node.out[0])] if at.injecting and to.id != 0 else []\n",
			"net is r: store-and-forward switching, 1 packet per channel, any work-conserving selection function, any delay (asynchronous)\nnet: the protocol decides who sends, and when a packet is consumed\nnet: a packet at a dead end stays there"},
		{"none", "", ""},
	} {
		text := protocol
		if c.net == "" {
			text = "machine(name = \"m\")\nvar(\"x\", bool)\ndef f(s):\n    s.x = not s.x\nrule(\"f\", f)\n"
		}
		f, err := star.Load(t.Context(), "m.star", []byte(text), star.Options{Open: func(string) ([]byte, error) { return []byte(c.net), nil }})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		m, err := f.Program.Machine()
		if err != nil {
			t.Fatal(err)
		}
		x, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole})
		if err != nil {
			t.Fatal(err)
		}
		for _, finding := range x.Findings {
			if got := strings.Join(words.Written(finding.Assumptions), "\n"); got != c.want {
				t.Errorf("%s: %s assumes %q, want %q", c.name, finding.Property, got, c.want)
			}
		}
	}
}

// TestBubbleOfWhat: links without a dimension count as one dimension, so no hop between them asks for a bubble,
// whatever rings they form; the assumptions say so.
func TestBubbleOfWhat(t *testing.T) {
	for _, tt := range []struct {
		dims [2]int
		want string
	}{
		{[2]int{1, 1}, "bubble: a packet enters a dimension only if 2 buffers there are free"},
		{[2]int{0, 0}, "bubble: a packet is injected (links have no dimension, so no hop turns into one) only if 2 buffers there are free"},
		{[2]int{0, 1}, "bubble: a packet enters a dimension (links without one count as one) only if 2 buffers there are free"},
	} {
		topo := spec.NewTopology()
		a, b := topo.AddNode("a"), topo.AddNode("b")
		topo.AddLink(spec.Link{From: a, To: b, VCs: 1, Dim: tt.dims[0]})
		topo.AddLink(spec.Link{From: b, To: a, VCs: 1, Dim: tt.dims[1]})
		n, err := routing.Compile(t.Context(), routing.Definition{Name: "pair", Topology: topo, Buffer: 2,
			Routing: routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
				if topo.Head(at) == h.Dest {
					return append(dst, spec.Hop{Channel: spec.Eject})
				}
				return append(dst, spec.Hop{Channel: spec.ChannelID(topo.Head(at))})
			})}, routing.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := checker.Check(t.Context(), n, checker.Question{Properties: []string{"deadlock-freedom"}, Scenario: spec.Scenario{Bubble: 2}})
		if err != nil {
			t.Fatal(err)
		}
		if as := x.Findings[0].Assumptions; !slices.ContainsFunc(words.Written(as), func(a string) bool { return strings.HasPrefix(a, tt.want) }) {
			t.Errorf("%v: %q", tt.dims, as)
		}
	}
}
