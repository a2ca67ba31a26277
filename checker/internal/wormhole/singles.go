package wormhole

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/spec"
)

// Worms of one channel each never overlap, so deletion alone decides whether they can be
// stuck (relation.Deletion). Deletion also yields a minimal set, none of whose worms
// can be spared.

// shrinkSingles deletes what a stuck set can do without, channel by channel.
func shrinkSingles(ctx context.Context, n *spec.Network, u *relation.Usage, left *relation.Deletion) error {
	needed := make([]bool, len(left.Rank)) // by channel: every stuck set contains it
	var next []spec.ChannelID              // wanted by needed channels: probably needed, and quickly shown to be
	try := func(c spec.ChannelID) {
		if !left.Leaves(c) || needed[c] {
			return
		}
		keep := left.Deleted()
		if left.Remove(c, needed) && left.Left > 0 {
			return
		}
		left.Restore(keep)
		needed[c] = true
		for _, r := range u.Of(c) {
			if left.Blocks(r) {
				next = append(next, relation.Wanted(n, r)...)
			}
		}
	}
	for c := range spec.ChannelID(len(needed)) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		try(c)
		for len(next) > 0 {
			c := next[len(next)-1]
			next = next[:len(next)-1]
			try(c)
		}
	}
	return nil
}

// smallSingles returns a stuck set of worms of one channel, or nil. It prefers
// neighbourhoods (see Small sets): in the whole network, a set from which nothing can
// be spared may go once around it.
func smallSingles(ctx context.Context, n *spec.Network, u *relation.Usage, usable []bool) ([]Worm, error) {
	whole := u.Delete(usable)
	if whole.Left == 0 {
		return nil, nil
	}
	left := whole
	eachNeighbourhood(n.Topology(), func(inside []bool) bool {
		for c := range inside {
			inside[c] = inside[c] && whole.Leaves(spec.ChannelID(c))
		}
		if local := u.Delete(inside); local.Left > 0 {
			left = local
		}
		return left == whole && ctx.Err() == nil
	})
	among := make([]bool, len(usable))
	for c := range among {
		among[c] = left.Leaves(spec.ChannelID(c))
	}
	if err := shrinkSingles(ctx, n, u, left); err != nil {
		return nil, err
	}
	worms := singlesOf(n, u, left)
	if n.SiteCount() > mostSitesForSingles {
		return worms, nil
	}
	return fewerSingles(ctx, n, among, worms)
}

// mostSitesForSingles is how large a network may be for a second, dearer search for
// a smaller set when one is already known.
const mostSitesForSingles = 1 << 20

// fewerSingles looks for fewer worms of one channel among the usable channels.
func fewerSingles(ctx context.Context, n *spec.Network, usable []bool, worms []Worm) ([]Worm, error) {
	p, fits, err := findPlaces(ctx, n, usable, false)
	if err != nil || !fits {
		return worms, err
	}
	if p, fits, err = p.layered(ctx, 1, nil, nil); err != nil || !fits {
		return worms, err
	}
	q, err := newQuestion(ctx, n, p, false)
	if err != nil {
		return nil, err
	}
	return q.shrink(ctx, worms, visitsForSmaller)
}

// singlesOf makes a worm for each channel left, waiting for the fewest channels.
func singlesOf(n *spec.Network, u *relation.Usage, left *relation.Deletion) []Worm {
	var worms []Worm
	for c := range spec.ChannelID(len(left.Rank)) {
		if !left.Leaves(c) {
			continue
		}
		best, fewest := spec.RowID(-1), 0
		for _, r := range u.Of(c) {
			if wanted := len(relation.Wanted(n, r)); left.Blocks(r) && (best < 0 || wanted < fewest) {
				best, fewest = r, wanted
			}
		}
		worms = append(worms, Worm{Sites: []spec.Site{firstSiteWith(n, c, best)}})
	}
	return worms
}

// firstSiteWith returns the first site of a channel with the given row.
func firstSiteWith(n *spec.Network, c spec.ChannelID, r spec.RowID) spec.Site {
	for i := range n.Tables() {
		t := n.Table(i)
		for j, _ := slices.BinarySearch(t.Channels, c); j < t.Len() && t.Channels[j] == c; j++ {
			if t.Rows[j] == r {
				return t.Site(j)
			}
		}
	}
	return spec.Site{}
}
