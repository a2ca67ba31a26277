package route_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/route"
	"github.com/seed-105a2da2/unknot/spec"
)

// regular is a random graph with degree links a node each way: for every two of them, a ring of the
// nodes in random order, without repeated neighbors.
func regular(n, degree int) *spec.Topology {
	t := spec.NewTopology()
	for range n {
		t.AddNode("")
	}
	random := rand.New(rand.NewPCG(1, 2))
	joined := map[[2]int]bool{}
	for rings := 0; rings < degree/2; {
		order := random.Perm(n)
		again := false
		for i, v := range order {
			again = again || joined[[2]int{v, order[(i+1)%n]}]
		}
		if again && n > 2*degree*degree { // few pairs are joined twice: mend by parallel links
			again = false
		}
		if again {
			continue
		}
		for i, v := range order {
			u := order[(i+1)%n]
			joined[[2]int{v, u}], joined[[2]int{u, v}] = true, true
			t.AddPair(spec.NodeID(v), spec.NodeID(u), 1)
		}
		rings++
	}
	return t
}

// BenchmarkRoute routes random regular networks of 1,000 switches and 8,000 links (each way) on at
// most 2 VCs if the engine can, otherwise on as many as it takes.
func BenchmarkRoute(b *testing.B) {
	for _, size := range []struct{ nodes, degree int }{{100, 8}, {300, 12}, {1000, 16}} {
		topo := regular(size.nodes, size.degree)
		for _, e := range route.Engines() {
			vcs := 2
			switch e {
			case route.DimensionOrder:
				continue
			case route.LASH, route.DFSSSP:
				vcs = 0
			}
			b.Run(fmt.Sprintf("%s/%dx%d", e, size.nodes, topo.Links()/2), func(b *testing.B) {
				for b.Loop() {
					r, err := route.Route(context.Background(), topo, route.Options{Engine: e, VCs: vcs})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(r.VCs), "VCs")
					b.ReportMetric(r.Stretch.Mean, "stretch")
					b.ReportMetric(r.Load.Deviation/r.Load.Mean, "spread")
					b.ReportMetric(float64(r.Load.Most)/r.Load.Mean, "most/mean")
				}
			})
		}
	}
}
