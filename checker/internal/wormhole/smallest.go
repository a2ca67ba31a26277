package wormhole

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/deadline"
)

// A smallest stuck set, and a proof that none is smaller, by search from both sides.
//
// Stages, each of which may shrink the best set or raise the size that is excluded: small neighbourhoods of the
// network, which find sets quickly but prove nothing (smallestNearby); all sets of a few packets (closedSets), whose
// enumeration is a proof without clauses; then clauses that say "there is a stuck set of at most k"
// ([sizedQuestion]), for the least open k and for one less than the best set, in turn, with budgets that grow by a
// constant factor, so that the time wasted on the harder side is at most proportional to that spent on the easier.
//
// Invariants: better was called for Worms, each time with a smaller set; None was accepted by [refutation.Verify];
// none, which may be ahead of it, excludes at least as much; all sizes are decided once excluded() = size()-1. Near
// the deadline the time that the last proof took to verify is kept back (reserve), as one that is not verified counts
// for nothing.

// Least is what is known about the size of the smallest stuck set.
type Least struct {
	Worms []Worm // the smallest set found; nil: none
	// that none is smaller, up to its bound; accepted by [unsat.Verify]; perhaps in packets where channels
	// are counted; nil: nothing shown
	None *unsat.Proof
	// what ended the search before None covered all smaller sizes; nil if it does; findings.OutOfTime if the context has
	// ended it or is about to
	Why findings.Fact
}

// Smallest looks for a smallest stuck set of n, with wormhole switching of packets of any
// length, otherwise of packets that fill one channel each, and for a proof that there is no
// smaller one. It ends when it has both; when one size takes more than o.Visits, if that is
// not 0; when a proof needs more room than o gives; or with ctx, which is not an error. It calls
// better with each set smaller than those before.
//
// All sets of a few packets are tried first, starting with three, which takes less time than
// two in clauses. Each packet holds a channel, so that says something about channels, too.
// Then two sizes take turns, with more time in each turn: the least one still open, and one
// less than the best set.
func Smallest(
	ctx context.Context, n *spec.Network, of unsat.Unit, o Options, better func([]Worm) error,
) (*Least, error) {
	s := &smallestSearch{n: n, of: of, o: o, better: better}
	if err := s.search(ctx); err != nil && ctx.Err() == nil {
		return nil, err
	}
	if s.Why == nil && (s.None != s.none || s.isOpen()) {
		s.Why = findings.OutOfTime
	}
	return &s.Least, nil
}

// smallestSearch is a search for the smallest stuck set.
type smallestSearch struct {
	Least
	n      *spec.Network
	of     unsat.Unit
	o      Options
	better func([]Worm) error
	all    *sizedQuestion // nil until clauses are asked

	none     *unsat.Proof  // None, or one for a larger size that is not verified yet
	verified time.Time     // when None was verified
	cost     time.Duration // of verifying None
}

// size is the size of the best set, or one more than any can have.
func (s *smallestSearch) size() int {
	if s.Worms == nil {
		return s.n.Topology().Channels() + 1
	}
	return Size(s.Worms, s.of)
}

// excluded is the largest size up to which a proof excludes stuck sets.
func (s *smallestSearch) excluded() int {
	if s.none == nil {
		return 0
	}
	return s.none.Bound.Most
}

// isOpen reports whether sizes are still open.
func (s *smallestSearch) isOpen() bool { return s.excluded() < s.size()-1 }

func (s *smallestSearch) improve(worms []Worm) error {
	if worms == nil || Size(worms, s.of) >= s.size() {
		return nil
	}
	s.Worms = worms
	return s.better(worms)
}

// verify verifies a proof, unless sizes are open and one was verified a moment ago: what
// an interrupt finds unverified took little time to show.
func (s *smallestSearch) verify(ctx context.Context) error {
	if s.none == s.None || s.isOpen() && time.Since(s.verified) < 2*s.cost {
		return nil
	}
	began := time.Now()
	if err := s.check(ctx, ctx, s.none); err != nil {
		return fmt.Errorf("wormhole: the proof that there are no %d %s: %w", s.excluded(), s.none.Bound.Of, err)
	}
	s.None, s.verified, s.cost = s.none, time.Now(), time.Since(began)
	return nil
}

