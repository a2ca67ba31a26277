package star

import (
	"sync"

	"github.com/seed-105a2da2/unknot/spec"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// placedHop is a hop with the place in the file that made it.
type placedHop struct {
	spec.Hop
	at *callPlace
}

// callPlace is the place of a call of hop; each is kept once and has a number.
type callPlace struct {
	position
	number uint32
}

// places are the call places of a relation.
type places struct {
	mu  sync.Mutex
	all map[position]*callPlace
}

func (p *places) of(at position) *callPlace {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.all[at]
	if kept == nil {
		if p.all == nil {
			p.all = map[position]*callPlace{}
		}
		kept = &callPlace{at, uint32(len(p.all))}
		p.all[at] = kept
	}
	return kept
}

// lastPlace is where hop was last called, and the calls around it.
type lastPlace struct {
	around []syntax.Position
	at     *callPlace
}

// callsAround appends the places of the calls around a remembered call.
func callsAround(to []syntax.Position, t *starlark.Thread) []syntax.Position {
	for i := 1; i < t.CallStackDepth(); i++ {
		if pos := t.DebugFrame(i).Position(); pos.Line > 0 {
			to = append(to, pos)
		}
	}
	return to
}
