package findings

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// How large the smallest deadlock is.

const (
	// NoFewer: the deadlock shown is a smallest one.
	NoFewer kind = "no-fewer: no fewer can"
	// NoSmaller: whether it is was not looked for.
	NoSmaller kind = "no-smaller: whether there is a smaller one was not looked for: that is known of local " +
		"deadlocks only"

	// MovesOnly, NetworkTooLarge: why no more is known.
	MovesOnly       kind = "moves-only: exploring finds the fewest moves, not the fewest channels"
	NetworkTooLarge kind = "network-too-large: the network is too large"

	// ChannelMoves, PacketMoves and ShorterVisited: why so many moves are needed.
	ChannelMoves   kind = "channel-moves: each channel of a deadlock takes one"
	PacketMoves    kind = "packet-moves: each packet of a deadlock takes one"
	ShorterVisited kind = "shorter-visited: all states that fewer moves reach were visited (unchecked)"
)

// Size is that of a deadlock. What is 0 is not said.
type Size struct {
	Packets, Channels, Moves int
}

func (s Size) String() string {
	switch {
	case s.Moves > 0:
		return words.Plural(s.Moves, "move")
	case s.Packets == 0:
		return words.Plural(s.Channels, "channel")
	case s.Channels == 0:
		return words.Plural(s.Packets, "packet")
	}
	return words.Plural(s.Packets, "packet") + " in " + words.Plural(s.Channels, "channel")
}

// because ends a sentence with why no more is known; "" if that is not said.
func because(why words.Sentence) string {
	if why.IsZero() {
		return ""
	}
	return ": " + why.String()
}

// FewestBetween bounds the size of the smallest deadlock.
type FewestBetween struct {
	said
	Least int // in the first unit of Most
	Most  Size
	Why   words.Sentence // no more is known; zero if that is not said
}

func (f FewestBetween) String() string {
	return fmt.Sprintf("the fewest are between %d and %s%s", f.Least, f.Most, because(f.Why))
}

// AtLeastSize bounds the size of a deadlock that is not known to be possible.
type AtLeastSize struct {
	said
	Least Size
	Why   words.Sentence // no more is known; zero if that is not said
}

func (a AtLeastSize) String() string {
	return fmt.Sprintf("if there is a deadlock, it has at least %s%s", a.Least, because(a.Why))
}

// AtLeastMoves bounds the moves to a deadlock that is not known to be possible.
type AtLeastMoves struct {
	said
	Least int
	Why   Fact
}

func (a AtLeastMoves) String() string {
	return fmt.Sprintf("if there is a deadlock, at least %d moves lead to it: %s", a.Least, a.Why)
}

// MovesBound says why the fewest moves are no fewer.
type MovesBound struct {
	said
	Least int
	Why   Fact
}

func (m MovesBound) String() string { return fmt.Sprintf("at least %d: %s", m.Least, m.Why) }

// NoFewerMoves says that a trace to a deadlock is a shortest one.
type NoFewerMoves struct {
	said
	Why Fact
}

func (n NoFewerMoves) String() string { return "no fewer moves lead to a deadlock: " + n.Why.String() }

// ProofTooLong says why a search for a smaller deadlock ended.
type ProofTooLong struct {
	said
	Numbers int
}

func (p ProofTooLong) String() string {
	return fmt.Sprintf("a proof would take more than %d numbers", p.Numbers)
}

// SearchTooLong says why a search for a smaller deadlock ended.
type SearchTooLong struct {
	said
	Propagations int64
}

func (s SearchTooLong) String() string {
	return fmt.Sprintf("neither a set nor a proof within %d propagations", s.Propagations)
}
