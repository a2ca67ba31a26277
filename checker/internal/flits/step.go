package flits

// AppendSuccessors appends the successors of s in the order of states.Traffic.Moves.
func (m *Machine) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	x := m.look(s)
	x.kinds = x.kinds[:0]
	dst = m.step(dst, s, x, m.possible(x))
	m.scratch.Put(x)
	return dst, nil
}

// step appends the successors by the given injections and by all other steps, and their kinds to
// those of x: the number of the injection, from 1 on; or heads plus, if a head arrives in a channel,
// the number of the channel, from 1 on.
func (m *Machine) step(dst, s []uint64, x *scratch, injections []int32) []uint64 {
	for _, i := range injections {
		in := &m.inject[i]
		x.kinds = append(x.kinds, 1+uint32(i))
		at := len(dst)
		dst = again(dst, s)
		m.arrive(dst[at:], x.views, &in.hop)
		if in.counter >= 0 {
			m.sent[in.counter].Add(dst[at:], 1)
		}
	}
	injected := len(dst)
	for _, c := range x.occupied {
		dst = m.moves(dst, s, x, c)
	}
	for _, sink := range m.sinks {
		if sink.Value(s) > 0 {
			at := len(dst)
			dst = again(dst, s)
			sink.Add(dst[at:], ^uint64(0))
			x.kinds = append(x.kinds, uint32(m.heads))
		}
	}
	x.stepped, x.moves = true, len(dst) > injected
	return dst
}

// again appends a state.
func again(dst, s []uint64) []uint64 {
	if len(s) == 1 { // avoids a call
		return append(dst, s[0])
	}
	return append(dst, s...)
}

// possible lists the injections that are possible. As no processor can predict which, it does
// not branch; but if all packets share one bound, that may be used up.
func (m *Machine) possible(x *scratch) []int32 {
	if m.spent(x) {
		return nil
	}
	n := 0
	for i, g := range m.gates {
		x.list[n] = int32(i)
		n += int(x.open[g[0]] & x.open[g[1]])
	}
	return x.list[:n]
}

// spent reports whether the one bound that all packets share is used up.
func (m *Machine) spent(x *scratch) bool { return len(m.sent) == 1 && x.open[m.always-1] == 0 }

// moves appends what the first packet of a channel can do, and what its source can,
// if more flits are to enter there.
func (m *Machine) moves(dst, s []uint64, x *scratch, c int32) []uint64 {
	ch, v := &m.channels[c], x.views
	y := &v[c]
	before := len(dst)
	switch p := &y.first; {
	case p.out == headHere:
		hops := ch.rows[p.header].hops
		for k := range hops {
			if h := &hops[k]; x.open[h.gate] != 0 {
				at := len(dst)
				dst = again(dst, s)
				after := dst[at:]
				m.arrive(after, v, h)
				ch.places[0].Add(after, h.left)
				m.leave(after, v, c)
				x.kinds = append(x.kinds, uint32(m.heads+1+int(h.to)))
			}
		}
	case m.follows(v, p):
		at := len(dst)
		dst = again(dst, s)
		after := dst[at:]
		if p.out != ejected {
			m.channels[p.out].places[v[p.out].count-1].Add(after, uint64(m.rests))
		}
		m.leave(after, v, c)
		x.kinds = append(x.kinds, uint32(m.heads))
	}
	y.leaves = y.first.out == headHere && len(dst) > before
	if y.last.rest == 0 {
		return dst
	}
	if m.elastic && y.flits < m.capacity {
		at := len(dst)
		dst = again(dst, s)
		more := uint64(m.rests)
		if !m.anyLength {
			more--
		}
		ch.places[y.count-1].Add(dst[at:], more)
		x.kinds = append(x.kinds, uint32(m.heads))
	}
	if m.anyLength {
		at := len(dst)
		dst = again(dst, s)
		m.finish(dst[at:], v, c)
		x.kinds = append(x.kinds, uint32(m.heads))
	}
	return dst
}

// follows reports whether a flit of the first piece of a channel can follow
// the head, which has left.
func (m *Machine) follows(v []view, p *piece) bool {
	if p.flits == 0 {
		return false
	}
	return p.out == ejected || m.elastic && v[p.out].flits < m.capacity
}

// arrive puts a head into the channel that a hop leads to.
func (m *Machine) arrive(after []uint64, v []view, h *hop) {
	if h.to != ejected && v[h.to].count == 0 {
		after[h.word] += h.value << (h.shift & 63)
	} else if h.to != ejected {
		m.channels[h.to].places[v[h.to].count].Put(after, h.value)
	} else if h.sink >= 0 {
		m.sinks[h.sink].Add(after, 1)
	}
}

// leave takes one flit of the first packet out of channel c, as states.Traffic
// does: unless packets are elastic, the flits behind it move up, channel by channel.
// The channel that the head went to holds one piece more than v says; that makes no
// difference, since no channel feeds one that accepted a head.
func (m *Machine) leave(after []uint64, v []view, c int32) {
	for {
		ch, x := &m.channels[c], &v[c]
		fed := x.feeder != nobody && x.count == 1
		flits, rest := x.first.flits-1, x.first.rest
		change := -m.rests
		if !m.elastic && rest > 0 {
			flits++
			change += m.rests
			if !m.anyLength {
				change--
			}
		}
		if !m.elastic && fed {
			flits++
			change += m.rests
		}
		switch {
		case flits == 0 && rest == 0 && !fed:
			last := len(ch.places) - 1
			for i := range last {
				ch.places[i].Put(after, ch.places[i+1].Value(after))
			}
			ch.places[last].Put(after, 0)
		case change != 0:
			ch.places[0].Add(after, uint64(int64(change)))
		}
		if m.elastic || !fed {
			return
		}
		c = x.feeder
	}
}

// finish ends the packet entering channel c at its source. The last flit may be
// far ahead already: channels behind it are given up.
func (m *Machine) finish(after []uint64, v []view, c int32) {
	x := &v[c]
	m.channels[c].places[x.count-1].Add(after, uint64(-int64(x.last.rest)))
	for x.last.flits == 0 && x.last.out != headHere {
		m.channels[c].places[x.count-1].Put(after, 0)
		if c = x.last.out; c == ejected {
			return
		}
		x = &v[c]
	}
}
