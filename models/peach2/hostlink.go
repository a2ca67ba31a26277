package peach2

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/models/parts"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// This file has the parts of the machine of hosts that a state consists of:
// packets, and links as lists of them.

// message is a packet on its way. A completion bears the address of who asked.
type message struct {
	kind    int
	by, of  int // who asked, and whom; -1: forgotten
	watched bool
}

// String is its name as the value of a place.
func (x message) String() string {
	watched := ""
	if x.watched {
		watched = ", watched"
	}
	switch {
	case x.kind == completion:
		return fmt.Sprintf("completion to %d%s", x.by, watched)
	case x.kind == nonPosted:
		return fmt.Sprintf("read of %d by %d%s", x.of, x.by, watched)
	case x.by < 0:
		return fmt.Sprintf("write to %d", x.of)
	}
	return fmt.Sprintf("write to %d by %d", x.of, x.by)
}

// node returns the node whose address a packet bears.
func (x message) node() int {
	if x.kind == completion {
		return x.by
	}
	return x.of
}

// answer returns the completion of a read.
func answer(x message) message {
	return message{kind: completion, by: x.by, of: -1, watched: x.watched}
}

// link is one list of packets.
type link struct {
	from   Jack // Internal: from the host
	lane   int
	values []message // by value of a place less 1; by kind
	places parts.FIFO
}

// name is such as "0.E" or "host 0".
func (k *link) name() string {
	s := k.from.String()
	if k.from.Port == Internal {
		s = fmt.Sprintf("host %d", k.from.Board)
	}
	if k.lane > 0 {
		s += fmt.Sprintf(" lane %d", k.lane)
	}
	return s
}

// end is the board at the end of a link.
func (h *hosts) end(k *link) int {
	if k.from.Port == Internal {
		return k.from.Board
	}
	return h.wiring[k.from.Board][k.from.Port].jack.Board
}

// is says that a place of a link holds a packet of a kind that accepts.
func (k *link) is(place program.Var, accepts func(kind int) bool) program.Expr {
	var ranges []program.Expr
	for v := 0; v < len(k.values); {
		kind, first := k.values[v].kind, v
		for v < len(k.values) && k.values[v].kind == kind {
			v++
		}
		if accepts(kind) { // values first+1..v
			ranges = append(ranges, program.And(program.Lt(first, place), program.Le(place, v)))
		}
	}
	return program.Or(ranges...)
}

// push puts a packet behind the last one of a link that has room for it. There is
// a free place then, as there are as many as the buffers hold packets.
func (k *link) push(x message) program.Stmt { return k.places.Push(slices.Index(k.values, x) + 1) }
