package checker

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/explore"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Explore visits the reachable states of a machine breadth first and decides its
// properties: deadlock and delivery for the traffic of a network, deadlock and the
// invariants it claims for any other machine. A violation comes with a shortest trace,
// replayed with the reference step; a property of a small space holds with the
// closed set of its states, verified. What was not found violated when a budget runs
// out or ctx ends is unknown. Rejected evidence is an *EvidenceError; a checkpoint
// that cannot be written from the start, or is for another machine or question, is a
// *CheckpointError.
//
// Of the question, what concerns a network's tables does not apply: see [QuestionError].
func Explore(ctx context.Context, m states.Machine, q Question) (*Result, error) {
	own := "what a machine does is its own, as the traffic of a network has its scenario"
	switch {
	case !q.Scenario.Equal(spec.Scenario{}):
		return nil, &QuestionError{Field: "Scenario", Why: own}
	case q.Smallest != AnySize:
		return nil, &QuestionError{Field: "Smallest", Why: "a smallest deadlock is looked for in a network; of a machine, the run to a violation always is a shortest one"}
	}
	return exploreStates(ctx, m, q)
}

func exploreStates(ctx context.Context, m states.Machine, q Question) (*Result, error) {
	s, err := newSubject(ctx, m, q)
	if why := usedUp(ctx, err); s != nil && !why.IsZero() {
		x := s.unexplored(why)
		x.Beyond = errors.As(err, new(*spec.BoundError))
		return x, nil
	}
	if err != nil {
		return nil, err
	}
	how, err := s.walkOptions(q)
	if err != nil {
		return nil, err
	}
	space, r, err := s.visit(ctx, how)
	if err != nil {
		return nil, s.failed(err)
	}
	defer space.Release()
	x := &Result{Name: s.name, Network: s.network, Machine: m, Space: &Space{
		Complete: r.Reason == walk.Complete, Full: r.Reason == walk.OutOfDisk,
		States: r.States, Expanded: r.Expanded, Transitions: r.Transitions, Levels: r.Levels, Widest: r.Widest,
		Bits: s.bits(), Reduced: s.reduced(), Visited: r.Visited, Peak: r.Peak, Unsaved: r.Unsaved,
	}}
	if s.traffic == nil && !s.q.Liveness {
		x.Unchecked = s.responseNames()
	}
	x.Ended = ended(ctx, r, q)
	refused, err := s.refused(ctx, space, r)
	if err != nil {
		return nil, err
	}
	s.counts(x, r)
	for _, q := range s.questions {
		f, err := s.answer(ctx, q, space, r, x)
		if err != nil {
			return nil, err
		}
		x.Findings = append(x.Findings, *f)
	}
	err = s.evidence(ctx, space, x, how.Workers)
	if err := cmp.Or(space.Err(), err); err != nil {
		return nil, s.failed(err)
	}
	s.covers(x)
	x.Idle = s.idle(ctx, space, r, x)
	if q.Coverage {
		x.Whens, x.Fired = s.whens(ctx, space, x), s.fired(ctx, space, x)
		if x.Fired == nil && ctx.Err() == nil {
			x.Uncounted = s.uncounted(x, r.Reason == walk.Found)
		}
	}
	if s.q.Liveness {
		if err := s.liveness(ctx, space.(*walk.Space), x, how.Workers); err != nil {
			return nil, err
		}
	}
	if refused != nil {
		x.Findings = append(x.Findings, *refused)
	} else if s.ranged && !x.Complete {
		x.Findings = append(x.Findings, Finding{Property: states.InRange, Because: x.Ended})
	}
	s.qualify(x)
	return x, nil
}

// unexplored is the result for a subject whose exploration did not begin.
func (s *subject) unexplored(why words.Sentence) *Result {
	x := &Result{Name: s.name, Network: s.network, Machine: s.m, Space: &Space{Ended: why}}
	for _, q := range s.questions {
		x.Findings = append(x.Findings, Finding{Property: q.name, Because: why, Assumptions: s.assumptions})
	}
	if s.q.Liveness {
		s.undecided(x, why)
	}
	if s.ranged {
		x.Findings = append(x.Findings, Finding{Property: states.InRange, Because: why, Assumptions: s.assumptions})
	}
	s.covers(x)
	return x
}

