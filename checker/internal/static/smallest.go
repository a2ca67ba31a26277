package static

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker/internal/worms"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/refutation"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Smallest is what is known of the size of the deadlocks of a network.
type Smallest struct {
	Found  int                    // size of the smallest set found that block each other; 0: none
	Placed int                    // of the smallest one that some order was found for that brings it there; 0: none
	Trace  *counterexamples.Trace // to that one
	None   *refutation.Refutation // of smaller ones, verified; nil if nothing was shown
	Why    string                 // None is not of all that are smaller than Found: what ended the search
}

// visitsUntimed bounds the search for each size where no deadline does: some ten seconds. The
// room for a proof is some tens of megabytes then.
const visitsUntimed, numbersUntimed, numbersTimed = 20_000_000, 1 << 22, 1 << 25

// Smallest looks for a deadlock of the fewest messages, or channels held: whole packets,
// or messages of any length with wormhole switching. Exponential at worst; it takes all the
// time until the deadline of ctx, or some seconds without one. When ctx ends it returns what it has.
func (d *Decision) Smallest(ctx context.Context, of refutation.Unit) (*Smallest, error) {
	o := worms.Options{Visits: visitsUntimed, Numbers: numbersUntimed, Progress: func(done int64) {
		d.say(routing.Progress{Stage: "searching for the smallest deadlock", Count: done, Unit: "dead ends"})
	}}
	if _, timed := ctx.Deadline(); timed {
		o.Visits, o.Numbers = 0, numbersTimed
	}
	s := &Smallest{}
	least, err := worms.Smallest(ctx, d.n, of, o, func(found []worms.Worm) error {
		s.Found = worms.Size(found, of)
		t, err := d.placed(ctx, found)
		if t != nil {
			s.Trace, s.Placed = t, s.Found
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s.None, s.Why = least.None, least.Why
	return s, nil
}

// placed returns a trace to worms that block each other, or nil.
func (d *Decision) placed(ctx context.Context, found []worms.Worm) (t *counterexamples.Trace, err error) {
	var moves []spec.Move
	if d.n.Switching() == spec.Wormhole {
		moves, err = d.placeWorms(ctx, found)
	} else {
		var set []spec.ChannelID
		for _, w := range found {
			set = append(set, w.Head().Channel)
		}
		var ways [][]spec.Move
		p := &placement{n: d.n, walker: newWalker(d.n)}
		ways, err = p.fill(ctx, set)
		moves = p.packets(ways)
	}
	if err != nil {
		return nil, err
	}
	if t, err = d.replayed(ctx, d.sc, moves); t != nil {
		t.Network = d.n.Digest()
	}
	return t, err
}
