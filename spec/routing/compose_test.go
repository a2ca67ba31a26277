package routing_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// hopsAt asks a relation and does not sort: compositions keep their order.
func hopsAt(t *testing.T, r routing.Relation, at spec.ChannelID, h spec.Header) []spec.Hop {
	t.Helper()
	hops, err := r.AppendHops(nil, at, h)
	if err != nil {
		t.Fatal(err)
	}
	return hops
}

func into(channels ...spec.ChannelID) routing.Relation {
	return routing.Func(func(dst []spec.Hop, _ spec.ChannelID, _ spec.Header) []spec.Hop {
		for _, c := range channels {
			dst = append(dst, spec.Hop{Channel: c})
		}
		return dst
	})
}

func TestCompositions(t *testing.T) {
	topo := routingtest.OneWayRing(3, 4).Topology // channels 0..3 from node 0, 4..7 from node 1, 8..11 from node 2
	from0 := spec.Injection(0)
	for _, tt := range []struct {
		name   string
		r      routing.Relation
		at     spec.ChannelID
		h      spec.Header
		want   []spec.Hop
		reason string // of the last hop
	}{
		{"union", routing.Union(routing.Named("a", into(0)), routing.Named("b", into(0, 1))), from0,
			spec.Header{Dest: 2}, []spec.Hop{{Channel: 0}, {Channel: 0}, {Channel: 1}}, "b"},
		{"escape first", routing.EscapeAdaptive(routing.Named("escape", into(1)), routing.Named("adaptive", into(1))),
			from0, spec.Header{Dest: 2}, []spec.Hop{{Channel: 1}, {Channel: 1}}, "escape"},
		{"arrived", routing.Deliver(topo, into(4)), 0, spec.Header{Dest: 1}, []spec.Hop{{Channel: spec.Eject}}, "arrived"},
		{"not arrived", routing.Deliver(topo, routing.Named("on", into(4))), 0, spec.Header{Dest: 2}, []spec.Hop{{Channel: 4}}, "on"},
		{"hop index 0", routing.VCByHopIndex(topo, into(0)), from0, spec.Header{Dest: 2}, []spec.Hop{{Channel: 0, Tag: 1}}, "VC = hop index"},
		{"hop index 2", routing.VCByHopIndex(topo, routing.Named("on", into(4))), 1, spec.Header{Dest: 2, Tag: 2},
			[]spec.Hop{{Channel: 6, Tag: 3}}, "on, VC = hop index"},
		{"hop index beyond", routing.VCByHopIndex(topo, into(4)), 1, spec.Header{Dest: 2, Tag: 4}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := hopsAt(t, tt.r, tt.at, tt.h)
			if len(got) == 0 {
				got = nil
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("hops (-want +got):\n%s", diff)
			}
			if len(got) > 0 {
				if why := routing.Reason(tt.r, tt.at, tt.h, got[len(got)-1]).Text; why != tt.reason {
					t.Errorf("reason %q, want %q", why, tt.reason)
				}
			}
		})
	}
}

func TestChannelNamesDiffer(t *testing.T) {
	topo := spec.NewTopology()
	a, b := topo.AddNode("a"), topo.AddNode("b")
	topo.AddLink(spec.Link{From: a, To: b, VCs: 2})
	topo.AddLink(spec.Link{From: a, To: b, VCs: 1})
	topo.AddLink(spec.Link{From: b, To: a, VCs: 1, Out: "E"})
	topo.AddLink(spec.Link{From: b, To: a, VCs: 1, Out: "W"})
	var got []string
	for c := range spec.ChannelID(topo.Channels()) {
		got = append(got, topo.ChannelName(c))
	}
	want := []string{"a->b vc0", "a->b vc1", "a->b#2 vc0", "b->a[E] vc0", "b->a[W] vc0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
