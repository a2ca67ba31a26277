package p3

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// The zone in which a PE sees a target, by the definition and with fractions: the zone of
// the nearest point of the region.

type vector struct{ x, y *big.Rat }

func rat(p Point) vector { return vector{big.NewRat(p.X, 1), big.NewRat(p.Y, 1)} }

func (v vector) minus(w vector) vector {
	return vector{new(big.Rat).Sub(v.x, w.x), new(big.Rat).Sub(v.y, w.y)}
}

func (v vector) dot(w vector) *big.Rat {
	p, q := new(big.Rat).Mul(v.x, w.x), new(big.Rat).Mul(v.y, w.y)
	return p.Add(p, q)
}

func (v vector) cross(w vector) *big.Rat {
	p, q := new(big.Rat).Mul(v.x, w.y), new(big.Rat).Mul(v.y, w.x)
	return p.Sub(p, q)
}

// foot returns the point of the segment from a to b that is nearest to t, and whether
// it is an end: 0 no, 1 a, 2 b.
func foot(t, a, b vector) (at vector, end int) {
	edge := b.minus(a)
	s := new(big.Rat).Quo(t.minus(a).dot(edge), edge.dot(edge))
	switch {
	case s.Sign() <= 0:
		return a, 1
	case s.Cmp(big.NewRat(1, 1)) >= 0:
		return b, 2
	}
	return vector{new(big.Rat).Add(a.x, new(big.Rat).Mul(s, edge.x)), new(big.Rat).Add(a.y, new(big.Rat).Mul(s, edge.y))}, 0
}

// bruteInside reports whether t lies in the region or on its border.
func bruteInside(r Region, t vector) bool {
	for e := range r.Corners {
		a, b := r.edge(e)
		if rat(b).minus(rat(a)).cross(t.minus(rat(a))).Sign() < 0 {
			return false
		}
	}
	return true
}

// bruteDistance is the squared distance of t from the region.
func bruteDistance(r Region, t vector) *big.Rat {
	d, _ := bruteZone(r, t)
	return d
}

// bruteZone returns the squared distance and the edges that the zone names.
func bruteZone(r Region, t vector) (*big.Rat, uint32) {
	if bruteInside(r, t) {
		return new(big.Rat), 0
	}
	var best *big.Rat
	var edges uint32
	for e := range r.Corners {
		a, b := r.edge(e)
		at, end := foot(t, rat(a), rat(b))
		d := t.minus(at).dot(t.minus(at))
		if best != nil && d.Cmp(best) >= 0 {
			continue
		}
		best = d
		switch end {
		case 0:
			edges = 1 << e
		case 1:
			edges = 1<<e | 1<<r.edgeInto(e)
		case 2:
			edges = 1<<e | 1<<((e+1)%len(r.Corners))
		}
	}
	return best, edges
}

// drawPlane draws a moved grid, or brickwork, whose regions have flat corners
// where those above and below meet.
func drawPlane(t *rapid.T) *Plane {
	if rapid.Bool().Draw(t, "grid") {
		return drawGrid(t)
	}
	const width = 60
	var cuts [][]int64 // by row, both ends
	for range rapid.IntRange(1, 3).Draw(t, "rows") {
		inner := rapid.SliceOfNDistinct(rapid.Int64Range(1, width-1), 0, 3, rapid.ID).Draw(t, "cuts")
		row := append([]int64{0, width}, inner...)
		slices.Sort(row)
		cuts = append(cuts, row)
	}
	var regions []Region
	y := int64(0)
	for i, row := range cuts {
		top := y + rapid.Int64Range(1, 40).Draw(t, "height")
		for j, left := range row[:len(row)-1] {
			right := row[j+1]
			r := Region{Name: fmt.Sprintf("%d.%d", i, j)}
			side := func(row int, at int64) []Point {
				ps := []Point{{left, at}}
				if row >= 0 && row < len(cuts) {
					for _, x := range cuts[row] {
						if left < x && x < right {
							ps = append(ps, Point{x, at})
						}
					}
				}
				return append(ps, Point{right, at})
			}
			above := side(i+1, top)
			slices.Reverse(above)
			r.Corners = append(side(i-1, y), above...)
			regions = append(regions, r)
		}
		y = top
	}
	return newPlane(regions)
}

