package star

import (
	"encoding/binary"
	"sync"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec"
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

func (p *places) intern(at position) *callPlace {
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

// memo keeps the answers of route. It is divided so that the goroutines of a
// compilation seldom wait for each other; within a part equal rows are stored
// once, since a router gives the same few answers over and over.
type memo struct {
	parts [64]part
}

type part struct {
	mu   sync.RWMutex
	rows map[spec.Site][]placedHop
	same map[string][]placedHop
}

func (m *memo) part(s spec.Site) *part {
	x := uint64(uint32(s.Channel))*0x9e3779b97f4a7c15 + uint64(uint32(s.Header.Dest))*0xc2b2ae3d27d4eb4f +
		uint64(s.Header.Class)<<16 + uint64(s.Header.Tag)
	return &m.parts[(x*0x9e3779b97f4a7c15)>>58]
}

// find returns the row that was kept for a site. It must not be changed.
func (m *memo) find(s spec.Site) ([]placedHop, bool) {
	p := m.part(s)
	p.mu.RLock()
	defer p.mu.RUnlock()
	row, ok := p.rows[s]
	return row, ok
}

// keep stores a copy of a row. Long rows are not stored but computed again: the places of their
// hops would take more memory than everything else.
func (m *memo) keep(s spec.Site, row []placedHop) {
	const mostHops = 64
	if len(row) > mostHops {
		return
	}
	var space [256]byte
	key := space[:0]
	for _, h := range row {
		key = binary.LittleEndian.AppendUint32(key, uint32(h.Channel))
		key = binary.LittleEndian.AppendUint16(key, uint16(h.Tag))
		key = binary.LittleEndian.AppendUint32(key, h.at.number)
	}
	p := m.part(s)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rows == nil {
		p.rows, p.same = map[spec.Site][]placedHop{}, map[string][]placedHop{}
	}
	kept, ok := p.same[string(key)]
	if !ok {
		kept = append([]placedHop(nil), row...)
		p.same[string(key)] = kept
	}
	p.rows[s] = kept
}
