package p3

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Coarse Path Tables. The paper masks the low bits of coordinates that are far
// from the PE's region, so that one entry serves many targets and few entries
// have to be rewritten when a boundary moves. A table is coarsest when it has the
// fewest entries, an entry being a block of targets (see blocks.go) that share
// one edge; and the tables of all PEs together must keep what holds of the rule
// without masks: that packets arrive, that no hop leads to a region farther from
// the target, and that links with one buffer class do not wait in a cycle.
//
// Which edges an entry may hold is bounded from both sides:
//
//   - possible: the neighbour is not farther from the target. No table that keeps
//     the distances holds anything else, so the coarsest tables of possible
//     edges, PE by PE, are a lower bound on the entries.
//   - safe: the neighbour is strictly nearer, or the zone names the edge (then it
//     is not farther, see distance.go). If moreover no packet is sent straight
//     back, (squared distance, regions left around the nearest corner) falls at
//     each hop, and packets arrive.
//
// Cycles of waits are kept away by an order of the links: the turns that the
// rule makes close no cycle, and further turns are added, the most wanted first,
// as long as that stays so. Tables that make only turns of the result make no
// cycle. That, and not to send straight back, ties neighbouring PEs together;
// so the tables are improved PE by PE, each the coarsest possible while the
// others stay, until none improves. What is found is the true minimum wherever it
// equals the lower bound, PE by PE; else it lies between the two. Entries hold
// one edge, as the machine's do, also where the rule permits two.

// tables are the Path Tables of all PEs while they are made coarser.
type tables struct {
	f        *Forwarding // with integer targets, unmasked
	safe     [][]uint16  // by PE and point of the lattice: sets of edges
	possible [][]uint16
	port     [][]uint8             // by PE and point: the edge in the entry
	follow   [][MostCorners]uint16 // by PE and edge: over which edges a packet may go on
	first    [][]uint8             // the entries to begin with: edges of the rule
	pyramid  *pyramid
}

// newTables starts with tables that hold, for each target, an edge of the rule.
func (f *Forwarding) newTables(ctx context.Context) (*tables, error) {
	t := &tables{f: f, pyramid: newPyramid(f.lattice.width, f.lattice.height)}
	for range f.Plane.Regions {
		n := len(f.lattice.owner)
		t.safe, t.possible = append(t.safe, make([]uint16, n)), append(t.possible, make([]uint16, n))
		t.first, t.port = append(t.first, make([]uint8, n)), append(t.port, make([]uint8, n))
	}
	unwound, err := f.Unwound(ctx)
	if err != nil {
		return nil, err
	}
	far := make([]squared, len(f.Plane.Regions))
	for i, owner := range f.lattice.owner {
		if i%f.lattice.width == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if owner < 0 {
			continue
		}
		c := &f.Cells[owner][f.lattice.cell[i]]
		for pe, r := range f.Plane.Regions {
			far[pe] = r.from(c.point())
		}
		for pe, across := range f.Plane.Across {
			if pe == int(owner) {
				continue
			}
			named := f.Zone(pe, c).Edges
			for e, to := range across {
				if to == Outside {
					continue
				}
				change := far[to].cmp(far[pe])
				if change < 0 || named>>e&1 == 1 {
					t.safe[pe][i] |= 1 << e
				}
				if change <= 0 || named>>e&1 == 1 {
					t.possible[pe][i] |= 1 << e
				}
			}
			first := f.edges(pe, c)
			if unwound.Verdict != spec.Holds {
				first = f.ahead(pe, c, named, first)
			}
			t.first[pe][i] = uint8(bits.TrailingZeros32(first))
		}
	}
	return t, t.order(ctx, unwound.Verdict == spec.Holds)
}

// ahead keeps the edges, of those that the zone names, beyond whose line the
// target lies, and of these the ones that the rule permits if there are any: so
// packets arrive, see [Beyond].
func (f *Forwarding) ahead(pe int, c *Cell, named, permitted uint32) uint32 {
	if named&(named-1) == 0 {
		return permitted
	}
	var all uint32
	for e, to := range f.Plane.Across[pe] {
		if named>>e&1 == 1 && to != Outside && f.views[pe].out[e].of(c, Lean) > 0 {
			all |= 1 << e
		}
	}
	if all&permitted != 0 {
		return all & permitted
	}
	return all
}

