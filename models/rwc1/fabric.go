package rwc1

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Fabric is which routers a machine joins, and by which links.
type Fabric uint8

const (
	Ring         Fabric = iota // routers 0..n-1 in one directed ring: what is common to all the others
	CCCFabric                  // directed-ring cube-connected cycles
	BanyanFabric               // circular banyan
	CCCBFabric                 // CCCB, that of RWC-1
)

// FabricNames are the names of the fabrics, in order.
var FabricNames = []string{"ring", "ccc", "c-banyan", "cccb"}

// fabricOf returns the network of routers of a machine with its relation. Nodes
// are numbered x + n*(y + 2^n*z), those of a ring by x.
func fabricOf(f Fabric, n, vcs int, border Border) (routing.Definition, error) {
	if f == Ring {
		def := directedRing(n, vcs)
		if border == After {
			def.Routing = after{def.Topology, def.Routing, n, vcs}
		}
		return def, nil
	}
	topology := map[Fabric]Topology{CCCFabric: CCC, BanyanFabric: Banyan, CCCBFabric: CCCB}[f]
	return routersOf(Options{N: n, Topology: topology, VCs: vcs, Border: border, Levels: 1})
}

// ringway is the relation of one directed ring with spiral buffers: the VC goes
// up over the border, and saturates.
type ringway struct {
	t      *spec.Topology
	n, vcs int
}

func directedRing(n, vcs int) routing.Definition {
	t := spec.NewTopology()
	for x := range n {
		t.AddNode(fmt.Sprintf("(%d)", x), x)
	}
	for x := range n {
		t.AddLink(spec.Link{From: spec.NodeID(x), To: spec.NodeID((x + 1) % n), VCs: vcs, Dim: 1, Out: "parallel0"})
	}
	return routing.Definition{Name: "ring", Topology: t, Routing: routing.Deliver(t, ringway{t, n, vcs}), Switching: spec.VirtualCutThrough}
}

// Next implements routing.Relation.
func (r ringway) Next(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	v, vc := r.t.Head(at), 0
	if !at.IsInjection() {
		vc = r.t.VC(at)
	}
	if int(v) == r.n-1 {
		vc = min(vc+1, r.vcs-1)
	}
	return append(dst, spec.Hop{Channel: r.t.Channel(spec.LinkID(v), vc)}), nil
}
