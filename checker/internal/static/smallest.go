package static

import (
	"context"
	"time"

	"github.com/seed-105a2da2/unknot/checker/internal/worms"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/refutation"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Smallest is what is known of the size of the deadlocks of a network.
type Smallest struct {
	Size  int                    // of the smallest set found that block each other; 0: none
	Trace *counterexamples.Trace // to it; nil if no order was found that brings it there
	None  *refutation.Refutation // of smaller ones; nil if nothing was shown
	// Verified says that [refutation.Verify] has accepted None, as it is here: the search
	// for it was that check.
	Verified bool
}

// Smallest looks for a deadlock of the fewest messages, or channels held: whole packets,
// or messages of any length with wormhole switching. Exponential at worst; steps bounds
// the dead ends of each of its searches, ctx all of them.
func (d *Decision) Smallest(ctx context.Context, of refutation.Unit, steps int64) (*Smallest, error) {
	search := ctx
	if end, bounded := ctx.Deadline(); bounded { // the trace to what is found, and checking it, take time, too
		var cancel context.CancelFunc
		search, cancel = context.WithDeadline(ctx, end.Add(-time.Until(end)/3))
		defer cancel()
	}
	found, none, verified, err := worms.Smallest(search, d.n, of, worms.Options{Steps: steps, Progress: func(done int64) {
		d.say(routing.Progress{Stage: "searching for the smallest deadlock", Count: done, Unit: "dead ends"})
	}})
	if err != nil || found == nil {
		return &Smallest{None: none, Verified: verified}, err
	}
	s := &Smallest{Size: worms.Size(found, of), None: none, Verified: verified}
	sc, moves := spec.Scenario{Length: spec.AnyLength}, []spec.Move(nil)
	switch {
	case d.n.Switching() != spec.Wormhole:
		var set []spec.ChannelID
		for _, w := range found {
			set = append(set, w.Head().Channel)
		}
		p := &placement{n: d.n, walker: newWalker(d.n)}
		sc, moves = spec.Scenario{}, nil
		if moves, err = p.fill(ctx, set); err != nil {
			return nil, err
		}
	case d.n.Buffer() == 1:
		if moves, err = d.placeWorms(ctx, found); err != nil {
			return nil, err
		}
	}
	if s.Trace, err = d.replayed(ctx, sc, moves); s.Trace != nil {
		s.Trace.Network = d.n.Digest()
	}
	return s, err
}
