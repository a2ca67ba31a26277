package p3

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
)

// Masked Path Tables. The coordinates in the machine's packets have a few bits, so the
// integer points are all the targets that a Path Table knows. The paper masks the low
// bits of coordinates that are far from the PE's region, so that one entry serves many
// targets. Masking m low bits of both means that an aligned square of 2^m x 2^m
// targets, counted from the lower left point of the plane's rectangle, shares one
// entry. The rule permits the entry for every target: so masked tables send no packet
// where the rule would not, and what holds for every choice under the rule, such as
// that no packet circles forever, holds for them.
//
// The entry of a block may hold any hop that every target of the block permits. If a block can be
// one entry, so can every block inside it. So the coarsest table, from the top, makes every block
// one entry that can be one: any other division into such blocks refines this one. It takes time
// linear in the targets.
//
// Under [NeverBack] an entry depends on where a packet comes from, so each channel has a table of
// its own, divided into blocks of its own.

// Masks determines what Path Tables the packets meet.
type Masks uint8

const (
	// NoMasks: an entry for each target.
	NoMasks Masks = iota
	// Blocks: one for each block, which holds the first direction that all targets of the block permit.
	Blocks
	// AnyOfBlock: likewise, but it may hold any such direction, another one each time.
	AnyOfBlock
)

// MasksNames are the names of the values of Masks, in order.
var MasksNames = []string{"none", "blocks", "any"}

// MostPairs bounds the pairs of PE and integer target: 8 x 8 PEs at a pitch of 64 reach
// it.
const MostPairs = 1 << 24

// lattice is the rectangle of integer points around a plane, row by row from the
// lower left, with its right and upper border if these belong to the plane.
type lattice struct {
	lo            Point
	width, height int
	owner         []int16 // by point; -1 outside the plane
	cell          []int32 // by point: its number among the cells of its owner
}

// integers makes each integer point of the plane a cell.
func integers(ctx context.Context, p *Plane, views []view, border Border) (*lattice, [][]Cell, error) {
	lo, hi := p.box()
	l := &lattice{lo: lo, width: int(hi.X - lo.X), height: int(hi.Y - lo.Y)}
	if border == Both {
		l.width, l.height = l.width+1, l.height+1
	}
	if n := l.width * l.height * len(p.Regions); n > MostPairs {
		return nil, nil, fmt.Errorf("%d pairs of PE and integer target: want at most %d; choose a smaller pitch",
			n, MostPairs)
	}
	l.owner, l.cell = make([]int16, l.width*l.height), make([]int32, l.width*l.height)
	cells := make([][]Cell, len(p.Regions))
	last := 0 // neighbouring points usually have the same owner
	places := make([]place, len(l.owner))
	for i := range l.owner {
		if i%l.width == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		places[i] = place{lo.X + int64(i%l.width), lo.Y + int64(i/l.width), 1}
		c := Cell{corners: places[i : i+1 : i+1]}
		l.owner[i] = -1
		if border == Both {
			last = 0 // the first of several owners
		}
		for k := range views {
			pe := (last + k) % len(views)
			if views[pe].owns(&c, border) {
				last, c.Owner = pe, pe
				l.owner[i], l.cell[i] = int16(pe), int32(len(cells[pe]))
				cells[pe] = append(cells[pe], c)
				break
			}
		}
	}
	return l, cells, nil
}

// owns reports whether a target lies in the region.
func (v *view) owns(c *Cell, border Border) bool {
	return !slices.ContainsFunc(v.out, func(l line) bool { return l.of(c, border) > 0 })
}

// The set of values that an entry may have: the numbers of edges, that the target is the
// PE's own, or that the zone names none, which happens on planes that are not convex. No point
// outside the plane is looked up.
const (
	own     uint32 = 1 << MostCorners
	nowhere        = own << 1
	nobody         = ^uint32(0)
)

// coarsest replaces the hops by those of the coarsest masked tables, and counts their
// entries.
func (f *Forwarding) coarsest(ctx context.Context) error {
	b := &blocks{f.lattice.width, f.lattice.height, make([]uint32, len(f.lattice.owner))}
	byChannel := f.asked.Rule == NeverBack
	all := tablesOf(f.Plane, byChannel)
	edges := make([][]uint16, len(all.all)) // by table and point of the lattice
	for k, t := range all.all {
		if err := ctx.Err(); err != nil {
			return err
		}
		edges[k] = make([]uint16, len(f.lattice.owner))
		targets := 0
		for i, owner := range f.lattice.owner {
			switch {
			case owner < 0:
				b.sets[i] = nobody
				continue
			case int(owner) == t.pe:
				b.sets[i] = own
			default:
				b.sets[i] = f.onward(t.pe, f.edges(t.pe, &f.Cells[owner][f.lattice.cell[i]]), t.from)
				if b.sets[i] == 0 {
					b.sets[i] = nowhere
				}
			}
			targets++
		}
		entries := b.coarsest(func(i int, set uint32) {
			if f.asked.Masks == Blocks {
				set &= -set
			}
			edges[k][i] = uint16(set) // of own and nowhere nothing is left
		})
		if byChannel == (t.from != cpu) {
			f.Targets, f.Entries = f.Targets+targets, f.Entries+entries
		}
	}
	f.tables = all
	return f.classify(ctx, func(c *Cell, table int) uint32 {
		at := c.corners[0]
		return uint32(edges[table][int(at.y-f.lattice.lo.Y)*f.lattice.width+int(at.x-f.lattice.lo.X)])
	})
}

// blocks divides a table whose entries may hold the given sets, by target.
type blocks struct {
	width, height int
	sets          []uint32
}

// coarsest tells, for each target, what the entry of its block in the coarsest table
// may hold, and returns the number of entries, without those outside the plane.
func (t *blocks) coarsest(tell func(i int, set uint32)) int {
	m := bits.Len(uint(max(t.width, t.height) - 1))
	set, entries := t.divide(m, 0, 0, tell)
	t.fill(m, 0, 0, set, tell)
	return entries
}

// divide returns what a block of 2^m x 2^m targets may hold as one entry, 0 if it
// cannot be one, and its number of entries. If it cannot be one, it tells the parts of
// the block.
func (t *blocks) divide(m, x, y int, tell func(i int, set uint32)) (set uint32, entries int) {
	switch {
	case x<<m >= t.width || y<<m >= t.height:
		return nobody, 0
	case m == 0 && t.sets[y*t.width+x] == nobody:
		return nobody, 0
	case m == 0:
		return t.sets[y*t.width+x], 1
	}
	var parts [4]uint32
	set = nobody
	for k := range parts {
		part, n := t.divide(m-1, 2*x+k%2, 2*y+k/2, tell)
		parts[k], set, entries = part, set&part, entries+n
	}
	switch set {
	case 0:
		for k, part := range parts {
			t.fill(m-1, 2*x+k%2, 2*y+k/2, part, tell)
		}
	case nobody:
	default:
		entries = 1
	}
	return set, entries
}

// fill tells, for each target of a block, what its one entry may hold.
func (t *blocks) fill(m, x, y int, set uint32, tell func(i int, set uint32)) {
	if set == 0 || set == nobody {
		return
	}
	for v := y << m; v < min((y+1)<<m, t.height); v++ {
		for u := x << m; u < min((x+1)<<m, t.width); u++ {
			tell(v*t.width+u, set)
		}
	}
}
