package counterexamples

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Replay executes the moves of a trace with the reference step, from the empty network,
// and checks that the last state shows the fault that the trace claims. A nil error is the
// only acceptance. Replay stops when ctx is done.
//
// Soundness: the last state is reached from the empty network by steps of spec.Traffic, and
// the claim is checked in that state: a stuck set channel by channel, a loop by its
// ends. Only a trap is checked by a search, which visits all sites that the packet can
// still reach. Not covered: that the reference step is what a real router does.
func Replay(ctx context.Context, n *spec.Network, t *Trace) error {
	if t == nil {
		return errors.New("no trace")
	}
	if err := checkHead(n, t); err != nil {
		return err
	}
	traffic, s, err := End(ctx, n, t)
	if err != nil {
		return err
	}
	switch t.Fault {
	case Deadlock:
		if shown := NotionOf(traffic, s); t.Notion > shown {
			return fmt.Errorf("a %s deadlock, not a %s one", shown, t.Notion)
		}
		return traffic.CheckStuck(s, t.Stuck)
	case Loop:
		return loop(t)
	case DeadEnd, Trap:
		return atSite(n, s, t)
	case Unrouted:
		return unrouted(n, t)
	case Discarded:
		if k := len(t.Moves); k == 0 || !t.Moves[k-1].Hop.Discards() {
			return errors.New("the last move does not discard a packet")
		}
		return nil
	default:
		return misdelivery(n, t)
	}
}

// End executes the moves of a trace with the reference step and returns the state to
// which they lead.
func End(ctx context.Context, n *spec.Network, t *Trace) (*spec.Traffic, spec.Occupancy, error) {
	if t.Scenario.Bounded() {
		return nil, spec.Occupancy{}, errBounded
	}
	traffic, err := n.Traffic(t.Scenario)
	if err != nil {
		return nil, spec.Occupancy{}, err
	}
	s := traffic.Empty()
	var outstanding *spec.Outstanding
	// All other faults are those of a single packet, whenever it is sent.
	if t.Fault == Deadlock && len(n.Windows()) > 0 {
		outstanding = n.Outstanding()
	}
	for i, m := range t.Moves {
		err = cmp.Or(ctx.Err(), traffic.Apply(&s, m))
		if err == nil && outstanding != nil {
			err = outstanding.Step(&s, m)
		}
		if err != nil {
			return nil, s, fmt.Errorf("move %d is not possible: %w", i+1, err)
		}
	}
	return traffic, s, nil
}

var errBounded = errors.New("a trace bounds no traffic")

// shows maps each fault to the property that it violates.
var shows = [...]spec.Property{
	Deadlock: spec.DeadlockFreedom, Loop: spec.LivelockFreedom,
	DeadEnd: spec.Delivery, Unrouted: spec.Delivery, Misdelivery: spec.Delivery, Trap: spec.Delivery,
	Discarded: spec.NoDiscard,
}

func checkHead(n *spec.Network, t *Trace) error {
	switch {
	case t.Fault == 0 || int(t.Fault) >= len(shows):
		return fmt.Errorf("invalid fault %d", t.Fault)
	case t.Property != shows[t.Fault]:
		return fmt.Errorf("a trace to a %s violates %s, not %s", t.Fault, shows[t.Fault], t.Property)
	case t.Network != n.Digest():
		return fmt.Errorf("the trace is for another network: %s, not %s", t.Network, n.Digest())
	case t.Fault != Deadlock && (len(t.Stuck) > 0 || t.Notion != Local), t.Fault != Loop && t.Back != 0,
		t.Fault != DeadEnd && t.Fault != Unrouted && t.Fault != Trap && t.Site != (spec.Site{}):
		return fmt.Errorf("a trace to a %s has a field that means nothing there", t.Fault)
	}
	return nil
}

