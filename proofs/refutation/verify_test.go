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
	topo := spec.NewTopology()
	a, b := topo.AddNode(""), topo.AddNode("")
	topo.AddPair(a, b, 1)
	n, err := spec.NewNetwork(spec.Parts{
		Topology: topo, Classes: []string{""}, Tags: 1, Buffer: 1, Switching: spec.Wormhole,
		Rows: [][]spec.Hop{{{Channel: spec.Eject}}, {{Channel: 0}}, {{Channel: 1}}},
		Tables: []spec.Table{
			{Target: spec.Target{Dest: a}, Sources: []spec.Source{{Node: b, Row: 2}}, Channels: []spec.ChannelID{1}, Rows: []spec.RowID{0}},
			{Target: spec.Target{Dest: b}, Sources: []spec.Source{{Node: a, Row: 1}}, Channels: []spec.ChannelID{0}, Rows: []spec.RowID{0}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
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
