// Package proofs holds certificates, the evidence for a verdict "holds" about a network,
// and their check ([Verify]). Evidence about the states of machines is in package
// machines, evidence for answers to questions in package answers.
//
// A certificate is checked in one pass that compares numbers. Some may be left out that
// follow from the network, and are worked out first (derived.go). Nothing here knows
// how it was found; only package spec is shared with the checker: the tables, their
// reader, and the topology.
package proofs

import "github.com/seed-105a2da2/unknot/spec"

// Kind says what the numbers of a certificate mean. Throughout, a site has
// arrived when its row permits Eject or Discard, which is always free, and a dead end is a site whose row is
// empty. Dead ends are delivery faults: for certificates of deadlock freedom a
// packet there counts as discarded, and [Arrival] admits none.
type Kind uint8

const (
	// Rank shows freedom from deadlock under every switching: every hop leads
	// into a channel of lower rank, so the channel dependency graph is acyclic
	// (Dally and Seitz, 1987).
	Rank Kind = iota + 1
	// Escape shows freedom from deadlock with store-and-forward and virtual
	// cut-through: every site that has not arrived, dead ends apart, permits a
	// hop into a channel of lower rank than its own (Duato 1996; Verbeek and
	// Schmaltz 2011). Among blocked packets the one in the channel of lowest
	// rank would find that hop's channel empty.
	Escape
	// ExtendedEscape shows freedom from deadlock with wormhole switching. Held is
	// a lower bound on the ranks of all channels that a packet may still
	// occupy when its head stands at the site; every site that has not arrived,
	// dead ends apart, permits a hop into a channel of lower rank than that.
	// The ranks order the extended channel dependency graph of Duato (1993,
	// 1995) with direct, indirect and cross dependencies. If packets blocked
	// each other forever, follow such hops from packet to packet: each is
	// into a channel held by the next one, whose own hop has lower rank still.
	ExtendedEscape
	// Measure shows freedom from livelock: every hop into a channel lowers the
	// measure of the packet's site, so no packet moves forever. The rank of a channel
	// may be the measure of its sites, here and in Arrival.
	Measure
	// Arrival shows delivery: every source and every site permits a hop, Eject
	// only at the destination but Discard anywhere, and from every site that has not arrived some
	// hop lowers the measure, so the destination or a discard stays within reach.
	Arrival
	// NoDiscard shows that no packet is discarded: no row of the network permits Discard or, if Once lists flows, no row
	// that their packets meet. It has no numbers.
	NoDiscard
)

// Certificate is evidence for a verdict "holds".
type Certificate struct {
	Network   spec.Digest // of the network that it is about
	Property  spec.Property
	Switching spec.Switching // assumed for Deadlock; irrelevant to the other properties
	Kind      Kind
	Once      []spec.Flow // NoDiscard: of the scenario that it is about ([spec.Scenario]); nil: whatever flows send

	// Rank is indexed by network channel, for Rank, Escape and ExtendedEscape, and where it is
	// the measure; else nil. Ranks are at least 0 and may repeat.
	Rank []int32
	// Held is indexed by site (spec.Table.First + i), for ExtendedEscape; else nil. If it is nil there, too, the largest
	// numbers are meant that the ranks allow.
	Held []int32
	// Measure is indexed by site, for Measure and Arrival without Rank; else nil. At least 0. If it is nil there,
	// too, the distance is meant from the node that the site's channel leads to, to the destination, in links.
	Measure []int32
}
