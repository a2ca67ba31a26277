package checker

import (
	"context"
	"errors"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/explore"
	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/liveness"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// decideLiveness decides the machine's responses. For a network they are one question:
// does every first packet move on? What exceeds a budget or the time is
// unknown.
func decideLiveness(ctx context.Context, s *subject, space *walk.Space, x *Result, workers int) error {
	if len(s.claims.Responses)+len(s.claims.Formulas) == 0 {
		return nil
	}
	whole := liveness.Space{
		Space: space, Steps: x.Transitions, Machine: s.m, Fast: s.walk.Machine, Claims: s.walk.Claims,
		Labels: s.walk.Labels, AnswersOf: s.walk.AnswersOf, Workers: workers,
	}
	whole.Ranked = s.ranks(x.States)
	defer func() {
		if whole.Space != space {
			whole.Space.Release()
		}
	}()
	if s.walk.Fair != nil {
		whole.Fair, whole.Answers = s.walk.Fair(), s.walk.Answers()
	}
	because, err := x.Ended, error(nil)
	switch {
	case s.unfollowed != nil:
		if because.IsZero() {
			for _, r := range s.claims.Responses {
				why := findings.Say(findings.Unfollowed{Why: s.unfollowed.Error()})
				x.Findings = append(x.Findings, Finding{Property: r.Name, Because: why})
			}
			because = findings.Say(findings.FormulaOfOrbits)
		}
	case s.group != nil:
		if err = decideModulo(ctx, s, whole, x); len(s.claims.Formulas) > 0 && because.IsZero() {
			because = findings.Say(findings.FormulaOfOrbits)
		}
	case x.Complete:
		if len(s.claims.Responses) > 0 {
			because, err = respondAll(ctx, s, &whole, x)
		}
		if err == nil && because.IsZero() {
			because, err = decideFormulas(ctx, s, &whole, x)
		}
	}
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		because, err = stopped(ctx).And(findings.Say(findings.InFairCycles)), nil
	}
	if !because.IsZero() {
		undecided(s, x, because)
	}
	return err
}

// decideEnding decides starvation where a fair run in which some packet starves can only end; undecided if some
// packet starves.
func decideEnding(ctx context.Context, whole *liveness.Space, x *Result) (decided bool, err error) {
	vacuous, holds, err := liveness.DecideEnding(ctx, whole)
	if err == nil && holds {
		f := Finding{Property: starvation, Vacuous: !slices.Contains(vacuous, false)}
		f.holds(AllFairRuns, findings.AllFairRuns)
		x.Findings = append(x.Findings, f)
	}
	return holds, err
}

// undecided adds a finding of unknown for each response that has none yet.
func undecided(s *subject, x *Result, because words.Sentence) {
	for _, name := range s.responseNames() {
		if !slices.ContainsFunc(x.Findings, func(f Finding) bool { return f.Property == name }) {
			x.Findings = append(x.Findings, Finding{Property: name, Because: because})
		}
	}
}

// respondAll decides the responses one by one, or says why there is no room for the graph.
func respondAll(ctx context.Context, s *subject, whole *liveness.Space, x *Result) (because words.Sentence, err error) {
	if s.traffic != nil && !whole.Ranked && explore.Ends(s.traffic) {
		if decided, err := decideEnding(ctx, whole, x); decided || err != nil {
			return words.Sentence{}, err
		}
	}
	var early []*liveness.Answer
	if s.traffic == nil || len(s.traffic.Scenario().Once) == 0 && s.traffic.Scenario().Packets == 0 {
		if early, err = respondEarly(ctx, s, whole, x); err != nil {
			return words.Sentence{}, err
		}
	}
	if early, err = respondLocally(ctx, s, whole, x, early); err != nil {
		return words.Sentence{}, err
	}
	found := s.traffic != nil && len(early) > 0 && early[len(early)-1] != nil // for a network one violation is enough
	var g *liveness.Graph
	total := Finding{Property: starvation, Verdict: spec.Holds, Vacuous: true}
	var rankings []*machines.Ranking
	for i, v := range s.claims.Responses {
		var a *liveness.Answer
		if i < len(early) {
			a = early[i]
		}
		if a == nil && found {
			continue
		}
		if a == nil && g == nil {
			if because, err := numbered(ctx, s, whole); !because.IsZero() || err != nil {
				return because, err
			}
			if because := tooLarge(s, whole, x.Space); !because.IsZero() {
				return because, nil
			}
			if g, err = liveness.New(ctx, *whole); err != nil {
				return words.Sentence{}, err
			}
		}
		f, err := respond(ctx, s, g, i, a)
		if err != nil {
			return words.Sentence{}, err
		}
		if s.traffic == nil {
			x.Findings = append(x.Findings, *f)
			continue
		}
		total.Vacuous = total.Vacuous && f.Vacuous
		if f.Verdict == spec.Violated {
			total.Verdict, total.Vacuous, total.Notes, total.Evidence = f.Verdict, false, f.Notes, f.Evidence
			total.Because = findings.Say(findings.NeverAnswered{Response: v.Name, Because: f.Because})
			break
		}
		total.Argument, total.Because = f.Argument, f.Because
		if r, ranked := f.Evidence.(evidence.Ranking); ranked {
			rankings = append(rankings, r.Ranking)
		}
	}
	if s.traffic != nil {
		if total.Verdict == spec.Holds && len(rankings) == len(s.claims.Responses) {
			if err := total.proveResponse(ctx, evidence.Rankings{Machine: s.m, Rankings: rankings}); err != nil {
				return words.Sentence{}, err
			}
		}
		x.Findings = append(x.Findings, total)
	}
	return words.Sentence{}, nil
}

