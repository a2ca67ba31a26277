package p3

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// drawSmall draws a moved grid with few integer points.
func drawSmall(t *rapid.T) *Plane {
	p, err := Grid(GridOptions{
		Columns: rapid.IntRange(1, 3).Draw(t, "columns"), Rows: rapid.IntRange(1, 3).Draw(t, "rows"),
		Pitch: rapid.Int64Range(1, 9).Draw(t, "pitch"), Moves: rapid.IntRange(0, 12).Draw(t, "moves"), Seed: rapid.Uint64().Draw(t, "seed"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestIntegersAreTargets: at every integer point each PE decides as for the cell
// that holds it when all points are targets.
func TestIntegersAreTargets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawSmall(t)
		o := Options{Plane: p, Rule: rapid.SampledFrom([]Rule{Literal, Horizontal, Beyond, BeyondVertical, ByQuadrant, BeyondQuadrant}).Draw(t, "rule"), Quadrants: Alternate}
		all := forwarding(t, o)
		o.Targets = Integers
		points := forwarding(t, o)
		found := 0
		for region, cells := range points.Cells {
			found += len(cells)
			for i := range cells {
				k := holds(all.Cells[region], innerOf(&cells[i]))
				if k < 0 {
					t.Fatalf("the point %s is no target of %s", &cells[i], p.Regions[region].Name)
				}
				for pe := range p.Regions {
					if got, want := points.edges(pe, &cells[i]), all.edges(pe, &all.Cells[region][k]); got != want {
						t.Fatalf("PE %s, target %s: edges %b, want %b", p.Regions[pe].Name, &cells[i], got, want)
					}
				}
			}
		}
		// A grid has the lattice of its rectangle, without its right and upper border.
		if lo, hi := p.box(); int64(found) != (hi.X-lo.X)*(hi.Y-lo.Y) {
			t.Fatalf("%d integer targets in a rectangle from %v to %v", found, lo, hi)
		}
	})
}

// TestNearer: in zone B the rule takes the PE whose region is nearer, by
// distances from the definition in fractions, and at equal distance the one to
// the left or right.
func TestNearer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawSmall(t)
		f := forwarding(t, Options{Plane: p, Rule: Nearer, Targets: Integers})
		region := rapid.IntRange(0, len(p.Regions)-1).Draw(t, "region")
		for i := range f.Cells[region] {
			c := &f.Cells[region][i]
			for pe := range p.Regions {
				if pe == region {
					continue
				}
				var best *big.Rat
				var want, level uint32
				for e, to := range p.Across[pe] {
					if to == Outside || f.Zone(pe, c).Edges>>e&1 == 0 {
						continue
					}
					d := bruteDistance(p.Regions[to], innerOf(c))
					switch {
					case best == nil || d.Cmp(best) < 0:
						best, want, level = d, 0, 0
					case d.Cmp(best) > 0:
						continue
					}
					want |= 1 << e
					if e == 1 || e == 3 {
						level |= 1 << e
					}
				}
				if level != 0 {
					want = level
				}
				if got := f.edges(pe, c); got != want {
					t.Fatalf("PE %s, target %s: edges %b, want %b", p.Regions[pe].Name, c, got, want)
				}
			}
		}
	})
}

// TestIntegerDistances: the squared distance of a region from an integer point is
// what fractions say, also with corners as far apart as they may be.
func TestIntegerDistances(t *testing.T) {
	n := rapid.OneOf(rapid.SampledFrom([]int64{-MostCoordinate, MostCoordinate}), rapid.Int64Range(-MostCoordinate, MostCoordinate))
	rapid.Check(t, func(t *rapid.T) {
		r := Region{Name: "r", Corners: []Point{{n.Draw(t, "x"), n.Draw(t, "y")}, {n.Draw(t, "x"), n.Draw(t, "y")}, {n.Draw(t, "x"), n.Draw(t, "y")}}}
		if convex(0, r) != nil {
			return
		}
		at := Point{n.Draw(t, "x"), n.Draw(t, "y")}
		got := r.from(at)
		if want := bruteDistance(r, rat(at)); new(big.Rat).SetFrac(new(big.Int).SetUint64(got.n), new(big.Int).SetUint64(got.d)).Cmp(want) != 0 {
			t.Fatalf("%v from %v: %d/%d, want %s", r.Corners, at, got.n, got.d, want.RatString())
		}
		other := squared{rapid.Uint64().Draw(t, "n"), rapid.Uint64Range(1, 1<<33).Draw(t, "d")}
		product := func(a, b uint64) *big.Int {
			return new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
		}
		if got.cmp(other) != product(got.n, other.d).Cmp(product(other.n, got.d)) {
			t.Fatalf("%v against %v: %d", got, other, got.cmp(other))
		}
	})
}
