package wormhole

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/spec"
)

// Search decides whether n has a stuck set of worms, of packets so long that each holds
// o.Channels. The set is sought within the candidates only, which should be the channels
// that the head/tail fixpoint leaves. u is the usage of n.
//
// If it returns worms, they are a stuck set that has passed Check and is minimal: no worm, and
// no end of a worm, can be left out. If the question is decided without worms, there is no stuck
// set. Otherwise the budget was used up, or the candidates have too many sites for the memory
// allowed.
//
// The order of the search is fixed, so equal questions have equal answers.
// Worms of one channel are tried first, in linear time, then for a while worms of
// two. The rest takes time exponential in the candidates at worst, and memory
// linear in their sites. A set found is then made small within limits of its own
// (see Small sets), which Steps does not count.
func Search(
	ctx context.Context, n *spec.Network, u *relation.Usage, candidates []spec.ChannelID, o Options,
) (worms []Worm, decided bool, err error) {
	usable := make([]bool, n.Topology().Channels())
	for _, c := range candidates {
		if c < 0 || int(c) >= len(usable) {
			return nil, false, fmt.Errorf("wormhole: candidate %d is not a channel of the network", c)
		}
		usable[c] = true
	}
	if o.Channels < 0 || o.Steps < 0 {
		return nil, false, fmt.Errorf("wormhole: negative bound: %d steps, %d channels", o.Steps, o.Channels)
	}
	worms, decided, err = search(ctx, n, u, usable, o)
	if err != nil {
		return nil, false, fmt.Errorf("wormhole: %w", err)
	}
	if worms != nil {
		if err := Check(n, worms); err != nil {
			return nil, false, fmt.Errorf("wormhole: the search found packets that are not deadlocked: %w", err)
		}
	}
	return worms, decided, nil
}

func search(
	ctx context.Context, n *spec.Network, u *relation.Usage, usable []bool, o Options,
) (worms []Worm, decided bool, err error) {
	if o.Channels <= 1 {
		if worms, err := smallSingles(ctx, n, u, usable); err != nil || worms != nil || o.Channels == 1 {
			return worms, err == nil, err
		}
	}
	p, fits, err := findPlaces(ctx, n, usable, false)
	if err != nil || !fits {
		return nil, false, err
	}
	lim := sat.Limits{
		Conflicts: cmp.Or(o.Steps, DefaultSteps), Visits: math.MaxInt64, Progress: o.Progress, Plain: o.Plain,
	}
	if o.Channels > 1 {
		worms, got, err := searchBounded(ctx, n, p, o.Channels, p.entries(n), lim)
		return worms, got != sat.Undecided, err
	}
	if p, err = p.pruned(ctx, len(usable), nil); err != nil {
		return nil, false, err
	}
	// Worms of two channels make a far smaller formula, and are often enough.
	quick := lim
	quick.Conflicts = min(quick.Conflicts, stepsOfTwo)
	quick.Visits = visitsForSmaller
	quick.Progress = nil
	if worms, got, err := searchBounded(ctx, n, p, 2, nil, quick); err != nil || got == sat.Satisfied {
		return worms, err == nil, err
	}
	worms, got, err := searchAmong(ctx, n, p, lim)
	return worms, got != sat.Undecided, err
}

// stepsOfTwo are the dead ends that may be spent on worms of two channels if
// longer ones are allowed.
const stepsOfTwo = 2000

// searchBounded searches for worms of at most length channels; see places.layered.
func searchBounded(
	ctx context.Context, n *spec.Network, p *places, length int, entries []bool, lim sat.Limits,
) ([]Worm, sat.Answer, error) {
	channels := n.Topology().Channels()
	bounded, fits, err := p.layered(ctx, length, entries, nil)
	if err != nil || !fits {
		return nil, sat.Undecided, err
	}
	if bounded, err = bounded.pruned(ctx, channels, nil); err != nil {
		return nil, sat.Undecided, err
	}
	return searchAmong(ctx, n, bounded, lim)
}

// searchAmong searches for worms in places.
func searchAmong(ctx context.Context, n *spec.Network, p *places, lim sat.Limits) ([]Worm, sat.Answer, error) {
	if p.len() == 0 {
		return nil, sat.Refuted, nil
	}
	q, err := newQuestion(ctx, n, p, false)
	if err != nil {
		return nil, sat.Undecided, err
	}
	worms, got, err := q.findSet(ctx, lim)
	if err != nil || got != sat.Satisfied {
		return nil, got, err
	}
	if worms, err = localSet(ctx, n, p, q, worms); err != nil {
		return nil, sat.Undecided, err
	}
	return worms, sat.Satisfied, nil
}

