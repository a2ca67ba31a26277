package checker

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"sync"

	"github.com/seed-105a2da2/unknot/checker/internal/explore"
	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/liveness"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/checker/internal/windows"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// eachState calls f with the states of a set until it returns false; the error is that of ctx or of reading them.
func eachState(ctx context.Context, set walk.Visited, f func(state []uint64) bool) error {
	count := 0
	err := set.Each(0, 1, func(state []uint64) bool {
		count++
		return f(state) && (count&1023 != 0 || ctx.Err() == nil)
	})
	return cmp.Or(ctx.Err(), err)
}

// sums are a machines.SetDigest that a walk adds states to, as numbers, in cache lines of its own.
type sums struct {
	of [4]uint64
	_  [12]uint64
}

// add is machines.SetDigest.Add for states that are stored one after the other.
func (d *sums) add(states []uint64, words int) {
	const rounds, start, factor = 8, 0xff51afd7ed558ccd, 0x9e3779b97f4a7c15
	sum := d.of
	for ; len(states) >= words; states = states[words:] {
		a, b := uint64(words), uint64(start)
		for i, x := range states[:words] {
			hi, lo := bits.Mul64(a^x, factor)
			a, b = b^hi, lo
			sum[i&3] += a
		}
		for i := words; i < words+rounds; i++ {
			hi, lo := bits.Mul64(a, factor)
			a, b = b^hi, lo
			sum[i&3] += a
		}
	}
	d.of = sum
}

// joined is the digest of the states of all workers.
func joined(all []sums) (digest machines.SetDigest) {
	for i := range all {
		var part machines.SetDigest
		for k, x := range all[i].of {
			binary.BigEndian.PutUint64(part[8*k:], x)
		}
		digest.Join(part)
	}
	return digest
}

// digest adds up the states, all cores side by side, unless ctx ends.
func digest(ctx context.Context, set walk.Visited, workers int) (machines.SetDigest, error) {
	const often = 1 << 12
	sums, errs := make([]machines.SetDigest, workers), make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			var sum machines.SetDigest // here, since those of all would share a cache line
			count := 0
			errs[w] = set.Each(w, workers, func(s []uint64) bool {
				sum.Add(s)
				count++
				return count%often != 0 || ctx.Err() == nil
			})
			sums[w] = sum
		})
	}
	wg.Wait()
	for _, sum := range sums[1:] {
		sums[0].Join(sum)
	}
	return sums[0], cmp.Or(ctx.Err(), errors.Join(errs...))
}

// Evidence for what holds in all states: for a small space the closed set
// itself, otherwise its counts and digest. A reduced space, or states kept as
// hashes, leave no evidence that a second program can check.

// certify adds evidence to the findings that hold. If ctx ends before the digest is
// complete they become unknown; if it ends while closed sets are verified, the counts
// stand in for them.
func certify(ctx context.Context, s *subject, v *walked, x *Result, workers int) error {
	if !x.Complete || !s.exact() {
		return nil
	}
	var sum machines.SetDigest
	var err error
	if v.sums != nil {
		sum = joined(v.sums)
	} else if sum, err = digest(ctx, v, workers); err != nil {
		if ctx.Err() == nil {
			return err
		}
		for i := range x.Findings {
			if f := &x.Findings[i]; f.Verdict == spec.Holds {
				f.Verdict, f.Because = spec.Unknown, stopped(ctx).And(findings.Say(findings.BeforeEvidence))
			}
		}
		return nil
	}
	x.Digest = sum.String()
	var states [][]uint64
	for i := range x.Findings {
		f := &x.Findings[i]
		if f.Verdict != spec.Holds || !s.shown(f.Property) {
			continue
		}
		f.Evidence = evidence.Count{
			Machine: s.m,
			Count: &machines.Count{
				Machine: s.m.Name(), Property: f.Property, States: x.States, Transitions: x.Transitions,
				Digest: sum,
			},
		}
		if !s.small(x) {
			continue
		}
		if states == nil {
			err := eachState(ctx, v, func(state []uint64) bool {
				states = append(states, slices.Clone(state))
				return true
			})
			if err != nil && ctx.Err() == nil {
				return err
			}
		}
		closed := evidence.ClosedSet{
			Machine:   s.m,
			ClosedSet: &machines.ClosedSet{Machine: s.m.Name(), Property: f.Property, States: states},
		}
		switch err := closed.Verify(ctx, evidence.Options{}); {
		case err == nil:
			f.Evidence = closed
		case ctx.Err() == nil:
			return &EvidenceError{Name: f.Property, Err: err}
		}
	}
	return nil
}

