package netgen_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
)

// In a property test rapid draws the networks and shrinks what fails:
//
//	rapid.Check(t, func(rt *rapid.T) { ... })
func ExampleTopology() {
	torus := rapid.Custom(func(rt *rapid.T) *spec.Topology {
		return netgen.Topology(rt, netgen.TopologyOptions{Shapes: []netgen.Shape{netgen.Torus}})
	}).Example(1)
	in := true
	for v := range spec.NodeID(torus.Nodes()) {
		in = in && len(torus.InLinks(v)) == len(torus.OutLinks(v))
	}
	fmt.Println("as many links enter each node as leave it:", in)
	// Output: as many links enter each node as leave it: true
}
