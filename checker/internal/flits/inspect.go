package flits

import (
	"math"

	"github.com/seed-105a2da2/unknot/checker/internal/packets"
)

// What is wrong with a state, as defined by states.Traffic.Stuck: the
// largest set of channels whose first packets never leave them whole.

// Inspect finds in a state what packets.ConditionOf finds.
func (m *Machine) Inspect(s []uint64) packets.Condition {
	x := m.look(s)
	defer m.scratch.Put(x)
	v := x.views
	c := packets.Condition{Empty: len(x.occupied) == 0}
	if c.Empty {
		return c
	}
	if !x.stepped {
		x.kinds = x.kinds[:0]
		x.spare = m.step(x.spare[:0], s, x, m.possible(x))
	}
	c.Moves = x.moves
	held := x.list[:0]
	for _, i := range x.occupied {
		if v[i].held = !v[i].leaves; v[i].held {
			held = append(held, i)
		}
		ch := &m.channels[i]
		for k := int32(0); ch.loses && k < v[i].count; k++ {
			c.Lost = c.Lost || ch.rows[ch.pieces[ch.places[k].Value(s)].header].lost
		}
	}
	for before := len(held) + 1; len(held) < before; {
		before = len(held)
		stay := held[:0]
		for _, i := range held {
			if v[i].held = m.stays(v, i); v[i].held {
				stay = append(stay, i)
			}
		}
		held = stay
	}
	c.Stuck = len(held) > 0
	return c
}

// stays reports whether the first packet of channel c never leaves it whole as
// long as those of the held channels do not: spec.Waiting.Waits.
func (m *Machine) stays(v []view, c int32) bool {
	p := &v[c].first
	switch p.out {
	case ejected:
		return false
	case headHere:
		hops := m.channels[c].rows[p.header].hops
		for k := range hops {
			if to := hops[k].to; to == ejected || !v[to].held || !m.closed(v, to) {
				return false
			}
		}
		return len(hops) > 0
	}
	flits := p.flits
	if v[c].count == 1 {
		flits += m.flitsBehind(v, c)
	}
	return v[p.out].held && flits > m.room(v, c)
}

// room returns the most flits of its first packet that can leave channel c as
// long as no first packet ahead leaves its channel whole.
func (m *Machine) room(v []view, c int32) int32 {
	sum := int32(0)
	for range v {
		switch to := v[c].first.out; to {
		case headHere:
			return sum
		case ejected:
			return math.MaxInt32
		default:
			c = to
			sum += m.capacity - v[c].flits
		}
	}
	if sum > 0 {
		return math.MaxInt32
	}
	return 0
}

// closed reports whether a channel whose first packet never leaves it whole
// no longer accepts a head.
func (m *Machine) closed(v []view, to int32) bool {
	return m.atomic || v[to].flits+m.flitsBehind(v, to)-m.room(v, to) >= m.capacity
}

// flitsBehind returns the number of flits of a channel's last packet that have not
// entered it; a packet of any length might be finished at once.
func (m *Machine) flitsBehind(v []view, c int32) int32 {
	sum := m.remaining(&v[c].last)
	for u := v[c].feeder; u != nobody; u = v[u].feeder {
		sum += v[u].first.flits + m.remaining(&v[u].first)
		if v[u].count > 1 {
			break // its first packet is all in
		}
	}
	return sum
}

func (m *Machine) remaining(p *piece) int32 {
	if m.anyLength {
		return 0
	}
	return p.rest
}
