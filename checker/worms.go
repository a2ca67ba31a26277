package checker

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/worms"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Worms that block each other.
//
// Where the head/tail fixpoint leaves channels, an exact search looks for worms
// that block each other, no two in one channel. If there are some they are
// brought to their places one after the other, each past those that stand
// already, like packets (see confirm): a message of as many flits as it is to
// hold channels, finished at its source when all of them have entered.

// worms settles a candidate of the head/tail fixpoint.
func (d *decision) worms(ctx context.Context, r *Finding, candidate []spec.ChannelID) (*Finding, error) {
	r.Candidate = candidate
	r.Because = fmt.Sprintf("packets that fit into one channel cannot deadlock, but longer messages might: the head/tail fixpoint leaves %s", plural(len(candidate), "channel"))
	if d.most < 0 {
		return r, nil
	}
	sc := spec.Scenario{Length: spec.AnyLength}
	d.say(routing.Progress{Stage: "searching for worms"})
	worms, decided, err := worms.Search(ctx, d.n, d.usage, candidate, worms.Options{Steps: mostWormSteps})
	if err != nil {
		return nil, err
	}
	switch {
	case len(worms) > 0 && d.n.Buffer() == 1:
		moves, err := d.placeWorms(ctx, worms)
		if err != nil {
			return nil, err
		}
		t, err := d.replayed(ctx, sc, moves)
		if err != nil {
			return nil, err
		}
		if t != nil {
			return d.wormTrace(ctx, r, t)
		}
		r.Because += fmt.Sprintf("; %s could block each other permanently, but no order was found that brings them there one by one from the empty network", plural(len(worms), "message"))
	case len(worms) > 0:
		r.Because += fmt.Sprintf("; %s that each fill their channels could block each other permanently", plural(len(worms), "message"))
	case decided:
		r.Because += "; an exact search found no set of messages that block each other, but that is not a certificate"
	}
	return d.settle(ctx, r, sc)
}

// mostWormSteps bounds the exact search for worms: a few seconds.
const mostWormSteps = 200_000

// wormTrace makes a trace that fills the channels of worms small.
func (d *decision) wormTrace(ctx context.Context, r *Finding, t *counterexamples.Trace) (*Finding, error) {
	var err error
	if r.Evidence, err = d.minimised(ctx, t); err != nil {
		return nil, err
	}
	r.Verdict, r.Candidate = spec.Violated, nil
	r.Because = fmt.Sprintf("messages block each other permanently (%s), although packets that fit into one channel cannot", r.Trace().Scenario)
	return r, nil
}

// placeWorms returns moves that bring every worm to its place, or nil. Like
// placement.fill it takes away, one after the other, a worm that can reach its
// place while all others that are left stand.
func (d *decision) placeWorms(ctx context.Context, worms []worms.Worm) ([]spec.Move, error) {
	w := newWalker(d.n)
	holder := map[spec.ChannelID]int{}
	for i, worm := range worms {
		for _, s := range worm.Sites {
			holder[s.Channel] = i
		}
	}
	gone := make([]bool, len(worms))
	var ways [][]spec.Move // the last one travels first
	for len(ways) < len(worms) {
		before := len(ways)
		for i := range worms {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if gone[i] {
				continue
			}
			free := func(c spec.ChannelID) bool {
				at, held := holder[c]
				return !held || gone[at] && at != i
			}
			if way := d.wormWay(w, worms[i], free); way != nil {
				ways, gone[i] = append(ways, way), true
			}
		}
		if len(ways) == before {
			return nil, nil
		}
	}
	slices.Reverse(ways)
	return slices.Concat(ways...), nil
}

// wormWay returns the moves that bring one worm to its place, or nil. The way
// keeps off the worm's own channels. It may still pass some other channel twice,
// with different tags, so close that a long worm meets itself there: replaying
// the plan tells.
func (d *decision) wormWay(w *walker, worm worms.Worm, free func(spec.ChannelID) bool) []spec.Move {
	table := d.n.TableOf(worm.Sites[0].Header.Target())
	tail := worm.Sites[0]
	w.load(table)
	goal := func(s int) bool { return table.Channels[s] == tail.Channel && table.Tag(s) == tail.Header.Tag }
	way, _ := w.shortest(goal, free)
	if way == nil {
		return nil
	}
	before := len(way) - 1 // channels on the way that the worm leaves again
	for i, s := range worm.Sites[1:] {
		way = append(way, spec.Move{From: worm.Sites[i].Channel, Header: worm.Sites[i].Header, Hop: spec.Hop{Channel: s.Channel, Tag: s.Header.Tag}})
	}
	if before == 0 {
		return way // it may go on entering
	}
	finish := way[0]
	finish.Kind = spec.Finish
	return slices.Insert(way, len(worm.Sites), finish)
}
