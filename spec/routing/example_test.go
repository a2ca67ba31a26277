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
	fmt.Println(n.SiteCount(), "sites: reachable pairs of a channel and a header")
	hops, _ := n.Hops(spec.Site{Channel: spec.Injection(0), Header: spec.Header{Dest: 2}})
	fmt.Println("from 0 to 2, first", t.ChannelName(hops[0].Channel))
	// Output:
	// 6 sites: reachable pairs of a channel and a header
	// from 0 to 2, first 0->1 vc
}

// On a line of three nodes, an answer depends on whether the destination is behind, at or ahead of the packet's node. So
// there are three kinds, and one part gives them: its table has a row per node, which is where a place leads, and a column
// per destination.
func ExampleKinds() {
	t := spec.NewTopology()
	for range 3 {
		t.AddNode("")
	}
	t.AddPair(0, 1, 1)
	t.AddPair(1, 2, 1)
	part := routing.KindPart{Target: []int32{0, 1, 2}}
	for c := range spec.ChannelID(t.Channels()) { // one tag, so a channel is one place
		part.Place = append(part.Place, int32(3*t.Head(c)))
	}
	for v := range int32(3) { // a node that injects
		part.Place = append(part.Place, 3*v)
	}
	part.Value = []int32{
		1, 2, 2, // at node 0
		0, 1, 2, // at node 1
		0, 0, 1, // at node 2
	}
	kinds := routing.Kinds{Count: 3, Parts: []routing.KindPart{part}}
	kind := func(target, place int) (sum int32) {
		for _, p := range kinds.Parts {
			sum += p.Value[p.Target[target]+p.Place[place]]
		}
		return sum
	}
	injecting := t.Channels() // the place of node 0, as it injects
	fmt.Println("from 0 to 1 and to 2:", kind(1, injecting), kind(2, injecting))
	fmt.Println("in", t.ChannelName(0), "for 0, 1 and 2:", kind(0, 0), kind(1, 0), kind(2, 0))
	// Output:
	// from 0 to 1 and to 2: 2 2
	// in 0->1 vc0 for 0, 1 and 2: 0 1 2
}
