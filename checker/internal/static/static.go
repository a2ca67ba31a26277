// Package static decides networks from their routing tables, without visiting states.
//
// Livelock and delivery are questions about single packets, and exact. Deadlock is
// decided by methods in order, from cheap to expensive: an acyclic dependency graph decides it for
// every switching; then comes the deletion fixpoint for packets or the head/tail fixpoint for
// worms (package relation); then sets of channels in which bubbles are kept, or an exact search
// for worms (package wormhole). What remains
// is a candidate, a stuck set of packets or worms, and only a trace makes it a verdict:
// packets or worms are placed one after the other from the empty network.
package static

import (
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
)

// Decide answers for a property. The error may be the cause of ctx.
func (d *Decision) Decide(ctx context.Context, p spec.Property) (*Answer, error) {
	var a *Answer
	var err error
	switch p {
	case spec.DeadlockFreedom:
		a, err = d.deadlock(ctx)
	case spec.LivelockFreedom:
		a, err = d.livelock(ctx)
	case spec.Delivery:
		a, err = d.delivery(ctx)
	case spec.NoDiscard:
		a, err = d.noDiscard(ctx)
	default:
		err = fmt.Errorf("invalid property %d", p)
	}
	if err != nil || a.Evidence == nil {
		return a, err
	}
	if d.opt.Digested != nil {
		select {
		case <-d.opt.Digested:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	switch e := a.Evidence.(type) {
	case evidence.Certificate:
		e.Certificate.Network = d.n.Digest()
	case evidence.Bubbles:
		e.Certificate.Network = d.n.Digest()
	case evidence.Trace:
		e.Trace.Network = d.n.Digest()
	}
	return a, nil
}
