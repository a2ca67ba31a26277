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

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/static"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// What a network's routing tables say.

// tables is what the static decision is asked about a network's tables.
type tables struct {
	properties []spec.Property
	workers    int
	progress   func(routing.Progress)
	open       int64 // states that may be explored for what is open; 0: none are
	// whose Length, Elastic and Shared the verdict on deadlock is for, with wormhole switching; zero: packets of
	// any length
	scenario spec.Scenario
	bubble   int        // for whole packets
	smallest unsat.Unit // of which a deadlock is to have the fewest
	early    bool       // states are explored afterwards: leave time for that
	explore  Question   // what exploring a candidate is asked
}

// tell tells of a stage.
func (t *tables) tell(stage string) {
	if t.progress != nil {
		t.progress(routing.Progress{Stage: stage})
	}
}

// decide answers what its tables say about a network. Before it returns, every certificate has been
// verified and every trace replayed; if one fails, the error is an *EvidenceError. What is
// undecided or unverified when ctx ends is unknown; if not even the network's digest is
// known by then, the error wraps the cause of ctx. Time and memory are linear in the hops of
// all sites, except for the search for a packing of packets where the head/tail fixpoint leaves
// channels: that may take exponential time, and ends with ctx.
func decide(ctx context.Context, n *spec.Network, t tables) (*Result, error) {
	t.workers = cmp.Or(t.workers, runtime.GOMAXPROCS(0))
	t.explore.Workers = t.workers
	digested := make(chan struct{})
	go func() { // all evidence names the digest; it takes about as long as a verdict and cannot be interrupted
		defer close(digested)
		n.Digest()
	}()
	if t.workers == 1 {
		await(ctx, digested)
	}
	s, err := static.New(ctx, n, static.Options{
		Workers: t.workers, Deadlock: slices.Contains(t.properties, spec.DeadlockFreedom), Scenario: t.scenario,
		Bubble: t.bubble, Digested: digested, Progress: t.progress,
	})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	r := &Result{Name: n.Name(), Network: n, Census: census(n, s)}
	if r.Census.Discards, err = discardsOf(ctx, n); err != nil && ctx.Err() == nil {
		return nil, err
	}
	taken := sync.OnceValue(func() []words.Sentence { return assumptions(n) })
	v := verification{inTurn: t.workers == 1}
	for _, p := range exploredLast(t.properties) {
		if p == spec.DeadlockFreedom { // which takes the longest
			v.together(ctx)
		}
		f, x, err := decideProperty(ctx, n, t, s, p, &v)
		if err != nil {
			return nil, fmt.Errorf("deciding %s of %s: %w", p, n.Name(), err)
		}
		if x != nil {
			r.Machine, r.Space = x.Machine, x.Space
		}
		if f.Verdict != spec.Unknown && f.Method == "" {
			f.Method = Static
		}
		if f.Assumptions == nil {
			f.Assumptions = taken()
		}
		f.uncommitted(n)
		f.parting(n)
		f.discards(n, r.Census.Discards)
		v.add(ctx, f)
		if p == spec.DeadlockFreedom && t.smallest != unsat.Unbounded && f.Verdict != spec.Holds && s != nil {
			if err := smallest(ctx, n, t, s, &v); err != nil {
				return nil, fmt.Errorf("looking for the smallest deadlock of %s: %w", n.Name(), err)
			}
		}
	}
	t.tell("verifying")
	if r.Findings, err = v.end(ctx); err != nil {
		return nil, err
	}
	if !await(ctx, digested) { // nothing was decided, and without its digest a result could be any network's
		return nil, fmt.Errorf("hashing %s: %w", n.Name(), context.Cause(ctx))
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Compare(placeOf(t.properties, a), placeOf(t.properties, b))
	})
	return r, nil
}

// decideProperty decides one property: unknown if ctx ends first. What was explored for it is x, or nil.
func decideProperty(
	ctx context.Context, n *spec.Network, t tables, s *static.Decision, p spec.Property, v *verification,
) (f Finding, x *Result, err error) {
	if err = ctx.Err(); err == nil {
		var a *static.Answer
		if a, err = s.Decide(ctx, p); err == nil {
			f = Finding{
				Property: p.String(), Verdict: a.Verdict, Because: a.Because, Notes: a.Notes,
				Evidence: a.Evidence, Candidate: a.Candidate,
			}
			if f.Verdict == spec.Holds {
				f.holdsStatically(a)
			}
		}
		if err == nil && p == spec.DeadlockFreedom {
			if a.Open != nil && t.open > 0 {
				v.checks.Wait() // so that earlier findings stand, however exploring ends
			}
			f, x, err = settle(ctx, n, t, f, a)
		}
	}
	if err != nil && ctx.Err() != nil {
		return Finding{Property: p.String(), Because: stopped(ctx)}, x, nil
	}
	return f, x, err
}

