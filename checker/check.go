package checker

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/refutation"
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

// Check decides a network in a scenario. Its findings are in the order of the
// properties; each names the method that reached it and the assumptions it rests
// on. What is undecided when a budget runs out or ctx ends is unknown; rejected
// evidence is an *EvidenceError.
func Check(ctx context.Context, n *spec.Network, q Question) (*Result, error) {
	c, err := newCheck(ctx, n, q)
	if err != nil {
		return nil, err
	}
	q = c.q
	if c.asked { // and so states will be
		n = routing.Whole(ctx, n)
		c.n = n
	}
	r, err := decide(ctx, n, c.static())
	if err != nil {
		return nil, err
	}
	for i := range r.Findings {
		c.transfer(ctx, &r.Findings[i])
	}
	left := c.left(r)
	if len(left) > 0 && c.traffic == nil {
		if c.traffic, err = states.NewTraffic(routing.Whole(ctx, n), q.Scenario); err != nil {
			return nil, err
		}
	}
	best, enough := c.begin(ctx, r)
	if enough && !q.Always {
		left = slices.DeleteFunc(left, func(name string) bool { return name == deadlock })
	}
	if len(left) > 0 && ctx.Err() == nil {
		how := q.ofMachine(left...)
		within, cancel := c.half(ctx)
		x, err := exploreStates(within, c.traffic, how)
		cancel()
		if err != nil {
			return nil, err
		}
		c.merge(r, x)
	} else if len(left) > 0 {
		c.merge(r, c.unexplored(ctx, left))
	} else if q.Resume != "" && r.Space == nil {
		return nil, &CheckpointError{File: q.Resume, Msg: "cannot be used: the static decision leaves nothing to explore"}
	}
	if err := c.fewest(ctx, r, best); err != nil {
		return nil, err
	}
	place := func(f Finding) int {
		return slices.IndexFunc(c.wanted, func(name string) bool { return name == f.Property || name == deadlock && f.ofSize() })
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return place(a) - place(b) })
	return r, nil
}

// unexplored is the result when ctx leaves no time to explore: nothing is known.
func (c *check) unexplored(ctx context.Context, left []string) *Result {
	x := &Result{}
	for _, property := range left {
		x.Findings = append(x.Findings, Finding{Property: property, Because: stopped(ctx), Assumptions: trafficAssumptions(c.traffic, property)})
	}
	return x
}

// left lists the properties to explore.
func (c *check) left(r *Result) []string {
	var names []string
	open := func(f *Finding) bool { return f != nil && f.Verdict == spec.Unknown }
	weaker := c.q.Notion != Local
	if f := r.Of(deadlock); f != nil && (c.told || c.asked && (!c.stands(f) || c.small() && f.Verdict != spec.Holds) || weaker && f.Verdict != spec.Holds || c.worms && open(f) && c.q.Settle >= 0) {
		names = append(names, deadlock)
	}
	if f := r.Of(delivery); c.wants(delivery) && (!c.plain && open(f) || c.told && len(names) == 0) && !c.q.PartialOrder {
		names = append(names, delivery)
	}
	if c.wants(starvation) {
		names = append(names, starvation)
	}
	return names
}

// merge replaces static findings by what exploring found, where that says more.
func (c *check) merge(r, x *Result) {
	r.Machine, r.Space = x.Machine, x.Space
	for i := range x.Findings {
		switch f, was := &x.Findings[i], r.Of(x.Findings[i].Property); {
		case was == nil:
			r.Findings = append(r.Findings, *f)
		case f.Property == delivery && was.Verdict != spec.Unknown:
		case f.Property == deadlock && f.Verdict == spec.Unknown && c.stands(was):
			was.Assumptions = f.Assumptions
			was.Notes = append(was.Notes, words.Say("exploring did not end: %s", f.Because))
		case f.Property == delivery && f.Verdict == spec.Holds:
			was.Because = was.Because.And("; exploring found no dead end and no packet that leaves elsewhere, but it does not look for packets that never can arrive")
		default:
			*was = *f
		}
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool { return !c.wants(f.Property) && !f.ofSize() })
}

