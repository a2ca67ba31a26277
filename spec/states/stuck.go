package states

import "github.com/seed-105a2da2/unknot/spec"

// Stuck returns the largest stuck set of a state ([spec.Traffic.Waits]), ascending;
// none if every message can still get on (a local deadlock is a state where there is
// one). It leaves out channel after channel of which the first message does not wait.
func Stuck(t *spec.Traffic, s spec.Occupancy) []spec.ChannelID {
	in := make([]bool, len(s.Channels))
	for c, pieces := range s.Channels {
		in[c] = len(pieces) > 0
	}
	has := func(c spec.ChannelID) bool { return in[c] }
	for again := true; again; {
		again = false
		for c := range in {
			if in[c] && t.Waits(s, spec.ChannelID(c), has) != nil {
				in[c], again = false, true
			}
		}
	}
	var set []spec.ChannelID
	for c, stuck := range in {
		if stuck {
			set = append(set, spec.ChannelID(c))
		}
	}
	return set
}
