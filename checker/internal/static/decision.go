package static

import (
	"context"
	"iter"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/checker/internal/windows"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Options says how to decide.
type Options struct {
	Workers  int                    // at least 1
	Deadlock bool                   // will be asked for: its preparation runs alongside what comes before
	Digested <-chan struct{}        // closed when the network's digest is known; nil: it is computed when needed
	Scenario spec.Scenario          // for wormhole switching: Length, Elastic and Shared; zero: messages of any length
	Bubble   int                    // of the scenario, for whole packets
	Progress func(routing.Progress) // called at intervals, never concurrently; may be nil
	// Where the ranks of channels or distances would do, listed is the number of sites up to which certificates have
	// numbers for each; 0 means 1<<22, which take 16 MiB. Where it is ranks, measured is the number up to which the longest
	// path is found, too; 0 means 1<<28.
	listed, measured int
}

// Decision is a network that is being decided.
type Decision struct {
	n            *spec.Network
	opt          Options
	sc           spec.Scenario // how packets move, with what follows from it filled in
	usage        *relation.Usage
	dependencies *graph.Graph
	ranks        []int32            // of channels, if the dependencies have no cycle; otherwise nil
	survey       *survey            // of single packets; made when first needed
	tails        *relation.HeadTail // prepared if it is to decide deadlock; otherwise nil
}

// survey is what single packets can do, each table by itself: how many hops
// they may still make, and where they can go wrong.
type survey struct {
	// left is indexed by site. In a table without cycles it is the length of the longest path
	// from there, which every hop lowers; in a table with cycles, the length of the
	// shortest path out of the network, or graph.Never.
	left []int32
	// ranks of the channels, lowered by every hop, replace left where that would take much memory; otherwise nil. If both
	// are nil, every hop leads closer to the destination.
	ranks []int32
	// longest is the length of the longest path from a site, without cycles; bounded: it is no more than that.
	longest int32
	bounded bool
	cyclic  []bool // by table: a packet can return to a site
	faults  []fault
	counts  [faultKinds]int
}

const faultKinds = int(counterexamples.Trap) + 1

// fault is the first delivery fault of its kind in a table.
type fault struct {
	kind  counterexamples.Fault
	table int
	site  int // within the table; for Unrouted and at a source, -(index of the source)-1
}

// Answer is the answer for one property.
type Answer struct {
	Verdict  spec.Verdict
	Because  words.Sentence // unless it holds
	Notes    []words.Sentence
	Evidence evidence.Evidence // for the verdict; not verified yet

	Longest   int               // livelock, holds: the most hops that a packet makes
	Bounded   bool              // it makes no more than that
	Queued    bool              // deadlock, holds: also if the head of a packet stands behind another in its channel
	Blocked   *findings.Blocked // deadlock, violated: what blocks each other; then Because says no more
	Candidate []spec.ChannelID  // unknown: channels that may deadlock, ascending
	Open      *Open             // how exploring may settle the candidate; nil: it cannot
}

// Open is a candidate that exploring may decide.
type Open struct {
	Scenario spec.Scenario         // exploring all of its states decides
	Few      iter.Seq[[]spec.Flow] // packets of small stuck sets, which may suffice to show a deadlock; may be nil
}

// New prepares the decision of a network: one pass over its sites.
func New(ctx context.Context, n *spec.Network, opt Options) (*Decision, error) {
	d := &Decision{n: n, opt: opt}
	d.sc = spec.Scenario{Length: opt.Scenario.Length, Elastic: opt.Scenario.Elastic, Shared: opt.Scenario.Shared}
	if n.Switching() == spec.Wormhole {
		if !d.sc.Flits() {
			d.sc.Length = spec.AnyLength
		}
		rules, err := n.Traffic(d.sc)
		if err != nil {
			return nil, err
		}
		d.sc = rules.Scenario()
	}
	d.say(routing.Progress{Stage: "dependencies"})
	var err error
	if d.usage, err = relation.NewUsage(ctx, n, opt.Workers); err != nil {
		return nil, err
	}
	d.dependencies = d.usage.Dependencies()
	if ranks, acyclic := graph.Heights(d.dependencies); acyclic {
		d.ranks = ranks
	}
	return d, nil
}

// Used reports, by channel, whether some packet enters it.
func (d *Decision) Used() []bool { return d.usage.Used }

// Edges returns the number of edges of the channel dependency graph.
func (d *Decision) Edges() int { return len(d.dependencies.To) }

func (d *Decision) say(p routing.Progress) {
	if d.opt.Progress != nil {
		d.opt.Progress(p)
	}
}

// certified is the answer that a certificate gives.
func (d *Decision) certified(c proofs.Certificate) *Answer {
	c.Switching = d.n.Switching()
	return &Answer{Verdict: spec.Holds, Evidence: evidence.Certificate{Network: d.n, Certificate: &c}}
}

// violated is the answer that a trace gives.
func (d *Decision) violated(because words.Sentence, t *counterexamples.Trace) *Answer {
	return &Answer{Verdict: spec.Violated, Because: because, Evidence: evidence.Trace{Network: d.n, Trace: t}}
}

// blocked is the answer that a trace to a deadlock gives.
func (d *Decision) blocked(b findings.Blocked, t *counterexamples.Trace) *Answer {
	a := d.violated(findings.Say(b), t)
	a.Blocked = &b
	return a
}

// replayed takes the moves of a plan with the reference step and returns a trace to what is
// stuck at the end. It returns nil if a move is impossible or nothing is stuck: a failed
// plan leaves the candidate open. The error is the cause of ctx.
func (d *Decision) replayed(ctx context.Context, sc spec.Scenario, moves []spec.Move) (*counterexamples.Trace, error) {
	if moves == nil {
		return nil, nil
	}
	if len(d.n.Windows()) > 0 {
		if moves = windows.Prepared(ctx, d.n, sc, moves); moves == nil {
			return nil, context.Cause(ctx)
		}
	}
	t := &counterexamples.Trace{
		Scenario: sc, Property: spec.DeadlockFreedom, Fault: counterexamples.Deadlock, Moves: moves,
	}
	traffic, end, err := counterexamples.End(ctx, d.n, t)
	if err != nil {
		return nil, context.Cause(ctx)
	}
	if t.Stuck = states.Stuck(traffic, end); len(t.Stuck) == 0 {
		return nil, nil
	}
	return t, nil
}
