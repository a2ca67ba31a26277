package censustest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models/graph/censustest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// lineOrRing has three nodes, a link from each to the next and, closed, one
// back to the first. Packets continue until wantsOut permits Eject.
func lineOrRing(t *testing.T, closed bool, flows routing.Flows, wantsOut func(at, dest spec.NodeID) bool) *spec.Network {
	t.Helper()
	top := spec.NewTopology()
	for range 3 {
		top.AddNode("")
	}
	top.AddLink(spec.Link{From: 0, To: 1, VCs: 1})
	top.AddLink(spec.Link{From: 1, To: 2, VCs: 1})
	if closed {
		top.AddLink(spec.Link{From: 2, To: 0, VCs: 1})
	}
	n, err := routing.Compile(t.Context(), routing.Definition{Topology: top, Flows: flows, Routing: routing.Func(
		func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			v := top.Head(at)
			if !at.IsInjection() && wantsOut(v, h.Dest) {
				return append(dst, spec.Hop{Channel: spec.Eject})
			}
			for _, l := range top.OutLinks(v) {
				dst = append(dst, spec.Hop{Channel: top.Channel(l, 0)})
			}
			return dst
		})}, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func atDest(v, dest spec.NodeID) bool { return v == dest }

func upwards(src, dst spec.NodeID, _ spec.Class) bool { return src < dst }

func TestCount(t *testing.T) {
	for _, tt := range []struct {
		name string
		n    *spec.Network
		want censustest.Census
	}{
		{"line", lineOrRing(t, false, upwards, atDest), censustest.Census{Channels: 2, Edges: 1, Sites: 3, Acyclic: true}},
		{"ring, as a line", lineOrRing(t, true, upwards, atDest), censustest.Census{Channels: 2, Edges: 1, Sites: 3, Acyclic: true}},
		{"ring", lineOrRing(t, true, nil, atDest), censustest.Census{Channels: 3, Edges: 3, Sites: 6}},
	} {
		if diff := cmp.Diff(tt.want, censustest.Count(tt.n)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestUndelivered(t *testing.T) {
	for _, tt := range []struct {
		name string
		n    *spec.Network
		want string
	}{
		{"ring", lineOrRing(t, true, nil, atDest), ""},
		{"dead end", lineOrRing(t, false, nil, atDest), "no path leads from 1->2 vc0 to 0"},
		{"forever", lineOrRing(t, true, nil, func(v, dest spec.NodeID) bool { return false }), "no path leads from 0->1 vc0 to 0"},
		{"too soon", lineOrRing(t, true, nil, func(v, dest spec.NodeID) bool { return true }), "a packet for 0 leaves from 1->2 vc0"},
	} {
		got := ""
		if err := censustest.Undelivered(tt.n); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestUnexplained(t *testing.T) {
	n := lineOrRing(t, true, nil, atDest)
	want := "no reason for the hop from inject 1 to 1->2 vc0"
	if err := censustest.Unexplained(n); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	def := routing.FromNetwork(n)
	def.Routing = routing.Named("on", def.Routing)
	named := routingtest.Compile(t, def)
	if err := censustest.Unexplained(named); err != nil {
		t.Error(err)
	}
}