// small reports whether a space is small enough to keep its states.
func (s *subject) small(x *Result) bool {
	const mostTransitions = 30 // to a state
	return x.States <= s.mostShown() && x.Transitions <= s.mostShown()*mostTransitions
}

// mostShown is up to how many states evidence is about each of them.
func (s *subject) mostShown() int64 { return int64(cmp.Or(s.q.Closed, 10_000)) }

// shown reports whether a closed set can show a property. Its check is that nothing is
// stuck, which freedom from a weaker notion does not need.
func (s *subject) shown(property string) bool {
	_, err := machines.Safe(s.m, property)
	return err == nil && (s.traffic == nil || property != deadlock || s.q.Notion == Local)
}

// ranks reports whether there are few enough states for evidence that ranks each of them.
func (s *subject) ranks(states int64) bool {
	if s.traffic != nil {
		states *= int64(len(s.claims.Responses))
	}
	return states <= s.mostShown()
}

// restOnRanking makes a ranking the evidence and verifies it; one of a network's channel is verified with all the
// others.
func restOnRanking(ctx context.Context, s *subject, r *machines.Ranking, f *Finding) error {
	r.Machine, r.Property = s.m.Name(), f.Property
	f.Evidence = evidence.Ranking{Machine: s.m, Ranking: r}
	if s.traffic != nil {
		return nil
	}
	return f.proveResponse(ctx, f.Evidence)
}

// From packed states back to steps of the reference machine.

// violation makes f violated, with the checked trail to a state as evidence; unknown if
// ctx ends first.
func violation(ctx context.Context, s *subject, f *Finding, fault runs.Fault, space walk.Visited, at walk.ID) error {
	trail, err := space.Trail(ctx, s.walk.Machine, at)
	lost := err != nil
	if !lost {
		err = witness(ctx, s, f, fault, trail)
	}
	switch {
	case err == nil:
		f.Verdict = spec.Violated
	case ctx.Err() != nil:
		*f = Finding{
			Property: f.Property,
			Because:  findings.Say(findings.NoPathYet{Why: stopped(ctx)}),
		}
	case lost:
		return failed(s, err)
	case errors.Is(err, windows.ErrExceeded):
		*f = Finding{Property: f.Property, Because: findings.Say(findings.Exceeded{By: err})}
	default:
		return &EvidenceError{Name: f.Property, Err: err}
	}
	return nil
}

// witness turns a trail into evidence and checks it.
func witness(ctx context.Context, s *subject, f *Finding, fault runs.Fault, trail [][]uint64) error {
	if s.traffic == nil {
		run, err := s.walk.Run(ctx, s.m, trail)
		if err != nil {
			return err
		}
		run.Property, run.Fault = f.Property, fault
		f.Because = findings.Say(findings.InitialState)
		if len(run.Steps) > 0 {
			f.Because = findings.Say(findings.FromStart{Steps: len(run.Steps)})
		}
		return f.prove(ctx, evidence.Run{Machine: s.m, Run: run})
	}
	t, err := s.walk.Trace(ctx, s.traffic, trail)
	if err != nil {
		return err
	}
	if f.Property == delivery {
		return undelivered(ctx, s, f, t)
	}
	return deadlocked(ctx, s, f, t)
}

// refused returns the finding that the machine refuses a step, nil if it does not. If
// the reference takes the step, the fault is in the machine that is walked: its symmetries
// may not be symmetries, for example.
func refused(ctx context.Context, s *subject, v *walked) (*Finding, error) {
	r := v.result
	if r.Reason != walk.Refused {
		return nil, nil
	}
	f := &Finding{Property: states.InRange}
	if s.traffic != nil || violation(ctx, s, f, runs.Refused, v, r.RefusedAt) != nil {
		return nil, failed(s, r.Refusal)
	}
	why := r.Refusal.Error()
	if run := f.Run(); run != nil {
		if through, err := explain.Through(s.m, run); err == nil {
			why = cmp.Or(explain.Wrong(s.m, through[len(through)-1]), why)
		}
	}
	f.Because = f.Because.And(findings.Say(findings.Wrong{Why: why}))
	return f, nil
}

