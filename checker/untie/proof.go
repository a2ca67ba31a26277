package untie

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/refutation"
	"github.com/seed-105a2da2/unknot/proofs/repairs"
	"github.com/seed-105a2da2/unknot/spec"
)

// log writes down what a search is told and learns, as steps of a refutation.
type log struct {
	steps []refutation.Step
	size  int // numbers in the steps
}

// mostLogged bounds the memory of a log: some 100 MB. A longer log proves nothing.
const mostLogged = 1 << 23

func (l *log) add(s refutation.Step, clause []sat.Literal) {
	if l.size += 1 + len(clause); l.size > mostLogged {
		l.steps = nil
		return
	}
	for _, x := range clause {
		s.List = append(s.List, int32(x))
	}
	l.steps = append(l.steps, s)
}

func (l *log) condition(clause []sat.Literal) { l.add(refutation.Step{Condition: true}, clause) }

// learned is a sat.Solver's Log.
func (l *log) learned(clause []sat.Literal, _ int32) bool {
	l.add(refutation.Step{Clause: true}, clause)
	return true
}

// unit returns what a refutation about a scheme counts.
func (s Scheme) bound() refutation.Unit {
	return map[Scheme]refutation.Unit{Turns: refutation.Turns, Hops: refutation.Hops, Order: refutation.Order, Layers: refutation.Layers, HopIndex: refutation.HopIndex}[s]
}

// proof shows that no repair costs less than the bound, or that there is none: nil if that
// takes no proof, or one that is too long.
func (l *least) proof(ctx context.Context) (*evidence.Refutation, error) {
	bound := refutation.Bound{Of: l.scheme.bound()}
	none := l.refuted && l.best == nil
	if bound.Most = l.bound() - 1; bound.Most < 1 && !none {
		return nil, nil
	}
	var steps []refutation.Step
	switch w := l.weights(); {
	case none:
		bound.Most = 0
		steps = append(l.log.steps, refutation.Step{Clause: true})
	case w.bound > bound.Most:
		var sum log
		last := refutation.Step{Clause: true}
		for i, times := range w.times {
			if times > 0 {
				sum.condition(l.clauses[i])
				last.Sum = append(last.Sum, slices.Repeat([][]int32{sum.steps[len(sum.steps)-1].List}, times)...)
			}
		}
		steps = append(sum.steps, last)
	default:
		steps = append(l.log.steps, refutation.Step{Clause: true})
	}
	return verified(ctx, l.n, bound, steps)
}

// mostVisited bounds the time of a proof, a few seconds: its conditions, times the hops of
// the network, each of which every condition visits some times.
const mostVisited = 1 << 26

// verified checks a proof: nil without an error if it is too long, or ctx has ended.
func verified(ctx context.Context, n *spec.Network, bound refutation.Bound, steps []refutation.Step) (*evidence.Refutation, error) {
	conditions := 0
	for _, s := range steps {
		if s.Condition {
			conditions++
		}
	}
	if conditions*hops(n) > mostVisited {
		return nil, nil
	}
	e := &evidence.Refutation{Network: n, Refutation: &refutation.Refutation{Network: n.Digest(), Bound: bound, Steps: steps}}
	switch err := e.Verify(ctx, evidence.Options{}); {
	case ctx.Err() != nil || errors.Is(err, repairs.ErrTooLarge):
		return nil, nil
	case err != nil && len(steps) > 1: // or the log is lost
		return nil, fmt.Errorf("%s: %w", bound.Property(), err)
	case err != nil:
		return nil, nil
	}
	return e, nil
}

// hops returns the number of hops at all sources and sites.
func hops(n *spec.Network) int {
	count := 0
	var together spec.Table
	for i := range n.Tables() {
		t := n.TableIn(&together, i)
		for _, s := range t.Sources {
			count += len(n.Row(s.Row))
		}
		for _, r := range t.Rows {
			count += len(n.Row(r))
		}
	}
	return count
}
