package checker

import (
	"cmp"
	"context"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/refutation"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// What may be asked: which properties, and how they are decided.

// Names of properties. Machines name their own, except deadlock.
const (
	deadlock   = "deadlock"
	livelock   = "livelock"
	delivery   = "delivery"
	starvation = "starvation" // a network's one response: every first packet moves on
)

// Properties lists what exploring a machine can decide: deadlock, delivery and starvation
// for a network's traffic; deadlock and the invariants and responses that it claims for
// any other machine.
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

// ParseNotion reads what [Notion.String] writes.
func ParseNotion(s string) (Notion, bool) {
	for _, x := range []Notion{Local, Weak, Global} {
		if s == x.String() {
			return x, true
		}
	}
	return 0, false
}

var notionWords = [...]string{
	Local:  "some packet can never move again (local)",
	Weak:   "some packet can never move again, and no packet in flight can move now (weak)",
	Global: "some packet can never move again, and nothing can move now, not even an injection (global)",
}

// CheckOptions says what to decide about a network and how the network is run. The
// zero value asks for deadlock, livelock and delivery, as [Decide] does.
type CheckOptions struct {
	// Properties are deadlock, livelock, delivery and starvation; empty: the first
	// three, and starvation with Explore.Liveness.
	Properties []string
	Scenario   spec.Scenario
	Always     bool                   // explore although nothing is left open
	Settle     int64                  // see [Options]
	Progress   func(routing.Progress) // of the static decision; see [Options]
	Smallest   refutation.Unit        // see [Options]
	// Shortest also explores for a deadlock after the fewest moves; with wormhole switching and no
	// scenario, messages are of any length, as they are for the static decision. If the search is cut short,
	// the shortest trace known and a lower bound on the moves are kept.
	Shortest bool
	// Explore says how states are explored, within which budgets, and what counts
	// as a deadlock. Its Properties are ignored.
	Explore ExploreOptions
}

// Options says what to decide. The zero value asks for every property on all cores.
type Options struct {
	Properties []spec.Property        // empty: deadlock, livelock, delivery
	Workers    int                    // goroutines; 0 means one per core
	Progress   func(routing.Progress) // called now and then, never concurrently; may be nil
	// Settle is the number of states that may be explored to settle a candidate
	// that no static argument settles; 0 means 200,000, less than 0 none.
	Settle int64
	// Scenario says how messages move with wormhole switching: the verdict on deadlock is for its
	// Length, Elastic and Shared. Zero: messages of any length.
	Scenario spec.Scenario
	// Smallest asks, if the network can deadlock, for a deadlock that holds the fewest
	// messages or channels, and for evidence that no fewer suffice: a finding of
	// its own, after that of deadlock.
	Smallest refutation.Unit
	early    bool // states are explored afterwards: leave time for that
	// Explore has the budgets of that exploration and says what it keeps. Its properties,
	// notion and reductions apply to [Explore] only.
	Explore ExploreOptions
}

// ExploreOptions says how to explore a machine. The zero value explores it exactly, on
// all cores and without bounds, until every property is violated; once one is, it
// stops at 100,000 states.
type ExploreOptions struct {
	Workers   int   // goroutines; 0 means one per core
	Memory    int64 // bytes for the states, their tables and buffers, and with Liveness their graph; 0: no bound
	MaxStates int64 // 0: no bound
	Notion    Notion
	Whole     bool // continue whatever has been found
	Liveness  bool // decide the machine's responses, too; needs the whole space
	// Properties names those to decide (see [Properties]); nil: all, but
	// responses only with Liveness. An unknown name is an error.
	Properties []string
	// Compact keeps a 64-bit hash in place of each state. What holds then is only
	// likely, so the verdict is unknown.
	Compact bool
	// Closed is the number of states up to which the reachable set itself is
	// kept as evidence and verified step by step; 0 means 10,000, less than 0
	// none.
	Closed int
	// Symmetry explores one state of each orbit: under the network's automorphisms
	// that commute with its relation, or under the symmetries that a machine names
	// (by Symmetries() []func(dst, s []uint64) []uint64). Both are checked, see package
	// symmetry. It goes with Liveness for programs whose rules show the symmetries: fair actions
	// are followed through them (Emerson and Sistla 1997), and Closed bounds the states of all orbits together.
	Symmetry bool
	// PartialOrder skips orders of steps that make no difference: in a network, to deadlock,
	// as a packet that can only leave does so at once; in a program, to deadlock and
	// invariants, by stubborn sets. It cannot be combined with Liveness.
	PartialOrder bool
	// Slice leaves out the variables and rules of a program on which no property asked for
	// depends. It goes with neither Symmetry nor Liveness.
	Slice bool
	// Coverage counts the steps of each rule of a program, and how often the conditions of a
	// file's rules hold and refuse, if all states of the program are explored.
	Coverage bool
	Progress func(ExploreProgress)
	// Save is the file for checkpoints; "" means Resume's file, or none without Resume.
	// It is tried before anything is explored.
	Save   string
	Every  time.Duration // between checkpoints; 0 saves only when interrupted
	Resume string        // checkpoint to continue from: one of the same machine and question
	Saves  sync.Locker   // held during each save, so that whoever else holds it cannot cut a save short; may be nil
	// Disk is a folder that holds the states, sorted, instead of memory; "" for none.
	// It is empty or missing, or holds what an interrupted exploration of the same machine and
	// question left there: that exploration continues. It saves its own progress (see Every), and goes
	// with none of Save, Resume, Compact and Liveness.
	Disk string
	// Cluster explores on other computers, for networks' traffic and programs; nil: here. It saves
	// its progress after each level, and takes no memory bound, no reduction and no Liveness.
	// Its files are read here, by Workers, for the evidence.
	Cluster *Cluster
}

// ExploreProgress says how far an exploration has come.
type ExploreProgress struct {
	States      int64
	Transitions int64
	Level       int   // of the states being expanded; the initial ones are level 0
	Frontier    int64 // states found but not expanded
	Memory      int64 // bytes in use
	Budget      int64 // ExploreOptions.Memory
	MaxStates   int64 // the bound on states
	Elapsed     time.Duration
	Note        string // such as why a checkpoint could not be written
}

// Cluster is an engine on many computers. It explores in rounds: one for each level, and one
// for each step of the path back from a violation. What it gives workers to do depends on files
// alone, so it may repeat any part.
type Cluster struct {
	Files  ClusterFiles // seen by all computers; empty, or left by a search of the same question
	Where  string       // where the files are, for messages
	Shards int          // of the states, at least 1; a search that continues keeps its own number
	// Round calls Map for each work, groups what those calls emit by shard, and calls ReduceShard
	// for each shard. The question is to be passed to the workers.
	Round func(ctx context.Context, question string, works [][]byte) error
}

// ClusterFiles are files with flat names: no folders.
type ClusterFiles interface {
	Names(ctx context.Context) ([]string, error)
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Write calls write once and then gives the result its name, all or nothing.
	Write(ctx context.Context, name string, write func(io.Writer) error) error
	Remove(ctx context.Context, name string) error
}

// CheckpointError says why a checkpoint cannot be used.
type CheckpointError struct{ File, Msg string }

func (e *CheckpointError) Error() string { return "checkpoint " + e.File + " " + e.Msg }

func quoted(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, strconv.Quote(name))
	}
	return strings.Join(all, ", ")
}
