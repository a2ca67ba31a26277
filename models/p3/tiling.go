package p3

import (
	"errors"
	"fmt"
)

// Why the checks below are enough. Each region is a convex polygon, run
// counter-clockwise: it winds once around its inside and not around its outside.
// An edge that two regions run in opposite directions cancels in the sum of all
// regions, so the sum winds around a point as often as the edges of the border
// do, which are run once. If these form one loop that does not meet itself and
// runs counter-clockwise, that is once inside and not at all outside: every
// point inside lies in exactly one region (points on edges apart), and no region
// sticks out. A second loop is a hole (a gap) or a second plane.

// directed is an edge as one region runs it.
type directed struct{ from, to Point }

// side is one region's side of an edge.
type side struct{ region, edge int }

func (p *Plane) check() error {
	const mostRegions = 1 << 12
	if len(p.Regions) == 0 || len(p.Regions) > mostRegions {
		return fmt.Errorf("%d regions: want 1 to %d", len(p.Regions), mostRegions)
	}
	names := map[string]bool{}
	for i, r := range p.Regions {
		if names[r.Name] {
			return fault(i, 0, "a second region is called %q", r.Name)
		}
		names[r.Name] = true
		if err := convex(i, r); err != nil {
			return err
		}
	}
	sides := map[directed]side{}
	for i, r := range p.Regions {
		for e := range r.Corners {
			from, to := r.edge(e)
			if old, twice := sides[directed{from, to}]; twice {
				what := "they overlap"
				if _, third := sides[directed{to, from}]; third {
					what = "it is shared by three"
				}
				return fault(i, e, "the edge %v-%v of %s lies on the same side of %s: %s", from, to, r.Name, p.Regions[old.region].Name, what)
			}
			sides[directed{from, to}] = side{i, e}
		}
	}
	p.Across = make([][]int, len(p.Regions))
	var border []side
	for i, r := range p.Regions {
		p.Across[i] = make([]int, len(r.Corners))
		for e := range r.Corners {
			from, to := r.edge(e)
			if other, ok := sides[directed{to, from}]; ok {
				p.Across[i][e] = other.region
				continue
			}
			p.Across[i][e] = Outside
			border = append(border, side{i, e})
		}
	}
	return p.outline(border)
}

// convex checks that region i is a convex polygon, run counter-clockwise.
func convex(i int, r Region) error {
	n := len(r.Corners)
	if n < 3 || n > MostCorners {
		return fault(i, 0, "region %s has %d corners: want 3 to %d", r.Name, n, MostCorners)
	}
	area := int64(0)
	for c, v := range r.Corners {
		if abs(v.X) > MostCoordinate || abs(v.Y) > MostCoordinate {
			return fault(i, c, "corner %v of %s: coordinates must lie within %d of 0", v, r.Name, MostCoordinate)
		}
	}
	for c := range r.Corners {
		from, to := r.edge(c)
		if from == to {
			return fault(i, c, "corner %v of %s is given twice", from, r.Name)
		}
		area += turn(r.Corners[0], from, to)
	}
	if area == 0 {
		return fault(i, 0, "region %s has no area", r.Name)
	}
	if area < 0 {
		return fault(i, 0, "region %s runs clockwise: want its corners counter-clockwise", r.Name)
	}
	for c := range r.Corners {
		from, to := r.edge(c)
		for k, v := range r.Corners {
			if turn(from, to, v) < 0 {
				return fault(i, (c+1)%n, "region %s is not convex: corner %v lies to the right of its edge %v-%v", r.Name, r.Corners[k], from, to)
			}
		}
		// All corners to the left of every edge, and still no polygon: an edge
		// that goes back over the one before.
		_, next := r.edge((c + 1) % n)
		if turn(from, to, next) == 0 && (to.X-from.X)*(next.X-to.X)+(to.Y-from.Y)*(next.Y-to.Y) < 0 {
			return fault(i, (c+1)%n, "region %s turns back at its corner %v", r.Name, to)
		}
	}
	return nil
}

// outline checks that the edges of the border form one loop, and keeps it.
func (p *Plane) outline(border []side) error {
	if len(border) == 0 {
		return errors.New("the plane has no border") // cannot be: areas are positive
	}
	ends := func(s side) (Point, Point) { return p.Regions[s.region].edge(s.edge) }
	for k, s := range border {
		a, b := ends(s)
		for _, t := range border[:k] {
			c, d := ends(t)
			at, bad := meet(a, b, c, d)
			if !bad {
				continue
			}
			return fault(s.region, s.edge, "the edge %v-%v of %s meets the edge %v-%v of %s at %s: they overlap, or a corner is missing there",
				a, b, p.Regions[s.region].Name, c, d, p.Regions[t.region].Name, at)
		}
	}
	next := map[Point]side{}
	for _, s := range border {
		from, _ := ends(s)
		if t, twice := next[from]; twice {
			return fault(s.region, s.edge, "the border passes the corner %v twice, at %s and at %s: the regions only touch there", from, p.Regions[t.region].Name, p.Regions[s.region].Name)
		}
		next[from] = s
	}
	// Each corner has as many border edges in as out, because every region does.
	seen := map[Point]bool{}
	var outer []Point
	for _, s := range border {
		from, _ := ends(s)
		if seen[from] {
			continue
		}
		var loop []Point
		area := int64(0)
		for v := from; !seen[v]; {
			seen[v] = true
			loop = append(loop, v)
			_, to := ends(next[v])
			area += turn(from, v, to)
			v = to
		}
		switch {
		case area < 0:
			return fault(s.region, s.edge, "a gap: no region lies on the other side of the edge from %v of %s, inside the plane", from, p.Regions[s.region].Name)
		case outer != nil:
			return fault(s.region, s.edge, "region %s has no connection with %s: the plane must be one piece, and no region may lie upon another", p.Regions[s.region].Name, p.Regions[0].Name)
		}
		outer = loop
	}
	p.border = outer
	return nil
}

// meet reports whether the edges a-b and c-d have a point in common other than
// an end of both, and names such a point.
func meet(a, b, c, d Point) (at string, bad bool) {
	for _, end := range [...]struct {
		p, from, to Point
	}{{a, c, d}, {b, c, d}, {c, a, b}, {d, a, b}} {
		if end.p != end.from && end.p != end.to && turn(end.from, end.to, end.p) == 0 && within(end.p, end.from, end.to) {
			return end.p.String(), true
		}
	}
	if a == c && b == d || a == d && b == c {
		return a.String(), true
	}
	s1, s2 := turn(a, b, c), turn(a, b, d)
	s3, s4 := turn(c, d, a), turn(c, d, b)
	if (s1 > 0 && s2 < 0 || s1 < 0 && s2 > 0) && (s3 > 0 && s4 < 0 || s3 < 0 && s4 > 0) {
		return lineThrough(a, b).meet(lineThrough(c, d)).String(), true
	}
	return "", false
}

// within reports whether p, on the line of from and to, lies in their rectangle.
func within(p, from, to Point) bool {
	return min(from.X, to.X) <= p.X && p.X <= max(from.X, to.X) && min(from.Y, to.Y) <= p.Y && p.Y <= max(from.Y, to.Y)
}