// verification collects findings, and has the evidence of each checked while the next is looked for, by packages
// that do not know how it was found.
type verification struct {
	inTurn   bool // with one worker
	findings []Finding
	refused  []*error       // by finding: why its evidence was refused; valid once checks are done
	checks   sync.WaitGroup // under way
	waiting  []int          // findings whose certificates will be checked together
}

// add adds a finding. What exploring found has been checked already.
func (v *verification) add(ctx context.Context, f Finding) {
	refused := new(error)
	v.findings, v.refused = append(v.findings, f), append(v.refused, refused)
	if f.Verdict == spec.Unknown || f.Method == Explored {
		return
	}
	if _, is := f.Evidence.(evidence.Certificate); is && f.Property != spec.DeadlockFreedom.String() {
		v.waiting = append(v.waiting, len(v.findings)-1)
		return
	}
	v.spawn(func() { *refused = f.Evidence.Verify(ctx, evidence.Options{}) })
}

// together begins to check the certificates that wait, which may take one pass over the tables.
func (v *verification) together(ctx context.Context) {
	if len(v.waiting) == 0 {
		return
	}
	var n *spec.Network
	var all []*proofs.Certificate
	var refused []*error
	for _, i := range v.waiting {
		c := v.findings[i].Evidence.(evidence.Certificate)
		n, all, refused = c.Network, append(all, c.Certificate), append(refused, v.refused[i])
	}
	v.waiting = nil
	v.spawn(func() {
		for i, err := range proofs.VerifyAll(ctx, n, all) {
			*refused[i] = err
		}
	})
}

// spawn runs work concurrently with the decision, unless there is only one worker.
func (v *verification) spawn(work func()) {
	if v.inTurn {
		work()
		return
	}
	v.checks.Go(work)
}

// end waits for the checks and returns the findings. What was unchecked when ctx ended is unknown.
func (v *verification) end(ctx context.Context) ([]Finding, error) {
	v.together(ctx)
	v.checks.Wait()
	for i, refused := range v.refused {
		f := &v.findings[i]
		switch {
		case *refused == nil:
		case errors.Is(*refused, ctx.Err()):
			*f = Finding{
				Property:    f.Property,
				Because:     stopped(ctx).And(findings.Say(findings.BeforeVerified)),
				Assumptions: f.Assumptions,
			}
		default:
			return nil, &EvidenceError{f.Property, *refused}
		}
	}
	return v.findings, nil
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
		case a == b || a != spec.DeadlockFreedom && b != spec.DeadlockFreedom:
			return 0
		case a == spec.DeadlockFreedom:
			return 1
		}
		return -1
	})
}

func placeOf(properties []spec.Property, f Finding) int {
	return slices.IndexFunc(properties, func(p spec.Property) bool {
		return p.String() == f.Property || p == spec.DeadlockFreedom && f.ofSize()
	})
}

// census counts what the decision looked at; s is nil if there was no time.
func census(n *spec.Network, s *static.Decision) *Census {
	t := n.Topology()
	c := &Census{Nodes: t.Nodes(), Links: t.Links(), Flows: n.FlowCount(), Sites: n.SiteCount()}
	if s == nil {
		return c
	}
	c.Edges = s.Edges()
	var enters []bool // by VC
	for ch, used := range s.Used() {
		if used {
			c.Channels++
		} else {
			c.Unused++
		}
		vc := t.VC(spec.ChannelID(ch))
		if t.Tail(spec.ChannelID(ch)) == t.Head(spec.ChannelID(ch)) { // a request buffer has slots, not VCs
			continue
		}
		for len(enters) <= vc {
			enters = append(enters, false)
		}
		enters[vc] = enters[vc] || used
	}
	for vc, is := range enters {
		if !is {
			c.IdleVCs = append(c.IdleVCs, vc)
		}
	}
	return c
}
