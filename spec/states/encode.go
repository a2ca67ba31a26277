package states

import "github.com/seed-105a2da2/unknot/spec"

// How occupancies are packed.
//
// Each channel is a queue with as many places as it can hold pieces, first in
// first. A place is 0 if it is empty; otherwise 1 + the code of its piece, and a
// piece's code is, for whole packets, the number of its header among those that
// come to the channel; for flits, a mixed number of header, hop taken (0: the
// head is here), flits and rest: flits are counted, and have no places of their
// own. After the channels come the sinks and the counts of injected packets.
//
// A channel of C > 1 flits holds at most 2 + (C-2)/L pieces of packets of L flits:
// a head enters behind a packet that is all in, so of several pieces the first and
// the last have at least one flit, and all others have L.

// Encode appends the packed form of a state.
func (t *Traffic) Encode(dst []uint64, s spec.Occupancy) []uint64 {
	at := len(dst)
	dst = append(dst, make([]uint64, t.layout.Words())...)
	t.encode(dst[at:], &s, t.all)
	return dst
}

// Decode returns the state with a packed form.
func (t *Traffic) Decode(words []uint64) spec.Occupancy {
	s := t.Empty()
	t.decode(&s, words)
	return s
}

// decode is Decode into the memory of a state of t, whose Changed must list the channels
// that have pieces in it; afterwards it does.
func (t *Traffic) decode(s *spec.Occupancy, words []uint64) {
	for _, c := range s.Changed {
		s.Channels[c] = s.Channels[c][:0]
	}
	s.Changed = s.Changed[:0]
	for i := range t.queues {
		c, q := spec.ChannelID(i), &t.queues[i]
		if s.Fed[c] = spec.Eject; q.first.Of(words) > 0 { // rarely
			s.Changed = append(s.Changed, c)
			for i := 0; i < q.places && q.Of(words, i) != 0; i++ {
				s.Channels[c] = append(s.Channels[c], t.piece(c, int(q.Of(words, i))-1))
			}
		}
	}
	t.Feed(s, s.Changed)
	for i := range s.Sinks {
		s.Sinks[i] = int(t.sinks[i].Of(words))
	}
	for i := range s.Sent {
		s.Sent[i] = int(t.sent[i].Of(words))
	}
}

// encode writes what is in some channels, and the counts, into the packed form of a state.
func (t *Traffic) encode(words []uint64, s *spec.Occupancy, channels []spec.ChannelID) {
	for _, c := range channels {
		if c >= 0 {
			q, pieces := &t.queues[c], s.Channels[c]
			if len(pieces) > 0 { // mostly there is one
				q.first.Put(words, uint64(t.code(c, &pieces[0]))+1)
			}
			for i := 1; i < len(pieces); i++ {
				q.Put(words, i, uint64(t.code(c, &pieces[i]))+1)
			}
			for i := len(pieces); i < q.fields && q.Of(words, i) != 0; i++ {
				q.Put(words, i, 0)
			}
		}
	}
	for i, held := range s.Sinks {
		t.sinks[i].Put(words, uint64(held))
	}
	for i, sent := range s.Sent {
		t.sent[i].Put(words, uint64(sent))
	}
}
