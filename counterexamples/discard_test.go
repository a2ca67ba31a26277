package counterexamples_test

import (
	"context"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// TestDiscardsAreNoFaults: traces that call a discard on purpose a fault of delivery, or a deadlock, are refused. One that
// ends with a discard shows that packets are discarded, and no other trace does.
func TestDiscardsAreNoFaults(t *testing.T) {
	def := routingtest.OneWayRing(3, 1)
	def.Routing = routing.Router{Topology: def.Topology, Route: func(p routing.Packet) routing.Choice {
		on := spec.Hop{Channel: spec.ChannelID(p.Node)}
		if p.At.IsInjection() {
			return routing.Adaptive(on)
		}
		return routing.Adaptive(on, spec.Discard())
	}}
	n := routingtest.Compile(t, def)
	to := func(dest spec.NodeID) spec.Header { return spec.Header{Dest: dest} }
	enter := func(at, dest spec.NodeID) spec.Move {
		return spec.Move{From: spec.Injection(at), Header: to(dest), Hop: spec.Hop{Channel: spec.ChannelID(at)}}
	}
	dropped := func(moves ...spec.Move) counterexamples.Trace {
		return counterexamples.Trace{Property: spec.NoDiscard, Fault: counterexamples.Discarded, Moves: moves}
	}
	for _, tt := range []struct {
		name, want string
		trace      counterexamples.Trace
	}{
		{"misdelivery", "not an ejection", counterexamples.Trace{Property: spec.Delivery, Fault: counterexamples.Misdelivery,
			Moves: []spec.Move{enter(0, 2), {Header: to(2), Hop: spec.Discard()}}}},
		{"trap", "can still be discarded", counterexamples.Trace{Property: spec.Delivery, Fault: counterexamples.Trap,
			Moves: []spec.Move{enter(0, 2)}, Site: spec.Site{Channel: 0, Header: to(2)}}},
		{"deadlock", "may still take", counterexamples.Trace{Property: spec.DeadlockFreedom, Fault: counterexamples.Deadlock,
			Moves: []spec.Move{enter(0, 2), enter(1, 0), enter(2, 1)}, Stuck: []spec.ChannelID{0, 1, 2}}},
		{"discarded", "", dropped(enter(0, 2), spec.Move{Header: to(2), Hop: spec.Discard()})},
		{"none is discarded", "does not discard", dropped(enter(0, 2))},
		{"no move", "does not discard", dropped()},
		{"discarded before", "does not discard", dropped(enter(0, 2), spec.Move{Header: to(2), Hop: spec.Discard()}, enter(0, 2))},
		{"discarded at the source", "move 1 is not possible",
			dropped(spec.Move{From: spec.Injection(0), Header: to(2), Hop: spec.Discard()})},
		{"a fault of delivery", "violates no-discard, not delivery", counterexamples.Trace{Property: spec.Delivery,
			Fault: counterexamples.Discarded, Moves: []spec.Move{enter(0, 2), {Header: to(2), Hop: spec.Discard()}}}},
		{"another fault", "violates delivery, not no-discard", counterexamples.Trace{Property: spec.NoDiscard,
			Fault: counterexamples.Trap, Moves: []spec.Move{enter(0, 2)}, Site: spec.Site{Channel: 0, Header: to(2)}}},
	} {
		tt.trace.Network = n.Digest()
		err := counterexamples.Replay(context.Background(), n, &tt.trace)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
