package p3

// Zone is the position of a target as seen from one PE.
type Zone struct {
	Edges  uint32 // edges, by number, over which the zone's rule sends the packet; none inside the region
	Corner int    // the corner in whose wedge (zone B) the target lies, or -1
}

// view holds the lines that bound the zones of one PE, by edge.
type view struct {
	out   []line // the edge itself; positive outside
	start []line // perpendicular at the edge's first corner; positive along the edge
	end   []line // perpendicular at its second corner; positive beyond the edge
	flat  []bool // by corner: 180°
}

func (p *Plane) views() []view {
	vs := make([]view, len(p.Regions))
	for i, r := range p.Regions {
		v := &vs[i]
		for e := range r.Corners {
			from, to := r.edge(e)
			v.out = append(v.out, lineThrough(from, to))
			v.start = append(v.start, perpendicular(from, from, to))
			v.end = append(v.end, perpendicular(to, from, to))
			v.flat = append(v.flat, turn(r.Corners[r.edgeInto(e)], from, to) == 0)
		}
	}
	return vs
}

// zone finds the zones of a target. The wedge at a corner is the set of points whose
// nearest point of the region is the corner: behind the start of the edge that begins
// there, and beyond the end of the one that ends there.
func (v *view) zone(c *Cell, border Border) Zone {
	z := Zone{Corner: -1}
	n := len(v.out)
	beyond := v.end[n-1].of(c, border) // the end of the edge before
	for e := range n {
		out, start, end := v.out[e].of(c, border), v.start[e].of(c, border), v.end[e].of(c, border)
		if out >= 0 && start >= 0 && end <= 0 {
			z.Edges |= 1 << e
		}
		if start <= 0 && beyond >= 0 && (!v.flat[e] || out >= 0) {
			z.Edges |= 1<<e | 1<<((e+n-1)%n)
			z.Corner = e
		}
		beyond = end
	}
	return z
}
