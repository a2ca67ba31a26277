package checker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// What verdicts take for granted, in sentences.

const (
	drain        = "sinks always drain"
	asynchronous = "any delay (asynchronous)"
	// keptOut follows where packets need room for several.
	keptOut = "a packet that others keep out of such room is starved, not deadlocked"
)

// assumptions lists what the static decision of a network assumes.
func assumptions(n *spec.Network) []words.Sentence {
	how := fmt.Sprintf("%s switching, %s per channel", n.Switching(), words.Plural(n.Buffer(), "packet"))
	if n.Switching() == spec.Wormhole {
		how = "wormhole switching, packets of any length, a channel belongs to one packet at a time"
	}
	as := said(how, senders(n), selection(n), drain, asynchronous)
	as = append(as, said(rooms(n)...)...)
	return append(append(as, said(requestBuffers(n)...)...), said(deadEnds(n, deadlock)...)...)
}

// rooms says what hops of a network need that need room for several packets.
func rooms(n *spec.Network) []string {
	if n.Room() < 2 {
		return nil
	}
	return []string{
		fmt.Sprintf("room: some hops are permitted only while up to %d packets still fit into their channel", n.Room()),
		keptOut,
	}
}

// said makes sentences of words that are no form.
func said(all ...string) (sentences []words.Sentence) {
	for _, text := range all {
		sentences = append(sentences, words.Say("%s", text))
	}
	return sentences
}

// requestBuffers says what can keep a node from taking a packet.
func requestBuffers(n *spec.Network) []string {
	topo := n.Topology()
	var used []bool // by channel; made for the first request buffer
	var as []string
	seen, fills := map[string]bool{}, map[string]bool{} // by name: some packet is in such a request buffer
	for l := range spec.LinkID(topo.Links()) {
		link := topo.Link(l)
		if link.From != link.To {
			continue
		}
		if used == nil {
			used = channelsIn(n)
		}
		fills[link.Out] = fills[link.Out] || used[topo.Channel(l, 0)]
	}
	for l := range spec.LinkID(topo.Links()) {
		link := topo.Link(l)
		if link.From != link.To {
			continue
		}
		of := fmt.Sprintf("request buffer %s, %s per node", link.Out, words.Plural(link.VCs*n.Capacity(), "slot"))
		if fills[link.Out] || len(n.Windows()) == 0 {
			of += ": a message that is replied to keeps a slot until its reply has left, any other is consumed at once"
			if n.Switching() == spec.Wormhole {
				of += " (the head of the reply may leave before all of the request is in)"
			}
		} else {
			of += ": one for each message that can be outstanding to it, so it never fills"
		}
		if !seen[of] {
			seen[of] = true
			as = append(as, of)
		}
	}
	if bounds := n.Windows(); len(bounds) > 0 {
		text := fmt.Sprintf("a node has at most %s of a class outstanding", words.Plural(slices.Max(bounds), "request"))
		if least := slices.Min(bounds); least < slices.Max(bounds) {
			text += fmt.Sprintf(" (of another, at most %d)", least)
		}
		as = append(as, text+": traces keep to this bound, and certificates hold without it")
	}
	if len(as) == 0 && len(n.Classes()) > 1 {
		return []string{"dependencies between classes at the request buffers are not modelled"}
	}
	return as
}

// channelsIn marks the channels that some packet reaches.
func channelsIn(n *spec.Network) []bool {
	used := make([]bool, n.Topology().Channels())
	mark := func(t *spec.Table) {
		for _, c := range t.Channels {
			used[c] = true
		}
	}
	for f := range n.Fragments() {
		t := n.Fragment(int32(f))
		mark(&t)
	}
	for i := range n.Tables() {
		mark(n.Stored(i))
	}
	return used
}

// What a packet at a dead end counts as. In the state graph it stays. A deadlock that can be reached if it is
// discarded can be reached without: it need never have been sent. That is not so of starvation, as one after the
// other may pass by a packet that waits, and then be discarded.
const (
	discarded = "a packet at a dead end violates delivery; the deadlock verdict treats it as discarded"
	kept      = "a packet at a dead end violates delivery; the starvation verdict keeps it in its channel, where it " +
		"blocks others"
)

