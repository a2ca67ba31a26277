package spec

import (
	"math"
	"strings"
)

// What is stuck. A set of channels is stuck if each holds a message, and the
// first message of each
//
//   - has its head there, not at a dead end, and all hops of the head lead into
//     channels of the set that are closed: too full ever to accept a head; or
//   - has sent its head on into a channel of the set, and has more flits in and
//     behind its channel than there will ever be room for ahead.
//
// What is stuck stays stuck: only the message whose head went from c to d enters
// d until all of it has, so at most the free places of d and the flits that leave
// d can ever leave c ([Traffic.room]); a flit that does takes one from both sides
// of each comparison above, and one that joins a full channel's queue makes it
// fuller. Conversely, at rest no flit has room ahead, and then every message is
// in the largest stuck set that neither is at a dead end nor waits for such a
// one. So, unless packets can move forever, a stuck set can be reached if and
// only if it can be at rest. A packet at a dead end is a fault of delivery and
// counts as discarded: what waits for it only is not stuck.

// Waits returns nil if the first message of channel c never leaves c whole as
// long as those of the channels that stuck accepts do not; otherwise it says
// what can happen. A set is stuck if Waits returns nil for each of its channels.
func (t *Traffic) Waits(s Occupancy, c ChannelID, stuck func(ChannelID) bool) error {
	if why, to := t.escape(&s, c, stuck); why != "" {
		return &escapeError{t.n.Topology(), why, c, to}
	}
	return nil
}

// escapeError says what can happen, in words with AT and AHEAD for channels. Who
// looks for a stuck set meets many.
type escapeError struct {
	topo      *Topology
	why       string
	at, ahead ChannelID
}

func (e *escapeError) Error() string {
	return strings.NewReplacer("AT", e.topo.ChannelName(e.at), "AHEAD", e.topo.ChannelName(e.ahead)).Replace(e.why)
}

// escape says what Waits does, in words with AT for channel c and AHEAD for the
// one that it returns; "" if the message waits.
func (t *Traffic) escape(s *Occupancy, c ChannelID, stuck func(ChannelID) bool) (why string, ahead ChannelID) {
	if len(s.Channels[c]) == 0 {
		return "AT is empty", c
	}
	first := s.Channels[c][0]
	if first.Left {
		flits := first.Flits
		if len(s.Channels[c]) == 1 {
			flits += t.behind(s, c)
		}
		switch to := first.Out.Channel; {
		case to == Eject:
			return "the packet in AT is being ejected", to
		case !stuck(to):
			return "the packet in AT can still move on from AHEAD", to
		case flits <= t.room(s, c):
			return "the rest of the message in AT fits into the channels ahead", to
		}
		return "", c
	}
	hops, _ := t.n.Hops(Site{c, first.Header})
	if len(hops) == 0 {
		return "the packet in AT has no permitted hop: a dead end, not a deadlock", c
	}
	for _, hop := range hops {
		if hop.Channel == Eject || !stuck(hop.Channel) || !t.closed(s, c, hop.Channel) {
			return "the packet in AT may still take AHEAD", hop.Channel
		}
	}
	return "", c
}

// room returns the most flits of its first message that can leave channel c as
// long as no first message of a channel ahead leaves it whole: none if the head
// is in c; otherwise the free places of the channel that the head went to, and
// what can leave that. Messages behind each other in a cycle of channels go
// round forever if there is a free place.
func (t *Traffic) room(s *Occupancy, c ChannelID) int {
	sum := 0
	for range s.Channels {
		pieces := s.Channels[c]
		if len(pieces) == 0 || !pieces[0].Left {
			return sum
		}
		if c = pieces[0].Out.Channel; c == Eject {
			return math.MaxInt
		}
		sum += t.capacity - t.Flits(s, c)
	}
	if sum > 0 {
		return math.MaxInt
	}
	return 0
}

// closed reports whether channel to never accepts a head from channel at, as
// long as its first message does not leave it whole: when all of its last
// message is in and all has left that can, there still are not enough places.
func (t *Traffic) closed(s *Occupancy, at, to ChannelID) bool {
	if t.atomic {
		return len(s.Channels[to]) > 0
	}
	return t.Flits(s, to)+t.behind(s, to)-t.room(s, to) > t.capacity-t.Need(at, to)
}
