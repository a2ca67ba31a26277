package checker

import (
	"context"
	"errors"
	"sync"

	"github.com/seed-105a2da2/unknot/checker/internal/static"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// decision is the state of one call of decide.
type decision struct {
	n        *spec.Network
	progress func(routing.Progress)
	most     int64 // states that may be explored
	explore  Question
	static   *static.Decision // nil if there was no time
	result   *Result

	checks  sync.WaitGroup // of evidence, by packages that do not know how it was found
	refused []*error       // by finding: why its evidence was refused; valid once checks are done
}

func (d *decision) say(stage string) {
	if d.progress != nil {
		d.progress(routing.Progress{Stage: stage})
	}
}

// add adds a finding and has its evidence checked concurrently with what is decided next.
func (d *decision) add(ctx context.Context, f Finding) {
	refused := new(error)
	d.result.Findings, d.refused = append(d.result.Findings, f), append(d.refused, refused)
	if f.Verdict != spec.Unknown && f.Method != Explored { // what exploring found has been checked already
		d.beside(func() { *refused = f.Evidence.Verify(ctx, evidence.Options{}) })
	}
}

// beside runs work concurrently with the decision, unless there is only one worker.
func (d *decision) beside(work func()) {
	if d.explore.Workers == 1 {
		work()
		return
	}
	d.checks.Go(work)
}

// verified waits for the checks. What was unchecked when ctx ended is unknown.
func (d *decision) verified(ctx context.Context) error {
	d.say("verifying")
	d.checks.Wait()
	for i, refused := range d.refused {
		f := &d.result.Findings[i]
		switch {
		case *refused == nil:
		case errors.Is(*refused, ctx.Err()):
			*f = Finding{Property: f.Property, Because: stopped(ctx).And(" before the evidence was verified"), Assumptions: f.Assumptions}
		default:
			return &EvidenceError{f.Property, *refused}
		}
	}
	return nil
}
