package spec

import (
	"errors"
	"fmt"
	"slices"
)

// Step returns the state after one move, or says why the move is not possible.
// s is not changed.
func (t *Traffic) Step(s Occupancy, m Move) (after Occupancy, err error) {
	after.Copy(s)
	err = t.Apply(&after, m)
	return after, err
}

// Apply makes a move in s, which must share no memory with another state and is invalid
// after an error. However deep the buffers are, many moves take time and memory
// linear in their number, except for those of packets that stretch over many channels
// or share one.
func (t *Traffic) Apply(s *Occupancy, m Move) error {
	topo := t.n.Topology()
	if m.From == Eject || int(m.From) >= topo.Channels() ||
		m.From.IsInjection() && int(topo.Head(m.From)) >= topo.Nodes() {
		return fmt.Errorf("channel %d does not exist", m.From)
	}
	if m.Hop.Channel.IsInjection() || int(m.Hop.Channel) >= topo.Channels() {
		return fmt.Errorf("no packet moves into channel %d", m.Hop.Channel)
	}
	if m.Kind == Advance {
		if err := t.permits(s, m); err != nil {
			return err
		}
	}
	return t.Make(s, m)
}

// Make is Apply without the check that the move is permitted. Call it only with a move that Moves returned for s, or
// with one that moves no head.
func (t *Traffic) Make(s *Occupancy, m Move) error {
	s.Changed = append(s.Changed[:0], m.From, m.Hop.Channel)
	switch m.Kind {
	case Advance:
		t.advance(s, m)
		return nil
	case Follow:
		return t.follow(s, m)
	case Finish:
		return t.finish(s, m)
	case Consume:
		return t.consume(s, m)
	}
	return fmt.Errorf("invalid kind of move %d", m.Kind)
}

// Copy makes s a copy of from, in the memory of s; they share nothing.
func (s *Occupancy) Copy(from Occupancy) {
	s.Channels = slices.Grow(s.Channels[:0], len(from.Channels))[:len(from.Channels)]
	for c, pieces := range from.Channels {
		if len(s.Channels[c])+len(pieces) > 0 { // mostly both are empty
			s.Channels[c] = append(s.Channels[c][:0], pieces...)
		}
	}
	s.Fed, s.Sinks = append(s.Fed[:0], from.Fed...), append(s.Sinks[:0], from.Sinks...)
	s.Sent = append(s.Sent[:0], from.Sent...)
}

// Undo takes back the last move, before which s was equal to from.
func (s *Occupancy) Undo(from *Occupancy) {
	for _, c := range s.Changed {
		if c >= 0 {
			s.Channels[c], s.Fed[c] = append(s.Channels[c][:0], from.Channels[c]...), from.Fed[c]
		}
	}
	copy(s.Sinks, from.Sinks)
	copy(s.Sent, from.Sent)
}

// waits reports whether a head with a header is the first piece in a network channel.
func (s *Occupancy) waits(c ChannelID, h Header) bool {
	pieces := s.Channels[c]
	return len(pieces) > 0 && pieces[0].Header == h && !pieces[0].Left && pieces[0].Flits > 0
}

// permits says why the head that a move names cannot take its hop, if it cannot.
func (t *Traffic) permits(s *Occupancy, m Move) error {
	topo := t.n.Topology()
	hops, legal := t.n.Hops(Site{m.From, m.Header})
	hop := m.Hop
	i, permitted := FindHop(hops, hop)
	if permitted = permitted && hop.Room == 0; permitted {
		hop = hops[i] // with its room
	}
	switch {
	case !legal:
		return fmt.Errorf("no packet for %s with that header reaches %s",
			t.n.headerName(m.Header), topo.ChannelName(m.From))
	case !m.From.IsInjection() && !s.waits(m.From, m.Header):
		return fmt.Errorf("the packet for %s is not at the head of %s",
			t.n.headerName(m.Header), topo.ChannelName(m.From))
	case !permitted:
		return fmt.Errorf("the relation does not permit this hop from %s for %s",
			topo.ChannelName(m.From), t.n.headerName(m.Header))
	case !t.accepts(s, m.From, hop) && hop.Channel == Eject:
		return fmt.Errorf("the sink of %s is full", topo.Node(topo.Head(m.From)).Name)
	case !t.accepts(s, m.From, hop) && t.Need(m.From, hop) > 1:
		return fmt.Errorf("%s has not the room for %d packets that this hop needs", topo.ChannelName(hop.Channel),
			t.Need(m.From, hop))
	case !t.accepts(s, m.From, hop):
		return fmt.Errorf("%s is full", topo.ChannelName(hop.Channel))
	}
	return nil
}

