// Package checker decides properties of networks and of other machines, and hands over evidence for every answer:
// certificates in the form of package proofs, traces in the form of package counterexamples.
//
// A [Question] says what is asked. [Check] answers it about a network: first from its routing tables, then, for
// what that leaves open or what the scenario asks for, by exploring states. [Explore] answers it about any
// machine, by exploring. Both return one [Result], with a [Finding] for each property.
//
// For store-and-forward and virtual cut-through the static decision of deadlock is
// exact, except for whether a stuck set can be reached from the empty network;
// for wormhole switching it tries sound methods in order (acyclic
// dependency graph, head/tail fixpoint, exact search for worms).
//
// To read it, start with question.go and result.go, what goes in and what comes out, and argument.go, what verdicts
// rest on. Check in check.go lists the phases in order, and each phase has its file: static.go, settle.go, explore.go
// with evidence.go, space.go and liveness.go, smallest.go. A phase is a function; what it needs is passed to it. What
// verdicts assume is in assumptions.go, and what other computers do in package cluster. The algorithms are
// packages of checker/internal: static, walk, liveness, symmetry and others. They know nothing of findings.
package checker

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/seed-105a2da2/unknot/checker/cluster"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// What may be asked: which properties, and how they are decided.

// Names of properties. Machines name their own, except deadlock.
const (
	deadlock   = "deadlock-freedom"
	livelock   = "livelock-freedom"
	delivery   = "delivery"
	noDiscard  = "no-discard"
	starvation = "starvation-freedom" // a network's one response: every first packet moves on
)

// Properties lists the properties that exploring a machine can decide: deadlock freedom, delivery and starvation
// freedom for a network's traffic; deadlock freedom and the invariants, responses and formulas that it claims for any other
// machine.
func Properties(m states.Machine) []string {
	if _, ok := m.(*states.Traffic); ok {
		return []string{deadlock, delivery, starvation}
	}
	names := []string{deadlock}
	claims := states.ClaimsOf(m)
	for _, v := range claims.Invariants {
		names = append(names, cmp.Or(v.Cover, v.Name))
	}
	for _, v := range claims.Responses {
		names = append(names, v.Name)
	}
	for _, f := range claims.Formulas {
		names = append(names, f.Name)
	}
	return names
}

// Notion says which states of a network count as a deadlock. In each, some packet is
// stuck (states.Traffic.Stuck); a packet at a dead end is not stuck, and one that waits
// only for it is not, either. Global implies weak, and weak local.
type Notion = counterexamples.Notion

const (
	// Local: some packet is stuck.
	Local = counterexamples.Local
	// Weak: some packet is stuck, and nothing in flight can move.
	Weak = counterexamples.Weak
	// Global: some packet is stuck, and nothing can move, not even an injection.
	Global = counterexamples.Global
)

// ParseNotion reads the name of a [Notion], such as "weak".
func ParseNotion(s string) (Notion, bool) {
	for _, x := range []Notion{Local, Weak, Global} {
		if s == x.String() {
			return x, true
		}
	}
	return 0, false
}

// Exploration says whether the states of a network are explored, and how far. The zero value is [Auto].
type Exploration uint8

const (
	// Auto explores what the tables leave open, and what other fields ask for that only exploring answers.
	// It ends when every property is violated or, at 100,000 states, when one is.
	Auto Exploration = iota
	// Never decides from the tables alone. What they leave open is unknown.
	Never
	// Always explores even if the tables leave nothing open. It ends as Auto does.
	Always
	// Whole is Always, past all violations: all states are explored.
	Whole
)

// Explorations lists the words for the values of [Exploration], in their order.
func Explorations() []string { return []string{"auto", "never", "always", "whole"} }

// String returns the word for x, one of [Explorations].
func (x Exploration) String() string { return Explorations()[x] }

