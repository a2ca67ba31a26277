package static

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/checker/internal/windows"
	"github.com/seed-105a2da2/unknot/checker/internal/wormhole"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Smallest is what is known about the size of a network's smallest deadlock.
type Smallest struct {
	Found  int                    // size of the smallest set found that block each other; 0: none
	Placed int                    // size of the smallest one with an order that brings it to its place; 0: none
	Trace  *counterexamples.Trace // to that one, verified
	None   *unsat.Proof           // that nothing smaller exists up to its bound, verified; nil if nothing was shown
	Why    findings.Fact          // what ended the search, if None does not reach up to Found; else nil
}

// visitsUntimed bounds the search for each size if there is no deadline: some ten seconds. A
// proof may then take some tens of megabytes.
const visitsUntimed, numbersUntimed, numbersTimed = 20_000_000, 1 << 22, 1 << 25

// Smallest looks for a deadlock with the fewest packets, or channels held: of whole packets,
// or of packets of any length with wormhole switching. It may be exponential; it takes all the
// time until the deadline of ctx, or some seconds without one. When ctx ends it returns what it has.
// It calls verify with each trace that it may return; an error of that ends the search.
func (d *Decision) Smallest(
	ctx context.Context, of unsat.Unit, verify func(*counterexamples.Trace) error,
) (*Smallest, error) {
	o := wormhole.Options{Visits: visitsUntimed, Numbers: numbersUntimed, Progress: func(done int64) {
		d.say(routing.Progress{Stage: "searching for the smallest deadlock", Count: done, Unit: "dead ends"})
	}}
	if _, timed := ctx.Deadline(); timed {
		o.Visits, o.Numbers = 0, numbersTimed
	}
	s := &Smallest{}
	least, err := wormhole.Smallest(ctx, d.n, of, o, func(found []wormhole.Worm) error {
		s.Found = wormhole.Size(found, of)
		t, err := d.placed(ctx, found)
		if t != nil {
			if err = verify(t); err == nil { // here, as there is no time when the search has ended
				s.Trace, s.Placed = t, s.Found
			}
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
func (d *Decision) placed(ctx context.Context, found []wormhole.Worm) (t *counterexamples.Trace, err error) {
	var moves []spec.Move
	if d.n.Switching() == spec.Wormhole {
		moves, err = d.placeWorms(ctx, found)
	} else {
		var set []spec.ChannelID
		for _, w := range found {
			set = append(set, w.Head().Channel)
		}
		var loads []load
		p := &placement{n: d.n, walk: relation.NewWalk(d.n), budget: windows.NewBudget(d.n)}
		loads, err = p.fill(ctx, full(d.n, set))
		moves = inTurn(loads)
	}
	if err != nil {
		return nil, err
	}
	if t, err = d.replayed(ctx, d.sc, moves); t != nil {
		t.Network = d.n.Digest()
	}
	return t, err
}
