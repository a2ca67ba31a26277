// Package change, internal to unknot, decides whether the routing tables of a network may be rewritten from one
// routing to another, router by router, while packets are under way (see package changes for what that means).
//
// Of each round it makes a network, the mixture, which package checker decides as any other: the union of what may be
// in force, whose acyclic dependencies cover everything (as Duato, Lysne, Pang and Pinkston 2005 use them for
// reconfiguration); the last tables, from wherever mixing brings packets, for packets that are looked up again; or the
// tables to which packets are committed, with the free places that hops of both keep. Alternatives to which the routing
// commits packets are sites of their own, as in any network, as many in both tables (pair.go). Where nodes answer
// requests, a packet is a transaction, as in any network with replies; a reply is looked up in the request buffer.
//
// A mixture takes more for possible than time allows: a router cannot go back to its old table. So what a mixture
// leaves open becomes a violation only by a trace of the change itself: packets are placed before and after the
// rewriting of all routers, which shows it for every order (place.go), or found by a bounded search (explore.go). What
// neither settles is unknown.
//
// If a change needs to wait, rounds.go looks for few rounds.
package change

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/changes"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Options says what is asked about a change, and how far the answer is looked for.
type Options struct {
	changes.Manner
	Compile routing.CompileOptions
	States  int  // that each search for a trace may visit; 0: 20,000, less than 0: none
	NoWait  bool // do not look for rounds
}

// Result is what was found out about a change.
type Result struct {
	Pair     *spec.Network // both tables, see changes.Pair
	Manner   changes.Manner
	Differ   int       // routers whose tables differ
	Findings []Finding // deadlock, livelock and delivery without waiting, in any order
	Rounds   *Rounds   // that wait; nil if none are needed, or none were looked for
}

// Verdict is holds if all findings hold, and violated if one is.
func (r *Result) Verdict() spec.Verdict {
	verdict := spec.Holds
	for _, f := range r.Findings {
		switch {
		case f.Verdict == spec.Violated:
			return spec.Violated
		case f.Verdict == spec.Unknown:
			verdict = spec.Unknown
		}
	}
	return verdict
}

// EveryOrder reports whether it is proved that no order of rewriting is safe without waiting.
func (r *Result) EveryOrder() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool {
		t, is := f.Evidence.(evidence.ChangeTrace)
		return is && t.WhateverOrder()
	})
}

// Finding is the answer about one property.
type Finding struct {
	Property spec.Property
	Verdict  spec.Verdict
	Because  words.Sentence
	Notes    []words.Sentence
	// an evidence.ChangePlan or evidence.ChangeTrace, which has been verified; nil if the verdict is unknown
	Evidence evidence.Evidence
}

// properties are those that are decided, in their order.
var properties = [...]spec.Property{spec.DeadlockFreedom, spec.LivelockFreedom, spec.Delivery}

// Decide answers about a change from one routing to another. Errors are *DifferenceError if more differs than the
// routing; those of compiling; or an evidence.FileError if evidence was refused, which is a bug.
func Decide(ctx context.Context, before, after routing.Definition, opt Options) (*Result, error) {
	a, b, err := common(before, after)
	if err != nil {
		return nil, err
	}
	p, err := pairOf(ctx, a, b, opt.Compile)
	if err != nil {
		return nil, err
	}
	u, err := newSearch(p, opt)
	if err != nil {
		return nil, err
	}
	r := &Result{Pair: p.Network(), Manner: opt.Manner, Differ: len(u.differ)}
	all := changes.Round{Now: u.everyone()}
	parts, err := u.decide(ctx, all)
	if err != nil {
		return nil, err
	}
	for i, property := range properties {
		x := parts[i]
		f := Finding{Property: property, Verdict: x.verdict, Because: x.because, Notes: x.notes}
		switch x.verdict {
		case spec.Holds:
			plan := u.plan(property, [][]spec.NodeID{all.Now}, []part{x})
			f.Evidence = evidence.ChangePlan{Network: r.Pair, Plan: plan}
		case spec.Violated:
			f.Evidence = evidence.ChangeTrace{Network: r.Pair, Trace: x.trace}
		}
		if err := verified(ctx, f); err != nil {
			return nil, err
		}
		r.Findings = append(r.Findings, f)
	}
	if r.Verdict() != spec.Holds && !opt.NoWait {
		r.Rounds, err = u.rounds(ctx, r)
	}
	return r, err
}