// Small sets.
//
// A set found anywhere among the candidates tends to be spread over the whole
// network, and soon none of its worms can be dropped. Small sets are local, so
// they are sought in the neighbourhoods of nodes, narrow ones first, with a bound
// on the channels held that is lowered until nothing more is found. All of this
// gets limited time only, measured in steps so that the answer is the same
// everywhere.

const (
	visitsForSmaller = 10_000_000 // literals, for all neighbourhoods together: about a second
	placesForSmaller = 50_000_000 // places looked at to find what is in a neighbourhood
)

// localSet looks for worms that hold fewer channels than those given, which are
// the answer to question q on the places p. It looks for the smallest in the first
// neighbourhood that has a stuck set.
func localSet(ctx context.Context, n *spec.Network, p *places, q *question, worms []Worm) ([]Worm, error) {
	visits, looked := int64(visitsForSmaller), placesForSmaller
	var failed error
	eachNeighbourhood(n.Topology(), func(inside []bool) bool {
		looked -= p.len()
		local, err := p.restrictTo(ctx, inside)
		if failed = err; failed != nil {
			return false
		}
		if local.len() == 0 {
			return looked > 0
		}
		part, err := newQuestion(ctx, n, local, false)
		if err != nil {
			failed = err
			return false
		}
		found, got, err := part.findSet(ctx, sat.Limits{Conflicts: DefaultSteps, Visits: visits})
		if err != nil {
			failed = err
			return false
		}
		visits -= part.Visits
		if got == sat.Satisfied {
			q = part
			if channelsHeld(found) < channelsHeld(worms) {
				worms = found
			}
			return false
		}
		return looked > 0 && visits > 0
	})
	if failed != nil {
		return nil, failed
	}
	return q.shrink(ctx, worms, visits)
}

// mostCentres is how many nodes are tried for each distance, spread evenly over
// the network: one would do where all nodes are alike.
const mostCentres = 24

// eachNeighbourhood calls f with the channels between nodes within a distance of
// a node, for every distance from 1 and some nodes, but never with all channels,
// until f returns false. f may change the slice.
func eachNeighbourhood(t *spec.Topology, f func(inside []bool) bool) {
	beside := make([][]spec.NodeID, t.Nodes())
	for c := range spec.ChannelID(t.Channels()) {
		a, b := t.Tail(c), t.Head(c)
		beside[a] = append(beside[a], b)
		beside[b] = append(beside[b], a)
	}
	inside := make([]bool, t.Channels())
	for radius := 1; radius < t.Nodes(); radius++ {
		partial := false
		centres := min(mostCentres, t.Nodes())
		for i := range centres {
			v := spec.NodeID(i * t.Nodes() / centres)
			near := nodesWithin(beside, v, radius)
			all := true
			for c := range spec.ChannelID(len(inside)) {
				inside[c] = near[t.Tail(c)] && near[t.Head(c)]
				all = all && inside[c]
			}
			if all {
				continue
			}
			partial = true
			if !f(inside) {
				return
			}
		}
		if !partial {
			return
		}
	}
}

// nodesWithin returns the nodes at most radius links away from a node.
func nodesWithin(beside [][]spec.NodeID, from spec.NodeID, radius int) []bool {
	near := make([]bool, len(beside))
	near[from] = true
	ring := []spec.NodeID{from}
	for ; radius > 0 && len(ring) > 0; radius-- {
		var next []spec.NodeID
		for _, v := range ring {
			for _, w := range beside[v] {
				if !near[w] {
					near[w] = true
					next = append(next, w)
				}
			}
		}
		ring = next
	}
	return near
}

// restrictTo returns the places of channels inside from which a stuck set within
// these channels is possible.
func (p *places) restrictTo(ctx context.Context, inside []bool) (*places, error) {
	left := make([]bool, p.len())
	for v, c := range p.channel {
		left[v] = inside[c]
	}
	local, err := p.restrict(ctx, left, len(inside))
	if err != nil {
		return nil, err
	}
	return local.pruned(ctx, len(inside), nil)
}

// channelsHeld counts the channels of worms.
func channelsHeld(worms []Worm) int {
	count := 0
	for _, w := range worms {
		count += len(w.Sites)
	}
	return count
}

// shrink looks for worms that together hold fewer channels than best, repeatedly,
// until there are none or the visits are used up.
func (q *question) shrink(ctx context.Context, best []Worm, visits int64) ([]Worm, error) {
	var some []sat.Literal
	for _, v := range q.occupied {
		if v >= 0 {
			some = append(some, sat.Yes(v))
		}
	}
	q.Require(some...)
	lim := sat.Limits{Conflicts: q.Conflicts + DefaultSteps, Visits: q.Visits + visits}
	for {
		worms, got, err := q.ask(ctx, q.Limit(channelsHeld(best)-1), lim)
		if err != nil {
			return nil, err
		}
		if got != sat.Satisfied {
			return best, nil
		}
		best = worms
	}
}
