package spec

import (
	"fmt"
	"slices"
)

// The reference step.
//
// A state says which packets stand in which network channel, in the order in
// which they entered; the first one is the head, and only the head moves. A
// move takes one packet one hop: from an injection channel into the network,
// from channel to channel, or out. A channel holds at most Capacity packets.
// Moves happen one at a time in any order (asynchronous: any delay), and the
// sinks always drain. This is store-and-forward; virtual cut-through blocks in
// exactly the same states, because a blocked packet is taken up whole by one
// channel.
//
// These few lines are the meaning of a trace. They are written to be read, not
// to be fast.

// State holds the packets of every network channel, first in first.
type State [][]Header

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
	// Follow takes the next flit of the first message in channel From after the
	// head that took Hop before; from an injection channel, the next flit of the
	// message that is still entering Hop.Channel. Where whole messages shift,
	// there is only the Follow after a head that has left the network.
	Follow
	// Finish ends a message of any length that is still entering Hop.Channel from
	// the injection channel From: the last flit has entered.
	Finish
	// Consume has the sink of a node, named by its injection channel, consume a packet.
	Consume
)

// Capacity returns the number of packets that a channel holds: the buffer
// depth, or 1 with wormhole switching, where a channel belongs to one message
// at a time. A wormhole trace is one of messages that fit into one channel.
func (n *Network) Capacity() int {
	if n.def.Switching == Wormhole {
		return 1
	}
	return n.def.Buffer
}

// EmptyState returns the state without packets.
func (n *Network) EmptyState() State { return make(State, n.Topology().Channels()) }

// Moves lists what can happen next, in canonical order: injections by target
// and node, then the head of each channel, each by hop.
func (n *Network) Moves(s State) []Move {
	var moves []Move
	add := func(from ChannelID, h Header, hops []Hop) {
		for _, hop := range hops {
			if hop.Channel == Eject || len(s[hop.Channel]) < n.Capacity() {
				moves = append(moves, Move{From: from, Header: h, Hop: hop})
			}
		}
	}
	for i := range n.tables {
		t := &n.tables[i]
		for _, src := range t.Sources {
			add(Injection(src.Node), Header{Dest: t.Dest, Class: t.Class}, n.Row(src.Row))
		}
	}
	for c, packets := range s {
		if len(packets) > 0 {
			hops, _ := n.Hops(Site{ChannelID(c), packets[0]})
			add(ChannelID(c), packets[0], hops)
		}
	}
	return moves
}

// Step returns the state after one move, or says why the move is not possible.
// s is not changed.
func (n *Network) Step(s State, m Move) (State, error) {
	t := n.Topology()
	if m.From == Eject || int(m.From) >= t.Channels() || !m.From.IsInjection() && m.From < 0 || int(t.nodeOfInjection(m.From)) >= t.Nodes() {
		return nil, fmt.Errorf("channel %d does not exist", m.From)
	}
	hops, legal := n.Hops(Site{m.From, m.Header})
	switch {
	case !legal:
		return nil, fmt.Errorf("no packet for %s with that header comes to %s", n.headerName(m.Header), t.ChannelName(m.From))
	case !m.From.IsInjection() && (len(s[m.From]) == 0 || s[m.From][0] != m.Header):
		return nil, fmt.Errorf("the packet for %s is not at the head of %s", n.headerName(m.Header), t.ChannelName(m.From))
	case !slices.Contains(hops, m.Hop):
		return nil, fmt.Errorf("the relation does not permit this hop from %s for %s", t.ChannelName(m.From), n.headerName(m.Header))
	case m.Hop.Channel != Eject && len(s[m.Hop.Channel]) >= n.Capacity():
		return nil, fmt.Errorf("%s is full", t.ChannelName(m.Hop.Channel))
	}
	after := slices.Clone(s)
	if !m.From.IsInjection() {
		after[m.From] = slices.Clone(s[m.From][1:])
	}
	if c := m.Hop.Channel; c != Eject {
		moved := m.Header
		moved.Tag = m.Hop.Tag
		after[c] = append(slices.Clone(s[c]), moved)
	}
	return after, nil
}

func (t *Topology) nodeOfInjection(c ChannelID) NodeID {
	if !c.IsInjection() {
		return 0
	}
	return NodeID(-2 - c)
}

func (n *Network) headerName(h Header) string {
	if h.Dest < 0 || int(h.Dest) >= n.Topology().Nodes() {
		return fmt.Sprintf("node %d", h.Dest)
	}
	return n.Topology().Node(h.Dest).Name
}
