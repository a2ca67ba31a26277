package evidence

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/addresses"
	"github.com/seed-105a2da2/unknot/proofs/answers"
	"github.com/seed-105a2da2/unknot/proofs/bubbles"
	"github.com/seed-105a2da2/unknot/proofs/changes"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// starvation is the common name of the responses of a network's traffic.
const starvation = "starvation-freedom"

// Certificate shows that a network has a property.
type Certificate struct {
	Network *spec.Network
	*proofs.Certificate
}

// Kind returns "certificate".
func (e Certificate) Kind() string { return "certificate" }

// Shown returns the kind of its numbers, and the flows if it is about some alone.
func (e Certificate) Shown() Shown {
	s := Shown{Property: e.Property.String(), Verdict: spec.Holds, By: e.Certificate.Kind.String()}
	if len(e.Once) > 0 {
		s.Under = &spec.Scenario{Once: e.Once}
	}
	return s
}

// Verify checks the numbers in one pass over the sites, once those that are left out are found ([proofs.Verify]).
func (e Certificate) Verify(ctx context.Context, opt Options) error {
	if opt.Plain {
		return proofs.VerifyPlain(ctx, e.Network, e.Certificate)
	}
	return proofs.Verify(ctx, e.Network, e.Certificate)
}

// Bubbles shows that a network has no deadlock, as free places are kept.
type Bubbles struct {
	Network *spec.Network
	*bubbles.Certificate
}

// Kind returns "bubbles".
func (e Bubbles) Kind() string { return "bubbles" }

// Shown returns freedom from deadlock, under the bubble of the scenario if it has one.
func (e Bubbles) Shown() Shown {
	s := Shown{
		Property: spec.DeadlockFreedom.String(), Verdict: spec.Holds,
		By: "free places in " + words.Plural(len(e.Sets), "set") + " of channels",
	}
	if e.Bubble > 0 {
		sc := e.Scenario()
		s.Under = &sc
	}
	return s
}

// Verify checks the sets and refutes each way to be stuck ([bubbles.Verify]).
func (e Bubbles) Verify(ctx context.Context, opt Options) error {
	if opt.Plain {
		return bubbles.VerifyPlain(ctx, e.Network, e.Certificate)
	}
	return bubbles.Verify(ctx, e.Network, e.Certificate)
}

// Unsatisfiability shows that no packets of a network block each other, that no set of up to a bounded number does, or
// that no repair within a bound exists.
type Unsatisfiability struct {
	Network *spec.Network
	*unsat.Proof
}

// Kind returns "unsatisfiability-proof".
func (e Unsatisfiability) Kind() string { return "unsatisfiability-proof" }

// Shown returns the property, up to the bound of the proof.
func (e Unsatisfiability) Shown() Shown {
	return Shown{
		Property: e.Bound.Property(), Verdict: spec.Holds, By: "unsatisfiability proof of " + words.Plural(len(e.Steps), "clause"),
		Under: e.Under,
	}
}

// Verify checks each clause by unit propagation or by counting, or tries all small sets ([unsat.Verify]).
func (e Unsatisfiability) Verify(ctx context.Context, _ Options) error {
	return unsat.Verify(ctx, e.Network, e.Proof)
}

// Trace shows that a network violates a property: moves from the empty network.
type Trace struct {
	Network *spec.Network
	*counterexamples.Trace
}

// Kind returns "trace".
func (e Trace) Kind() string { return "trace" }

// Shown returns the violated property, with the fault and the scenario.
func (e Trace) Shown() Shown {
	s := Shown{Property: e.Property.String(), Verdict: spec.Violated, By: e.Fault.String()}
	if e.Notion != counterexamples.Local {
		s.By += ", " + e.Notion.String()
	}
	if !e.Scenario.Equal(spec.Scenario{}) {
		s.Under = &e.Scenario
	}
	return s
}

// Verify replays the moves with the reference step ([counterexamples.Replay]).
func (e Trace) Verify(ctx context.Context, _ Options) error {
	return counterexamples.Replay(ctx, e.Network, e.Trace)
}

// Cycle shows that the channel dependency graph of a network has a cycle.
type Cycle struct {
	Network *spec.Network
	*answers.Cycle
}

// Kind returns "cycle".
func (e Cycle) Kind() string { return "cycle" }

// Shown returns that the dependency graph is not acyclic.
func (e Cycle) Shown() Shown {
	return Shown{
		Property: answers.Acyclic, Verdict: spec.Violated, By: fmt.Sprintf("cycle of %d dependencies", len(e.Sites)),
	}
}

// Verify checks that each site is reachable and permits the next hop of the cycle ([answers.VerifyCycle]).
func (e Cycle) Verify(context.Context, Options) error { return answers.VerifyCycle(e.Network, e.Cycle) }

