package automorphism_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/internal/automorphism"
	"github.com/seed-105a2da2/unknot/models/mesh"
	"github.com/seed-105a2da2/unknot/models/ring"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

func compile(tb testing.TB, def routing.Definition, err error) *spec.Network {
	tb.Helper()
	return routingtest.Network(tb)(def, err)
}

// rotation maps node v of a ring to v+1 and every channel accordingly, in networks
// whose channels are numbered node by node.
func rotation(n *spec.Network) automorphism.Symmetry {
	s := automorphism.Identity(n.Topology())
	nodes, channels := len(s.Nodes), len(s.Channels)
	for v := range s.Nodes {
		s.Nodes[v] = spec.NodeID((v + 1) % nodes)
	}
	for c := range s.Channels {
		s.Channels[c] = spec.ChannelID((c + channels/nodes) % channels)
	}
	return s
}

// along makes every channel of a network without parallel links follow its
// nodes, VC by VC.
func along(t *spec.Topology, nodes []spec.NodeID) automorphism.Symmetry {
	s := automorphism.Identity(t)
	copy(s.Nodes, nodes)
	for c := range s.Channels {
		c := spec.ChannelID(c)
		between := t.LinksBetween(nodes[t.Tail(c)], nodes[t.Head(c)])
		if len(between) == 0 {
			continue // no channel to map to: Check will say so
		}
		s.Channels[c] = t.Channel(between[0], t.VC(c))
	}
	return s
}

// twoVCs is a one-way ring with two VCs; packets use those that use says.
func twoVCs(nodes int, use func(at spec.NodeID, h spec.Header) []int) routing.Definition {
	t := spec.NewTopology()
	for range nodes {
		t.AddNode("")
	}
	for v := range nodes {
		t.AddLink(spec.Link{From: spec.NodeID(v), To: spec.NodeID((v + 1) % nodes), VCs: 2})
	}
	return routing.Definition{Topology: t, Routing: routing.Deliver(t, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		v := t.Head(at)
		for _, vc := range use(v, h) {
			dst = append(dst, spec.Hop{Channel: t.Channel(spec.LinkID(v), vc)})
		}
		return dst
	}))}
}

