package checker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/plural"
	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// From packed states back to steps that the reference machine takes.

// violation makes f one that the trail to a state shows, with that trail as evidence,
// checked; unknown if ctx ends before.
func (s *subject) violation(ctx context.Context, f *Finding, fault runs.Fault, space *statespace.Space, at statespace.ID) error {
	trail, err := space.Trail(ctx, s.fast, at)
	if err == nil {
		err = s.witness(ctx, f, fault, trail)
	}
	switch {
	case err == nil:
		f.Verdict = spec.Violated
	case ctx.Err() != nil:
		*f = Finding{Property: f.Property, Because: "a state that violates it was found, but not yet the way there: " + stopped(ctx)}
	default:
		return &EvidenceError{Name: f.Property, Err: err}
	}
	return nil
}

// witness makes a trail into evidence, and checks it.
func (s *subject) witness(ctx context.Context, f *Finding, fault runs.Fault, trail [][]uint64) error {
	if s.traffic == nil {
		run, err := s.run(ctx, trail)
		if err != nil {
			return err
		}
		run.Property, run.Fault = f.Property, fault
		f.Because = fmt.Sprintf("%s from the start", plural.Of(len(run.Steps), "step"))
		return f.rest(ctx, evidence.Run{Machine: s.m, Run: run})
	}
	t, err := s.trace(ctx, trail)
	if err != nil {
		return err
	}
	if f.Property == delivery {
		return s.undelivered(ctx, f, t)
	}
	return s.deadlocked(ctx, f, t)
}

// refused is the finding that the machine refuses a step, nil if it does not. If
// the reference takes the step, the machine that is walked is at fault, such as
// symmetries that are none.
func (s *subject) refused(ctx context.Context, space *statespace.Space, r *statespace.Result) (*Finding, error) {
	if r.Reason != statespace.Refused {
		return nil, nil
	}
	f := &Finding{Property: states.InRange}
	if s.traffic != nil || s.violation(ctx, f, runs.Refused, space, r.RefusedAt) != nil {
		return nil, fmt.Errorf("exploring %s: %w", s.name, r.Refusal)
	}
	f.Because += ": " + r.Refusal.Error()
	return f, nil
}

// trace finds the moves of a trail.
func (s *subject) trace(ctx context.Context, trail [][]uint64) (*counterexamples.Trace, error) {
	n := s.traffic.Network()
	t := &counterexamples.Trace{Network: n.Digest(), Scenario: s.traffic.Scenario().Steps()}
	state := s.traffic.Empty()
	var packed []uint64
	for _, want := range trail[1:] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found := false
		for _, m := range s.traffic.Moves(state) {
			after, err := s.traffic.Step(state, m)
			if err != nil {
				return nil, err
			}
			packed = s.traffic.Encode(packed[:0], after)
			if s.orbits != nil {
				s.orbits.Replace(packed)
			}
			if slices.Equal(packed, want) {
				t.Moves = append(t.Moves, m)
				state, found = after, true
				break
			}
		}
		if !found {
			return nil, errors.New("no move of the reference machine leads to the next state of the trail")
		}
	}
	return t, nil
}

func (s *subject) deadlocked(ctx context.Context, f *Finding, t *counterexamples.Trace) error {
	free, state, err := counterexamples.End(ctx, s.traffic.Network(), t)
	if err != nil {
		return err
	}
	t.Property, t.Fault, t.Stuck = spec.Deadlock, counterexamples.CircularWait, states.Stuck(free, state)
	if len(t.Stuck) == 0 {
		return errors.New("nothing is stuck in the last state")
	}
	f.Because = fmt.Sprintf("after %s, packets in %s block each other permanently", plural.Of(len(t.Moves), "move"), plural.Of(len(t.Stuck), "channel"))
	return f.rest(ctx, evidence.Trace{Network: s.traffic.Network(), Trace: t})
}

func (s *subject) undelivered(ctx context.Context, f *Finding, t *counterexamples.Trace) error {
	n := s.traffic.Network()
	_, state, err := counterexamples.End(ctx, n, t)
	if err != nil {
		return err
	}
	t.Property = spec.Delivery
	if t.Site, t.Fault = s.lost(state); t.Fault == 0 {
		return errors.New("every packet of the last state can be delivered")
	}
	what := map[counterexamples.Fault]string{
		counterexamples.Unrouted: "has no first hop", counterexamples.DeadEnd: "has no permitted hop",
		counterexamples.Misdelivery: "ejects at a wrong node", counterexamples.Trap: "can move, but never arrive",
	}[t.Fault]
	if t.Fault == counterexamples.Misdelivery {
		t.Moves = append(t.Moves, spec.Move{From: t.Site.Channel, Header: t.Site.Header, Hop: spec.Hop{Channel: spec.Eject}})
		t.Site = spec.Site{}
	}
	f.Because = fmt.Sprintf("after %s a packet %s", plural.Of(len(t.Moves), "move"), what)
	return f.rest(ctx, evidence.Trace{Network: n, Trace: t})
}

// lost finds a packet of a state that is, or the source of a flow that is not
// routed. The first states that are found with one have no packet in front of it.
func (s *subject) lost(state spec.Occupancy) (spec.Site, counterexamples.Fault) {
	n := s.traffic.Network()
	if at, is := machines.Misrouted(s.traffic); is {
		if hops, _ := n.Hops(at); len(hops) == 0 {
			return at, counterexamples.Unrouted
		}
		return at, counterexamples.Misdelivery
	}
	lost := machines.Lost(s.traffic)
	for i, pieces := range state.Channels {
		c := spec.ChannelID(i)
		for _, p := range pieces {
			at := spec.Site{Channel: c, Header: p.Header}
			switch hops, _ := n.Hops(at); {
			case p.Left || !lost[c][s.traffic.Value(c, p.Header)-1]:
			case len(hops) == 0:
				return at, counterexamples.DeadEnd
			case hops[0].Channel == spec.Eject && n.Topology().Head(c) != p.Header.Dest:
				return at, counterexamples.Misdelivery
			default:
				return at, counterexamples.Trap
			}
		}
	}
	return spec.Site{}, 0
}

// run finds the steps of a trail.
func (s *subject) run(ctx context.Context, trail [][]uint64) (*runs.Run, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	words := s.m.Layout().Words()
	r := &runs.Run{Machine: s.m.Name(), Start: -1}
	start := s.m.Start(nil)
	is := func(state, wanted []uint64) bool { return slices.Equal(state, wanted) }
	if s.orbits != nil {
		is = func(state, wanted []uint64) bool {
			state = slices.Clone(state)
			s.orbits.Replace(state)
			return slices.Equal(state, wanted)
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
		next, err := s.m.Next(nil, state)
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
		r.Steps = append(r.Steps, runs.TakenBy(s.m, state, i))
		state = next[i*words : (i+1)*words]
	}
	return r, nil
}
