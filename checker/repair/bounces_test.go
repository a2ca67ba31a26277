package repair_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/checker/repair"
	"github.com/seed-105a2da2/unknot/models/clos"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// TestPriorities: the fewest priorities of a Clos in which any cable may fail and packets bounce k times at most, hashed.
// One more than bounces are enough, as each bounce can take the next (Hu et al., Tagger, CoNEXT 2017). Between two spines
// fewer are, as bounces alternate: it is enough to move at those from the first one to the second, of which k bounces in a
// row have k/2, rounded up. One is never enough, as it is the network as it is, which deadlocks.
func TestPriorities(t *testing.T) {
	for _, tt := range []struct{ leaves, spines, bounces, priorities int }{
		{3, 2, 1, 2},
		{3, 2, 2, 2},
		{3, 2, 3, 3},
		{3, 3, 1, 2},
		{3, 3, 2, 3},
	} {
		n := routingtest.Network(t)(clos.New(clos.Options{
			Pods: 1, Leaves: tt.leaves, Spines: tt.spines, Cables: 1, Priorities: 1, Bounces: tt.bounces,
		}))
		r, err := repair.Propose(t.Context(), n, repair.Options{Schemes: []repair.Scheme{repair.Dateline}})
		if err != nil {
			t.Fatal(err)
		}
		p := r.Proposals[0]
		if p.Verdict != spec.Holds || p.Cost != tt.priorities || p.AtLeast != tt.priorities {
			t.Errorf("%+v: %v, %d copies, at least %d: %v", tt, p.Verdict, p.Cost, p.AtLeast, p.Because)
			continue
		}
		if p.Cost > 2 && p.Least == nil {
			t.Errorf("%+v: no proof that fewer are not enough", tt)
		}
		if p.Network.Alternatives() != n.Alternatives() {
			t.Errorf("%+v: %d alternatives, before %d", tt, p.Network.Alternatives(), n.Alternatives())
		}
	}
}

// TestAlternativesAreKept: copies of the VCs keep every alternative of a network that commits packets, and so do not mend a
// dead end to which a packet may be committed. An order of the channels knows none, and cannot cut a one-way ring.
func TestAlternativesAreKept(t *testing.T) {
	ring := spec.NewTopology()
	for range 4 {
		ring.AddNode("")
	}
	for v := range spec.NodeID(4) {
		ring.AddLink(spec.Link{From: v, To: (v + 1) % 4, VCs: 2})
	}
	network := func(dead bool) *spec.Network {
		return routingtest.Network(t)(routing.Definition{
			Topology: ring, Switching: spec.StoreAndForward, Routing: routing.Router{
				Topology: ring, Route: func(p routing.Packet) routing.Choice {
					l := spec.LinkID(p.Node)
					a, b := spec.Hop{Channel: ring.Channel(l, 0)}, spec.Hop{Channel: ring.Channel(l, 1)}
					if dead && p.Node == 2 && !p.At.IsInjection() {
						return routing.Oblivious(routing.Adaptive(a), routing.Adaptive())
					}
					return routing.Oblivious(routing.Adaptive(a), routing.Adaptive(b))
				},
			},
		}, nil)
	}
	r, err := repair.Propose(t.Context(), network(false), repair.Options{Schemes: []repair.Scheme{repair.Order}})
	if err != nil || r.Proposals[0].Verdict != spec.Violated || r.Proposals[0].Least == nil {
		t.Errorf("order: %v, %v", r, err)
	}
	kept := repair.Options{Schemes: []repair.Scheme{repair.Dateline, repair.HopIndex, repair.Layers}}
	if r, err = repair.Propose(t.Context(), network(false), kept); err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Proposals {
		if p.Verdict != spec.Holds || p.Network.Alternatives() != 2 {
			t.Errorf("%s: %v, %v", p.Scheme, p.Verdict, p.Because)
		}
	}
	if r, err = repair.Propose(t.Context(), network(true), kept); err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Proposals {
		if p.Verdict != spec.Unknown || p.Network != nil {
			t.Errorf("%s with a dead end: %v, %v", p.Scheme, p.Verdict, p.Because)
		}
	}
}