func TestCheck(t *testing.T) {
	oneWay, err := ring.New(ring.Options{Nodes: 5})
	five := compile(t, oneWay, err)

	// Without the flow from 0 to 1, the rotation maps the flow from 4 to 0 to a missing one.
	lacking := oneWay
	lacking.Flows = func(src, dst spec.NodeID, _ spec.Class) bool { return src != 0 || dst != 1 }
	fewer := compile(t, lacking, nil)

	// As many flows to 0 as to 1, but 4 sends to 0 and 0 does not send to 1.
	moved := oneWay
	moved.Flows = func(src, dst spec.NodeID, _ spec.Class) bool {
		return dst == (src+1)%5 && src != 0 || src == 0 && dst == 3 || src == 2 && dst == 1
	}
	skew := compile(t, moved, nil)

	either := compile(t, twoVCs(4, func(spec.NodeID, spec.Header) []int { return []int{0, 1} }), nil)
	// Packets for the next node take VC 1, all others VC 0.
	last := compile(t, twoVCs(4, func(v spec.NodeID, h spec.Header) []int {
		if h.Dest == (v+1)%4 {
			return []int{1}
		}
		return []int{0}
	}), nil)

	xyDef, err := mesh.DimensionOrder(mesh.Options{K: 3, N: 2})
	xy := compile(t, xyDef, err)
	adaptiveDef, err := mesh.Adaptive(mesh.Options{K: 3, N: 2})
	adaptive := compile(t, adaptiveDef, err)
	transposed := make([]spec.NodeID, 9)
	mirrored := make([]spec.NodeID, 9)
	for v := range 9 {
		transposed[v] = spec.NodeID(v%3*3 + v/3)
		mirrored[v] = spec.NodeID(v/3*3 + 2 - v%3)
	}

	// Two dimensions that share nothing: a path of links in dimension 1, 1, 2, 2.
	striped := func(dims ...int) *spec.Network {
		topology := spec.NewTopology()
		for range dims {
			topology.AddNode("")
		}
		for v, d := range dims {
			topology.AddLink(spec.Link{From: spec.NodeID(v), To: spec.NodeID((v + 1) % len(dims)), VCs: 1, Dim: d})
		}
		return compile(t, routing.Definition{Topology: topology, Routing: routing.Deliver(topology, routing.Func(
			func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
				return append(dst, spec.Hop{Channel: topology.Channel(spec.LinkID(topology.Head(at)), 0)})
			}))}, nil)
	}
	alternating, pairs := striped(1, 2, 1, 2), striped(1, 1, 2, 2)

	// Two parallel links of two VCs, everything permitted: VCs may be exchanged
	// within a link, and so may the links as a whole.
	double := spec.NewTopology()
	double.AddNode("")
	double.AddNode("")
	double.AddLink(spec.Link{From: 0, To: 1, VCs: 2})
	double.AddLink(spec.Link{From: 0, To: 1, VCs: 2})
	parallel := compile(t, routing.Definition{Topology: double,
		Flows: func(src, _ spec.NodeID, _ spec.Class) bool { return src == 0 },
		Routing: routing.Deliver(double, routing.Func(func(dst []spec.Hop, _ spec.ChannelID, _ spec.Header) []spec.Hop {
			return append(dst, spec.Hop{Channel: 0}, spec.Hop{Channel: 1}, spec.Hop{Channel: 2}, spec.Hop{Channel: 3})
		}))}, nil)

	with := func(s automorphism.Symmetry, change func(s *automorphism.Symmetry)) automorphism.Symmetry {
		s = automorphism.Symmetry{Nodes: slices.Clone(s.Nodes), Channels: slices.Clone(s.Channels)}
		change(&s)
		return s
	}
	channels := func(n *spec.Network, to ...spec.ChannelID) automorphism.Symmetry {
		return with(automorphism.Identity(n.Topology()), func(s *automorphism.Symmetry) { copy(s.Channels, to) })
	}
	tests := []struct {
		name  string
		n     *spec.Network
		s     automorphism.Symmetry
		dims  bool
		fault string // part of the error; "" if it is a symmetry
	}{
		{name: "identity", n: five, s: automorphism.Identity(five.Topology()), dims: true},
		{name: "rotation", n: five, s: rotation(five), dims: true},
		{name: "one node too few", n: five, s: with(rotation(five), func(s *automorphism.Symmetry) { s.Nodes = s.Nodes[:4] }),
			fault: "not a permutation"},
		{name: "one channel too many", n: five, s: with(rotation(five), func(s *automorphism.Symmetry) { s.Channels = append(s.Channels, 0) }),
			fault: "not a permutation"},
		{name: "no such node", n: five, s: with(rotation(five), func(s *automorphism.Symmetry) { s.Nodes[1] = 5 }),
			fault: "not a permutation"},
		{name: "no such channel", n: five, s: with(rotation(five), func(s *automorphism.Symmetry) { s.Channels[2] = spec.Eject }),
			fault: "not a permutation"},
		{name: "two nodes to one", n: five, s: with(rotation(five), func(s *automorphism.Symmetry) { s.Nodes[0] = 2 }),
			fault: "not a permutation"},
		{name: "two channels to one", n: five, s: with(rotation(five), func(s *automorphism.Symmetry) { s.Channels[4] = 4 }),
			fault: "not a permutation"},
		{name: "two nodes exchanged", n: five, s: with(rotation(five), func(s *automorphism.Symmetry) { s.Nodes[0], s.Nodes[1] = s.Nodes[1], s.Nodes[0] }),
			fault: "its ends"},
		{name: "two channels exchanged", n: five, s: with(rotation(five),
			func(s *automorphism.Symmetry) { s.Channels[0], s.Channels[1] = s.Channels[1], s.Channels[0] }),
			fault: "its ends"},
		{name: "reflection of a one-way ring", n: five, s: along(five.Topology(), []spec.NodeID{0, 4, 3, 2, 1}),
			fault: "its ends"},
		{name: "a flow missing", n: fewer, s: rotation(fewer), fault: "a flow is not mapped to a flow"},
		{name: "a flow elsewhere", n: skew, s: rotation(skew), fault: "a flow is not mapped to a flow"},

		{name: "VCs of one link exchanged", n: either, s: channels(either, 1, 0)},
		{name: "VCs exchanged, told apart by routing", n: last, s: channels(last, 1, 0, 3, 2, 5, 4, 7, 6), fault: "the hops of a site"},
		{name: "VCs kept apart", n: last, s: rotation(last)},
		{name: "XY mesh mirrored", n: xy, s: along(xy.Topology(), mirrored), dims: true},
		{name: "XY mesh transposed", n: xy, s: along(xy.Topology(), transposed),
			// The first node from which X before Y and Y before X differ.
			fault: "the hops of a site"},
		{name: "adaptive mesh transposed", n: adaptive, s: along(adaptive.Topology(), transposed), dims: true},
		{name: "dimensions exchanged", n: alternating, s: rotation(alternating), dims: true},
		{name: "dimensions mixed, unasked", n: pairs, s: rotation(pairs)},
		{name: "dimensions mixed", n: pairs, s: rotation(pairs), dims: true,
			fault: "links of one dimension"},
		{name: "VCs within a link", n: parallel, s: channels(parallel, 1, 0, 2, 3)},
		{name: "links as a whole", n: parallel, s: channels(parallel, 2, 3, 0, 1)},
		{name: "VCs across links", n: parallel, s: channels(parallel, 0, 2, 1, 3),
			fault: "channels of one link"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := automorphism.Check(tt.n, tt.s, tt.dims)
			switch {
			case err == nil && tt.fault != "":
				t.Errorf("accepted; want an error with %q", tt.fault)
			case err != nil && (tt.fault == "" || !strings.Contains(err.Error(), tt.fault)):
				t.Errorf("error %q; want %q", err, tt.fault)
			}
		})
	}
}
