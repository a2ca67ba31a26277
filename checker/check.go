package checker

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/static"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// A network in a scenario.
//
// The static decision always runs first. States are explored for what it leaves
// open and for what the scenario asks for: another way of running the network
// than the static argument covers, starvation, or the state space itself. Budgets
// bound either method but choose neither, so no flag makes a verdict disappear:
// when an exploration ends without a verdict, a static one that covers the
// scenario stands.
//
// Each phase is a function of the plan, which says what is asked and does not change, and of what is known so far:
//
//	decide   static.go   what the tables say: livelock, delivery, and deadlock by methods in order, the expensive
//	                     ones of wormhole switching last (package static)
//	settle   settle.go   a deadlock that no argument decides: its candidate is explored
//	carry    here        static verdicts become verdicts in the scenario
//	explore  explore.go  states, for what is open then: safety, its evidence, and liveness (liveness.go)
//	fewest   smallest.go of a deadlock found, a smallest one

// Check decides a network in a scenario. Its findings are in the order of the
// properties; each names the method that reached it and the assumptions it rests
// on. What is undecided when a budget runs out or ctx ends is unknown; rejected
// evidence is an *EvidenceError.
func Check(ctx context.Context, n *spec.Network, q Question) (*Result, error) {
	p, err := newPlan(ctx, n, q)
	if err != nil {
		return nil, err
	}
	if p.asked { // and so states will be
		p.n = routing.Whole(ctx, n)
	}
	r, err := decide(ctx, p.n, p.tables())
	if err != nil {
		return nil, err
	}
	for i, f := range r.Findings {
		r.Findings[i] = carry(ctx, p, f)
	}
	open := openOf(p, r)
	if len(open) > 0 && p.traffic == nil {
		if p.traffic, err = states.NewTraffic(routing.Whole(ctx, p.n), p.q.Scenario); err != nil {
			return nil, err
		}
	}
	best, enough := smallestKnown(ctx, p, r)
	if enough && q.Explore < Always {
		open = slices.DeleteFunc(open, func(name string) bool { return name == deadlock })
	}
	if len(open) > 0 {
		x, err := exploreOpen(ctx, p, open)
		if err != nil {
			return nil, err
		}
		r = merge(p, r, x)
	} else if q.Resume != "" && r.Space == nil {
		return nil, &CheckpointError{
			File: q.Resume,
			Msg:  "cannot be used: the static decision leaves nothing to explore",
		}
	}
	if err := fewest(ctx, p, r, best); err != nil {
		return nil, err
	}
	for i := range r.Findings {
		r.Findings[i].argued()
	}
	place := func(f Finding) int {
		return slices.IndexFunc(p.wanted, func(name string) bool {
			return name == f.Property || name == deadlock && f.ofSize()
		})
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return place(a) - place(b) })
	return r, nil
}

// plan is what is asked of a network, as its phases read it.
type plan struct {
	n       *spec.Network
	q       Question
	wanted  []string        // properties
	traffic *states.Traffic // nil if plain and nothing is to be explored
	plain   bool            // run as the static decision takes it
	worms   bool            // like plain, except for how packets move, which the static decision accepts too
	asked   bool            // to explore where the static decision does not cover the scenario or the size, or told
	told    bool            // to explore, whatever the static decision says
}

func newPlan(ctx context.Context, n *spec.Network, q Question) (*plan, error) {
	p := &plan{n: n, q: q, wanted: slices.Compact(slices.Clone(q.Properties))}
	if q.Explore == Never {
		if err := q.exclusions(); err != nil {
			return nil, err
		}
	}
	if len(p.wanted) == 0 {
		p.wanted = []string{deadlock, livelock, delivery}
		if q.Liveness {
			p.wanted = append(p.wanted, starvation)
		}
		if slices.ContainsFunc(n.Expect(), func(x spec.Expectation) bool { return x.Property == spec.NoDiscard }) {
			p.wanted = append(p.wanted, noDiscard)
		}
	}
	known := []string{deadlock, livelock, delivery, noDiscard, starvation}
	for _, name := range p.wanted {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("invalid property %.60q: want one of %s%s",
				name, words.Quoted(known), words.NowCalled(name, known))
		}
	}
	if q.Smallest == FewestMoves && n.Switching() == spec.Wormhole && q.Scenario.Equal(spec.Scenario{}) {
		p.q.Scenario.Length = spec.AnyLength
	}
	if q.Smallest != AnySize && n.Room() > 1 {
		return nil, &QuestionError{"Smallest", "Network", "a smallest deadlock is not looked for where hops need room for " +
			"several packets"}
	}
	sc := p.q.Scenario
	rules, err := n.Traffic(sc)
	if err != nil {
		return nil, err
	}
	p.plain = rules.Scenario().Equal(spec.Scenario{})
	if p.plain { // a bubble of 1 is none
		p.q.Scenario = spec.Scenario{}
	} else if p.traffic, err = states.NewTraffic(routing.Whole(ctx, n), sc); err != nil {
		return nil, err
	}
	rest := sc
	rest.Length, rest.Elastic, rest.Shared = 0, false, false
	p.worms = sc.Flits() && rest.Equal(spec.Scenario{}) && q.Smallest == AnySize
	p.told = q.Explore >= Always || q.Compact || q.Symmetry || q.PartialOrder || q.Slice
	p.asked = p.told || q.Smallest != AnySize && q.Notion != Local || q.Smallest == FewestMoves || !p.plain && !p.worms
	p.asked = p.asked && q.Explore != Never
	return p, nil
}