// check is one call of Check.
type check struct {
	n       *spec.Network
	q       Question
	wanted  []string
	traffic *states.Traffic // nil if plain, until something is explored
	plain   bool            // run as the static decision takes it
	worms   bool            // like plain, except for how messages move, which the static decision accepts too
	asked   bool            // to explore where the static decision does not cover the scenario or the size, or told
	told    bool            // to explore, whatever the static decision says
}

func newCheck(ctx context.Context, n *spec.Network, q Question) (*check, error) {
	c := &check{n: n, q: q, wanted: slices.Compact(slices.Clone(q.Properties))}
	if len(c.wanted) == 0 {
		c.wanted = []string{deadlock, livelock, delivery}
		if q.Liveness {
			c.wanted = append(c.wanted, starvation)
		}
	}
	known := []string{deadlock, livelock, delivery, starvation}
	for _, name := range c.wanted {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("invalid property %.60q: want one of %s", name, words.Quoted(known))
		}
	}
	if q.Smallest == FewestMoves && n.Switching() == spec.Wormhole && q.Scenario.Equal(spec.Scenario{}) {
		c.q.Scenario.Length = spec.AnyLength
	}
	sc := c.q.Scenario
	rules, err := n.Traffic(sc)
	if err != nil {
		return nil, err
	}
	c.plain = rules.Scenario().Equal(spec.Scenario{})
	if c.plain { // a bubble of 1 is none
		c.q.Scenario = spec.Scenario{}
	} else if c.traffic, err = states.NewTraffic(routing.Whole(ctx, n), sc); err != nil {
		return nil, err
	}
	rest := sc
	rest.Length, rest.Elastic, rest.Shared = 0, false, false
	c.worms = sc.Flits() && rest.Equal(spec.Scenario{}) && q.Smallest == AnySize
	c.told = q.Always || q.Whole || q.Compact || q.Symmetry || q.PartialOrder || q.Slice
	c.asked = c.told || q.Smallest != AnySize && q.Notion != Local || q.Smallest == FewestMoves || !c.plain && !c.worms
	return c, nil
}

func (c *check) wants(property string) bool { return slices.Contains(c.wanted, property) }

// static returns what the static decision is asked. It settles nothing by
// exploring if states are explored afterwards anyway.
func (c *check) static() tables {
	t := tables{workers: c.q.Workers, progress: c.q.Progress, settle: c.q.Settle, smallest: c.q.Smallest.unit(), explore: c.q.ofMachine(deadlock)}
	if c.worms {
		t.settle, t.scenario = -1, c.q.Scenario
	}
	if c.asked {
		t.settle, t.early = -1, true
	}
	switch {
	case c.q.Scenario.Shared: // sizes are of atomic channels
		t.smallest = refutation.Unbounded
	case c.q.Smallest == FewestMoves:
		t.smallest = refutation.Channels // each takes a move
	}
	for _, name := range c.wanted {
		if p, ok := spec.ParseProperty(name); ok {
			t.properties = append(t.properties, p)
		}
	}
	if len(t.properties) == 0 { // starvation alone
		t.properties = []spec.Property{spec.Delivery}
	}
	return t
}

