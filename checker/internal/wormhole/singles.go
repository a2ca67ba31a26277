package wormhole

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/spec"
)

// Worms of one channel each never overlap, so deletion alone decides whether they can be
// stuck (relation.Usage.Drain). Deletion also yields a minimal set, none of whose worms
// can be spared.

// singles are the channels that can be held by stuck worms of one channel each,
// during deletion.
type singles struct {
	n      *spec.Network
	u      *relation.Usage
	alive  []bool
	count  int
	gone   []int32            // by row: its hops' channels that are deleted
	stuck  []int32            // by channel: its rows without such a channel
	rowsTo [][]spec.RowID     // by channel: rows in use with a hop into it
	users  [][]spec.ChannelID // by row: usable channels that have it in use
	wants  [][]spec.ChannelID // by row: channels that a head with it waits for
	needed []bool             // by channel: every stuck set contains it
	log    []spec.ChannelID   // deleted, in order
}

func newSingles(n *spec.Network, u *relation.Usage, usable []bool) *singles {
	s := &singles{
		n: n, u: u,
		alive:  make([]bool, len(usable)),
		gone:   make([]int32, n.RowCount()),
		stuck:  make([]int32, len(usable)),
		rowsTo: make([][]spec.RowID, len(usable)),
		users:  make([][]spec.ChannelID, n.RowCount()),
		wants:  make([][]spec.ChannelID, n.RowCount()),
		needed: make([]bool, len(usable)),
	}
	for c := range spec.ChannelID(len(usable)) {
		if !usable[c] {
			continue
		}
		s.alive[c] = true
		s.count++
		for _, r := range u.Of(c) {
			if relation.Waits(n, r) {
				s.users[r] = append(s.users[r], c)
			}
		}
	}
	for r := range spec.RowID(n.RowCount()) {
		if len(s.users[r]) == 0 {
			continue
		}
		s.wants[r] = wantedChannels(n, r)
		for _, c := range s.wants[r] {
			s.rowsTo[c] = append(s.rowsTo[c], r)
			if !s.alive[c] {
				s.gone[r]++
			}
		}
		if s.gone[r] == 0 {
			for _, c := range s.users[r] {
				s.stuck[c]++
			}
		}
	}
	for c := range spec.ChannelID(len(usable)) {
		if s.alive[c] && s.stuck[c] == 0 {
			s.remove(c)
		}
	}
	return s
}

// remove deletes a channel and all that follow from it; false as soon as a needed
// one would go.
func (s *singles) remove(c spec.ChannelID) bool {
	at := len(s.log)
	s.alive[c] = false
	s.log = append(s.log, c)
	ok := !s.needed[c]
	for ; at < len(s.log); at++ {
		s.count--
		for _, r := range s.rowsTo[s.log[at]] {
			if s.gone[r]++; s.gone[r] > 1 {
				continue
			}
			for _, user := range s.users[r] {
				if s.stuck[user]--; s.stuck[user] == 0 && s.alive[user] {
					s.alive[user] = false
					s.log = append(s.log, user)
					ok = ok && !s.needed[user]
				}
			}
		}
		if !ok {
			s.count -= len(s.log) - at - 1
			s.undoPartly(at)
			return false
		}
	}
	return true
}

// undoPartly leaves the log as it is but restores the counts as if its entries
// after at had been processed, so that restore can undo all of them alike.
func (s *singles) undoPartly(at int) {
	for _, c := range s.log[at+1:] {
		for _, r := range s.rowsTo[c] {
			if s.gone[r]++; s.gone[r] == 1 {
				for _, user := range s.users[r] {
					s.stuck[user]--
				}
			}
		}
	}
}

// restore takes back all deletions after the first keep.
func (s *singles) restore(keep int) {
	for _, c := range s.log[keep:] {
		s.alive[c] = true
		s.count++
		for _, r := range s.rowsTo[c] {
			if s.gone[r]--; s.gone[r] == 0 {
				for _, user := range s.users[r] {
					s.stuck[user]++
				}
			}
		}
	}
	s.log = s.log[:keep]
}

// shrink deletes what a stuck set can do without, channel by channel.
func (s *singles) shrink(ctx context.Context) error {
	var next []spec.ChannelID // wanted by needed channels: probably needed, and quickly shown to be
	try := func(c spec.ChannelID) {
		if !s.alive[c] || s.needed[c] {
			return
		}
		keep := len(s.log)
		if s.remove(c) && s.count > 0 {
			return
		}
		s.restore(keep)
		s.needed[c] = true
		for _, r := range s.u.Of(c) {
			if s.gone[r] == 0 {
				next = append(next, s.wants[r]...)
			}
		}
	}
	for c := range spec.ChannelID(len(s.alive)) {
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
	whole := newSingles(n, u, usable)
	if whole.count == 0 {
		return nil, nil
	}
	var local *singles
	eachNeighbourhood(n.Topology(), func(inside []bool) bool {
		for c := range inside {
			inside[c] = inside[c] && whole.alive[c]
		}
		s := newSingles(n, u, inside)
		if s.count > 0 {
			local = s
		}
		return local == nil && ctx.Err() == nil
	})
	if local == nil {
		local = whole
	}
	alive := slices.Clone(local.alive)
	if err := local.shrink(ctx); err != nil {
		return nil, err
	}
	worms := local.worms()
	if n.SiteCount() > mostSitesForSingles {
		return worms, nil
	}
	return fewerSingles(ctx, n, alive, worms)
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

// worms makes a worm for each channel left, waiting for the fewest channels.
func (s *singles) worms() []Worm {
	var out []Worm
	for c := range spec.ChannelID(len(s.alive)) {
		if !s.alive[c] {
			continue
		}
		best := spec.RowID(-1)
		for _, r := range s.u.Of(c) {
			if len(s.wants[r]) > 0 && s.gone[r] == 0 && (best < 0 || len(s.wants[r]) < len(s.wants[best])) {
				best = r
			}
		}
		out = append(out, Worm{Sites: []spec.Site{firstSiteWith(s.n, c, best)}})
	}
	return out
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
