package checker

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/liveness"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// decideFormulas decides the machine's temporal properties one by one, or says what did not fit into memory.
func decideFormulas(ctx context.Context, s *subject, whole *liveness.Space, x *Result) (because words.Sentence, err error) {
	if len(s.claims.Formulas) == 0 {
		return words.Sentence{}, nil
	}
	if because, err := numbered(ctx, s, whole); !because.IsZero() || err != nil {
		return because, err
	}
	if because := tooLarge(s, whole, x.Space); !because.IsZero() {
		return because, nil
	}
	g, err := liveness.New(ctx, *whole)
	if err != nil {
		return words.Sentence{}, err
	}
	for i := range s.claims.Formulas {
		f, err := decideFormula(ctx, s, whole, g, &s.claims.Formulas[i])
		if err != nil {
			return words.Sentence{}, err
		}
		x.Findings = append(x.Findings, *f)
	}
	return words.Sentence{}, nil
}

// decideFormula decides one formula.
func decideFormula(
	ctx context.Context, s *subject, whole *liveness.Space, g *liveness.Graph, formula *states.Formula,
) (*Finding, error) {
	f := &Finding{Property: formula.Name}
	if formula.Possible {
		return f, decidePossible(ctx, s, g, f, formula)
	}
	left := int64(0)
	if s.q.Memory > 0 {
		left = max(1, s.q.Memory-whole.Bytes())
	}
	p, err := liveness.NewProduct(ctx, g, *formula, left)
	if err != nil {
		return nil, err
	}
	if p == nil {
		f.Because = findings.Say(findings.ProductTooLarge)
		return f, nil
	}
	a, err := p.Decide(ctx)
	if err != nil {
		return nil, err
	}
	if a.Stem != nil {
		return f, falsified(ctx, s, f, formula, a)
	}
	f.holds(AllFairRuns, findings.AllFairRuns)
	if formula.Unfair {
		f.holds(AllRuns, findings.AllRuns)
	}
	if !s.ranks(int64(p.Len())) {
		return f, nil
	}
	r := p.Ranking()
	r.Machine, r.Property = s.m.Name(), f.Property
	f.Evidence = evidence.FormulaRanking{Machine: s.m, FormulaRanking: r}
	return f, f.proveResponse(ctx, f.Evidence)
}

// decidePossible decides whether a condition can be reached from every state.
func decidePossible(ctx context.Context, s *subject, g *liveness.Graph, f *Finding, formula *states.Formula) error {
	d, err := g.Possible(ctx, formula)
	if err != nil {
		return err
	}
	stem, beyond, err := d.Lost(ctx)
	switch {
	case err != nil:
		return err
	case beyond > runs.MostBeyond:
		f.Because = findings.Say(findings.TooManyBeyond)
		return nil
	case stem != nil:
		run, err := lasso(ctx, s, f, &liveness.Answer{Stem: stem})
		if err != nil {
			return err
		}
		run.Fault = runs.Falsified
		f.Because = findings.Say(findings.Impossible{Stem: run.Back, Beyond: beyond})
		if err := f.prove(ctx, evidence.Run{Machine: s.m, Run: run}); err != nil {
			return &EvidenceError{Name: f.Property, Err: err}
		}
		return nil
	}
	f.holds(AllStates, findings.AlwaysPossible)
	if !s.ranks(int64(g.Len())) {
		return nil
	}
	r := d.Ranking()
	r.Machine, r.Property = s.m.Name(), f.Property
	f.Evidence = evidence.FormulaRanking{Machine: s.m, FormulaRanking: r}
	return f.proveResponse(ctx, f.Evidence)
}

// falsified makes the evidence a run on which the formula is false.
func falsified(ctx context.Context, s *subject, f *Finding, formula *states.Formula, a *liveness.Answer) error {
	run, err := lasso(ctx, s, f, a)
	if err != nil {
		return err
	}
	run.Fault = runs.Falsified
	f.Because = findings.Say(findings.Unanswered{Stem: run.Back, Cycle: len(a.Loop), Unfair: formula.Unfair})
	if err := f.prove(ctx, evidence.Run{Machine: s.m, Run: run}); err != nil {
		return &EvidenceError{Name: f.Property, Err: err}
	}
	return nil
}
