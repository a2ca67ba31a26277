package simulate

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
)

// Finding is the deadlock that ended the runs, with its trace as evidence: a smaller one if that is soon found. It is
// nil without a deadlock. The error may be the cause of ctx.
func (r *Result) Finding(ctx context.Context, n *spec.Network) (*checker.Finding, error) {
	d := r.Deadlock
	if d == nil {
		return nil, nil
	}
	trace := evidence.Trace{Network: n, Trace: d.Trace}
	const small = 2000 // moves that are soon made fewer
	if len(d.Trace.Moves) <= small {
		var err error
		if trace, err = explain.Minimise(ctx, trace); err != nil {
			return nil, err
		}
	}
	return &checker.Finding{
		Property: spec.DeadlockFreedom.String(), Verdict: spec.Violated, Evidence: trace,
		Because: findings.Say(findings.Simulated{Clock: d.Clock, Load: r.Load, Seed: d.Seed}),
	}, nil
}
