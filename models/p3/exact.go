package p3

import "math/big"

// Exact points. Corners c of regions have |c| <= C = 2^14. The lines that matter
// join two corners or are perpendicular to an edge at one of its ends, so with
// a x + b y = c they have |a|, |b| <= 2C = 2^15 and |c| <= 2 * 2C * C = 2^30.
// A place is where two such lines meet, inside the plane:
//
//	w = a b' - a' b      |w| <= 2 * 2^30 = 2^31
//	x = c b' - c' b      |x| <= C |w| <= 2^45, and before that 2^46 at most
//
// and a line's value there is a x + b y - c w: at most 2^60 + 2^60 + 2^61 = 2^62. No
// place is ever made from other places: cells remember the lines of their sides. So 64
// bits always suffice.

// line is the set of points with a x + b y = c; on its positive side a x + b y is
// greater.
type line struct{ a, b, c int64 }

// place is the point (x/w, y/w), w > 0, in lowest terms: equal points are equal.
type place struct{ x, y, w int64 }

// lineThrough returns the line through two points, its positive side to the right of
// the direction from p to q: outside, along the edge of a region.
func lineThrough(p, q Point) line {
	a, b := q.Y-p.Y, p.X-q.X
	return line{a, b, a*p.X + b*p.Y}
}

// perpendicular returns the line through v perpendicular to the direction from p to q,
// its positive side ahead.
func perpendicular(v, p, q Point) line {
	a, b := q.X-p.X, q.Y-p.Y
	return line{a, b, a*v.X + b*v.Y}
}

// meet returns the intersection of two lines that are not parallel.
func (l line) meet(m line) place {
	w := l.a*m.b - m.a*l.b
	x := l.c*m.b - m.c*l.b
	y := l.a*m.c - m.a*l.c
	if w < 0 {
		w, x, y = -w, -x, -y
	}
	if g := gcd(w, gcd(abs(x), abs(y))); g > 1 {
		w, x, y = w/g, x/g, y/g
	}
	return place{x, y, w}
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// side returns the side of the line on which a place lies: 1 positive, -1 negative, 0
// on it.
func (l line) side(p place) int { return sign(l.a*p.x + l.b*p.y - l.c*p.w) }

// lean returns the side on which a point of the line lies after moving slightly to the
// right, and very much less upwards.
func (l line) lean() int {
	if l.a != 0 {
		return sign(l.a)
	}
	return sign(l.b)
}

func sign(x int64) int {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// rats returns the coordinates as fractions.
func (p place) rats() (x, y *big.Rat) { return big.NewRat(p.x, p.w), big.NewRat(p.y, p.w) }

func (p place) String() string {
	x, y := p.rats()
	return "(" + x.RatString() + "," + y.RatString() + ")"
}