func deadlocked(ctx context.Context, s *subject, f *Finding, t *counterexamples.Trace) error {
	free, state, err := counterexamples.End(ctx, s.network, t)
	if err != nil {
		return err
	}
	t.Property, t.Fault, t.Stuck = spec.DeadlockFreedom, counterexamples.Deadlock, states.Stuck(free, state)
	// bounds on traffic may make a weak deadlock global
	t.Notion = min(s.q.Notion, counterexamples.NotionOf(free, state))
	if len(s.network.Windows()) > 0 {
		if t.Moves = windows.Prepared(ctx, s.network, t.Scenario, t.Moves); t.Moves == nil {
			return cmp.Or(context.Cause(ctx), windows.ErrExceeded)
		}
	}
	if len(t.Stuck) == 0 {
		return errors.New("nothing is stuck in the last state")
	}
	f.Because = findings.Say(findings.Blocked{
		After: words.Count{N: len(t.Moves), Of: "move"},
		What:  words.Count{Of: "packet"}, In: words.Count{N: len(t.Stuck), Of: "channel"},
	})
	return f.prove(ctx, evidence.Trace{Network: s.network, Trace: t})
}

func undelivered(ctx context.Context, s *subject, f *Finding, t *counterexamples.Trace) error {
	n := s.network
	free, state, err := counterexamples.End(ctx, n, t)
	if err != nil {
		return err
	}
	t.Property = spec.Delivery
	if t.Site, t.Fault = explore.LostIn(s.traffic, state); t.Fault == 0 {
		return errors.New("every packet of the last state can be delivered")
	}
	stands := t.Site
	if t.Fault == counterexamples.Misdelivery {
		t.Moves, t.Site = append(t.Moves, explore.Ejection(free, state, stands)...), spec.Site{}
	}
	topo := n.Topology()
	f.Because = findings.Say(findings.Lost{
		Moves: len(t.Moves), Fault: t.Fault, At: topo.Node(topo.Head(stands.Channel)).Name,
		For: topo.Node(stands.Header.Dest).Name, Heading: n.Heading(stands),
	})
	return f.prove(ctx, evidence.Trace{Network: n, Trace: t})
}

// unanswered makes the evidence a lasso: the path to a state, and a fair loop from there.
func unanswered(ctx context.Context, s *subject, f *Finding, a *liveness.Answer) error {
	if s.network != nil && len(s.network.Windows()) > 0 {
		f.Because = findings.Say(findings.MoreOutstanding)
		return nil
	}
	run, err := lasso(ctx, s, f, a)
	if err != nil {
		return err
	}
	run.Fault = runs.Unanswered
	f.Because = findings.Say(findings.Unanswered{Stem: run.Back, Cycle: len(a.Loop)})
	if err := f.prove(ctx, evidence.Run{Machine: s.m, Run: run}); err != nil {
		return &EvidenceError{Name: f.Property, Err: err}
	}
	if c, blocks := deadEnd(s, a.Stem[len(a.Stem)-1]); blocks {
		f.Notes = append(f.Notes, findings.Say(findings.DeadEndBlocks{In: s.network.Topology().ChannelName(c)}))
	}
	return nil
}

// lasso makes f violated by a run: the path to a state, and a loop from there.
func lasso(ctx context.Context, s *subject, f *Finding, a *liveness.Answer) (*runs.Run, error) {
	run, err := (&explore.Walk{}).Run(ctx, s.m, a.Stem)
	if err != nil {
		return nil, &EvidenceError{Name: f.Property, Err: err}
	}
	run.Property, run.Back = f.Property, len(run.Steps)
	f.Verdict = spec.Violated
	for _, step := range a.Loop {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		run.Steps = append(run.Steps, write.TakenBy(s.m, step.State, step.K))
	}
	return run, nil
}

// deadEnd returns a channel whose first packet is at a dead end in a state of a network's traffic.
func deadEnd(s *subject, state []uint64) (at spec.ChannelID, is bool) {
	if s.traffic == nil {
		return 0, false
	}
	for c, pieces := range s.traffic.Decode(state).Channels {
		if len(pieces) > 0 && !pieces[0].Left {
			at := spec.Site{Channel: spec.ChannelID(c), Header: pieces[0].Header}
			if hops, _ := s.network.Hops(at); len(hops) == 0 {
				return spec.ChannelID(c), true
			}
		}
	}
	return 0, false
}
