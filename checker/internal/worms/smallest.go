package worms

import (
	"context"
	"errors"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/proofs/refutation"
	"github.com/seed-105a2da2/unknot/spec"
)

// Smallest looks for a stuck set of n of the least size, with wormhole switching and
// messages of any length, else of packets that fill a channel each. It returns the best
// set found, and a proof that no smaller one exists up to some size: one less than that
// set, or less still if the budget or ctx ends first, which is no error. Either may be
// nil. Verified says that [refutation.Verify] has accepted this very proof of n. Of
// messages all sets of a few are tried first, beginning with three, which takes less than
// two in clauses. Where that takes too many steps, one size more is tried: a closed set
// is met sooner than there is none. What o bounds is each of its searches, a few more
// than the first set found is large.
func Smallest(ctx context.Context, n *spec.Network, of refutation.Unit, o Options) (best []Worm, none *refutation.Refutation, verified bool, err error) {
	ask := func(most int) (found []Worm) {
		var r *refutation.Refutation
		if r, found, err = Refute(ctx, n, refutation.Bound{Of: of, Most: most}, o); r != nil {
			none, verified = r, false
		}
		return found
	}
	found, failed := smallNearby(ctx, n, of)
	switch {
	case failed != nil && ctx.Err() == nil:
		return nil, nil, false, failed
	case failed != nil:
		return found, nil, false, nil
	case found == nil:
		found = ask(n.Topology().Channels())
	}
	if of == refutation.Messages {
		verify := func(r *refutation.Refutation) error { return refutation.Verify(ctx, n, r) }
		fewer, all, failed := ofFew(ctx, n, found, verify)
		if failed != nil && ctx.Err() == nil {
			return nil, nil, false, failed
		}
		if found = fewer; all != nil {
			none, verified = all, true
		}
	}
	shown := func() int {
		if none == nil {
			return 0
		}
		return none.Bound.Most
	}
	for found != nil {
		best = found
		if found = nil; Size(best, of)-1 > shown() {
			found = ask(Size(best, of) - 1)
		}
	}
	for most := shown() + 1; most < Size(best, of)-1; most++ {
		if ask(most); shown() < most {
			break // the search has not ended
		}
	}
	if ctx.Err() != nil {
		err = nil
	}
	return best, none, verified, err
}

// ofFew tries all sets of at most three messages with verify, then of four, and so on. It
// returns the smaller stuck set that a closed set led to, or found if there is none. none
// is the proof for the largest number of messages that verify has accepted; nil if it
// accepted nothing.
func ofFew(ctx context.Context, n *spec.Network, found []Worm, verify func(*refutation.Refutation) error) (fewer []Worm, none *refutation.Refutation, err error) {
	tooMany := 0 // sizes
	for most := min(3, len(found)-1); 0 < most && most < len(found) && tooMany < 2; most++ {
		all := &refutation.Refutation{Network: n.Digest(), Bound: refutation.Bound{Of: refutation.Messages, Most: most}}
		var closed *refutation.ClosedError
		switch refused := verify(all); {
		case errors.As(refused, &closed):
			if fewer, err = packed(ctx, n, closed); fewer == nil && err == nil {
				fewer, err = waitingWith(ctx, n, closed.Rows)
			}
			if fewer == nil {
				fewer = found
			}
			return fewer, none, err
		case refused != nil:
			tooMany++
		default:
			none = all
		}
	}
	return found, none, nil
}

// smallNearby looks for a small stuck set in the neighbourhoods of nodes, narrow ones
// first, and there for smaller and smaller ones; nil if the time that this is worth ends first.
func smallNearby(ctx context.Context, n *spec.Network, of refutation.Unit) (best []Worm, failed error) {
	channels := n.Topology().Channels()
	p, err := allPlaces(ctx, n)
	if err != nil || p == nil {
		return nil, err
	}
	p = p.restrict(p.prune(channels, nil), channels)
	visits, looked := int64(visitsForSmaller), placesForSmaller
	eachNeighbourhood(n.Topology(), func(inside []bool) bool {
		looked -= p.len()
		for local := p.within(inside); local.len() > 0 && visits > 0; {
			var q *question
			if q, failed = newQuestion(ctx, n, local, of == refutation.Messages); failed != nil {
				return false
			}
			if best != nil {
				q.AtMost(Size(best, of) - 1)
			}
			found, _, err := q.anySet(ctx, sat.Limits{Conflicts: DefaultSteps, Visits: visits})
			visits -= q.Visits
			if failed = err; found == nil {
				break
			}
			best = found
		}
		return failed == nil && looked > 0 && visits > 0
	})
	return best, failed
}

// visitsForRows bounds the search of waitingWith, in literals: half a minute. A torus of 12x12
// with CA anywhere, where seven messages block each other, takes 116 million.
const visitsForRows = 150_000_000

// waitingWith looks for a stuck set of at most as many worms as there are rows, each of which
// waits for the channels of one of the rows; all these channels are held. It is nil if none
// is found within the limits.
func waitingWith(ctx context.Context, n *spec.Network, rows []int) ([]Worm, error) {
	channels := n.Topology().Channels()
	p, err := allPlaces(ctx, n)
	if err != nil || p == nil {
		return nil, err
	}
	var wants []string
	for _, row := range rows {
		wants = append(wants, encode(wanted(n, spec.RowID(row))))
	}
	for v, w := range p.want {
		if w >= 0 && !slices.Contains(wants, encode(p.wants[w])) {
			p.want[v] = -1
		}
	}
	p = p.restrict(p.prune(channels, nil), channels)
	if p.len() == 0 {
		return nil, nil
	}
	q, err := newQuestion(ctx, n, p, true)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		for _, c := range wanted(n, spec.RowID(row)) {
			if q.occupied[c] < 0 {
				return nil, nil
			}
			q.Require(sat.Yes(q.occupied[c])) // without this it takes ten times as long in tori
		}
	}
	q.AtMost(len(rows))
	found, _, err := q.anySet(ctx, sat.Limits{Conflicts: DefaultSteps, Visits: visitsForRows})
	return found, err
}

// allPlaces returns the places of all channels: of worms of any length with wormhole
// switching, else of one channel each; nil if they are too many.
func allPlaces(ctx context.Context, n *spec.Network) (*places, error) {
	p, fits, err := findPlaces(ctx, n, slices.Repeat([]bool{true}, n.Topology().Channels()), false)
	if fits && n.Switching() != spec.Wormhole {
		p, fits = p.layered(1)
	}
	if err != nil || !fits {
		return nil, err
	}
	return p, nil
}

// Size is the number of worms, or of the channels that they hold.
func Size(worms []Worm, of refutation.Unit) int {
	if of == refutation.Channels {
		return held(worms)
	}
	return len(worms)
}
