// Package findings, internal to unknot, has what goes wrong in a network as data, and is the one place that words it.
// Engines fill in the fields. A value is a fact of a sentence, [words.Say]("%s", x): its String is called when the
// sentence is printed.
package findings

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Blocked says what waits for each other in a deadlock, whether the tables, an exploration, a random run or a search
// for a smaller one found it.
type Blocked struct {
	What     words.Count    // packets; N is 0 if they are not counted
	In       words.Count    // the channels that they are in; N is 0 if that is not said
	After    words.Count    // moves, at the end of which they do; N is 0 if that is not said
	Explored bool           // found by exploring
	Under    *spec.Scenario // in which they do; nil: in any way to run the network that the evidence needs
	// what else is known of it, such as "; single-flit packets are enough"; "" for nothing
	How string
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
	return text + b.How
}

// Unreached is what would wait for each other, though no trace leads there.
type Unreached Blocked

func (u Unreached) String() string {
	if b := Blocked(u); !b.alone() {
		return b.who() + " would wait for each other" + u.How + ", but no trace to that state was found"
	}
	return u.What.String() + " would wait for itself" + u.How + ", but no trace to that state was found"
}

// Undelivered says how a packet fails to arrive, by a fault of the routing at one site.
type Undelivered struct {
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
type Destinations struct{ Cyclic, All int }

func (d Destinations) String() string {
	return fmt.Sprintf("destinations for which a packet can livelock: %d of %d", d.Cyclic, d.All)
}

// Discarded says that a packet is discarded on purpose.
type Discarded struct{ From, For, At string }

func (d Discarded) String() string {
	return fmt.Sprintf("a packet from %s for %s is discarded at %s", d.From, d.For, d.At)
}

// Undecided says why there is nothing to decide about a network.
type Undecided uint8

const (
	NoFlows Undecided = iota // no node sends anything
	NoSites                  // every packet stays at its node
)

func (u Undecided) String() string {
	return [...]string{
		NoFlows: "no node sends anything: nothing to decide",
		NoSites: "no packet ever enters a channel: nothing to decide",
	}[u]
}
