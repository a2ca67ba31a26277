package checker

import (
	"cmp"
	"context"
	"iter"

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

// settled continues where the static decision of deadlock ends: it shrinks a trace,
// or explores what is open.
func (d *decision) settled(ctx context.Context, r *Finding, a *static.Answer) (*Finding, error) {
	open := a.Open
	if t := r.Trace(); t != nil && !t.Scenario.Flits() {
		return r, d.shorten(ctx, r, *a.Blocked)
	} else if t != nil {
		const long = 1000 // moves; beyond them shrinking takes seconds
		var err error
		if len(t.Moves) > long {
			return r, nil
		}
		if r.Evidence, err = d.minimised(ctx, t); err != nil {
			return nil, err
		}
		b := *a.Blocked
		b.Under = &r.Trace().Scenario
		r.Because = b.Because()
		return r, nil
	}
	if open == nil || d.most < 0 {
		return r, nil
	}
	if open.Few != nil {
		if err := d.fewPackets(ctx, r, open.Few); err != nil || r.Verdict != spec.Unknown {
			return r, err
		}
	}
	if len(d.n.Windows()) > 0 {
		if ended, err := d.withinWindows(ctx, r, open.Scenario); err != nil || ended {
			return r, err
		}
	}
	return d.settle(ctx, r, open.Scenario)
}

// withinWindows searches a network whose nodes count their requests for a deadlock, and makes r violated if
// there is one. It reports whether that ends the question: a second program cannot check that there is none, but no
// exploration beyond the windows shows one.
func (d *decision) withinWindows(ctx context.Context, r *Finding, sc spec.Scenario) (ended bool, err error) {
	const most = 100_000 // states
	moves, found, err := windows.Search(ctx, routing.Whole(ctx, d.n), sc, int(min(d.most, most)))
	switch {
	case err != nil:
		return false, err
	case moves == nil && found < int(min(d.most, most)):
		r.Because = words.Say("packets could deadlock only if nodes had more requests outstanding than declared: none of the %s within the bound is a deadlock (%s), which no second program checks", words.Count{N: found, Of: "state"}, sc)
		return true, nil
	case moves == nil:
		return false, nil
	}
	t := &counterexamples.Trace{Network: d.n.Digest(), Scenario: sc, Property: spec.Deadlock, Fault: counterexamples.CircularWait, Moves: moves}
	traffic, end, err := counterexamples.End(ctx, d.n, t)
	if err != nil {
		return false, err
	}
	t.Stuck = states.Stuck(traffic, end)
	r.Verdict, r.Candidate = spec.Violated, nil
	r.Because = words.Say("%s block each other permanently", words.Count{N: len(t.Stuck), Of: "packet"})
	r.Evidence, err = d.minimised(ctx, t)
	return true, err
}

// shorten looks among the states found soon for a shorter trace, with other packets or
// interleaved ones, where some packet had to travel.
func (d *decision) shorten(ctx context.Context, r *Finding, b static.Blocked) error {
	const soon, small = 50_000, 5_000
	long := r.Trace()
	if d.most < 0 || len(long.Moves) == len(long.Stuck)*d.n.Capacity() || d.n.SiteCount() > small {
		return nil
	}
	f, err := d.explored(ctx, spec.Scenario{}, Question{MaxStates: min(d.most, soon)})
	if err != nil {
		return err
	}
	if found := f.Trace(); found != nil && len(found.Moves) < len(long.Moves) {
		b.What.N = len(found.Stuck)
		r.Because = b.Because()
		r.Evidence = f.Evidence
	}
	return nil
}

// fewPackets explores what just a few packets can do, and makes r violated if they
// deadlock. It never shows that there is no deadlock.
func (d *decision) fewPackets(ctx context.Context, r *Finding, few iter.Seq[[]spec.Flow]) error {
	const share = 4 // of the states that may be explored
	for flows := range few {
		f, err := d.explored(ctx, spec.Scenario{Once: flows}, Question{MaxStates: d.most / share, Memory: 1 << 29, PartialOrder: true})
		if err != nil {
			return err
		}
		if f.Verdict == spec.Violated {
			r.Verdict, r.Candidate = spec.Violated, nil
			r.Because = words.Say("%s block each other permanently", words.Count{N: len(f.Trace().Stuck), Of: "packet"})
			r.Evidence, err = d.minimised(ctx, f.Trace())
			return err
		}
	}
	return nil
}

// explored explores a scenario for deadlock alone. It returns the cause of ctx if that has ended.
func (d *decision) explored(ctx context.Context, sc spec.Scenario, q Question) (*Finding, error) {
	t, err := states.NewTraffic(routing.Whole(ctx, d.n), sc)
	if err != nil {
		return nil, err
	}
	q.Workers, q.Properties = d.explore.Workers, []string{deadlock}
	x, err := exploreStates(ctx, t, q)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return &x.Findings[0], nil
}

// settle explores a network whose deadlock no static argument has decided. A deadlock
// found is reported with the smallest trace that can be made of it; if all states are
// visited without one, the set of states is the evidence that none exists. Messages of
// any length are one machine, because each may end at any time. Beyond the budget the
// verdict stays unknown.
func (d *decision) settle(ctx context.Context, r *Finding, sc spec.Scenario) (*Finding, error) {
	d.checks.Wait() // so that their results stand, however this ends
	d.say("exploring the candidate")
	t, err := states.NewTraffic(routing.Whole(ctx, d.n), sc)
	if err != nil {
		return nil, err
	}
	q := d.explore
	q.Notion, q.Whole, q.Liveness = Local, false, false
	q.Compact, q.Symmetry, q.PartialOrder = false, false, false
	q.Memory = cmp.Or(q.Memory, 1<<30)
	q.MaxStates = min(d.most, cmp.Or(q.MaxStates, d.most))
	x, err := exploreStates(ctx, t, q)
	if err != nil {
		return nil, err
	}
	d.result.Machine, d.result.Space = t, x.Space
	g := &x.Findings[0]
	r.Method = g.Method
	switch g.Verdict {
	case spec.Violated:
		r.Verdict, r.Candidate = spec.Violated, nil
		if r.Evidence, err = d.minimised(ctx, g.Trace()); err != nil {
			return nil, err
		}
		r.Because = words.Say("packets in %s block each other permanently, found by exploring", words.Count{N: len(r.Trace().Stuck), Of: "channel"})
		if sc.Flits() {
			r.Because = words.Say("messages block each other permanently, found by exploring (%s)", r.Trace().Scenario)
		}
	case spec.Holds:
		r.Verdict, r.Candidate, r.Evidence = spec.Holds, nil, g.Evidence
		r.Because = words.Say("none of the %d reachable states contains a deadlock (%s), although no static argument shows it", x.States, t.Scenario())
	default:
		if x.Local > 0 {
			r.Because = r.Because.And("; %s", g.Because)
			break
		}
		why := x.Ended
		if why.IsZero() {
			why = g.Because
		}
		r.Because = r.Because.And("; exploring %s found no deadlock and did not end (%s)", words.Count{N: int(x.Expanded), Of: "state"}, why)
	}
	return r, nil
}

// minimised shrinks a replayed trace while there is time.
func (d *decision) minimised(ctx context.Context, trace *counterexamples.Trace) (evidence.Evidence, error) {
	t := evidence.Trace{Network: d.n, Trace: trace}
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
