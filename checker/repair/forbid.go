package repair

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// unavoidable returns units that some flow cannot avoid: those of sites with a single hop,
// from its source on. Fewer if ctx ends.
func (w *paths) unavoidable(ctx context.Context) []int32 {
	must := make([]bool, len(w.units))
	for i := range w.tables {
		if ctx.Err() != nil {
			break
		}
		t := &w.tables[i]
		walked := make([]bool, t.Vertices())
		for first := 0; first < len(t.Sources); first += w.waysOut(i, first) {
			if w.waysOut(i, first) > 1 {
				continue // another alternative may do
			}
			for v := int32(first); v != relation.Arrived && !walked[v] && t.IsLive(v); {
				walked[v] = true
				only := int32(-1)
				several := false
				for e, end := t.Edges(v); e < end; e++ {
					if t.Live[e] {
						several = several || only >= 0
						only = e
					}
				}
				if several {
					break
				}
				if u := t.unit[only]; u != free {
					must[u] = true
				}
				v = t.To[only]
			}
		}
	}
	var units []int32
	for u, is := range must {
		if is {
			units = append(units, int32(u))
		}
	}
	return units
}

// leastForbidden looks for the fewest turns or hops that must go from the tables as they are.
func (u *search) leastForbidden(ctx context.Context) (Proposal, error) {
	j := newConditions(ctx, u.n, u.scheme)
	if j == nil {
		return Proposal{}, ctx.Err()
	}
	if u.n.Room() > 1 {
		j.decide = func(ctx context.Context) (bool, *counterexamples.Trace) { return u.decide(ctx, j.definition()) }
	}
	l := newHittingSet(ctx, problem{
		namer: j.namer, units: j.units, forced: j.unavoidable(ctx), weight: j.hops, visits: j.visits(ctx),
		violations: j.violations, kind: &j.kind,
	}, u.opt.Effort)
	return u.forbid(ctx, l, func() (routing.Definition, []findings.Fact) {
		j.paths.forbid(ctx, l.best)
		return j.definition(), j.deadHops(ctx, l.best)
	})
}

// decide finds whether a network is free of deadlock and, if it is not, a trace; neither if that stays open.
func (u *search) decide(ctx context.Context, def routing.Definition) (bool, *counterexamples.Trace) {
	n, err := routing.Compile(ctx, def, routing.CompileOptions{Workers: u.opt.Workers})
	if err != nil {
		return false, nil
	}
	r, err := checker.Check(ctx, n, checker.Question{
		Properties: []string{spec.DeadlockFreedom.String()}, Workers: u.opt.Workers, Explore: checker.Never,
	})
	if err != nil {
		return false, nil
	}
	f := r.Of(spec.DeadlockFreedom.String())
	if trace, is := f.Evidence.(evidence.Trace); is && f.Verdict == spec.Violated {
		return false, trace.Trace
	}
	return f.Verdict == spec.Holds, nil
}

// forbid searches for the fewest units that must go. network makes a network of the best
// repair, and says what follows from it. If ctx ends, forbid returns what it has found
// with the error.
func (u *search) forbid(
	ctx context.Context, l *hittingSet, network func() (routing.Definition, []findings.Fact),
) (Proposal, error) {
	p := Proposal{Unit: u.scheme.unit()}
	err := l.improve(ctx, func() error {
		if p.Network != nil && p.Cost == l.cost {
			return nil
		}
		def, follows := network()
		better, err := u.certify(ctx, p, def)
		if err != nil || better.Network == nil && p.Network != nil {
			return err
		}
		if p = better; p.Network != nil {
			p.Cost, p.Patch = l.cost, findings.Each(append(l.forbids(l.units, l.best), follows...)...)
			u.opt.stage(u.scheme, fmt.Sprintf(": %v so far", words.Count{N: p.Cost, Of: p.Unit}))
		}
		return nil
	})
	p.AtLeast = l.shown(ctx)
	proof, fault := l.proof(ctx)
	if p.Least = proof; fault != nil && err == nil {
		err = fault
	}
	switch {
	case p.Network != nil:
		p.Because = findings.Say(findings.Forbidden{
			Cost: words.Count{N: p.Cost, Of: p.Unit}, AtLeast: p.AtLeast, Unchecked: p.Least == nil && p.AtLeast > 1,
		})
	case l.refuted && l.best == nil && !l.doubtful():
		p.Verdict = spec.Violated
		if p.Because = findings.Say(l.explainNone(p.Unit)); p.Least == nil {
			p.Because = p.Because.And(findings.Say(findings.Unchecked))
		}
	case p.Because.IsZero():
		p.Because = findings.Say(findings.NoSetFound{Unit: p.Unit, AtLeast: p.AtLeast})
	}
	if l.effort <= 0 && !l.refuted && ctx.Err() == nil {
		p.Because = p.Because.And(findings.Say(findings.MoreEffort))
	}
	return p, err
}

// explainNone says why no repair exists: the clause with the fewest units among those whose units
// flows cannot avoid, if any.
func (l *hittingSet) explainNone(what string) findings.Fact {
	stays := map[int32]bool{}
	for _, c := range l.clauses {
		if len(c) == 1 && c[0].Negative() {
			stays[c[0].Variable()] = true
		}
	}
	var best []sat.Literal
	for _, c := range l.clauses {
		refuted := !slices.ContainsFunc(c, func(x sat.Literal) bool { return x.Negative() || !stays[x.Variable()] })
		if refuted && (best == nil || len(c) < len(best)) {
			best = c
		}
	}
	if best == nil {
		return findings.Contradiction{Conditions: len(l.clauses)}
	}
	const most = 4
	u := findings.Unavoidable{All: words.Count{N: len(best), Of: what}}
	for _, x := range best[:min(len(best), most)] {
		u.Units = append(u.Units, l.words(l.units[x.Variable()]))
	}
	return u
}
