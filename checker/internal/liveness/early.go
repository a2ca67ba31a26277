package liveness

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
)

// Where traffic never ends, a packet that starves mostly does so near the start: it is enough that a
// few others pass by over and over. So the graph of some states near the start is made first.
//
// Soundness: the graph knows all steps of its states, and a part of it has only steps between them. So a
// part is a strongly connected subgraph of the whole graph, and which actions are possible in its states is
// known: a tour of it that is fair here is fair there. A response that is not found violated is open. In the whole
// graph a fair run may begin nearer to the start: the stem is shortest only for what was found.

const (
	earlyShare = 16      // one in so many states is near the start, of many one in four times as many
	mostEarly  = 100_000 // and as many more
	leastEarly = 10_000  // of fewer states the whole graph is made at once
)

// Early looks for violated responses among the first states of a search breadth first. It returns the
// answers by response, nil for those that are open, and none if the space is small; if one is enough, it
// stops there. It takes peak bytes besides the space, at most as many as are left (0: no bound).
func Early(ctx context.Context, whole *Space, one bool, left int64) (violated []*Answer, peak int64, err error) {
	if whole.States() < leastEarly {
		return nil, 0, nil
	}
	return early(ctx, whole, min(whole.States()/earlyShare, mostEarly+whole.States()/(4*earlyShare)), one, left)
}

func early(ctx context.Context, whole *Space, most int64, one bool, left int64) (violated []*Answer, peak int64, err error) {
	part := *whole
	space, r, err := statespace.Explore(ctx, whole.Fast, statespace.Options{Workers: whole.Workers, MaxStates: most, Memory: left})
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