// deadEnds says what a packet without a permitted hop counts as for a property, if some row of
// the network permits none.
func deadEnds(n *spec.Network, property string) []string {
	for r := range n.RowCount() {
		switch {
		case len(n.Row(spec.RowID(r))) > 0:
		case property == starvation:
			return []string{kept}
		default:
			return []string{discarded}
		}
	}
	return nil
}

// senders says who may send to whom when traffic is unbounded.
func senders(n *spec.Network) string {
	nodes := n.Topology().Nodes()
	all := n.FlowCount() == len(n.Classes())*nodes*(nodes-1)
	sends := make([]bool, n.Fragments()) // whether it has sources: most have none
	for f := range sends {
		sends[f] = len(n.Fragment(int32(f)).Sources) > 0
	}
	for i := 0; all && i < n.Tables(); i++ {
		t := n.Stored(i)
		itself := len(t.SourcesOf(t.Dest)) > 0
		for _, f := range t.Fragments {
			if sends[f] && !itself {
				p := n.Fragment(f)
				itself = len(p.SourcesOf(t.Dest)) > 0
			}
		}
		all = !itself
	}
	switch {
	case n.FlowCount() == 0:
		return "no node sends anything"
	case all:
		return "every node may send to every other at any time"
	}
	only := fmt.Sprintf("only %s may send, at any time", words.Plural(n.FlowCount(), "flow"))
	topo := n.Topology()
	for l := range spec.LinkID(topo.Links()) {
		if link := topo.Link(l); link.From == link.To { // a request buffer
			return only + "; a flow is a request of one node with all that is sent because of it"
		}
	}
	return only
}

// WorkConserving is what a verdict assumes of a selection function, here and in the guide: a packet that finds one of
// its hops free takes one that is, and looks again as long as it waits.
const WorkConserving = "any work-conserving selection function"

// Uncommitted is what a verdict that a network never deadlocks does not cover if a cyclic dependency graph and
// several hops are behind it: a packet that has picked one of them, and waits for it while another is free.
const Uncommitted = "a packet that may take several hops waits for any of them; routing that commits to one (a hash, " +
	"ECMP, a random choice) is not covered"

// within follows WorkConserving where the routing commits packets to alternatives.
const within = " within an alternative; anything may decide which one (a hash, ECMP, a random choice)"

// selection names the selection function, or says what is assumed of it.
func selection(n *spec.Network) string {
	if s := n.Selection(); s != "" {
		return "selection " + s
	}
	if n.Alternatives() > 0 {
		return WorkConserving + within
	}
	return WorkConserving
}

// uncommitted notes in a verdict what [Uncommitted] says, where that makes a difference: an acyclic dependency graph
// covers committed packets, too.
func (f *Finding) uncommitted(n *spec.Network) {
	if f.Property != deadlock || f.Verdict != spec.Holds {
		return
	}
	if c, ok := f.Evidence.(evidence.Certificate); ok && c.Certificate.Kind == proofs.Rank {
		return
	}
	for r := range n.RowCount() {
		if r := spec.RowID(r); !n.Leaves(r) && len(n.OwnHops(n.Row(r))) > 1 {
			f.Notes = append(f.Notes, words.Say(Uncommitted))
			return
		}
	}
}

