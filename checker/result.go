package checker

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Result is what was found out about a network or any other machine.
//
// Fields, properties, arguments and kinds of evidence may be added. A reader looks for findings by property
// ([Result.Of]), not by place, and relies on the verdict where it does not know the argument or the evidence.
// The answers to the questions that [Question] foresees have their places:
//
//   - Change. A trace has moves that rewrite a router. That no order is safe without waiting is a finding, and so is
//     each round that waits until older packets have left, with the certificate of its mixture. How few rounds
//     suffice is a Bound, as the size of a deadlock is.
//   - Linear temporal logic. A violation is a run with a loop (runs.Run), as that of a response is. What holds has
//     evidence of a new kind, or rests on AllFairRuns alone.
//   - A protocol over a network. Network is the one whose traffic was decided, so it stays nil here; the networks
//     that a machine runs over belong to Machine.
type Result struct {
	Name    string
	Network *spec.Network  // nil: the machine is not the traffic of a network
	Machine states.Machine // whose states were explored; nil: none were
	Census  *Census        // of a static decision; nil without one
	*Space                 // what was explored; nil if nothing was

	Findings []Finding // one for each property, in the order asked for

	// Unchecked are the responses of a machine that were left out because
	// Question.Liveness was not set.
	Unchecked []string
}

// Method is how a verdict was reached.
type Method string

const (
	Static   Method = "static"   // from the routing tables
	Explored Method = "explored" // by visiting states
)

// Finding is the answer to one property with its evidence.
type Finding struct {
	Property string // such as "deadlock-freedom", see [Properties]; or the name of an invariant or response
	// Bound is, for a finding that no deadlock is this small, that size; zero for other findings.
	Bound       unsat.Bound
	Verdict     spec.Verdict
	Argument    Argument         // that the verdict rests on
	Because     words.Sentence   // says the argument, what the evidence shows, or why it is unknown
	Method      Method           // that settled it; "" with Unknown
	Assumptions []words.Sentence // under which the verdict stands
	Vacuous     bool             // nothing could have violated it, as it never applied
	Notes       []words.Sentence // further findings

	// Evidence has been verified, except for an evidence.Count, which takes another
	// exploration to check. It is nil with Unknown, and if the space was reduced.
	Evidence  evidence.Evidence
	Candidate []spec.ChannelID // unknown: channels that the static decision could not clear, ascending
}

// Trace returns the moves of a network that violate the property; nil if the finding
// rests on something else.
func (f Finding) Trace() *counterexamples.Trace {
	t, _ := f.Evidence.(evidence.Trace)
	return t.Trace
}

// Run returns the steps of a machine that violate the property, or nil.
func (f Finding) Run() *runs.Run {
	r, _ := f.Evidence.(evidence.Run)
	return r.Run
}

// Certificate returns the certificate that the property holds, or nil.
func (f Finding) Certificate() *proofs.Certificate {
	c, _ := f.Evidence.(evidence.Certificate)
	return c.Certificate
}

// Census counts the parts of a network that a static decision looked at.
type Census struct {
	Nodes, Links int
	Channels     int   // that some packet uses
	Unused       int   // that no packet ever enters
	IdleVCs      []int // numbers of the VCs that no packet enters on any link, ascending
	Flows        int   // pairs of source and target
	Sites        int   // reachable (channel, header) pairs, sources not counted
	Edges        int   // of the channel dependency graph
	Discards     Discards
}

// Discards says where a network's packets may be discarded on purpose.
type Discards struct {
	Sites int       // sites and sources where they may be; each alternative of one counts
	Flows int       // whose packets may come there
	First spec.Site // the first of them, in the order of the tables; the zero value if there are none
}

