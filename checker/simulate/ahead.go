package simulate

import "github.com/seed-105a2da2/unknot/spec"

// If a network is larger than the caches, each flit waits for memory. So what a block of flits needs is read ahead, in
// short loops that do not branch on what they read: the processor then waits for many cache lines at once. Only the time
// depends on it.

const (
	block = 64
	large = 1 << 15 // lanes, of 64 bytes
)

// touchCredits reads the lanes that credits return to.
func (e *engine) touchCredits(of []int32) {
	sum := int32(0)
	for _, c := range of {
		sum += e.lanes[c].credits
	}
	e.touched = sum
}

// touchArrivals reads the lanes that flits arrive in, those that they go on to, and the ports of both.
func (e *engine) touchArrivals(of []arrival) {
	sum, lanes := int32(0), e.lanes
	for _, a := range of {
		if a.to != spec.Eject {
			sum += lanes[a.to].count
		}
		if a.message != none {
			sum += e.messages[a.message].length
		}
	}
	for _, a := range of {
		if a.to == spec.Eject {
			continue
		}
		l := &lanes[a.to]
		sum += e.ports[l.in].in.best
		if l.out >= 0 {
			sum += lanes[l.out].credits
		}
		if a.message != none {
			m := &e.messages[a.message]
			sum += e.routes.sites[e.routes.place(m.table, int32(a.to), l.in, m.tag)].at
			sum += e.nodes[l.node].waiting
		}
	}
	for _, a := range of {
		if a.to != spec.Eject && lanes[a.to].out >= 0 {
			sum += e.ports[lanes[lanes[a.to].out].in].in.best
		}
	}
	e.touched = sum
}

// touchWinners reads the lanes that send a flit, and those that it goes to.
func (e *engine) touchWinners(ports []int32) {
	sum := int32(0)
	for _, p := range ports {
		l := &e.lanes[e.compete[e.ports[p].out.best].lane]
		if sum += l.count; l.out >= 0 {
			sum += e.lanes[l.out].credits
		}
	}
	e.touched = sum
}
