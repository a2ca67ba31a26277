// Package checker decides properties of networks and hands over evidence for
// every answer: certificates in the form of package proofs, traces in the form
// of package counterexamples.
//
// [Decide] reads the tables of a compiled network. For store-and-forward and
// virtual cut-through its deadlock decision is exact up to the question whether a
// stuck set can be reached from the empty network; for wormhole switching it
// climbs the sound steps of a ladder (acyclic dependency graph, head/tail
// fixpoint). What is left it settles by exploring states, as far as a budget
// goes. [Explore] visits the states of a network's traffic under any scenario, or
// of any other machine.
// [Dependencies] and [Extended] give the channel dependency graphs with the
// reason of every edge.
package checker

import (
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
)

// Options says what to decide. The zero value asks for every property on all cores.
type Options struct {
	Properties []spec.Property     // empty: deadlock, livelock, delivery
	Workers    int                 // goroutines; 0 means one per core
	Progress   func(spec.Progress) // called now and then, never concurrently; may be nil
	// Settle is the number of states that may be explored to settle a candidate
	// that no static argument does; 0 means 200,000, less than 0 none.
	Settle int64
}

// Result is the answer to one property with its evidence.
type Result struct {
	Property spec.Property
	Verdict  spec.Verdict
	Because  string // one sentence: the theorem that holds, what the trace shows, or why it is unknown

	Certificate *proofs.Certificate    // with Holds
	Closed      *proofs.ClosedSet      // with Holds, in place of a certificate: all reachable states
	Trace       *counterexamples.Trace // with Violated
	Candidate   []spec.ChannelID       // with Unknown: channels that the decision could not clear, ascending
	Notes       []string               // further findings, a sentence each
}

// Census counts what was decided about.
type Census struct {
	Nodes, Links int
	Channels     int // that some packet uses
	Unused       int // that no packet ever enters
	Flows        int // pairs of source and target
	Sites        int // legal pairs
	Edges        int // of the channel dependency graph
}

// Report is what Decide found.
type Report struct {
	Network     string
	Digest      spec.Digest
	Switching   spec.Switching
	Census      Census
	Assumptions []string // under which the verdicts hold, a sentence each
	Results     []Result // in the order of Options.Properties
}
