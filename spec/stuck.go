package spec

import "fmt"

// What is stuck. A set of channels is stuck if the first message of none of
// them ever leaves its channel whole, whatever moves happen:
//
//   - a head that has not arrived waits for channels that will not accept it
//     again, because they are in the set and have no room that stays;
//   - a head behind another message waits for that message, in the set;
//   - a message whose head has moved on is held up where its head stands, and
//     has more flits behind than fit into the channels ahead.
//
// In a stuck set nothing that would free a channel ever happens, so it stays
// stuck. In a state at rest, in which nothing in flight can move, every message
// that is not at a dead end is in the largest stuck set; so a network can reach
// a stuck set if and only if it can reach one at rest. A head at a dead end is
// a fault of delivery, not of this kind: it counts as discarded there.

// Stuck returns the largest stuck set of a state, ascending; none if every
// message can still get on (a local deadlock is a state where there is one).
func (t *Traffic) Stuck(s Occupancy) []ChannelID {
	in := make([]bool, len(s.Channels))
	for c, pieces := range s.Channels {
		in[c] = len(pieces) > 0
	}
	has := func(c ChannelID) bool { return in[c] }
	for again := true; again; {
		again = false
		for c := range in {
			if in[c] && t.Waits(s, ChannelID(c), has) != nil {
				in[c], again = false, true
			}
		}
	}
	var set []ChannelID
	for c, stuck := range in {
		if stuck {
			set = append(set, ChannelID(c))
		}
	}
	return set
}

// Waits returns nil if the first message of channel c never leaves c whole as
// long as those of the channels that stuck accepts do not; otherwise it says
// what can happen.
func (t *Traffic) Waits(s Occupancy, c ChannelID, stuck func(ChannelID) bool) error {
	topo := t.n.Topology()
	if len(s.Channels[c]) == 0 {
		return fmt.Errorf("%s is empty", topo.ChannelName(c))
	}
	at, p := c, s.Channels[c][0]
	behind, room := p.Flits, 0
	if len(s.Channels[c]) == 1 {
		behind += t.behind(&s, c)
	}
	for p.Left {
		if p.Out.Channel == Eject {
			return fmt.Errorf("the packet in %s is leaving the network", topo.ChannelName(at))
		}
		at = p.Out.Channel
		room += t.capacity - s.flits(at)
		if len(s.Channels[at]) > 1 {
			if !stuck(at) {
				return fmt.Errorf("what is before the packet in %s may still leave", topo.ChannelName(at))
			}
			return t.heldUp(c, behind, room)
		}
		p = s.Channels[at][0]
	}
	hops := t.row(at, p.Header)
	if len(hops) == 0 {
		return fmt.Errorf("the packet in %s is at a dead end, which is no deadlock", topo.ChannelName(at))
	}
	for _, hop := range hops {
		if hop.Channel == Eject || !stuck(hop.Channel) || !t.closed(&s, at, hop.Channel) {
			return fmt.Errorf("the packet in %s may still take %s", topo.ChannelName(at), topo.ChannelName(hop.Channel))
		}
	}
	if at == c {
		return nil
	}
	return t.heldUp(c, behind, room)
}

// heldUp compares the flits in and behind a channel with the room ahead.
func (t *Traffic) heldUp(c ChannelID, behind, room int) error {
	if behind <= room {
		return fmt.Errorf("the rest of the message in %s fits into the channels ahead", t.n.Topology().ChannelName(c))
	}
	return nil
}

// closed reports whether channel to, whose first message never leaves, never
// accepts a head from channel at.
func (t *Traffic) closed(s *Occupancy, at, to ChannelID) bool {
	if t.atomic {
		return len(s.Channels[to]) > 0
	}
	return t.capacity-s.flits(to)-t.behind(s, to) < t.need(at, to)
}
