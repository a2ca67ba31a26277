package packets_test

import (
	"context"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/internal/packets"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// smallTorus is the 3x3 torus with two VCs, x first, VC 1 from the wrap-around
// link of a dimension on, and traffic for the nodes (0,0), (0,1), (1,1) only.
func smallTorus() routing.Definition {
	t := spec.NewTopology()
	at := func(x, y int) spec.NodeID { return spec.NodeID((x+3)%3 + 3*((y+3)%3)) }
	for i := range 9 {
		t.AddNode("", i%3, i/3)
	}
	out := map[[3]int]spec.LinkID{} // node, dimension, direction
	for v := range 9 {
		x, y := v%3, v/3
		for _, d := range []int{1, -1} {
			out[[3]int{v, 0, d}] = t.AddLink(spec.Link{From: at(x, y), To: at(x+d, y), VCs: 2, Dim: 1})
			out[[3]int{v, 1, d}] = t.AddLink(spec.Link{From: at(x, y), To: at(x, y+d), VCs: 2, Dim: 2})
		}
	}
	wanted := map[spec.NodeID]bool{at(0, 0): true, at(0, 1): true, at(1, 1): true}
	return routing.Definition{
		Name: "3x3 torus", Topology: t,
		Flows: func(_, dst spec.NodeID, _ spec.Class) bool { return wanted[dst] },
		Routing: routing.Deliver(t, routing.Named("dimension order, dateline",
			routing.Func(func(dst []spec.Hop, from spec.ChannelID, h spec.Header) []spec.Hop {
				v := int(t.Head(from))
				here, there := [2]int{v % 3, v / 3}, [2]int{int(h.Dest) % 3, int(h.Dest) / 3}
				for dim := range 2 {
					if here[dim] == there[dim] {
						continue
					}
					d := 1
					if (there[dim]-here[dim]+3)%3 == 2 {
						d = -1
					}
					vc := 0
					if here[dim]+d < 0 || here[dim]+d > 2 {
						vc = 1
					} else if !from.IsInjection() && t.Link(t.LinkOf(from)).Dim == dim+1 {
						vc = t.VC(from)
					}
					return append(dst, spec.Hop{Channel: t.Channel(out[[3]int{v, dim, d}], vc)})
				}
				return dst
			}))),
	}
}

func BenchmarkExplore(b *testing.B) {
	ring := func(n string) routing.Definition {
		e, _ := models.Find("ring")
		def, err := e.Define(map[string]string{"n": n, "variant": "one-way"})
		if err != nil {
			b.Fatal(err)
		}
		def.Switching = spec.StoreAndForward
		return def
	}
	for _, bm := range []struct {
		name        string
		def         routing.Definition
		states, trs int64
	}{
		{"torus-3x3", smallTorus(), 2985984, 52752384},
		{"ring-7", ring("7"), 823543, 0},
		{"ring-8", ring("8"), 16777216, 146800640},
	} {
		n := routingtest.Compile(b, bm.def)
		tr, err := states.NewTraffic(n, spec.Scenario{})
		if err != nil {
			b.Fatal(err)
		}
		for _, workers := range []int{1, 2} {
			b.Run(bm.name+"/"+string(rune('0'+workers)), func(b *testing.B) {
				var r *walk.Result
				for b.Loop() {
					var sp *walk.Space
					m, _ := packets.New(context.Background(), tr)
					sp, r, err = walk.Explore(context.Background(), m, walk.Options{Workers: workers})
					if err != nil {
						b.Fatal(err)
					}
					sp.Release()
				}
				if r.States != bm.states || bm.trs > 0 && r.Transitions != bm.trs {
					b.Fatalf("%d states, %d transitions", r.States, r.Transitions)
				}
				b.ReportMetric(float64(r.Transitions)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mtrans/s")
				b.ReportMetric(float64(r.Peak)/float64(r.States), "B/state")
				b.ReportMetric(float64(r.Levels), "levels")
				b.ReportMetric(float64(tr.Layout().Bits()), "bits")
			})
		}
	}
}
