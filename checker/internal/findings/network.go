package findings

import (
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// What the routing tables of a network show.

const (
	// NoFlows and NoSites: there is nothing to decide about a network.
	NoFlows kind = "no-flows: no node sends anything: nothing to decide"
	NoSites kind = "no-sites: no packet ever enters a channel: nothing to decide"

	// NowhereDiscarded and NotDiscardedHere: no packet is discarded, but others than those of this traffic may be.
	NowhereDiscarded kind = "nowhere-discarded: routers discard packets only where no packet comes, which no " +
		"certificate shows"
	NotDiscardedHere kind = "not-discarded-here: no packet that is sent here can be discarded"

	// EscapeAlone: the methods end at packets that share a channel.
	EscapeAlone kind = "escape-alone: the channel dependency graph has cycles, and an escape does not free " +
		"packets behind others in one channel"
	// NoProof follows what might block: a search says that it does not, but shows nothing for it.
	NoProof kind = "no-proof: ; an exact search found no set of packets that block each other, but it has no " +
		"certificate"
	// NoWalk follows what might block.
	NoWalk kind = "no-walk: , and no random walk ended in a deadlock"
	// RoomLeads follows what would block where hops need room for several packets.
	RoomLeads kind = "room-leads: ; hops that need room for several packets lead from each to the next"
)

// How is what else is known of a deadlock.
type How string

const (
	Plainly     How = ""
	SingleFlits How = "single-flits" // packets that fit into one channel suffice
	LongOnly    How = "long-only"    // they do not
	Behind      How = "behind"       // some stand behind others in one channel
)

// clauses are by How.
var clauses = map[How]string{
	SingleFlits: "; single-flit packets are enough",
	LongOnly:    ", although packets that fit into one channel cannot",
	Behind:      ", some behind others in one channel",
}

// Blocked says what waits for each other in a deadlock, whether the tables, an exploration, a random run or a search
// for a smaller one found it.
type Blocked struct {
	said
	What     words.Count    // packets; N is 0 if they are not counted
	In       words.Count    // the channels that they are in; N is 0 if that is not said
	After    words.Count    // moves, at the end of which they do; N is 0 if that is not said
	Explored bool           // found by exploring
	Under    *spec.Scenario // in which they do; nil: in any way to run the network that the evidence needs
	How      How
}

// who names what is blocked.
func (b Blocked) who() string {
	who := words.Several(b.What.Of)
	if b.What.N > 0 {
		who = b.What.String()
	}
	if b.In.N > 0 {
		who += " in " + b.In.String()
	}
	return who
}

// alone reports whether one packet waits for itself.
func (b Blocked) alone() bool { return b.What.N == 1 && b.In.N == 0 }

func (b Blocked) String() string {
	text := b.who() + " wait for each other"
	if b.alone() {
		text = "a " + b.What.Of + " waits for itself"
	}
	if b.After.N > 0 {
		text = "after " + b.After.String() + ", " + text
	}
	text += " and can never move"
	if b.Explored {
		text += ", found by exploring"
	}
	if b.Under != nil {
		text += " (" + b.Under.String() + ")"
	}
	return text + clauses[b.How]
}

// WaitsShown says of a picture who waits for whom in a deadlock.
type WaitsShown struct {
	said
	Stuck, Cycle int  // packets that are stuck, and the first of them, which make a cycle
	Choice       bool // some packet may take several hops
}

func (w WaitsShown) String() string {
	blocked := Blocked{What: words.Count{N: w.Stuck, Of: "packet"}}
	switch {
	case w.Stuck == 1:
		return "The packet waits for itself forever."
	case w.Stuck == w.Cycle && !w.Choice:
		return blocked.String() + ": each waits for the next, the last for the first."
	}
	return fmt.Sprintf("%s: each waits only for channels that others of them hold. The first %d make a cycle.",
		blocked, w.Cycle)
}

// Unreached is what would wait for each other, though no trace leads there.
type Unreached Blocked

func (u Unreached) String() string {
	who, each := Blocked(u).who(), "each other"
	if Blocked(u).alone() {
		who, each = u.What.String(), "itself"
	}
	return fmt.Sprintf("%s would wait for %s%s, but no trace to that state was found", who, each, clauses[u.How])
}

// Unfilled is what could deadlock, though a trace to it would be too long to look for.
type Unfilled struct {
	said
	Channels words.Count
	Capacity int // packets of a channel
}

func (u Unfilled) String() string {
	return fmt.Sprintf("packets in %s could deadlock, but filling buffers of %d takes too many steps for a trace",
		u.Channels, u.Capacity)
}

// MightBlock is what the head/tail fixpoint leaves.
type MightBlock struct {
	said
	Channels words.Count
	Long     bool // packets that fit into one channel cannot
}

func (m MightBlock) String() string {
	what := "packets might block each other"
	if m.Long {
		what = "packets that fit into one channel cannot deadlock, but longer packets might"
	}
	return fmt.Sprintf("%s: the head/tail fixpoint leaves %s", what, m.Channels)
}

// Ring is a cycle of channels that may lose its bubble. Channels are the first few of All.
type Ring struct {
	All      int
	Channels []string
}

func (r Ring) String() string {
	names := strings.Join(r.Channels, ", ")
	if len(r.Channels) < r.All {
		names += ", ..."
	}
	return fmt.Sprintf("a ring of %s (%s)", words.Plural(r.All, "channel"), names)
}

// RingFills follows what would block: a hop takes the last free place of a ring.
type RingFills struct {
	said
	Ring     Ring
	From, To string // the channels of the hop
}

func (r RingFills) String() string {
	return fmt.Sprintf("; %s may fill, as the hop from %s into %s keeps no bubble", r.Ring, r.From, r.To)
}

// RingLeft follows what would block: packets of a ring may wait for a channel outside it.
type RingLeft struct {
	said
	Ring    Ring
	In, For string // channels
}

func (r RingLeft) String() string {
	return fmt.Sprintf("; %s keeps a bubble, but a packet in %s may wait for %s instead", r.Ring, r.In, r.For)
}

// Undelivered says how a packet fails to arrive, by a fault of the routing at one site.
type Undelivered struct {
	said
	Fault counterexamples.Fault // Unrouted, DeadEnd, Misdelivery or Trap
	At    string                // the node where it happens
	In    string                // the channel in which the packet is; "" if it is in none
	For   string                // its destination
	// Heading is what the routing function was asked there, see [spec.Network.Heading].
	Heading string
}

func (u Undelivered) String() string {
	switch u.Fault {
	case counterexamples.Unrouted:
		return fmt.Sprintf("at %s the routing function returns no first hop %s", u.At, u.Heading)
	case counterexamples.DeadEnd:
		return fmt.Sprintf("at %s the routing function returns no hop %s for a packet in %s", u.At, u.Heading, u.In)
	case counterexamples.Trap:
		return fmt.Sprintf("a packet for %s in %s can move but can never arrive", u.For, u.In)
	}
	return fmt.Sprintf("a packet for %s is ejected at %s", u.For, u.At)
}

// Faults counts the places of one fault.
type Faults struct {
	said
	Fault counterexamples.Fault
	N     int
}

func (f Faults) String() string {
	what := map[counterexamples.Fault]string{
		counterexamples.Unrouted:    "flows without a first hop",
		counterexamples.DeadEnd:     "sites without a hop",
		counterexamples.Misdelivery: "sites where a packet is ejected at a wrong node",
		counterexamples.Trap:        "sites from which the destination is unreachable",
	}
	return fmt.Sprintf("%s: %d", what[f.Fault], f.N)
}

// Circling says that a packet moves forever.
type Circling struct {
	said
	For     string // its destination
	Through words.Count
	Leaves  bool // some hop leads off the cycle, so that a fair selection function leaves it
}

func (c Circling) String() string {
	text := fmt.Sprintf("a packet for %s cycles through %s forever under ", c.For, c.Through)
	if c.Leaves {
		return text + "a selection function that always prefers those hops; a fair one leaves the cycle"
	}
	return text + "every selection function"
}

// Destinations counts those for which a packet can move forever.
type Destinations struct {
	said
	Cyclic, All int
}

func (d Destinations) String() string {
	return fmt.Sprintf("destinations for which a packet can livelock: %d of %d", d.Cyclic, d.All)
}

// Discarded says that a packet is discarded on purpose.
type Discarded struct {
	said
	From, For, At string
}

func (d Discarded) String() string {
	return fmt.Sprintf("a packet from %s for %s is discarded at %s", d.From, d.For, d.At)
}

// MayBeDiscarded counts the flows whose packets may be discarded on purpose.
type MayBeDiscarded struct {
	said
	Flows, All int
	NoFault    bool // that is none, as delivery is asked about
}

func (m MayBeDiscarded) String() string {
	text := fmt.Sprintf("packets of %s of %d may be discarded on purpose", words.Plural(m.Flows, "flow"), m.All)
	if m.NoFault {
		text += ", which is no fault"
	}
	return text
}

// DiscardSites counts where packets may be discarded, and names the first place.
type DiscardSites struct {
	said
	N       int
	In, For string      // the channel, and the destination of the packet
	Rule    spec.Reason // that permits it
}

func (d DiscardSites) String() string {
	return fmt.Sprintf("that is at %s: first in %s for %s%s", words.Plural(d.N, "site"), d.In, d.For, d.Rule.Clause())
}

// Parted says that two packets of one source and destination are committed to different alternatives.
type Parted struct {
	said
	From, For string
}

func (p Parted) String() string {
	return fmt.Sprintf("two packets from %s to %s part: a hash of source and destination alone would send both the same "+
		"way", p.From, p.For)
}

// Simulated says that a simulation ended in a deadlock.
type Simulated struct {
	said
	Clock int
	Load  float64
	Seed  uint64
}

func (s Simulated) String() string {
	return fmt.Sprintf("a simulation ended in this deadlock in clock %d, under a load of %v from seed %d",
		s.Clock, s.Load, s.Seed)
}

// TablesMissing withdraws a verdict about a fabric of which some forwarding tables are unknown, or their ends.
type TablesMissing struct {
	said
	Pairs int // whose packets come to such a switch
}

func (t TablesMissing) String() string {
	return fmt.Sprintf("packets of %s reach switches whose forwarding tables are missing from the dumps or incomplete "+
		"there", words.Plural(t.Pairs, "pair"))
}

// EverySize notes that a theorem covers the network, and others like it.
type EverySize struct {
	said
	Family string // of the theorem
	Sizes  string // for which it holds
}

func (e EverySize) String() string {
	return fmt.Sprintf("proved for every %s, see unknot prove %s", e.Sizes, e.Family)
}