// search is the work on one change.
type search struct {
	p       *changes.Pair
	opt     Options
	traffic *spec.Traffic
	differ  []spec.NodeID // routers whose tables differ
	half    spec.Class    // of the classes: from there on they are those of new tables
}

func newSearch(p *changes.Pair, opt Options) (*search, error) {
	n := p.Network()
	t, err := n.Traffic(spec.Scenario{})
	if err != nil {
		return nil, err
	}
	u := &search{p: p, opt: opt, traffic: t, half: spec.Class(len(n.Classes()) / 2)}
	u.opt.States = max(0, cmp.Or(opt.States, 20_000))
	u.differ = p.Differing()
	return u, nil
}

// renewed returns the new table for the packets of an old one.
func (u *search) renewed(t *spec.Table) *spec.Table {
	return u.p.Network().TableOf(spec.Target{Dest: t.Dest, Class: t.Class + u.half})
}

func (u *search) everyone() []spec.NodeID {
	all := make([]spec.NodeID, u.p.Network().Topology().Nodes())
	for v := range all {
		all[v] = spec.NodeID(v)
	}
	return all
}

// plan puts the certificates of rounds together.
func (u *search) plan(property spec.Property, turns [][]spec.NodeID, parts []part) *changes.Plan {
	plan := &changes.Plan{Network: u.p.Network().Digest(), Property: property, Manner: u.opt.Manner, Rounds: turns}
	for _, x := range parts {
		plan.Mixtures, plan.Certificates = append(plan.Mixtures, x.mixture), append(plan.Certificates, x.certificate)
	}
	return plan
}

// part is the answer about one property in one round.
type part struct {
	verdict     spec.Verdict
	because     words.Sentence
	notes       []words.Sentence
	mixture     changes.Mixture
	certificate changes.Certificate // if it holds
	trace       *changes.Trace      // if it is violated
}

// verified checks the evidence of a finding, if it has any.
func verified(ctx context.Context, f Finding) error {
	if f.Evidence == nil {
		return nil
	}
	err := f.Evidence.Verify(ctx, evidence.Options{})
	if t, is := f.Evidence.(evidence.ChangeTrace); is && err == nil && t.Property() != f.Property {
		err = fmt.Errorf("the trace is about %s", t.Property())
	}
	if err != nil {
		return &checker.EvidenceError{Name: f.Property.String(), Err: err}
	}
	return nil
}

// round is one whose mixtures are made when first asked about.
type round struct {
	changes.Round
	mix  *changes.Mix
	made [changes.Committed + 1]*spec.Network // by mixture
}

// decide decides a round: deadlock, livelock and delivery.
func (u *search) decide(ctx context.Context, of changes.Round) (parts [len(properties)]part, err error) {
	r := &round{Round: of}
	if r.mix, err = u.p.Mix(ctx, of); err != nil {
		return parts, err
	}
	_, f, err := u.check(ctx, r, changes.Union, spec.DeadlockFreedom)
	if err != nil {
		return parts, err
	}
	if c := certificateOf(f); c != nil && c.Kind == proofs.Rank {
		parts[0] = part{
			verdict: spec.Holds, mixture: changes.Union, certificate: changes.Certificate{Certificate: c},
			because: findings.Say(findings.AcyclicInForce),
		}
		measure := *c // which every hop lowers
		measure.Property, measure.Kind = spec.LivelockFreedom, proofs.Measure
		parts[1] = part{
			verdict: spec.Holds, mixture: changes.Union, certificate: changes.Certificate{Certificate: &measure},
			because: findings.Say(findings.EndsInForce),
		}
		if r.mix.CheckRows(true) == nil {
			parts[2] = part{
				verdict: spec.Holds, mixture: changes.Union, certificate: changes.Certificate{Certificate: &measure},
				because: findings.Say(findings.LeadsInForce),
			}
			return parts, nil
		}
		parts[2], err = u.onePacket(ctx, r, spec.Delivery)
		return parts, err
	}
	if parts[0], err = u.deadlock(ctx, r); err == nil {
		parts[1], err = u.onePacket(ctx, r, spec.LivelockFreedom)
	}
	if err == nil {
		parts[2], err = u.onePacket(ctx, r, spec.Delivery)
	}
	return parts, err
}

