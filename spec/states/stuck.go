package states

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Stuck returns the largest stuck set of a state ([spec.Waiting.Waits]), ascending;
// nil if every packet can still move on. A state with a stuck set is a local deadlock.
func Stuck(t *spec.Traffic, s spec.Occupancy) []spec.ChannelID {
	w, set, in := t.Waiting(s), new([64]spec.ChannelID)[:0], new([64]bool)[:0]
	held := func(c spec.ChannelID) bool { return len(s.Channels[c]) > 0 }
	has := func(c spec.ChannelID) bool { return in[c] }
	for c, pieces := range s.Channels { // heads first: where all can move, no chain is asked for
		if in = append(in, len(pieces) > 0 && (pieces[0].Left || w.Waits(spec.ChannelID(c), held))); in[c] {
			set = append(set, spec.ChannelID(c))
		}
	}
	set = stuckAmong(set, in, func(c spec.ChannelID) bool { // then those that move on behind them
		to := s.Channels[c][0].Out.Channel
		return !s.Channels[c][0].Left || to != spec.Eject && in[to]
	})
	return stuckAmong(set, in, func(c spec.ChannelID) bool { return w.Waits(c, has) })
}

// stuckAmong removes from a set, whose members in marks, one channel after another whose
// first packet does not wait for the rest.
func stuckAmong(set []spec.ChannelID, in []bool, waits func(spec.ChannelID) bool) []spec.ChannelID {
	for before := -1; before != len(set); {
		before = len(set)
		set = slices.DeleteFunc(set, func(c spec.ChannelID) bool {
			in[c] = waits(c)
			return !in[c]
		})
	}
	return append([]spec.ChannelID(nil), set...)
}