// Regions shows that packets stay within regions of a network, or that one does not.
type Regions struct {
	Network *spec.Network
	*answers.RegionSet
}

// Kind returns "regions".
func (e Regions) Kind() string { return "regions" }

// Shown returns that packets stay within the regions or, with a way out, that one does not.
func (e Regions) Shown() Shown {
	if e.Way != nil {
		return Shown{Property: answers.Regions, Verdict: spec.Violated, By: fmt.Sprintf("way of %d hops", len(e.Way)-1)}
	}
	return Shown{
		Property: answers.Regions, Verdict: spec.Holds, By: fmt.Sprintf("%d regions", len(e.RegionSet.Regions)),
	}
}

// Verify checks all hops out of the regions, or those of the way ([answers.VerifyRegions]).
func (e Regions) Verify(context.Context, Options) error {
	return answers.VerifyRegions(e.Network, e.RegionSet)
}

// ChangePlan shows that a change of tables in rounds is free of a fault. Its network has both tables, see [changes.Pair].
type ChangePlan struct {
	Network *spec.Network
	*changes.Plan
}

// Kind returns "change".
func (e ChangePlan) Kind() string { return "change" }

// Shown returns the property of the change, in so many rounds.
func (e ChangePlan) Shown() Shown {
	how := "in any order without waiting"
	if len(e.Rounds) > 1 {
		how = words.Plural(len(e.Rounds), "round") + " that wait until older packets have left"
	}
	return Shown{
		Property: ofChange(e.Property), Verdict: spec.Holds,
		By: fmt.Sprintf("%s; %s; %s", how, e.Manner, e.Plan.Kind()),
	}
}

// Verify checks the certificate of each round ([changes.Verify]).
func (e ChangePlan) Verify(ctx context.Context, opt Options) error {
	return changes.Verify(ctx, e.Network, opt.Plain, e.Plan)
}

// ChangeTrace shows that a change of tables violates a property, unless it waits. Its network has both tables.
type ChangeTrace struct {
	Network *spec.Network
	*changes.Trace
}

// Kind returns "change-trace".
func (e ChangeTrace) Kind() string { return "change-trace" }

// Shown returns the property of the change that the trace violates.
func (e ChangeTrace) Shown() Shown {
	how := "in one order without waiting"
	if e.WhateverOrder() {
		how = "in every order without waiting"
	}
	if len(e.Now) < e.Network.Topology().Nodes() {
		how = fmt.Sprintf("if one round rewrites %s after %d others", words.Plural(len(e.Now), "router"), len(e.Before))
	}
	return Shown{
		Property: ofChange(e.Property()), Verdict: spec.Violated,
		By: fmt.Sprintf("%s; %s; %s", how, e.Manner, e.Fault),
	}
}

// Verify replays moves and rewritings ([changes.Replay]).
func (e ChangeTrace) Verify(context.Context, Options) error {
	return changes.Replay(e.Network, e.Trace)
}

// ChangeBound shows that a change of tables needs so many rounds. Its network has both tables.
type ChangeBound struct {
	Network *spec.Network
	*changes.Bound
}

// Kind returns "change-bound".
func (e ChangeBound) Kind() string { return "change-bound" }

// Shown returns that fewer rounds do not do.
func (e ChangeBound) Shown() Shown {
	return Shown{
		Property: "rounds of the change, at least " + fmt.Sprint(e.Rounds), Verdict: spec.Holds,
		By: fmt.Sprintf("all ways to rewrite routers in fewer; %s; %s", e.Manner, words.Plural(len(e.Traces), "trace")),
	}
}

// Verify replays the traces and follows all changes in fewer rounds ([changes.Bound.Verify]).
func (e ChangeBound) Verify(context.Context, Options) error { return e.Bound.Verify(e.Network) }

// ofChange names a property of a change of tables.
func ofChange(p spec.Property) string { return Freedom(p.String()) + " of the change" }

// Addresses shows where a table of addresses leads. It is self-contained.
type Addresses struct{ *addresses.Table }

// Kind returns "addresses".
func (e Addresses) Kind() string { return "addresses" }

// Shown returns that every address arrives or, with a fault, that one does not.
func (e Addresses) Shown() Shown {
	if e.Leaves() == 0 {
		property, why := e.Why()
		return Shown{Property: property, Verdict: spec.Violated, By: fmt.Sprintf("address %#x at board %d: %s",
			e.Fault.Address, e.Fault.Board, why)}
	}
	return Shown{Property: addresses.Arrive, Verdict: spec.Holds, By: fmt.Sprintf(
		"%d cases of %d boards with %d registers, paths of at most %d cables",
		e.Leaves(), e.Boards, len(e.Registers), e.Most)}
}

