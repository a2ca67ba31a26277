package netgen

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestRow: the hops of a random table go out of the node on one of its channels with one of the tags,
// one or two. There are none where no link leads out, and, with mayFail only, in some draws
// elsewhere; with it only, one may leave the network.
func TestRow(t *testing.T) {
	topo := spec.NewTopology()
	middle, sink := topo.AddNode("middle"), topo.AddNode("sink")
	topo.AddLink(spec.Link{From: middle, To: sink, VCs: 2})
	topo.AddLink(spec.Link{From: middle, To: sink, VCs: 1})
	const tags = 2
	met := map[bool]map[string]int{false: {}, true: {}}
	rapid.Check(t, func(rt *rapid.T) {
		mayFail := rapid.Bool().Draw(rt, "may fail")
		if hops := row(rt, topo, sink, tags, mayFail); hops != nil {
			rt.Fatalf("%v out of a node without links", hops)
		}
		hops := row(rt, topo, middle, tags, mayFail)
		out := slices.DeleteFunc(slices.Clone(hops), func(h spec.Hop) bool { return h.Channel == spec.Eject })
		for _, h := range out {
			if h.Channel < 0 || int(h.Channel) >= topo.Channels() || h.Tag >= tags {
				rt.Fatalf("%v: no channel out of the node, or no tag", h)
			}
		}
		switch {
		case len(out) > 2 || len(hops) > len(out)+1 || len(hops) > 0 && len(out) == 0:
			rt.Fatalf("%v: want one or two, and at most one out of the network", hops)
		case len(hops) == 0:
			met[mayFail]["none"]++
		case len(hops) > len(out):
			met[mayFail]["out of the network"]++
		}
		met[mayFail][[]string{"", "one", "two"}[len(out)]]++
	})
	if met[false]["none"]+met[false]["out of the network"] > 0 {
		t.Errorf("faults where none may be: %v", met[false])
	}
	for what, most := range map[string]int{"none": 20, "out of the network": 20, "one": 100, "two": 100} {
		if seedtest.Usual() && (met[true][what] == 0 || met[true][what] > most) {
			t.Errorf("%s: %v, want some, at most %d", what, met[true], most)
		}
	}
}
