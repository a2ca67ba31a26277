package wormhole

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/spec"
)

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

// smaller looks for worms that hold fewer channels than those given, which are
// the answer to question q on the places p. It looks for the smallest in the first
// neighbourhood that has a stuck set.
func smaller(ctx context.Context, n *spec.Network, p *places, q *question, worms []Worm) ([]Worm, error) {
	visits, looked := int64(visitsForSmaller), placesForSmaller
	var failed error
	eachNeighbourhood(n.Topology(), func(inside []bool) bool {
		looked -= p.len()
		local, err := p.within(ctx, inside)
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
		found, got, err := part.anySet(ctx, sat.Limits{Conflicts: DefaultSteps, Visits: visits})
		if err != nil {
			failed = err
			return false
		}
		visits -= part.Visits
		if got == sat.Satisfied {
			q = part
			if held(found) < held(worms) {
				worms = found
			}
			return false
		}
		return looked > 0 && visits > 0
	})
	if failed != nil {
		return nil, failed
	}
	return q.fewer(ctx, worms, visits)
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
			near := within(beside, v, radius)
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

// within returns the nodes at most radius links away from a node.
func within(beside [][]spec.NodeID, from spec.NodeID, radius int) []bool {
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

// within returns the places of channels inside from which a stuck set within
// these channels is possible.
func (p *places) within(ctx context.Context, inside []bool) (*places, error) {
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

// held counts the channels of worms.
func held(worms []Worm) int {
	count := 0
	for _, w := range worms {
		count += len(w.Sites)
	}
	return count
}

// fewer looks for worms that together hold fewer channels than best, repeatedly,
// until there are none or the visits are used up.
func (q *question) fewer(ctx context.Context, best []Worm, visits int64) ([]Worm, error) {
	var some []sat.Literal
	for _, v := range q.occupied {
		if v >= 0 {
			some = append(some, sat.Yes(v))
		}
	}
	q.Require(some...)
	lim := sat.Limits{Conflicts: q.Conflicts + DefaultSteps, Visits: q.Visits + visits}
	for {
		worms, got, err := q.ask(ctx, q.Within(held(best)-1), lim)
		if err != nil {
			return nil, err
		}
		if got != sat.Satisfied {
			return best, nil
		}
		best = worms
	}
}
