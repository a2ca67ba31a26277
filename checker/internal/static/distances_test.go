package static

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// closer is a network with the flows of n whose hops are those that lead closer to the destination.
func closer(t testing.TB, n *spec.Network) *spec.Network {
	topo, def := n.Topology(), routing.FromNetwork(n)
	links := func(v, dest spec.NodeID) int {
		level, _ := bfs.Levels(topo.Nodes(), []spec.NodeID{v}, func(v spec.NodeID, visit func(spec.NodeID)) {
			for _, l := range topo.OutLinks(v) {
				visit(topo.Link(l).To)
			}
		})
		return int(level[dest])
	}
	def.Routing = routing.NodeFunc{Topology: topo, Hops: func(dst []spec.Hop, v spec.NodeID, h spec.Header) []spec.Hop {
		if v == h.Dest {
			return append(dst, spec.Hop{Channel: spec.Eject})
		}
		for _, l := range topo.OutLinks(v) {
			if links(topo.Link(l).To, h.Dest) < links(v, h.Dest) {
				for vc := range topo.Link(l).VCs {
					dst = append(dst, spec.Hop{Channel: topo.Channel(l, vc)})
				}
			}
		}
		return dst
	}}
	return routingtest.Compile(t, def)
}

// TestNumbersLeftOut: where certificates of a network whose dependencies have a cycle leave out distances, and what is
// held, the answers are those of certificates that list them, with the same longest path, ranks and traces; and all
// evidence verifies.
func TestNumbersLeftOut(t *testing.T) {
	distances, escapes, listed, violated := 0, 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		n := netgen.Network(rt, netgen.Options{
			Nodes: 5, Channels: 10, Tags: 2, MayFail: rapid.Bool().Draw(rt, "may fail"), Discards: true,
		}, spec.Wormhole)
		if rapid.Bool().Draw(rt, "closer") {
			n = closer(t, n)
		}
		of := [2]*spec.Network{n, n}
		if rapid.Bool().Draw(rt, "in fragments") {
			var err error
			if of[1], err = routing.Compile(t.Context(), routing.FromNetwork(n), routing.CompileOptions{Fragments: 1}); err != nil {
				rt.Fatal(err)
			}
		}
		asked := rapid.Bool().Draw(rt, "deadlock is asked for, too")
		var decisions [2]*Decision
		for i := range decisions {
			var err error
			opt := Options{Workers: 1 + i, Deadlock: asked, listed: []int{1 << 20, -1}[i]}
			if decisions[i], err = New(t.Context(), of[i], opt); err != nil {
				rt.Fatal(err)
			}
		}
		if decisions[0].ranks != nil {
			return
		}
		for _, p := range []spec.Property{spec.LivelockFreedom, spec.Delivery, spec.DeadlockFreedom} {
			want, err := decisions[0].Decide(t.Context(), p)
			if err != nil {
				rt.Fatal(err)
			}
			got, err := decisions[1].Decide(t.Context(), p)
			if err != nil {
				rt.Fatal(err)
			}
			if want.Verdict != got.Verdict || want.Longest != got.Longest || !want.Because.Equal(got.Because) {
				rt.Fatalf("%s: %s, at most %d hops, %s; with numbers left out %s, %d, %s", p, want.Verdict, want.Longest,
					want.Because, got.Verdict, got.Longest, got.Because)
			}
			switch is := want.Evidence.(type) {
			case evidence.Trace:
				violated++
				other, _ := got.Evidence.(evidence.Trace)
				if diff := cmp.Diff(is.Trace, other.Trace); diff != "" {
					rt.Fatalf("%s: another trace (-want +got):\n%s", p, diff)
				}
			case evidence.Certificate:
				full, less := is.Certificate, got.Evidence.(evidence.Certificate).Certificate
				if len(less.Held) > 0 || cmp.Diff(full.Rank, less.Rank) != "" {
					rt.Fatalf("%s: %v, want no list of what is held, and the ranks of %v", p, less, full)
				}
				switch {
				case len(full.Held) > 0:
					escapes++
				case len(full.Measure) > 0 && less.Measure == nil:
					distances++
				case len(full.Measure) > 0:
					listed++
				}
			}
			if got.Evidence != nil {
				if err := got.Evidence.Verify(t.Context(), evidence.Options{}); err != nil {
					rt.Fatalf("%s: %v", p, err)
				}
			}
		}
	})
	if seedtest.Usual() && (distances == 0 || escapes == 0 || listed == 0 || violated == 0) {
		t.Errorf("%d certificates with distances left out, %d without what is held, %d with listed measures, %d traces",
			distances, escapes, listed, violated)
	}
}
