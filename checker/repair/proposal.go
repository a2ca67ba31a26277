package repair

import (
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Scheme is a kind of change to a network.
type Scheme string

const (
	// Turns forbids turns: from a channel into another, for all packets. A hop after
	// which a packet could no longer go on is removed, too.
	Turns Scheme = "turns"
	// Hops forbids hops: from a channel into another, for packets with one header.
	Hops Scheme = "hops"
	// Dateline makes copies of the VCs. A packet begins on the first copy and moves to
	// the next one at certain turns, which cut every cycle of the dependency graph;
	// where it leaves a strongly connected part of the graph it returns to the first
	// copy (Dally and Seitz 1987).
	Dateline Scheme = "dateline"
	// HopIndex makes copies of the VCs. A packet takes copy i on its hop number i
	// (Günther 1981).
	HopIndex Scheme = "hop-index"
	// Layers makes copies of the VCs. A flow keeps to one of them all the way (LASH:
	// Skeie, Lysne and Theiss 2002; DFSSSP: Domke, Hoefler and Nagel 2011).
	Layers Scheme = "layers"
	// Escape adds VCs along a tree. Every packet may enter them anywhere, and then stays
	// on them (Duato 1993).
	Escape Scheme = "escape"
	// Order reroutes everything, on the first VC of each link, by shortest paths without the
	// turns that an order of the channels forbids. The search begins with up*/down*
	// (Schroeder et al. 1991) from each root, breadth first and depth first.
	Order Scheme = "order"
)

// Schemes lists all schemes.
func Schemes() []Scheme {
	return []Scheme{Turns, Hops, Dateline, HopIndex, Layers, Escape, Order}
}

// Options says what to try. The zero value tries every scheme.
type Options struct {
	Schemes  []Scheme // empty: all
	Workers  int      // goroutines of a decision; 0 means one per core
	Effort   int64    // hops that a scheme's search may examine; 0 means DefaultEffort
	Progress func(routing.Progress)
}

// DefaultEffort takes at most some 20 seconds in small networks, most of them much less.
const DefaultEffort = 30_000_000

// Proposal is the result of one scheme.
type Proposal struct {
	Scheme Scheme
	// Verdict is Holds if a repair was found, Violated if the scheme provably has none,
	// and Unknown otherwise.
	Verdict spec.Verdict
	Because string // one sentence: what is least and why, or why there is none

	Unit    string // what is counted: "turn", "hop" or "VC"
	Cost    int    // units that the repair forbids; copies of the VCs that it needs
	AtLeast int    // no repair under the scheme costs less; Cost is least if equal

	// Least shows that no repair of the network as it is costs less than AtLeast or, if the
	// verdict is Violated, that none exists. It is nil if that is not machine-checked or follows
	// from Result.Before.
	Least *evidence.Refutation

	Patch   []string        // the change in sentences, one a line
	Network *spec.Network   // nil without a repair
	Check   *checker.Result // of Network: every property holds, with evidence
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

// untying is one search under a scheme.
type untying struct {
	n      *spec.Network
	scheme Scheme
	opt    Options
}

// certified completes a proposal with a network if all of the network's properties hold; if not,
// the proposal says so. The error may be that ctx has ended.
func (u *untying) certified(ctx context.Context, p Proposal, def routing.Definition) (Proposal, error) {
	def.Name = u.n.Name() + ", untied by " + string(u.scheme)
	def.Expect = nil
	for _, property := range []spec.Property{spec.Deadlock, spec.Livelock, spec.Delivery} {
		def.Expect = append(def.Expect, spec.Expectation{Property: property, Verdict: spec.Holds, Switching: def.Switching})
	}
	if err := def.Topology.Err(); err != nil {
		return Proposal{Unit: p.Unit, Because: fmt.Sprintf("the change is too large: %v", err)}, nil
	}
	n, err := routing.Compile(ctx, def, routing.CompileOptions{Workers: u.opt.Workers})
	if err != nil {
		return Proposal{}, err
	}
	r, err := checker.Decide(ctx, n, checker.Options{Workers: u.opt.Workers, Settle: -1})
	if err != nil {
		return Proposal{}, err
	}
	for _, f := range r.Findings {
		if f.Verdict != spec.Holds {
			return Proposal{Unit: p.Unit, Because: "a change was found, but not certified: " + f.Because}, ctx.Err()
		}
	}
	if n.FlowCount() != u.n.FlowCount() {
		return Proposal{}, fmt.Errorf("only %d of %d flows are left", n.FlowCount(), u.n.FlowCount())
	}
	p.Verdict, p.Network, p.Check = spec.Holds, n, r
	return p, nil
}
