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
// A packet crosses a link by the entry of one PE and waits there for what the next
// PE's entry says; a discipline of rewriting matters in so far as the one entry may
// be as before the move and the other as after, and packets of different sorts may
// stand in the network together. Where packets have got to is past: so in the
// network of a move PEs send straight into every link that entries may have sent
// packets into, and packets then follow the entries that they may still meet. If
// its dependency graph has no cycle, packets that the tables have left anywhere,
// however many, do not wait in a cycle forever.
//
// It is about waiting alone. All packets are for one node apart, which no link
// leads to, so that the owner of a target, too, may have sent packets for it on;
// they end at the owner, or where there is no entry for them.

// Meeting says which entries packets may meet while tables are rewritten.
type Meeting uint8

const (
	// Phases: all entries as before the move, and after that all as after it. What
	// waits in a cycle then does so by the forwarding of one of the planes alone.
	Phases Meeting = iota
	// Sorts: each packet meets entries of one sort, but packets for different
	// targets may meet different ones.
	Sorts
	// Afterwards: a packet has come by any entry; it waits by one as after, which
	// all are in the end.
	Afterwards
	// Anything: a packet comes, and waits, by entries of either sort.
	Anything
)

// MeetingNames say which entries those are.
var MeetingNames = []string{"all as before the move, then all as after it", "of one sort each, packets for different targets of different sorts", "any, and those as after the move in the end", "any"}

// Meets says which entries packets may meet under a discipline:
//
//   - all packets held, and an entry waits for those for its target: until all
//     entries have been rewritten, packets of kinds that change travel by entries
//     as before; after that, all do by entries as after. So they do if an entry
//     waits for the whole network, and packets for its target are held: once one
//     has been rewritten no packet of a kind that changes is under way by entries
//     as before, nor let in. ([Phases])
//   - an entry waits for the packets for its target, and these are held or all
//     entries for it change at once; or, with AtOnce, none of them waits before an
//     entry that changes. ([Sorts])
//   - entries wait for nothing: all are rewritten in the end, so a packet that
//     waits forever does so by an entry as after. ([Afterwards])
//   - else [Anything].
func (d Discipline) Meets() Meeting {
	switch {
	case d.Wait >= OfTarget && d.Hold == Everybody, d.Wait == OfNetwork && d.Hold == TargetsOwn:
		return Phases
	case d.Wait >= OfTarget && (d.Hold == TargetsOwn || d.Order == AtOnce), d.Wait == Inputs && d.Order == AtOnce:
		return Sorts
	case d.Wait == Nothing:
		return Afterwards
	}
	return Anything
}

// Settling returns the network of a move in which packets meet entries of both
// sorts: any meeting but [Phases].
func Settling(ctx context.Context, before, after *Plane, rule Rule, meets Meeting) (routing.Definition, error) {
	if meets == Phases || int(meets) >= len(MeetingNames) {
		return routing.Definition{}, fmt.Errorf("meeting %d has no network of its own", meets)
	}
	kinds, err := Kinds(ctx, before, after, rule)
	if err != nil {
		return routing.Definition{}, err
	}
	m := &settling{t: spec.NewTopology(), links: map[[2]int]spec.ChannelID{}}
	for _, r := range after.Regions {
		m.t.AddNode(r.Name)
	}
	targets := m.t.AddNode("targets")
	def := routing.Definition{Name: "packets that tables have left anywhere", Switching: spec.StoreAndForward}
	for i := range kinds {
		k := &kinds[i]
		name := fmt.Sprintf("kind %d %s, of %s before and %s after", i, &k.Cell, before.Regions[k.Owner[0]].Name, after.Regions[k.Owner[1]].Name)
		either := slices.Clone(k.To[0])
		for pe := range either {
			either[pe] |= k.To[1][pe]
		}
		switch meets {
		case Sorts:
			m.add(k.Owner[0], k.To[0], k.To[0])
			m.add(k.Owner[1], k.To[1], k.To[1])
			def.Classes = append(def.Classes, name+", before", name+", after")
		case Afterwards:
			m.add(k.Owner[1], either, k.To[1])
			def.Classes = append(def.Classes, name)
		default:
			m.add(-1, either, either)
			def.Classes = append(def.Classes, name)
		}
	}
	m.names = def.Classes
	def.Topology, def.Routing = m.t, m
	def.Flows = func(src, dst spec.NodeID, c spec.Class) bool {
		return dst == targets && src != targets && m.kinds[c].ways[src] != 0
	}
	return def, nil
}

// settling is the relation of the network.
type settling struct {
	t     *spec.Topology
	links map[[2]int]spec.ChannelID
	kinds []settlingKind // by class
	names []string
}

type settlingKind struct {
	owner         int      // where packets end, -1 where there are no entries
	ways, waiting []uint32 // by PE: the PEs that packets were sent to, and are sent to now
}

func (m *settling) add(owner int, ways, waiting []uint32) {
	m.kinds = append(m.kinds, settlingKind{owner, ways, waiting})
	for _, entries := range [...][]uint32{ways, waiting} {
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
		dst = append(dst, spec.Hop{Channel: m.links[[2]int{pe, bits.TrailingZeros32(set)}]})
	}
	return dst, nil
}

// Reason names the kind of targets.
func (m *settling) Reason(_ spec.ChannelID, h spec.Header, _ spec.Hop) string {
	return "an entry for targets of " + m.names[h.Class]
}
