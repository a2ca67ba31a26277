package checker

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Confirming a candidate.
//
// A stuck set is a deadlock only if it can be filled from the empty network.
// Packets are placed one after the other, each travelling alone all the way to
// its channel, past the packets placed before. The order is found backwards:
// the packet placed last must have a way that avoids all other channels of the
// set; take one away that has, and go on with the rest. Fewer packets are never
// more in the way, so the first choice is as good as any, and which header a
// channel gets does not matter to the others. For a given stuck set the search
// is therefore complete among all such plans; deadlocks that need packets to
// travel side by side are not found, and the answer then is unknown.

func (d *decision) confirm(ctx context.Context, r *Finding, largest []spec.ChannelID) (*Finding, error) {
	d.say(routing.Progress{Stage: "confirming the candidate"})
	r.Candidate = largest
	const attempts, mostMoves = 24, 1 << 22
	if capacity := d.n.Capacity(); len(largest)*capacity > mostMoves {
		r.Because = fmt.Sprintf("packets in %s could deadlock, but filling buffers of %d takes too many steps for a trace", plural(len(largest), "channel"), capacity)
		return r, nil
	}
	p := &placement{n: d.n, walker: newWalker(d.n)}
	for _, set := range stuckSets(ctx, d.n, d.usage, largest, attempts) {
		moves, err := p.fill(ctx, set)
		if err != nil {
			return nil, err
		}
		t, err := d.replayed(ctx, spec.Scenario{}, moves)
		if err != nil {
			return nil, err
		}
		if t == nil {
			continue
		}
		r.Verdict = spec.Violated
		r.Candidate = nil
		r.Because = fmt.Sprintf("%s block each other permanently", plural(len(set), "packet"))
		if d.n.Switching() == spec.Wormhole {
			r.Because += ", already as messages that fit into one channel each"
		}
		r.Evidence = evidence.Trace{Network: d.n, Trace: t}
		return r, d.shorten(ctx, r)
	}
	r.Because = fmt.Sprintf("packets in %s could deadlock, but no order was found that brings them there one by one from the empty network", plural(len(largest), "channel"))
	if found, err := d.fewPackets(ctx, r, p, largest); found != nil || err != nil {
		return found, err
	}
	sc := spec.Scenario{}
	if d.n.Switching() == spec.Wormhole {
		sc.Length = spec.AnyLength
	}
	return d.settle(ctx, r, sc)
}

// replayed takes the moves of a plan with the reference step and returns them as
// a trace to what is stuck in the end. It returns nil if some move is not possible
// or nothing is stuck: a plan that does not work out leaves a candidate open. The
// error is that ctx has ended.
func (d *decision) replayed(ctx context.Context, sc spec.Scenario, moves []spec.Move) (*counterexamples.Trace, error) {
	m, err := states.NewTraffic(d.n, sc)
	if err != nil || moves == nil {
		return nil, nil
	}
	state := m.Empty()
	for _, mv := range moves {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if state, err = m.Step(state, mv); err != nil {
			return nil, nil
		}
	}
	stuck := m.Stuck(state)
	if len(stuck) == 0 {
		return nil, nil
	}
	return &counterexamples.Trace{Network: d.n.Digest(), Scenario: sc, Property: spec.Deadlock, Fault: counterexamples.CircularWait, Moves: moves, Stuck: stuck}, nil
}

// shorten looks for a shorter trace, with other packets or side by side, where
// some packet had to travel, among the states that are found soon.
func (d *decision) shorten(ctx context.Context, r *Finding) error {
	const soon, small = 50_000, 5_000
	long := r.Trace()
	if d.most < 0 || len(long.Moves) == len(long.Stuck)*d.n.Capacity() || d.n.SiteCount() > small {
		return nil
	}
	t, err := states.NewTraffic(d.n, spec.Scenario{})
	if err != nil {
		return err
	}
	x, err := Explore(ctx, t, ExploreOptions{Workers: d.workers, MaxStates: min(d.most, soon), Properties: []string{deadlock}})
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if found := x.Findings[0].Trace(); found != nil && len(found.Moves) < len(long.Moves) {
		r.Because = strings.Replace(r.Because, plural(len(long.Stuck), "packet"), plural(len(found.Stuck), "packet"), 1)
		r.Evidence = x.Findings[0].Evidence
	}
	return nil
}

// placement fills stuck sets.
type placement struct {
	n      *spec.Network
	walker *walker
	set    map[spec.ChannelID]bool // the whole stuck set
	left   map[spec.ChannelID]bool // not yet taken away: full when the current packet travels
}