// order finds the turns that packets may make: all, unless those of the rule
// close no cycle.
func (t *tables) order(ctx context.Context, unwound bool) error {
	across := t.f.Plane.Across
	t.follow = make([][MostCorners]uint16, len(across))
	if !unwound {
		for pe := range t.follow {
			for e := range t.follow[pe] {
				t.follow[pe][e] = 1<<MostCorners - 1
			}
		}
		return nil
	}
	wanted := make([][MostCorners][MostCorners]int, len(across))
	for i, owner := range t.f.lattice.owner {
		if i%t.f.lattice.width == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if owner < 0 {
			continue
		}
		for pe := range across {
			for left := t.safe[pe][i]; left != 0; left &= left - 1 {
				e := bits.TrailingZeros16(left)
				to := across[pe][e]
				for on := t.safe[to][i]; on != 0; on &= on - 1 {
					wanted[pe][e][bits.TrailingZeros16(on)]++
				}
			}
		}
	}
	type turn struct {
		a, b   turning
		wanted int
	}
	var turns []turn
	for pe := range across {
		for e, to := range across[pe] {
			for e2, n := range wanted[pe][e] {
				if n > 0 {
					turns = append(turns, turn{turning{pe, to}, turning{to, across[to][e2]}, n})
				}
			}
		}
	}
	slices.SortStableFunc(turns, func(x, y turn) int { return y.wanted - x.wanted })
	w := newWaits()
	err := t.f.eachKind(ctx, func(h hop) bool {
		for e, to := range across[h.to] {
			if t.f.edges(h.to, h.target)>>e&1 == 1 {
				w.add(turning{h.from, h.to}, turning{h.to, to}, h.target)
			}
		}
		return true
	})
	if err != nil {
		return err
	}
	for _, x := range turns {
		if !w.leads(x.b, x.a) {
			w.add(x.a, x.b, &Cell{})
		}
	}
	for pe := range across {
		for e, to := range across[pe] {
			if to == Outside {
				continue
			}
			for e2, next := range across[to] {
				if w.why[[2]turning{{pe, to}, {to, next}}] != nil {
					t.follow[pe][e] |= 1 << e2
				}
			}
		}
	}
	return nil
}

// open returns the edges that PE pe's entry for target i may hold while those of
// the other PEs stay.
func (t *tables) open(pe, i int) uint32 {
	across, owner := t.f.Plane.Across, int(t.f.lattice.owner[i])
	set := t.safe[pe][i]
	for left := set; left != 0; left &= left - 1 {
		e := bits.TrailingZeros16(left)
		to := across[pe][e]
		if to == owner {
			continue
		}
		if next := t.port[to][i]; t.follow[pe][e]>>next&1 == 0 || across[to][next] == pe {
			set &^= 1 << e
		}
	}
	for _, from := range across[pe] {
		if from == Outside || from == owner {
			continue
		}
		e := t.port[from][i]
		if across[from][e] != pe {
			continue
		}
		set &= t.follow[from][e]
	}
	return uint32(set)
}

// fill makes the pyramid that of one PE, whose entries may hold the given sets.
func (t *tables) fill(pe int, sets func(i int) uint32) {
	for i, owner := range t.f.lattice.owner {
		switch {
		case owner < 0:
			t.pyramid.common[0][i] = nobody
		case int(owner) == pe:
			t.pyramid.common[0][i] = own
		default:
			t.pyramid.common[0][i] = sets(i)
		}
	}
	t.pyramid.raise()
}

// coarsen makes the tables as coarse as it can, from the first ones on. It returns the entries, by PE.
func (t *tables) coarsen(ctx context.Context) ([]int, error) {
	entries := make([]int, len(t.port))
	stale := make([]bool, len(t.port)) // not looked at since a neighbour's table changed
	for pe := range t.port {
		copy(t.port[pe], t.first[pe])
		entries[pe], stale[pe] = math.MaxInt, true
	}
	p := t.pyramid
	for slices.Contains(stale, true) {
		for pe := range t.port {
			if !stale[pe] {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			stale[pe] = false
			t.fill(pe, func(i int) uint32 { return t.open(pe, i) })
			n := p.coarsest(func(m, x, y int) {})
			if n >= entries[pe] {
				continue
			}
			entries[pe] = n
			p.coarsest(func(m, x, y int) {
				w, _ := p.size(m)
				port := uint8(bits.TrailingZeros32(p.common[m][y*w+x]))
				p.targets(m, x, y, func(i int) { t.port[pe][i] = port })
			})
			for _, to := range t.f.Plane.Across[pe] {
				if to != Outside {
					stale[to] = true
				}
			}
		}
	}
	return entries, nil
}

// least returns the entries, by PE, that no tables which keep the distances can
// do without.
func (t *tables) least(ctx context.Context) ([]int, error) {
	entries := make([]int, len(t.port))
	for pe := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t.fill(pe, func(i int) uint32 { return uint32(t.possible[pe][i]) })
		entries[pe] = t.pyramid.coarsest(func(m, x, y int) {})
	}
	return entries, nil
}

// forwarding is what the tables do with packets, now.
func (t *tables) forwarding(ctx context.Context) (*Forwarding, error) {
	f := *t.f
	f.Cells = make([][]Cell, len(t.f.Cells))
	for region, cells := range t.f.Cells {
		f.Cells[region] = slices.Clone(cells)
	}
	l := f.lattice
	err := f.classify(ctx, func(c *Cell, pe int) uint32 {
		at := c.point()
		return 1 << t.port[pe][int(at.Y-l.lo.Y)*l.width+int(at.X-l.lo.X)]
	})
	return &f, err
}

// leads reports whether waits lead from link a to link b.
func (w *waits) leads(a, b turning) bool {
	seen := map[turning]bool{a: true}
	for queue := []turning{a}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == b {
			return true
		}
		for _, next := range w.after[queue[0]] {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return false
}

// box returns the corners of the plane's rectangle.
func (p *Plane) box() (lo, hi Point) {
	lo, hi = p.border[0], p.border[0]
	for _, v := range p.border {
		lo.X, lo.Y, hi.X, hi.Y = min(lo.X, v.X), min(lo.Y, v.Y), max(hi.X, v.X), max(hi.Y, v.Y)
	}
	return lo, hi
}
