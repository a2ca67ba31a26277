// Package static decides networks from their routing tables, without visiting states.
//
// Livelock and delivery are questions about single packets, and exact. Deadlock is
// decided by a ladder, from cheap to expensive: an acyclic dependency graph settles it for
// every switching; then comes the deletion fixpoint for packets or the head/tail fixpoint for
// worms (package fixpoint); then an exact search for worms (package worms). What remains
// is a candidate, a stuck set of packets or worms, and only a trace makes it a verdict:
// packets or worms are placed one after the other from the empty network.
package static

import (
	"context"
	"fmt"
	"iter"

	"github.com/seed-105a2da2/unknot/checker/internal/fixpoint"
	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Options says how to decide.
type Options struct {
	Workers  int                    // at least 1
	Deadlock bool                   // will be asked for: its preparation runs alongside what comes before
	Digested <-chan struct{}        // closed when the network's digest is known; nil: it is computed when needed
	Scenario spec.Scenario          // for wormhole switching: Length, Elastic and Shared; zero: messages of any length
	Progress func(routing.Progress) // called now and then, never concurrently; may be nil
	// Measured is the number of sites up to which each gets a measure of its own, although the
	// ranks of channels would do; 0 means 1<<28, which take a gigabyte.
	Measured int
}

// Decision is a network that is being decided.
type Decision struct {
	n            *spec.Network
	opt          Options
	sc           spec.Scenario // how messages move, with what follows from it filled in
	usage        *fixpoint.Usage
	dependencies *graph.Graph
	ranks        []int32            // of channels, if the dependencies have no cycle; otherwise nil
	survey       *survey            // of single packets; made when first needed
	tails        *fixpoint.HeadTail // prepared if it is to decide deadlock; otherwise nil
}

// Answer is the answer for one property.
type Answer struct {
	Verdict  spec.Verdict
	Because  string
	Notes    []string
	Evidence evidence.Evidence // for the verdict; not verified yet

	Candidate []spec.ChannelID // unknown: channels that may deadlock, ascending
	Open      *Open            // how exploring may settle the candidate; nil: it cannot
}

// Open is a candidate that exploring may decide.
type Open struct {
	Scenario spec.Scenario         // exploring all of its states decides
	Few      iter.Seq[[]spec.Flow] // packets of small stuck sets, which may suffice to show a deadlock; may be nil
}

// New prepares the decision of a network: one pass over its sites.
func New(ctx context.Context, n *spec.Network, opt Options) (*Decision, error) {
	d := &Decision{n: n, opt: opt}
	if d.sc = (spec.Scenario{Length: opt.Scenario.Length, Elastic: opt.Scenario.Elastic, Shared: opt.Scenario.Shared}); n.Switching() == spec.Wormhole {
		if !d.sc.Flits() {
			d.sc.Length = spec.AnyLength
		}
		rules, err := n.Traffic(d.sc)
		if err != nil {
			return nil, err
		}
		d.sc = rules.Scenario()
	}
	d.say(routing.Progress{Stage: "dependencies"})
	var err error
	if d.usage, err = fixpoint.NewUsage(ctx, n, opt.Workers); err != nil {
		return nil, err
	}
	d.dependencies = d.usage.Dependencies()
	if ranks, acyclic := graph.Heights(d.dependencies); acyclic {
		d.ranks = ranks
	}
	return d, nil
}

// Used reports, by channel, whether some packet enters it.
func (d *Decision) Used() []bool { return d.usage.Used }

// Edges returns the number of edges of the channel dependency graph.
func (d *Decision) Edges() int { return len(d.dependencies.To) }

func (d *Decision) say(p routing.Progress) {
	if d.opt.Progress != nil {
		d.opt.Progress(p)
	}
}

// Decide answers for a property. The error may be the cause of ctx.
func (d *Decision) Decide(ctx context.Context, p spec.Property) (*Answer, error) {
	var a *Answer
	var err error
	switch p {
	case spec.Deadlock:
		a, err = d.deadlock(ctx)
	case spec.Livelock:
		a, err = d.livelock(ctx)
	case spec.Delivery:
		a, err = d.delivery(ctx)
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
	case evidence.Trace:
		e.Trace.Network = d.n.Digest()
	}
	return a, nil
}

// certified is the answer that a certificate gives.
func (d *Decision) certified(because string, c proofs.Certificate) *Answer {
	c.Switching = d.n.Switching()
	return &Answer{Verdict: spec.Holds, Because: because, Evidence: evidence.Certificate{Network: d.n, Certificate: &c}}
}

// violated is the answer that a trace gives.
func (d *Decision) violated(because string, t *counterexamples.Trace) *Answer {
	return &Answer{Verdict: spec.Violated, Because: because, Evidence: evidence.Trace{Network: d.n, Trace: t}}
}
