package packets

import "github.com/seed-105a2da2/unknot/spec/states"

// DeliverFirst is the machine with fewer orders of steps: if a packet at the
// front of some channel can only leave the network, that is the only step.
//
// This keeps every stuck state reachable. The delivery is possible in every state until
// it is taken. It commutes with every other step: it frees a place, and a step that puts a
// packet behind commutes with taking the first one out. And what is stuck stays stuck. So
// in a run to a stuck state the delivery can be moved to the front or, if the run lacks it,
// inserted there: the rest of the run stays possible and ends with the same packets stuck.
// Deliveries alone cannot continue forever, so no step is postponed forever. (A persistent set of
// one step, Godefroid 1996.)
type DeliverFirst struct {
	*Machine
	deliver [][]bool // by channel and value: the packet can only leave
}

// DeliverFirst returns the reduced machine. With finite sinks deliveries depend
// on each other, and nothing is left out.
func (m *Machine) DeliverFirst() *DeliverFirst {
	d := &DeliverFirst{Machine: m}
	for i := range m.channels {
		ch := &m.channels[i]
		deliver := make([]bool, len(ch.first))
		for v := 1; v < len(ch.first) && m.sinks == nil; v++ {
			moves := ch.moves[ch.first[v-1]:ch.first[v]]
			deliver[v] = len(moves) == 1 && moves[0].to < 0
		}
		d.deliver = append(d.deliver, deliver)
	}
	return d
}

// AppendSuccessors appends the one delivery, or all successors if there is none.
func (d *DeliverFirst) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	for i := range d.channels {
		ch := &d.channels[i]
		if v := ch.head(s); d.deliver[i][v] {
			return d.take(dst, s, ch, &ch.moves[ch.first[v-1]]), nil
		}
	}
	return d.Machine.AppendSuccessors(dst, s)
}

// Layout returns the layout of the traffic.
func (d *DeliverFirst) Layout() *states.Layout { return d.Machine.Layout() }
