package static

import (
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Blocked says what waits for each other in a deadlock. It is a fact of a sentence, [words.Say]("%s", b), whether the
// tables, an exploration or a search for a smaller one found the deadlock.
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
