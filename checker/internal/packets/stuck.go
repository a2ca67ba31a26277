package packets

import (
	"math/bits"

	"github.com/seed-105a2da2/unknot/spec"
)

// What is wrong with a state, by the definitions of spec.Traffic.Stuck. A
// packet is held up as long as every hop that it has leads into a channel
// without room whose first packet is held up too.

// Condition is what Inspect finds in a state.
type Condition struct {
	Empty     bool // no packet is in a network channel
	Moves     bool // something but an injection is possible
	Stuck     bool // some packet can never move again
	DeadEnd   bool // some first packet has no permitted hop
	Misplaced bool // some first packet may leave the network where it should not
}

// kind of a value of a channel's first place.
const (
	waits     = iota // for all of its hops' channels
	leaves           // may leave the network
	leavesBad        // may leave it, not at its destination
	deadEnd
)

// Inspector looks at states. It is safe for concurrent use.
type Inspector struct {
	m     *Machine
	kinds [][]uint8  // by channel and value
	masks [][]uint64 // by channel and value: channels that it waits for; nil unless bits suffice
}

// NewInspector returns an inspector of m's states.
func NewInspector(m *Machine) *Inspector {
	x := &Inspector{m: m}
	n := m.t.Network()
	topo := n.Topology()
	for i := range m.channels {
		ch := &m.channels[i]
		headers, rows := m.t.Headers(ch.id)
		kinds := make([]uint8, 1, len(headers)+1)
		for k, h := range headers {
			switch hops := n.Row(rows[k]); {
			case len(hops) == 0:
				kinds = append(kinds, deadEnd)
			case hops[0].Channel != spec.Eject:
				kinds = append(kinds, waits)
			case topo.Head(ch.id) == h.Dest:
				kinds = append(kinds, leaves)
			default:
				kinds = append(kinds, leavesBad)
			}
		}
		x.kinds = append(x.kinds, kinds)
	}
	if m.word != nil && len(m.channels) <= 64 {
		for i := range m.channels {
			ch := &m.channels[i]
			masks := make([]uint64, len(x.kinds[i]))
			for v := 1; v < len(masks); v++ {
				for _, mv := range ch.moves[ch.first[v-1]:ch.first[v]] {
					if mv.to >= 0 {
						masks[v] |= 1 << mv.to
					}
				}
			}
			x.masks = append(x.masks, masks)
		}
	}
	return x
}

// Inspect finds out about a state.
func (x *Inspector) Inspect(s []uint64) Condition {
	if x.masks != nil {
		return x.inspectWord(s[0])
	}
	return x.inspectPlain(s)
}

// inspectWord is Inspect with one packet a channel and at most 64 channels: sets
// of channels are bits.
func (x *Inspector) inspectWord(s uint64) Condition {
	var c Condition
	occupied, held := uint64(0), uint64(0) // held: waits, not at a dead end
	var wants [64]uint64
	for i := range x.m.word.channels {
		ch := &x.m.word.channels[i]
		v := s >> (ch.shift & 63) & ch.mask
		if v == 0 {
			continue
		}
		occupied |= 1 << i
		switch x.kinds[i][v] {
		case waits:
			held |= 1 << i
			wants[i&63] = x.masks[i][v]
		case leavesBad:
			c.Misplaced = true
			c.Moves = true
		case leaves:
			c.Moves = true
		default:
			c.DeadEnd = true
		}
	}
	c.Empty = occupied == 0
	// At first what waits for an empty channel can move; what waits for a channel
	// that will get room can move later.
	for first, again := true, true; again; first = false {
		again = false
		for left := held; left != 0; left &= left - 1 {
			i := bits.TrailingZeros64(left)
			if first && wants[i]&^occupied != 0 {
				c.Moves = true
			}
			if wants[i]&^held != 0 {
				held &^= 1 << i
				again = true
			}
		}
	}
	c.Stuck = held != 0
	return c
}

// inspectPlain is Inspect for every machine.
func (x *Inspector) inspectPlain(s []uint64) Condition {
	c := Condition{Empty: true}
	m := x.m
	var few [256]bool
	held := few[:]
	if len(m.channels) > len(few) {
		held = make([]bool, len(m.channels))
	}
	for i := range m.channels {
		ch := &m.channels[i]
		v := ch.places[0].of(s)
		if v == 0 {
			continue
		}
		c.Empty = false
		switch x.kinds[i][v] {
		case waits:
			held[i] = true
		case leavesBad:
			c.Misplaced = true
		case deadEnd:
			c.DeadEnd = true
		}
		for k := ch.first[v-1]; k < ch.first[v] && !c.Moves; k++ {
			_, c.Moves = m.possible(s, &ch.moves[k])
		}
	}
	for _, sink := range m.sinks {
		c.Moves = c.Moves || sink.of(s) > 0
	}
	for again := true; again; {
		again = false
		c.Stuck = false
		for i := range m.channels {
			if !held[i] {
				continue
			}
			ch := &m.channels[i]
			v := ch.places[0].of(s)
			for k := ch.first[v-1]; k < ch.first[v]; k++ {
				mv := &ch.moves[k]
				if _, free := m.channels[mv.to].room(s); !held[mv.to] || free >= mv.need {
					held[i], again = false, true
					break
				}
			}
			c.Stuck = c.Stuck || held[i]
		}
	}
	return c
}
