package p3

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// Path Tables. The machine's tables are indexed by coordinate, with low bits
// masked for targets far from the PE's region, so that a block of 2^m x 2^m
// targets shares one entry. Here targets are the integer points of the plane
// (borders as with [Lean]), an entry holds what the rule says for the block's
// lower left point, and a block is far if none of its points is owned by a PE
// within some number of hops. Masked tables are no longer the paper's rule: what
// they do is found by following every target through them.

// tables holds the unmasked Path Tables.
type tables struct {
	f             *Forwarding
	lo            Point
	width, height int
	corners       []place    // the targets
	owner         []int16    // by target; -1 outside the plane
	hops          [][]uint16 // by PE and target: the edges permitted
	named         [][]uint16 // by PE and target: the edges that the zone names
	hopsAway      [][]int    // by PE and PE: the distance between them
}

// Bounds on pairs of PE and target: for tables at all, and for the search PE by
// PE, which follows all packets some hundred times.
const (
	mostPairs    = 1 << 24
	mostToSearch = 1 << 20
)

// newTables asks the rule for every integer point.
func (f *Forwarding) newTables(ctx context.Context) (*tables, error) {
	lo, hi := f.Plane.box()
	t := &tables{f: f, lo: lo, width: int(hi.X - lo.X), height: int(hi.Y - lo.Y), hopsAway: f.Plane.hopsAway()}
	if n := t.width * t.height * len(f.Plane.Regions); n > mostPairs {
		return nil, fmt.Errorf("%d entries, one for each PE and integer point: tables are compared up to %d; a smaller pitch will do", n, mostPairs)
	}
	t.owner = make([]int16, t.width*t.height)
	for range f.Plane.Regions {
		t.hops = append(t.hops, make([]uint16, len(t.owner)))
		t.named = append(t.named, make([]uint16, len(t.owner)))
	}
	for i := range t.owner {
		if i%t.width == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t.corners = append(t.corners, place{t.lo.X + int64(i%t.width), t.lo.Y + int64(i/t.width), 1})
		c := Cell{corners: t.corners[i:]}
		t.owner[i] = -1
		for pe := range t.hops {
			z := f.views[pe].zone(&c, Lean)
			if z.Inside {
				t.owner[i] = int16(pe)
				continue
			}
			t.hops[pe][i], t.named[pe][i] = uint16(f.permitted(pe, z, &c)), uint16(z.Edges)
		}
	}
	return t, nil
}

// masked returns PE pe's table with the low bits masked for far targets, and the
// number of entries that it needs.
func (t *tables) masked(pe, bits, near int) (hops []uint16, entries int) {
	hops = make([]uint16, len(t.owner))
	size := 1 << bits
	for y := 0; y < t.height; y += size {
		for x := 0; x < t.width; x += size {
			far := t.owner[y*t.width+x] >= 0
			t.block(x, y, size, func(i int) {
				far = far && (t.owner[i] < 0 || t.hopsAway[pe][t.owner[i]] > near)
			})
			t.block(x, y, size, func(i int) {
				if hops[i] = t.hops[pe][i]; far {
					hops[i] = t.hops[pe][y*t.width+x]
				} else {
					entries++
				}
			})
			if far {
				entries++
			}
		}
	}
	return hops, entries
}

// block visits the targets of a block that lie in the plane's rectangle.
func (t *tables) block(x, y, size int, visit func(i int)) {
	for v := y; v < min(y+size, t.height); v++ {
		for u := x; u < min(x+size, t.width); u++ {
			visit(v*t.width + u)
		}
	}
}

// fate is what tables do to packets.
type fate struct {
	lost    int  // targets for which a packet from some PE may go round or end elsewhere
	farther int  // pairs of PE and target with a hop to a region farther away
	circle  bool // links wait for each other in a circle
}

func (a fate) keeps(b fate) bool {
	return b.lost <= a.lost && b.farther <= a.farther && (a.circle || !b.circle)
}

func (a fate) String() string {
	waits := "no circle of waits"
	if a.circle {
		waits = "a circle of waits"
	}
	return fmt.Sprintf("%d targets that packets may miss, %d hops that lead away, %s", a.lost, a.farther, waits)
}

// follow finds out what tables do to packets for all targets. With enough it
// ends as soon as that is not kept any more.
func (t *tables) follow(hops [][]uint16, enough *fate) fate {
	var result fate
	w := newWaits()
	known := make([]bool, len(hops)*MostCorners*MostCorners) // turns, by PE and its edges
	across := t.f.Plane.Across
	walk := walk{f: t.f, row: make([]uint32, len(hops)), depth: make([]int, len(hops))}
	for i, owner := range t.owner {
		if owner < 0 {
			continue
		}
		if enough != nil && !enough.keeps(result) {
			return result
		}
		for pe := range hops {
			walk.row[pe], walk.depth[pe] = uint32(hops[pe][i]), 0
		}
		walk.region, walk.way = int(owner), walk.way[:0]
		for pe := range hops {
			if !walk.from(pe) {
				result.lost++
				break
			}
		}
		c := &Cell{corners: t.corners[i : i+1 : i+1]}
		for pe := range hops {
			if pe == int(owner) {
				continue
			}
			for e, to := range across[pe] {
				if walk.row[pe]>>e&1 == 0 {
					continue
				}
				// Over an edge that the zone names it is never farther, see distance.go.
				if t.named[pe][i]>>e&1 == 0 && t.farther(pe, to, c) {
					result.farther++
				}
				if to == int(owner) {
					continue
				}
				for e2, next := range across[to] {
					if key := (pe*MostCorners+e)*MostCorners + e2; walk.row[to]>>e2&1 == 1 && !known[key] {
						known[key] = true
						w.add(turning{pe, to}, turning{to, next}, c)
					}
				}
			}
		}
	}
	result.circle = w.shortest() != nil
	return result
}