// check has the mixture of a round decided.
func (u *search) check(
	ctx context.Context, r *round, m changes.Mixture, property spec.Property,
) (*spec.Network, *checker.Finding, error) {
	if r.made[m] == nil {
		n, err := r.mix.Network(ctx, m)
		if err != nil {
			return nil, nil, err
		}
		r.made[m] = n
	}
	f, err := u.ask(ctx, r.made[m], property)
	return r.made[m], f, err
}

func (u *search) ask(ctx context.Context, n *spec.Network, property spec.Property) (*checker.Finding, error) {
	x, err := checker.Check(ctx, n, checker.Question{
		Properties: []string{property.String()}, Explore: checker.Never,
		Workers: u.opt.Compile.Workers, Progress: u.opt.Compile.Progress,
	})
	if err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return &x.Findings[0], nil
}

// certificateOf returns the certificate of a finding, if it holds by one.
func certificateOf(f *checker.Finding) *proofs.Certificate {
	if c, is := f.Evidence.(evidence.Certificate); is && f.Verdict == spec.Holds {
		return c.Certificate
	}
	return nil
}

// deadlock decides a round whose union of tables has cyclic dependencies.
func (u *search) deadlock(ctx context.Context, r *round) (part, error) {
	whole := u.p.Network().Switching() != spec.Wormhole
	mixture := changes.Committed
	if !u.opt.Committed && !u.opt.Stalls {
		mixture = changes.Final
	}
	n, f, err := u.check(ctx, r, mixture, spec.DeadlockFreedom)
	if err != nil {
		return part{}, err
	}
	if c := certificateOf(f); c != nil && (whole || mixture == changes.Committed && !u.opt.Stalls) {
		x := part{verdict: spec.Holds, mixture: mixture, certificate: changes.Certificate{Certificate: c}}
		x.because = findings.Say(findings.RoomInTheEnd)
		if mixture == changes.Committed {
			x.because = findings.Say(findings.RoomInForce)
		}
		return x, nil
	}
	if u.p.Network().Room() > 1 {
		if x, err := u.bubbles(ctx, r); err != nil || x.verdict != spec.Unknown {
			return x, err
		}
	}
	// messages that fit into a channel are whole packets
	if f.Trace() == nil && !whole || f.Trace() != nil && f.Trace().Scenario.Flits() {
		def := routing.FromNetwork(n)
		def.Switching, def.Buffer = spec.StoreAndForward, 1
		if n, err = routing.Compile(ctx, def, u.opt.Compile); err != nil {
			return part{}, err
		}
		if f, err = u.ask(ctx, n, spec.DeadlockFreedom); err != nil {
			return part{}, err
		}
	}
	t, err := u.blocked(ctx, r.Round, n, f, mixture)
	if t == nil && err == nil {
		x := part{because: findings.Say(findings.Mixed)}
		if u.p.Network().Room() > 1 {
			x.because = x.because.And(findings.Say(findings.NotExcluded))
		}
		return x, nil
	}
	if err != nil {
		return part{}, err
	}
	return violated(t), nil
}

// bubbles decides deadlock where hops keep places free: by those that both tables keep, whichever is in force, or by a
// trace of the last tables alone. It is unknown if neither shows it.
func (u *search) bubbles(ctx context.Context, r *round) (part, error) {
	_, f, err := u.check(ctx, r, changes.Committed, spec.DeadlockFreedom)
	if err != nil {
		return part{}, err
	}
	x := part{verdict: spec.Holds, mixture: changes.Committed}
	x.because = findings.Say(findings.RoomInForce)
	if c := certificateOf(f); c != nil {
		x.certificate.Certificate = c
		return x, nil
	}
	if e, is := f.Evidence.(evidence.Bubbles); is && f.Verdict == spec.Holds {
		x.certificate.Bubbles = e.Certificate
		return x, nil
	}
	ended := &round{Round: changes.Round{Before: slices.Concat(r.Before, r.Now)}}
	if ended.mix, err = u.p.Mix(ctx, ended.Round); err != nil {
		return part{}, err
	}
	if _, f, err = u.check(ctx, ended, changes.Committed, spec.DeadlockFreedom); err != nil || f.Trace() == nil {
		return part{}, err
	}
	steps := rewriting(r.Round)
	for _, m := range f.Trace().Moves {
		steps = append(steps, changes.Step{Move: u.uncommitted(ended.Round, m)})
	}
	t := u.ending(r.Round, steps)
	if t == nil {
		return part{}, nil
	}
	return violated(t), nil
}