// Space counts the states that an exploration visited. No count depends on the number of workers.
//
// If Complete is false, Ended says why. At most one of Stopped, Beyond and Full is then true; if none is, a step left
// the range of a value ([states.InRange]), a limit of the Question was reached, or ctx ended.
type Space struct {
	Complete bool           // all reachable states were visited, of the reduced state graph if Reduced is not nil
	Ended    words.Sentence // why Complete is false; zero if it is true
	Stopped  bool           // at a violation; with [Whole] an exploration goes on
	Beyond   bool           // before the first state: the subject exceeds a bound that no field of Question raises
	Full     bool           // a file in Question.Disk could not be written

	States      int64            // found
	Expanded    int64            // found, and their successors computed; at most States
	Transitions int64            // successors of the expanded states, equal ones counted each
	Levels      int              // of the breadth-first search; the initial states are the first
	Widest      int64            // states of the widest level
	Bits        int              // of a packed state
	Visited     string           // how visited states were recorded: bit map, quotients, table, trees, hashes, disk or shards
	Peak        int64            // bytes of states, tables and buffers
	Unsaved     *CheckpointError // why the last checkpoint could not be saved; nil if nothing went wrong

	Global, Weak, Local int64 // networks: states that are deadlocks by each notion
	Halts               int64 // machines: states without successors that are not an intended end

	// Digest is the digest of the set of states (machines.SetDigest) if it is complete
	// and neither reduced nor compacted: what another engine can reproduce.
	Digest string

	// Reduced says, one by one, what was left out of the state graph, and why no verdict
	// depends on it; nil if nothing was.
	Reduced []words.Sentence

	// Idle are the actions of a program that no reachable state permits.
	Idle []string

	// Whens are the conditions of a file's rules and how often each held and refused in
	// all states; nil if not counted.
	Whens []star.When

	// Fired are the rules of a program as declared, with the steps of the state graph
	// that each takes, over all keys; nil if not counted.
	Fired []Fired

	Uncounted words.Sentence // why a coverage that was asked for is not counted; zero if it is
}

// Fired counts the steps of a rule in the whole state graph.
type Fired struct {
	Rule  string
	Steps int64
}

// Verdict returns the worst verdict of the findings: violated before unknown
// before holds.
func (r *Result) Verdict() spec.Verdict {
	worst := spec.Holds
	for _, f := range r.Findings {
		if f.Verdict == spec.Violated {
			return spec.Violated
		}
		if f.Verdict == spec.Unknown {
			worst = spec.Unknown
		}
	}
	if len(r.Findings) == 0 {
		return spec.Unknown
	}
	return worst
}

// Of returns the finding about a property, or nil.
func (r *Result) Of(property string) *Finding {
	for i := range r.Findings {
		if r.Findings[i].Property == property {
			return &r.Findings[i]
		}
	}
	return nil
}

// Assumed is a group of properties decided under the same assumptions.
type Assumed struct {
	Properties []string // nil: all of the result's
	Sentences  []words.Sentence
}

// Assumed groups the findings by their assumptions, in order.
func (r *Result) Assumed() []Assumed {
	var all []Assumed
	for _, f := range r.Findings {
		i := slices.IndexFunc(all, func(a Assumed) bool {
			return slices.EqualFunc(a.Sentences, f.Assumptions, words.Sentence.Equal)
		})
		if i < 0 {
			i = len(all)
			all = append(all, Assumed{Sentences: f.Assumptions})
		}
		all[i].Properties = append(all[i].Properties, f.Property)
	}
	if len(all) == 1 {
		all[0].Properties = nil
	}
	return slices.DeleteFunc(all, func(a Assumed) bool { return len(a.Sentences) == 0 })
}

// Title introduces the sentences: "assuming", or "assuming, for livelock freedom and delivery".
func (a Assumed) Title() string {
	names := make([]string, len(a.Properties))
	for i, p := range a.Properties {
		names[i] = evidence.Freedom(p)
	}
	switch n := len(names); {
	case n == 0:
		return "assuming"
	case n == 1:
		return "assuming, for " + names[0]
	default:
		return "assuming, for " + strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

// prove makes e the evidence of a finding, and verifies it.
func (f *Finding) prove(ctx context.Context, e evidence.Evidence) error {
	f.Evidence = e
	return e.Verify(ctx, evidence.Options{})
}

// proveResponse makes e the evidence of a response and verifies it.
func (f *Finding) proveResponse(ctx context.Context, e evidence.Evidence) error {
	if err := f.prove(ctx, e); err != nil && ctx.Err() == nil {
		return &EvidenceError{Name: f.Property, Err: err}
	}
	return ctx.Err()
}

// EvidenceError says that the evidence for a verdict failed its check: a
// fault of unknot itself, never of the network.
type EvidenceError struct {
	Name string // of the property
	Err  error  // of its check
}

// Error names the property, and what its check found.
func (e *EvidenceError) Error() string {
	return fmt.Sprintf("the evidence for %s was rejected: %v", e.Name, e.Err)
}

// Unwrap returns Err.
func (e *EvidenceError) Unwrap() error { return e.Err }
