package packing

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// A set found anywhere among the candidates tends to be spread all over the
// network, and dropping its worms one by one ends soon. Small sets are local:
// so they are looked for in the neighbourhoods of nodes, narrow ones first, and
// there with a bound on the channels held, which is lowered until nothing more
// is found. All of this is worth a limited time only, measured in steps so that
// the answer is the same everywhere.

const (
	visitsForSmaller = 30_000_000 // literals, for all neighbourhoods together: some seconds
	placesForSmaller = 50_000_000 // places looked at, to find what is in a neighbourhood
)

// smaller looks for worms that hold fewer channels than those given, which are
// the answer of question q on the places p.
func smaller(ctx context.Context, n *spec.Network, p *places, q *question, worms []Worm) ([]Worm, error) {
	best := worms
	visits, looked := int64(visitsForSmaller), placesForSmaller
	distance := distances(n.Topology())
	for radius := int32(1); ; radius++ {
		whole := true // every neighbourhood is the whole network
		for v := range n.Topology().Nodes() {
			if visits <= 0 || looked <= 0 {
				return q.fewer(ctx, best, visits)
			}
			near := distance(spec.NodeID(v))
			inside := make([]bool, n.Topology().Channels())
			for c := range inside {
				t := n.Topology()
				inside[c] = near[t.Tail(spec.ChannelID(c))] <= radius && near[t.Head(spec.ChannelID(c))] <= radius
			}
			if !slices.Contains(inside, false) {
				continue
			}
			whole = false
			looked -= p.len()
			local := p.within(inside)
			if local.len() == 0 {
				continue
			}
			part, err := newQuestion(ctx, n, local)
			if err != nil {
				return nil, err
			}
			found, got, err := part.anySet(ctx, limits{conflicts: DefaultSteps, visits: visits})
			if err != nil {
				return nil, err
			}
			visits -= part.visits
			if got != satisfied {
				continue
			}
			if held(found) < held(best) {
				best = found
			}
			return part.fewer(ctx, best, visits)
		}
		if whole {
			return q.fewer(ctx, best, visits)
		}
	}
}

// within returns the places of channels inside from which a stuck set within
// these channels is possible.
func (p *places) within(inside []bool) *places {
	left := make([]bool, p.len())
	for v, c := range p.channel {
		left[v] = inside[c]
	}
	local := p.restrict(left, len(inside))
	return local.restrict(local.prune(len(inside)), len(inside))
}

// held counts the channels of worms.
func held(worms []Worm) int {
	count := 0
	for _, w := range worms {
		count += len(w.Sites)
	}
	return count
}

// fewer looks for worms that together hold fewer channels than best, and again,
// until there are none or the visits are used up.
func (q *question) fewer(ctx context.Context, best []Worm, visits int64) ([]Worm, error) {
	q.backTo(0)
	var some []literal
	for _, v := range q.occupied {
		if v >= 0 {
			some = append(some, yes(v))
		}
	}
	q.require(some...)
	lim := limits{conflicts: q.conflicts + DefaultSteps, visits: q.visits + visits}
	for {
		q.backTo(0)
		q.atMost(held(best) - 1)
		worms, got, err := q.ask(ctx, yes(q.add()), lim)
		if err != nil {
			return nil, err
		}
		if got != satisfied {
			return best, nil
		}
		best = worms
	}
}

// distances returns a function that finds the distance of every node from a
// given one, links taken both ways.
func distances(t *spec.Topology) func(spec.NodeID) []int32 {
	beside := make([][]spec.NodeID, t.Nodes())
	for c := range spec.ChannelID(t.Channels()) {
		a, b := t.Tail(c), t.Head(c)
		beside[a] = append(beside[a], b)
		beside[b] = append(beside[b], a)
	}
	return func(from spec.NodeID) []int32 {
		far := make([]int32, t.Nodes())
		for v := range far {
			far[v] = int32(t.Nodes()) // not reached
		}
		far[from] = 0
		queue := []spec.NodeID{from}
		for i := 0; i < len(queue); i++ {
			for _, v := range beside[queue[i]] {
				if far[v] == int32(t.Nodes()) {
					far[v] = far[queue[i]] + 1
					queue = append(queue, v)
				}
			}
		}
		return far
	}
}
