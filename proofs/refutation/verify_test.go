package refutation_test

import (
	"runtime"
	"testing"

	"github.com/seed-105a2da2/unknot/proofs/refutation"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestManyMessages: what is allowed of evidence does not decide how much memory it takes: no
// more messages block each other than there are channels to hold.
func TestManyMessages(t *testing.T) {
	n := pair(t, spec.Wormhole, 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := &refutation.Refutation{Network: n.Digest(), Bound: refutation.Bound{Of: refutation.Messages, Most: 1 << 24}}
	if err := refutation.Verify(t.Context(), n, r); err != nil {
		t.Error(err)
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 1<<20 {
		t.Errorf("%d bytes for a network of two channels", after.TotalAlloc-before.TotalAlloc)
	}
}

// TestUnder: a refutation is of messages of a length that the network can have, and not
// where one may enter a channel of two flits behind another.
func TestUnder(t *testing.T) {
	for _, tt := range []struct {
		switching spec.Switching
		buffer    int
		under     *spec.Scenario
		accepted  bool
	}{
		{spec.Wormhole, 2, nil, true},
		{spec.Wormhole, 2, &spec.Scenario{Length: 3}, true},
		{spec.Wormhole, 1, &spec.Scenario{Length: 3, Shared: true}, true},
		{spec.Wormhole, 1, &spec.Scenario{Length: spec.AnyLength, Elastic: true, Shared: true}, true},
		{spec.Wormhole, 2, &spec.Scenario{Length: 3, Shared: true}, true},
		{spec.Wormhole, 2, &spec.Scenario{Length: spec.AnyLength, Shared: true}, true},
		{spec.Wormhole, 1, &spec.Scenario{}, false},
		{spec.Wormhole, 1, &spec.Scenario{Length: spec.AnyLength - 1}, false},
		{spec.StoreAndForward, 1, nil, true},
		{spec.StoreAndForward, 1, &spec.Scenario{Length: 3}, false},
		{spec.StoreAndForward, 1, &spec.Scenario{}, false},
	} {
		n := pair(t, tt.switching, tt.buffer)
		err := refutation.Verify(t.Context(), n, &refutation.Refutation{Network: n.Digest(), Under: tt.under, Steps: []refutation.Step{{}}})
		if (err == nil) != tt.accepted {
			t.Errorf("%s, buffer %d, scenario %v: %v", tt.switching, tt.buffer, tt.under, err)
		}
	}
}

// pair is a network of two nodes and a channel each way, in which nothing blocks.
func pair(t *testing.T, switching spec.Switching, buffer int) *spec.Network {
	t.Helper()
	topo := spec.NewTopology()
	a, b := topo.AddNode(""), topo.AddNode("")
	topo.AddPair(a, b, 1)
	n, err := spec.NewNetwork(t.Context(), spec.Parts{
		Topology: topo, Classes: []string{""}, Tags: 1, Buffer: buffer, Switching: switching,
		Rows: [][]spec.Hop{{{Channel: spec.Eject}}, {{Channel: 0}}, {{Channel: 1}}},
		Tables: []spec.Table{
			{Target: spec.Target{Dest: a}, Sources: []spec.Source{{Node: b, Row: 2}}, Channels: []spec.ChannelID{1}, Rows: []spec.RowID{0}},
			{Target: spec.Target{Dest: b}, Sources: []spec.Source{{Node: a, Row: 1}}, Channels: []spec.ChannelID{0}, Rows: []spec.RowID{0}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
