package simulate

import (
	"context"

	"github.com/seed-105a2da2/unknot/spec"
)

// Run simulates a network and measures it. A deadlock ends the run, and is part of the result.
// Errors are faults of the options, the traffic, or the network: one that does not deliver
// cannot be measured. Time is linear in the flits that move; memory is linear in the network's
// buffers and what waits.
func Run(ctx context.Context, n *spec.Network, o Options) (*Result, error) {
	if ctx.Err() != nil { // one of many runs: this one has not begun
		return nil, context.Cause(ctx)
	}
	e, err := newEngine(n, o)
	if err != nil {
		return nil, err
	}
	w, err := newWatch(e)
	if err != nil {
		return nil, err
	}
	if err := e.run(ctx, e.o.Clocks, w.deadlocked); err != nil {
		return nil, err
	}
	r := e.m.result()
	if s := e.source; s.traced {
		if r.Missing = len(s.events) + e.alive + s.missed; r.Missing == 0 {
			r.Finished = int(e.now) - 1
		}
	}
	if len(w.stuck) > 0 || w.look() { // the last deadlock may be too recent to have been seen
		if r.Deadlock, err = w.explain(ctx); err != nil {
			return nil, err
		}
	}
	return r, nil
}
