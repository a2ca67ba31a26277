package write_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// TestHasReasons: a reason of one hop, whichever it is, is one; no reason is none. Every hop of the
// line is taken once as the only one with a reason: of the source, on the way, and out.
func TestHasReasons(t *testing.T) {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	for i := range spec.NodeID(2) {
		topo.AddLink(spec.Link{From: i, To: i + 1, VCs: 1})
	}
	n := routingtest.Compile(t, routing.Definition{
		Name: "line", Topology: topo, Switching: spec.StoreAndForward, Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == 0 && dst == 2 },
		Routing: routing.Deliver(topo, routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
			return append(dst, spec.Hop{Channel: topo.Channel(topo.OutLinks(topo.Head(at))[0], 0)})
		})),
	})
	places := []spec.ChannelID{spec.Injection(0), 0, 1}
	for _, place := range places {
		some := n.WithReasons(func(s spec.Site, _ spec.Hop) spec.Reason {
			if s.Channel == place {
				return spec.Reason{Text: "a rule"}
			}
			return spec.Reason{}
		})
		if !write.HasReasons(some) {
			t.Errorf("a reason in %d is overlooked", place)
		}
	}
	if write.HasReasons(n.WithReasons(func(spec.Site, spec.Hop) spec.Reason { return spec.Reason{} })) {
		t.Error("a network without reasons has some")
	}
}
