package rwc1

import (
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/ring"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestPair: two routers joined by a link each way, with the endpoints and the
// relation of the large network, decided statically and by exploring its traffic,
// and the machine of two whole routers: the three verdicts on deadlock are equal.
func TestPair(t *testing.T) {
	deadlocks := 0
	for _, o := range []Options{
		{Levels: 1},
		{Levels: 1, Spill: true},
		{Levels: 2, Reply: LevelAbove},
		{Levels: 2, Reply: LevelAbove, Buffers: PerMode},
		{Levels: 2, Reply: LevelAbove, Buffers: PerMode, Spill: true},
	} {
		o.VCs, o.Traffic, o.Finite = 1, RequestReply, true
		inner, err := ring.New(ring.Options{Nodes: 2})
		if err != nil {
			t.Fatal(err)
		}
		inner.Routing = routing.Deliver(inner.Topology, inner.Routing)
		n := routingtest.Network(t)(attach(o, "a pair", inner))
		static, err := checker.Check(t.Context(), n, checker.Question{})
		if err != nil {
			t.Fatal(err)
		}
		traffic, err := states.NewTraffic(n, spec.Scenario{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := Machine(MachineOptions{
			Fabric: Ring, N: 2, VCs: 1, Streams: []Stream{{From: 0, To: 1, Answer: int(o.Reply)}, {From: 1, To: 0, Answer: int(o.Reply)}},
			Buffers: o.Buffers, Depth: 1, PIB: 1, Spill: o.Spill, Window: 3, Arbiter: "any", Hold: "none", Watch: -1,
		})
		if err != nil {
			t.Fatal(err)
		}
		routers, err := p.Machine()
		if err != nil {
			t.Fatal(err)
		}
		verdicts := []spec.Verdict{static.Findings[0].Verdict}
		for _, m := range []states.Machine{traffic, routers} {
			x, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole})
			if err != nil {
				t.Fatal(err)
			}
			verdicts = append(verdicts, x.Findings[0].Verdict)
		}
		if verdicts[0] == spec.Violated {
			deadlocks++
		}
		if verdicts[0] == spec.Unknown || verdicts[1] != verdicts[0] || verdicts[2] != verdicts[0] {
			t.Errorf("%+v: static, traffic, machine: %v", o, verdicts)
		}
	}
	if deadlocks != 2 {
		t.Errorf("%d of the five deadlock: want two, those in which replies wait behind requests", deadlocks)
	}
}
