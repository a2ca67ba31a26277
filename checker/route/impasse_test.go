package route_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/route"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestImpasse: a tree with some more cables joins all nodes both ways, so nue routes every flow on one
// VC, by its escape where a tree cannot grow otherwise: without the escape, six of these 200 topologies
// have flows without a route.
func TestImpasse(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		n := 5 + random.IntN(14)
		topo := spec.NewTopology()
		for v := range n {
			topo.AddNode("")
			if v > 0 {
				topo.AddPair(spec.NodeID(random.IntN(v)), spec.NodeID(v), 1)
			}
		}
		for range n/2 + random.IntN(n) {
			if a, b := random.IntN(n), random.IntN(n); a != b {
				topo.AddPair(spec.NodeID(a), spec.NodeID(b), 1)
			}
		}
		r, err := route.Route(context.Background(), topo, route.Options{Engine: route.Nue, VCs: 1, Check: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Unrouted) > 0 || r.Check.Verdict() != spec.Holds {
			t.Errorf("%d: %d nodes, %d links: no route for %v, %s", seed, n, topo.Links(), r.Unrouted, r.Check.Verdict())
		}
	}
}
