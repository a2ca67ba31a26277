package checker

import (
	"context"
	"slices"

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
