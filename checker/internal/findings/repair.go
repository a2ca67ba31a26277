package findings

import (
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// What a scheme of repair comes to.

const (
	// NoReplies, FlowTurns and the next ones: the scheme does not apply, or has no answer.
	NoReplies      kind = "no-replies: not for a network whose nodes answer requests"
	ClassesUnknown kind = "classes-unknown: the closed form does not say of which class a message is: untie the " +
		"file that has replies"
	OneMessageClass kind = "one-message-class: there is one message class, whose one set of VCs is the network as " +
		"it is"

	// UntieTimeOut and UntieInterrupted: the search for a repair ended early.
	UntieTimeOut     kind = "untie-time-out: the search did not end in time"
	UntieInterrupted kind = "untie-interrupted: the search was interrupted"
	// NotTried: it ended before this scheme had its turn.
	NotTried   kind = "not-tried: not tried before the search ended"
	SharesOpen kind = "shares-open: for some ways to share sets the search did not end, or found neither a " +
		"proof nor a trace"

	// DeadHopsOnly says that no VCs are needed.
	DeadHopsOnly kind = "dead-hops-only: no more VCs: only hops that lead nowhere go"

	// OneLayer, OneSet and LongestPath: why fewer do not do.
	// TakesAnother: why no chain of messages begins.
	TakesAnother kind = "takes-another: each class is put by a step that takes another"

	OneLayer    kind = "one-layer: one layer is the network as it is"
	OneSet      kind = "one-set: one set for all is the network as it is"
	LongestPath kind = "longest-path: one for each hop of a longest path"

	// Unchecked follows a lower bound without evidence.
	Unchecked kind = "unchecked:  (unchecked)"
	// NoBubbles says that no room that turns leave is enough.
	NoBubbles kind = "no-bubbles: whichever turns need room for two packets, packets can be stuck (unchecked)"
	// MoreEffort and OneVCOpen follow what is known.
	MoreEffort kind = "more-effort: ; more effort may tell"
	OneVCOpen  kind = "one-vc-open: ; whether 1 VC is enough is open"
)

// What a patch says, line by line.
const (
	// LayerByHop is the change of hop-index, EnterEscape and KeepToEscape begin that of escape, and ShortestOverRest ends
	// that of order.
	LayerByHop kind = "layer-by-hop: on hop number i, from 1, take layer i of the VC that the table has: with m " +
		"VCs before, VC (i-1)*m + k instead of VC k"
	EnterEscape kind = "enter-escape: wherever a packet is that has not arrived, let it enter the escape as well: " +
		"down, if its destination is below, else up"
	KeepToEscape kind = "keep-to-escape: on the escape it goes up until its destination is below, then down, " +
		"and does not leave it"
	ShortestOverRest kind = "shortest-over-rest: permit all other turns except those straight back, and route by " +
		"shortest paths over them, on the first VC of each link"
	// NoCommitment, NoRoom and NoDiscard follow it where packets were committed, needed room for several, or were discarded.
	NoCommitment kind = "no-commitment: commit no packet to an alternative: each takes any of these hops"
	NoRoom       kind = "no-room: no hop needs room for more than one packet"
	NoDiscard    kind = "no-discard: discard no packet: each arrives"
	// OthersFirst, FirstLayerAgain and VCsBySet end those of layers and dateline, and the sets of that of classes.
	OthersFirst     kind = "others-first: all others take the first layer"
	FirstLayerAgain kind = "first-layer-again: at a turn between channels that lie on no cycle of the dependency " +
		"graph together, return to the first layer"
	VCsBySet kind = "vcs-by-set: a link has, set by set, the VCs that the classes of the set took on it, in " +
		"their order"
)

// Forbid is a line of a patch, as the types that follow are.
type Forbid struct {
	said
	Unit string // turn or hop
	Of   string // its channels, and of a hop its packets
}

func (f Forbid) String() string { return "forbid the " + f.Unit + " " + f.Of }

// GiveVCs gives a link more VCs.
type GiveVCs struct {
	said
	Link        string
	VCs, Before int
}

func (g GiveVCs) String() string {
	return fmt.Sprintf("give %s %s instead of %d", g.Link, words.Plural(g.VCs, "VC"), g.Before)
}

// GiveEscape gives a link more VCs for the escape.
type GiveEscape struct {
	said
	Link string
	VCs  int // more
}

func (g GiveEscape) String() string {
	return fmt.Sprintf("give %s %s more for the escape", g.Link, words.Plural(g.VCs, "VC"))
}

// TakeLayer assigns flows to a layer.
type TakeLayer struct {
	said
	Header  string
	Sources []string
	Layer   int // from 1
}

func (t TakeLayer) String() string {
	return fmt.Sprintf("packets %s from %s take layer %d of the VCs all the way",
		t.Header, strings.Join(t.Sources, ", "), t.Layer)
}

// LeaveRoom has a turn leave a place free.
type LeaveRoom struct {
	said
	Turn string
}

func (l LeaveRoom) String() string {
	return "take the turn " + l.Turn + " only with room for two packets"
}

// RoomNeeded says how many turns must leave a place free.
type RoomNeeded struct {
	said
	Turns   words.Count
	AtLeast int
}

func (r RoomNeeded) String() string {
	text := r.Turns.String() + " with room for two packets"
	if r.Turns.N == r.AtLeast {
		text += ", and fewer are not enough"
	} else {
		text += fmt.Sprintf("; whether fewer suffice is open: at least %d are needed", r.AtLeast)
	}
	if r.AtLeast > 1 {
		text += Unchecked.String()
	}
	return text
}

// NoBubblesFound says that the search for turns that leave a place free found nothing.
type NoBubblesFound struct {
	said
	AtLeast int
}

func (n NoBubblesFound) String() string {
	return fmt.Sprintf("no set of turns with room for two packets was found to be enough; at least %d are needed", n.AtLeast)
}

// NextLayer moves packets to the next layer.
type NextLayer struct {
	said
	Turn string
}

func (n NextLayer) String() string { return "move to the next layer of VCs at the turn " + n.Turn }

// SetFor gives message classes a set of VCs.
type SetFor struct {
	said
	Set     int // from 1
	Classes []string
}

func (s SetFor) String() string {
	return fmt.Sprintf("VC set %d is for %s", s.Set, strings.Join(s.Classes, ", "))
}

// NeverOffer follows from the others: a hop leads nowhere.
type NeverOffer struct {
	said
	Turn    string
	Headers []string
	Ejects  bool // at a wrong node
}

func (n NeverOffer) String() string {
	why := "no path is left after it"
	if n.Ejects {
		why = "it is not the destination"
	}
	return fmt.Sprintf("so do not offer %s for packets %s: %s", n.Turn, strings.Join(n.Headers, ", "), why)
}

// NeverCommit follows from the others: an alternative leads nowhere.
type NeverCommit struct {
	said
	Header, At string
}

func (n NeverCommit) String() string {
	return fmt.Sprintf("so never commit packets %s at %s: no hop is left in it", n.Header, n.At)
}

// UntieEnded says which budget ended the search.
type UntieEnded struct {
	said
	By error
}

func (u UntieEnded) String() string { return fmt.Sprintf("the search did not end: %v", u.By) }

// RepairAtLeast follows why a search ended.
type RepairAtLeast struct {
	said
	Cost words.Count
}

func (r RepairAtLeast) String() string { return fmt.Sprintf(": a repair costs at least %s", r.Cost) }

// TooManySites says that the network of the chains of messages has more sites than are looked at.
type TooManySites struct {
	said
	Limit int
}

func (t TooManySites) String() string { return fmt.Sprintf("more than %d sites", t.Limit) }

// ChangeTooLarge says which bound the network with the repair would exceed.
type ChangeTooLarge struct {
	said
	By error
}

func (c ChangeTooLarge) String() string { return fmt.Sprintf("the change is too large: %v", c.By) }

// NotCertified says what is unknown of, or wrong with, the network with the repair.
type NotCertified struct {
	said
	Because words.Sentence
}

func (n NotCertified) String() string {
	return "a change was found, but not certified: " + n.Because.String()
}

// Forbidden says how many turns or hops must go.
type Forbidden struct {
	said
	Cost      words.Count
	AtLeast   int
	Unchecked bool // no evidence shows that fewer do not do
}

func (f Forbidden) String() string {
	text := fmt.Sprintf("%s forbidden; whether fewer suffice is open: at least %d are needed", f.Cost, f.AtLeast)
	if f.Cost.N == f.AtLeast {
		text = fmt.Sprintf("%s forbidden, and fewer are not enough", f.Cost)
	}
	if f.Unchecked {
		text += Unchecked.String()
	}
	return text
}

// NoSetFound says that the search for what must go found nothing.
type NoSetFound struct {
	said
	Unit    string
	AtLeast int
}

func (n NoSetFound) String() string {
	return fmt.Sprintf("no set of %ss was found; at least %d must go", n.Unit, n.AtLeast)
}

// Contradiction says that no set of turns or hops is a repair.
type Contradiction struct {
	said
	Conditions int
}

func (c Contradiction) String() string {
	return words.Plural(c.Conditions, "condition") + " that every repair meets contradict each other"
}

// Unavoidable says that no set of turns or hops is a repair. Units are the first few of All.
type Unavoidable struct {
	said
	All   words.Count
	Units []string
}

func (u Unavoidable) String() string {
	text := fmt.Sprintf("each of %s is unavoidable for some flow, and the fault remains unless one of them goes:", u.All)
	for i, name := range u.Units {
		text += []string{" ", "; "}[min(i, 1)] + name
	}
	if more := u.All.N - len(u.Units); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Layered says how many layers of VCs a repair takes.
type Layered struct {
	said
	Layers, Channels int // added
}

func (l Layered) String() string {
	return fmt.Sprintf("%s of VCs, %s more", words.Plural(l.Layers, "layer"), words.Plural(l.Channels, "channel"))
}

// CostOpen follows why a repair does not cost less than AtLeast, if it may cost less than it does.
type CostOpen struct {
	said
	AtLeast, Cost int
}

func (c CostOpen) String() string {
	if c.AtLeast == c.Cost-1 {
		return fmt.Sprintf("; whether %d is enough is open", c.AtLeast)
	}
	return fmt.Sprintf("; whether %d to %d are enough is open", c.AtLeast, c.Cost-1)
}

// NoRoute says why no repair keeps every hop.
type NoRoute struct {
	said
	From, Header string
}

func (n NoRoute) String() string { return fmt.Sprintf("no route leads from %s %s", n.From, n.Header) }

// CommittedToDeadEnd says why no repair keeps every alternative.
type CommittedToDeadEnd struct {
	said
	In string // a channel
}

func (c CommittedToDeadEnd) String() string {
	return fmt.Sprintf("a packet may be committed to a dead end in %s, and the scheme keeps every alternative", c.In)
}

// KeepsCycle says why no repair keeps every hop.
type KeepsCycle struct {
	said
	For string // the destination of the packet
}

func (k KeepsCycle) String() string {
	return fmt.Sprintf("a packet to %s can travel in a cycle, and the scheme keeps every hop", k.For)
}

// KeepsFault says why no repair keeps every hop.
type KeepsFault struct {
	said
	Property spec.Property
}

func (k KeepsFault) String() string {
	return fmt.Sprintf("the scheme keeps every hop, so it cannot restore %s", k.Property)
}

// FlowDeadlocks says why no assignment of flows to layers is a repair.
type FlowDeadlocks struct {
	said
	Flow string
}

func (f FlowDeadlocks) String() string {
	return fmt.Sprintf("packets of one flow, %s, can block each other, and the scheme keeps them in one layer", f.Flow)
}

// FlowTurns says that the flows take too many turns to be assigned.
type FlowTurns struct {
	said
	Most int
}

func (f FlowTurns) String() string {
	return fmt.Sprintf("the flows take more than %d turns in all", f.Most)
}

// NoAssignment says that no assignment of flows to layers was found.
type NoAssignment struct {
	said
	Layers int
}

func (n NoAssignment) String() string {
	return fmt.Sprintf("no assignment to %d layers was found", n.Layers)
}

// LayersAcyclic says why an assignment of flows to layers is a repair, and then why fewer layers do not do.
type LayersAcyclic struct {
	said
	Fewer words.Sentence
}

func (l LayersAcyclic) String() string {
	return "the dependency graph of each layer has no cycle; " + l.Fewer.String()
}

// LayersCyclic says why so few layers do not do.
type LayersCyclic struct {
	said
	Layers int
}

func (l LayersCyclic) String() string {
	return fmt.Sprintf("in %s every assignment of the flows leaves the dependency graph of a layer with a cycle",
		words.Plural(l.Layers, "layer"))
}

// NoDateline says that no set of turns was found at which packets may change layers.
type NoDateline struct {
	said
	AtLeast int // layers
}

func (n NoDateline) String() string {
	return fmt.Sprintf("no set of turns was found that packets cross rarely enough: it takes at least %d layers",
		n.AtLeast)
}

// DatelineCrossed says why fewer layers do not do.
type DatelineCrossed struct {
	said
	Times int
}

func (d DatelineCrossed) String() string {
	return "some packet crosses every set of turns that cuts all cycles " + words.Plural(d.Times, "time")
}

// PathTooLong says that a path has more hops than there may be layers.
type PathTooLong struct {
	said
	Hops int
}

func (p PathTooLong) String() string { return fmt.Sprintf("some path has more than %d hops", p.Hops) }

// EscapeAdded says what an escape takes.
type EscapeAdded struct {
	said
	VCs, Channels int // on a link at most, and in all
	Root          string
}

func (e EscapeAdded) String() string {
	return fmt.Sprintf("%s more on a link at most, %s in all, for an escape up to %s and down again; without "+
		"one it is the network as it is", words.Plural(e.VCs, "VC"), words.Plural(e.Channels, "channel"), e.Root)
}

// NoTree says that a node has no trees to and from all others.
type NoTree struct {
	said
	Root string
}

func (n NoTree) String() string {
	return fmt.Sprintf("no links lead from %s to every node and back", n.Root)
}

// TooManyClasses says that there are too many ways to share sets of VCs.
type TooManyClasses struct {
	said
	Classes, Most int
}

func (t TooManyClasses) String() string {
	return fmt.Sprintf("%d message classes are too many to try how they share: at most %d", t.Classes, t.Most)
}

// ClassesShare says what sets of VCs for message classes take.
type ClassesShare struct {
	said
	Sets, Classes, Channels int // added
}

func (c ClassesShare) String() string {
	return fmt.Sprintf("%s for %s, %s more", words.Plural(c.Sets, "VC set"), words.Plural(c.Classes, "message class"),
		words.Plural(c.Channels, "channel"))
}

// ClassesDeadlock says that no sets for so many message classes do.
type ClassesDeadlock struct {
	said
	Classes int
}

func (c ClassesDeadlock) String() string {
	return fmt.Sprintf("however the %d message classes share sets of VCs, the network can deadlock", c.Classes)
}

// SetsDeadlock says why fewer sets do not do.
type SetsDeadlock struct {
	said
	Sets int
}

func (s SetsDeadlock) String() string {
	return fmt.Sprintf("however the message classes share %s, the network can deadlock", words.Plural(s.Sets, "VC set"))
}

// PairsDeadlock follows why fewer sets do not do: these pairs must be apart.
type PairsDeadlock struct {
	said
	Pairs [][2]string
}

func (p PairsDeadlock) String() string {
	var names []string
	for _, of := range p.Pairs {
		names = append(names, of[0]+" and "+of[1])
	}
	return "; with all others apart, these deadlock: " + strings.Join(names, ", ")
}
