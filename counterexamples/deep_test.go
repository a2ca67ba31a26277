package counterexamples_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/costtest"
)

// toAndFro sends packets for node 2 from node 0 to 1, back, and so on: each time on the
// next VC, until none is left.
func toAndFro(t *testing.T, switching spec.Switching, vcs, buffer int) *spec.Network {
	t.Helper()
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	there, back := topo.AddPair(0, 1, vcs)
	n, err := routing.Compile(t.Context(), routing.Definition{Name: "to and fro", Topology: topo, Switching: switching, Buffer: buffer,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == 0 && dst == 2 },
		Routing: routing.Named("the next VC", routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
			switch {
			case at.IsInjection():
				return append(dst, spec.Hop{Channel: topo.Channel(there, 0)})
			case topo.LinkOf(at) == there:
				return append(dst, spec.Hop{Channel: topo.Channel(back, topo.VC(at))})
			case topo.VC(at) < vcs-1:
				return append(dst, spec.Hop{Channel: topo.Channel(there, topo.VC(at)+1)})
			}
			return dst
		}))}, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestLongTraces: a long trace is replayed within bounds, and twice the moves allocate about
// twice as much. A move copies no queue and searches no channels, however deep the queue, long
// the message, or many the channels that lead to a node.
func TestLongTraces(t *testing.T) {
	enter := spec.Move{From: spec.Injection(0), Header: spec.Header{Dest: 2}}
	finish := enter
	finish.Kind = spec.Finish
	pass := spec.Move{Header: spec.Header{Dest: 2}, Hop: spec.Hop{Channel: 1}}
	for _, tt := range []struct {
		name string
		n    *spec.Network
		sc   spec.Scenario
		each func(n *spec.Network, moves int) []spec.Move
		most int
	}{
		{"into a queue", toAndFro(t, spec.StoreAndForward, 1, 1<<16), spec.Scenario{}, func(_ *spec.Network, k int) []spec.Move {
			return slices.Repeat([]spec.Move{enter}, k)
		}, 20_000},
		{"from a queue into another", toAndFro(t, spec.StoreAndForward, 1, 1<<16), spec.Scenario{}, func(_ *spec.Network, k int) []spec.Move {
			return slices.Concat(slices.Repeat([]spec.Move{enter}, k/2), slices.Repeat([]spec.Move{pass}, k/2))
		}, 20_000},
		{"messages behind each other", toAndFro(t, spec.Wormhole, 1, 1<<16),
			spec.Scenario{Length: spec.AnyLength, Shared: true}, func(_ *spec.Network, k int) []spec.Move {
				return slices.Repeat([]spec.Move{enter, finish}, k/2)
			}, 20_000},
		{"a message through all channels", toAndFro(t, spec.Wormhole, 5_000, 1), spec.Scenario{Length: spec.AnyLength},
			func(n *spec.Network, k int) []spec.Move {
				moves := []spec.Move{enter}
				for len(moves) < k {
					at := moves[len(moves)-1].Hop.Channel
					hops, _ := n.Hops(spec.Site{Channel: at, Header: enter.Header})
					moves = append(moves, spec.Move{From: at, Header: enter.Header, Hop: hops[0]})
				}
				return moves
			}, 10_000},
	} {
		allocated := func(moves int) (bytes uint64) {
			tr := &counterexamples.Trace{Network: tt.n.Digest(), Scenario: tt.sc, Property: spec.DeadlockFreedom,
				Fault: counterexamples.Deadlock, Moves: tt.each(tt.n, moves)}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			costtest.Within(t, len(written(t, tt.n, tr)), func() {
				if _, _, err := counterexamples.End(t.Context(), tt.n, tr); err != nil {
					t.Errorf("%s: %v", tt.name, err)
				}
			})
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		if half, whole := allocated(tt.most/2), allocated(tt.most); whole > 3*half+1<<20 {
			t.Errorf("%s: %d moves allocate %d bytes, %d moves %d", tt.name, tt.most/2, half, tt.most, whole)
		}
	}
}
