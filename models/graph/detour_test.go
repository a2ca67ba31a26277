package graph_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models/graph"
	"github.com/seed-105a2da2/unknot/models/graph/censustest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// TestUniqueShortestPaths: in the packet switching networks as published, the next hop
// of every packet is unique.
func TestUniqueShortestPaths(t *testing.T) {
	n := routingtest.Network(t)(graph.PacketSwitchingEntry().Define(map[string]string{"terminals": "all"}))
	err := routing.Sites(n, func(s spec.Site, hops []spec.Hop) error {
		if len(hops) != 1 {
			t.Errorf("%d hops at %s for node %d", len(hops), n.Topology().ChannelName(s.Channel), s.Header.Dest+1)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The complete graph of 3 with at most one detour. Sites with 1 VC: each
// of the 6 channels for 2 destinations. With 2: on VC 0 both, on VC 1 only those
// that arrive.
func TestDetour(t *testing.T) {
	for _, tt := range []struct {
		vcs  int
		want censustest.Census
	}{
		{1, censustest.Census{Channels: 6, Edges: 6, Sites: 12}},
		{2, censustest.Census{Channels: 12, Edges: 6, Sites: 18, Acyclic: true}},
	} {
		n := routingtest.Network(t)(graph.Detour(3, tt.vcs))
		if diff := cmp.Diff(tt.want, censustest.Count(n)); diff != "" {
			t.Errorf("%d VCs (-want +got):\n%s", tt.vcs, diff)
		}
		wantAllPairs(t, n.Name(), n)
	}
}
