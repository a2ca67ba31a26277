// Package report writes what the checker found: as text for a reader ([WriteText]), with its evidence into a folder
// ([WriteFolder]), and for other programs. For these it makes a neutral [Result], which has a writer for each format:
//
//   - [WriteJSON]: versioned JSON with a published schema ([Schema])
//   - [Events]: one JSON object per line while the work continues
//   - [WriteJUnit]: JUnit XML, for CI servers
//   - [WriteSARIF]: SARIF 2.1.0, for code scanning
//   - [WriteAnnotations]: GitHub workflow commands, at most 5
//   - [WriteMarkdown]: a summary with a Mermaid picture of the cycle
//
// A trace or run is written by [WriteITF] for tools of the TLA+ family, by [WriteVCD] for waveform viewers, and by
// [WriteSequenceMermaid] and [WriteSequenceSVG] as a chart of who sends what to whom.
//
// All but Events write the same bytes for the same results: no times, no random
// identifiers, no map order.
package report

import (
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Origin says what the checker does not know about a result. The zero value is
// usable: a model of the catalogue, with no expected verdicts.
type Origin struct {
	File     string                  // from which the network was read, as the user named it; "" for a model
	Command  string                  // that reproduces the result; may be ""
	Expected map[string]spec.Verdict // by property; a missing one is expected to hold
}

// Result is all that a writer may tell about one network or machine.
type Result struct {
	Name       string            // of the network or machine
	File       string            // see Origin
	Command    string            // see Origin
	Digest     string            // of the network, in hexadecimal; "" for other machines
	Switching  string            // of the network
	Assumed    []checker.Assumed // under which the verdicts stand
	Census     *checker.Census   // what was decided about; nil for a machine
	Space      *checker.Space    // what was explored; nil if nothing was
	Properties []Property
	Err        error // why there is no verdict at all; then Properties is empty

	discarding string // where packets may be discarded first, in names
}

// Property is the answer to one question.
type Property struct {
	Name        string
	Verdict     spec.Verdict
	Expected    spec.Verdict // spec.Holds unless Origin.Expected says otherwise
	Because     words.Sentence
	Argument    checker.Argument
	Method      checker.Method // that settled it; "" with spec.Unknown
	Assumptions []words.Sentence
	Vacuous     bool // nothing could have violated it
	Notes       []words.Sentence
	Evidence    string // its kind, see evidence.Evidence; "" if the verdict is unknown
	rests       string // what the evidence is, in words; "" if there is none
	Certificate string // kind of the certificate

	Fault string // what the trace or run shows, such as "deadlock"
	// how the network was run; "" if the verdict is about what its tables say, or a trace needs no more
	Scenario string
	Once     []Flow    // the only packets, if the scenario lists them
	Stuck    []Channel // of a deadlock, ascending
	// Candidate lists, with spec.Unknown, the channels that were not cleared.
	Candidate []Channel

	// Cycle is a shortest cycle in the wait-for graph at the end of the trace: each
	// dependency leads to the first channel of the next one, the last to that of the
	// first. It begins with the packet that holds the least channel. For a livelock it
	// is the loop of the one packet.
	Cycle []Dependency
	// Decisive is the number of the dependency in Cycle to look at first, or -1: the
	// one whose rule is behind the fewest of the others; of several the last one,
	// which closes the cycle.
	Decisive int
	// Rule is the rule of the decisive dependency, or of the hop that brought the
	// packet to where it cannot arrive.
	Rule spec.Reason

	Steps  []Step // of the trace or run
	Back   int    // number of the first step that repeats forever, or -1
	Ending string // what the last state shows, a sentence without a full stop; may be ""
}

// AsExpected reports whether the verdict is the expected one.
func (p *Property) AsExpected() bool { return p.Verdict == p.Expected }

// Channel is a channel with its name.
type Channel struct {
	ID   spec.ChannelID `json:"id"`
	Name string         `json:"name"`
}

// Flow is a packet of a scenario, in the numbers of the closed form.
type Flow struct {
	Source spec.NodeID `json:"source"`
	Dest   spec.NodeID `json:"dest"`
	Class  spec.Class  `json:"class"`
}

// Dependency is a packet of a cycle, what it holds and what it waits for.
type Dependency struct {
	Packet   string      // such as "packet for (1,0)"
	Name     string      // such as "P3 for (1,0)"; "" in a loop, where there is one packet
	Number   int         // of the packet: 3; 0 in a loop
	Holder   int         // number of the first packet in the channel that it waits for; 0: none, or a loop
	Holds    []Channel   // of the cycle, from its tail to its head; at least one
	WaitsFor Channel     // or, in a loop, where it goes next
	Queued   bool        // it waits for the first packet of the last channel that it holds, so there is no rule
	Moves    bool        // it does not wait, but moves around a loop
	Rule     spec.Reason // that permits the hop

	// Alternative is that to which its header is committed, from 1 on, of Alternatives; both 0 if it is to none.
	Alternative, Alternatives int
}

// String says what the packet holds and waits for, as a sentence without a
// full stop.
func (d Dependency) String() string {
	var held []string
	for _, c := range d.Holds {
		held = append(held, c.Name)
	}
	switch names := strings.Join(held, ", "); {
	case d.Moves:
		return d.Packet + " goes from " + names + " to " + d.WaitsFor.Name + d.Rule.Clause()
	case d.Queued:
		return fmt.Sprintf("%s holds %s behind P%d in %s", d.Name, names, d.Holder, d.WaitsFor.Name)
	default:
		return d.Name + " holds " + names + " and waits for " + d.WaitsFor.Name + explain.HeldBy(d.Holder) + d.Rule.Clause()
	}
}

// Step is a move of a trace, or a step of a run.
type Step struct {
	What    string // what happens
	Text    string // the same, with the rule
	Packet  int    // that moves, by its number; 0 if none does
	Changes []states.Change
	Rule    spec.Reason

	// Alternative is that to which the packet that moves was committed, from 1 on, of Alternatives; both 0 if to none.
	Alternative, Alternatives int
}

// Named is what happens, by which rule, with the name of the packet that moves.
func (s Step) Named() string { return explain.Named(s.Packet, s.Text) }

// Failed reports whether something is not as expected, or could not be decided.
func (r *Result) Failed() bool {
	for i := range r.Properties {
		if !r.Properties[i].AsExpected() {
			return true
		}
	}
	return r.Err != nil
}
