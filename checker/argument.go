package checker

import (
	"github.com/seed-105a2da2/unknot/checker/internal/static"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
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
	// AllFairRuns: no fair run of the whole state graph violates it.
	AllFairRuns
)

// arguments have a name, a source unless they are plain, and the form of the sentence, in which the source comes first.
var arguments = [...]struct{ name, source, form string }{
	NoArgument: {name: "none"},
	Replayed:   {name: "replayed trace"},
	AcyclicDependencies: {"acyclic channel dependency graph", "Dally and Seitz 1987",
		"the channel dependency graph is acyclic (%s)"},
	LowerHop: {"hop of lower rank", "Duato 1996",
		"every packet keeps a hop into a channel of lower rank (%s), although the dependency graph has cycles"},
	LowerEscape: {"escape of lower rank", "Duato 1993, 1995",
		"every blocked packet keeps an escape channel of lower rank than every channel it holds (%s)"},
	FreePlaces: {"free places", "Carrión et al. 1997, Puente et al. 2001",
		"bubbles are kept (%s): places stay free in %s of channels, so packets cannot fill those in which they would be stuck"},
	DisjointPackets: {"packets in disjoint channels", "Verbeek and Schmaltz 2011",
		"no packets can block each other, although single channels of them might: packets that hold several channels " +
			"do not share one (%s)"},
	QueuedPackets: {name: "packets in queues", form: "no packets can block each other, " +
		"even if the head of one stands behind another: one packet at a time leads into a channel"},
	NoSmallDeadlock: {"no small deadlock", "Verbeek and Schmaltz 2011",
		"what such packets would hold and wait for is contradictory (%s)"},
	FewTried: {name: "all small sets of packets", form: "all such sets were tried: " +
		"in each, some packet waits for a channel that no packet of the set can hold"},
	LowerRank: {name: "lower rank of the channel", form: "every hop lowers the rank of the packet's channel, " +
		"so no packet makes more than %s"},
	LowerMeasure: {
		name: "lower measure of the site",
		form: "every hop lowers a measure, so no packet makes more than %s",
	},
	AlwaysReachable: {name: "reachable destinations", form: "every flow is routed, " +
		"and the destination is reachable from every site"},
	ReachableOrDiscarded: {name: "reachable destinations or discards", form: "every flow is routed, " +
		"and from every site a packet can arrive or be discarded on purpose"},
	NothingDiscards: {name: "no discard in the tables", form: "no router may discard a packet"},
	AllStates:       {name: "all reachable states", form: "every %s was explored%s"},
	AllOrbits:       {name: "all orbits of states", form: "every %s was explored%s"},
	ReducedStates:   {name: "the reduced state graph", form: "every %s was explored%s"},
	AllFairRuns:     {name: "all fair runs", form: "every fair run of the state graph was considered"},
}

// String names the argument.
func (a Argument) String() string { return arguments[a].name }

// Source names its authors and the year; "" if it is none of the literature.
func (a Argument) Source() string { return arguments[a].source }

// holds makes a finding hold by an argument, about which the facts say more.
func (f *Finding) holds(by Argument, facts ...any) {
	if source := by.Source(); source != "" {
		facts = append([]any{source}, facts...)
	}
	f.Verdict, f.Argument, f.Because = spec.Holds, by, words.Say(arguments[by].form, facts...)
}

// holdsStatically makes a finding hold by the argument behind a static answer.
func (f *Finding) holdsStatically(a *static.Answer) {
	c, certified := a.Evidence.(evidence.Certificate)
	kept, keeps := a.Evidence.(evidence.Bubbles)
	switch {
	case keeps:
		f.holds(FreePlaces, words.Count{N: len(kept.Sets), Of: "set"})
	case !certified && a.Queued:
		f.holds(QueuedPackets)
	case !certified:
		f.holds(DisjointPackets)
	case c.Certificate.Kind == proofs.Rank:
		f.holds(AcyclicDependencies)
	case c.Certificate.Kind == proofs.Escape:
		f.holds(LowerHop)
	case c.Certificate.Kind == proofs.ExtendedEscape:
		f.holds(LowerEscape)
	case c.Certificate.Kind == proofs.NoDiscard:
		f.holds(NothingDiscards)
	case c.Certificate.Kind == proofs.Arrival:
		f.holds(AlwaysReachable)
	case len(c.Certificate.Rank) > 0:
		f.holds(LowerRank, words.Count{N: a.Longest, Of: "hop"})
	default:
		f.holds(LowerMeasure, words.Count{N: a.Longest, Of: "hop"})
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
