package packets

import "github.com/seed-105a2da2/unknot/spec"

// Condition is what is to be known of a state, of packets or of flits. The first
// message of a channel counts if its head is there.
type Condition struct {
	Empty     bool // no packet is in a network channel; nothing else is said then
	Moves     bool // something but an injection is possible
	Stuck     bool // some packet can never move again
	DeadEnd   bool // some first packet has no permitted hop
	Misplaced bool // some first packet may leave the network where it should not
}

// ConditionOf finds out about a state by the definitions of spec: the plain twin
// of what the packed machines find.
func ConditionOf(t *spec.Traffic, words []uint64) Condition {
	s := t.Decode(words)
	if !s.InFlight() {
		return Condition{Empty: true}
	}
	c := Condition{Stuck: len(t.Stuck(s)) > 0}
	for _, m := range t.Moves(s) {
		c.Moves = c.Moves || m.Kind != spec.Advance || !m.From.IsInjection()
	}
	n := t.Network()
	for i, pieces := range s.Channels {
		at := spec.ChannelID(i)
		if len(pieces) == 0 || pieces[0].Left {
			continue
		}
		hops, _ := n.Hops(spec.Site{Channel: at, Header: pieces[0].Header})
		c.DeadEnd = c.DeadEnd || len(hops) == 0
		c.Misplaced = c.Misplaced || len(hops) > 0 && hops[0].Channel == spec.Eject && n.Topology().Head(at) != pieces[0].Header.Dest
	}
	return c
}
