package star

import (
	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// FIFOs that arbitrate. A source waits for a FIFO if one of its steps that push into it
// lacks only room or turns in FIFOs that arbitrate. Whether it is a
// source's turn is a part of the step, like a call of also. The condition and the changes
// of that part depend on the conditions of the other sources' rules, so all rules are
// evaluated before any is written.

// arbiter decides who pushes into a FIFO: round-robin, or in batches, as on buses (the batching or
// assured-access protocols; Vernon and Manber, ISCA 1988).
type arbiter struct {
	fifo    *slot
	of      *slot // what was declared: the FIFO, or an array of FIFOs
	sources *keys
	turns   []*slot // batch, by source: whether it waited when another was served out of turn
	last    *slot   // round-robin: the one that was served last
	waits   map[int]waiting
}

func newArbiter(arbiting string, of, fifo *slot, sources *keys, memory *slot) *arbiter {
	a := &arbiter{fifo: fifo, of: of, sources: sources, waits: map[int]waiting{}}
	if arbiting == "round-robin" {
		a.last = memory
	} else {
		a.turns = memory.in
	}
	return a
}

// waiting is the condition under which a source waits.
type waiting struct {
	*program.Expr
	size int // operators
}

// turnOf is the part of a step in which a source takes its turn to push into a FIFO.
type turnOf struct {
	of     *arbiter
	source starlark.Value
	by     int // number of the source; -1: no source, which yields to all
	at     position
	guard  program.Expr
}

// lateArbiter is what the file says of FIFOs with arbiters whose sources are inferred.
type lateArbiter struct {
	name, arbiting string
	fifos          *slot
	every          []*slot         // one, or one for each key
	given          bool            // the file lists sources
	listed         map[*slot]*keys // by FIFO
	at             position
}

func (a *arbiter) number(source starlark.Value) int {
	if a.sources != nil { // which are not known while they are inferred
		if i, known := a.sources.number[keyText(source)]; known {
			return i
		}
	}
	return -1
}
