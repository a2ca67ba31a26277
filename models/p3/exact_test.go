package p3

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestExactAtTheLimits: with corners at the limits, fractions give the same side of a
// line for the intersection of two others: nothing overflows.
func TestExactAtTheLimits(t *testing.T) {
	coordinate := rapid.OneOf(rapid.SampledFrom([]int64{-MostCoordinate, MostCoordinate, MostCoordinate - 1}),
		rapid.Int64Range(-MostCoordinate, MostCoordinate))
	draw := func(t *rapid.T) line {
		p := Point{coordinate.Draw(t, "x"), coordinate.Draw(t, "y")}
		q := Point{coordinate.Draw(t, "x"), coordinate.Draw(t, "y")}
		if p == q {
			q.X = p.X - int64(sign(2*p.X+1)) // towards the middle
		}
		if rapid.Bool().Draw(t, "upright") {
			return perpendicular(q, p, q)
		}
		return lineThrough(p, q)
	}
	rapid.Check(t, func(t *rapid.T) {
		l, m, n := draw(t), draw(t), draw(t)
		w := l.a*m.b - m.a*l.b
		if w == 0 {
			return
		}
		x := big.NewRat(l.c*m.b-m.c*l.b, w)
		y := big.NewRat(l.a*m.c-m.a*l.c, w)
		most := big.NewRat(MostCoordinate, 1)
		if new(big.Rat).Abs(x).Cmp(most) > 0 || new(big.Rat).Abs(y).Cmp(most) > 0 {
			return // outside every plane
		}
		at := l.meet(m)
		if gx, gy := at.rats(); gx.Cmp(x) != 0 || gy.Cmp(y) != 0 || at.w <= 0 {
			t.Fatalf("%v meets %v at %s, want (%s,%s)", l, m, at, x.RatString(), y.RatString())
		}
		if got, want := n.side(at), sideOf(n, vector{x, y}); got != want {
			t.Fatalf("side of %v at %s: %d, want %d", n, at, got, want)
		}
		if l.side(at) != 0 || m.side(at) != 0 {
			t.Fatalf("%s does not lie on both lines", at)
		}
		// The same line however it is written, and the two ways to lean.
		if p := (line{-3 * l.a, -3 * l.b, -3 * l.c}); p.plain() != l.plain() || l.lean()*(line{-l.a, -l.b, -l.c}).lean() != -1 {
			t.Fatalf("%v: plain %v, %v", l, l.plain(), p.plain())
		}
	})
}
