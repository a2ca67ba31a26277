package flits

import "github.com/seed-105a2da2/unknot/spec/states"

// Claims returns the claims of the traffic, for packed states.
func (m *Machine) Claims() states.Claims {
	claims := m.t.Claims()
	for i := range claims.Responses { // the responses of these channels, in order
		r, ch := &claims.Responses[i], &m.channels[i]
		r.Pending = func(s []uint64) bool { return ch.places[0].Value(s) != 0 }
		r.Answered = func(s []uint64, _ int, after []uint64) bool { return ch.movedOn(s, after) }
	}
	return claims
}

// movedOn reports whether, after a step, the head of the first piece of s or a flit of
// it has left the channel, or a piece is gone.
func (ch *channel) movedOn(s, after []uint64) bool {
	v, w := ch.places[0].Value(s), ch.places[0].Value(after)
	if v != w && v > 0 && w > 0 {
		was, is := &ch.pieces[v], &ch.pieces[w]
		if (was.out == headHere) != (is.out == headHere) || was.flits+was.rest > is.flits+is.rest {
			return true
		}
	}
	for _, p := range ch.places {
		if p.Value(s) > 0 && p.Value(after) == 0 {
			return true
		}
	}
	return false
}
