package routing_test

import (
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// A one-way ring: a packet that has not arrived takes the only link onward.
func ExampleCompile() {
	t := spec.NewTopology("vc")
	for range 3 {
		t.AddNode("")
	}
	for v := range spec.NodeID(3) {
		t.AddLink(spec.Link{From: v, To: (v + 1) % 3, VCs: 1})
	}
	onward := func(p routing.Packet) routing.Choice {
		return routing.Adaptive(t.Hop(t.OutLinks(p.Node)[0], 0))
	}
	n, err := routing.Compile(context.Background(), routing.Definition{
		Name: "ring", Topology: t, Routing: routing.Router{Topology: t, Route: onward}, Switching: spec.StoreAndForward,
	}, routing.CompileOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(n.SiteCount(), "legal pairs of a channel and a header")
	hops, _ := n.Hops(spec.Site{Channel: spec.Injection(0), Header: spec.Header{Dest: 2}})
	fmt.Println("from 0 to 2, first", t.ChannelName(hops[0].Channel))
	// Output:
	// 6 legal pairs of a channel and a header
	// from 0 to 2, first 0->1 vc
}
