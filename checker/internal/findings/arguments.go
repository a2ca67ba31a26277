package findings

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Why a property holds.

const (
	// QueuedPackets and the others are arguments without a source, of which no number says more.
	QueuedPackets kind = "queued-packets: no packets can block each other, even if the head of one stands behind " +
		"another: one packet at a time leads into a channel"
	FewTried kind = "few-tried: all such sets were tried: in each, some packet waits for a channel that no packet " +
		"of the set can hold"

	AlwaysReachable kind = "always-reachable: every flow is routed, and the destination is reachable from " +
		"every site"
	ReachableOrDiscarded kind = "reachable-or-discarded: every flow is routed, and from every site a packet can " +
		"arrive or be discarded on purpose"
	NothingDiscards kind = "nothing-discards: no router may discard a packet"
	AllRuns         kind = "all-runs: every run of the state graph was considered"
	AllFairRuns     kind = "all-fair-runs: every fair run of the state graph was considered"
	Unnamed         kind = "unnamed: the evidence shows it, by an argument that has no name yet"
	AlwaysPossible  kind = "always-possible: it can be reached from every reachable state"
)

// AcyclicDependencies is the argument of that name, as the others are; Source is who proved the theorem.
type AcyclicDependencies struct {
	said
	Source string
}

func (a AcyclicDependencies) String() string {
	return fmt.Sprintf("the channel dependency graph is acyclic (%s)", a.Source)
}

// LowerHop is an argument.
type LowerHop struct {
	said
	Source string
}

func (l LowerHop) String() string {
	return fmt.Sprintf("every packet keeps a hop into a channel of lower rank (%s), although the dependency graph has "+
		"cycles", l.Source)
}

// LowerEscape is an argument.
type LowerEscape struct {
	said
	Source string
}

func (l LowerEscape) String() string {
	return fmt.Sprintf("every blocked packet keeps an escape channel of lower rank than every channel it holds (%s)",
		l.Source)
}

// FreePlaces is an argument.
type FreePlaces struct {
	said
	Source string
	Sets   int // of channels
}

func (f FreePlaces) String() string {
	return fmt.Sprintf("bubbles are kept (%s): places stay free in %s of channels, so packets cannot fill those in which "+
		"they would be stuck", f.Source, words.Plural(f.Sets, "set"))
}

// DisjointPackets is an argument.
type DisjointPackets struct {
	said
	Source string
}

func (n DisjointPackets) String() string {
	return fmt.Sprintf("no packets can block each other, although single channels of them might: packets that hold "+
		"several channels do not share one (%s)", n.Source)
}

// NoSmallDeadlock is an argument.
type NoSmallDeadlock struct {
	said
	Source string
}

func (n NoSmallDeadlock) String() string {
	return fmt.Sprintf("what such packets would hold and wait for is contradictory (%s)", n.Source)
}

// LowerRank is an argument.
type LowerRank struct {
	said
	Hops     int  // that a packet makes, at most
	Measured bool // some packet may make as many, which the ranks do not tell
}

func (l LowerRank) String() string {
	follows := "so"
	if l.Measured {
		follows = "and"
	}
	return fmt.Sprintf("every hop lowers the rank of the packet's channel, %s no packet makes more than %s",
		follows, words.Plural(l.Hops, "hop"))
}

// LowerMeasure is an argument.
type LowerMeasure struct {
	said
	Hops int // that a packet makes, at most
}

func (l LowerMeasure) String() string {
	return fmt.Sprintf("every hop lowers a measure, so no packet makes more than %s", words.Plural(l.Hops, "hop"))
}
