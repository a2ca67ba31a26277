package p3

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Design of the network of a move.
//
// The waits that [Settles] looks at are those of links which packets can have
// come to by entries of either kind, and from each the entries after the move.
// That is the channel dependency graph of a network in which PEs send straight
// into every link that such packets reach, and packets then follow the entries
// after the move: what they went through before is left out, for it is past. With
// tables that no packet meets both kinds of, each kind of targets has two classes,
// by the tables before and by those after.
//
// It is about waiting alone. All packets are for one node apart, which no link
// leads to, so that the owner of a target, too, may have sent packets for it on;
// they end at the owner, or where there is no entry for them.

// SettlingNetwork returns the network whose dependency graph is the waits of
// [Settles], or of [SettlesQuietly].
func SettlingNetwork(ctx context.Context, before, after *Plane, rule Rule, quiet bool) (routing.Definition, error) {
	kinds, err := Kinds(ctx, before, after, rule)
	if err != nil {
		return routing.Definition{}, err
	}
	m := &settling{t: spec.NewTopology(), links: map[turning]spec.ChannelID{}}
	for _, r := range after.Regions {
		m.t.AddNode(r.Name)
	}
	targets := m.t.AddNode("targets")
	def := routing.Definition{Name: "packets that tables have left anywhere", Switching: spec.StoreAndForward}
	for i := range kinds {
		k := &kinds[i]
		if quiet {
			m.add(k.Owner[0], k.To[0], k.To[0])
			m.add(k.Owner[1], k.To[1], k.To[1])
			def.Classes = append(def.Classes, fmt.Sprintf("kind %d before", i), fmt.Sprintf("kind %d after", i))
			continue
		}
		either := make([]uint32, len(k.To[0]))
		for pe := range either {
			either[pe] = k.To[0][pe] | k.To[1][pe]
		}
		m.add(k.Owner[1], either, k.To[1])
		def.Classes = append(def.Classes, fmt.Sprintf("kind %d", i))
	}
	def.Topology, def.Routing = m.t, m
	def.Flows = func(src, dst spec.NodeID, c spec.Class) bool {
		return dst == targets && src != targets && m.kinds[c].ways[src] != 0
	}
	return def, nil
}

// settling is the relation of the network.
type settling struct {
	t     *spec.Topology
	links map[turning]spec.ChannelID
	kinds []settlingKind // by class
}

type settlingKind struct {
	owner         int
	ways, waiting []uint32 // by PE: the PEs that packets were sent to, and are sent to now
}

func (m *settling) add(owner int, ways, waiting []uint32) {
	m.kinds = append(m.kinds, settlingKind{owner, ways, waiting})
	for _, entries := range [...][]uint32{ways, waiting} {
		for pe, set := range entries {
			for ; set != 0; set &= set - 1 {
				a := turning{pe, bits.TrailingZeros32(set)}
				if _, known := m.links[a]; !known {
					l := m.t.AddLink(spec.Link{From: spec.NodeID(a.from), To: spec.NodeID(a.to), VCs: 1})
					m.links[a] = m.t.Channel(l, 0)
				}
			}
		}
	}
}

// Next implements routing.Relation.
func (m *settling) Next(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	pe, k := int(m.t.Head(at)), &m.kinds[h.Class]
	set := k.waiting[pe]
	switch {
	case at.IsInjection():
		set = k.ways[pe]
	case pe == k.owner:
		return append(dst, spec.Hop{Channel: spec.Eject}), nil
	}
	for ; set != 0; set &= set - 1 {
		dst = append(dst, spec.Hop{Channel: m.links[turning{pe, bits.TrailingZeros32(set)}]})
	}
	return dst, nil
}
