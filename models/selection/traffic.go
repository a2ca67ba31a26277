package selection

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec"
)

// Packet says from where to where something is sent.
type Packet struct{ From, To spec.NodeID }

// Traffic is what is sent in a machine.
type Traffic struct {
	// Packets are sent once each, at any time. With Again another one follows each
	// as soon as it has left its source.
	Packets []Packet
	Again   bool
	// InFlight is the number of packets that the channels may hold together, 0 for
	// any number. With it what holds is shown for such traffic only; where nothing
	// in flight can move it could not with more traffic either.
	InFlight int
	// Ready sources choose again until their packet leaves, whatever the form. A
	// packet that has not left holds nothing that another waits for, so no knot
	// needs one that has committed at its source; but it may enter a VC that the
	// function would not choose at that moment.
	Ready bool
	// Spares claims what the paper's second aim comes to: that no step chooses CF of
	// the lowest of several dimensions while a higher one has a free VC ([Spares]).
	Spares bool
}

// Limits of a machine: beyond them no search would end.
const (
	MostPackets = 256
	mostPlaces  = 4096 // pairs of a channel and the destination of a packet in it
)

func (t Traffic) check(g *grid.Grid) error {
	if len(t.Packets) > MostPackets {
		return fmt.Errorf("%d packets: want at most %d", len(t.Packets), MostPackets)
	}
	for i, p := range t.Packets {
		if p.From == p.To || int(max(p.From, p.To)) >= g.Nodes() || min(p.From, p.To) < 0 {
			return fmt.Errorf("packet %d goes from node %d to node %d: want two of the %d nodes", i, p.From, p.To, g.Nodes())
		}
	}
	return nil
}

// Column returns a packet from each node of column 0 to the node one column and
// two rows on. Together they can fill the CF channels of the column's ring,
// each with one hop left in either dimension. It needs two dimensions and rings
// of four, so that two rows on is minimal.
func Column(o Options) ([]Packet, error) {
	if o.K < 4 || o.N < 2 {
		return nil, fmt.Errorf("a column of packets needs k of at least 4 and two dimensions, not k=%d, n=%d", o.K, o.N)
	}
	var packets []Packet
	for y := range o.K {
		packets = append(packets, Packet{From: spec.NodeID(y * o.K), To: spec.NodeID((y+2)%o.K*o.K + 1)})
	}
	return packets, nil
}

// All returns a packet from each node to each other one, ascending.
func All(o Options) ([]Packet, error) {
	return pairs(o, func(hops, dims int) bool { return dims > 0 })
}

// Far returns a packet from each node to each that is as far from it as any,
// ascending.
func Far(o Options) ([]Packet, error) {
	farthest := 0
	if _, err := pairs(o, func(hops, _ int) bool { farthest = max(farthest, hops); return false }); err != nil {
		return nil, err
	}
	return pairs(o, func(hops, _ int) bool { return hops == farthest })
}

// pairs lists the pairs of nodes whose number of hops and of dimensions with hops
// is wanted.
func pairs(o Options, wanted func(hops, dims int) bool) ([]Packet, error) {
	g, err := newGrid(o)
	if err != nil {
		return nil, err
	}
	const mostNodes = 256
	if g.Nodes() > mostNodes {
		return nil, fmt.Errorf("packets between all of %d nodes: want at most %d nodes", g.Nodes(), mostNodes)
	}
	var packets []Packet
	for v := range spec.NodeID(g.Nodes()) {
		for dest := range spec.NodeID(g.Nodes()) {
			hops := 0
			all := o.ways(g, v, dest)
			for _, w := range all {
				hops += w.hops
			}
			if v != dest && wanted(hops, len(all)) {
				packets = append(packets, Packet{v, dest})
			}
		}
	}
	return packets, nil
}
