package spec

import "fmt"

// Move is one step of packets or flits, see [MoveKind].
type Move struct {
	From   ChannelID
	Header Header // the packet's header in From, before the move
	Hop    Hop
	Kind   MoveKind
}

// MoveKind says what moves.
type MoveKind uint8

const (
	// Advance takes the head of the first packet in channel From (or of a packet
	// that From, an injection channel, injects for Header's target) through one
	// permitted hop.
	Advance MoveKind = iota
	// Follow takes the next flit of the first packet in channel From after the
	// head that took Hop before; from an injection channel, the next flit of the
	// packet that is still entering Hop.Channel, with tag 0. Where whole packets shift,
	// there is only the Follow after a head that has left the network.
	Follow
	// Finish ends a packet of any length that is still entering Hop.Channel from
	// the injection channel From: the last flit has entered.
	Finish
	// Consume has the sink of a node, named by its injection channel, consume a packet.
	Consume
)

// Capacity returns the number of packets that a channel holds: the buffer
// depth, or 1 with wormhole switching, where a channel belongs to one packet
// at a time. A wormhole trace is one of packets that fit into one channel.
func (n *Network) Capacity() int { return n.parts.capacity() }

// Room returns the most room that a hop needs ([Hop]): at least 1, and at most Capacity.
func (n *Network) Room() int { return max(1, n.room) }

func (n *Network) headerName(h Header) string {
	if h.Dest < 0 || int(h.Dest) >= n.Topology().Nodes() {
		return fmt.Sprintf("node %d", h.Dest)
	}
	return n.Topology().Node(h.Dest).Name
}
