// Package counterexamples holds traces, the evidence for a verdict "violated" about
// a network, and replays them with the reference step of package spec.
//
// Like package proofs it imports nothing of the checker.
package counterexamples

import "github.com/seed-105a2da2/unknot/spec"

// Fault says what a trace shows at its end.
type Fault uint8

const (
	// Deadlock: the channels in Stuck are a stuck set (spec.Waiting.Waits): the
	// first packet of each never leaves it, because every hop that it may take leads
	// into channels of the set that have no room.
	Deadlock Fault = iota + 1
	// Loop: one packet returns to a site where it has been before, after the
	// moves from index Back on; it may do so forever.
	Loop
	// DeadEnd: the packet at Site has no permitted hop.
	DeadEnd
	// Unrouted: the source at Site, an injection channel, has no permitted hop.
	Unrouted
	// Misdelivery: the last move ejects a packet at a node that is not its destination.
	Misdelivery
	// Trap: the packet at Site can move, but never arrive.
	Trap
	// Discarded: the last move discards a packet, on purpose.
	Discarded
)

// Notion is the notion by which a Deadlock is one. Global implies weak,
// weak implies local.
type Notion uint8

const (
	// Local: some packet is stuck.
	Local Notion = iota
	// Weak: some packet is stuck, and nothing can happen but injections.
	Weak
	// Global: some packet is stuck, and nothing can happen, not even an injection.
	Global
)

var notionNames = [...]string{"local", "weak", "global"}

// String returns "local", "weak" or "global".
func (x Notion) String() string { return notionNames[min(x, Global)] }

// NotionOf returns the strongest notion by which a state in which some packet is
// stuck is a deadlock.
func NotionOf(t *spec.Traffic, s spec.Occupancy) Notion {
	notion, first := Global, make([]spec.Move, 1) // one injection is enough, of any flow
	for _, m := range t.Moves(first[:0], &s, func(spec.Flow) bool { return first[0] == spec.Move{} }) {
		if notion = Weak; m.Kind != spec.Advance || !m.From.IsInjection() {
			return Local
		}
	}
	return notion
}

// Trace is evidence for a verdict "violated": moves from the empty network.
type Trace struct {
	Network  spec.Digest
	Scenario spec.Scenario // how the network is run; without bounds on traffic, see spec.Scenario.Steps
	Property spec.Property
	Fault    Fault
	Moves    []spec.Move

	Stuck  []spec.ChannelID // Deadlock: ascending
	Notion Notion           // Deadlock
	Back   int              // Loop: index of the loop's first move
	Site   spec.Site        // DeadEnd, Unrouted, Trap
}
