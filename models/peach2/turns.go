package peach2

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/models/parts"
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

// arbitrate has those that put packets into the same buffer take turns, where more
// than one does: links and the host. A host does not show that it wants to send, so
// nobody gives way to it. A packet that wants room goes on wanting it until it has
// it; so nobody is passed twice by the same one, and when room is there it is for the
// packet alone.
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
	var wants []program.Expr
	for _, x := range h.transfers {
		if x.to != to || x.buffer != buffer {
			continue
		}
		i := slices.Index(from, x.from)
		if i < 0 {
			i = len(from)
			from, wants = append(from, x.from), append(wants, program.Or())
		}
		if x.from != nil {
			wants[i] = program.Or(wants[i], program.And(x.guard...))
		}
	}
	if len(from) < 2 {
		return
	}
	turns := parts.NewArbiter(parts.RoundRobin, len(from), func(_, _, values int) program.Var {
		last := h.p.Var(fmt.Sprintf("last at %s buffer %d", to.name(), buffer), values)
		h.p.Init(last, values-1)
		return last
	})
	for s := range h.transfers {
		if x := &h.transfers[s]; x.to == to && x.buffer == buffer {
			i := slices.Index(from, x.from)
			x.may = append(x.may, turns.Turn(i, wants))
			x.effect = append(x.effect, turns.Wins(i, wants)...)
		}
	}
}