// Verify follows every case through the registers ([addresses.Verify]).
func (e Addresses) Verify(context.Context, Options) error {
	return addresses.Verify(e.Table)
}

// covering turns what is shown about an invariant with a Cover, the opposite of the
// property that some state is reached, into what is shown about that property. path is what
// leads to such a state, if something does.
func covering(m states.Machine, s Shown, path string) Shown {
	for _, v := range states.ClaimsOf(m).Invariants {
		if v.Name == s.Property && v.Cover != "" {
			s.Property = v.Cover
			if s.Verdict == spec.Holds {
				s.Verdict, s.By = spec.Violated, "never reached, "+s.By
			} else {
				s.Verdict, s.By = spec.Holds, "reached, "+path
			}
		}
	}
	return s
}

// ClosedSet shows that all reachable states of a machine are safe.
type ClosedSet struct {
	Machine states.Machine
	*machines.ClosedSet
}

// Kind returns "closed-set".
func (e ClosedSet) Kind() string { return "closed-set" }

// Shown returns the property, of all reachable states.
func (e ClosedSet) Shown() Shown {
	return covering(e.Machine, Shown{
		Property: e.Property, Verdict: spec.Holds, By: fmt.Sprintf("closed set of %d states", len(e.States)),
		Under: states.Under(e.Machine),
	}, "")
}

// Verify checks that the initial states are in the set, that no step leaves it, and that no state in it is bad.
func (e ClosedSet) Verify(ctx context.Context, _ Options) error {
	safe, err := machines.Safe(e.Machine, e.Property)
	if err != nil {
		return err
	}
	return machines.VerifyClosed(ctx, e.Machine, safe, e.ClosedSet)
}

// Ranking shows that a machine's response holds.
type Ranking struct {
	Machine states.Machine
	*machines.Ranking
}

// Kind returns "ranking".
func (e Ranking) Kind() string { return "ranking" }

// Shown returns the response.
func (e Ranking) Shown() Shown {
	return Shown{
		Property: e.Property, Verdict: spec.Holds, By: fmt.Sprintf("ranking of %d states", len(e.States)),
		Under: states.Under(e.Machine),
	}
}

// Verify checks in every pending state that no step raises the rank, and that a fair one lowers it.
func (e Ranking) Verify(ctx context.Context, _ Options) error {
	claims := states.ClaimsOf(e.Machine)
	i := slices.IndexFunc(claims.Responses, func(v states.Response) bool { return v.Name == e.Property })
	if i < 0 {
		return fmt.Errorf("the machine has no response %q", e.Property)
	}
	return machines.VerifyRanking(ctx, e.Machine, claims, claims.Responses[i], e.Ranking)
}

// FormulaRanking shows that every fair run of a machine satisfies a formula, or that something is always possible.
type FormulaRanking struct {
	Machine states.Machine
	*machines.FormulaRanking
}

// Kind returns "ranking".
func (e FormulaRanking) Kind() string { return "ranking" }

// Shown returns the formula.
func (e FormulaRanking) Shown() Shown {
	by := fmt.Sprintf("ranking of %d pairs of a state and what is left of the formula", len(e.Pairs))
	if slices.ContainsFunc(states.ClaimsOf(e.Machine).Formulas, func(f states.Formula) bool {
		return f.Possible && f.Name == e.Property
	}) {
		by = fmt.Sprintf("ranking of %s by distance", words.Plural(len(e.Pairs), "state"))
	}
	return Shown{Property: e.Property, Verdict: spec.Holds, By: by}
}

// Verify checks of every pair that no step raises the rank, and that something lowers it ([machines.VerifyFormula]).
func (e FormulaRanking) Verify(ctx context.Context, _ Options) error {
	claims := states.ClaimsOf(e.Machine)
	i := slices.IndexFunc(claims.Formulas, func(f states.Formula) bool { return f.Name == e.Property })
	if i < 0 {
		return fmt.Errorf("the machine has no formula %q", e.Property)
	}
	return machines.VerifyFormula(ctx, e.Machine, claims, claims.Formulas[i], e.FormulaRanking)
}

// Rankings shows that no packet of a network starves: that each response of its
// traffic holds. There is one ranking for each, in their order.
type Rankings struct {
	Machine  states.Machine
	Rankings []*machines.Ranking
}

// Kind returns "ranking".
func (e Rankings) Kind() string { return "ranking" }

// Shown returns starvation freedom.
func (e Rankings) Shown() Shown {
	return Shown{
		Property: starvation, Verdict: spec.Holds, By: "rankings for " + words.Plural(len(e.Rankings), "channel"),
		Under: states.Under(e.Machine),
	}
}

