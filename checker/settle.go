package checker

import (
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
)

// settle explores the states of a network whose deadlock no static argument has
// decided: a deadlock that is found is one, with the smallest trace that can be
// made of it; if all states are visited without one, there is none, and the set
// of states is the evidence. Messages of any length are one machine, because
// each may end at any time; with buffers of one flit that covers the stuck
// worms of deeper buffers, too. What exceeds the budget stays unknown.
func (d *decision) settle(ctx context.Context, r *Result, sc spec.Scenario) (*Result, error) {
	if d.most < 0 {
		return r, nil
	}
	d.say(spec.Progress{Stage: "exploring the candidate"})
	def := d.n.Definition()
	if sc.Flits() && def.Buffer > 1 {
		r.Notes = append(r.Notes, "not explored: that is done with buffers of one flit")
		return r, nil
	}
	t, err := d.n.Traffic(sc)
	if err != nil {
		return nil, err
	}
	x, err := Explore(ctx, t, ExploreOptions{Workers: d.workers, MaxStates: d.most, Memory: 1 << 30, Closed: int(d.most), Properties: []string{deadlock}})
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	f := x.Findings[0]
	switch {
	case f.Verdict == spec.Violated:
		r.Verdict, r.Candidate = spec.Violated, nil
		if r.Trace, err = counterexamples.Minimise(d.n, f.Trace); err != nil {
			return nil, &EvidenceError{Name: r.Property.String(), Err: err}
		}
		r.Because = fmt.Sprintf("packets in %s wait for each other for ever, found by exploring", plural(len(r.Trace.Stuck), "channel"))
		if sc.Flits() {
			r.Because = fmt.Sprintf("messages wait for each other for ever, found by exploring (%s)", r.Trace.Scenario)
		}
	case f.Verdict == spec.Holds && f.Closed != nil:
		r.Verdict, r.Candidate, r.Closed = spec.Holds, nil, f.Closed
		r.Because = fmt.Sprintf("none of the %d reachable states is stuck (%s), though the static argument alone does not show it", x.States, t.Scenario())
	default:
		r.Because += fmt.Sprintf("; exploring %d states found no deadlock and did not end (%s)", x.Expanded, x.Ended)
	}
	return r, nil
}

// verifyClosed checks a closed set of a network's traffic.
func verifyClosed(n *spec.Network, set *proofs.ClosedSet) error {
	t, err := spec.TrafficNamed(n, set.Machine)
	if err != nil {
		return err
	}
	safe, err := proofs.SafeTraffic(t, set.Property)
	if err != nil {
		return err
	}
	return proofs.VerifyClosed(t, safe, set)
}