// respondEarly decides what it can among the first states. For a network one violated response is enough.
func respondEarly(ctx context.Context, s *subject, whole *liveness.Space, x *Result) ([]*liveness.Answer, error) {
	left := int64(0)
	if s.q.Memory > 0 {
		if left = s.q.Memory - whole.Numbered(); left <= 0 {
			return nil, nil
		}
	}
	early, peak, err := liveness.Early(ctx, whole, s.traffic != nil, left)
	x.Peak = max(x.Peak, whole.Numbered()+peak)
	return early, err
}

// local reports whether what each response directly depends on is known: then probably none needs
// the graph of the whole space.
func (s *subject) local() bool {
	return s.walk.Local != nil && len(s.claims.Formulas) == 0 && !slices.ContainsFunc(s.claims.Responses, func(v states.Response) bool {
		by, err := s.walk.Local(v.Name)
		return by == nil || err != nil
	})
}

// numbered explores once more if parents were dropped, and with them the numbers of states. It says why that ended
// before all states were found, if it did.
func numbered(ctx context.Context, s *subject, whole *liveness.Space) (because words.Sentence, err error) {
	if whole.Parents() {
		return words.Sentence{}, nil
	}
	whole.Release()
	space, r, err := walk.Explore(ctx, s.walk.Machine, walk.Options{
		Workers: whole.Workers,
		Memory:  s.q.Memory,
		Sleep:   s.walk.Sleep,
	})
	if err != nil {
		return words.Sentence{}, err
	}
	whole.Space = space
	return ended(ctx, r, s.q), nil
}

// respondLocally decides what it can of the rest from what each response directly depends on.
func respondLocally(
	ctx context.Context, s *subject, whole *liveness.Space, x *Result, known []*liveness.Answer,
) ([]*liveness.Answer, error) {
	if s.walk.Local == nil || whole.Ranked {
		return known, nil
	}
	for i, v := range s.claims.Responses {
		if i == len(known) {
			known = append(known, nil)
		}
		if known[i] != nil {
			continue
		}
		by, err := s.walk.Local(v.Name)
		if err != nil || by == nil {
			return known, err
		}
		peak := int64(0)
		if known[i], peak, err = liveness.DecideLocally(ctx, whole, i, *by, s.q.Memory); err != nil {
			return nil, err
		}
		x.Peak = max(x.Peak, peak)
	}
	return known, nil
}

func (s *subject) responseNames() []string {
	if s.traffic != nil {
		return []string{starvation}
	}
	var names []string
	for _, v := range s.claims.Responses {
		names = append(names, v.Name)
	}
	for _, f := range s.claims.Formulas {
		names = append(names, f.Name)
	}
	return names
}

