package checker

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
)

// Evidence for what holds in all states: for a small space the closed set
// itself, otherwise its counts and digest. A reduced space, or states kept as
// hashes, leave no evidence that a second program can check.

// evidence adds evidence to the findings that hold. If ctx ends before the digest is
// complete they become unknown; if it ends while closed sets are verified, the counts
// stand in for them.
func (s *subject) evidence(ctx context.Context, space visited, x *Result, workers int) error {
	if !x.Complete || !s.exact() {
		return nil
	}
	var sum machines.SetDigest
	ok := true
	if s.sums != nil {
		sum = joined(s.sums)
	} else if sum, ok = digest(ctx, space, workers); !ok {
		for i := range x.Findings {
			if f := &x.Findings[i]; f.Verdict == spec.Holds {
				f.Verdict, f.Because = spec.Unknown, stopped(ctx).And(" before the evidence was complete")
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
		f.Evidence = evidence.Count{Machine: s.m, Count: &machines.Count{Machine: s.m.Name(), Property: f.Property, States: x.States, Transitions: x.Transitions, Digest: sum}}
		if !s.small(x) {
			continue
		}
		if states == nil {
			for state := range each(ctx, space) {
				states = append(states, slices.Clone(state))
			}
		}
		closed := evidence.ClosedSet{Machine: s.m, ClosedSet: &machines.ClosedSet{Machine: s.m.Name(), Property: f.Property, States: states}}
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
	return x.States <= s.most() && x.Transitions <= s.most()*mostTransitions
}

// most is up to how many states evidence is about each of them.
func (s *subject) most() int64 { return int64(cmp.Or(s.q.Closed, 10_000)) }

// shown reports whether a closed set can show a property. Its check is that nothing is
// stuck, which freedom from a weaker notion does not need.
func (s *subject) shown(property string) bool {
	_, err := machines.Safe(s.m, property)
	return err == nil && (s.traffic == nil || property != deadlock || s.q.Notion == Local)
}

const considered = "every fair run of the state graph was considered" // by the evidence for a response

// ranks reports whether there are few enough states for evidence that ranks each of them.
func (s *subject) ranks(states int64) bool {
	if s.traffic != nil {
		states *= int64(len(s.claims.Responses))
	}
	return states <= s.most()
}

// ranked makes a ranking the evidence and verifies it; one of a network's channel is verified with all the others.
func (s *subject) ranked(ctx context.Context, r *machines.Ranking, f *Finding) error {
	r.Machine, r.Property = s.m.Name(), f.Property
	f.Evidence = evidence.Ranking{Machine: s.m, Ranking: r}
	if s.traffic != nil {
		return nil
	}
	return f.restOn(ctx, f.Evidence)
}
