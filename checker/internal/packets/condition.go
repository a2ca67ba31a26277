package packets

import (
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Condition is what an exploration records of a state, of packets or of flits.
type Condition struct {
	Empty bool // no packet is in a network channel; the other fields are not set then
	Moves bool // something other than an injection is possible
	Stuck bool // packets wait only for each other (spec.Waiting); a packet may be starved where none do
	Lost  bool // some packet is lost (machines.Lost)
}

// ConditionOf returns a function that examines states by the definitions of spec and
// proofs: the plain twin of the packed machines' inspectors.
func ConditionOf(t *states.Traffic) func(words []uint64) Condition {
	lost := machines.Lost(t)
	return func(words []uint64) Condition {
		s := t.Decode(words)
		c := Condition{Empty: true}
		for i, pieces := range s.Channels {
			for _, p := range pieces {
				at := spec.ChannelID(i)
				c.Empty, c.Lost = false, c.Lost || lost[at][t.Value(at, p.Header)-1]
			}
		}
		for _, m := range t.Moves(s) {
			c.Moves = c.Moves || !c.Empty && (m.Kind != spec.Advance || !m.From.IsInjection())
		}
		c.Stuck = len(t.Stuck(s)) > 0
		return c
	}
}
