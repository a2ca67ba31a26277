package findings

import (
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// What an exploration shows, or why it shows nothing.

const (
	// OutOfTime and Interrupted: a context has ended.
	OutOfTime   kind = "out-of-time: out of time"
	Interrupted kind = "interrupted: interrupted"

	// InFairCycles, InReplay, BeforeEvidence and BeforeVerified follow why something ended.
	InFairCycles   kind = "in-fair-cycles:  while searching for fair cycles"
	InReplay       kind = "in-replay:  while that trace was replayed"
	BeforeEvidence kind = "before-evidence:  before the evidence was complete"
	BeforeVerified kind = "before-verified:  before the evidence was verified"
	// OfStabiliser follows why an exploration ended that was one of those for responses.
	OfStabiliser kind = "of-stabiliser: , of states modulo the symmetries that keep a response"

	// Uncompared, AllFoundExplored and RestUnexplored: it stopped at a violation.
	Uncompared kind = "uncompared: stopped at the violation, before the successors of the last level were " +
		"compared with the states found: new ones are not counted"
	AllFoundExplored kind = "all-found-explored: stopped at the violation, when all states had been explored"
	RestUnexplored   kind = "rest-unexplored: stopped at the violation; the rest of the state graph was not explored"
	// RangeLeft: it stopped at a step that is none.
	RangeLeft kind = "range-left: stopped at a wrong step; the rest of the state graph was not explored"

	// ReducedEjections and StubbornSets: what partial order leaves out.
	ReducedEjections kind = "reduced-ejections: partial order: of ejections, which leads to the same deadlocks"
	StubbornSets     kind = "stubborn-sets: partial order: each state takes a stubborn set of its steps (Valmari " +
		"1990): the others lead to no other deadlock, and to no violation sooner"

	// NoRules, NotAllStates, StatesMerged and NotRulesAsData: why a coverage is not counted.
	NoRules      kind = "no-rules: a network has no rules"
	NotAllStates kind = "not-all-states: not all states were explored"
	StatesMerged kind = "states-merged: with symmetry reduction one state stands for several, and in compact " +
		"storage a hash for a state"
	NotRulesAsData kind = "not-rules-as-data: it is about rules as data"

	// NeverSent and NeverApplies: why nothing could violate a property.
	NeverSent    kind = "never-sent: no packet ever enters a channel"
	NeverApplies kind = "never-applies: its premise never holds"

	// InitialState: where a violation is.
	InitialState kind = "initial-state: in an initial state"
	// MoreOutstanding: a lasso was found that the windows of a network may forbid.
	MoreOutstanding kind = "more-outstanding: the trace found may have more requests outstanding than declared"
	// ShortPackets follows an argument about packets that fit into one channel.
	ShortPackets kind = "short-packets: , of packets that fit into one channel: longer ones may do what these cannot"
	// NoFault follows what is unknown of delivery.
	NoFault kind = "no-fault: ; exploring found no dead end and no packet that leaves elsewhere, but it does not " +
		"look for packets that never can arrive"

	// NoRoomForOrbits: why a response is unknown.
	NoRoomForOrbits kind = "no-room-for-orbits: no memory is left to explore more states, modulo the symmetries " +
		"that keep a response"

	// ImpossibleHere: why a trace of the tables says nothing about a scenario.
	ImpossibleHere kind = "impossible-here: that trace is not possible here"
	// AnyLength and OneFlit: what evidence shows beyond its scenario.
	AnyLength kind = "any-length: shown for packets of any length"
	OneFlit   kind = "one-flit: a channel of one flit has no slot for a second packet, so it is not shared"
)

// Exceeded says which bound or budget is used up, or what else an error says.
type Exceeded struct {
	said
	By error
}

func (e Exceeded) String() string { return e.By.Error() }

// OutOfMemory says that the budget for states is used up.
type OutOfMemory struct {
	said
	Bytes int64
}

func (o OutOfMemory) String() string {
	return fmt.Sprintf("out of memory: the budget of %d MiB for states is used up", o.Bytes>>20)
}

// Unwritten says that a file of states could not be written.
type Unwritten struct {
	said
	Folder string
	By     error
}

func (u Unwritten) String() string {
	return fmt.Sprintf("a file in %s could not be written: %v", u.Folder, u.By)
}

// OutOfStates says that as many states were found as may be.
type OutOfStates struct {
	said
	Limit int64
}

func (o OutOfStates) String() string {
	return fmt.Sprintf("the limit of %s is reached", words.Plural(int(o.Limit), "state"))
}

// TooManySteps says that a state graph is too large to search for fair cycles.
type TooManySteps struct {
	said
	Steps, Limit int64
}

func (t TooManySteps) String() string {
	return fmt.Sprintf("the state graph has %d steps: too many to search for fair cycles (limit %d)", t.Steps, t.Limit)
}

// TooMuchMemory says what a search for fair cycles would need, in bytes.
type TooMuchMemory struct {
	said
	States, Steps, Need, Budget int64
}

func (t TooMuchMemory) String() string {
	return fmt.Sprintf("searching %d states and %d steps for fair cycles takes %d MiB, more than the memory budget of "+
		"%d MiB", t.States, t.Steps, t.Need>>20, t.Budget>>20)
}

// TooManyCounted says why a coverage is not counted.
type TooManyCounted struct {
	said
	States int64
}

func (t TooManyCounted) String() string {
	return fmt.Sprintf("there are more than %d states", t.States)
}

// Orbits says that one state of each was explored.
type Orbits struct {
	said
	Under string // the symmetries
}

func (o Orbits) String() string { return "symmetry: one state of each orbit under " + o.Under }

// OfOrbits follows an argument about all fair runs.
type OfOrbits struct {
	said
	Under string // the symmetries
}

func (o OfOrbits) String() string { return ", of orbits under " + o.Under }

// Unfollowed says why responses are not decided modulo symmetries.
type Unfollowed struct {
	said
	Why string
}

func (u Unfollowed) String() string {
	return "liveness modulo symmetries must follow fair rules through them (Emerson and Sistla 1997), which is not possible: " + u.Why
}

// Sliced says what a slice leaves out.
type Sliced struct {
	said
	Variables []string
	Rules     int
}

func (s Sliced) String() string {
	const most = 6
	var what []string
	if n := len(s.Variables); n > 0 {
		names := strings.Join(s.Variables[:min(n, most)], ", ")
		if n > most {
			names += ", ..."
		}
		what = append(what, fmt.Sprintf("%s (%s)", words.Plural(n, "variable"), names))
	}
	if s.Rules > 0 {
		what = append(what, words.Plural(s.Rules, "rule"))
	}
	if len(what) == 0 {
		return "slice: nothing was left out: the property depends on all variables"
	}
	return fmt.Sprintf("slice: %s left out: no property, no guard that a property needs "+
		"and no assignment that may leave its range depends on them", strings.Join(what, " and "))
}

// Explored says that the whole state graph was, and of which kind that is.
type Explored struct {
	said
	Reduced   bool     // by stubborn sets or a slice
	Unsliced  bool     // a slice leaves nothing out
	Unreduced bool     // stubborn sets leave out too few states, by a sample, and so were not used
	Orbits    string   // the symmetries under which one state of each orbit was; "" without
	Ejections bool     // those of networks are reduced by partial order
	Unmerged  Estimate // by which orbits do not pay, and so were not used; zero if they were, or nobody asked
}

// WouldKeepOrbits follows that memory is used up, where a sample left out symmetry reduction.
type WouldKeepOrbits struct {
	said
	Saving float64 // see Estimate
}

func (w WouldKeepOrbits) String() string {
	return fmt.Sprintf("; --no-sample keeps one state of each orbit, which by a sample stands for some %.0f", w.Saving)
}

// Estimate is, by a sample, how many states an orbit stands for, and how many times as long as a state it takes.
type Estimate struct{ Saving, Cost float64 }

func (e Explored) String() string {
	text := "every reachable state was explored"
	switch {
	case e.Reduced:
		text = "every state of the reduced state graph was explored"
	case e.Unsliced:
		text = "every reachable state (a slice leaves nothing out) was explored"
	}
	switch {
	case e.Unreduced:
		text += ", without partial-order reduction, as it leaves out few states"
	case e.Unmerged.Cost > 0:
		text += fmt.Sprintf(", without symmetry reduction: by a sample, an orbit would stand for some %.0f states and take as long "+
			"as %.0f", e.Unmerged.Saving, e.Unmerged.Cost)
	case e.Orbits != "":
		text += ", one of each orbit under " + e.Orbits
	case e.Ejections:
		text += ", with partial-order reduction of ejections"
	}
	return text
}

// NoneOfStates says that no reachable state contains a deadlock, where no argument shows it.
type NoneOfStates struct {
	said
	States int64
	Under  spec.Scenario
}

func (n NoneOfStates) String() string {
	return fmt.Sprintf("none of the %d reachable states contains a deadlock (%s), although no static argument shows it",
		n.States, n.Under)
}

// HashesOnly says that no violation was found among states kept as hashes.
type HashesOnly struct {
	said
	Omission float64 // at most the probability that one is missing
}

func (h HashesOnly) String() string {
	return fmt.Sprintf("no violation was found, but states were kept as 64-bit hashes: some may be missing, "+
		"with probability at most %.1g", h.Omission)
}

// WithinWindows says that no deadlock is reachable while nodes keep to their bounds on requests.
type WithinWindows struct {
	said
	States int
	Under  spec.Scenario
}

func (w WithinWindows) String() string {
	return fmt.Sprintf("packets could deadlock only if nodes had more requests outstanding than declared: "+
		"none of the %s within the bound is a deadlock (%s), which no second program checks",
		words.Plural(w.States, "state"), w.Under)
}

// CandidateOpen follows what might block: exploring it did not end.
type CandidateOpen struct {
	said
	States int64 // explored
	Why    words.Sentence
}

func (c CandidateOpen) String() string {
	return fmt.Sprintf("; exploring %s found no deadlock and did not end (%s)",
		words.Plural(int(c.States), "state"), c.Why)
}

// NotEnded notes that exploring adds nothing to a verdict of the tables.
type NotEnded struct {
	said
	Why words.Sentence
}

func (n NotEnded) String() string { return "exploring did not end: " + n.Why.String() }

// NoPathYet says that a violation was found, but not how to come there.
type NoPathYet struct {
	said
	Why words.Sentence
}

func (n NoPathYet) String() string {
	return "a state that violates it was found, but no path to it yet: " + n.Why.String()
}

// FromStart counts the steps to a violation.
type FromStart struct {
	said
	Steps int
}

func (f FromStart) String() string { return words.Plural(f.Steps, "step") + " from the start" }

// Wrong follows where a step is refused.
type Wrong struct {
	said
	Why string // in the words of a file, or of the machine
}

func (w Wrong) String() string { return ": " + w.Why }

// Lost says how a packet fails to arrive after some moves.
type Lost struct {
	said
	Moves   int
	Fault   counterexamples.Fault // Unrouted, DeadEnd, Misdelivery or Trap
	At, For string                // nodes
	Heading string                // what the routing function was asked there
}

func (l Lost) String() string {
	what := ""
	switch l.Fault {
	case counterexamples.Unrouted:
		what = fmt.Sprintf("at %s the routing function returns no first hop %s", l.At, l.Heading)
	case counterexamples.DeadEnd:
		what = fmt.Sprintf("at %s the routing function returns no hop %s", l.At, l.Heading)
	case counterexamples.Misdelivery:
		what = fmt.Sprintf("a packet is ejected at %s, not at %s", l.At, l.For)
	case counterexamples.Trap:
		what = fmt.Sprintf("a packet at %s can move, but never arrive at %s", l.At, l.For)
	}
	return fmt.Sprintf("after %s %s", words.Plural(l.Moves, "move"), what)
}

// Unanswered says that a response or a formula may fail: a run ends, or goes round a cycle, which is fair.
type Unanswered struct {
	said
	Stem, Cycle int  // steps; the run ends if Cycle is 0
	Unfair      bool // all runs count, and end only where no step is possible
}

func (u Unanswered) String() string {
	kind := "fair "
	switch {
	case u.Cycle == 0 && u.Unfair:
		return fmt.Sprintf("after %s no step is possible, and the run stays there", words.Plural(u.Stem, "step"))
	case u.Cycle == 0:
		return fmt.Sprintf("after %s no step is left that fairness requires", words.Plural(u.Stem, "step"))
	case u.Unfair:
		kind = ""
	}
	return fmt.Sprintf("after %s a %scycle of %s repeats forever",
		words.Plural(u.Stem, "step"), kind, words.Plural(u.Cycle, "step"))
}

// Impossible says that something cannot be reached any more.
type Impossible struct {
	said
	Stem, Beyond int // steps to where that is so, and states that can be reached from there
}

func (i Impossible) String() string {
	return fmt.Sprintf("after %s it cannot be reached any more: it is true in none of the %s that can follow",
		words.Plural(i.Stem, "step"), words.Plural(i.Beyond, "state"))
}

// What keeps a formula undecided.
const (
	ProductTooLarge kind = "product-too-large: the product of the states with an automaton for the formula does " +
		"not fit into memory"
	FormulaOfOrbits kind = "formula-of-orbits: formulas are decided on all states, not on one of each orbit: " +
		"leave symmetry out"
	TooManyBeyond kind = "too-many-beyond: it cannot be reached any more from some state, but too many states can " +
		"follow to check that again"
)

// NeverAnswered says which of a network's responses fails, and how.
type NeverAnswered struct {
	said
	Response string
	Because  words.Sentence
}

func (n NeverAnswered) String() string {
	return fmt.Sprintf("%q may never happen: %s", n.Response, n.Because)
}

// DeadEndBlocks notes that a packet at a dead end is in the way.
type DeadEndBlocks struct {
	said
	In string // a channel
}

func (d DeadEndBlocks) String() string {
	return fmt.Sprintf("then a packet stands at a dead end in %s and blocks others; the deadlock verdict treats it as "+
		"discarded", d.In)
}

// Unreachable says that a cover fails, as Because says.
type Unreachable struct {
	said
	Because words.Sentence
}

func (u Unreachable) String() string { return "it cannot be reached: " + u.Because.String() }

// Reached says that a cover holds.
type Reached struct {
	said
	Steps int
}

func (r Reached) String() string { return "reached in " + words.Plural(r.Steps, "step") }

// OnlyIdle notes a state in which steps are possible, but change nothing.
type OnlyIdle struct {
	said
	State string
	Steps []string // the first few, each with the place of its rule if that is in a file
}

func (o OnlyIdle) String() string {
	return fmt.Sprintf("in the state %s, the only possible steps change nothing: %s; such a state does not count as a "+
		"deadlock, but does where these steps are refused, by when(...) or by a guard", o.State, strings.Join(o.Steps, ", "))
}

// ToIdle notes how many states are as [OnlyIdle] says, and the way to one of the nearest.
type ToIdle struct {
	said
	States  int
	Counted bool     // otherwise there may be more
	Steps   []string // the first few of All
	All     int
}

func (t ToIdle) String() string {
	text := "it is the only such state, and "
	switch {
	case !t.Counted:
		text = fmt.Sprintf("there are more such states, at least %d; this one, as near as any, ", t.States)
	case t.States > 1:
		text = fmt.Sprintf("there are %d such states; this one, as near as any, ", t.States)
	}
	if t.All == 0 {
		return text + "is an initial one"
	}
	text += fmt.Sprintf("is reached by %s: %s", words.Plural(t.All, "step"), strings.Join(t.Steps, ", "))
	if more := t.All - len(t.Steps); more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// DeadlockMeans notes which notion of deadlock was asked about.
type DeadlockMeans struct {
	said
	Notion counterexamples.Notion
}

func (d DeadlockMeans) String() string {
	return "deadlock means: " + [...]string{
		counterexamples.Local:  "packets wait only for each other, and can never move again (local)",
		counterexamples.Weak:   "packets wait only for each other, and no packet in flight can move now (weak)",
		counterexamples.Global: "packets wait only for each other, and nothing can move now, not even an injection (global)",
	}[d.Notion]
}

// NotionShown notes which notion of deadlock a trace shows.
type NotionShown struct {
	said
	Notion counterexamples.Notion
}

func (n NotionShown) String() string {
	return fmt.Sprintf("the trace shows a %s deadlock: that nothing more may be injected is unchecked, "+
		"as a trace bounds no traffic", n.Notion)
}

// NoneOfNotion notes that a weaker notion of deadlock is excluded, too.
type NoneOfNotion struct {
	said
	Notion counterexamples.Notion
}

func (n NoneOfNotion) String() string {
	return fmt.Sprintf("no packets ever wait only for each other, so no %s deadlock is reachable", n.Notion)
}

// NotCarried says that what the tables show is not known in a scenario.
type NotCarried struct {
	said
	Because words.Sentence // what they show
	But     words.Sentence
	Under   spec.Scenario
}

func (n NotCarried) String() string {
	return fmt.Sprintf("with whole packets and unbounded traffic %s, but %s (%s)", n.Because, n.But, n.Under)
}

// WithAndWithout notes that a verdict holds in a scenario and out of it.
type WithAndWithout struct {
	said
	Scenario spec.Scenario
}

func (w WithAndWithout) String() string {
	return fmt.Sprintf("holds with and without the scenario (%s)", w.Scenario)
}