// Question says what is asked about a network or a machine, and within which bounds an answer is looked for.
// The zero value asks everything about a network that its tables can answer (deadlock freedom, livelock freedom,
// delivery), or everything but responses about a machine, on all cores.
//
// Some fields exclude others, or do not fit what is asked about: see [QuestionError].
//
// Fields may be added, so literals name them, and the zero value of a new field asks what was asked without it.
// The following questions are foreseen, and this is where they belong:
//
//   - Change from one table to another. Check is given the network as it is to be; a field names the one that
//     it replaces, of the same topology, and says whether a waiting packet is looked up again or stays committed, and
//     whether the rewriting may stall. The zero value is no change. The properties are the same, now of every
//     mixture of both tables.
//   - Linear temporal logic. A formula is a claim of the machine, as an invariant is (states.ClaimsOf), under the
//     fairness that the machine states. Properties names it, or Liveness includes it, and what excludes Liveness
//     excludes it. The same goes for a state that is to be reachable from everywhere (AG EF).
//   - A protocol over a network. The two make a machine, with the scenario of the network in it, before anything
//     is asked (star.Routes); Explore answers about its properties. Which VCs the protocol needs is a question about
//     many such machines, so one for package repair (repair.Compose).
type Question struct {
	// Properties names those to decide. Of a network: deadlock-freedom, livelock-freedom, delivery, no-discard and
	// starvation-freedom; of a machine see [Properties], where the name that a file declares stands for all of its keys.
	// Empty: all, but starvation freedom and responses only with Liveness, and no-discard only of a network whose author
	// expects something of it. An unknown name is an error.
	Properties []string
	// Liveness decides starvation, or a machine's responses, too; it needs the whole space.
	Liveness bool
	// Scenario is how a network is run. Zero: whole packets or, with wormhole switching, packets of any length.
	Scenario spec.Scenario
	// Notion says what counts as a deadlock of a network.
	Notion Notion
	// Smallest also asks, if a network can deadlock, for a smallest deadlock.
	Smallest Size
	// Coverage counts the steps of each rule of a program, and how often the conditions of a
	// file's rules hold and refuse, if all states of the program are explored.
	Coverage bool

	// Explore says whether a network's states are explored, and how far. A machine's always are.
	Explore Exploration
	// Symmetry explores one state of each orbit: under the network's automorphisms
	// that commute with its relation, or under the symmetries that a machine names
	// (by Symmetries() []func(dst, s []uint64) []uint64). Both are checked, see package
	// symmetry. It goes with Liveness for programs: responses stay unknown unless the rules show the symmetries, as fair
	// actions are followed through them (Emerson and Sistla 1997), and Closed bounds the states of all orbits together.
	Symmetry bool
	// NoSample uses Symmetry and PartialOrder as asked. Otherwise the first levels of the state graph decide whether
	// they pay, and where they do not, all states are explored. PartialOrder of a network always pays.
	NoSample bool
	// PartialOrder skips orders of steps that make no difference: in a network, to deadlock,
	// as a packet that can only leave does so at once; in a program, to deadlock and
	// invariants, by stubborn sets.
	PartialOrder bool
	// Slice leaves out the variables and rules of a program on which no property asked for
	// depends.
	Slice bool
	// Compact keeps a 64-bit hash in place of each state. What holds then is only
	// likely, so the verdict is unknown.
	Compact bool

	Workers int   // goroutines; 0: one per core
	Memory  int64 // bytes for the states, their tables and buffers, and with Liveness their graph; 0: no bound
	// MaxStates may be explored. 0: 200,000 for a candidate that no static argument decides, and otherwise no bound.
	MaxStates int64
	// Closed is the number of states up to which the reachable set itself is
	// kept as evidence and verified step by step; 0: 10,000, less than 0: none.
	Closed int

	// Save is the file for checkpoints; "": Resume's file, or none without Resume.
	// It is tried before anything is explored.
	Save   string
	Every  time.Duration // between checkpoints; 0: saves only when interrupted
	Resume string        // checkpoint to continue from: one of the same machine and question
	Saves  sync.Locker   // held during each save: another holder cannot cut a save short; may be nil
	// Disk is a folder that holds the states, sorted, instead of memory; "" for none.
	// It is empty or missing, or holds what an interrupted exploration of the same machine and
	// question left there: that exploration continues. It saves its own progress (see Every).
	Disk string
	// Cluster explores a network's traffic or a program on other computers; nil: here. It saves
	// its progress after each level, and takes no memory bound.
	// Its files are read here, by Workers, for the evidence.
	Cluster *cluster.Engine

	// Progress and Exploring are told how far deciding and exploring have come, never concurrently; they may be nil.
	Progress  func(routing.Progress)
	Exploring func(states.Progress)
}