// counts copies the counts of deadlocks into x.
func (s *subject) counts(x *Result, r *walk.Result) {
	if s.traffic == nil {
		if s.exact() || s.wants(deadlock) { // else steps may be left out where none matters
			x.Halts = r.Flagged[bit(explore.Halt)]
		}
		return
	}
	x.Global, x.Weak, x.Local = r.Flagged[bit(explore.Global)], r.Flagged[bit(explore.Weak)], r.Flagged[bit(explore.Local)]
}

// answer decides one question from what the walk counted.
func (s *subject) answer(ctx context.Context, q question, space visited, r *walk.Result, x *Result) (*Finding, error) {
	f := &Finding{Property: q.name}
	switch flag, found := firstOf(q.violated, &r.Flagged); {
	case found:
		if err := s.violation(ctx, f, q.fault(), space, r.First[flag]); err != nil {
			return nil, err
		}
	case !x.Complete:
		f.Because = x.Ended
	case s.q.Compact:
		f.Because = words.Say("no violation was found, but states were kept as 64-bit hashes: some may be missing, with probability at most %.1g", omission(r.States))
	default:
		f.Verdict = spec.Holds
		f.Because = words.Say("every %s was explored%s", s.explored(), s.reduction())
		if t := s.traffic; t != nil && t.Network().Switching() == spec.Wormhole && !t.Scenario().Flits() {
			f.Because = f.Because.And(", of messages that fit into one channel: longer ones may do what these cannot")
		}
	}
	if q.applies != 0 && r.Flagged[bit(q.applies)] == 0 && f.Verdict == spec.Holds {
		f.Vacuous = true
		f.Notes = append(f.Notes, words.Say("%s", q.vacuous))
	}
	return f, nil
}

// omission bounds the probability that two of n states have the same 64-bit hash:
// there are fewer than n²/2 pairs.
func omission(n int64) float64 { return math.Ldexp(float64(n)*float64(n)/2, -64) }

// covers turns a finding about an invariant that negates a cover into one about the
// cover: a run that violates the invariant shows that the states looked for can be
// reached; evidence that it holds, that they cannot.
func (s *subject) covers(x *Result) {
	for _, q := range s.questions {
		f := x.Of(q.name)
		if q.cover == "" || f == nil {
			continue
		}
		f.Property = q.cover
		switch f.Verdict {
		case spec.Holds:
			f.Verdict, f.Because = spec.Violated, words.Say("it cannot be reached: %s", f.Because)
		case spec.Violated:
			f.Verdict, f.Because = spec.Holds, words.Say("reached in %s", words.Count{N: len(f.Run().Steps), Of: "step"})
		}
	}
}

// qualify adds to each finding its method and the assumptions it rests on.
func (s *subject) qualify(x *Result) {
	for i := range x.Findings {
		if f := &x.Findings[i]; f.Verdict != spec.Unknown {
			f.Method = Explored
		}
		x.Findings[i].Assumptions = s.assumptions
		if s.traffic != nil && x.Findings[i].Property == starvation {
			x.Findings[i].Assumptions = trafficAssumptions(s.traffic, starvation)
		}
		if slices.ContainsFunc(s.claims.Responses, func(v states.Response) bool { return v.Name == x.Findings[i].Property }) {
			x.Findings[i].Assumptions = append(slices.Clip(s.assumptions), strongly(s.m)...)
		}
	}
	if f := x.Of(deadlock); f != nil && s.traffic != nil {
		f.uncommitted(s.network)
		f.Notes = append(f.Notes, words.Say("deadlock means: %s", notionWords[s.q.Notion]))
		if t := f.Trace(); t != nil && t.Notion != s.q.Notion {
			f.Notes = append(f.Notes, words.Say("the trace shows a %s deadlock: that nothing more may be injected is not machine-checked, as a trace bounds no traffic", t.Notion))
		}
	}
}
