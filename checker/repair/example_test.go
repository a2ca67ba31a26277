package repair_test

import (
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/checker/repair"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// A one-way ring of three nodes needs a dateline.
func ExamplePropose() {
	t := spec.NewTopology()
	for range 3 {
		t.AddNode("")
	}
	for v := range spec.NodeID(3) {
		t.AddLink(spec.Link{From: v, To: (v + 1) % 3, VCs: 1})
	}
	onward := routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
		return append(dst, spec.Hop{Channel: t.Channel(t.OutLinks(t.Head(at))[0], 0)})
	})
	n, err := routing.Compile(context.Background(), routing.Definition{Topology: t, Routing: routing.Deliver(t, onward)}, routing.CompileOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := repair.Propose(context.Background(), n, repair.Options{Schemes: []repair.Scheme{repair.Dateline}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := r.Proposals[0]
	fmt.Println(p.Because)
	for _, line := range p.Patch {
		fmt.Println(line)
	}
	// Output:
	// 2 layers of VCs, 1 channel more; one layer is the network as it is
	// move to the next layer of VCs at the turn 1->2 vc0 then 2->0 vc0
	// at a turn between channels that lie on no cycle of the dependency graph together, return to the first layer
	// give 2->0 2 VCs instead of 1
}
