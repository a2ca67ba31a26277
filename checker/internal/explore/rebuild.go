package explore

import (
	"context"
	"errors"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Trace finds the moves that lead along a trail.
func (w *Walk) Trace(ctx context.Context, t *states.Traffic, trail [][]uint64) (*counterexamples.Trace, error) {
	trace := &counterexamples.Trace{Network: t.Network().Digest(), Scenario: t.Scenario().Steps()}
	state := t.Empty()
	var packed []uint64
	for _, want := range trail[1:] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found := false
		for _, m := range t.Moves(state) {
			after, err := t.Step(state, m)
			if err != nil {
				return nil, err
			}
			packed = t.Encode(packed[:0], after)
			if w.Orbits != nil {
				w.Orbits.Replace(packed)
			}
			if slices.Equal(packed, want) {
				trace.Moves = append(trace.Moves, m)
				state, found = after, true
				break
			}
		}
		if !found {
			return nil, errors.New("no move of the reference machine leads to the next state of the trail")
		}
	}
	return trace, nil
}

// Run finds the steps that lead along a trail.
func (w *Walk) Run(ctx context.Context, m states.Machine, trail [][]uint64) (*runs.Run, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	words := m.Layout().Words()
	r := &runs.Run{Machine: m.Name(), Start: -1}
	start := m.Start(nil)
	is := func(state, wanted []uint64) bool { return slices.Equal(state, wanted) }
	if w.Orbits != nil {
		is = func(state, wanted []uint64) bool {
			state = slices.Clone(state)
			w.Orbits.Replace(state)
			return slices.Equal(state, wanted)
		}
	}
	if w.Slice != nil {
		var seen []uint64
		is = func(state, wanted []uint64) bool {
			seen = w.Slice.Project(seen[:0], state)
			return slices.Equal(seen, wanted)
		}
	}
	var state []uint64
	for i := 0; (i+1)*words <= len(start) && r.Start < 0; i++ {
		if state = start[i*words : (i+1)*words]; is(state, trail[0]) {
			r.Start = i
		}
	}
	if r.Start < 0 {
		return nil, errors.New("the trail does not begin with an initial state")
	}
	for _, want := range trail[1:] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		next, err := m.AppendSuccessors(nil, state)
		if err != nil {
			return nil, err
		}
		i := 0
		for ; (i+1)*words <= len(next); i++ {
			if is(next[i*words:(i+1)*words], want) {
				break
			}
		}
		if (i+1)*words > len(next) {
			return nil, errors.New("no step of the machine leads to the next state of the trail")
		}
		r.Steps = append(r.Steps, write.TakenBy(m, state, i))
		state = next[i*words : (i+1)*words]
	}
	return r, nil
}

// LostIn finds a lost packet in a state, or the source of an unrouted flow. In the first states
// found with a lost packet no other packet is in front of it.
func LostIn(t *states.Traffic, state spec.Occupancy) (spec.Site, counterexamples.Fault) {
	n := t.Network()
	if at, is := machines.Misrouted(t); is {
		if hops, _ := n.Hops(at); len(hops) == 0 {
			return at, counterexamples.Unrouted
		}
		return at, counterexamples.Misdelivery
	}
	lost := machines.Lost(t)
	for i, pieces := range state.Channels {
		c := spec.ChannelID(i)
		for _, p := range pieces {
			at := spec.Site{Channel: c, Header: p.Header}
			switch hops, _ := n.Hops(at); {
			case p.Left || !lost[c][t.Value(c, p.Header)-1]:
			case len(hops) == 0:
				return at, counterexamples.DeadEnd
			case hops[0] == spec.Hop{Channel: spec.Eject} && n.Topology().Head(c) != p.Header.Dest:
				return at, counterexamples.Misdelivery
			default:
				return at, counterexamples.Trap
			}
		}
	}
	return spec.Site{}, 0
}

// Ejection returns the moves that take the packet of a site out of the network, from a
// state in which no other packet is in front of it, or nil. The end of the
// packet itself may be in front, if it has come back to a channel. Then no more flits enter
// there, and the head has left room behind: the end moves on flit by flit, provided that
// the flits that would take the room behind the head move last.
func Ejection(t *spec.Traffic, state spec.Occupancy, at spec.Site) (moves []spec.Move) {
	m := spec.Move{From: at.Channel, Header: at.Header, Hop: spec.Hop{Channel: spec.Eject}}
	last := func(m spec.Move) bool { return m.Hop.Channel == at.Channel }
	for {
		if _, err := t.Step(state, m); err == nil {
			return append(moves, m)
		}
		can := slices.DeleteFunc(t.Moves(nil, &state, nil), func(m spec.Move) bool { return m.Kind == spec.Advance })
		if len(can) == 0 {
			return nil
		}
		next := can[max(0, slices.IndexFunc(can, func(m spec.Move) bool { return !last(m) }))]
		if err := t.Apply(&state, next); err != nil {
			return nil
		}
		moves = append(moves, next)
	}
}