func drawGrid(t *rapid.T) *Plane {
	return Grid(GridOptions{
		Columns: rapid.IntRange(1, 3).Draw(t, "columns"), Rows: rapid.IntRange(1, 3).Draw(t, "rows"),
		Pitch: rapid.SampledFrom([]int64{1, 2, 7, 40, 100, 5461}).Draw(t, "pitch"),
		Moves: rapid.IntRange(0, 15).Draw(t, "moves"), Seed: rapid.Uint64().Draw(t, "seed"),
	})
}

// holds finds the cell of a region that contains t, moved as by [Lean]: by amounts far
// smaller than the distance of any line from any place off it.
func holds(cells []Cell, t vector) int {
	tiny := func(bits uint) *big.Rat {
		return new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), bits))
	}
	moved := vector{new(big.Rat).Add(t.x, tiny(200)), new(big.Rat).Add(t.y, tiny(600))}
	for i, c := range cells {
		in := true
		for _, l := range c.sides {
			in = in && sideOf(l, moved)*sideOf(l, innerOf(&c)) > 0
		}
		if in {
			return i
		}
	}
	return -1
}

func innerOf(c *Cell) vector {
	x, y := c.inner()
	return vector{x, y}
}

func sideOf(l line, t vector) int {
	s := new(big.Rat).Mul(big.NewRat(l.a, 1), t.x)
	s.Add(s, new(big.Rat).Mul(big.NewRat(l.b, 1), t.y))
	return s.Cmp(big.NewRat(l.c, 1))
}

// TestCellsDecideAsPoints: any point of the plane, on a boundary or not, lies in one cell,
// and every PE decides for the cell as the definition does for the point (moved a little
// if it lies on a boundary).
func TestCellsDecideAsPoints(t *testing.T) {
	seedtest.Sample(t, 40)
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlane(t)
		f, err := NewForwarding(t.Context(), Options{Plane: p})
		if err != nil {
			t.Fatal(err)
		}
		_, far := p.box()
		den := rapid.Int64Range(1, 9).Draw(t, "denominator")
		for range 5 {
			// Points of the plane without its right and upper border.
			at := vector{
				big.NewRat(rapid.Int64Range(0, far.X*den-1).Draw(t, "x"), den),
				big.NewRat(rapid.Int64Range(0, far.Y*den-1).Draw(t, "y"), den),
			}
			region, cell := -1, -1
			for i, cells := range f.Cells {
				if k := holds(cells, at); k >= 0 {
					if region >= 0 {
						t.Fatalf("%v lies in regions %d and %d", at, region, i)
					}
					region, cell = i, k
				}
			}
			if region < 0 || !bruteInside(p.Regions[region], at) {
				t.Fatalf("%v lies in no cell, or in one of region %d", at, region)
			}
			moved := vector{new(big.Rat).Add(at.x, big.NewRat(1, 1<<60)),
				new(big.Rat).Add(at.y, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 400)))}
			for pe, r := range p.Regions {
				_, want := bruteZone(r, moved)
				z := f.Zone(pe, &f.Cells[region][cell])
				if z.Edges != want {
					t.Fatalf("PE %s, target %v: edges %b, want %b", r.Name, at, z.Edges, want)
				}
			}
		}
	})
}

// TestCellsTile: the open cells of a region have its area, and each lies in it.
func TestCellsTile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlane(t)
		cells, err := Cut(t.Context(), p, Lean, rapid.SampledFrom([]Rule{Literal, Beyond}).Draw(t, "rule"))
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range p.Regions {
			sum := new(big.Rat)
			for k := range cells[i] {
				c := &cells[i][k]
				if !bruteInside(r, innerOf(c)) {
					t.Fatalf("cell %d lies outside region %s", k, r.Name)
				}
				for j := range c.corners {
					x1, y1 := c.corners[j].rats()
					x2, y2 := c.corners[(j+1)%len(c.corners)].rats()
					sum.Add(sum, vector{x1, y1}.cross(vector{x2, y2}))
				}
			}
			if sum.Cmp(big.NewRat(twice(r), 1)) != 0 {
				t.Fatalf("region %s: cells have twice the area %s, want %d", r.Name, sum.RatString(), twice(r))
			}
		}
	})
}

