package peach2

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// transfer is a rule of the machine of hosts before arbitration.
type transfer struct {
	name   string
	guard  []program.Expr // what makes a packet want to go on
	may    []program.Expr // what lets it: room and, with turns, its turn
	effect []program.Stmt
	from   *link // nil: a host sends
	to     *link // nil: the packet leaves the network
	buffer int   // of link to
}

// Design of the turns.
//
// Those that put packets into the same buffer have numbers: the host, if it is one
// of them, and links. A variable says whose turn it is. Whoever wants room gives
// way to those that want it and come between the one whose turn it is and itself,
// in a cycle; after whoever goes it is the next one's turn. A host does not show
// that it wants to send, so nobody gives way to it. A packet that wants room goes
// on wanting it until it has it; so nobody is passed twice by the same one, and
// when room is there it is for the packet alone.

// arbitrate adds the turns to the steps, where more than one wants the same buffer.
func (h *hosts) arbitrate() {
	if !h.Turns {
		return
	}
	for _, to := range h.links {
		for buffer := range h.holds {
			h.takeTurns(to, buffer)
		}
	}
}

func (h *hosts) takeTurns(to *link, buffer int) {
	var from []*link // nil for the host
	wants := map[*link][]program.Expr{}
	for _, x := range h.transfers {
		if x.to != to || x.buffer != buffer {
			continue
		}
		if !slices.Contains(from, x.from) {
			from = append(from, x.from)
		}
		if x.from != nil {
			wants[x.from] = append(wants[x.from], program.And(x.guard...))
		}
	}
	n := len(from)
	if n < 2 {
		return
	}
	turn := h.p.Var(fmt.Sprintf("turn at %s buffer %d", to.name(), buffer), n)
	for s := range h.transfers {
		x := &h.transfers[s]
		if x.to != to || x.buffer != buffer {
			continue
		}
		i := slices.Index(from, x.from)
		for j, other := range from {
			if j == i || other == nil {
				continue
			}
			var ahead []program.Expr // it is the turn of t, and j comes before i from there on
			for t := range n {
				if (j-t+n)%n < (i-t+n)%n {
					ahead = append(ahead, program.Eq(turn, t))
				}
			}
			x.may = append(x.may, program.Not(program.And(program.Or(ahead...), program.Or(wants[other]...))))
		}
		x.effect = append(x.effect, program.Set(turn, (i+1)%n))
	}
}
