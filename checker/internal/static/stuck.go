package static

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/spec"
)

// A stuck set is a set of channels such that each can hold a packet all of
// whose permitted hops lead into the set. The deletion fixpoint leaves the
// largest one; users want small ones, and small ones are easier to reach. The
// wait-for relation is an AND-OR graph (each channel picks one row, and each row brings
// in all its hops), so a smallest stuck set is hard to find; these are minimal: no
// channel of one can be left out.

// stuckSets returns up to most small stuck sets inside the largest one, the smallest
// first, and the largest one itself last. Each is ascending. If ctx ends, they are
// fewer and larger.
func stuckSets(
	ctx context.Context, n *spec.Network, u *relation.Usage, largest []spec.ChannelID, most int,
) [][]spec.ChannelID {
	channels := n.Topology().Channels()
	s := &stuckSearch{n: n, u: u, in: make([]bool, channels), left: make([]bool, channels)}
	for _, c := range largest {
		s.in[c] = true
	}
	var sets [][]spec.ChannelID
	add := func(set []spec.ChannelID) {
		slices.Sort(set)
		if !slices.ContainsFunc(sets, func(o []spec.ChannelID) bool { return slices.Equal(o, set) }) {
			sets = append(sets, set)
		}
	}
	if ring := s.ring(); ring != nil {
		add(ring)
	}
	stride := max(1, len(largest)/most)
	for i := 0; i < len(largest) && len(sets) < most && ctx.Err() == nil; i += stride {
		add(s.prune(ctx, s.grow(largest[i])))
	}
	slices.SortStableFunc(sets, func(a, b []spec.ChannelID) int { return cmp.Compare(len(a), len(b)) })
	add(slices.Clone(largest))
	return sets
}

type stuckSearch struct {
	n    *spec.Network
	u    *relation.Usage
	in   []bool // by channel: in the largest stuck set
	left []bool // by channel: not yet deleted by close; false outside it
}

// inside reports whether a packet with row r is stuck when all channels that has
// accepts are full.
func inside(n *spec.Network, r spec.RowID, has func(spec.ChannelID) bool) bool {
	if !relation.Waits(n, r) {
		return false
	}
	return !slices.ContainsFunc(n.Row(r), func(h spec.Hop) bool { return !has(h.Channel) })
}

func (s *stuckSearch) has(c spec.ChannelID) bool { return s.in[c] }

// ring returns a shortest cycle among channels that can hold a packet with a
// single permitted hop, or nil.
func (s *stuckSearch) ring() []spec.ChannelID {
	g := graph.Collect(len(s.in), func(add func(from, to int32)) {
		for c := range spec.ChannelID(len(s.in)) {
			for _, r := range s.u.Of(c) {
				if hops := s.n.Row(r); s.in[c] && inside(s.n, r, s.has) &&
					hops[0].Channel == hops[len(hops)-1].Channel {
					add(int32(c), int32(hops[0].Channel))
				}
			}
		}
	})
	cycle, _ := graph.ShortestCycle(g, 1<<26)
	var ring []spec.ChannelID
	for _, c := range cycle {
		ring = append(ring, spec.ChannelID(c))
	}
	return ring
}

// grow closes a set around a seed: for each channel it takes the row that adds the
// fewest channels.
func (s *stuckSearch) grow(seed spec.ChannelID) []spec.ChannelID {
	set := []spec.ChannelID{seed}
	member := map[spec.ChannelID]bool{seed: true}
	for i := 0; i < len(set); i++ {
		var best spec.RowID
		fewest := -1
		for _, r := range s.u.Of(set[i]) {
			if !inside(s.n, r, s.has) {
				continue
			}
			fresh := 0
			for _, h := range s.n.Row(r) {
				if !member[h.Channel] {
					fresh++
				}
			}
			if fewest < 0 || fresh < fewest {
				best, fewest = r, fresh
			}
		}
		for _, h := range s.n.Row(best) {
			if !member[h.Channel] {
				member[h.Channel] = true
				set = append(set, h.Channel)
			}
		}
	}
	return set
}

// prune leaves out channels one by one as long as a stuck set remains.
func (s *stuckSearch) prune(ctx context.Context, set []spec.ChannelID) []spec.ChannelID {
	const tooLarge = 400 // pruning is quadratic at least
	if len(set) > tooLarge {
		return set
	}
	for i := 0; i < len(set) && ctx.Err() == nil; {
		without := slices.Concat(set[:i], set[i+1:])
		if rest := s.close(without); len(rest) > 0 {
			set, i = rest, 0
		} else {
			i++
		}
	}
	return set
}

// close returns the largest stuck set within a set.
func (s *stuckSearch) close(set []spec.ChannelID) []spec.ChannelID {
	for _, c := range set {
		s.left[c] = true
	}
	has := func(c spec.ChannelID) bool { return s.left[c] }
	for again := true; again; {
		again = false
		for _, c := range set {
			if s.left[c] && !slices.ContainsFunc(s.u.Of(c), func(r spec.RowID) bool { return inside(s.n, r, has) }) {
				s.left[c] = false
				again = true
			}
		}
	}
	rest := slices.DeleteFunc(slices.Clone(set), func(c spec.ChannelID) bool { return !s.left[c] })
	for _, c := range rest {
		s.left[c] = false
	}
	return rest
}
