package p3

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// twice returns twice the area of a region that is convex and counter-clockwise,
// without an edge that goes back over another; 0 if it is not.
func twice(r Region) (area int64) {
	for e := range r.Corners {
		from, to := r.edge(e)
		_, next := r.edge((e + 1) % len(r.Corners))
		if turn(from, to, next) == 0 && (to.X-from.X)*(next.X-to.X)+(to.Y-from.Y)*(next.Y-to.Y) <= 0 {
			return 0
		}
		for _, v := range r.Corners {
			if turn(from, to, v) < 0 {
				return 0
			}
		}
		area += turn(r.Corners[0], from, to)
	}
	return area
}

// apart reports whether two convex regions share no inner point: all of one lies on the
// far side of an edge of the other.
func apart(a, b Region) bool {
	for _, pair := range [][2]Region{{a, b}, {b, a}} {
		for e := range pair[0].Corners {
			from, to := pair[0].edge(e)
			if !slices.ContainsFunc(pair[1].Corners, func(v Point) bool { return turn(from, to, v) > 0 }) {
				return true
			}
		}
	}
	return false
}

// TestPlanesTile: regions are convex, no two overlap, and together they have the area
// of the plane, so there is no gap; and neighbours agree.
func TestPlanesTile(t *testing.T) {
	tiles := func(t tester, p *Plane, want int64) {
		t.Helper()
		sum := int64(0)
		for i, r := range p.Regions {
			area := twice(r)
			if sum += area; area <= 0 || len(r.Corners) > MostCorners {
				t.Fatalf("region %v is not convex", r)
			}
			for _, v := range r.Corners {
				if max(abs(v.X), abs(v.Y)) > MostCoordinate {
					t.Fatalf("corner %v is too far out", v)
				}
			}
			for j, other := range p.Regions[:i] {
				if !apart(r, other) || slices.Contains(p.Across[i], j) != slices.Contains(p.Across[j], i) {
					t.Fatalf("%v and %v overlap, or only one knows the other", r, other)
				}
			}
		}
		if sum != want {
			t.Fatalf("twice the area is %d, want %d", sum, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlane(t)
		lo, hi := p.box()
		tiles(t, p, 2*(hi.X-lo.X)*(hi.Y-lo.Y))
		if !convex(p) {
			t.Fatal("a rectangle is not convex")
		}
	})
	square := int64(2 * 128 * 128)
	tiles(t, Bent(), square)
	tiles(t, Bow(), square*3/2)
	tiles(t, Brick(), square)
	tiles(t, Notch(), 2*(64*128)+(64+96)*64) // two squares and a trapezoid
	if convex(Notch()) {
		t.Error("the notch is convex")
	}
}

// TestMovedGrids: a move keeps the neighbours that all regions had, and equal seeds
// give equal planes.
func TestMovedGrids(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := GridOptions{Columns: rapid.IntRange(1, 6).Draw(t, "columns"), Rows: rapid.IntRange(1, 6).Draw(t, "rows"),
			Pitch: 40, Moves: rapid.IntRange(0, 200).Draw(t, "moves"), Seed: rapid.Uint64().Draw(t, "seed")}
		p := Grid(o)
		for i, across := range p.Across {
			for e, got := range across {
				x, y := i%o.Columns, i/o.Columns
				want := Outside
				switch {
				case e == 0 && y > 0:
					want = i - o.Columns
				case e == 1 && x+1 < o.Columns:
					want = i + 1
				case e == 2 && y+1 < o.Rows:
					want = i + o.Columns
				case e == 3 && x > 0:
					want = i - 1
				}
				if got != want {
					t.Fatalf("across edge %d of region %d: %d, want %d", e, i, got, want)
				}
			}
		}
		if diff := cmp.Diff(p, Grid(o)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// convex reports whether the plane lies on one side of every edge of its border.
// The paper's does: it is drawn as a square.
func convex(p *Plane) bool {
	for i, across := range p.Across {
		for e, to := range across {
			from, end := p.Regions[i].edge(e)
			for _, r := range p.Regions {
				for _, v := range r.Corners {
					if to == Outside && turn(from, end, v) < 0 {
						return false
					}
				}
			}
		}
	}
	return true
}
