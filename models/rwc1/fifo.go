package rwc1

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/models/parts"
	"github.com/seed-105a2da2/unknot/spec/program"
)

func newFIFO(p *program.Program, name string, depth int, values []string) parts.FIFO {
	return parts.NewFIFO(depth, func(k int) []program.Var { return []program.Var{p.Enum(name+" "+string(rune('a'+k)), values...)} })
}

// newTurns returns an arbiter of n FIFOs, with variables of a name.
func newTurns(p *program.Program, a Arbiter, n int, name string) *parts.Arbiter {
	return parts.NewArbiter(a.discipline(), n, func(i, k, values int) program.Var {
		if i >= 0 {
			return p.Var(fmt.Sprintf("%s: %d before %d", name, k, i), values)
		}
		last := p.Var(name, values)
		p.Init(last, n-1)
		return last
	})
}

// discipline is the arbiter by the name that all machines have for it.
func (a Arbiter) discipline() parts.Discipline {
	return [...]parts.Discipline{Rotate: parts.RoundRobin, Queue: parts.Queue, Fixed: parts.Fixed}[a]
}