// Size selects what to minimise in a deadlock. If a lower bound on packets or channels is proved, it is a separate
// finding with evidence, after the one about deadlock.
type Size uint8

const (
	// AnySize asks for no smallest deadlock.
	AnySize Size = iota
	// FewestPackets: packets that are deadlocked.
	FewestPackets
	// FewestChannels: channels that packets hold.
	FewestChannels
	// FewestMoves: moves that lead to it. States are explored for it; with wormhole switching and no
	// scenario, packets are of any length, as they are for the static decision. If the search is cut short,
	// the shortest trace known and a lower bound on the moves are kept.
	FewestMoves
)

// ofMachine is what is asked of a network's states: some of the properties, in the scenario of that machine.
func (q Question) ofMachine(properties ...string) Question {
	q.Properties, q.Scenario, q.Smallest = properties, spec.Scenario{}, AnySize
	return q
}

// unit is what an unsatisfiability proof counts for a size: nothing for moves.
func (s Size) unit() unsat.Unit {
	return [...]unsat.Unit{
		FewestPackets:  unsat.Packets,
		FewestChannels: unsat.Channels,
		FewestMoves:    unsat.Unbounded,
	}[s]
}

// QuestionError says which fields of a [Question] exclude each other, or which one does not fit what is asked about.
type QuestionError struct {
	Field, Other string // names of the fields; Other may be ""
	Why          string // a sentence without a full stop
}

// Error returns Why.
func (e *QuestionError) Error() string { return e.Why }

// exclusions refuses fields that exclude each other.
func (q *Question) exclusions() error {
	live, compact := named("Liveness", q.Liveness), named("Compact", q.Compact)
	symmetric, partial := named("Symmetry", q.Symmetry), named("PartialOrder", q.PartialOrder)
	slice, covered := named("Slice", q.Slice), named("Coverage", q.Coverage)
	folder, cluster := named("Disk", q.Disk != ""), named("Cluster", q.Cluster != nil)
	saved := cmp.Or(named("Save", q.Save != ""), named("Resume", q.Resume != ""))
	explored := cmp.Or(live, compact, symmetric, partial, slice, covered, folder, cluster, saved,
		named("Smallest", q.Smallest == FewestMoves), named("Properties", slices.Contains(q.Properties, starvation)))
	for _, x := range []struct{ field, other, why string }{
		{explored, named("Explore", q.Explore == Never), "only an exploration answers this, and none is allowed"},
		{live, compact, "liveness needs exact states, because a cycle of hashes need not be a cycle of states"},
		{live, partial, "liveness needs every order of steps, because partial-order reduction can put off forever " +
			"a step that fairness requires, or an answer"},
		{live, slice, "liveness needs all rules and variables, because a fair run also has the steps that a slice " +
			"omits, and a ranking is about whole states"},
		{covered, cmp.Or(partial, slice), "coverage counts all reachable states, and a reduction omits some"},
		{folder, cmp.Or(live, compact), "liveness and compact storage need the states in memory, not " +
			"on disk"},
		{cluster, cmp.Or(live, compact, symmetric, partial, slice, folder), "a cluster explores all states in its own " +
			"files, without reductions, liveness or a folder"},
		{partial, symmetric, "symmetry and partial-order reduction cannot be combined"},
		{slice, symmetric, "symmetry reduction and slicing cannot be combined"},
		{cmp.Or(folder, cluster), saved, "an exploration on disk saves its own progress, so it needs no checkpoint"},
	} {
		if x.field != "" && x.other != "" {
			return &QuestionError{x.field, x.other, x.why}
		}
	}
	if q.Cluster != nil && q.Cluster.Shards < 1 {
		why := fmt.Sprintf("invalid number of shards %d: want at least 1", q.Cluster.Shards)
		return &QuestionError{"Cluster", "", why}
	}
	return nil
}

// named returns the name of a field that is set, or "".
func named(field string, set bool) string {
	if set {
		return field
	}
	return ""
}

// CheckpointError says why a checkpoint cannot be used or written.
type CheckpointError struct {
	File string // its name, or that of the folder of Question.Disk
	Msg  string // what is wrong, after the name: "is for another machine"
}

// Error names the file and what is wrong with it.
func (e *CheckpointError) Error() string { return "checkpoint " + e.File + " " + e.Msg }
