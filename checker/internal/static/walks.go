package static

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/worms"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// walked looks for a deadlock on random walks of messages like those of a set that blocks itself, which travel side by
// side: each of their sources sends again and again. The walks are the same each time. It returns a
// trace, or nil.
func (d *Decision) walked(ctx context.Context, all []worms.Worm) (*counterexamples.Trace, error) {
	const walks, most, work = 64, 400, 1 << 24
	t, err := d.n.Traffic(d.sc)
	if err != nil {
		return nil, err
	}
	near, any := d.flowsOf(all)
	left := work
	for i := range walks {
		random, flows := rand.New(rand.NewPCG(uint64(i), 14)), near
		if i%2 > 0 {
			flows = any
		}
		s := t.Empty()
		var taken, moves []spec.Move
		for len(taken) < most && left > 0 {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			moves = t.Moves(moves[:0], &s, nil)
			for _, f := range flows {
				moves = t.Injections(moves, &s, f)
			}
			left -= len(s.Channels) + len(moves)
			if len(moves) > 0 {
				m := moves[random.IntN(len(moves))]
				if err := t.Make(&s, m); err != nil {
					return nil, err
				}
				taken = append(taken, m)
			}
			if len(moves) == 0 || len(taken)%8 == 0 {
				if len(states.Stuck(t, s)) > 0 {
					return d.replayed(ctx, d.sc, taken)
				}
			}
			if len(moves) == 0 {
				break
			}
		}
	}
	return nil, nil
}

// flowsOf returns the flows of messages with the headers of worms: from the nearest source of each, and from all.
func (d *Decision) flowsOf(all []worms.Worm) (near, any []spec.Flow) {
	w := newWalker(d.n)
	for _, worm := range all {
		if worm.Any {
			continue
		}
		if way := d.wormWay(w, worm, anyChannel); way != nil {
			near = append(near, spec.Flow{Source: d.n.Topology().Head(way[0].From), Target: way[0].Header.Target()})
		}
		target := worm.Sites[0].Header.Target()
		for _, src := range d.n.TableOf(target).Sources {
			any = append(any, spec.Flow{Source: src.Node, Target: target})
		}
	}
	for _, flows := range []*[]spec.Flow{&near, &any} {
		slices.SortFunc(*flows, spec.Flow.Compare)
		*flows = slices.Compact(*flows)
	}
	return near, any
}
