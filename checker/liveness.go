package checker

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
)

// Liveness under weak fairness.
//
// A response is violated if some run keeps it pending for ever without an
// answer, although no fair action is put off while it stays possible. In a
// finite space such a run rests in a state without fair actions, or goes round in a strongly connected
// part of the graph whose nodes are the states in which it is pending and whose
// edges are the steps that do not answer. A part can be gone round fairly if
// and only if every fair action that is possible in all of its states is taken
// within it: going round all of it takes every such action, and passes, for
// every other action, a state where that is not possible. If an action is
// possible throughout and never taken, the same is true of every smaller part,
// so no part of this one will do either (cf. Lichtenstein and Pnueli 1985). The
// numbers of the parts, which never rise along an edge, and those actions are
// the certificate where the response holds.

const mostFlowSteps = 1 << 24

// liveness decides the machine's responses. For a network they are one
// question: does every first packet move on.
func (s *subject) liveness(ctx context.Context, space *statespace.Space, x *Exploration) error {
	if len(s.claims.Responses) == 0 {
		return nil
	}
	if !x.Complete || x.Transitions > mostFlowSteps {
		because := x.Ended
		if x.Complete {
			because = fmt.Sprintf("the space has %d steps, too many to look for fair loops (at most %d)", x.Transitions, mostFlowSteps)
		}
		for _, name := range s.responseNames() {
			x.Findings = append(x.Findings, Finding{Property: name, Because: because})
		}
		return nil
	}
	g, err := s.flow(space)
	if err != nil {
		return err
	}
	total := Finding{Property: starvation, Verdict: spec.Holds, Vacuous: true}
	for _, v := range s.claims.Responses {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		f, err := s.respond(g, v)
		if err != nil {
			return err
		}
		if s.traffic == nil {
			x.Findings = append(x.Findings, *f)
			continue
		}
		total.Vacuous = total.Vacuous && f.Vacuous
		if f.Verdict == spec.Violated {
			total.Verdict, total.Vacuous, total.Because, total.Run = f.Verdict, false, v.Name+" may never come true: "+f.Because, f.Run
			break
		}
		total.Because = f.Because
	}
	if s.traffic != nil {
		x.Findings = append(x.Findings, total)
	}
	return nil
}

func (s *subject) responseNames() []string {
	if s.traffic != nil {
		return []string{starvation}
	}
	var names []string
	for _, v := range s.claims.Responses {
		names = append(names, v.Name)
	}
	return names
}

// respond decides one response.
func (s *subject) respond(g *flowGraph, v spec.Response) (*Finding, error) {
	f := &Finding{Property: v.Name, Vacuous: true}
	g.restrict(v)
	g.components()
	worst := -1 // the open state, of least depth, from which a fair run goes on for ever
	consider := func(i int) {
		if worst < 0 || cmp.Or(cmp.Compare(g.depth[i], g.depth[worst]), slices.Compare(g.states[i], g.states[worst])) < 0 {
			worst = i
		}
	}
	helpful := make([]int32, len(g.parts))
	for p, states := range g.parts {
		var fair bool
		if helpful[p], fair = g.helpful(states); fair {
			for _, i := range states {
				consider(int(i))
			}
		}
	}
	for i := range g.states {
		if g.open[i] {
			f.Vacuous = false
			if g.rests(i) {
				consider(i)
			}
		}
	}
	if worst >= 0 {
		return s.unanswered(g, v, f, worst)
	}
	f.Verdict = spec.Holds
	f.Because = "every fair run of the whole space was considered"
	return f, s.ranked(g, v, f, helpful)
}

// unanswered makes a lasso: the way to a state, and a fair loop from there.
func (s *subject) unanswered(g *flowGraph, v spec.Response, f *Finding, at int) (*Finding, error) {
	trail := g.stem(at)
	run, err := s.run(trail)
	if err != nil {
		return nil, &EvidenceError{Name: v.Name, Err: err}
	}
	run.Property, run.Fault, run.Back = v.Name, counterexamples.Unanswered, len(run.Steps)
	f.Verdict, f.Run = spec.Violated, run
	if g.rests(at) {
		f.Because = fmt.Sprintf("after %s nothing has to happen any more", plural(run.Back, "step"))
	} else {
		for _, e := range g.lasso(int32(at)) {
			run.Steps = append(run.Steps, taken(s.m, g.states[g.from(e)], int(g.index[e])))
		}
		f.Because = fmt.Sprintf("after %s a fair loop of %s goes on for ever", plural(run.Back, "step"), plural(len(run.Steps)-run.Back, "step"))
	}
	if err := counterexamples.ReplayRun(s.m, s.claims, run); err != nil {
		return nil, &EvidenceError{Name: v.Name, Err: err}
	}
	return f, nil
}

// ranked makes the parts' numbers the evidence, in a small space, and verifies it.
func (s *subject) ranked(g *flowGraph, v spec.Response, f *Finding, helpful []int32) error {
	if int64(len(g.states)) > int64(cmp.Or(s.opt.Closed, 10_000)) || s.traffic != nil {
		return nil
	}
	r := &proofs.Ranking{ClosedSet: proofs.ClosedSet{Machine: s.m.Name(), Property: v.Name, States: g.states}}
	r.Ranks, r.Helpful = make([]int, len(g.states)), make([]string, len(g.states))
	names := g.actionNames(s.m)
	for i, p := range g.part {
		if p >= 0 {
			r.Ranks[i] = int(p)
			if helpful[p] >= 0 {
				r.Helpful[i] = names[helpful[p]]
			}
		}
	}
	if err := proofs.VerifyRanking(s.m, s.claims, v, r); err != nil {
		return &EvidenceError{Name: v.Name, Err: err}
	}
	f.Ranking = r
	return nil
}
