package checker

import (
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// What verdicts take for granted.

// assumptions lists what the static decision of a network assumes.
func assumptions(n *spec.Network) []words.Sentence {
	var how findings.Fact = findings.Packets{Switching: n.Switching(), PerChannel: n.Buffer()}
	if n.Switching() == spec.Wormhole {
		how = findings.LongPackets
	}
	as := []findings.Fact{how, senders(n), selection(n), findings.Drain, findings.Asynchronous}
	return findings.Each(slices.Concat(as, rooms(n), requestBuffers(n), deadEnds(n, deadlock))...)
}

// rooms says what hops of a network need that need room for several packets.
func rooms(n *spec.Network) []findings.Fact {
	if n.Room() < 2 {
		return nil
	}
	return []findings.Fact{findings.Rooms{Packets: n.Room()}, findings.KeptOut}
}

// requestBuffers says what can keep a node from taking a packet.
func requestBuffers(n *spec.Network) (as []findings.Fact) {
	topo := n.Topology()
	var used []bool                  // by channel; made for the first request buffer
	fills := map[string]bool{}       // by name: some packet is in such a request buffer
	seen := map[findings.Fact]bool{} // in as
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
		of := findings.RequestBuffer{
			Name: link.Out, Slots: link.VCs * n.Capacity(),
			Fills: fills[link.Out] || len(n.Windows()) == 0, Worms: n.Switching() == spec.Wormhole,
		}
		if !seen[of] {
			seen[of] = true
			as = append(as, of)
		}
	}
	if bounds := n.Windows(); len(bounds) > 0 {
		as = append(as, findings.Outstanding{Most: slices.Max(bounds), Least: slices.Min(bounds)})
	}
	if len(as) == 0 && len(n.Classes()) > 1 {
		return []findings.Fact{findings.ClassesAlone}
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

// deadEnds says what a packet without a permitted hop counts as for a property, if some row of
// the network permits none.
func deadEnds(n *spec.Network, property string) []findings.Fact {
	for r := range n.RowCount() {
		switch {
		case len(n.Row(spec.RowID(r))) > 0:
		case property == starvation:
			return []findings.Fact{findings.Kept}
		default:
			return []findings.Fact{findings.Left}
		}
	}
	return nil
}

// senders says who may send to whom when traffic is unbounded.
func senders(n *spec.Network) findings.Fact {
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
		return findings.NoSender
	case all:
		return findings.EverySender
	}
	only := findings.OnlyFlows{Flows: n.FlowCount()}
	topo := n.Topology()
	for l := range spec.LinkID(topo.Links()) {
		if link := topo.Link(l); link.From == link.To { // a request buffer
			only.Replies = true
			break
		}
	}
	return only
}

// WorkConserving is what a verdict assumes of a selection function, here and in the guide: a packet that finds one of
// its hops free takes one that is, and looks again as long as it waits.
const WorkConserving = findings.AnySelection

// Uncommitted is the case that a deadlock-freedom verdict excludes, here and in the guide, when it rests on a choice of
// hops in a cyclic graph: a packet that has committed to one hop and waits for it while another is free.
const Uncommitted = findings.NotCommitted

// selection names the selection function, or says what is assumed of it.
func selection(n *spec.Network) findings.Fact {
	if s := n.Selection(); s != "" {
		return findings.Selection{Name: s}
	}
	if n.Alternatives() > 0 {
		return findings.WorkConservingWithin
	}
	return findings.WorkConserving
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
			f.Notes = append(f.Notes, findings.Say(findings.Uncommitted))
			return
		}
	}
}

// trafficAssumptions lists what a verdict on a property of a network's traffic assumes.
func trafficAssumptions(t *states.Traffic, property string) []words.Sentence {
	n, sc := t.Network(), t.Scenario()
	as := []findings.Fact{transport(t)}
	if sc.Bubble > 1 {
		as = append(as, bubble(n.Topology(), sc.Bubble), findings.KeptOut)
	}
	as = append(as, rooms(n)...)
	switch flows, _ := t.SentOnce(); {
	case sc.Packets > 0:
		as = append(as, findings.AtMost{Packets: sc.Packets})
	case len(flows) > 0:
		as = append(as, findings.Once{Packets: len(sc.Once)})
	default:
		as = append(as, senders(n))
	}
	as = append(as, selection(n))
	if sc.Sink > 0 {
		as = append(as, findings.Sinks{Hold: sc.Sink})
	} else {
		as = append(as, findings.Drain)
	}
	as = append(as, findings.Asynchronous)
	return findings.Each(slices.Concat(as, requestBuffers(n), deadEnds(n, property))...)
}

// bubble says what a packet needs to enter a dimension.
func bubble(t *spec.Topology, places int) findings.Bubble {
	b := findings.Bubble{Places: places}
	for l := range spec.LinkID(t.Links()) {
		if link := t.Link(l); link.From != link.To {
			b.Dimensions, b.Others = b.Dimensions || link.Dim > 0, b.Others || link.Dim == 0
		}
	}
	return b
}

// strongly lists the actions of a program that are assumed to be strongly fair.
func strongly(m states.Machine) []words.Sentence {
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
	if names == nil {
		return nil
	}
	return findings.Each(findings.StronglyFair{Rules: names})
}

// overNetworks lists what a protocol that runs over networks assumes of them.
func overNetworks(m states.Machine) []words.Sentence {
	p, ok := m.(*program.Machine)
	if !ok || star.SourceOf(p.Program()) == nil {
		return nil
	}
	var as []findings.Fact
	for _, over := range star.SourceOf(p.Program()).Networks() {
		n := over.Network
		as = append(as,
			findings.Over{Name: over.Name, Network: n.Name(), Packets: wholePackets(n), Selection: selection(n)},
			findings.OverDecides{Name: over.Name})
		if deadEnds(n, deadlock) != nil {
			as = append(as, findings.OverStays{Name: over.Name})
		}
	}
	return findings.Each(as...)
}

// transport says how packets, or the flits of messages, move.
func transport(t *states.Traffic) findings.Fact {
	sc := t.Scenario()
	if !sc.Flits() {
		return wholePackets(t.Network())
	}
	return findings.Flits{Length: sc.Length, PerChannel: t.Capacity(), Elastic: sc.Elastic, Shared: sc.Shared}
}

// wholePackets says how packets move that are in one channel at a time.
func wholePackets(n *spec.Network) findings.Packets {
	return findings.Packets{Switching: n.Switching(), PerChannel: n.Capacity()}
}
