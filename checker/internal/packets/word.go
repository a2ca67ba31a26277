package packets

import (
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/place"
)

// wordMachine is the machine with one packet a channel, states of at most 62 bits, at
// most one counter that goes beyond 1, and no sinks: the form of most explored networks. A
// move is possible if certain bits of the state are 0, and adds a number to it. Half of the
// moves are possible, in no pattern that a processor can predict, so next does not branch:
// it writes every successor, and counts it if it is one. Where a header has fewer moves
// than another in its channel, moves that are never possible pad the list. With few packets
// most channels are empty, so next visits the occupied ones, by the lowest bits of their
// places, which ascend as channels do.
type wordMachine struct {
	inject   []wordMove
	bounded  bool // all injections need spent
	channels []wordChannel
	at       [64]uint8 // by lowest bit of a place: its channel
	low      uint64    // the lowest bits of all places
	folds    []uint64  // folds[k]: those of the places wider than k+1 bits
	moves    []wordMove
	labels   []int32 // by move of a channel
	most     int
	sent     place.Place // counts injections, which need spent; there is none if its mask is 0
	limit    uint64
}

// wordMove is possible if the bits of busy are 0 in busy(s), and leads to s + add.
type wordMove struct{ busy, add uint64 }

const (
	never = 1 << 63
	spent = 1 << 62 // set while nothing is left to inject
)

// busy returns a state with the bits that rule moves out in it.
func (w *wordMachine) busy(s uint64) uint64 {
	t := s | never
	if w.sent.Mask != 0 && s>>(w.sent.Shift&63)&w.sent.Mask >= w.limit {
		t |= spent
	}
	return t
}

// wordChannel has moves[base+v*each:][:each] for the value v of its place.
type wordChannel struct {
	shift uint
	mask  uint64
	base  int
	each  int
}

// newWordMachine returns nil if m does not have that form.
func newWordMachine(m *Machine) *wordMachine {
	if m.t.Layout().Bits() > 62 || m.sinks != nil {
		return nil
	}
	w := &wordMachine{}
	into := func(mv *move) wordMove {
		if mv.to < 0 {
			return wordMove{}
		}
		p := m.channels[mv.to].places[0]
		return wordMove{busy: p.Mask << p.Shift, add: mv.value << p.Shift}
	}
	for i := range m.inject {
		mv, counted := into(&m.inject[i]), &m.inject[i]
		if p := counted.source; counted.counter >= 0 {
			mv.add += 1 << p.Shift
			switch {
			case counted.limit == 1:
				mv.busy |= p.Mask << p.Shift
			case w.sent.Mask == 0 || w.sent == p:
				mv.busy |= spent
				w.sent, w.limit = p, counted.limit
			default:
				return nil
			}
		}
		w.inject = append(w.inject, mv)
	}
	w.bounded = !slices.ContainsFunc(w.inject, func(mv wordMove) bool { return mv.busy&spent == 0 })
	w.most = len(w.inject)
	label := len(w.inject)
	for i := range m.channels {
		ch := &m.channels[i]
		if len(ch.places) > 1 || ch.counts {
			return nil
		}
		p := ch.places[0]
		if p.Mask != 0 {
			if w.low>>(p.Shift&63) != 0 {
				return nil
			}
			w.at[p.Shift&63], w.low = uint8(i), w.low|1<<p.Shift
		}
		for k := range bits.Len64(p.Mask >> 1) {
			if k == len(w.folds) {
				w.folds = append(w.folds, 0)
			}
			w.folds[k] |= 1 << p.Shift
		}
		c := wordChannel{shift: p.Shift, mask: p.Mask, base: len(w.moves)}
		for v := 1; v < len(ch.first); v++ {
			c.each = max(c.each, ch.first[v]-ch.first[v-1])
		}
		for v := range p.Mask + 1 {
			for k := range c.each {
				mv, number := wordMove{busy: never}, 0
				if v > 0 && int(v) < len(ch.first) && ch.first[v-1]+k < ch.first[v] {
					number = ch.first[v-1] + k
					mv = into(&ch.moves[number])
					mv.add -= v << p.Shift
				}
				w.moves, w.labels = append(w.moves, mv), append(w.labels, int32(label+number))
			}
		}
		w.channels = append(w.channels, c)
		w.most += c.each
		label += len(ch.moves)
	}
	return w
}

// occupied returns the lowest bits of the places that hold a packet.
func (w *wordMachine) occupied(s uint64) uint64 {
	occupied := s & w.low
	for k, fold := range w.folds {
		occupied |= s >> ((k + 1) & 63) & fold
	}
	return occupied
}

// injections returns the injections; nil if none is possible as all are used up.
func (w *wordMachine) injections(busy uint64) []wordMove {
	if w.bounded && busy&spent != 0 {
		return nil
	}
	return w.inject
}

func (w *wordMachine) successors(dst []uint64, s uint64) []uint64 {
	begin := len(dst)
	if cap(dst)-begin <= w.most {
		dst = append(dst, make([]uint64, w.most+1)...)
	}
	out := dst[begin : begin+w.most+1]
	n := 0
	t := w.busy(s)
	for _, mv := range w.injections(t) {
		out[n] = s + mv.add
		possible := 0
		if t&mv.busy == 0 {
			possible = 1
		}
		n += possible
	}
	for left := w.occupied(s); left != 0; left &= left - 1 {
		ch := &w.channels[w.at[bits.TrailingZeros64(left)&63]]
		at := ch.base + int(s>>(ch.shift&63)&ch.mask)*ch.each
		for _, mv := range w.moves[at : at+ch.each] {
			out[n] = s + mv.add
			possible := 0
			if t&mv.busy == 0 {
				possible = 1
			}
			n += possible
		}
	}
	return dst[:begin+n]
}

// label appends the labels of the successors that next appends.
func (w *wordMachine) label(dst []int32, s uint64) []int32 {
	begin := len(dst)
	dst = slices.Grow(dst, w.most+1)
	out := dst[begin : begin+w.most+1]
	n := 0
	t := w.busy(s)
	for i, mv := range w.injections(t) {
		out[n] = int32(i)
		possible := 0
		if t&mv.busy == 0 {
			possible = 1
		}
		n += possible
	}
	for left := w.occupied(s); left != 0; left &= left - 1 {
		ch := &w.channels[w.at[bits.TrailingZeros64(left)&63]]
		at := ch.base + int(s>>(ch.shift&63)&ch.mask)*ch.each
		labels := w.labels[at : at+ch.each]
		for k, mv := range w.moves[at : at+ch.each] {
			out[n] = labels[k]
			possible := 0
			if t&mv.busy == 0 {
				possible = 1
			}
			n += possible
		}
	}
	return dst[:begin+n]
}
