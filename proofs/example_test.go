package proofs_test

import (
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// A line of three nodes, one way: the second channel must have the lower rank,
// as packets continue from the first to it.
func ExampleVerify() {
	t := spec.NewTopology()
	for range 3 {
		t.AddNode("")
	}
	t.AddLink(spec.Link{From: 0, To: 1, VCs: 1})
	t.AddLink(spec.Link{From: 1, To: 2, VCs: 1})
	onward := routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
		for _, out := range t.OutLinks(t.Head(at)) {
			dst = append(dst, spec.Hop{Channel: t.Channel(out, 0)})
		}
		return dst
	})
	n, err := routing.Compile(context.Background(),
		routing.Definition{Name: "line", Topology: t, Routing: routing.Deliver(t, onward)}, routing.CompileOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := &proofs.Certificate{Network: n.Digest(), Property: spec.DeadlockFreedom, Switching: spec.StoreAndForward, Kind: proofs.Rank, Rank: []int32{1, 0}}
	fmt.Println(proofs.Verify(context.Background(), n, c))
	c.Rank = []int32{0, 1}
	fmt.Println(proofs.Verify(context.Background(), n, c))
	// Output:
	// <nil>
	// at 0->1 vc0 for 2, class 0, tag 0: rank 0, but 1 after a hop
}
