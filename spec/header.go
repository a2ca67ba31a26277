package spec

import "cmp"

// Class is the part of a header, besides the destination, that never changes on
// the way: a message class, a virtual network, a service level, an address
// cell.
type Class uint16

// Tag is the part of a header that a hop may rewrite: a dateline bit, a phase,
// a hop count. In an injection channel it is the number of a source, see [Table].
type Tag uint16

// Header is all that a router may look at.
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
}

// Discard is the hop by which a router ends a packet on purpose, wherever it is: as a lossy class drops what finds no
// room. It never waits. To a check that asks only whether a packet leaves the network, it is no different from Eject.
func Discard() Hop { return Hop{Channel: Eject, Tag: 1} }

// Discards reports whether h is [Discard].
func (h Hop) Discards() bool { return h == Discard() }

// Compare orders hops by channel, Eject first, then Discard, then by tag.
func (h Hop) Compare(k Hop) int {
	return cmp.Or(cmp.Compare(h.Channel, k.Channel), cmp.Compare(h.Tag, k.Tag))
}
