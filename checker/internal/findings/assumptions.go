package findings

import (
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// What verdicts take for granted.

const (
	Drain        kind = "drain: sinks always drain"
	Asynchronous kind = "asynchronous: any delay (asynchronous)"
	// KeptOut follows where packets need room for several.
	KeptOut kind = "kept-out: a packet that others keep out of such room is starved, not deadlocked, even if it never moves again"
	// LongPackets says how the tables of a network with wormhole switching are decided.
	LongPackets kind = "long-packets: wormhole switching, packets of any length, a channel belongs to one packet " +
		"at a time"
	// NoSender and EverySender say who may send when traffic is unbounded; see [OnlyFlows].
	NoSender    kind = "no-sender: no node sends anything"
	EverySender kind = "every-sender: every node may send to every other at any time"
	// ClassesAlone says what is not modelled where messages have classes and no node replies.
	ClassesAlone kind = "classes-alone: dependencies between classes at the request buffers are not modelled"

	// AnySelection is what a verdict assumes of a selection function: a packet that finds one of its hops free takes
	// one that is, and looks again as long as it waits.
	AnySelection        = "any work-conserving selection function"
	WorkConserving kind = "work-conserving: " + AnySelection
	// WorkConservingWithin is the same where the routing commits packets to alternatives.
	WorkConservingWithin kind = "work-conserving-within: " + AnySelection + " within an alternative; anything may " +
		"decide which one (a hash, ECMP, a random choice)"
	// NotCommitted is the case that a deadlock-freedom verdict excludes when it rests on a choice of hops in a cyclic
	// graph: a packet that has committed to one hop and waits for it while another is free.
	NotCommitted = "a packet that may take several hops waits for any of them; routing that commits to one (a hash, " +
		"ECMP, a random choice) is not covered"
	Uncommitted kind = "uncommitted: " + NotCommitted

	// Left and Kept say what a packet at a dead end counts as. In the state graph it stays. A deadlock that can be
	// reached if it is discarded can be reached without: it need never have been sent. That is not so of starvation, as
	// one after the other may pass by a packet that waits, and then be discarded.
	Left kind = "left: a packet at a dead end violates delivery; the deadlock verdict treats it as discarded"
	Kept kind = "kept: a packet at a dead end violates delivery; the starvation verdict keeps it in its channel, " +
		"where it blocks others"
)

// Packets says how packets move that are in one channel at a time.
type Packets struct {
	said
	Switching  spec.Switching
	PerChannel int // with wormhole switching one is
}

func (p Packets) String() string {
	if p.Switching == spec.Wormhole {
		return "wormhole switching, packets that fit into one channel, one packet per channel"
	}
	return fmt.Sprintf("%s switching, %s per channel", p.Switching, words.Plural(p.PerChannel, "packet"))
}

// Flits says how the flits of packets move.
type Flits struct {
	said
	Length          int // of a packet, or spec.AnyLength
	PerChannel      int
	Elastic, Shared bool // see [spec.Scenario]
}

func (f Flits) String() string {
	how := "all flits of a packet advance together with its head"
	if f.Elastic {
		how = "flits move one at a time"
	}
	sharing := "a channel belongs to one packet at a time"
	if f.Shared {
		sharing = "a packet may enter a channel behind the tail of another"
	}
	length := "any length"
	if f.Length != spec.AnyLength {
		length = words.Plural(f.Length, "flit")
	}
	return fmt.Sprintf("wormhole switching, packets of %s, %s per channel, %s, %s",
		length, words.Plural(f.PerChannel, "flit"), how, sharing)
}

// Rooms says how much room some hops need.
type Rooms struct {
	said
	Packets int // at most
}

func (r Rooms) String() string {
	return fmt.Sprintf("room: some hops are permitted only while up to %d packets still fit into their channel", r.Packets)
}

// Bubble says what a packet needs to enter a dimension.
type Bubble struct {
	said
	Places int // free
	// Dimensions and Others: there are links with a dimension, and links without one, which count as one together.
	Dimensions, Others bool
}

func (b Bubble) String() string {
	enters := "enters a dimension"
	switch {
	case !b.Dimensions:
		enters = "is injected (links have no dimension, so no hop turns into one)"
	case b.Others:
		enters += " (links without one count as one)"
	}
	return fmt.Sprintf("bubble: a packet %s only if %d buffers there are free", enters, b.Places)
}

// RequestBuffer says what can keep a node from taking a packet.
type RequestBuffer struct {
	said
	Name  string
	Slots int  // per node
	Fills bool // it may: there is not one for each message that can be outstanding
	Worms bool // with wormhole switching
}

func (r RequestBuffer) String() string {
	of := fmt.Sprintf("request buffer %s, %s per node", r.Name, words.Plural(r.Slots, "slot"))
	if !r.Fills {
		return of + ": one for each message that can be outstanding to it, so it never fills"
	}
	of += ": a message that is replied to keeps a slot until its reply has left, any other is consumed at once"
	if r.Worms {
		of += " (the head of the reply may leave before all of the request is in)"
	}
	return of
}

// Outstanding says how many requests of a class a node may have; of another class, perhaps fewer.
type Outstanding struct {
	said
	Most, Least int
}

func (o Outstanding) String() string {
	text := fmt.Sprintf("a node has at most %s of a class outstanding", words.Plural(o.Most, "request"))
	if o.Least < o.Most {
		text += fmt.Sprintf(" (of another, at most %d)", o.Least)
	}
	return text + ": traces keep to this bound, and certificates hold without it"
}

// OnlyFlows counts who may send when traffic is unbounded.
type OnlyFlows struct {
	said
	Flows   int
	Replies bool // some nodes reply
}

func (o OnlyFlows) String() string {
	text := fmt.Sprintf("only %s may send, at any time", words.Plural(o.Flows, "flow"))
	if o.Replies {
		text += "; a flow is a request of one node with all that is sent because of it"
	}
	return text
}

// AtMost bounds the packets that are sent.
type AtMost struct {
	said
	Packets int
}

func (a AtMost) String() string {
	return fmt.Sprintf("at most %s in all", words.Plural(a.Packets, "packet"))
}

// Once counts packets that are sent once.
type Once struct {
	said
	Packets int
}

func (o Once) String() string { return words.Plural(o.Packets, "packet") + ", each injected once" }

// Sinks says when packets that have arrived are consumed.
type Sinks struct {
	said
	Hold int // packets
}

func (s Sinks) String() string {
	return fmt.Sprintf("sinks hold %s and consume at any time", words.Plural(s.Hold, "packet"))
}

// Selection names the selection function.
type Selection struct {
	said
	Name string
}

func (s Selection) String() string { return "selection " + s.Name }

// StronglyFair names the rules that are.
type StronglyFair struct {
	said
	Rules []string
}

func (s StronglyFair) String() string {
	const most = 6
	names := s.Rules
	if n := len(names) - most; n > 1 {
		names = append(names[:most:most], words.Plural(n, "more rule"))
	}
	return "strongly fair, so taken if possible again and again: " + strings.Join(names, ", ")
}

// Over says which network a protocol runs over, by the name that it has there.
type Over struct {
	said
	Name, Network string
	Packets       Packets
	Selection     Fact
}

func (o Over) String() string {
	return fmt.Sprintf("%s is %s: %s, %s, %s", o.Name, o.Network, o.Packets, o.Selection, Asynchronous)
}

// OverDecides says what the protocol decides.
type OverDecides struct {
	said
	Name string // of the network
}

func (o OverDecides) String() string {
	return o.Name + ": the protocol decides who sends, and when a packet is consumed"
}

// OverStays says what becomes of a packet at a dead end.
type OverStays struct {
	said
	Name string // of the network
}

func (o OverStays) String() string { return o.Name + ": a packet at a dead end stays there" }