// fill returns moves that fill every channel of a stuck set, or nil.
func (p *placement) fill(ctx context.Context, set []spec.ChannelID) ([]spec.Move, error) {
	p.set, p.left = map[spec.ChannelID]bool{}, map[spec.ChannelID]bool{}
	for _, c := range set {
		p.set[c], p.left[c] = true, true
	}
	var ways [][]spec.Move // the last one travels first
	for len(p.left) > 0 {
		before := len(p.left)
		for _, c := range set {
			if err := ctx.Err(); err != nil {
				return nil, context.Cause(ctx)
			}
			if !p.left[c] {
				continue
			}
			if way := p.way(c); way != nil {
				ways = append(ways, way)
				delete(p.left, c)
			}
		}
		if len(p.left) == before {
			return nil, nil
		}
	}
	var moves []spec.Move
	for _, way := range slices.Backward(ways) {
		for range p.n.Capacity() {
			moves = append(moves, way...)
		}
	}
	return moves, nil
}

// way returns the moves that bring a packet which is stuck there into c, past
// the channels that are left. It tries direct injections into c first.
func (p *placement) way(c spec.ChannelID) []spec.Move {
	const mostSearches = 256
	stuck := func(r spec.RowID) bool {
		return inside(p.n, r, func(c spec.ChannelID) bool { return p.set[c] })
	}
	var far []*spec.Table
	tail := p.n.Topology().Tail(c)
	for i := range p.n.Tables() {
		t := p.n.Table(i)
		lo, _ := slices.BinarySearch(t.Channels, c)
		for s := lo; s < t.Len() && t.Channels[s] == c; s++ {
			if !stuck(t.Rows[s]) {
				continue
			}
			hop := spec.Hop{Channel: c, Tag: t.Tag(s)}
			if src, ok := t.Source(tail); ok && slices.Contains(p.n.Row(src.Row), hop) {
				return []spec.Move{{From: spec.Injection(tail), Header: spec.Header{Dest: t.Dest, Class: t.Class}, Hop: hop}}
			}
			if len(far) == 0 || far[len(far)-1] != t {
				far = append(far, t)
			}
		}
	}
	for i, t := range far {
		if i == mostSearches {
			break
		}
		p.walker.load(t)
		goal := func(s int) bool { return t.Channels[s] == c && stuck(t.Rows[s]) }
		free := func(d spec.ChannelID) bool { return d != c && !p.left[d] }
		if moves, _ := p.walker.shortest(goal, free); moves != nil {
			return moves
		}
	}
	return nil
}

// fewPackets explores what just the packets of a small stuck set can do, each
// injected once, in every order and side by side: far fewer states than all
// traffic has. It finds deadlocks and never shows that there is none.
func (d *decision) fewPackets(ctx context.Context, r *Finding, p *placement, largest []spec.ChannelID) (*Finding, error) {
	const attempts = 4
	if d.most < 0 {
		return nil, nil
	}
	for _, set := range stuckSets(ctx, d.n, d.usage, largest, attempts) {
		if len(set)*d.n.Capacity() > mostFewPackets {
			continue
		}
		sc := spec.Scenario{Once: p.flows(ctx, set)}
		if len(sc.Once) == 0 {
			continue
		}
		t, err := states.NewTraffic(d.n, sc)
		if err != nil {
			return nil, err
		}
		x, err := Explore(ctx, t, ExploreOptions{Workers: d.workers, MaxStates: d.most / attempts, Memory: 1 << 29, PartialOrder: true, Properties: []string{deadlock}})
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if f := x.Findings[0]; f.Verdict == spec.Violated {
			r.Verdict, r.Candidate = spec.Violated, nil
			r.Because = fmt.Sprintf("%s block each other permanently", plural(len(f.Trace().Stuck), "packet"))
			if r.Evidence, err = d.minimised(ctx, f.Trace()); err != nil {
				return nil, err
			}
			return r, nil
		}
	}
	return nil, nil
}

// mostFewPackets bounds the packets of such a search: each doubles the states.
const mostFewPackets = 16

// flows returns, for every channel of a stuck set, the flow of a packet that is
// stuck there and has the shortest way from its source, as often as the channel
// holds packets; none if some channel has no such packet, or ctx ends.
func (p *placement) flows(ctx context.Context, set []spec.ChannelID) []spec.Flow {
	in := func(c spec.ChannelID) bool { return slices.Contains(set, c) }
	var flows []spec.Flow
	for _, c := range set {
		var best []spec.Move
		for i := range p.n.Tables() {
			if ctx.Err() != nil {
				return nil
			}
			t := p.n.Table(i)
			lo, _ := slices.BinarySearch(t.Channels, c)
			if lo == t.Len() || t.Channels[lo] != c {
				continue
			}
			p.walker.load(t)
			way, _ := p.walker.shortest(func(s int) bool { return t.Channels[s] == c && inside(p.n, t.Rows[s], in) }, anyChannel)
			if way != nil && (best == nil || len(way) < len(best)) {
				best = way
			}
		}
		if best == nil {
			return nil
		}
		f := spec.Flow{Source: p.n.Topology().Head(best[0].From), Target: best[0].Header.Target()}
		for range p.n.Capacity() {
			flows = append(flows, f)
		}
	}
	return flows
}