// transfer makes a static verdict one about the scenario, or unknown. Livelock and
// misdelivery concern single packets, so freedom from them carries over however the
// network is run; a trace must be possible in the scenario. For deadlock see stands.
func (c *check) transfer(ctx context.Context, f *Finding) {
	notion := c.q.Notion
	switch {
	case f.Property != deadlock || c.plain:
	case c.worms:
		f.Assumptions = trafficAssumptions(c.traffic, deadlock)
		if f.Verdict == spec.Holds {
			f.Notes = append(f.Notes, c.wider(f)...)
		}
	case covers(f, c.q.Scenario):
		f.Assumptions = trafficAssumptions(c.traffic, deadlock)
		f.Notes = append(f.Notes, words.Say("holds with and without the scenario (%s)", c.q.Scenario))
	case f.Verdict == spec.Violated && !c.small():
		t := *f.Trace()
		t.Scenario = c.traffic.Scenario().Steps()
		if c.possible(&t) && counterexamples.Replay(ctx, c.n, &t) == nil {
			f.Evidence, f.Assumptions = evidence.Trace{Network: c.n, Trace: &t}, trafficAssumptions(c.traffic, deadlock)
		}
	}
	if f.Property == deadlock && f.Verdict == spec.Holds && notion != Local {
		f.Notes = append(f.Notes, words.Say("no packet is ever stuck, so no %s deadlock is reachable", notion))
	}
	if c.plain || f.Property == deadlock || f.Verdict != spec.Violated {
		return
	}
	t := *f.Trace()
	t.Scenario = c.q.Scenario.Steps()
	if c.possible(&t) && counterexamples.Replay(ctx, c.n, &t) == nil {
		f.Evidence = evidence.Trace{Network: c.n, Trace: &t}
		return
	}
	impossible := words.Say("that trace is not possible here")
	if ctx.Err() != nil {
		impossible = stopped(ctx).And(" while that trace was replayed")
	}
	*f = Finding{
		Property: f.Property, Assumptions: f.Assumptions,
		Because: words.Say("with whole packets and unbounded traffic %s, but %s (%s)", f.Because, impossible, c.q.Scenario),
	}
}

// wider notes where the evidence shows more than that the scenario has no deadlock.
func (c *check) wider(f *Finding) (notes []words.Sentence) {
	sc := c.traffic.Scenario()
	if e, ok := f.Evidence.(evidence.Refutation); sc.Length > 0 && (!ok || e.Under == nil) {
		notes = append(notes, words.Say("shown for messages of any length"))
	}
	if sc.Shared && c.n.Buffer() == 1 {
		notes = append(notes, words.Say("a channel of one flit has no place for a second message, so it is not shared"))
	}
	return notes
}

// possible reports whether the scenario's bounds on traffic permit a trace.
func (c *check) possible(t *counterexamples.Trace) bool {
	if t.Fault == counterexamples.Unrouted {
		return !c.q.Scenario.Bounded()
	}
	s := c.traffic.Empty()
	for _, m := range t.Moves {
		var err error
		if s, err = c.traffic.Step(s, m); err != nil {
			return false
		}
	}
	return true
}

// covers reports whether a static verdict on deadlock, reached without the scenario,
// also holds in it. With atomic channels, what is never stuck with messages of any length
// is not stuck with messages of one length, with less traffic, or with sinks that are
// emptied only now and then. With shared channels or bubbles, only a rank of the channels
// carries over: without new messages, the foremost one in the channel of lowest rank finds
// everything ahead of it empty, again and again until every message has arrived.
// No local deadlock means none of a weaker notion.
func covers(f *Finding, sc spec.Scenario) bool {
	if f.Property != deadlock || f.Verdict != spec.Holds {
		return false
	}
	c, ok := f.Evidence.(evidence.Certificate)
	return !sc.Shared && sc.Bubble <= 1 || ok && c.Certificate.Kind == proofs.Rank
}

// small reports whether a smallest deadlock is asked for.
func (c *check) small() bool { return c.q.Smallest != AnySize }

// stands reports whether a static verdict on deadlock is already one about the scenario: it covers that, or
// its trace is one there.
func (c *check) stands(f *Finding) bool {
	sc := c.q.Scenario
	if !c.plain {
		sc = c.traffic.Scenario()
	}
	return c.worms && f.Verdict == spec.Holds || covers(f, sc) ||
		f.Verdict == spec.Violated && c.q.Notion == Local && f.Trace().Scenario.Equal(sc.Steps()) && (c.plain || c.worms || c.possible(f.Trace()))
}
