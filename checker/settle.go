package checker

import (
	"cmp"
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/checker/explain"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// settle explores the states of a network whose deadlock no static argument has
// decided: a deadlock that is found is one, with the smallest trace that can be
// made of it; if all states are visited without one, there is none, and the set
// of states is the evidence. Messages of any length are one machine, because
// each may end at any time; with buffers of one flit that covers the stuck
// worms of deeper buffers, too. What exceeds the budget stays unknown.
func (d *decision) settle(ctx context.Context, r *Finding, sc spec.Scenario) (*Finding, error) {
	if d.most < 0 {
		return r, nil
	}
	d.checks.Wait() // so that the rest stands, however this ends
	d.say(routing.Progress{Stage: "exploring the candidate"})
	if sc.Flits() && d.n.Buffer() > 1 {
		r.Notes = append(r.Notes, "not explored: exploration of worms takes buffers of one flit")
		return r, nil
	}
	t, err := states.NewTraffic(d.n, sc)
	if err != nil {
		return nil, err
	}
	opt := d.explore
	opt.Workers, opt.Properties = d.workers, []string{deadlock}
	opt.Notion, opt.Whole, opt.Liveness = Local, false, false
	opt.Compact, opt.Symmetry, opt.PartialOrder = false, false, false
	opt.Memory = cmp.Or(opt.Memory, 1<<30)
	opt.MaxStates = min(d.most, cmp.Or(opt.MaxStates, d.most))
	x, err := Explore(ctx, t, opt)
	if err != nil {
		return nil, err
	}
	d.result.Machine, d.result.Space = t, x.Space
	g := &x.Findings[0]
	r.Method = g.Method
	switch g.Verdict {
	case spec.Violated:
		r.Verdict, r.Candidate = spec.Violated, nil
		if r.Evidence, err = d.minimised(ctx, g.Trace()); err != nil {
			return nil, err
		}
		r.Because = fmt.Sprintf("packets in %s block each other permanently, found by exploring", plural(len(r.Trace().Stuck), "channel"))
		if sc.Flits() {
			r.Because = fmt.Sprintf("messages block each other permanently, found by exploring (%s)", r.Trace().Scenario)
		}
	case spec.Holds:
		r.Verdict, r.Candidate, r.Evidence = spec.Holds, nil, g.Evidence
		r.Because = fmt.Sprintf("none of the %d reachable states contains a deadlock (%s), although no static argument shows it", x.States, t.Scenario())
	default:
		if x.Local > 0 {
			r.Because += "; " + g.Because
			break
		}
		r.Because += fmt.Sprintf("; exploring %d states found no deadlock and did not end (%s)", x.Expanded, cmp.Or(x.Ended, g.Because))
	}
	return r, nil
}

// minimised makes a trace that has been replayed smaller while there is time.
func (d *decision) minimised(ctx context.Context, trace *counterexamples.Trace) (evidence.Evidence, error) {
	t := evidence.Trace{Network: d.n, Trace: trace}
	small, err := explain.Minimise(ctx, t)
	if err == nil {
		err = small.Verify(ctx, evidence.Options{})
	}
	switch {
	case err == nil:
		return small, nil
	case ctx.Err() != nil:
		return t, nil
	}
	return nil, &EvidenceError{Name: deadlock, Err: err}
}
