package checker

import (
	"cmp"
	"context"
	"iter"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/static"
	"github.com/seed-105a2da2/unknot/checker/internal/windows"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// settle continues where the static decision of deadlock ends: it shrinks a trace, or explores what is open: first
// what a few packets can do, then what is within the bounds on requests, then everything. What was explored is x,
// if that was everything.
func settle(
	ctx context.Context, n *spec.Network, t tables, f Finding, a *static.Answer,
) (_ Finding, x *Result, err error) {
	open := a.Open
	switch trace := f.Trace(); {
	case trace != nil && !trace.Scenario.Flits():
		f, err = shorten(ctx, n, t, f, *a.Blocked)
		return f, nil, err
	case trace != nil:
		const long = 1000 // moves; beyond them shrinking takes seconds
		if len(trace.Moves) > long {
			return f, nil, nil
		}
		if f.Evidence, err = minimised(ctx, n, trace); err != nil {
			return f, nil, err
		}
		b := *a.Blocked
		b.Under = &f.Trace().Scenario
		f.Because = findings.Say(b)
		return f, nil, nil
	case open == nil || t.open == 0:
		return f, nil, nil
	}
	if open.Few != nil {
		if f, err = settleFewPackets(ctx, n, t, f, open.Few); err != nil || f.Verdict != spec.Unknown {
			return f, nil, err
		}
	}
	if len(n.Windows()) > 0 {
		var ended bool
		if f, ended, err = settleWithinWindows(ctx, n, t, f, open.Scenario); err != nil || ended {
			return f, nil, err
		}
	}
	return settleByExploring(ctx, n, t, f, open.Scenario)
}

// shorten looks among the states found soon for a shorter trace, with other packets or
// interleaved ones, where some packet had to travel.
func shorten(ctx context.Context, n *spec.Network, t tables, f Finding, b findings.Blocked) (Finding, error) {
	const soon, small = 50_000, 5_000
	long := f.Trace()
	if t.open == 0 || len(long.Moves) == len(long.Stuck)*n.Capacity() || n.SiteCount() > small {
		return f, nil
	}
	x, err := deadlockIn(ctx, n, spec.Scenario{}, Question{Workers: t.workers, MaxStates: min(t.open, soon)})
	if err != nil {
		return f, err
	}
	if found := x.Trace(); found != nil && len(found.Moves) < len(long.Moves) {
		b.What.N = len(found.Stuck)
		f.Because, f.Evidence = findings.Say(b), x.Evidence
	}
	return f, nil
}

// settleFewPackets explores what just a few packets can do, and makes f violated if they
// deadlock. It never shows that there is no deadlock.
func settleFewPackets(
	ctx context.Context, n *spec.Network, t tables, f Finding, few iter.Seq[[]spec.Flow],
) (Finding, error) {
	const share = 4 // of the states that may be explored
	for flows := range few {
		q := Question{Workers: t.workers, MaxStates: max(1, t.open/share), Memory: 1 << 29, PartialOrder: true}
		x, err := deadlockIn(ctx, n, spec.Scenario{Once: flows}, q)
		if err != nil {
			return f, err
		}
		if x.Verdict == spec.Violated {
			return blockedBy(ctx, n, f, x.Trace())
		}
	}
	return f, nil
}

// settleWithinWindows searches a network whose nodes count their requests for a deadlock, and makes f violated if
// there is one. It reports whether that ends the question: a second program cannot check that there is none, but no
// exploration beyond the windows shows one.
func settleWithinWindows(
	ctx context.Context, n *spec.Network, t tables, f Finding, sc spec.Scenario,
) (_ Finding, ended bool, err error) {
	most := int(min(t.open, 100_000)) // states
	moves, found, err := windows.Search(ctx, routing.Whole(ctx, n), sc, most)
	switch {
	case err != nil:
		return f, false, err
	case moves == nil && found < most:
		f.Because = findings.Say(findings.WithinWindows{States: found, Under: sc})
		return f, true, nil
	case moves == nil:
		return f, false, nil
	}
	trace := &counterexamples.Trace{
		Network: n.Digest(), Scenario: sc, Property: spec.DeadlockFreedom, Fault: counterexamples.Deadlock,
		Moves: moves,
	}
	traffic, end, err := counterexamples.End(ctx, n, trace)
	if err != nil {
		return f, false, err
	}
	trace.Stuck = states.Stuck(traffic, end)
	f, err = blockedBy(ctx, n, f, trace)
	return f, true, err
}

// blockedBy makes f violated by a trace, as small as can be.
func blockedBy(ctx context.Context, n *spec.Network, f Finding, trace *counterexamples.Trace) (_ Finding, err error) {
	f.Verdict, f.Candidate = spec.Violated, nil
	f.Because = findings.Say(findings.Blocked{What: words.Count{N: len(trace.Stuck), Of: "packet"}})
	f.Evidence, err = minimised(ctx, n, trace)
	return f, err
}

// deadlockIn explores a scenario for deadlock alone. It returns the cause of ctx if that has ended.
func deadlockIn(ctx context.Context, n *spec.Network, sc spec.Scenario, q Question) (Finding, error) {
	t, err := states.NewTraffic(routing.Whole(ctx, n), sc)
	if err != nil {
		return Finding{}, err
	}
	q.Properties = []string{deadlock}
	x, err := exploreStates(ctx, t, q)
	if err != nil {
		return Finding{}, err
	}
	if ctx.Err() != nil {
		return Finding{}, context.Cause(ctx)
	}
	return x.Findings[0], nil
}

// settleByExploring explores a network whose deadlock no static argument has decided. A deadlock
// found is reported with the smallest trace that can be made of it; if all states are
// visited without one, the set of states is the evidence that none exists. Packets of
// any length are one machine, because each may end at any time. Beyond the budget the
// verdict stays unknown.
func settleByExploring(
	ctx context.Context, n *spec.Network, t tables, f Finding, sc spec.Scenario,
) (_ Finding, x *Result, err error) {
	t.tell("exploring the candidate")
	traffic, err := states.NewTraffic(routing.Whole(ctx, n), sc)
	if err != nil {
		return f, nil, err
	}
	q := t.explore
	q.Notion, q.Explore, q.Liveness = Local, Auto, false
	q.Compact, q.Symmetry, q.PartialOrder = false, false, false
	q.Memory = cmp.Or(q.Memory, 1<<30)
	q.MaxStates = t.open
	if x, err = exploreStates(ctx, traffic, q); err != nil {
		return f, nil, err
	}
	g := &x.Findings[0]
	f.Method = g.Method
	switch g.Verdict {
	case spec.Violated:
		f.Verdict, f.Candidate = spec.Violated, nil
		if f.Evidence, err = minimised(ctx, n, g.Trace()); err != nil {
			return f, x, err
		}
		b := findings.Blocked{
			What: words.Count{Of: "packet"}, In: words.Count{N: len(f.Trace().Stuck), Of: "channel"}, Explored: true,
		}
		if sc.Flits() {
			b = findings.Blocked{What: words.Count{Of: "packet"}, Explored: true, Under: &f.Trace().Scenario}
		}
		f.Because = findings.Say(b)
	case spec.Holds:
		f.Verdict, f.Argument, f.Candidate, f.Evidence = spec.Holds, AllStates, nil, g.Evidence
		f.Because = findings.Say(findings.NoneOfStates{States: x.States, Under: traffic.Scenario()})
	default:
		if x.Local > 0 {
			f.Because = f.Because.And(findings.Say(findings.Also{Because: g.Because}))
			break
		}
		why := x.Ended
		if why.IsZero() {
			why = g.Because
		}
		f.Because = f.Because.And(findings.Say(findings.CandidateOpen{States: x.Expanded, Why: why}))
	}
	return f, x, nil
}

// minimised shrinks a replayed trace while there is time.
func minimised(ctx context.Context, n *spec.Network, trace *counterexamples.Trace) (evidence.Evidence, error) {
	t := evidence.Trace{Network: n, Trace: trace}
	small, err := explain.Minimise(ctx, t)
	if err == nil {
		err = small.Verify(ctx, evidence.Options{})
	}
	switch {
	case err == nil:
		return small, nil
	case ctx.Err() != nil:
		return t, nil
	}
	return nil, &EvidenceError{Name: deadlock, Err: err}
}
