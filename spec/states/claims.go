package states

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
)

// Claims asks for what spec.Traffic.Stuck does not show: that the first packet of every
// channel moves on eventually, provided that moves are fair; injections
// need not happen. A packet at a dead end counts as discarded.
func (t *Traffic) Claims() Claims {
	c := Claims{Fair: func(action int) bool { return action != injection }} // a source finishes its message eventually
	for i := range t.queues {
		ch := spec.ChannelID(i)
		if len(t.headers[ch]) == 0 {
			continue
		}
		c.Responses = append(c.Responses, Response{
			Name: fmt.Sprintf("the packet in %s (channel %d) moves on", t.n.Topology().ChannelName(ch), ch), // channels may read alike
			Pending: func(s []uint64) bool {
				v := t.queues[ch].Of(s, 0)
				return v > 0 && (t.sc.Flits() || len(t.n.Row(t.rows[ch][v-1])) > 0)
			},
			Answered: func(s []uint64, _ int, after []uint64) bool { return t.movedOn(ch, s, after) },
		})
	}
	return c
}

// movedOn reports whether the first piece of channel c in s is not, or is no
// longer all, there after a step.
func (t *Traffic) movedOn(c spec.ChannelID, s, after []uint64) bool {
	q := &t.queues[c]
	if v, w := q.Of(s, 0), q.Of(after, 0); v != w && v > 0 && w > 0 && t.sc.Flits() {
		was, is := t.piece(c, int(v)-1), t.piece(c, int(w)-1)
		if was.Left != is.Left || was.Flits+was.Rest > is.Flits+is.Rest {
			return true
		}
	}
	return q.Taken(after) < q.Taken(s)
}

// Under returns the scenario under which a machine runs a network; nil for other
// machines.
func Under(m Machine) *spec.Scenario {
	if t, ok := m.(*Traffic); ok {
		sc := t.Scenario()
		return &sc
	}
	return nil
}
