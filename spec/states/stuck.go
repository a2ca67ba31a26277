package states

import "github.com/seed-105a2da2/unknot/spec"

// Stuck returns the largest stuck set of a state ([spec.Waiting.Waits]), ascending;
// none if every message can still get on (a local deadlock is a state where there is
// one).
func Stuck(t *spec.Traffic, s spec.Occupancy) []spec.ChannelID {
	in := make([]bool, len(s.Channels))
	for c, pieces := range s.Channels {
		in[c] = len(pieces) > 0
	}
	w, has := t.Waiting(s), func(c spec.ChannelID) bool { return in[c] }
	return stuckAmong(in, func(c spec.ChannelID) bool { return w.Waits(c, has) })
}

// stuckAmong leaves out channel after channel of which the first message does not
// wait for those that are in, and returns the others. It goes backward: the channel
// ahead of another mostly has the higher number.
func stuckAmong(in []bool, waits func(spec.ChannelID) bool) (set []spec.ChannelID) {
	for again := true; again; {
		again = false
		for c := len(in) - 1; c >= 0; c-- {
			if in[c] && !waits(spec.ChannelID(c)) {
				in[c], again = false, true
			}
		}
	}
	for c, stuck := range in {
		if stuck {
			set = append(set, spec.ChannelID(c))
		}
	}
	return set
}
