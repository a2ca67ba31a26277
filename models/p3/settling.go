package p3

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Design of the networks of a move.
//
// A packet crosses a link by the entry of one PE and then waits for the hop that the entry of
// the next PE names. A discipline of rewriting matters only because one entry may be as
// before the move and the other as after, and packets of both sorts may be in the network
// together. The path by which packets got there does not matter. So in the network of a
// move, PEs inject into every link into which entries may have sent packets, and from there
// packets follow the entries that they may still meet. If its dependency graph has no cycle,
// packets that the tables have left anywhere never wait in a cycle, however many there are.
//
// The network only models waiting. All packets are for a separate node to which no link
// leads, because the owner of a target may also have forwarded packets for it; they end at
// the owner.

// Settling returns the network of a move. If quietly is set, each packet meets entries of
// one sort, but packets for different targets may meet different sorts. This is the case if
// an entry waits for the packets for its target, and these are held or all entries for the
// target change at once. Otherwise a packet may have come by any entry, and waits by an
// entry as after the move, as all entries are in the end.
func Settling(ctx context.Context, m Move, quietly bool) (routing.Definition, error) {
	kinds, err := Kinds(ctx, m.Before, m.After, m.Rule)
	if err != nil {
		return routing.Definition{}, err
	}
	s := &settling{t: spec.NewTopology(), links: map[[2]int]spec.ChannelID{}}
	for _, r := range m.After.Regions {
		s.t.AddNode(r.Name)
	}
	targets := s.t.AddNode("targets")
	for i := range kinds {
		k := &kinds[i]
		name := fmt.Sprintf("kind %d %s, of %s before and %s after",
			i, &k.Cell, m.Before.Regions[k.Owner[0]].Name, m.After.Regions[k.Owner[1]].Name)
		if quietly {
			s.add(name+", before", k.Owner[0], k.To[0], k.To[0])
			s.add(name+", after", k.Owner[1], k.To[1], k.To[1])
			continue
		}
		either := slices.Clone(k.To[0])
		for pe := range either {
			either[pe] |= k.To[1][pe]
		}
		s.add(name, k.Owner[1], either, k.To[1])
	}
	flows := func(src, dst spec.NodeID, c spec.Class) bool {
		return dst == targets && src != targets && s.kinds[c].sent[src] != 0
	}
	return routing.Definition{
		Name: "packets that tables have left anywhere", Topology: s.t, Classes: s.names, Flows: flows, Routing: s,
		Switching: spec.StoreAndForward,
	}, nil
}

// settling is the relation of the network.
type settling struct {
	t     *spec.Topology
	links map[[2]int]spec.ChannelID
	kinds []settlingKind // by class
	names []string
}

type settlingKind struct {
	owner         int      // where packets end
	sent, waiting []uint32 // by PE: to which PEs packets were sent, and to which they are sent now
}

func (m *settling) add(name string, owner int, sent, waiting []uint32) {
	m.names = append(m.names, name)
	m.kinds = append(m.kinds, settlingKind{owner, sent, waiting})
	for _, entries := range [...][]uint32{sent, waiting} {
		for pe, set := range entries {
			for ; set != 0; set &= set - 1 {
				a := [2]int{pe, bits.TrailingZeros32(set)}
				if _, known := m.links[a]; !known {
					l := m.t.AddLink(spec.Link{From: spec.NodeID(a[0]), To: spec.NodeID(a[1]), VCs: 1})
					m.links[a] = m.t.Channel(l, 0)
				}
			}
		}
	}
}

// AppendHops implements routing.Relation.
func (m *settling) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	pe, k := int(m.t.Head(at)), &m.kinds[h.Class]
	set := k.waiting[pe]
	switch {
	case at.IsInjection():
		set = k.sent[pe]
	case pe == k.owner:
		return append(dst, spec.Hop{Channel: spec.Eject}), nil
	}
	for ; set != 0; set &= set - 1 {
		dst = append(dst, spec.Hop{Channel: m.links[[2]int{pe, bits.TrailingZeros32(set)}]})
	}
	return dst, nil
}

// Reason names the kind of targets.
func (m *settling) Reason(_ spec.ChannelID, h spec.Header, _ spec.Hop) spec.Reason {
	return spec.Reason{Text: "an entry for targets of " + m.names[h.Class]}
}
