package spec

import (
	"cmp"
	"slices"
)

// Class is the part of a header, besides the destination, that never changes on
// the way: a message class, a virtual network, a service level, an address
// cell.
type Class uint16

// Tag is the part of a header that a hop may rewrite: a dateline bit, a phase,
// a hop count. In an injection channel it is the number of a source, see [Table].
type Tag uint16

// Header is all that a router may look at. It stands for a packet: two with one header are routed alike.
type Header struct {
	Dest  NodeID
	Class Class
	Tag   Tag
}

// Target is the part of a header that never changes.
type Target struct {
	Dest  NodeID
	Class Class
}

// Compare orders targets by destination, then by class.
func (t Target) Compare(u Target) int {
	return cmp.Or(cmp.Compare(t.Dest, u.Dest), cmp.Compare(t.Class, u.Class))
}

// Target returns the part of h that no hop changes.
func (h Header) Target() Target { return Target{h.Dest, h.Class} }

// Hop is one permitted step: into a channel that leaves the packet's node, or
// out of the network ([Eject]), with the tag that the packet carries from then
// on. The tag of an Eject hop is 0; that of [Discard], which is no arrival, is 1.
type Hop struct {
	Channel ChannelID
	Tag     Tag
	// Room is how many packets must still fit into the channel before the hop is taken, if more than one: 2 leaves a
	// bubble (Carrión et al. 1997). 0 means 1. Only permitted hops have a Room; the Hop of a [Move] leaves it 0.
	Room uint16
}

// Discard is the hop by which a router ends a packet on purpose, wherever it is: as a lossy class drops what finds no
// room. It never waits. To a check that asks only whether a packet leaves the network, it is no different from Eject.
func Discard() Hop { return Hop{Channel: Eject, Tag: 1} }

// Discards reports whether h is [Discard].
func (h Hop) Discards() bool { return h == Discard() }

// Compare orders hops by channel, Eject first, then Discard, then by tag, then by room.
func (h Hop) Compare(k Hop) int { return cmp.Or(h.compareTo(k), cmp.Compare(h.Room, k.Room)) }

// compareTo compares where hops lead.
func (h Hop) compareTo(k Hop) int {
	return cmp.Or(cmp.Compare(h.Channel, k.Channel), cmp.Compare(h.Tag, k.Tag))
}

// Taken returns the hop as a packet takes it, without the room that it needs.
func (h Hop) Taken() Hop {
	h.Room = 0
	return h
}

// Distinct sorts the hops of a row in place, writes a room of 1 as 0, and keeps of those that lead alike the one that
// needs the least room: a packet that may take the other may take it. It returns what is left.
func Distinct(row []Hop) []Hop {
	for i := range row {
		if row[i].Room == 1 {
			row[i].Room = 0
		}
	}
	slices.SortFunc(row, Hop.Compare)
	return slices.CompactFunc(row, func(a, b Hop) bool { return a.compareTo(b) == 0 })
}

// FindHop returns the number of the hop of a row that leads where h does, whatever room they need.
func FindHop(row []Hop, h Hop) (int, bool) { return slices.BinarySearchFunc(row, h, Hop.compareTo) }
