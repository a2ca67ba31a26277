package packets

// wordMachine is the machine with one packet a channel, states of one word, and
// neither counters nor sinks: the form that most explored networks have.
type wordMachine struct {
	inject   []wordMove
	channels []wordChannel
	first    []int32 // by wordChannel.base + value: moves[first[i]:first[i+1]]
	moves    []wordMove
	most     int
}

// wordMove is possible if the bits of busy are 0 in s, and leads to s + add.
type wordMove struct{ busy, add uint64 }

type wordChannel struct {
	shift uint
	mask  uint64
	base  int32
}

// newWordMachine returns nil if m does not have that form.
func newWordMachine(m *Machine) *wordMachine {
	if m.words > 1 || m.sinks != nil {
		return nil
	}
	w := &wordMachine{most: m.most}
	busy := func(mv *move) wordMove {
		if mv.to < 0 {
			return wordMove{}
		}
		p := m.channels[mv.to].places[0]
		return wordMove{busy: p.mask << p.shift, add: mv.value << p.shift}
	}
	for i := range m.inject {
		if m.inject[i].counter >= 0 {
			return nil
		}
		w.inject = append(w.inject, busy(&m.inject[i]))
	}
	for i := range m.channels {
		ch := &m.channels[i]
		if len(ch.places) > 1 {
			return nil
		}
		p := ch.places[0]
		w.channels = append(w.channels, wordChannel{p.shift, p.mask, int32(len(w.first)) - 1})
		for v := 1; v < len(ch.first); v++ {
			w.first = append(w.first, int32(len(w.moves)))
			for k := ch.first[v-1]; k < ch.first[v]; k++ {
				mv := busy(&ch.moves[k])
				mv.add -= uint64(v) << p.shift
				w.moves = append(w.moves, mv)
			}
		}
	}
	w.first = append(w.first, int32(len(w.moves)))
	return w
}

func (w *wordMachine) next(dst []uint64, s uint64) []uint64 {
	begin := len(dst)
	if cap(dst)-begin < w.most {
		dst = append(dst, make([]uint64, w.most)...)
	}
	out := dst[begin : begin+w.most]
	n := 0
	for i := range w.inject {
		if mv := &w.inject[i]; s&mv.busy == 0 {
			out[n] = s + mv.add
			n++
		}
	}
	for i := range w.channels {
		ch := &w.channels[i]
		v := s >> (ch.shift & 63) & ch.mask
		if v == 0 {
			continue
		}
		at := ch.base + int32(v)
		for _, mv := range w.moves[w.first[at]:w.first[at+1]] {
			if s&mv.busy == 0 {
				out[n] = s + mv.add
				n++
			}
		}
	}
	return dst[:begin+n]
}
