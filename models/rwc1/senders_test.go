package rwc1_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/models/rwc1"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// TestSenders: the short list of senders is complete: without it, the compiled network is
// the same for every kind of packet.
func TestSenders(t *testing.T) {
	for _, o := range []rwc1.Options{
		{Levels: 1}, {Levels: 2, Finite: true}, {Levels: 3, Finite: true, Traffic: rwc1.RequestReply, Reply: rwc1.LevelAbove},
		{Levels: 2, Finite: true, Traffic: rwc1.RequestReply}, {Levels: 1, Finite: true, Spill: true, Traffic: rwc1.RequestReply},
	} {
		o.N, o.Topology, o.VCs = 2, rwc1.Banyan, 3
		def, err := rwc1.New(o)
		if def.Senders == nil {
			t.Fatalf("%+v: no list of senders", o)
		}
		want := routingtest.Network(t)(def, err).Digest()
		def.Senders = nil
		if got := routingtest.Network(t)(def, nil).Digest(); got != want {
			t.Errorf("%+v: digest %s with the list of senders, %s without", o, want, got)
		}
	}
}
