package combining

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/models/parts"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// part is one number of the messages of a lane: its name, how many values it has,
// 0 of the first included, and their names, if they have any.
type part struct {
	name   string
	values int
	names  []string
}

// named is a part whose values have names; "-" is 0.
func named(name string, names ...string) part {
	return part{name, len(names) + 1, append([]string{"-"}, names...)}
}

// newLane adds one direction of a link whose messages are several numbers.
func newLane(p *program.Program, name string, capacity int, numbers ...part) parts.FIFO {
	return parts.NewFIFO(capacity, func(place int) (slot []program.Var) {
		for _, x := range numbers {
			what := fmt.Sprintf("%s, %s", name, x.name)
			if place > 0 {
				what = fmt.Sprintf("%s, %s [%d]", name, x.name, place)
			}
			v := p.Var(what, x.values)
			p.Variables[v].Names = x.names
			slot = append(slot, v)
		}
		return slot
	})
}
