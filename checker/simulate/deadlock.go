package simulate

import (
	"context"
	"fmt"
	"iter"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Deadlock or saturation. A head may wait long because much traffic is ahead of it, or because
// it waits for itself. So the engine's state is converted to one of the reference step, and its
// wait-for graph (spec.Waiting) decides: a stuck set is a deadlock, and without one the network
// is only saturated. The trace is what the run did: the simulation is repeated from the same
// seed, keeping the moves of the packets in stuck channels. They are possible without the
// others, which only occupied buffers.

// watch looks for a deadlock at intervals.
type watch struct {
	e       *engine
	traffic *spec.Traffic
	stuck   []spec.ChannelID
}

func newWatch(e *engine) (*watch, error) {
	t, err := e.n.Traffic(e.o.scenario(e.n))
	if err != nil {
		return nil, err
	}
	return &watch{e: e, traffic: t}, nil
}

// deadlocked reports whether packets are stuck. It only looks closely if a head has
// waited long.
func (w *watch) deadlocked() bool { return !w.patient() && w.look() }

func (w *watch) look() bool {
	w.stuck = states.Stuck(w.traffic, w.e.occupancy(w.traffic))
	return len(w.stuck) > 0
}

func (w *watch) patient() bool {
	e := w.e
	for v := range e.nodes {
		n := &e.nodes[v]
		for _, h := range e.heads[n.first:][:n.waiting] {
			if h < e.channels && e.now-e.fronts[h].since >= patience {
				return false
			}
		}
	}
	return true
}

// occupancy converts the state to one of the reference step.
func (e *engine) occupancy(t *spec.Traffic) spec.Occupancy {
	s, all := t.Empty(), make([]spec.ChannelID, e.channels)
	add := func(c spec.ChannelID, table int32, tag spec.Tag, flits int32) { // the head, and what follows
		p := e.piece(table, tag)
		if !e.inPackets {
			p.Flits = int(flits)
		}
		s.Channels[c] = append(s.Channels[c], p)
	}
	for c := range spec.ChannelID(e.channels) {
		all[c] = c
		l, f := &e.lanes[c], &e.fronts[c]
		here := min(l.count, int32(l.rest))
		switch {
		case f.packet == none:
			here = 0
		case !l.is(left):
			add(c, f.table, f.tag, here)
		case !e.inPackets:
			p := e.piece(f.table, f.tag)
			p.Flits, p.Left, p.Out = int(here), true, spec.Hop{Channel: l.out, Tag: f.outTag}
			s.Channels[c] = append(s.Channels[c], p)
		}
		rest := l.count - here
		for packet := range e.queued(c) {
			m := &e.packets[packet]
			here = min(rest, m.length)
			rest -= here
			add(c, m.table, m.tag, here)
		}
	}
	e.onLinks(func(a *arrival, _ int) {
		switch {
		case a.packet != none:
			add(a.to, a.table, a.tag, 1)
		case !e.inPackets:
			of := s.Channels[a.to]
			of[len(of)-1].Flits++
		}
	})
	if !e.inPackets {
		e.rests(t, &s)
	}
	t.Feed(&s, all)
	return s
}

// onLinks visits the flits on their way to channels, with the number of clocks until they arrive.
func (e *engine) onLinks(visit func(a *arrival, after int)) {
	for after := range e.regions[0].arriving {
		for r := range e.regions {
			arriving := *slot(e, e.regions[r].arriving, after)
			for i := range arriving {
				visit(&arriving[i], after)
			}
			for _, v := range *slot(e, e.regions[r].following, after) {
				visit(&arrival{to: spec.ChannelID(v), packet: none}, after)
			}
		}
	}
}

func (e *engine) piece(table int32, tag spec.Tag) spec.Piece {
	t := e.n.Stored(int(table))
	return spec.Piece{Header: spec.Header{Dest: t.Dest, Class: t.Class, Tag: tag}, Flits: 1}
}

// rests adds what is still at the sources.
func (e *engine) rests(t *spec.Traffic, s *spec.Occupancy) {
	for v := e.channels; int(v) < len(e.lanes); v++ {
		l := &e.lanes[v]
		if l.out < 0 || !l.is(left) {
			continue
		}
		of := s.Channels[l.out]
		rest := &of[len(of)-1].Rest
		if *rest = int(l.rest); t.Scenario().Length == spec.AnyLength {
			*rest = min(*rest, 1)
		}
	}
}

// explain makes the trace of the deadlock found.
func (w *watch) explain(ctx context.Context) (*Deadlock, error) {
	involved := map[int64]bool{}
	in := make([]bool, w.e.channels)
	for _, c := range w.stuck {
		in[c] = true
	}
	w.e.inChannels(func(c spec.ChannelID, packet int32) {
		if in[c] {
			involved[w.e.packets[packet].serial] = true
		}
	})
	complete := int32(0)
	for _, c := range w.stuck {
		switch l := &w.e.lanes[c]; {
		case l.is(waiting):
			complete = max(complete, w.e.fronts[c].since)
		case !l.is(left): // its head is on the way, or being routed
			complete = w.e.now
		}
	}
	again, err := newEngine(w.e.n, w.e.o)
	if err != nil {
		return nil, err
	}
	trace := &counterexamples.Trace{
		Network: w.e.n.Digest(), Scenario: w.traffic.Scenario(), Property: spec.DeadlockFreedom,
		Fault: counterexamples.Deadlock,
	}
	again.record = func(serial int64, m spec.Move) {
		if involved[serial] {
			trace.Moves = append(trace.Moves, m)
		}
	}
	if err := again.run(ctx, int(w.e.now), func() bool { return false }); err != nil {
		return nil, err
	}
	_, end, err := counterexamples.End(ctx, w.e.n, trace)
	if err != nil {
		return nil, fmt.Errorf("the reference step refuses the run: %w", err)
	}
	trace.Stuck = states.Stuck(w.traffic, end)
	trace.Notion = counterexamples.NotionOf(w.traffic, end)
	if err := counterexamples.Replay(ctx, w.e.n, trace); err != nil {
		return nil, fmt.Errorf("the trace of the deadlock does not replay: %w", err)
	}
	return &Deadlock{Seed: w.e.o.Seed, Clock: int(complete), Packets: len(involved), Trace: trace}, nil
}

// queued visits the packets in the buffer of a channel, queued the one at the front.
func (e *engine) queued(c spec.ChannelID) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		last := e.fronts[c].behind
		if last == none {
			return
		}
		for at := e.packets[last].next; yield(at) && at != last; {
			at = e.packets[at].next
		}
	}
}

// inChannels visits the packets that have a flit in or on the way to a channel, or are
// passing it; some perhaps more than once.
func (e *engine) inChannels(visit func(c spec.ChannelID, packet int32)) {
	for c := range spec.ChannelID(e.channels) {
		if at := e.fronts[c].packet; at != none {
			visit(c, at)
		}
		for packet := range e.queued(c) {
			visit(c, packet)
		}
	}
	e.onLinks(func(a *arrival, _ int) {
		if a.packet != none {
			visit(a.to, a.packet)
		}
	})
}
