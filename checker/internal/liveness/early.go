package liveness

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
)

// Where traffic never ends, a packet that starves mostly does so near the start: a few others
// passing by again and again suffice. So the graph of some states near the start is made first.
//
// Soundness: the graph knows all steps of its states, and a part of it has only steps between them. So a
// part is a strongly connected subgraph of the whole graph, and it is known which actions are possible in its
// states: a tour of it that is fair here is fair in the whole graph. A response not found violated stays open. In
// the whole graph a fair run may begin nearer to the start: the stem is shortest only for the cycle found.

const (
	earlyShare = 16      // one in earlyShare states is near the start; of many states, one in four times as many
	mostEarly  = 100_000 // and this many more
	leastEarly = 10_000  // for fewer states the whole graph is made at once
)

// Early looks for violated responses among the first states of a breadth-first search. It returns the
// answers by response, nil for those still open, and none at all if the space is small. With one it stops
// at the first. It takes peak bytes besides the space, at most left (0: no bound).
func Early(ctx context.Context, whole *Space, one bool, left int64) (violated []*Answer, peak int64, err error) {
	if whole.States() < leastEarly {
		return nil, 0, nil
	}
	return early(ctx, whole, min(whole.States()/earlyShare, mostEarly+whole.States()/(4*earlyShare)), one, left)
}

func early(
	ctx context.Context, whole *Space, most int64, one bool, left int64,
) (violated []*Answer, peak int64, err error) {
	part := *whole
	space, r, err := walk.Explore(ctx, whole.Fast, walk.Options{Workers: whole.Workers, MaxStates: most, Memory: left})
	if err != nil {
		return nil, 0, err
	}
	defer space.Release()
	if err := ctx.Err(); err != nil {
		return nil, r.Peak, err
	}
	part.Space, part.Partial, part.Ranked = space, true, false
	part.Steps = whole.Steps/whole.States()*r.States + 1
	if peak = max(r.Peak, part.Bytes()); left > 0 && peak > left {
		return nil, r.Peak, nil
	}
	g, err := New(ctx, part)
	if err != nil {
		return nil, peak, err
	}
	for k := range whole.Claims.Responses {
		a, err := g.Decide(ctx, k)
		if err != nil {
			return nil, peak, err
		}
		if a.Stem == nil {
			a = nil
		}
		if violated = append(violated, a); a != nil && one {
			break
		}
	}
	return violated, peak, nil
}
