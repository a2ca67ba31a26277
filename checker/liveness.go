package checker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Liveness under weak fairness.
//
// A response is violated if some run keeps it pending forever without an
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

// The graph is made once and takes about 7 bytes a step and 44 a state besides
// the space (flowBytes); responses are decided one after the other, each in time
// proportional to the graph. Only steps between open states are looked at.

// liveness decides the machine's responses. For a network they are one
// question: does every first packet move on. What the budgets leave no room or
// time for is unknown.
func (s *subject) liveness(ctx context.Context, space *statespace.Space, x *Result, workers int) error {
	if len(s.claims.Responses) == 0 {
		return nil
	}
	because := x.Ended
	if x.Complete {
		because = s.tooLarge(space, x)
	}
	if because != "" {
		s.undecided(x, because)
		return nil
	}
	g, err := s.flow(ctx, space, x.Transitions, workers)
	if err == nil {
		err = s.respondAll(ctx, g, x, workers)
	}
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		s.undecided(x, stopped(ctx)+" while searching for fair cycles")
		return nil
	}
	return err
}

// tooLarge says why there is no room for the graph of a space, or nothing.
func (s *subject) tooLarge(space *statespace.Space, x *Result) string {
	if x.Transitions >= mostSteps {
		return fmt.Sprintf("the state graph has %d steps: too many to search for fair cycles (limit %d)", x.Transitions, int64(mostSteps))
	}
	answers := slices.ContainsFunc(s.claims.Responses, func(v states.Response) bool { return v.Answered != nil })
	need := space.Numbered() + flowBytes(x.States, x.Transitions, answers)
	if s.opt.Memory > 0 && need > s.opt.Memory {
		return fmt.Sprintf("searching %d states and %d steps for fair cycles takes %d MiB, more than the memory budget of %d MiB", x.States, x.Transitions, need>>20, s.opt.Memory>>20)
	}
	x.Peak = max(x.Peak, need)
	return ""
}

// undecided makes the responses that have no finding yet unknown.
func (s *subject) undecided(x *Result, because string) {
	for _, name := range s.responseNames() {
		if !slices.ContainsFunc(x.Findings, func(f Finding) bool { return f.Property == name }) {
			x.Findings = append(x.Findings, Finding{Property: name, Because: because})
		}
	}
}

// respondAll decides one response after the other.
func (s *subject) respondAll(ctx context.Context, g *flowGraph, x *Result, workers int) error {
	total := Finding{Property: starvation, Verdict: spec.Holds, Vacuous: true}
	for i, v := range s.claims.Responses {
		f, err := s.respond(ctx, g, i, workers)
		if err != nil {
			return err
		}
		if s.traffic == nil {
			x.Findings = append(x.Findings, *f)
			continue
		}
		total.Vacuous = total.Vacuous && f.Vacuous
		if f.Verdict == spec.Violated {
			total.Verdict, total.Vacuous, total.Because, total.Evidence = f.Verdict, false, v.Name+" may never happen: "+f.Because, f.Evidence
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

// respond decides the k-th response.
func (s *subject) respond(ctx context.Context, g *flowGraph, k, workers int) (*Finding, error) {
	v := s.claims.Responses[k]
	open, err := g.restrict(ctx, s.quick.Responses[k], workers)
	if err != nil {
		return nil, err
	}
	f := &Finding{Property: v.Name, Vacuous: !open}
	if err := g.components(ctx); err != nil {
		return nil, err
	}
	worst := int32(-1) // the open state, of least depth, from which a fair run goes on forever
	var a, b []uint64
	consider := func(i int32) {
		if worst < 0 {
			g.depths(ctx, s.m.Start(nil))
		}
		if worst < 0 || g.depth[i] < g.depth[worst] {
			worst = i
		}
		if i != worst && g.depth[i] == g.depth[worst] {
			if a, b = g.state(a[:0], i), g.state(b[:0], worst); slices.Compare(a, b) < 0 {
				worst = i
			}
		}
	}
	for p := range int32(g.parts()) {
		states := g.partOf(p)
		_, fair := g.helpful(ctx, states)
		for k, i := range states {
			if !goesOn(ctx, k+int(g.bounds[p])) {
				return nil, ctx.Err()
			}
			if fair || g.rests(i) {
				consider(i)
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if worst >= 0 {
		return s.unanswered(ctx, g, v, f, worst)
	}
	f.Verdict = spec.Holds
	f.Because = "every fair run of the state graph was considered"
	return f, s.ranked(ctx, g, v, f)
}

// unanswered makes a lasso: the way to a state, and a fair loop from there.
func (s *subject) unanswered(ctx context.Context, g *flowGraph, v states.Response, f *Finding, at int32) (*Finding, error) {
	run, err := s.run(ctx, g.stem(ctx, at))
	if err != nil {
		return nil, &EvidenceError{Name: v.Name, Err: err}
	}
	run.Property, run.Fault, run.Back = v.Name, runs.Unanswered, len(run.Steps)
	f.Verdict = spec.Violated
	if g.rests(at) {
		f.Because = fmt.Sprintf("after %s no step is left that fairness requires", plural(run.Back, "step"))
	} else {
		for _, e := range g.lasso(ctx, at) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			i := g.from(e)
			run.Steps = append(run.Steps, runs.TakenBy(s.m, g.state(nil, i), int(e-g.first[i])))
		}
		f.Because = fmt.Sprintf("after %s a fair cycle of %s repeats forever", plural(run.Back, "step"), plural(len(run.Steps)-run.Back, "step"))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := f.rest(ctx, evidence.Run{Machine: s.m, Run: run}); err != nil {
		return nil, &EvidenceError{Name: v.Name, Err: err}
	}
	return f, nil
}

// ranked makes the parts' numbers the evidence, in a small space, and verifies it.
func (s *subject) ranked(ctx context.Context, g *flowGraph, v states.Response, f *Finding) error {
	if int64(g.states) > int64(cmp.Or(s.opt.Closed, 10_000)) || s.traffic != nil {
		return nil
	}
	r := &machines.Ranking{ClosedSet: machines.ClosedSet{Machine: s.m.Name(), Property: v.Name}}
	r.Ranks, r.Helpful = make([]int, g.states), make([]int, g.states)
	for i := range int32(g.states) {
		if !goesOn(ctx, int(i)) {
			return ctx.Err()
		}
		r.States = append(r.States, g.state(nil, i))
	}
	numbers := g.actionNumbers(s.m)
	for p := range int32(g.parts()) {
		helpful, _ := g.helpful(ctx, g.partOf(p))
		for _, i := range g.partOf(p) {
			r.Ranks[i], r.Helpful[i] = int(p), machines.NoAction
			if helpful >= 0 {
				r.Helpful[i] = numbers[helpful]
			}
		}
	}
	if err := f.rest(ctx, evidence.Ranking{Machine: s.m, Ranking: r}); err != nil && ctx.Err() == nil {
		return &EvidenceError{Name: v.Name, Err: err}
	}
	return ctx.Err()
}
