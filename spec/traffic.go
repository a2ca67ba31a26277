package spec

import (
	"fmt"
	"slices"
)

// The reference machine of a network.
//
// An occupancy says which packets stand in which channel, first in first. The
// part of a packet in one channel is a piece. A packet that moves whole is one of
// one flit, so packets and worms share these rules:
//
//   - The head of a packet moves into a channel that accepts it: one with a
//     free place whose last packet is all in, or, with atomic allocation, one
//     that holds nothing at all.
//   - Behind its head a packet follows channel by channel. Its piece at the
//     front of a channel remembers the hop that its head took (Left, Out) until
//     its last flit has passed.
//   - What is still at the source (Rest) is kept with the piece in the channel
//     that the packet entered first.
//
// Moves happen one at a time in any order (asynchronous: any delay). These
// lines are the meaning of a trace: written to be read, not to be fast.

// Piece is the part of a packet that is in one channel.
type Piece struct {
	Header Header // as it is in this channel
	Flits  int    // in this channel; 1 for a whole packet
	Rest   int    // flits still at the source that will enter here; 1 for any number, with AnyLength
	Left   bool   // the head has moved on, by Out
	Out    Hop
	// Tail is where its packet ends, if that shifts as a whole and its head is here or being ejected; otherwise 0.
	Tail ChannelID
}

// Occupancy is a state of a network's traffic.
type Occupancy struct {
	Channels [][]Piece   // by network channel, first in first
	Fed      []ChannelID // by network channel: from where its last packet is still entering it; Eject: from none
	Sinks    []int       // by node: packets held; nil if sinks drain at once
	Sent     []int       // packets that bounds on traffic count, see package states; the step leaves it alone
	// Changed lists where the last move, or unpacking, may have changed pieces. It may contain injection channels,
	// Eject and duplicates.
	Changed []ChannelID
}

// Traffic is how packets move in a network under a scenario, one step at a time;
// its bounds on traffic are kept by package states, which packs it as a machine. It
// is immutable and safe for concurrent use.
type Traffic struct {
	n        *Network
	sc       Scenario
	rests    int // values of Piece.Rest
	each     int // by which it falls with a flit that enters: 1; 0 with AnyLength
	capacity int // flits that a channel buffers
	atomic   bool
	shifts   bool // packets shift as a whole; each channel has one flit
}

// Traffic returns the reference step of n under a scenario, or says what is wrong
// with the scenario.
func (n *Network) Traffic(sc Scenario) (*Traffic, error) {
	sc, err := sc.settle(n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.Name(), err)
	}
	t := &Traffic{
		n: n, sc: sc, rests: max(1, sc.Length, 2*AnyLength*sc.Length), each: max(0, min(1, sc.Length)),
		capacity: n.Capacity(), atomic: sc.Flits() && !sc.Shared, shifts: sc.Flits() && !sc.Elastic,
	}
	if sc.Flits() {
		t.capacity = n.parts.Buffer
	}
	return t, nil
}

// Network returns the network that the traffic runs on.
func (t *Traffic) Network() *Network { return t.n }

// Scenario returns the scenario, with what follows from it filled in.
func (t *Traffic) Scenario() Scenario { return t.sc }

// Capacity returns the number of flits (whole packets) that a channel holds.
func (t *Traffic) Capacity() int { return t.capacity }

// Empty returns the state without packets.
func (t *Traffic) Empty() Occupancy {
	channels := t.n.Topology().Channels()
	s := Occupancy{Channels: make([][]Piece, channels), Fed: slices.Repeat([]ChannelID{Eject}, channels)}
	if t.sc.Sink > 0 {
		s.Sinks = make([]int, t.n.Topology().Nodes())
	}
	return s
}

// Flits returns the number of flits in channel c.
func (t *Traffic) Flits(s *Occupancy, c ChannelID) int {
	if t.rests == 1 {
		return len(s.Channels[c]) // of one flit each
	}
	sum := 0
	for _, p := range s.Channels[c] {
		sum += p.Flits
	}
	return sum
}

// Feed sets Fed and Tail to what follows from the rest of the pieces, all of which are
// in the channels among.
func (t *Traffic) Feed(s *Occupancy, among []ChannelID) {
	for _, c := range among {
		if pieces := s.Channels[c]; len(pieces) > 0 && pieces[0].Left && pieces[0].Out.Channel != Eject {
			s.Fed[pieces[0].Out.Channel] = c
		}
	}
	for _, c := range among {
		if pieces := s.Channels[c]; t.shifts && len(pieces) > 0 && (!pieces[0].Left || pieces[0].Out.Channel == Eject) {
			end := c
			for s.Fed[end] != Eject {
				end = s.Fed[end]
			}
			pieces[0].Tail = end
		}
	}
}