// trafficAssumptions lists what a verdict on a property of a network's traffic assumes.
func trafficAssumptions(t *states.Traffic, property string) []words.Sentence {
	n, sc := t.Network(), t.Scenario()
	as := said(transport(t))
	if sc.Bubble > 1 {
		as = append(as, said(bubble(n.Topology(), sc.Bubble), keptOut)...)
	}
	as = append(as, said(rooms(n)...)...)
	switch flows, _ := t.SentOnce(); {
	case sc.Packets > 0:
		as = append(as, words.Say("at most %s in all", words.Count{N: sc.Packets, Of: "packet"}))
	case len(flows) > 0:
		as = append(as, words.Say("%s, each injected once", words.Count{N: len(sc.Once), Of: "packet"}))
	default:
		as = append(as, words.Say("%s", senders(n)))
	}
	as = append(as, words.Say("%s", selection(n)))
	if sc.Sink > 0 {
		as = append(as, words.Say("sinks hold %s and consume at any time", words.Count{N: sc.Sink, Of: "packet"}))
	} else {
		as = append(as, words.Say(drain))
	}
	as = append(as, words.Say(asynchronous))
	return append(append(as, said(requestBuffers(n)...)...), said(deadEnds(n, property)...)...)
}

// bubble says what a packet needs to enter a dimension. Links without a dimension count as one together.
func bubble(t *spec.Topology, places int) string {
	with, without := false, false
	for l := range spec.LinkID(t.Links()) {
		if link := t.Link(l); link.From != link.To {
			with, without = with || link.Dim > 0, without || link.Dim == 0
		}
	}
	enters := "enters a dimension"
	switch {
	case !with:
		enters = "is injected (links have no dimension, so no hop turns into one)"
	case without:
		enters += " (links without one count as one)"
	}
	return fmt.Sprintf("bubble: a packet %s only if %d buffers there are free", enters, places)
}

// strongly lists the actions of a program that are assumed to be strongly fair.
func strongly(m states.Machine) []words.Sentence {
	const most = 6
	p, ok := m.(*program.Machine)
	if !ok {
		return nil
	}
	var names []string
	seen := map[string]bool{}
	for _, r := range p.Program().Rules {
		if r.Strong && !seen[r.Name] {
			seen[r.Name], names = true, append(names, r.Name)
		}
	}
	switch n := len(names) - most; {
	case len(names) == 0:
		return nil
	case n > 1:
		names = append(names[:most], words.Plural(n, "more rule"))
	}
	return []words.Sentence{
		words.Say("strongly fair, so taken if possible again and again: %s", strings.Join(names, ", ")),
	}
}

// overNetworks lists what a protocol that runs over networks assumes of them.
func overNetworks(m states.Machine) (as []words.Sentence) {
	p, ok := m.(*program.Machine)
	if !ok || star.SourceOf(p.Program()) == nil {
		return nil
	}
	for _, over := range star.SourceOf(p.Program()).Networks() {
		n := over.Network
		as = append(as,
			words.Say("%s is %s: %s, %s, %s", over.Name, n.Name(), wholePackets(n), selection(n), asynchronous),
			words.Say("%s: the protocol decides who sends, and when a packet is consumed", over.Name))
		if deadEnds(n, deadlock) != nil {
			as = append(as, words.Say("%s: a packet at a dead end stays there", over.Name))
		}
	}
	return as
}

// transport says how packets, or the flits of messages, move.
func transport(t *states.Traffic) string {
	sc := t.Scenario()
	if !sc.Flits() {
		return wholePackets(t.Network())
	}
	how := "all flits of a packet advance together with its head"
	if sc.Elastic {
		how = "flits move one at a time"
	}
	sharing := "a channel belongs to one packet at a time"
	if sc.Shared {
		sharing = "a packet may enter a channel behind the tail of another"
	}
	length := "any length"
	if sc.Length != spec.AnyLength {
		length = words.Plural(sc.Length, "flit")
	}
	return fmt.Sprintf("wormhole switching, packets of %s, %s per channel, %s, %s",
		length, words.Plural(t.Capacity(), "flit"), how, sharing)
}

// wholePackets says how packets move that are in one channel at a time.
func wholePackets(n *spec.Network) string {
	if n.Switching() == spec.Wormhole {
		return "wormhole switching, packets that fit into one channel, one packet per channel"
	}
	return fmt.Sprintf("%s switching, %s per channel", n.Switching(), words.Plural(n.Capacity(), "packet"))
}
