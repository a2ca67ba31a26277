package spec

import (
	"fmt"
	"slices"
)

// The reference machine of a network.
//
// An occupancy says which messages stand in which channel, first in first. The
// part of a message in one channel is a piece. A whole packet is a message of
// one flit, so packets and worms share these rules:
//
//   - The head of a message moves into a channel that accepts it: one with a
//     free place whose last message is all in, or, with atomic allocation, one
//     that holds nothing at all.
//   - Behind its head a message follows channel by channel. Its piece at the
//     front of a channel remembers the hop that its head took (Left, Out) until
//     its last flit has passed.
//   - What is still at the source (Rest) is kept with the piece in the channel
//     that the message entered first.
//
// Moves happen one at a time in any order (asynchronous: any delay). These
// lines are the meaning of a trace: written to be read, not to be fast.

// Piece is the part of a message that is in one channel.
type Piece struct {
	Header Header // as it is in this channel
	Flits  int    // in this channel; 1 for a whole packet
	Rest   int    // flits still at the source that will enter here; 1 for any number, with AnyLength
	Left   bool   // the head has moved on, by Out
	Out    Hop
}

// Occupancy is a state of a network's traffic.
type Occupancy struct {
	Channels [][]Piece // by network channel, first in first
	Sinks    []int     // by node: packets held; nil if sinks drain at once
	Sent     []int     // packets that bounds on traffic count, see package states; the step leaves it alone
}

// Traffic is how messages move in a network under a scenario, one step at a time;
// its bounds on traffic are kept by package states, which packs it as a machine. It
// is immutable and safe for concurrent use.
type Traffic struct {
	n        *Network
	sc       Scenario
	rests    int // values of Piece.Rest
	capacity int // flits that a channel buffers
	atomic   bool
}

// Traffic returns the reference step of n under a scenario, or says what is wrong
// with the scenario.
func (n *Network) Traffic(sc Scenario) (*Traffic, error) {
	sc, err := sc.settle(n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.Name(), err)
	}
	t := &Traffic{n: n, sc: sc, rests: max(1, sc.Length), capacity: n.Capacity(), atomic: sc.Flits() && !sc.Shared}
	if sc.Flits() {
		t.capacity = n.parts.Buffer
	}
	if sc.Length == AnyLength {
		t.rests = 2
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
	s := Occupancy{Channels: make([][]Piece, t.n.Topology().Channels())}
	if t.sc.Sink > 0 {
		s.Sinks = make([]int, t.n.Topology().Nodes())
	}
	return s
}

// Flits returns the number of flits in channel c.
func (s *Occupancy) Flits(c ChannelID) int {
	sum := 0
	for _, p := range s.Channels[c] {
		sum += p.Flits
	}
	return sum
}

// InFlight reports whether some message is in a network channel.
func (s *Occupancy) InFlight() bool {
	return slices.ContainsFunc(s.Channels, func(p []Piece) bool { return len(p) > 0 })
}

// feeder returns the channel from which the last message of channel c goes on
// entering c, if there is one.
func (t *Traffic) feeder(s *Occupancy, c ChannelID) (ChannelID, bool) {
	if t.rests == 1 {
		return 0, false
	}
	topo := t.n.Topology()
	for _, l := range topo.In(topo.Tail(c)) {
		for vc := range topo.Link(l).VCs {
			u := topo.Channel(l, vc)
			if p := s.Channels[u]; len(p) > 0 && p[0].Left && p[0].Out.Channel == c {
				return u, true
			}
		}
	}
	return 0, false
}

// entering reports whether the last message of channel c has not entered it
// whole.
func (t *Traffic) entering(s *Occupancy, c ChannelID) bool {
	pieces := s.Channels[c]
	if len(pieces) == 0 {
		return false
	}
	_, fed := t.feeder(s, c)
	return fed || pieces[len(pieces)-1].Rest > 0
}

// behind returns the number of flits of channel c's last message that have not
// entered c yet; a message of any length might be finished at once.
func (t *Traffic) behind(s *Occupancy, c ChannelID) int {
	pieces := s.Channels[c]
	if len(pieces) == 0 {
		return 0
	}
	rest := func(p Piece) int {
		if t.sc.Length == AnyLength {
			return 0
		}
		return p.Rest
	}
	sum := rest(pieces[len(pieces)-1])
	for u, ok := t.feeder(s, c); ok; u, ok = t.feeder(s, u) {
		sum += s.Channels[u][0].Flits + rest(s.Channels[u][0])
		if len(s.Channels[u]) > 1 {
			break // its first message is all in
		}
	}
	return sum
}

// Need returns the number of free places in channel to that a packet needs to
// move there from channel from, a network or an injection channel.
func (t *Traffic) Need(from, to ChannelID) int {
	if t.sc.Bubble == 0 {
		return 1
	}
	topo := t.n.Topology()
	if from.IsInjection() || topo.Link(topo.LinkOf(from)).Dim != topo.Link(topo.LinkOf(to)).Dim {
		return t.sc.Bubble
	}
	return 1
}

// accepts reports whether a head may move along a hop.
func (t *Traffic) accepts(s *Occupancy, from ChannelID, hop Hop) bool {
	switch c := hop.Channel; {
	case c == Eject:
		return t.sc.Sink == 0 || s.Sinks[t.n.Topology().Head(from)] < t.sc.Sink
	case t.atomic:
		return len(s.Channels[c]) == 0
	default:
		return t.capacity-s.Flits(c) >= t.Need(from, c) && !t.entering(s, c)
	}
}

// Moves lists what can happen next, in canonical order: injections by target,
// node and hop; then channel by channel what its first message can do, and what
// its source can; then the sinks.
func (t *Traffic) Moves(s Occupancy) []Move {
	var moves []Move
	advance := func(from ChannelID, h Header, hops []Hop) {
		for _, hop := range hops {
			if t.accepts(&s, from, hop) {
				moves = append(moves, Move{From: from, Header: h, Hop: hop})
			}
		}
	}
	for i := range t.n.parts.Tables {
		table := &t.n.parts.Tables[i]
		for _, src := range table.Sources {
			advance(Injection(src.Node), Header{Dest: table.Dest, Class: table.Class}, t.n.Row(src.Row))
		}
	}
	for i, pieces := range s.Channels {
		c := ChannelID(i)
		if len(pieces) == 0 {
			continue
		}
		if first := pieces[0]; !first.Left {
			if first.Flits > 0 {
				hops, _ := t.n.Hops(Site{c, first.Header})
				advance(c, first.Header, hops)
			}
		} else if t.follows(&s, c) {
			moves = append(moves, Move{Kind: Follow, From: c, Header: first.Header, Hop: first.Out})
		}
		if last := pieces[len(pieces)-1]; last.Rest > 0 {
			enter := Move{Kind: Follow, From: Injection(t.n.Topology().Tail(c)), Header: Header{Dest: last.Header.Dest, Class: last.Header.Class}, Hop: Hop{c, last.Header.Tag}}
			if t.sc.Elastic && s.Flits(c) < t.capacity {
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

// follows reports whether a flit of the first message of channel c, whose head
// has moved on, can follow it.
func (t *Traffic) follows(s *Occupancy, c ChannelID) bool {
	first := s.Channels[c][0]
	switch {
	case first.Out.Channel == Eject:
		return first.Flits > 0
	case !t.sc.Elastic:
		return false // it shifts when the head moves
	}
	return first.Flits > 0 && s.Flits(first.Out.Channel) < t.capacity
}
