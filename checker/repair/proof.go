package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/repairs"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
)

// proofLog records the conditions and learned clauses of a search, as steps of an unsatisfiability proof.
type proofLog struct {
	steps []unsat.Step
	nodes [][2]int32 // by step: the first and the last one of the solver's trace
	size  int        // numbers in the steps
}

// mostLogged bounds the memory of a log to some 100 MB. A longer log proves nothing.
const mostLogged = 1 << 23

func (l *proofLog) add(s unsat.Step, clause []sat.Literal, node int32) {
	if l.size += 1 + len(clause); l.size > mostLogged {
		l.steps, l.nodes = nil, nil
		return
	}
	for _, x := range clause {
		s.List = append(s.List, int32(x))
	}
	l.steps, l.nodes = append(l.steps, s), append(l.nodes, [2]int32{node, node})
}

// condition is a sat.Solver's Required.
func (l *proofLog) condition(clause []sat.Literal, node int32) {
	l.add(unsat.Step{Condition: true}, clause, node)
}

// learned is its Log.
func (l *proofLog) learned(clause []sat.Literal, node int32) bool {
	l.add(unsat.Step{Clause: true}, clause, node)
	return true
}

// refuted returns the steps from which the solver's trace derives a contradiction, and the contradiction. It keeps
// more steps if ctx ends.
func (l *proofLog) refuted(ctx context.Context, s *sat.Solver) (steps []unsat.Step) {
	needed := s.Needed(ctx)
	for i, step := range l.steps {
		if of := l.nodes[i]; needed == nil || slices.Contains(needed[of[0]:of[1]+1], true) {
			steps = append(steps, step)
		}
	}
	return append(steps, unsat.Step{Clause: true})
}

// bound returns what an unsatisfiability proof about a scheme counts.
func (s Scheme) bound() unsat.Unit {
	return map[Scheme]unsat.Unit{
		Turns: unsat.Turns, Hops: unsat.Hops, Order: unsat.Order, Layers: unsat.Layers,
		HopIndex: unsat.HopIndex, Dateline: unsat.Dateline,
	}[s]
}

// The time of a check is bounded to some seconds, by the hops that the conditions of a proof visit and by the clauses
// that it learns: each is checked against all those before it, of which unit propagation may visit every one.
const (
	mostVisited = 1 << 26
	mostLearned = 1 << 15
)

// visits estimates the hops that a condition visits for a literal: those of its unit, and some more before or
// after them if the unit stays or is crossed.
func (w *paths) visits(ctx context.Context) func(x int32) int {
	hops := make([]int, len(w.units))
	for i := range w.tables {
		if ctx.Err() != nil {
			break // nothing more will be verified
		}
		for _, u := range w.tables[i].unit {
			if u != free {
				hops[u]++
			}
		}
	}
	return func(x int32) int { return hops[x/2] * (1 + 15*int(x%2)) }
}

// verified checks a proof. It returns nil without an error if the proof is too long or ctx has ended; then it does not
// wait for the check, part of which ignores the context.
func verified(
	ctx context.Context, n *spec.Network, bound unsat.Bound, steps []unsat.Step, visits func(x int32) int,
) (*evidence.Unsatisfiability, error) {
	visited, learned := 0, 0
	for _, s := range steps {
		if s.Clause {
			learned++
		}
		for _, x := range s.List {
			if s.Condition {
				visited += visits(x)
			}
		}
	}
	if visited > mostVisited || learned > mostLearned || ctx.Err() != nil || tooLate(ctx, n, bound.Of) {
		return nil, nil
	}
	e := &evidence.Unsatisfiability{
		Network: n,
		Proof:   &unsat.Proof{Network: n.Digest(), Bound: bound, Steps: steps},
	}
	checked := make(chan error, 1)
	go func() { checked <- e.Verify(ctx, evidence.Options{}) }()
	var err error
	select {
	case err = <-checked:
	case <-ctx.Done():
	}
	switch {
	case ctx.Err() != nil || errors.Is(err, repairs.ErrTooLarge):
		return nil, nil
	case err != nil && len(steps) > 1: // or the log is lost
		return nil, fmt.Errorf("%s: %w", bound.Property(), err)
	case err != nil:
		return nil, nil
	}
	return e, nil
}

// tooLate reports whether too little time is left until the deadline of ctx to make the graph of a check. Copying and
// clearing its memory cannot be interrupted, and would delay the result.
func tooLate(ctx context.Context, n *spec.Network, of unsat.Unit) bool {
	const perHop = 500 * time.Nanosecond
	end, timed := ctx.Deadline()
	if !timed {
		return false
	}
	hops, t := 0, n.Topology()
	for l := spec.LinkID(0); of == unsat.Order && int(l) < t.Links(); l++ {
		hops += n.Tables() * len(t.OutLinks(t.Link(l).To))
	}
	for i := 0; of != unsat.Order && i < n.Tables(); i++ {
		for _, row := range n.Table(i).Rows {
			hops += len(n.Row(row))
		}
	}
	return time.Until(end) < time.Duration(hops)*perHop
}

// oneVisit is the number of visits for a literal of a condition on turns alone.
func oneVisit(int32) int { return 1 }
