package page

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// On random networks every link counts the flows some packet of which may reach it, found by
// following each flow hop by hop through Network.Hops.
func TestFlowsByBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(2, 5).Draw(t, "nodes")
		top := spec.NewTopology()
		for range nodes {
			top.AddNode("")
		}
		for range rapid.IntRange(1, 8).Draw(t, "links") {
			a, b := rapid.IntRange(0, nodes-1).Draw(t, "from"), rapid.IntRange(0, nodes-1).Draw(t, "to")
			if a != b {
				top.AddLink(spec.Link{From: spec.NodeID(a), To: spec.NodeID(b), VCs: rapid.IntRange(1, 2).Draw(t, "vcs")})
			}
		}
		permitted := rapid.SliceOfN(rapid.Bool(), 97, 97).Draw(t, "permitted")
		route := routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			for _, l := range top.OutLinks(top.Head(at)) {
				for vc := range top.Link(l).VCs {
					if c := top.Channel(l, vc); permitted[(int(at+10)*7+int(c)*5+int(h.Dest)*3+int(h.Tag))%97] {
						dst = append(dst, spec.Hop{Channel: c, Tag: spec.Tag(int(c) % 2)})
					}
				}
			}
			return dst
		})
		n := routingtest.Compile(t, routing.Definition{Topology: top, Tags: 2, Routing: routing.Deliver(top, route)})
		want := make([]int, top.Links())
		for src := range spec.NodeID(nodes) {
			for dst := range spec.NodeID(nodes) {
				used := map[spec.LinkID]bool{}
				seen := map[spec.Site]bool{}
				var visit func(spec.Site)
				visit = func(s spec.Site) {
					if seen[s] {
						return
					}
					seen[s] = true
					if s.Channel >= 0 {
						used[top.LinkOf(s.Channel)] = true
					}
					hops, _ := n.Hops(s)
					for _, h := range hops {
						if h.Channel != spec.Eject {
							visit(spec.Site{Channel: h.Channel, Header: spec.Header{Dest: dst, Tag: h.Tag}})
						}
					}
				}
				if src != dst {
					visit(spec.Site{Channel: spec.Injection(src), Header: spec.Header{Dest: dst}})
				}
				for l := range used {
					want[l]++
				}
			}
		}
		f, err := countFlows(context.Background(), n, 3)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, f.Of); diff != "" || f.What != "flows" {
			t.Fatalf("%s (-want +got):\n%s", f.What, diff)
		}
		if len(f.Rows)+f.More != top.Links() {
			t.Fatalf("%d rows and %d more of %d links", len(f.Rows), f.More, top.Links())
		}
		for l, count := range f.Of {
			if w := f.weigh(spec.LinkID(l)); (w == 0) != (count == 0) || w > 5 {
				t.Fatalf("weight %d for %d flows", w, count)
			}
		}
	})
}