// wants reports whether a property is asked for.
func (p *plan) wants(property string) bool { return slices.Contains(p.wanted, property) }

// small reports whether a smallest deadlock is asked for.
func (p *plan) small() bool { return p.q.Smallest != AnySize }

// tables returns what the static decision is asked. It explores nothing that is
// open if states are explored afterwards anyway.
func (p *plan) tables() tables {
	t := tables{
		workers: p.q.Workers, progress: p.q.Progress, open: cmp.Or(p.q.MaxStates, 200_000), smallest: p.q.Smallest.unit(),
		explore: p.q.ofMachine(deadlock),
	}
	if p.worms {
		t.open, t.scenario = 0, p.q.Scenario
	}
	if !p.small() {
		t.bubble = p.q.Scenario.Bubble
	}
	if p.asked {
		t.open, t.early = 0, true
	}
	if p.q.Explore == Never {
		t.open = 0
	}
	switch {
	case p.q.Scenario.Shared: // sizes are of atomic channels
		t.smallest = unsat.Unbounded
	case p.q.Smallest == FewestMoves:
		t.smallest = unsat.Channels // each takes a move
	}
	for _, name := range p.wanted {
		if property, ok := spec.ParseProperty(name); ok {
			t.properties = append(t.properties, property)
		}
	}
	if len(t.properties) == 0 { // starvation alone
		t.properties = []spec.Property{spec.Delivery}
	}
	return t
}

// carry makes a static verdict one about the scenario, or unknown. Livelock and
// misdelivery concern single packets, so freedom from them carries over however the
// network is run; a trace must be possible in the scenario. For deadlock see stands.
func carry(ctx context.Context, p *plan, f Finding) Finding {
	if f.Property == deadlock {
		return carryDeadlock(ctx, p, f)
	}
	if p.plain || f.Verdict != spec.Violated {
		return f
	}
	t := *f.Trace()
	t.Scenario = p.q.Scenario.Steps()
	if f.Property == noDiscard { // of a packet that is sent here
		of, because, err := static.Discarded(ctx, p.n, p.q.Scenario)
		if of == nil && err == nil { // exact: it follows each flow that sends
			f = Finding{Property: f.Property, Assumptions: f.Assumptions, Method: f.Method}
			f.holds(NothingDiscards, findings.NotDiscardedHere)
			f.Evidence = evidence.Certificate{Network: p.n, Certificate: &proofs.Certificate{
				Network: p.n.Digest(), Property: spec.NoDiscard, Switching: p.n.Switching(), Kind: proofs.NoDiscard,
				Once: p.q.Scenario.Once,
			}}
			return f
		}
		if of != nil {
			of.Network = p.n.Digest()
			t, f.Because = *of, because
		}
	}
	if possible(p, &t) && counterexamples.Replay(ctx, p.n, &t) == nil {
		f.Evidence = evidence.Trace{Network: p.n, Trace: &t}
		return f
	}
	but := findings.Say(findings.ImpossibleHere)
	if ctx.Err() != nil {
		but = stopped(ctx).And(findings.Say(findings.InReplay))
	}
	return Finding{
		Property: f.Property, Assumptions: f.Assumptions,
		Because: findings.Say(findings.NotCarried{Because: f.Because, But: but, Under: p.q.Scenario}),
	}
}

// carryDeadlock is carry for deadlock.
func carryDeadlock(ctx context.Context, p *plan, f Finding) Finding {
	switch {
	case p.plain:
	case p.worms:
		f.Assumptions = trafficAssumptions(p.traffic, deadlock)
		if f.Verdict == spec.Holds {
			f.Notes = append(f.Notes, wider(p, f)...)
		}
	case covers(&f, p.q.Scenario):
		f.Assumptions = trafficAssumptions(p.traffic, deadlock)
		if b, ok := f.Evidence.(evidence.Bubbles); ok && b.Bubble > 0 {
			break
		}
		f.Notes = append(f.Notes, findings.Say(findings.WithAndWithout{Scenario: p.q.Scenario}))
	case f.Verdict == spec.Violated && !p.small():
		t := *f.Trace()
		t.Scenario = p.traffic.Scenario().Steps()
		if possible(p, &t) && counterexamples.Replay(ctx, p.n, &t) == nil {
			f.Evidence, f.Assumptions = evidence.Trace{Network: p.n, Trace: &t}, trafficAssumptions(p.traffic, deadlock)
		}
	}
	if f.Verdict == spec.Holds && p.q.Notion != Local {
		f.Notes = append(f.Notes, findings.Say(findings.NoneOfNotion{Notion: p.q.Notion}))
	}
	return f
}

