package rwc1_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/models/graph/censustest"
	"github.com/seed-105a2da2/unknot/models/rwc1"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// TestAnyOptions: every network that the options allow delivers all packets with
// a reason for each hop. Its dependency graph has no cycle if and only if the VCs
// are enough for the routers, and no reply uses the buffers of a request that
// waits for it.
func TestAnyOptions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := rwc1.Options{
			N: 2, Topology: rwc1.Topology(rapid.IntRange(1, 2).Draw(t, "topology")), VCs: rapid.IntRange(1, 4).Draw(t, "vcs"),
			Border: rwc1.Border(rapid.IntRange(0, 1).Draw(t, "border")), Levels: rapid.IntRange(1, 4).Draw(t, "levels"),
			Buffers: rwc1.Buffers(rapid.IntRange(0, 1).Draw(t, "buffers")), Traffic: rwc1.Traffic(rapid.IntRange(0, 1).Draw(t, "traffic")),
			Reply: rwc1.Reply(rapid.IntRange(0, 1).Draw(t, "reply")), Finite: rapid.Bool().Draw(t, "finite"), Spill: rapid.Bool().Draw(t, "spill"),
		}
		def, err := rwc1.New(o)
		if err != nil {
			t.Fatal(err)
		}
		def.Name = "any"
		n := routingtest.Compile(t, def)
		least := 2
		if o.Topology == rwc1.Banyan && o.Border == rwc1.Over {
			least = 3
		}
		waits := o.Finite && !o.Spill && o.Traffic == rwc1.RequestReply
		behind := waits && (o.Reply == rwc1.SameLevel || o.Buffers == rwc1.PerMode && o.Levels > 1)
		if got, want := censustest.Count(n).Acyclic, o.VCs >= least && !behind; got != want {
			t.Errorf("%+v: acyclic %t, want %t", o, got, want)
		}
		if err := censustest.Unexplained(n); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
		if err := censustest.Undelivered(n); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	})
}