func (t *Traffic) advance(s *Occupancy, m Move) {
	moved, injected := Piece{Header: Header{m.Header.Dest, m.Header.Class, m.Hop.Tag}, Flits: 1}, m.From.IsInjection()
	if injected {
		moved.Rest = t.rests - 1
	}
	if c := m.Hop.Channel; c != Eject {
		if t.shifts && injected {
			moved.Tail = c
		} else if t.shifts {
			first := &s.Channels[m.From][0]
			moved.Tail, first.Tail = first.Tail, 0
		}
		s.Channels[c], s.Fed[c] = append(s.Channels[c], moved), max(m.From, Eject)
	} else if t.sc.Sink > 0 && !m.Hop.Discards() {
		s.Sinks[t.n.Topology().Head(m.From)]++
	}
	if !injected {
		first := &s.Channels[m.From][0]
		first.Left, first.Out = true, m.Hop
		t.leave(s, m.From)
	}
}

func (t *Traffic) follow(s *Occupancy, m Move) error {
	topo, c := t.n.Topology(), m.Hop.Channel
	if m.From.IsInjection() {
		last, err := t.atSource(s, m)
		switch {
		case err != nil:
			return err
		case !t.sc.Elastic:
			return errors.New("the flits of a rigid packet enter only as its head moves")
		case t.Flits(s, c) >= t.capacity:
			return fmt.Errorf("%s is full", topo.ChannelName(c))
		}
		last.Flits++
		last.Rest -= t.each
		return nil
	}
	pieces := s.Channels[m.From]
	if len(pieces) == 0 || !pieces[0].Left || pieces[0].Out != m.Hop || pieces[0].Header != m.Header {
		return fmt.Errorf("no flit in %s follows its head by this hop", topo.ChannelName(m.From))
	}
	if !t.follows(s, m.From) {
		return fmt.Errorf("no flit can follow from %s now", topo.ChannelName(m.From))
	}
	if c != Eject {
		s.Channels[c][len(s.Channels[c])-1].Flits++
	}
	t.leave(s, m.From)
	return nil
}

// atSource returns the piece that a packet is entering from its source.
func (t *Traffic) atSource(s *Occupancy, m Move) (*Piece, error) {
	topo, c := t.n.Topology(), m.Hop.Channel
	if !m.From.IsInjection() || c == Eject || len(s.Channels[c]) == 0 || topo.Tail(c) != topo.Head(m.From) {
		return nil, errors.New("no packet is entering there")
	}
	last := &s.Channels[c][len(s.Channels[c])-1]
	if last.Rest == 0 || last.Header != (Header{m.Header.Dest, m.Header.Class, m.Hop.Tag}) || m.Header.Tag != 0 {
		return nil, fmt.Errorf("no flit for %s is waiting to enter %s", t.n.headerName(m.Header), topo.ChannelName(c))
	}
	return last, nil
}

func (t *Traffic) finish(s *Occupancy, m Move) error {
	last, err := t.atSource(s, m)
	if err != nil {
		return err
	}
	if t.sc.Length != AnyLength {
		return errors.New("a packet of fixed length does not finish early")
	}
	last.Rest = 0
	// The last flit may be far ahead already: channels behind it are given up.
	for c := m.Hop.Channel; c != Eject; {
		p := s.Channels[c][len(s.Channels[c])-1]
		if p.Flits > 0 || !p.Left {
			break
		}
		s.Channels[c] = s.Channels[c][:len(s.Channels[c])-1]
		c = s.left(p)
	}
	return nil
}

func (t *Traffic) consume(s *Occupancy, m Move) error {
	v := t.n.Topology().Head(m.From)
	valid := m.From.IsInjection() && m.Header == (Header{}) && m.Hop == (Hop{Channel: Eject})
	if !valid || s.Sinks == nil || s.Sinks[v] == 0 {
		return errors.New("no packet to consume")
	}
	s.Sinks[v]--
	return nil
}

// leave takes one flit of the first packet out of channel c. Where whole
// packets shift, the flits behind it move up, so that the channel at its tail has
// one less unless the source sends another. A piece whose last flit has left is
// removed.
func (t *Traffic) leave(s *Occupancy, c ChannelID) {
	head := &s.Channels[c][0]
	if to := head.Out.Channel; t.shifts && to != Eject {
		head = &s.Channels[to][0]
	}
	if t.shifts {
		c = head.Tail
		s.Changed = append(s.Changed, c)
	}
	p := &s.Channels[c][0]
	if t.shifts && p.Rest > 0 {
		p.Rest -= t.each
		return
	}
	if p.Flits--; p.Flits == 0 && p.Rest == 0 && (s.Fed[c] == Eject || len(s.Channels[c]) > 1) {
		head.Tail = s.left(*p)
		pieces := s.Channels[c]
		if s.Channels[c] = pieces[1:]; len(pieces) == 1 {
			s.Channels[c] = pieces[:0] // whose memory is used again
		}
	}
}

// left ends the feeding of the channel that the head of a piece has gone to, since the
// whole packet is in, and returns that channel.
func (s *Occupancy) left(p Piece) ChannelID {
	s.Changed = append(s.Changed, p.Out.Channel)
	if p.Out.Channel != Eject {
		s.Fed[p.Out.Channel] = Eject
	}
	return p.Out.Channel
}