// wider notes where the evidence shows more than that the scenario has no deadlock.
func wider(p *plan, f Finding) (notes []words.Sentence) {
	sc := p.traffic.Scenario()
	if e, ok := f.Evidence.(evidence.Unsatisfiability); sc.Length > 0 && (!ok || e.Under == nil) {
		notes = append(notes, findings.Say(findings.AnyLength))
	}
	if sc.Shared && p.n.Buffer() == 1 {
		notes = append(notes, findings.Say(findings.OneFlit))
	}
	return notes
}

// possible reports whether the scenario's bounds on traffic permit a trace.
func possible(p *plan, t *counterexamples.Trace) bool {
	if t.Fault == counterexamples.Unrouted {
		return !p.q.Scenario.Bounded()
	}
	s := p.traffic.Empty()
	for _, m := range t.Moves {
		var err error
		if s, err = p.traffic.Step(s, m); err != nil {
			return false
		}
	}
	return true
}

// covers reports whether a static verdict on deadlock, reached without the scenario,
// also holds in it. With atomic channels, what is never stuck with messages of any length
// is not stuck with messages of one length, with less traffic, or with sinks that are
// emptied from time to time. With shared channels, only a rank of the channels
// carries over: without new messages, the foremost one in the channel of lowest rank finds
// everything ahead of it empty, again and again until every message has arrived. With bubbles an escape
// does too, as room for any number of packets is in an empty channel; what bubbles show, they show of theirs.
// No local deadlock means none of a weaker notion.
func covers(f *Finding, sc spec.Scenario) bool {
	if f.Property != deadlock || f.Verdict != spec.Holds {
		return false
	}
	switch e := f.Evidence.(type) {
	case evidence.Bubbles:
		return e.Bubble == sc.Bubble
	case evidence.Certificate:
		return !sc.Shared || e.Certificate.Kind == proofs.Rank
	}
	return !sc.Shared && sc.Bubble <= 1
}

// stands reports whether a static verdict on deadlock is already one about the scenario: it covers that, or
// its trace is one there.
func stands(p *plan, f *Finding) bool {
	sc := p.q.Scenario
	if !p.plain {
		sc = p.traffic.Scenario()
	}
	return p.worms && f.Verdict == spec.Holds || covers(f, sc) ||
		f.Verdict == spec.Violated && p.q.Notion == Local && f.Trace().Scenario.Equal(sc.Steps()) &&
			(p.plain || p.worms || possible(p, f.Trace()))
}

// openOf lists the properties to explore.
func openOf(p *plan, r *Result) (names []string) {
	if p.q.Explore == Never {
		return nil
	}
	open := func(f *Finding) bool { return f != nil && f.Verdict == spec.Unknown }
	weaker := p.q.Notion != Local
	if f := r.Of(deadlock); f != nil &&
		(p.told ||
			p.asked && (!stands(p, f) || p.small() && f.Verdict != spec.Holds) ||
			weaker && f.Verdict != spec.Holds ||
			p.worms && open(f)) {
		names = append(names, deadlock)
	}
	if f := r.Of(delivery); p.wants(delivery) && !p.q.PartialOrder &&
		(!p.plain && open(f) || p.told && len(names) == 0) {
		names = append(names, delivery)
	}
	if p.wants(starvation) {
		names = append(names, starvation)
	}
	return names
}

// exploreOpen explores states for what is open; without time, nothing is known of it.
func exploreOpen(ctx context.Context, p *plan, open []string) (*Result, error) {
	if ctx.Err() != nil {
		x := &Result{}
		for _, property := range open {
			x.Findings = append(x.Findings, Finding{
				Property: property, Because: stopped(ctx), Assumptions: trafficAssumptions(p.traffic, property),
			})
		}
		return x, nil
	}
	within, cancel := half(ctx, p)
	defer cancel()
	return exploreStates(within, p.traffic, p.q.ofMachine(open...))
}

// merge replaces static findings by what exploring found, where that says more.
func merge(p *plan, r, x *Result) *Result {
	r.Machine, r.Space = x.Machine, x.Space
	for _, f := range x.Findings {
		switch was := r.Of(f.Property); {
		case was == nil:
			r.Findings = append(r.Findings, f)
		case f.Property == delivery && was.Verdict != spec.Unknown:
		case f.Property == deadlock && f.Verdict == spec.Unknown && stands(p, was):
			was.Assumptions = f.Assumptions
			was.Notes = append(was.Notes, findings.Say(findings.NotEnded{Why: f.Because}))
		case f.Property == delivery && f.Verdict == spec.Holds:
			was.Because = was.Because.And(findings.Say(findings.NoFault))
		default:
			*was = f
		}
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool { return !p.wants(f.Property) && !f.ofSize() })
	return r
}