// check verifies an unsatisfiability proof within a context, but stops waiting once ctx has ended: the verifier does
// not check its context while it clears memory for a large formula.
func (s *smallestSearch) check(ctx, within context.Context, r *unsat.Proof) error {
	checked := make(chan error, 1)
	go func() { checked <- unsat.Verify(within, s.n, r) }()
	select {
	case err := <-checked:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// search looks nearby, then for few packets, then with clauses.
func (s *smallestSearch) search(ctx context.Context) error {
	found, err := smallestNearby(ctx, s.n, s.of)
	if err := cmp.Or(s.improve(found), err); err != nil {
		return err
	}
	if s.Worms == nil {
		if _, err := s.ask(ctx, s.size()-1, cmp.Or(s.o.Visits, math.MaxInt64/2)); err != nil {
			return err
		}
	}
	if s.Worms != nil && (s.of == unsat.Packets || s.n.Switching() == spec.Wormhole) {
		if err := s.searchPackets(ctx); err != nil {
			return err
		}
	}
	if err := s.alternate(ctx); err != nil {
		return err
	}
	s.cost = 0
	return s.verify(ctx)
}

// searchPackets tries all sets of a few packets. Where packets are counted it may use most of
// the time, as clauses rarely prove a larger bound. Where channels are counted clauses do, so it tries very few
// packets, or uses a quarter of the time.
func (s *smallestSearch) searchPackets(ctx context.Context) error {
	end, timed := ctx.Deadline()
	left, most := time.Until(end), len(s.Worms)-1
	switch {
	case s.of == unsat.Packets:
		left /= 8
	case timed:
		left -= left / 4
	default:
		const veryFew = 4
		most = min(most, veryFew)
	}
	within, cancel := earlier(ctx, left)
	defer cancel()
	fewer, none, err := closedSets(within, s.n, s.Worms, most,
		func(within context.Context, r *unsat.Proof) error { return s.check(ctx, within, r) })
	if none != nil {
		s.none, s.None = none, none
	}
	if err != nil && within.Err() == nil {
		return err
	}
	return s.improve(fewer)
}

// alternate asks about the least open size and about one less than the best set,
// in turn, each time for longer.
func (s *smallestSearch) alternate(ctx context.Context) error {
	const first, more = 4_000_000, 3 // literals: a second or two
	for visits := int64(first); s.isOpen() && s.Why == nil; visits *= more {
		if s.o.Visits > 0 {
			visits = min(visits, s.o.Visits)
		}
		decided := 0
		for _, size := range []func() int{func() int { return s.excluded() + 1 }, func() int { return s.size() - 1 }} {
			for s.isOpen() {
				ok, err := s.ask(ctx, size(), visits)
				if err != nil {
					return err
				}
				if !ok {
					break
				}
				decided++
			}
		}
		switch {
		case !s.isOpen():
		case s.outOfTime(ctx):
			s.Why = findings.OutOfTime
		case decided > 0 || s.Why != nil:
		case s.all.out.size > s.all.out.most:
			s.Why = findings.ProofTooLong{Numbers: s.all.out.most}
		case visits == s.o.Visits:
			s.Why = findings.SearchTooLong{Propagations: visits}
		}
	}
	return nil
}

// ask looks for a set up to a size, or a proof that none exists, and reports whether
// it has either. It leaves time to verify.
func (s *smallestSearch) ask(ctx context.Context, most int, visits int64) (bool, error) {
	if s.all == nil {
		var err error
		if s.all, err = newSizedQuestion(ctx, s.n, nil, s.of, s.o); err != nil {
			return false, err
		}
		if s.all == nil {
			s.Why = findings.NetworkTooLarge
			return false, nil
		}
	}
	within, cancel := earlier(ctx, s.reserve())
	defer cancel()
	none, found, err := s.all.decide(within, most, sat.Limits{
		Conflicts: math.MaxInt64,
		Visits:    s.all.visited() + visits,
	})
	switch {
	case err != nil && within.Err() == nil:
		return false, err
	case none != nil:
		s.none = none
		return true, s.verify(ctx)
	}
	return found != nil, s.improve(found)
}

// reserve is the time kept to verify what is shown last.
func (s *smallestSearch) reserve() time.Duration { return s.cost + s.cost/4 }

// earlier returns a context that ends earlier than the deadline of ctx, if that has one.
func earlier(ctx context.Context, early time.Duration) (context.Context, context.CancelFunc) {
	if end, bounded := ctx.Deadline(); bounded {
		return context.WithDeadline(ctx, end.Add(-early))
	}
	return ctx, func() {}
}

// outOfTime reports whether only time to verify is left.
func (s *smallestSearch) outOfTime(ctx context.Context) bool {
	end, bounded := ctx.Deadline()
	return ctx.Err() != nil || bounded && time.Until(end) <= s.reserve()
}

// closedSets tries all sets of at most atMost packets with verify. If one is closed and its worms can be packed,
// they are the best set, smaller ones are tried, and so on. Where that takes too long or the worms cannot be packed,
// it tries sets of at most three, then of four, and so on. It returns the smallest stuck set that a closed set led
// to, or found if there is none, and the proof for the largest number of packets that verify has accepted; nil if it
// accepted none.
func closedSets(
	ctx context.Context, n *spec.Network, found []Worm, atMost int,
	verify func(context.Context, *unsat.Proof) error,
) (fewer []Worm, none *unsat.Proof, err error) {
	down, tooMany := true, 0 // sizes
	for most := min(3, atMost); 0 < most && most <= atMost && tooMany < 2; {
		size, within, cancel := most, ctx, context.CancelFunc(func() {})
		if down && most < atMost {
			size = atMost
			if end, timed := ctx.Deadline(); timed {
				within, cancel = earlier(ctx, time.Until(end)/2)
			}
		}
		all := &unsat.Proof{Network: n.Digest(), Bound: unsat.Bound{Of: unsat.Packets, Most: size}}
		refused := verify(within, all)
		cancel()
		var closed *unsat.ClosedError
		switch known := size == most; { // there are no smaller ones, unless they were too many to try
		case errors.As(refused, &closed):
			if fewer, err = packWorms(ctx, n, closed); fewer == nil && err == nil && size == most {
				fewer, err = searchRows(ctx, n, closed.Rows)
			}
			if fewer != nil {
				found, atMost = fewer, len(fewer)-1
				if none == nil {
					most = min(most, atMost)
				}
			} else {
				down = false
			}
			if known || err != nil {
				return found, none, err
			}
		case refused != nil:
			tooMany++
			if down = false; known {
				most++
			} else {
				atMost = size - 1
			}
		default:
			none, most = all, size+1
		}
	}
	return found, none, nil
}

// smallestNearby looks for a small stuck set in the neighbourhoods of nodes, narrow ones first,
// and there for smaller and smaller ones; nil if none is found within the time allowed.
func smallestNearby(ctx context.Context, n *spec.Network, of unsat.Unit) (best []Worm, failed error) {
	channels := n.Topology().Channels()
	p, err := allPlaces(ctx, n)
	if err != nil || p == nil {
		return nil, err
	}
	if p, err = p.pruned(ctx, channels, nil); err != nil {
		return nil, err
	}
	visits, looked := int64(visitsForSmaller), placesForSmaller
	eachNeighbourhood(n.Topology(), func(inside []bool) bool {
		looked -= p.len()
		local, err := p.restrictTo(ctx, inside)
		if failed = err; failed != nil {
			return false
		}
		for local.len() > 0 && visits > 0 {
			var q *question
			if q, failed = newQuestion(ctx, n, local, of == unsat.Packets); failed != nil {
				return false
			}
			if best != nil {
				q.AtMost(Size(best, of) - 1)
			}
			found, _, err := q.findSet(ctx, sat.Limits{Conflicts: DefaultSteps, Visits: visits})
			visits -= q.Visits
			if failed = err; found == nil {
				break
			}
			best = found
		}
		return failed == nil && looked > 0 && visits > 0 && ctx.Err() == nil
	})
	return best, failed
}

// visitsForRows bounds the search of waitingWith, in literals: half a minute. A torus of 12x12
// with CA anywhere, where seven packets block each other, takes 116 million.
const visitsForRows = 150_000_000

// searchRows looks for a stuck set of at most as many worms as rows, each of which waits
// for the channels of one of the rows; all these channels are held. It is nil if none
// is found within the limits.
func searchRows(ctx context.Context, n *spec.Network, rows []int) ([]Worm, error) {
	channels := n.Topology().Channels()
	p, err := allPlaces(ctx, n)
	if err != nil || p == nil {
		return nil, err
	}
	var wants [][]spec.ChannelID
	for _, row := range rows {
		wants = append(wants, relation.Wanted(n, spec.RowID(row)))
	}
	asked := make([]bool, len(p.wants))
	for w, channels := range p.wants {
		asked[w] = slices.ContainsFunc(wants, func(want []spec.ChannelID) bool { return slices.Equal(want, channels) })
	}
	for v, w := range p.want {
		if w >= 0 && !asked[w] {
			p.want[v] = -1
		}
	}
	if p, err = p.pruned(ctx, channels, nil); err != nil || p.len() == 0 {
		return nil, err
	}
	q, err := newQuestion(ctx, n, p, true)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		for _, c := range relation.Wanted(n, spec.RowID(row)) {
			if q.occupied[c] < 0 {
				return nil, nil
			}
			q.Require(sat.Yes(q.occupied[c])) // without this it takes ten times as long in tori
		}
	}
	q.AtMost(len(rows))
	found, _, err := q.findSet(ctx, sat.Limits{Conflicts: DefaultSteps, Visits: visitsForRows})
	return found, err
}

// Size is the number of worms, or of the channels that they hold.
func Size(worms []Worm, of unsat.Unit) int {
	if of == unsat.Channels {
		return channelsHeld(worms)
	}
	return len(worms)
}

// mostHeld bounds what one worm may hold, as paths are numbered by the set of channels held on them.
const mostHeld = 6

// packWorms looks for disjoint worms with the rows of a closed set, each holding the
// channels it holds there. Each in turn takes a shortest path through these channels,
// around the worms before it. A worm that finds no path goes first in the next attempt;
// there are a few. A nil result proves nothing.
func packWorms(ctx context.Context, n *spec.Network, closed *unsat.ClosedError) ([]Worm, error) {
	p, err := allPlaces(ctx, n)
	if err != nil || p == nil {
		return nil, err
	}
	order := make([]int, len(closed.Rows))
	for i := range order {
		order[i] = i
	}
	for range 4 * len(order) {
		worms, used, stuck := make([]Worm, len(order)), map[spec.ChannelID]bool{}, -1
		for _, i := range order {
			paths := p.shortestWorm(ctx, n, closed, i, used)
			if paths == nil {
				stuck = i
				break
			}
			for _, v := range paths {
				used[p.channel[v]] = true
				worms[i].Sites = append(worms[i].Sites, n.Table(int(p.sites[v].table)).Site(int(p.sites[v].site)))
			}
		}
		if stuck < 0 {
			if Check(n, worms) != nil {
				return nil, nil
			}
			return minimise(n, worms, false), nil
		}
		if order[0] == stuck || ctx.Err() != nil {
			break
		}
		order = slices.Insert(slices.DeleteFunc(order, func(i int) bool { return i == stuck }), 0, stuck)
	}
	return nil, ctx.Err()
}

// shortestWorm returns the places of a shortest worm for packet i of a closed set. It holds the
// channels that this packet holds, none that another packet holds, and no used channel;
// its head waits for the channels of its row.
func (p *places) shortestWorm(
	ctx context.Context, n *spec.Network, closed *unsat.ClosedError, i int, used map[spec.ChannelID]bool,
) []int32 {
	number := map[spec.ChannelID]int{} // its bit, for each channel to be held
	for c, j := range closed.Holder {
		if j == i+1 {
			number[c] = 0
		}
	}
	for k, c := range slices.Sorted(maps.Keys(number)) {
		number[c] = k
	}
	if len(number) > mostHeld {
		return nil
	}
	all := int32(1)<<len(number) - 1
	want := relation.Wanted(n, spec.RowID(closed.Rows[i]))
	before := make([]int32, p.len()<<len(number)) // by place and set of channels held: the place before + 1; -1 if none
	var queue []int32
	visit := func(v, held, from int32) {
		c := p.channel[v]
		k, own := number[c]
		if own {
			held |= 1 << k
		}
		if at := v<<len(number) | held; before[at] == 0 && !used[c] && (own || closed.Holder[c] == 0) && held > 0 {
			before[at] = from
			queue = append(queue, at)
		}
	}
	for v := range int32(p.len()) {
		visit(v, 0, -1)
	}
	for k := 0; k < len(queue) && !deadline.Passed(ctx, k); k++ {
		at := queue[k]
		v, held := at>>len(number), at&all
		if w := p.want[v]; held == all && w >= 0 && slices.Equal(p.wants[w], want) {
			var path []int32
			for ; at >= 0; at = before[at] - 1 {
				path = append(path, at>>len(number))
				if before[at] < 0 {
					break
				}
			}
			slices.Reverse(path)
			return path
		}
		for _, to := range p.Successors(v) {
			visit(to, held, at+1)
		}
	}
	return nil
}
