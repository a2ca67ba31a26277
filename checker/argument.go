package checker

import (
	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/static"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
)

// Argument is what a verdict rests on: a theorem of the literature, or a search that left nothing out. Of what holds,
// [Finding].Because is made from it and from numbers of that network or machine.
type Argument uint8

const (
	// NoArgument: the verdict is unknown.
	NoArgument Argument = iota
	// Replayed: moves or steps lead to a violation, or to what was to be reached, taken by the reference step.
	Replayed

	// AcyclicDependencies: so deadlock is impossible under every switching.
	AcyclicDependencies
	// LowerHop: each whole packet keeps a hop into a channel of lower rank.
	LowerHop
	// LowerEscape: each blocked packet keeps an escape channel of lower rank than all that it holds.
	LowerEscape
	// FreePlaces: bubbles leave too many places free for packets to be stuck.
	FreePlaces
	// DisjointPackets: packets that share no channel cannot block each other.
	DisjointPackets
	// QueuedPackets: nor can packets whose heads stand behind others.
	QueuedPackets
	// NoSmallDeadlock: what a deadlock of so few packets would hold and wait for is contradictory.
	NoSmallDeadlock
	// FewTried: all sets of so few packets were tried.
	FewTried
	// LowerRank: no livelock, as each hop lowers the rank of the packet's channel.
	LowerRank
	// LowerMeasure: no livelock, as each hop lowers a measure of the packet's site.
	LowerMeasure
	// AlwaysReachable: delivery, as the destination can be reached from every site.
	AlwaysReachable
	// ReachableOrDiscarded: delivery, as from every site the destination can be reached, or a discard on purpose.
	ReachableOrDiscarded
	// NothingDiscards: no packet is discarded, as no router's row permits it.
	NothingDiscards

	// AllStates: none of the reachable states violates the property.
	AllStates
	// AllOrbits: none of the states explored does, one of each orbit under symmetries.
	AllOrbits
	// ReducedStates: none of the states of a slice, or of what stubborn sets leave, does.
	ReducedStates
	// AllRuns: no run of the whole state graph violates it, fair or not.
	AllRuns
	// AllFairRuns: no fair run of the whole state graph violates it.
	AllFairRuns

	// Unnamed: the evidence shows it, by an argument that has no name here yet.
	Unnamed
)

// arguments have a name, and a source unless they are plain.
var arguments = [...]struct{ name, source string }{
	NoArgument:           {name: "none"},
	Replayed:             {name: "replayed trace"},
	AcyclicDependencies:  {"acyclic channel dependency graph", "Dally and Seitz 1987"},
	LowerHop:             {"hop of lower rank", "Duato 1996"},
	LowerEscape:          {"escape of lower rank", "Duato 1993, 1995"},
	FreePlaces:           {"free places", "Carrión et al. 1997, Puente et al. 2001"},
	DisjointPackets:      {"packets in disjoint channels", "Verbeek and Schmaltz 2011"},
	QueuedPackets:        {name: "packets in queues"},
	NoSmallDeadlock:      {"no small deadlock", "Verbeek and Schmaltz 2011"},
	FewTried:             {name: "all small sets of packets"},
	LowerRank:            {name: "lower rank of the channel"},
	LowerMeasure:         {name: "lower measure of the site"},
	AlwaysReachable:      {name: "reachable destinations"},
	ReachableOrDiscarded: {name: "reachable destinations or discards"},
	NothingDiscards:      {name: "no discard in the tables"},
	AllStates:            {name: "all reachable states"},
	AllOrbits:            {name: "all orbits of states"},
	ReducedStates:        {name: "the reduced state graph"},
	AllRuns:              {name: "all runs"},
	AllFairRuns:          {name: "all fair runs"},
	Unnamed:              {name: "unnamed"},
}

// String names the argument.
func (a Argument) String() string { return arguments[a].name }

// Source names its authors and the year; "" if it is not from the literature.
func (a Argument) Source() string { return arguments[a].source }

// holds makes a finding hold by an argument, as why says of this network or machine.
func (f *Finding) holds(by Argument, why findings.Fact) {
	f.Verdict, f.Argument, f.Because = spec.Holds, by, findings.Say(why)
}

// holdsStatically makes a finding hold by the argument behind a static answer.
func (f *Finding) holdsStatically(a *static.Answer) {
	switch e := a.Evidence.(type) {
	case evidence.Certificate:
		f.holdsByNumbers(e.Certificate, a)
	case evidence.Bubbles:
		f.holds(FreePlaces, findings.FreePlaces{Source: FreePlaces.Source(), Sets: len(e.Sets)})
	case evidence.Unsatisfiability:
		if a.Queued {
			f.holds(QueuedPackets, findings.QueuedPackets)
		} else {
			f.holds(DisjointPackets, findings.DisjointPackets{Source: DisjointPackets.Source()})
		}
	default: // rather than the theorem of other evidence
		f.holds(Unnamed, findings.Unnamed)
	}
}

// holdsByNumbers makes a finding hold by the argument behind a certificate, the evidence of a static answer.
func (f *Finding) holdsByNumbers(c *proofs.Certificate, a *static.Answer) {
	switch c.Kind {
	case proofs.Rank:
		f.holds(AcyclicDependencies, findings.AcyclicDependencies{Source: AcyclicDependencies.Source()})
	case proofs.Escape:
		f.holds(LowerHop, findings.LowerHop{Source: LowerHop.Source()})
	case proofs.ExtendedEscape:
		f.holds(LowerEscape, findings.LowerEscape{Source: LowerEscape.Source()})
	case proofs.Measure:
		if len(c.Rank) > 0 {
			f.holds(LowerRank, findings.LowerRank{Hops: a.Longest, Measured: !a.Bounded})
		} else {
			f.holds(LowerMeasure, findings.LowerMeasure{Hops: a.Longest})
		}
	case proofs.Arrival:
		f.holds(AlwaysReachable, findings.AlwaysReachable)
	case proofs.NoDiscard:
		f.holds(NothingDiscards, findings.NothingDiscards)
	default: // rather than the theorem of another kind
		f.holds(Unnamed, findings.Unnamed)
	}
}

// argued completes a finding: what is unknown has no argument, and a trace or run is one of its own.
func (f *Finding) argued() {
	switch f.Evidence.(type) {
	case evidence.Trace, evidence.Run:
		f.Argument = Replayed
	}
	if f.Verdict == spec.Unknown {
		f.Argument = NoArgument
	}
}
