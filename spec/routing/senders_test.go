package routing_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// TestSendersNarrowFlows: which nodes Senders names, in any order, twice or without need,
// makes no difference as long as it leaves out nobody whom Flows accepts; and the
// tables are those of a plain walk round the ring from every sender. Rings with many
// VCs have far more places than a packet sees, small ones do not, so both ways of
// listing what was found are used.
func TestSendersNarrowFlows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "nodes")
		def := routingtest.OneWayRing(n, rapid.SampledFrom([]int{1, 2, 500}).Draw(t, "vcs"))
		classes := rapid.IntRange(1, 3).Draw(t, "classes")
		for c := range classes {
			def.Classes = append(def.Classes, fmt.Sprint(c))
		}
		wanted := map[spec.Target][]spec.NodeID{} // with repetition, in the order drawn, perhaps the destination itself
		for range rapid.IntRange(0, 20).Draw(t, "flows") {
			to := spec.Target{Dest: spec.NodeID(rapid.IntRange(0, n-1).Draw(t, "dest")), Class: spec.Class(rapid.IntRange(0, classes-1).Draw(t, "class"))}
			wanted[to] = append(wanted[to], spec.NodeID(rapid.IntRange(0, n-1).Draw(t, "source")))
		}
		plain := def
		plain.Flows = func(src, dst spec.NodeID, c spec.Class) bool {
			return slices.Contains(wanted[spec.Target{Dest: dst, Class: c}], src)
		}
		exact := def
		exact.Senders = func(dst []spec.NodeID, to spec.Target) []spec.NodeID { return append(dst, wanted[to]...) }
		both := plain
		both.Senders = func(dst []spec.NodeID, to spec.Target) []spec.NodeID {
			dst = append(dst, wanted[to]...)
			for _, src := range wanted[to] {
				dst = append(dst, (src+1)%spec.NodeID(n))
			}
			return dst
		}
		want := routingtest.Compile(t, plain)
		for name, d := range map[string]routing.Definition{"exact": exact, "too many": both} {
			if got := routingtest.Compile(t, d); got.Digest() != want.Digest() {
				t.Errorf("senders %s: digest %s, flows alone %s", name, got.Digest(), want.Digest())
			}
		}

		topo := def.Topology
		for d := range n {
			for c := range classes {
				to := spec.Target{Dest: spec.NodeID(d), Class: spec.Class(c)}
				var channels []spec.ChannelID
				for _, src := range wanted[to] {
					for v := src; v != to.Dest; v = (v + 1) % spec.NodeID(n) {
						channels = append(channels, topo.Channel(topo.OutLinks(v)[0], 0))
					}
				}
				slices.Sort(channels)
				channels = slices.Compact(channels)
				var got []spec.ChannelID
				if table := want.TableOf(to); table != nil {
					got = table.Channels
				}
				if diff := cmp.Diff(channels, got); diff != "" {
					t.Errorf("target %v (-want +got):\n%s", to, diff)
				}
			}
		}
	})
}

func TestSendersOutOfRange(t *testing.T) {
	for _, src := range []spec.NodeID{-1, 3} {
		def := routingtest.OneWayRing(3, 1)
		def.Senders = func(dst []spec.NodeID, _ spec.Target) []spec.NodeID { return append(dst, 1, src) }
		_, err := routing.Compile(context.Background(), def, routing.CompileOptions{})
		if err == nil || !strings.Contains(err.Error(), "nodes are numbered 0 to 2") {
			t.Errorf("sender %d: %v", src, err)
		}
	}
}