func (t *tables) farther(from, to int, c *Cell) bool {
	return t.f.Plane.Regions[to].distance(c).Cmp(t.f.Plane.Regions[from].distance(c)) > 0
}

// Masks decides: some mask of low bits for far targets saves entries and keeps
// every verdict: what packets may miss, hops that lead away from the target,
// circles of waits. All uniform masks are tried, for far = not the PE's own and
// far = nor a neighbour's, and the one with the fewest entries is kept; then the
// mask of each PE in turn, in the order of the PEs, is replaced by the one with
// the fewest entries that still keeps the verdicts. A mask that is too coarse
// has more entries again: its blocks reach into the PE's own region.
func (f *Forwarding) Masks(ctx context.Context) (Finding, error) {
	t, err := f.newTables(ctx)
	if err != nil {
		return Finding{}, err
	}
	plain := t.follow(t.hops, nil)
	fewest := len(t.owner) * len(t.hops)
	fi := Finding{Verdict: spec.Violated, Because: "every mask that saves entries changes some verdict", Picture: f.example()}
	fi.Evidence = append(fi.Evidence, fmt.Sprintf("unmasked: %d entries; %s", fewest, plain))
	for near := range 2 {
		best, bestEntries := 0, len(t.owner)*len(t.hops)
		for bits := 1; bits <= t.mostBits(); bits++ {
			if err := ctx.Err(); err != nil {
				return Finding{}, err
			}
			hops, entries := t.all(uniform(bits, len(t.hops)), near)
			got, verdict := t.follow(hops, nil), "changes them"
			if plain.keeps(got) {
				verdict = "keeps them"
				if entries < bestEntries {
					best, bestEntries = bits, entries
				}
			}
			fi.Evidence = append(fi.Evidence, fmt.Sprintf("%d bits beyond %s: %d entries; %s: %s", bits, beyond(near), entries, got, verdict))
		}
		single, entries := uniform(best, len(t.hops)), bestEntries
		if len(t.owner)*len(t.hops) <= mostToSearch {
			if single, entries, err = t.eachAlone(ctx, single, near, plain); err != nil {
				return Finding{}, err
			}
		}
		fi.Evidence = append(fi.Evidence, fmt.Sprintf("%s bits, PE by PE, beyond %s: %d entries: keeps them", strings.Trim(fmt.Sprint(single), "[]"), beyond(near), entries))
		if entries < fewest {
			fewest = entries
			fi.Verdict = spec.Holds
			fi.Because = fmt.Sprintf("%s low bits, PE by PE, may be masked beyond %s: %d entries in place of %d", strings.Trim(fmt.Sprint(single), "[]"), beyond(near), entries, len(t.owner)*len(t.hops))
		}
	}
	return fi, nil
}

// mostBits is the number of bits of a coordinate.
func (t *tables) mostBits() int {
	most := 0
	for size := 1; size < max(t.width, t.height); size *= 2 {
		most++
	}
	return most
}

func beyond(near int) string {
	return [...]string{"the PE's own targets", "those of the PE and its neighbours"}[near]
}

func uniform(bits, n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = bits
	}
	return all
}

// all masks every table.
func (t *tables) all(bits []int, near int) (hops [][]uint16, entries int) {
	for pe, b := range bits {
		h, n := t.masked(pe, b, near)
		hops, entries = append(hops, h), entries+n
	}
	return hops, entries
}

// eachAlone replaces the mask of each PE by the one with the fewest entries that
// keeps the verdicts. It returns the masks and the entries of all.
func (t *tables) eachAlone(ctx context.Context, bits []int, near int, plain fate) ([]int, int, error) {
	hops, _ := t.all(bits, near)
	total := 0
	for pe := range bits {
		_, fewest := t.masked(pe, bits[pe], near)
		for b := range t.mostBits() + 1 {
			if err := ctx.Err(); err != nil {
				return nil, 0, err
			}
			old := hops[pe]
			candidate, entries := t.masked(pe, b, near)
			if entries >= fewest {
				continue
			}
			if hops[pe] = candidate; plain.keeps(t.follow(hops, &plain)) {
				bits[pe], fewest = b, entries
				continue
			}
			hops[pe] = old
		}
		total += fewest
	}
	return bits, total, nil
}

// box returns the corners of the plane's rectangle.
func (p *Plane) box() (lo, hi Point) {
	lo, hi = p.border[0], p.border[0]
	for _, v := range p.border {
		lo.X, lo.Y, hi.X, hi.Y = min(lo.X, v.X), min(lo.Y, v.Y), max(hi.X, v.X), max(hi.Y, v.Y)
	}
	return lo, hi
}

// hopsAway returns the distances between PEs, in hops; regions form one piece.
func (p *Plane) hopsAway() [][]int {
	away := make([][]int, len(p.Regions))
	for from := range away {
		away[from] = make([]int, len(p.Regions))
		seen := make([]bool, len(p.Regions))
		seen[from] = true
		for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
			for _, to := range p.Across[queue[0]] {
				if to != Outside && !seen[to] {
					seen[to] = true
					away[from][to] = away[from][queue[0]] + 1
					queue = append(queue, to)
				}
			}
		}
	}
	return away
}
