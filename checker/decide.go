package checker

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/seed-105a2da2/unknot/checker/internal/digraph"
	"github.com/seed-105a2da2/unknot/checker/internal/fixpoint"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
)

// EvidenceError says that evidence for a verdict did not pass its check: a
// fault of unknot itself, never of the network.
type EvidenceError struct {
	Name string // of the property
	Err  error
}

func (e *EvidenceError) Error() string {
	return fmt.Sprintf("the evidence for the verdict on %s was rejected: %v", e.Name, e.Err)
}

func (e *EvidenceError) Unwrap() error { return e.Err }

// Decide answers the properties asked for. Every certificate has been verified
// and every trace replayed before it returns; if one fails, the error is an
// *EvidenceError. Time and memory are linear in the sites for acyclic
// dependency graphs and for store-and-forward; the head/tail fixpoint for
// wormhole switching takes a sweep a rank.
func Decide(ctx context.Context, n *spec.Network, opt Options) (*Report, error) {
	d := &decision{n: n, workers: cmp.Or(opt.Workers, runtime.GOMAXPROCS(0)), progress: opt.Progress, most: cmp.Or(opt.Settle, 200_000)}
	properties := opt.Properties
	if len(properties) == 0 {
		properties = []spec.Property{spec.Deadlock, spec.Livelock, spec.Delivery}
	}
	if err := d.prepare(ctx); err != nil {
		return nil, err
	}
	report := &Report{
		Network:     n.Name(),
		Digest:      n.Digest(),
		Switching:   n.Definition().Switching,
		Census:      d.census(),
		Assumptions: assumptions(n),
	}
	for _, p := range properties {
		r, err := d.decide(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("deciding %s of %s: %w", p, n.Name(), err)
		}
		report.Results = append(report.Results, *r)
	}
	if err := d.checkAll(report.Results); err != nil {
		return nil, err
	}
	return report, nil
}

// decision is the state of one call of Decide.
type decision struct {
	n        *spec.Network
	workers  int
	progress func(spec.Progress)
	most     int64 // states that may be explored

	usage   *fixpoint.Usage
	heights func() ([]int32, bool) // of the channels in the dependency graph, if that is acyclic
	graph   *Graph
	courses *courses // of single packets; made when first needed
}

func (d *decision) prepare(ctx context.Context) (err error) {
	d.say(spec.Progress{Stage: "dependencies"})
	if d.usage, err = fixpoint.NewUsage(ctx, d.n, d.workers); err != nil {
		return err
	}
	d.graph = dependencies(d.n, d.usage)
	d.heights = sync.OnceValues(func() ([]int32, bool) { return digraph.Heights(d.graph.g) })
	return nil
}

func (d *decision) say(p spec.Progress) {
	if d.progress != nil {
		d.progress(p)
	}
}

func (d *decision) decide(ctx context.Context, p spec.Property) (*Result, error) {
	switch p {
	case spec.Deadlock:
		return d.deadlock(ctx)
	case spec.Livelock:
		return d.livelock(ctx)
	case spec.Delivery:
		return d.delivery(ctx)
	}
	return nil, fmt.Errorf("property %d does not exist", p)
}

// checkAll has the evidence of every verdict checked, side by side, by the
// packages that do not know how it was found.
func (d *decision) checkAll(results []Result) error {
	d.say(spec.Progress{Stage: "verifying"})
	errs := make([]error, len(results))
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() { errs[i] = check(d.n, &results[i]) })
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return &EvidenceError{results[i].Property.String(), err}
		}
	}
	return nil
}

func check(n *spec.Network, r *Result) error {
	switch r.Verdict {
	case spec.Holds:
		if r.Closed != nil {
			return verifyClosed(n, r.Closed)
		}
		return proofs.Verify(n, r.Certificate)
	case spec.Violated:
		return counterexamples.Replay(n, r.Trace)
	}
	return nil
}

func (d *decision) census() Census {
	t := d.n.Topology()
	c := Census{Nodes: t.Nodes(), Links: t.Links(), Flows: d.n.FlowCount(), Sites: d.n.SiteCount(), Edges: d.graph.Edges()}
	for _, used := range d.usage.Used {
		if used {
			c.Channels++
		} else {
			c.Unused++
		}
	}
	return c
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