// entering reports whether the last packet of channel c has not entered it
// whole.
func (t *Traffic) entering(s *Occupancy, c ChannelID) bool {
	pieces := s.Channels[c]
	return s.Fed[c] >= 0 || len(pieces) > 0 && pieces[len(pieces)-1].Rest > 0
}

// Need returns the number of free places in its channel that a packet needs to take a hop from channel from, a network
// or an injection channel: the room of the hop, or, as far as the scenario keeps a bubble, what that asks for. No
// bubble is kept in a request buffer.
func (t *Traffic) Need(from ChannelID, hop Hop) int {
	topo, room := t.n.Topology(), max(1, int(hop.Room))
	if t.sc.Bubble == 0 || topo.Tail(hop.Channel) == topo.Head(hop.Channel) {
		return room
	}
	if from.IsInjection() || topo.Link(topo.LinkOf(from)).Dim != topo.Link(topo.LinkOf(hop.Channel)).Dim {
		return max(room, t.sc.Bubble)
	}
	return room
}

// accepts reports whether a head may move along a hop.
func (t *Traffic) accepts(s *Occupancy, from ChannelID, hop Hop) bool {
	switch c := hop.Channel; {
	case c == Eject:
		return t.sc.Sink == 0 || hop.Discards() || s.Sinks[t.n.Topology().Head(from)] < t.sc.Sink
	case t.atomic:
		return len(s.Channels[c]) == 0
	default:
		return t.capacity-t.Flits(s, c) >= t.Need(from, hop) && !t.entering(s, c)
	}
}

// advances appends the hops that a head may move along.
func (t *Traffic) advances(moves []Move, s *Occupancy, from ChannelID, h Header, hops []Hop) []Move {
	for _, hop := range hops {
		if t.accepts(s, from, hop) {
			moves = append(moves, Move{From: from, Header: h, Hop: hop.Taken()})
		}
	}
	return moves
}

// Injections appends the hops that a packet of a flow may take from its source, for each of its alternatives.
func (t *Traffic) Injections(moves []Move, s *Occupancy, f Flow) []Move {
	if table := t.n.TableOf(f.Target); table != nil {
		for k, src := range table.SourcesOf(f.Source) {
			moves = t.advances(moves, s, Injection(f.Source), Header{f.Target.Dest, f.Target.Class, Tag(k)},
				t.n.Row(src.Row))
		}
	}
	return moves
}

// Moves appends what can happen next, in canonical order: injections by target,
// node and hop; then channel by channel what its first packet can do, and what
// its source can; then the sinks. A flow for which sends is false injects
// nothing, and none does if sends is nil.
func (t *Traffic) Moves(moves []Move, s *Occupancy, sends func(Flow) bool) []Move {
	for i := 0; sends != nil && i < len(t.n.parts.Tables); i++ {
		table := t.n.Table(i)
		for k, src := range table.Sources {
			if sends(Flow{src.Node, table.Target}) {
				moves = t.advances(moves, s, Injection(src.Node), table.SourceSite(k).Header, t.n.Row(src.Row))
			}
		}
	}
	for i, pieces := range s.Channels {
		c := ChannelID(i)
		if len(pieces) == 0 {
			continue
		}
		if first := &pieces[0]; !first.Left {
			if first.Flits > 0 {
				hops, _ := t.n.Hops(Site{c, first.Header})
				moves = t.advances(moves, s, c, first.Header, hops)
			}
		} else if t.follows(s, c) {
			moves = append(moves, Move{Kind: Follow, From: c, Header: first.Header, Hop: first.Out})
		}
		if last := &pieces[len(pieces)-1]; last.Rest > 0 {
			enter := Move{
				Kind: Follow, From: Injection(t.n.Topology().Tail(c)),
				Header: Header{Dest: last.Header.Dest, Class: last.Header.Class}, Hop: Hop{Channel: c, Tag: last.Header.Tag},
			}
			if t.sc.Elastic && t.Flits(s, c) < t.capacity {
				moves = append(moves, enter)
			}
			if t.sc.Length == AnyLength {
				enter.Kind = Finish
				moves = append(moves, enter)
			}
		}
	}
	for v, held := range s.Sinks {
		if held > 0 {
			moves = append(moves, Move{Kind: Consume, From: Injection(NodeID(v)), Hop: Hop{Channel: Eject}})
		}
	}
	return moves
}

// follows reports whether a flit of the first packet of channel c, whose head
// has moved on, can follow it.
func (t *Traffic) follows(s *Occupancy, c ChannelID) bool {
	first := &s.Channels[c][0]
	into := first.Out.Channel // where it shifts when the head moves, unless it is elastic
	return first.Flits > 0 && (into == Eject || t.sc.Elastic && t.Flits(s, into) < t.capacity)
}
