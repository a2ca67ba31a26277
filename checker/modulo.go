package checker

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/liveness"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Responses modulo symmetries. A response about one process is not mapped to itself by all
// symmetries. So for it the states are explored again, modulo those that do keep it (its
// stabiliser), and the answer holds for every response that a symmetry maps it to. Fair
// actions are followed; see package liveness.

// livenessModulo does what liveness does, modulo symmetries.
func (s *subject) livenessModulo(ctx context.Context, whole liveness.Space, x *Result) error {
	because, err := x.Ended, error(nil)
	found := make([]*Finding, len(s.claims.Responses))
	if x.Complete {
		for i := 0; i < len(found) && because.IsZero() && err == nil; i++ {
			if found[i] == nil {
				because, err = s.respondModulo(ctx, whole, i, found, x)
			}
		}
	}
	if err != nil {
		because = stopped(ctx).And(searching)
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
func (s *subject) respondModulo(ctx context.Context, whole liveness.Space, k int, found []*Finding, x *Result) (because words.Sentence, err error) {
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
				return words.Say("no memory is left to explore more states, modulo the symmetries that keep a response"), nil
			}
		}
		space, r, err := walk.Explore(ctx, whole.Modulo, walk.Options{Workers: whole.Workers, MaxStates: s.q.MaxStates, Memory: left})
		if err != nil {
			return words.Sentence{}, err
		}
		defer space.Release()
		if r.Reason != walk.Complete {
			return ended(ctx, r, s.q).And(", of states modulo the symmetries that keep a response"), nil
		}
		whole.Space, whole.Steps, whole.Fast = space, r.Transitions, whole.Modulo
		x.Peak = max(x.Peak, whole.Numbered()+r.Peak)
	}
	if because := s.tooLarge(&whole, x); !because.IsZero() {
		return because, nil
	}
	full := int64(0)
	whole.Each(func(_ walk.ID, state []uint64) bool {
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
				err = s.unanswered(ctx, f, &lifted)
			}
		} else {
			f.Verdict, f.Because = spec.Holds, words.Say(considered+", of orbits under %s", whole.Modulo.How())
			if s.ranks(full) {
				r, failed := g.Unfolded(ctx, by)
				if err = failed; err == nil {
					err = s.ranked(ctx, r, f)
				}
			}
		}
		if err == nil {
			found[i] = f
		}
	}
	return words.Sentence{}, err
}
