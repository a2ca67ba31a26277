package routing_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// line returns the nodes 0, 1, 2 in a line, with a port + at each but the last.
func line() *spec.Topology {
	t := spec.NewTopology()
	for range 3 {
		t.AddNode("")
	}
	for v := range spec.NodeID(2) {
		t.AddLink(spec.Link{From: v, To: v + 1, VCs: 2, Out: "+"})
	}
	return t
}

// upwards sends packets from lower to higher nodes.
func upwards(src, dst spec.NodeID, _ spec.Class) bool { return src < dst }

// TestRouter: a Router compiles to the tables of the relation that it stands for, written with Func.
func TestRouter(t *testing.T) {
	topo := line()
	route := func(p routing.Packet) routing.Choice {
		if p.Node == p.Dest {
			return routing.Arrive()
		}
		return routing.Adaptive(topo.Hop(topo.Port(p.Node, "+"), 0), topo.Hop(topo.Port(p.Node, "+"), 1))
	}
	plain := routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		v := topo.Head(at)
		if v == h.Dest {
			return append(dst, spec.Hop{Channel: spec.Eject})
		}
		return append(dst, spec.Hop{Channel: spec.ChannelID(2 * v)}, spec.Hop{Channel: spec.ChannelID(2*v + 1)})
	})
	var digests []spec.Digest
	for _, r := range []routing.Relation{plain, routing.Router{Topology: topo, Route: route}, routing.Router{Topology: topo, Route: route, Arrivals: true}} {
		n, err := routing.Compile(t.Context(), routing.Definition{Name: "line", Topology: topo, Flows: upwards, Routing: r}, routing.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		digests = append(digests, n.Digest())
	}
	if diff := cmp.Diff(digests[0], digests[1]); diff != "" {
		t.Errorf("arrivals left to Router (-plain +router):\n%s", diff)
	}
	if diff := cmp.Diff(digests[0], digests[2]); diff != "" {
		t.Errorf("arrivals by Route (-plain +router):\n%s", diff)
	}
}

// TestNoSuchHop: a port, link or VC that does not exist is refused at the site that asks for it, and a Route that is
// asked about arrivals and does not answer Arrive has a dead end at the destination.
func TestNoSuchHop(t *testing.T) {
	topo := line()
	const none = "hop to channel 4, but channels are numbered 0 to 3"
	for name, tt := range map[string]struct {
		hop  spec.Hop
		want string
	}{
		"port":           {topo.Hop(topo.Port(0, "-"), 0), none},
		"link":           {topo.Hop(2, 0), none},
		"VC":             {topo.Hop(0, 2), "hop into VC 2 of 0->1, which has VCs 0 to 1"},
		"VC of the last": {topo.Hop(1, 7), "hop into VC 7 of 1->2, which has VCs 0 to 1"},
		"VC -":           {topo.Hop(0, -1), none},
		"VC beyond tags": {topo.Hop(0, 1<<16), none},
	} {
		_, err := routing.Compile(t.Context(), routing.Definition{Name: "line", Topology: topo, Flows: upwards, Routing: routing.Router{
			Topology: topo, Route: func(routing.Packet) routing.Choice { return routing.Adaptive(tt.hop) },
		}}, routing.CompileOptions{})
		var site *routing.SiteError
		if !errors.As(err, &site) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	n, err := routing.Compile(t.Context(), routing.Definition{Name: "line", Topology: topo, Flows: upwards, Routing: routing.Router{
		Topology: topo, Arrivals: true, Route: func(p routing.Packet) routing.Choice {
			if p.Node == p.Dest {
				return routing.Choice{}
			}
			return routing.Adaptive(topo.Hop(topo.Port(p.Node, "+"), 0))
		},
	}}, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if hops, legal := n.Hops(spec.Site{Channel: 0, Header: spec.Header{Dest: 1}}); !legal || len(hops) != 0 {
		t.Errorf("at the destination: %v, want a dead end", hops)
	}
}

// TestRouterCommits: where a router commits packets, hops alone are an error, as a packet may not choose among them; the
// alternatives are those of Route. Where it does not, the hops are the one alternative.
func TestRouterCommits(t *testing.T) {
	topo := spec.NewTopology("a", "b")
	topo.AddNode("u")
	topo.AddNode("v")
	topo.AddLink(spec.Link{From: 0, To: 1, VCs: 2})
	a, b := spec.Hop{Channel: 0}, spec.Hop{Channel: 1}
	for name, tt := range map[string]struct {
		choice routing.Choice
		hops   []spec.Hop
		err    error
		all    [][]spec.Hop
	}{
		"adaptive":  {routing.Adaptive(a, b), []spec.Hop{a, b}, nil, [][]spec.Hop{{a, b}}},
		"oblivious": {routing.Oblivious(routing.Adaptive(a), routing.Adaptive(b)), nil, routing.ErrCommits, [][]spec.Hop{{a}, {b}}},
	} {
		r := routing.Router{Topology: topo, Route: func(routing.Packet) routing.Choice { return tt.choice }}
		at, h := spec.Injection(0), spec.Header{Dest: 1}
		hops, err := r.AppendHops(nil, at, h)
		if diff := cmp.Diff(tt.hops, hops); !errors.Is(err, tt.err) || diff != "" {
			t.Errorf("%s: hops (-want +got):\n%s%v, want %v", name, diff, err, tt.err)
		}
		all, err := r.Alternatives(at, h)
		if diff := cmp.Diff(tt.all, all); err != nil || diff != "" {
			t.Errorf("%s: alternatives (-want +got):\n%s%v", name, diff, err)
		}
	}
}
