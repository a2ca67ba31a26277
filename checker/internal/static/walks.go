package static

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/checker/internal/wormhole"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Random walks.
//
// Packets that could block each other may have to travel side by side, or behind others that leave the
// network, so that no order brings them to their places one by one. Or that set cannot be reached, but
// another one can. If sources that feed the candidate send as soon as they can, packets crowd there, and
// what can block each other soon does. Of whole packets, those that keep bubbles need it: a ring fills through an entry
// that keeps none while others move around it. This is a search, not a proof: if it finds nothing, that shows
// nothing. The walks are drawn from fixed seeds, so equal questions have equal answers.

const (
	walks     = 96
	mostSteps = 400     // of one walk
	mostFlows = 256     // that send on one walk
	mostWork  = 1 << 24 // channels and flows looked at over all walks: less than a second
)

// walked returns a trace to a deadlock that a random walk ended in, or nil. In a third of the walks only packets
// like the worms found are sent, from the nearest source of each; in a third, from any of their sources; and in a
// third, any packets that enter a channel of the candidate.
func (d *Decision) walked(
	ctx context.Context, sc spec.Scenario, found []wormhole.Worm, candidate []spec.ChannelID,
) (*counterexamples.Trace, error) {
	t, err := d.n.Traffic(sc)
	if err != nil {
		return nil, err
	}
	near, like := d.flowsOf(found)
	into := d.tablesInto(candidate)
	work := mostWork
	for i := range uint64(walks) {
		random := rand.New(rand.NewPCG(i, 0))
		flows := near
		switch i % 3 {
		case 1:
			flows = d.someFlows(random, like)
		case 2:
			flows = d.someFlows(random, into)
		}
		switch moves, err := walk(ctx, t, flows, random, &work); {
		case err != nil:
			return nil, err
		case moves != nil:
			return d.replayed(ctx, sc, moves)
		case work < 0:
			return nil, nil
		}
	}
	return nil, nil
}

// walk returns the moves of a random walk to a state in which something is stuck, or nil.
func walk(
	ctx context.Context, t *spec.Traffic, flows []spec.Flow, random *rand.Rand, work *int,
) (taken []spec.Move, err error) {
	const often = 8 // moves between two checks for something stuck
	s := t.Empty()
	var moves []spec.Move
	for len(taken) < mostSteps && *work >= 0 {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		*work -= len(s.Channels) + len(flows)
		moves = t.Moves(moves[:0], &s, nil)
		for _, f := range flows {
			moves = t.Injections(moves, &s, f)
		}
		if len(moves) > 0 {
			taken = append(taken, moves[random.IntN(len(moves))])
			if err := t.Make(&s, taken[len(taken)-1]); err != nil {
				return nil, err
			}
		}
		switch {
		case (len(moves) == 0 || len(taken)%often == 0) && len(states.Stuck(t, s)) > 0:
			return taken, nil
		case len(moves) == 0:
			return nil, nil
		}
	}
	return nil, nil
}

// flowsOf returns the flows of packets like the given worms, from the nearest source of each, and their tables.
func (d *Decision) flowsOf(found []wormhole.Worm) (near []spec.Flow, tables []int) {
	w := relation.NewWalk(d.n)
	targets := map[spec.Target]bool{}
	for _, worm := range found {
		if worm.Any {
			continue
		}
		targets[worm.Sites[0].Header.Target()] = true
		if path := d.wormPath(w, worm, nil); path != nil {
			near = append(near, spec.Flow{Source: d.n.Topology().Head(path[0].From), Target: path[0].Header.Target()})
		}
	}
	for i := range d.n.Tables() {
		if targets[d.n.Table(i).Target] {
			tables = append(tables, i)
		}
	}
	slices.SortFunc(near, spec.Flow.Compare)
	return slices.Compact(near), tables
}

// tablesInto returns the tables of packets that enter one of the channels; all tables if channels is empty.
func (d *Decision) tablesInto(channels []spec.ChannelID) (tables []int) {
	in := make([]bool, d.n.Topology().Channels())
	for _, c := range channels {
		in[c] = true
	}
	for i := range d.n.Tables() {
		if len(channels) == 0 ||
			slices.ContainsFunc(d.n.Table(i).Channels, func(c spec.ChannelID) bool { return in[c] }) {
			tables = append(tables, i)
		}
	}
	return tables
}

// someFlows draws flows of the given tables: if these have few flows, all or nearly all of them.
func (d *Decision) someFlows(random *rand.Rand, tables []int) (flows []spec.Flow) {
	if len(tables) == 0 {
		return nil
	}
	for range mostFlows {
		t := d.n.Table(tables[random.IntN(len(tables))])
		if len(t.Sources) > 0 {
			flows = append(flows, spec.Flow{Source: t.Sources[random.IntN(len(t.Sources))].Node, Target: t.Target})
		}
	}
	slices.SortFunc(flows, spec.Flow.Compare)
	return slices.Compact(flows)
}
