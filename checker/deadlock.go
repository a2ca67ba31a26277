package checker

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker/internal/fixpoint"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// deadlock climbs from cheap to dear: an acyclic dependency graph settles every
// switching; then the deletion fixpoint for packets, or the head/tail fixpoint
// for worms; what is left is a candidate that only a trace turns into a verdict.
func (d *decision) deadlock(ctx context.Context) (*Finding, error) {
	r := &Finding{Property: deadlock}
	if d.n.SiteCount() == 0 {
		r.Because = "no packet ever enters a channel: nothing to decide"
		return r, nil
	}
	if ranks, acyclic := d.heights(); acyclic {
		d.holds(r, proofs.Rank, ranks, "the channel dependency graph is acyclic (Dally and Seitz 1987)")
		return r, nil
	}
	var stuck int
	var ranks []int32
	if d.n.Switching() == spec.Wormhole {
		var err error
		ranks, stuck, err = d.usage.HeadTail(ctx, d.workers, func(deleted int) {
			d.say(routing.Progress{Stage: "head/tail fixpoint", Done: int64(deleted), Total: int64(d.dependencies.Len()), Count: int64(deleted), Unit: "channels ranked"})
		})
		if err != nil {
			return nil, err
		}
		if stuck == 0 {
			d.holds(r, proofs.ExtendedEscape, ranks, "every blocked message keeps an escape channel of lower rank than every channel it holds (Duato 1993, 1995)")
			r.Certificate().Held, err = fixpoint.Held(ctx, d.n, d.workers, ranks)
			return r, err
		}
		worms := unranked(ranks)
		if ranks, stuck = d.usage.Drain(); stuck == 0 {
			return d.worms(ctx, r, worms)
		}
	} else if ranks, stuck = d.usage.Drain(); stuck == 0 {
		d.holds(r, proofs.Escape, ranks, "every packet keeps a hop into a channel of lower rank (Duato 1996), although the dependency graph has cycles")
		return r, nil
	}
	return d.confirm(ctx, r, unranked(ranks))
}

func (d *decision) holds(r *Finding, kind proofs.Kind, ranks []int32, because string) {
	d.certified(r, because, proofs.Certificate{Property: spec.Deadlock, Kind: kind, Rank: ranks})
}

// certified makes a certificate the evidence of a finding.
func (d *decision) certified(r *Finding, because string, c proofs.Certificate) {
	c.Network, c.Switching = d.n.Digest(), d.n.Switching()
	r.Verdict, r.Because, r.Evidence = spec.Holds, because, evidence.Certificate{Network: d.n, Certificate: &c}
}

func unranked(ranks []int32) []spec.ChannelID {
	var out []spec.ChannelID
	for c, rank := range ranks {
		if rank == fixpoint.Unranked {
			out = append(out, spec.ChannelID(c))
		}
	}
	return out
}
