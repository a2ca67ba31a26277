package simulate

// If a network is larger than the caches, each flit waits for memory. So what a region needs is read ahead, in short
// loops that do not branch on what they read: the processor then waits for many cache lines at once. This affects
// only the time.

const large = 1 << 15 // lanes, or routes

// touchLanes reads lanes: those that get credits back, or flits behind a head.
func (e *engine) touchLanes(of []int32) {
	sum := int32(0)
	for _, v := range of {
		sum += e.lanes[v].count
	}
	e.touched = sum
}

// touchArrivals reads the lanes that heads arrive in, and their routes.
func (e *engine) touchArrivals(of []arrival) {
	sum := int32(0)
	for i := range of {
		a := &of[i]
		l := &e.lanes[a.to]
		sum += l.count + e.fronts[a.to].packet
		if r := e.routes; a.packet != none && r.search == nil {
			sum += r.sites[r.place(a.table, int32(a.to), l.in, a.tag)].at
		}
	}
	if e.routes.search != nil && len(of) > 0 {
		if cap(e.asked) < len(of) {
			e.asked = make([]int32, 2*len(of))
		}
		sum += e.routes.search.touch(of, e.asked[:len(of)])
	}
	e.touched = sum
}

// touchRouted reads the routes that heads have got, and the first VC of each.
func (e *engine) touchRouted(of []int32) {
	sum := int32(0)
	for _, v := range of {
		f := &e.fronts[v]
		n := &e.nodes[f.node]
		sum += n.waiting + e.heads[n.first]
		if row := e.routes.permitted(f.row); len(row) > 0 {
			sum += e.lanes[max(row[0].Channel, 0)].owner + e.lanes[max(row[len(row)-1].Channel, 0)].owner
		}
	}
	e.touched = sum
}

// touchBidders reads the ports that lanes compete for, the lanes at both ends and, for a tail, what follows it.
func (e *engine) touchBidders(of []bidder) {
	sum := int32(0)
	for i := range of {
		b := &of[i]
		l, ends := &e.lanes[b.lane], int32(0)
		if l.rest == 1 {
			ends = b.lane
		}
		sum += e.ports[b.in].lastIn + e.ports[b.out].lastOut + e.lanes[max(l.out, 0)].count + e.fronts[ends].behind
	}
	e.touched = sum
}
