package flits

// Labels appends a number for the step to each successor that Next appends.
// Steps with the same label are the same action (states.Traffic.Action), though one
// action may have several labels: injections come first; then, for every channel,
// the hops of its first head, what follows a head that has gone, flits that enter
// at the source, and ends of messages there, each by the header and by the hop
// taken; last what the sinks do.
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

// outs is what another hop taken adds to a value: the number of values that have
// header and hop taken in common.
func (m *Machine) outs() int32 { return (m.most + 1) * m.rests }

// slots counts the pairs of a header and a hop taken, or none, of a channel.
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
