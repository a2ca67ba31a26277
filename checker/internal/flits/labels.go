package flits

// Labels appends a number for the step to each successor that AppendSuccessors appends. Steps with
// the same label are the same action (states.Traffic.Action), though one action may
// have several labels: injections come first; then, for every channel, the hops of its
// first head, flits that follow a head, flits that enter at the source, and ends of
// packets there, each by the header and by the hop taken; last the steps of the
// sinks.
func (m *Machine) Labels(dst []int32, s []uint64) []int32 {
	x := m.look(s)
	dst = append(dst, m.possible(x)...)
	label, k := int32(len(m.inject)), 0
	for i := range m.channels {
		slots := m.slots(&m.channels[i])
		if k < len(x.occupied) && x.occupied[k] == int32(i) {
			dst = m.moveLabels(dst, s, x, i, label, slots)
			k++
		}
		label += 4 * slots
	}
	for i, sink := range m.sinks {
		if sink.Value(s) > 0 {
			dst = append(dst, label+int32(i))
		}
	}
	m.scratch.Put(x)
	return dst
}

// slots counts the pairs of a header and a hop taken (or none) of a channel.
func (m *Machine) slots(ch *channel) int32 { return int32(len(ch.pieces)-1) / m.outs() }

// moveLabels appends the labels of what [Machine.moves] appends.
func (m *Machine) moveLabels(dst []int32, s []uint64, x *scratch, c int, base, slots int32) []int32 {
	ch, v := &m.channels[c], x.views
	y := &v[c]
	slot := func(place int32) int32 { return int32(ch.places[place].Value(s)-1) / m.outs() }
	switch p := &y.first; {
	case p.out == headHere:
		hops := ch.rows[p.header].hops
		for k := range hops {
			if x.open[hops[k].gate] != 0 {
				dst = append(dst, base+slot(0)+1+int32(k))
			}
		}
	case m.follows(v, p):
		dst = append(dst, base+slots+slot(0))
	}
	if y.last.rest == 0 {
		return dst
	}
	last := slot(y.count - 1)
	if m.elastic && y.flits < m.capacity {
		dst = append(dst, base+2*slots+last)
	}
	if m.anyLength {
		dst = append(dst, base+3*slots+last)
	}
	return dst
}

// Answers appends the steps that answer responses of Claims, among those that AppendSuccessors appends: for each
// the number of the step and that of the response, in ascending order of steps.
//
// A channel is answered only by a step that takes a flit, or the rest of a packet, out of it. An injection
// takes none. If the first packet of a channel moves, flits leave that channel and, if they shift as a
// whole, those behind it along the packet; if a packet ends, the channels ahead along it may be given up.
// Only these are compared.
func (m *Machine) Answers(dst [][2]int32, s, next []uint64) [][2]int32 {
	x := m.look(s)
	k, words := int32(len(m.possible(x))), len(s)
	for _, c := range x.occupied {
		y := &x.views[c]
		heads := int32(0)
		switch p := &y.first; {
		case p.out == headHere:
			for _, h := range m.channels[c].rows[p.header].hops {
				heads += int32(x.open[h.gate])
			}
		case m.follows(x.views, p):
			heads = 1
		}
		for range heads {
			dst = m.answersBehind(dst, s, next[int(k)*words:][:words], x.views, k, c)
			k++
		}
		if y.last.rest == 0 {
			continue
		}
		if m.elastic && y.flits < m.capacity {
			k++ // a flit that enters
		}
		if m.anyLength {
			dst = m.answersAhead(dst, s, next[int(k)*words:][:words], x.views, k, c)
			k++
		}
	}
	m.scratch.Put(x)
	return dst
}

// answersBehind appends the answers of a step that takes a flit out of channel c; see leave.
func (m *Machine) answersBehind(dst [][2]int32, s, after []uint64, v []view, k, c int32) [][2]int32 {
	for {
		if m.channels[c].movedOn(s, after) {
			dst = append(dst, [2]int32{k, c})
		}
		if m.elastic || v[c].feeder == nobody || v[c].count > 1 {
			return dst
		}
		c = v[c].feeder
	}
}

// answersAhead appends the answers of the end of the packet entering channel c; see finish.
func (m *Machine) answersAhead(dst [][2]int32, s, after []uint64, v []view, k, c int32) [][2]int32 {
	for c >= 0 {
		if m.channels[c].movedOn(s, after) {
			dst = append(dst, [2]int32{k, c})
		}
		if v[c].last.flits > 0 {
			return dst
		}
		c = v[c].last.out
	}
	return dst
}