// uncommitted returns a move of a round's committed mixture as one of the pair.
func (u *search) uncommitted(r changes.Round, m spec.Move) spec.Move {
	if m.From.IsInjection() { // whose tag is the number of its source
		if slices.Contains(r.Before, u.p.Network().Topology().Head(m.From)) {
			m.Header.Class += u.half
		}
	} else {
		m.Header.Class += u.half * spec.Class(m.Header.Tag%2)
		m.Header.Tag /= 2
	}
	if m.Hop.Channel != spec.Eject {
		m.Hop.Tag /= 2
	}
	return m
}

// rewriting returns steps that rewrite all routers of a round.
func rewriting(r changes.Round) (steps []changes.Step) {
	for _, v := range r.Now {
		steps = append(steps, changes.Step{Rewrites: true, Router: v})
	}
	return steps
}

// violated is the answer that a trace to a deadlock gives.
func violated(t *changes.Trace) part {
	x := part{verdict: spec.Violated, trace: t}
	x.because = findings.Say(findings.Blocked{What: words.Count{N: len(t.Stuck), Of: "packet"}})
	return x
}

// onePacket decides livelock or delivery, which concern one packet.
func (u *search) onePacket(ctx context.Context, r *round, property spec.Property) (part, error) {
	if property == spec.Delivery {
		err := r.mix.CheckRows(u.opt.Committed || u.opt.Stalls)
		if at, is := err.(*changes.RowError); is {
			return u.faulty(r.Round, at), nil
		} else if err != nil {
			return part{}, err
		}
	}
	mixture, ask := changes.Final, property
	if u.opt.Stalls {
		mixture, ask = changes.Union, spec.LivelockFreedom
	}
	n, f, err := u.check(ctx, r, mixture, ask)
	if err != nil {
		return part{}, err
	}
	if c := certificateOf(f); c != nil {
		x := part{verdict: spec.Holds, mixture: mixture, certificate: changes.Certificate{Certificate: c}}
		switch {
		case property == spec.LivelockFreedom && !u.opt.Stalls:
			x.because = findings.Say(findings.EndsInTheEnd)
		case property == spec.LivelockFreedom:
			x.because = findings.Say(findings.EndsInForce)
		case u.opt.Stalls:
			x.because = findings.Say(findings.LeadsInForce)
		default:
			x.because = findings.Say(findings.LeadsInTheEnd)
		}
		if property == spec.LivelockFreedom && !u.opt.Stalls && len(r.Before) == 0 {
			_, mixed, err := u.check(ctx, r, changes.Union, spec.LivelockFreedom)
			if err != nil {
				return part{}, err
			}
			if mixed.Verdict == spec.Violated {
				x.notes = append(x.notes, findings.Say(findings.RoundAtFirst))
			}
		}
		return x, nil
	}
	if t := u.single(r.Round, n, f, property); t != nil {
		return part{verdict: spec.Violated, trace: t, because: becauses[t.Fault]}, nil
	}
	if property == spec.LivelockFreedom {
		return part{because: findings.Say(findings.MovesForever)}, nil
	}
	return part{because: findings.Say(findings.GoesAstray)}, nil
}

// becauses says what a trace of one packet shows.
var becauses = map[changes.Fault]words.Sentence{
	changes.Loop:        findings.Say(findings.GoesRound),
	changes.DeadEnd:     findings.Say(findings.NoHop),
	changes.Misdelivery: findings.Say(findings.WrongNode),
	changes.Trap:        findings.Say(findings.NoWay),
}
