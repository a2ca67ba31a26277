package simulate

import (
	"context"

	"github.com/seed-105a2da2/unknot/spec"
)

// Run simulates a network and measures it. A deadlock ends it, and is part of the result.
// Errors are faults of the options, of the traffic, and of the network: one that does not
// deliver cannot be measured. It takes time linear in the flits that move, and memory
// linear in the network's buffers and in what waits.
func Run(ctx context.Context, n *spec.Network, o Options) (*Result, error) {
	if ctx.Err() != nil { // of many runs: this one has not begun
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
	if len(w.stuck) > 0 || w.look() { // the last deadlock has not lasted for long
		if r.Deadlock, err = w.explain(ctx); err != nil {
			return nil, err
		}
	}
	return r, nil
}
