package wormhole

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/seed-105a2da2/unknot/checker/internal/fixpoint"
	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/spec"
)

// Search decides whether n has a stuck set of worms, of messages so long that each holds
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
// (see small.go), which Steps does not count.
func Search(ctx context.Context, n *spec.Network, u *fixpoint.Usage, candidates []spec.ChannelID, o Options) (worms []Worm, decided bool, err error) {
	usable := make([]bool, n.Topology().Channels())
	for _, c := range candidates {
		if c < 0 || int(c) >= len(usable) {
			return nil, false, fmt.Errorf("worms: candidate %d is not a channel of the network", c)
		}
		usable[c] = true
	}
	if o.Channels < 0 || o.Steps < 0 {
		return nil, false, fmt.Errorf("worms: negative bound: %d steps, %d channels", o.Steps, o.Channels)
	}
	worms, decided, err = search(ctx, n, u, usable, o)
	if err != nil {
		return nil, false, fmt.Errorf("worms: %w", err)
	}
	if worms != nil {
		if err := Check(n, worms); err != nil {
			return nil, false, fmt.Errorf("worms: the search found worms that are not stuck: %w", err)
		}
	}
	return worms, decided, nil
}

func search(ctx context.Context, n *spec.Network, u *fixpoint.Usage, usable []bool, o Options) (worms []Worm, decided bool, err error) {
	if o.Channels <= 1 {
		if worms, err := smallSingles(ctx, n, u, usable); err != nil || worms != nil || o.Channels == 1 {
			return worms, err == nil, err
		}
	}
	p, fits, err := findPlaces(ctx, n, usable, false)
	if err != nil || !fits {
		return nil, false, err
	}
	lim := sat.Limits{Conflicts: cmp.Or(o.Steps, DefaultSteps), Visits: math.MaxInt64, Progress: o.Progress, Plain: o.Plain}
	if o.Channels > 1 {
		worms, got, err := searchBounded(ctx, n, p, o.Channels, p.entries(n), lim)
		return worms, got != sat.Undecided, err
	}
	if p, err = p.pruned(ctx, len(usable), nil); err != nil {
		return nil, false, err
	}
	// Worms of two channels make a far smaller formula, and are often enough.
	quick := lim
	quick.Conflicts = min(quick.Conflicts, quickSteps)
	quick.Visits = visitsForSmaller
	quick.Progress = nil
	if worms, got, err := searchBounded(ctx, n, p, 2, nil, quick); err != nil || got == sat.Satisfied {
		return worms, err == nil, err
	}
	worms, got, err := searchAmong(ctx, n, p, lim)
	return worms, got != sat.Undecided, err
}

// quickSteps are the dead ends that may be spent on worms of two channels if
// longer ones are allowed.
const quickSteps = 2000

// searchBounded searches for worms of at most length channels; see places.layered.
func searchBounded(ctx context.Context, n *spec.Network, p *places, length int, entries []bool, lim sat.Limits) ([]Worm, sat.Answer, error) {
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
	worms, got, err := q.anySet(ctx, lim)
	if err != nil || got != sat.Satisfied {
		return nil, got, err
	}
	if worms, err = smaller(ctx, n, p, q, worms); err != nil {
		return nil, sat.Undecided, err
	}
	return worms, sat.Satisfied, nil
}
