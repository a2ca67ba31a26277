package spec

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// What is stuck. A set of channels is stuck if each holds a packet, and the
// first packet of each
//
//   - has its head there, not at a dead end, and all hops of the head lead into
//     channels of the set that are closed: too full ever to accept a head; or
//   - has sent its head on into a channel of the set, and has more flits in and
//     behind its channel than there will ever be room for ahead.
//
// What is stuck stays stuck: only the packet whose head went from c to d enters
// d until all of it has, so at most the free places of d and the flits that leave
// d can ever leave c (chain.room); a flit that does takes one from both sides
// of each comparison above, and one that joins a full channel's queue makes it
// fuller. Conversely, at rest no flit has room ahead, and then every packet is
// in the largest stuck set that neither is at a dead end nor waits for one that
// is. So, unless packets can move forever, a stuck set can be reached if and
// only if it can be at rest. A packet that only such packets keep out, so that there
// is never the room that its hops need, is starved, and is not stuck. A packet at a dead end is a fault of delivery and
// counts as discarded: a message that waits only for it is not stuck.

// Waiting knows which packets wait for which in one state.
type Waiting struct {
	t      *Traffic
	s      Occupancy
	chains []chain // by channel; nil until one is asked for
}

// chain sums what lies ahead of and behind a channel, as far as the channels ahead and
// back, exclusive.
type chain struct {
	// room is how many flits of its first packet can leave it at most, as long as no first packet ahead leaves its
	// channel whole; behind, how many flits of its last packet have not entered it yet.
	room, behind int
	ahead, back  ChannelID
}

const endless = math.MaxInt / 2

// Waiting looks at a state, which must not change while the answers are asked for.
func (t *Traffic) Waiting(s Occupancy) Waiting { return Waiting{t: t, s: s} }

// chain returns the chain of a channel. The first call finds all of them in n log n steps
// and linear memory: each round at least doubles how far each chain is known (pointer
// jumping, Wyllie 1979). Packets behind each other in a cycle of channels go round
// forever if there is a free place; then the sum is endless.
func (w *Waiting) chain(c ChannelID) *chain {
	if w.chains == nil {
		w.chains = w.t.chains(&w.s)
	}
	return &w.chains[c]
}

func (t *Traffic) chains(s *Occupancy) []chain {
	chains := make([]chain, len(s.Channels))
	for c, pieces := range s.Channels {
		x := &chains[c]
		x.ahead, x.back = Eject, Eject
		if len(pieces) > 0 && pieces[0].Left {
			x.ahead, x.room = pieces[0].Out.Channel, endless
		}
		if x.ahead != Eject {
			x.room = t.capacity - t.Flits(s, x.ahead)
		}
		if len(pieces) > 0 && t.sc.Length != AnyLength { // one of any length might be finished at once
			x.behind = pieces[len(pieces)-1].Rest
		}
		if from := s.Fed[c]; from >= 0 {
			x.behind += s.Channels[from][0].Flits
			if len(s.Channels[from]) == 1 { // otherwise its first packet is all in
				x.back = from
			}
		}
	}
	for round, again := 0, true; again && round < 128; round++ {
		again = false
		for c, x := range chains {
			if x.ahead >= 0 {
				next := chains[x.ahead]
				chains[c].room, chains[c].ahead, again = min(x.room+next.room, endless), next.ahead, true
			}
			if x.back >= 0 {
				next := chains[x.back]
				chains[c].behind, chains[c].back, again = min(x.behind+next.behind, endless), next.back, true
			}
		}
	}
	return chains
}

// Waits reports whether c has a first packet, not at a dead end, that cannot leave c
// completely unless the first packet of some channel in stuck leaves first. A set is
// stuck if Waits holds for each of its channels.
func (w *Waiting) Waits(c ChannelID, stuck func(ChannelID) bool) bool {
	why, _ := w.escape(c, stuck)
	return why == ""
}

// WhyNot explains why Waits is false: what can still move the packet. "" if Waits is true.
func (w *Waiting) WhyNot(c ChannelID, stuck func(ChannelID) bool) string {
	why, ahead := w.escape(c, stuck)
	topo := w.t.n.Topology()
	return strings.NewReplacer("AT", topo.ChannelName(c), "AHEAD", topo.ChannelName(ahead)).Replace(why)
}

// CheckStuck checks that channels, in ascending order, are a stuck set of a state: nil if they are. It takes n log n
// steps in the channels of the network, and a search of the set for each hop of a blocked head.
func (t *Traffic) CheckStuck(s Occupancy, stuck []ChannelID) error {
	if len(stuck) == 0 {
		return errors.New("no channel is named as stuck")
	}
	channels, waiting := t.n.Topology().Channels(), t.Waiting(s)
	has := func(c ChannelID) bool {
		_, in := slices.BinarySearch(stuck, c)
		return in
	}
	for i, c := range stuck {
		if c < 0 || int(c) >= channels || i > 0 && c <= stuck[i-1] {
			return fmt.Errorf("stuck channels must be ascending and exist: %d is not", c)
		}
		if !waiting.Waits(c, has) {
			return errors.New(waiting.WhyNot(c, has))
		}
	}
	return nil
}

// escape returns the words of WhyNot, with AT for channel c and AHEAD for the channel
// that it returns.
func (w *Waiting) escape(c ChannelID, stuck func(ChannelID) bool) (why string, ahead ChannelID) {
	if len(w.s.Channels[c]) == 0 {
		return "AT is empty", c
	}
	first := w.s.Channels[c][0]
	if to := first.Out.Channel; first.Left {
		if to == Eject {
			return "the packet in AT is being ejected", to
		}
		if !stuck(to) {
			return "the packet in AT can still move on from AHEAD", to
		}
		flits := first.Flits
		if len(w.s.Channels[c]) == 1 {
			flits += w.chain(c).behind
		}
		if flits <= w.chain(c).room {
			return "the rest of the packet in AT fits into the channels ahead", to
		}
		return "", c
	}
	hops, _ := w.t.n.Hops(Site{c, first.Header})
	if len(hops) == 0 {
		return "the packet in AT has no permitted hop: a dead end, not a deadlock", c
	}
	for _, hop := range hops {
		if hop.Channel == Eject || !stuck(hop.Channel) || !w.closed(c, hop) {
			return "the packet in AT may still take AHEAD", hop.Channel
		}
	}
	return "", c
}

// closed reports whether the channel of a hop never accepts a head from channel at, as
// long as its first packet does not leave it whole: even when its last packet
// is all in and everything that can leave has left, there are too few places.
func (w *Waiting) closed(at ChannelID, hop Hop) bool {
	to := hop.Channel
	if w.t.atomic {
		return len(w.s.Channels[to]) > 0
	}
	return w.t.Flits(&w.s, to)+w.chain(to).behind-w.chain(to).room > w.t.capacity-w.t.Need(at, hop)
}
