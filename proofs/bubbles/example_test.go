package bubbles_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/proofs/bubbles"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// In a ring of three channels with two places each, a packet enters only where two places are free, so it leaves one
// of them free. Packets that move around the ring keep the number of free places. So the set of all three channels
// always has a free place, and packets that wait for each other would leave none. All channels have level 0.
func ExampleRead() {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	for v := range spec.NodeID(3) {
		topo.AddLink(spec.Link{From: v, To: (v + 1) % 3, VCs: 1})
	}
	ring := func(toEnter uint16) *spec.Network {
		n, err := routing.Compile(context.Background(), routing.Definition{
			Name: "ring", Topology: topo, Buffer: 2, Routing: routing.Router{
				Topology: topo, Route: func(p routing.Packet) routing.Choice {
					onward := spec.Hop{Channel: spec.ChannelID(topo.Head(p.At)), Room: 1}
					if p.At.IsInjection() {
						onward.Room = toEnter
					}
					if topo.Head(p.At) == p.Dest {
						onward = spec.Hop{Channel: spec.Eject}
					}
					return routing.Adaptive(onward)
				},
			},
		}, routing.CompileOptions{})
		if err != nil {
			panic(err)
		}
		return n
	}
	for _, toEnter := range []uint16{2, 1} {
		n := ring(toEnter)
		c, err := bubbles.Read("deadlock-freedom.unknot", strings.NewReader("unknot-bubbles 1\nnetwork "+n.Digest().String()+`
scenario whole packets
levels 3
0 0 0
sets 1
free 1
channels 3
0 1 2
end
`))
		if err != nil {
			panic(err)
		}
		fmt.Printf("room to enter %d: %v\n", toEnter, bubbles.Verify(context.Background(), n, c))
	}
	// Output:
	// room to enter 2: <nil>
	// room to enter 1: set 0: a hop from inject 0 into 0->1 vc0 may leave only 0 of 1 free places
}