// loop checks that the only packet of the trace returns to a site where it has been.
func loop(t *Trace) error {
	if t.Back < 1 || t.Back >= len(t.Moves) {
		return fmt.Errorf("the loop begins with move %d: want 2 to %d", t.Back+1, len(t.Moves))
	}
	if err := onePacket(t.Moves); err != nil {
		return err
	}
	first, last := t.Moves[t.Back], t.Moves[len(t.Moves)-1]
	if last.Hop.Channel != first.From || last.Hop.Tag != first.Header.Tag {
		return errors.New("the packet does not come back to where the loop begins")
	}
	return nil
}

// onePacket checks that only the first move injects. Every other move, if it is possible,
// then moves that packet.
func onePacket(moves []spec.Move) error {
	for i, m := range moves {
		if m.Kind != spec.Advance || m.From.IsInjection() != (i == 0) {
			return fmt.Errorf("move %d: a trace of one packet begins with its injection and has no other", i+1)
		}
	}
	return nil
}

// atSite checks a trace to a dead end or into a trap.
func atSite(n *spec.Network, s spec.Occupancy, t *Trace) error {
	topo, c := n.Topology(), t.Site.Channel
	holds := func(p spec.Piece) bool { return p.Header == t.Site.Header }
	if c < 0 || int(c) >= topo.Channels() || !slices.ContainsFunc(s.Channels[c], holds) {
		return errors.New("the trace does not bring the packet to its site")
	}
	switch hops, _ := n.Hops(t.Site); { // legal, as the packet is there, or was until it left by one of them
	case t.Fault == Trap:
		return trapped(n, t.Site)
	case len(hops) > 0:
		return fmt.Errorf("the packet in %s has a permitted hop", topo.ChannelName(c))
	}
	return nil
}

// trapped checks that no site within reach permits Eject at the destination, or Discard,
// and that the packet can move.
func trapped(n *spec.Network, from spec.Site) error {
	topo, seen, queue := n.Topology(), map[spec.Site]bool{from: true}, []spec.Site{from}
	for i := 0; i < len(queue); i++ {
		hops, _ := n.Hops(queue[i])
		if i == 0 && len(hops) == 0 {
			return errors.New("the packet is at a dead end, not in a trap")
		}
		for _, h := range hops {
			if h.Discards() {
				return fmt.Errorf("the packet can still be discarded on purpose, at %s", topo.ChannelName(queue[i].Channel))
			}
			if h.Channel == spec.Eject {
				if topo.Head(queue[i].Channel) == from.Header.Dest {
					return fmt.Errorf("the packet can still arrive, by %s", topo.ChannelName(queue[i].Channel))
				}
				continue
			}
			next := spec.Site{Channel: h.Channel, Header: spec.Header{
				Dest: from.Header.Dest, Class: from.Header.Class, Tag: h.Tag,
			}}
			if !seen[next] {
				seen[next], queue = true, append(queue, next)
			}
		}
	}
	return nil
}

func unrouted(n *spec.Network, t *Trace) error {
	hops, sends := n.Hops(t.Site)
	switch {
	case len(t.Moves) > 0:
		return errors.New("a packet without a first hop cannot move")
	case !t.Site.Channel.IsInjection() || !sends:
		return errors.New("no source injects such a packet")
	case len(hops) > 0:
		return errors.New("the packet has a first hop")
	}
	return nil
}

func misdelivery(n *spec.Network, t *Trace) error {
	if len(t.Moves) == 0 {
		return errors.New("nothing is ejected in a trace without moves")
	}
	last, topo := t.Moves[len(t.Moves)-1], n.Topology()
	if last.Kind != spec.Advance || last.Hop != (spec.Hop{Channel: spec.Eject}) {
		return errors.New("the last move is not an ejection")
	}
	if topo.Head(last.From) == last.Header.Dest {
		return fmt.Errorf("the packet ejects at %s, its destination", topo.Node(last.Header.Dest).Name)
	}
	return nil
}
