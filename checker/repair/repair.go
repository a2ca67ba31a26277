// Package repair, internal to unknot, frees a network that can deadlock, livelock or strand
// packets, by the least change. A change is made under a [Scheme]; it is proposed only if
// [checker.Check] has found the changed network free, with evidence.
//
// No scheme disconnects a flow, and none adds a channel that its patch does not
// name. Every scheme removes hops after which the destination is out of reach, and does
// not count them: keeping one never pays.
//
// A proposal is least, see [Proposal], among the changes of one scheme that ranks of the
// channels show to be free of deadlock (the certificates rank, escape and extended-escape
// of package proofs) or, where hops need room, certificates of bubbles. A set of worms that is not a deadlock only because they cannot be
// disjoint counts as a deadlock here. Under dateline and layers a proposal is least among
// the changes that leave the dependency graph of each copy acyclic, though adaptive
// routing can be free with a cycle.
package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Propose looks for the least repair of n under each scheme, first under those that search nothing. The others share
// the time until the deadline of ctx. If ctx ends, what was found stands, with the bound known by then, and schemes
// that were not tried say so. Rejected evidence is a *checker.EvidenceError.
func Propose(ctx context.Context, n *spec.Network, opt Options) (*Result, error) {
	known, schemes := SchemesFor(n), opt.Schemes
	if len(schemes) == 0 {
		schemes = known
	}
	for _, s := range schemes {
		if !slices.Contains(Schemes(), s) {
			return nil, fmt.Errorf("invalid scheme %q: want one of %s",
				s, strings.Trim(strings.ReplaceAll(fmt.Sprint(Schemes()), " ", ", "), "[]"))
		}
	}
	for _, s := range schemes {
		single := s == Classes && !n.Discards() && n.Alternatives() == 0 // one class is an answer
		if !single && !slices.Contains(known, s) {
			return nil, refuse(n, s, known)
		}
	}
	asked := checker.Question{Workers: opt.Workers, Explore: checker.Never, Progress: opt.Progress}
	before, err := checker.Check(ctx, n, asked)
	if err != nil {
		return nil, err
	}
	r := &Result{Before: before}
	if before.Verdict() == spec.Holds || n.FlowCount() == 0 || ctx.Err() != nil {
		return r, nil
	}
	if opt.Effort <= 0 {
		opt.Effort = DefaultEffort
	}
	r.Proposals = make([]Proposal, len(schemes))
	for i, at := range searchedLast(schemes) {
		s := schemes[at]
		opt.stage(s, "")
		p := Proposal{Scheme: s, Because: findings.Say(findings.NotTried)}
		if ctx.Err() == nil {
			part, end := share(ctx, len(schemes)-i)
			p, err = (&search{n, s, opt, before}).run(part)
			end()
			if err != nil {
				return nil, fmt.Errorf("untying %s by %s: %w", n.Name(), s, err)
			}
		}
		r.Proposals[at] = p
		if opt.Found != nil {
			if err := opt.Found(before, at, p); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// searchedLast returns the numbers of the schemes in the order in which they are tried: hop-index and escape only
// compute, so that there is a repair at hand while the others search.
func searchedLast(schemes []Scheme) (order []int) {
	for _, computes := range []bool{true, false} {
		for i, s := range schemes {
			if (s == HopIndex || s == Escape) == computes {
				order = append(order, i)
			}
		}
	}
	return order
}

// share returns a context for the first of several searches, with an equal share of the time until the
// deadline, if any.
func share(ctx context.Context, searches int) (context.Context, context.CancelFunc) {
	end, timed := ctx.Deadline()
	if !timed {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(end)/time.Duration(searches))
}

// run searches, and says so if the search ended early.
func (u *search) run(ctx context.Context) (Proposal, error) {
	p, err := u.runScheme(ctx)
	p.Scheme = u.scheme
	if ctx.Err() == nil {
		return p, err
	}
	if p.Verdict == spec.Unknown {
		p.Because = ended(ctx)
		if p.AtLeast > 1 {
			p.Because = p.Because.And(findings.Say(findings.RepairAtLeast{
				Cost: words.Count{N: p.AtLeast, Of: p.Unit},
			}))
		}
	}
	return p, nil
}

// ended says why a search ended early.
func ended(ctx context.Context) words.Sentence {
	var up *routing.BudgetError
	if errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.As(context.Cause(ctx), &up) && up.Time > 0 {
		return findings.Say(findings.UntieTimeOut)
	}
	if up != nil {
		return findings.Say(findings.UntieEnded{By: up})
	}
	return findings.Say(findings.UntieInterrupted)
}

func (u *search) runScheme(ctx context.Context) (Proposal, error) {
	switch u.scheme {
	case Turns, Hops:
		return u.leastForbidden(ctx)
	case Dateline:
		return u.dateline(ctx)
	case HopIndex:
		return u.hopIndex(ctx)
	case Layers:
		return u.layers(ctx)
	case Classes:
		return u.classes(ctx)
	case Bubble:
		return u.bubble(ctx)
	case Escape:
		return u.escape(ctx)
	}
	return u.order(ctx)
}

// Scheme is a kind of change to a network.
type Scheme string

const (
	// Turns forbids turns: from a channel into another, for all packets. A hop after
	// which a packet could no longer go on is removed, too.
	Turns Scheme = "turns"
	// Hops forbids hops: from a channel into another, for packets with one header, in one of the alternatives to which
	// the routing may commit them. An alternative without hops is dropped; one at each source must stay.
	Hops Scheme = "hops"
	// Dateline makes copies of the VCs. A packet begins on the first copy and moves to
	// the next one at certain turns, which cut every cycle of the dependency graph;
	// where it leaves a strongly connected part of the graph it returns to the first
	// copy (Dally and Seitz 1987).
	Dateline Scheme = "dateline"
	// HopIndex makes copies of the VCs. A packet takes copy i on its hop number i
	// (Günther 1981).
	HopIndex Scheme = "hop-index"
	// Layers makes copies of the VCs. A flow, or each alternative to which its packets are committed at the source,
	// keeps to one of them all the way (LASH: Skeie, Lysne and Theiss 2002; DFSSSP: Domke, Hoefler and Nagel 2011).
	Layers Scheme = "layers"
	// Classes gives each message class one set of VCs, which several may share: virtual networks (Dally and Seitz
	// 1987). They need neither be as many as the classes, nor be enough if they are (Li, Oswald et al. 2024).
	Classes Scheme = "classes"
	// Bubble has some turns, injections among them, need room for two packets, so that they leave a place free (Carrión
	// et al. 1997). Channels must have room for two, and packets move as a whole.
	Bubble Scheme = "bubble"
	// Escape adds VCs along a tree. Every packet may enter them anywhere, and then stays
	// on them (Duato 1993).
	Escape Scheme = "escape"
	// Order reroutes everything, on the first VC of each link, by shortest paths without the
	// turns that an order of the channels forbids. The search begins with up*/down*
	// (Schroeder et al. 1991) from each root, breadth first and depth first. No packet is committed or discarded then.
	Order Scheme = "order"
)

// Schemes lists all schemes.
func Schemes() []Scheme {
	return []Scheme{Turns, Hops, Dateline, HopIndex, Layers, Classes, Bubble, Escape, Order}
}

// SchemesFor lists the schemes that may repair a network: without several classes, all but Classes; without room for two
// whole packets in a channel, or with replies, all but Bubble; where the routing
// and the data of replies both choose among alternatives, those that keep all of them; where some packets can only be
// discarded, those that add no way for them to arrive.
func SchemesFor(n *spec.Network) []Scheme {
	both, discarded := n.Alternatives() > 0 && routing.HasReplies(n), onlyDiscarded(n)
	return slices.DeleteFunc(Schemes(), func(s Scheme) bool {
		switch s {
		case Classes:
			return len(n.Classes()) < 2 || n.Discards() || n.Alternatives() > 0 && !both
		case Turns, Hops:
			return both
		case Bubble:
			return n.Capacity() < 2 || routing.HasReplies(n)
		case Escape, Order:
			return both || len(discarded) > 0
		}
		return false
	})
}

// refuse says where a scheme would not keep what a network means by its alternatives or discards.
func refuse(n *spec.Network, s Scheme, known []Scheme) error {
	var names []string
	for _, k := range known {
		names = append(names, string(k))
	}
	want := "want the scheme " + words.OneOf(names)
	if discarded := onlyDiscarded(n); len(discarded) > 0 && (s == Escape || s == Order) {
		problem := fmt.Sprintf("scheme %s would have packets arrive that are always discarded: %s", s, want)
		return relation.Refuse(n, func(at spec.Site, hop spec.Hop) bool {
			return hop.Discards() && discarded[at.Header.Target()]
		}, problem)
	}
	switch {
	case s == Bubble:
		problem := "needs channels that hold two whole packets"
		if n.Capacity() > 1 {
			problem = "does not cover requests and replies"
		}
		return relation.Refuse(n, func(_ spec.Site, hop spec.Hop) bool { return hop.Channel != spec.Eject },
			fmt.Sprintf("scheme %s %s: %s", s, problem, want))
	case s == Classes && n.Discards():
		return relation.RefuseDiscards(n, fmt.Sprintf("scheme %s would not keep the discards: %s", s, want))
	case s == Classes:
		return relation.RefuseAlternatives(n, fmt.Sprintf(
			"scheme %s would not keep the alternatives to which packets are committed (oblivious): %s", s, want))
	case s == Turns || s == Hops:
		return relation.RefuseAlternatives(n, fmt.Sprintf(
			"scheme %s does not tell alternatives of the routing (oblivious) from those that replies choose: %s", s, want))
	}
	return relation.RefuseAlternatives(n, fmt.Sprintf("scheme %s would not keep the replies: %s", s, want))
}

// onlyDiscarded returns the targets to which some flow is discarded whatever happens, on purpose: no repair may have
// its packets arrive. Linear.
func onlyDiscarded(n *spec.Network) map[spec.Target]bool {
	if !n.Discards() {
		return nil
	}
	found, walk := map[spec.Target]bool{}, relation.NewWalk(n)
	for i := range n.Tables() {
		walk.Load(n.Table(i))
		p := walk.Paths()
		leads := func(open func(e int32) bool) []bool { // by flow: it leaves the network so
			p.Open(open)
			var flows []bool
			for v := range p.Sources {
				if !n.ContinuesFlow(p.Table, v) {
					flows = append(flows, false)
				}
				flows[len(flows)-1] = flows[len(flows)-1] || p.Left[v] < graph.Never
			}
			return flows
		}
		leaves := leads(func(int32) bool { return true })
		arrives := leads(func(e int32) bool { return !p.Hop[e].Discards() })
		for k := range leaves {
			if leaves[k] && !arrives[k] {
				found[p.Target] = true
			}
		}
	}
	return found
}

// Options says what to try. The zero value tries every scheme.
type Options struct {
	Schemes  []Scheme // empty: those of SchemesFor
	Workers  int      // goroutines of a decision; 0 means one per core
	Effort   int64    // hops that a scheme's search may examine; 0 means DefaultEffort
	Memory   int64    // bytes for the states of each machine that Compose explores; 0: no bound
	Progress func(routing.Progress)

	// Found is called with what was found of the network as it is, and with each proposal as soon as the search under
	// its scheme has ended; number is its place in [Result.Proposals]. An error of Found ends the search.
	Found func(before *checker.Result, number int, p Proposal) error
}

// stage reports which search is under way, and what it has found.
func (o *Options) stage(s Scheme, found string) {
	if o.Progress != nil {
		o.Progress(routing.Progress{Stage: "scheme " + string(s) + found})
	}
}

// DefaultEffort takes at most some 20 seconds in small networks, most of them much less.
const DefaultEffort = 30_000_000

// Proposal is the result of one scheme.
type Proposal struct {
	Scheme Scheme
	// Verdict is Holds if a repair was found, Violated if the scheme provably has none,
	// and Unknown otherwise.
	Verdict spec.Verdict
	Because words.Sentence // one sentence: what is least and why, or why there is none

	Unit    string // what is counted: "turn", "hop", "VC" or "VC set"
	Cost    int    // units that the repair forbids; copies or sets of the VCs that it needs
	AtLeast int    // no repair under the scheme costs less; Cost is least if equal

	// Least shows that no repair of the network as it is costs less than AtLeast or, if the
	// verdict is Violated, that none exists. It is nil if that is unchecked or follows
	// from Result.Before.
	Least *evidence.Unsatisfiability
	// Sharing shows the same of sets of VCs for message classes.
	Sharing *evidence.Sharing

	Patch   []words.Sentence // the change, one a line
	Network *spec.Network    // nil without a repair
	Check   *checker.Result  // of Network: every property holds, with evidence
}

// Bound returns the evidence that nothing costs less, Least or Sharing, or nil.
func (p *Proposal) Bound() evidence.Evidence {
	switch {
	case p.Least != nil:
		return *p.Least
	case p.Sharing != nil:
		return *p.Sharing
	}
	return nil
}

// Result has the proposals for a network.
type Result struct {
	Before    *checker.Result // of the network as it is
	Proposals []Proposal      // one for each scheme, in the order requested; none if nothing needs mending
}

// Verdict is Holds if no repair is needed or some scheme has one, and Violated if provably
// none has.
func (r *Result) Verdict() spec.Verdict {
	worst := spec.Violated
	for _, p := range r.Proposals {
		if p.Verdict == spec.Holds {
			return spec.Holds
		}
		if p.Verdict == spec.Unknown {
			worst = spec.Unknown
		}
	}
	if len(r.Proposals) == 0 {
		return r.Before.Verdict()
	}
	return worst
}

// search is one search under a scheme.
type search struct {
	n      *spec.Network
	scheme Scheme
	opt    Options
	before *checker.Result // of n
}

// certify completes a proposal with a network if all of the network's properties hold; if not,
// the proposal says so. The error may be that ctx has ended.
func (u *search) certify(ctx context.Context, p Proposal, def routing.Definition) (Proposal, error) {
	def.Name = u.n.Name() + ", untied by " + string(u.scheme)
	def.Expect = nil
	for _, property := range []spec.Property{spec.DeadlockFreedom, spec.LivelockFreedom, spec.Delivery} {
		def.Expect = append(def.Expect, spec.Expectation{
			Property:  property,
			Verdict:   spec.Holds,
			Switching: def.Switching,
		})
	}
	if err := def.Topology.Err(); err != nil {
		return Proposal{Unit: p.Unit, Because: findings.Say(findings.ChangeTooLarge{By: err})}, nil
	}
	n, err := routing.Compile(ctx, def, routing.CompileOptions{Workers: u.opt.Workers})
	if err != nil {
		return Proposal{}, err
	}
	r, err := checker.Check(ctx, n, checker.Question{Workers: u.opt.Workers, Explore: checker.Never})
	if err != nil {
		return Proposal{}, err
	}
	for _, f := range r.Findings {
		if f.Verdict != spec.Holds {
			return Proposal{
				Unit:    p.Unit,
				Because: findings.Say(findings.NotCertified{Because: f.Because}),
			}, ctx.Err()
		}
	}
	if n.FlowCount() != u.n.FlowCount() {
		return Proposal{}, fmt.Errorf("only %d of %d flows are left", n.FlowCount(), u.n.FlowCount())
	}
	p.Verdict, p.Network, p.Check = spec.Holds, n, r
	return p, nil
}