// respond decides the k-th response unless a is its answer already.
func respond(ctx context.Context, s *subject, g *liveness.Graph, k int, a *liveness.Answer) (_ *Finding, err error) {
	if a == nil {
		if a, err = g.Decide(ctx, k); err != nil {
			return nil, err
		}
	}
	f := &Finding{Property: s.claims.Responses[k].Name, Vacuous: a.Vacuous}
	if a.Stem != nil {
		return f, unanswered(ctx, s, f, a)
	}
	f.holds(AllFairRuns, findings.AllFairRuns)
	if g == nil || !s.ranks(int64(g.Len())) { // what is decided without the graph has no ranking
		return f, nil
	}
	r, err := g.Ranking(ctx)
	if err != nil {
		return nil, err
	}
	return f, restOnRanking(ctx, s, r, f)
}

// Responses modulo symmetries. A response about one process is not mapped to itself by all
// symmetries. So for it the states are explored again, modulo those that do keep it (its
// stabiliser), and the answer holds for every response that a symmetry maps it to. Fair
// actions are followed; see package liveness.

// decideModulo does what liveness does, modulo symmetries.
func decideModulo(ctx context.Context, s *subject, whole liveness.Space, x *Result) error {
	because, err := x.Ended, error(nil)
	found := make([]*Finding, len(s.claims.Responses))
	if x.Complete {
		for i := 0; i < len(found) && because.IsZero() && err == nil; i++ {
			if found[i] == nil {
				because, err = respondModulo(ctx, s, whole, i, found, x)
			}
		}
	}
	if err != nil {
		because = stopped(ctx).And(findings.Say(findings.InFairCycles))
	}
	for i, v := range s.claims.Responses {
		if found[i] == nil {
			found[i] = &Finding{Property: v.Name, Because: because}
		}
		x.Findings = append(x.Findings, *found[i])
	}
	return err
}

// respondModulo decides a response and those that symmetries map it to, or says what did not fit
// into memory.
func respondModulo(
	ctx context.Context, s *subject, whole liveness.Space, k int, found []*Finding, x *Result,
) (because words.Sentence, err error) {
	all := s.m.(programMachine).Program().Responses
	index := func(name string) int {
		return slices.IndexFunc(all, func(v program.Response) bool { return v.Name == name })
	}
	if whole.Modulo, err = s.group.Stabiliser(index(s.claims.Responses[k].Name)); err != nil {
		return words.Sentence{}, err
	}
	if !whole.Modulo.Whole() {
		left := int64(0)
		if s.q.Memory > 0 {
			if left = s.q.Memory - whole.Numbered(); left <= 0 {
				return findings.Say(findings.NoRoomForOrbits), nil
			}
		}
		space, r, err := walk.Explore(ctx, whole.Modulo, walk.Options{
			Workers:   whole.Workers,
			MaxStates: s.q.MaxStates,
			Memory:    left,
		})
		if err != nil {
			return words.Sentence{}, err
		}
		defer space.Release()
		if r.Reason != walk.Complete {
			return ended(ctx, r, s.q).And(findings.Say(findings.OfStabiliser)), nil
		}
		whole.Space, whole.Steps, whole.Fast = space, r.Transitions, whole.Modulo
		x.Peak = max(x.Peak, whole.Numbered()+r.Peak)
	}
	if because := tooLarge(s, &whole, x.Space); !because.IsZero() {
		return because, nil
	}
	full := int64(0)
	whole.Each(0, 1, func(state []uint64) bool {
		full += int64(whole.Modulo.Orbit(state))
		return s.ranks(full)
	})
	g, err := liveness.New(ctx, whole)
	if err != nil {
		return words.Sentence{}, err
	}
	a, err := g.Decide(ctx, k)
	for i := 0; i < len(found) && err == nil; i++ {
		by := whole.Modulo.Like[index(s.claims.Responses[i].Name)]
		if by < 0 || found[i] != nil {
			continue
		}
		f := &Finding{Property: s.claims.Responses[i].Name, Vacuous: a.Vacuous}
		if a.Stem != nil {
			lifted := *a
			if lifted.Stem, lifted.Loop, err = g.Lift(a, by); err == nil {
				err = unanswered(ctx, s, f, &lifted)
			}
		} else {
			f.holds(AllFairRuns, findings.AllFairRuns)
			f.Because = f.Because.And(findings.Say(findings.OfOrbits{Under: whole.Modulo.How()}))
			if s.ranks(full) {
				r, failed := g.Unfolded(ctx, by)
				if err = failed; err == nil {
					err = restOnRanking(ctx, s, r, f)
				}
			}
		}
		if err == nil {
			found[i] = f
		}
	}
	return words.Sentence{}, err
}
