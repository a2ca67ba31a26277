package checker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/seed-105a2da2/unknot/checker/internal/static"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/refutation"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// tables is what the static decision is asked about a network's tables.
type tables struct {
	properties []spec.Property
	workers    int
	progress   func(routing.Progress)
	settle     int64           // see Question
	scenario   spec.Scenario   // whose Length, Elastic and Shared the verdict on deadlock is for, with wormhole switching; zero: messages of any length
	smallest   refutation.Unit // of which a deadlock is to have the fewest
	early      bool            // states are explored afterwards: leave time for that
	explore    Question        // what exploring a candidate is asked
}

// decide answers what its tables say about a network. Before it returns, every certificate has been
// verified and every trace replayed; if one fails, the error is an *EvidenceError. What is
// undecided or unverified when ctx ends is unknown; if not even the network's digest is
// known by then, the error wraps the cause of ctx. Time and memory are linear in the hops of
// all sites, except for the search for a packing of worms where the head/tail fixpoint leaves
// channels: that may take exponential time, and ends with ctx.
func decide(ctx context.Context, n *spec.Network, t tables) (*Result, error) {
	workers := cmp.Or(t.workers, runtime.GOMAXPROCS(0))
	t.explore.Workers = workers
	d := &decision{n: n, progress: t.progress, most: cmp.Or(t.settle, 200_000), explore: t.explore}
	digested := make(chan struct{})
	go func() { // all evidence names the digest; it takes about as long as a verdict and cannot be interrupted
		defer close(digested)
		n.Digest()
	}()
	if workers == 1 {
		await(ctx, digested)
	}
	var err error
	d.static, err = static.New(ctx, n, static.Options{
		Workers: workers, Deadlock: slices.Contains(t.properties, spec.Deadlock), Scenario: t.scenario, Digested: digested, Progress: t.progress,
	})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	d.result = &Result{Name: n.Name(), Network: n, Census: d.census()}
	taken := sync.OnceValue(func() []words.Sentence { return assumptions(n) })
	for _, p := range exploredLast(t.properties) {
		f, err := d.within(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("deciding %s of %s: %w", p, n.Name(), err)
		}
		if f.Verdict != spec.Unknown && f.Method == "" {
			f.Method = Static
		}
		if f.Assumptions == nil {
			f.Assumptions = taken()
		}
		f.uncommitted(n)
		d.add(ctx, *f)
		if p == spec.Deadlock && t.smallest != refutation.Unbounded && f.Verdict != spec.Holds && d.static != nil {
			if err := d.smallest(ctx, t.smallest, t.early); err != nil {
				return nil, fmt.Errorf("looking for the smallest deadlock of %s: %w", n.Name(), err)
			}
		}
	}
	if err := d.verified(ctx); err != nil {
		return nil, err
	}
	if !await(ctx, digested) { // then nothing was decided, and without its digest a result cannot be told from another network's
		return nil, fmt.Errorf("hashing %s: %w", n.Name(), context.Cause(ctx))
	}
	slices.SortStableFunc(d.result.Findings, func(a, b Finding) int {
		return cmp.Compare(placeOf(t.properties, a), placeOf(t.properties, b))
	})
	return d.result, nil
}

// await waits until done is closed, or ctx has ended for a tenth of a second, and
// reports whether it is done.
func await(ctx context.Context, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-ctx.Done():
	}
	select {
	case <-done:
		return true
	case <-time.After(100 * time.Millisecond):
		return false
	}
}

// exploredLast puts deadlock, which may need exploring, last, so that the rest is
// decided while there is time.
func exploredLast(properties []spec.Property) []spec.Property {
	return slices.SortedStableFunc(slices.Values(properties), func(a, b spec.Property) int {
		switch {
		case a == b || a != spec.Deadlock && b != spec.Deadlock:
			return 0
		case a == spec.Deadlock:
			return 1
		}
		return -1
	})
}

func placeOf(properties []spec.Property, f Finding) int {
	return slices.IndexFunc(properties, func(p spec.Property) bool {
		return p.String() == f.Property || p == spec.Deadlock && f.ofSize()
	})
}

// within decides a property if time is left.
func (d *decision) within(ctx context.Context, p spec.Property) (*Finding, error) {
	var f *Finding
	err := ctx.Err()
	if err == nil {
		f, err = d.answer(ctx, p)
	}
	if err != nil && ctx.Err() != nil {
		return &Finding{Property: p.String(), Because: stopped(ctx)}, nil
	}
	return f, err
}

func (d *decision) answer(ctx context.Context, p spec.Property) (*Finding, error) {
	a, err := d.static.Decide(ctx, p)
	if err != nil {
		return nil, err
	}
	f := &Finding{Property: p.String(), Verdict: a.Verdict, Because: a.Because, Notes: a.Notes, Evidence: a.Evidence, Candidate: a.Candidate}
	if p != spec.Deadlock {
		return f, nil
	}
	return d.settled(ctx, f, a)
}

func (d *decision) census() *Census {
	t := d.n.Topology()
	c := &Census{Nodes: t.Nodes(), Links: t.Links(), Flows: d.n.FlowCount(), Sites: d.n.SiteCount()}
	if d.static == nil {
		return c // there was no time
	}
	c.Edges = d.static.Edges()
	for _, used := range d.static.Used() {
		if used {
			c.Channels++
		} else {
			c.Unused++
		}
	}
	return c
}

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
