package findings

import "fmt"

// What a change of tables comes to.

const (
	// AcyclicInForce and the next ones: why no mixture of the tables does harm.
	AcyclicInForce kind = "acyclic-in-force: dependencies between channels are acyclic, whatever tables are in force"
	RoomInTheEnd   kind = "room-in-the-end: once the rewriting has ended, a packet always has room to move, " +
		"wherever it was before"
	RoomInForce   kind = "room-in-force: a packet always has room to move, whichever table it follows"
	EndsInTheEnd  kind = "ends-in-the-end: no packet moves forever in the last tables, wherever it was before"
	EndsInForce   kind = "ends-in-force: no packet moves forever in any mixture of the tables"
	LeadsInTheEnd kind = "leads-in-the-end: the last tables lead home from wherever a packet was before"
	LeadsInForce  kind = "leads-in-force: every table in force leads on, and no packet moves forever in any mixture"
	// RoundAtFirst notes that a packet may circle, though not forever.
	RoundAtFirst kind = "round-at-first: while tables are mixed, a packet may go round until more of them have " +
		"been rewritten"

	// Mixed: why deadlock is unknown; NotExcluded follows where hops need room for several packets.
	Mixed kind = "mixed: mixed tables leave a deadlock possible, but no order of rewriting is known in which it " +
		"comes about, and none that avoids it"
	NotExcluded kind = "not-excluded: ; the free places that hops keep do not exclude it"
	// MovesForever and GoesAstray: why livelock and delivery are.
	MovesForever kind = "moves-forever: a mixture of the tables lets a packet move forever, but no order of " +
		"rewriting is known in which it does"
	GoesAstray kind = "goes-astray: a mixture of the tables lets a packet go where it does not arrive, but no " +
		"order of rewriting is known in which it does"

	// GoesRound, NoHop, WrongNode and NoWay: what a trace of one packet shows.
	GoesRound kind = "goes-round: a packet goes round forever"
	NoHop     kind = "no-hop: a packet comes where its table has no hop for it"
	WrongNode kind = "wrong-node: a packet leaves the network at a node that is not its destination"
	NoWay     kind = "no-way: a packet comes where no way leads to its destination"

	// NoRoundsKnown, NoRounds and NoRoundsTried: why there are no rounds.
	NoRoundsKnown kind = "no-rounds-known: no change in rounds is known to be safe: after some rounds, no set of " +
		"other routers can be rewritten next"
	NoRounds kind = "no-rounds: no change in rounds is safe: after some rounds, no set of other routers can " +
		"be rewritten next"
	NoRoundsTried kind = "no-rounds-tried: no change in rounds that was tried is safe: by coordinates of the " +
		"nodes, or one router after the other"
)

// TableFaulty says what a table does to a packet that no order of rewriting is known to lead there.
type TableFaulty struct {
	said
	By error // what the table does
}

func (t TableFaulty) String() string {
	return fmt.Sprintf("%s, but no order of rewriting is known in which a packet meets that", t.By)
}
