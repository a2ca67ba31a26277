package packets

import (
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
)

// What is wrong with a state, as defined by states.Traffic.Stuck. A packet is held up
// as long as all of its hops lead into channels without room whose first packets are
// held up, too.

// The kinds of values of a channel's first place.
const (
	waits  = iota // for all channels of its hops
	leaves        // may leave the network
	deadEnd
)

// Inspector looks at states. It is safe for concurrent use.
type Inspector struct {
	m     *Machine
	kinds [][]uint8  // by channel and value
	lost  [][]bool   // by channel and value - 1; nil for a channel where no packet is lost
	words []wordKind // by wordMachine channel: words[from[i]+value]; nil without a wordMachine
	from  []int
}

// wordKind is what inspectWord has to know about the first packet of a channel.
// A set of channels is the lowest bits of their places.
type wordKind struct {
	wants uint64 // channels that it waits for; all bits if it does not wait
	waits uint64 // 1 if it waits
	flags uint64 // see below
}

const (
	flagLeaves = 1 << iota
	flagLost
)

// NewInspector returns an inspector of m's states.
func NewInspector(m *Machine) *Inspector {
	x := &Inspector{m: m}
	n := m.t.Network()
	lost := machines.Lost(m.t)
	for i := range m.channels {
		ch := &m.channels[i]
		headers, rows := m.t.Headers(ch.id)
		kinds := make([]uint8, 1, len(headers)+1)
		for k := range headers {
			switch hops := n.Row(rows[k]); {
			case len(hops) == 0:
				kinds = append(kinds, deadEnd)
			case hops[0].Channel != spec.Eject:
				kinds = append(kinds, waits)
			default:
				kinds = append(kinds, leaves)
			}
		}
		x.kinds = append(x.kinds, kinds)
		if !slices.Contains(lost[ch.id], true) {
			lost[ch.id] = nil
		}
		x.lost = append(x.lost, lost[ch.id])
	}
	if m.word != nil {
		x.prepareWords()
	}
	return x
}

// prepareWords fills in what inspectWord needs.
func (x *Inspector) prepareWords() {
	for i := range x.m.channels {
		ch := &x.m.channels[i]
		x.from = append(x.from, len(x.words))
		for v := range ch.places[0].Mask + 1 {
			k := wordKind{wants: ^uint64(0)}
			if v > 0 && int(v) < len(ch.first) {
				switch x.kinds[i][v] {
				case leaves:
					k.flags = flagLeaves
				case deadEnd:
				default:
					k.wants, k.waits = 0, 1
					for _, mv := range ch.moves[ch.first[v-1]:ch.first[v]] {
						k.wants |= 1 << x.m.channels[mv.to].places[0].Shift
					}
				}
				if x.lost[i] != nil && x.lost[i][v-1] {
					k.flags |= flagLost
				}
			}
			x.words = append(x.words, k)
		}
	}
}

// Inspect examines a state.
func (x *Inspector) Inspect(s []uint64) Condition {
	if x.words != nil {
		return x.inspectWord(s[0])
	}
	return x.inspectPlain(s)
}

// front returns the kind of the packet in the first of the given channels.
func (x *Inspector) front(s, channels uint64) *wordKind {
	i := x.m.word.at[bits.TrailingZeros64(channels)&63]
	ch := &x.m.word.channels[i]
	return &x.words[x.from[i]+int(s>>(ch.shift&63)&ch.mask)]
}

// inspectWord is Inspect for a wordMachine: sets of channels are bits, and the code
// for each occupied channel has no branches.
func (x *Inspector) inspectWord(s uint64) Condition {
	occupied := x.m.word.occupied(s)
	flags, moves, held := uint64(0), uint64(0), uint64(0)
	for left := occupied; left != 0; left &= left - 1 {
		k := x.front(s, left)
		flags |= k.flags
		open := k.wants &^ occupied
		free := (open | -open) >> 63 // 1 if it waits for an empty channel, or not at all
		moves |= free & k.waits
		held |= (1 - free) * (left & -left)
	}
	// A packet that waits for a channel that will get room can move later.
	for again := held != 0; again; {
		again = false
		for left := held; left != 0; left &= left - 1 {
			if x.front(s, left).wants&^held != 0 {
				held &^= left & -left
				again = true
			}
		}
	}
	return Condition{
		Empty: occupied == 0, Stuck: held != 0, Moves: moves != 0 || flags&flagLeaves != 0,
		Lost: flags&flagLost != 0,
	}
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
		v := ch.head(s)
		if v == 0 {
			continue
		}
		c.Empty = false
		held[i] = x.kinds[i][v] == waits
		for k := 0; x.lost[i] != nil && k < len(ch.places); k++ {
			if v := ch.places[k].Value(s); v > 0 {
				c.Lost = c.Lost || ch.counts || x.lost[i][v-1]
			}
		}
		for k := ch.first[v-1]; k < ch.first[v] && !c.Moves; k++ {
			_, c.Moves = m.possible(s, &ch.moves[k])
		}
	}
	if c.Empty {
		return c
	}
	for _, sink := range m.sinks {
		c.Moves = c.Moves || sink.Value(s) > 0
	}
	for again := true; again; {
		again = false
		c.Stuck = false
		for i := range m.channels {
			if !held[i] {
				continue
			}
			ch := &m.channels[i]
			v := ch.head(s)
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