// Verify checks one ranking per channel, in the order of the responses.
func (e Rankings) Verify(ctx context.Context, _ Options) error {
	claims := states.ClaimsOf(e.Machine)
	if len(e.Rankings) != len(claims.Responses) {
		return fmt.Errorf("there are %d rankings for %d channels", len(e.Rankings), len(claims.Responses))
	}
	for i, r := range e.Rankings {
		if err := machines.VerifyRanking(ctx, e.Machine, claims, claims.Responses[i], r); err != nil {
			return err
		}
	}
	return nil
}

// readRanking reads a ranking or, about a network, all of them, one after another.
func (s *Subject) readRanking(file string, text []byte) (Evidence, error) {
	var all Rankings
	for before := 0; len(text) > 0; {
		var rest []byte
		if s.Network != nil {
			_, rest, _ = bytes.Cut(text, []byte("\nend\n"))
		}
		one := text[:len(text)-len(rest)]
		r, err := machines.ReadRanking(file, bytes.NewReader(one))
		var at *spec.PosError
		if errors.As(err, &at) {
			at.Line += before
		}
		if err == nil && s.Network == nil {
			return Ranking{nil, r}, nil
		}
		if err == nil && len(all.Rankings) > 0 && r.Machine != all.Rankings[0].Machine {
			err = fmt.Errorf("%s: the rankings are of several machines", file)
		}
		if err != nil {
			return nil, err
		}
		before += bytes.Count(one, []byte("\n"))
		all.Rankings, text = append(all.Rankings, r), rest
	}
	return all, nil
}

// Run shows that a machine violates a property: steps from an initial state.
type Run struct {
	Machine states.Machine
	*runs.Run
}

// Kind returns "machine-trace".
func (e Run) Kind() string { return "machine-trace" }

// Shown returns the violated property or, of a state to be reached, that it is reached.
func (e Run) Shown() Shown {
	path := fmt.Sprintf("trace of %d steps", len(e.Steps))
	s := Shown{
		Property: e.Property, Verdict: spec.Violated, By: string(e.Fault) + ", " + path, Under: states.Under(e.Machine),
	}
	if _, of := e.Machine.(*states.Traffic); of && e.Fault == runs.Unanswered {
		s.Property, s.By = starvation, fmt.Sprintf("%q %s", s.Property, s.By) // of a network's responses one is enough
	}
	return covering(e.Machine, s, path)
}

// Verify replays the steps from an initial state ([runs.Replay]).
func (e Run) Verify(ctx context.Context, _ Options) error {
	if t, is := e.Machine.(*states.Traffic); is && len(t.Network().Windows()) > 0 {
		return errors.New("a trace does not tell whether nodes have more requests outstanding than declared")
	}
	return runs.Replay(ctx, e.Machine, states.ClaimsOf(e.Machine), e.Run)
}

// Count shows that all reachable states of a machine are safe, once they are visited
// again.
type Count struct {
	Machine states.Machine
	*machines.Count
	last **visit // shared by the counts that were read together; nil: by none
}

// Kind returns "counts".
func (e Count) Kind() string { return "counts" }

// Shown returns the property, of all reachable states.
func (e Count) Shown() Shown {
	return covering(e.Machine, Shown{
		Property: e.Property, Verdict: spec.Holds, By: fmt.Sprintf("%d states visited again", e.States),
		Under: states.Under(e.Machine),
	}, "")
}

// Verify visits all states again if opt.Recount is set; without it the error is an *[UncheckedError].
func (e Count) Verify(ctx context.Context, opt Options) error {
	if _, err := machines.Safe(e.Machine, e.Property); err != nil {
		return err
	}
	if !opt.Recount {
		return e.uncounted("ask for it with --recount")
	}
	if e.last == nil {
		e.last = new(*visit)
	}
	of, v := *e.Count, *e.last
	if of.Property = ""; v == nil || v.of != of {
		v = visitAll(ctx, e.Machine, &of, opt)
		*e.last = v
	}
	if bound := new(spec.BoundError); errors.As(v.err, &bound) {
		return e.uncounted(bound.Error())
	}
	if fault, asked := v.faults[e.Property]; asked {
		return cmp.Or(v.err, fault)
	}
	return fmt.Errorf("no state was checked for %q", e.Property)
}

// UncheckedError says that a check was not made: the evidence is neither verified nor rejected.
type UncheckedError struct {
	Why string // what was not checked, and why, a clause
}

// Error returns Why.
func (e *UncheckedError) Error() string { return e.Why }

// uncounted says that a count was not checked, because it was not asked for or
// because a bound was reached.
func (e Count) uncounted(why string) error {
	return &UncheckedError{fmt.Sprintf("a count of %d states is checked by visiting them again: %s", e.States, why)}
}