// TestClosedCells: with closed borders each cell, open or not, has zones that include
// the one that the definition gives for its inner point, and no point is owned twice.
func TestClosedCells(t *testing.T) {
	seedtest.Sample(t, 20)
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlane(t)
		f, err := NewForwarding(t.Context(), Options{Plane: p, Border: Both})
		if err != nil {
			t.Fatal(err)
		}
		owner := map[[2]string]int{}
		for region, cells := range f.Cells {
			for k := range cells {
				c := &cells[k]
				at := innerOf(c)
				key := [2]string{at.x.RatString(), at.y.RatString()}
				if old, twice := owner[key]; twice && len(c.corners) < 3 {
					t.Fatalf("%v is owned by %d and %d", key, old, region)
				}
				owner[key] = region
				for j := range region {
					if bruteInside(p.Regions[j], at) {
						t.Fatalf("%v belongs to %d, but lies in %d", key, region, j)
					}
				}
				if len(c.corners) > 2 && k%4 > 0 {
					continue // open cells are tested above
				}
				for pe, r := range p.Regions {
					if bruteInside(r, at) {
						continue
					}
					z := f.Zone(pe, c)
					if _, want := bruteZone(r, at); z.Edges&want != want {
						t.Fatalf("PE %s, target %v: edges %b, want at least %b", r.Name, key, z.Edges, want)
					}
				}
			}
		}
	})
}

// TestDistances: on convex planes, whatever the moves and the rule, no hop leads away
// from the target, and [Forwarding.stays] agrees with the distances, computed from the
// definition. Beyond arrives.
func TestDistances(t *testing.T) {
	seedtest.Sample(t, 40)
	rapid.Check(t, func(t *rapid.T) {
		f := forwarding(t, Options{Plane: drawPlane(t), Rule: drawRule(t), Border: drawBorder(t)})
		if holds, because, err := f.NeverFarther(t.Context(), false); !holds || err != nil {
			t.Fatalf("%s: %s, %v", RuleNames[f.asked.Rule], because, err)
		}
		level, left := false, 40 // cells of one plane: fractions are slow
		for _, cells := range f.Cells {
			for i := range cells[:min(left, len(cells))] {
				left--
				var brute []*big.Rat // by region
				for _, r := range f.Plane.Regions {
					brute = append(brute, bruteDistance(r, innerOf(&cells[i])))
				}
				for pe := range f.Plane.Regions {
					for e, to := range f.Plane.Across[pe] {
						if f.edges(pe, &cells[i])>>e&1 == 0 {
							continue
						}
						stays := f.stays(pe, e, &cells[i])
						if level = level || stays; (brute[to].Cmp(brute[pe]) == 0) != stays || brute[to].Cmp(brute[pe]) > 0 {
							t.Fatalf("from %d to %d, target %s: stays %t, distances %s and %s", pe, to, &cells[i], stays, brute[pe], brute[to])
						}
					}
				}
			}
		}
		if holds, _, err := f.NeverFarther(t.Context(), true); err != nil || holds && level {
			t.Fatalf("strictly nearer, with hops at one distance: %v", err)
		}
		if f.asked.Rule.looksBeyond() && f.asked.Border == Lean && len(f.Plane.Regions) > 1 && !arrives(t, f) {
			t.Fatalf("%s: packets need not arrive", RuleNames[f.asked.Rule])
		}
	})
}

func drawRule(t *rapid.T) Rule     { return Rule(rapid.IntRange(0, int(Forced)-1).Draw(t, "rule")) }
func drawBorder(t *rapid.T) Border { return Border(rapid.IntRange(0, 1).Draw(t, "border")) }
