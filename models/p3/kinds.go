package p3

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// A boundary that moves changes two things: the owners of targets, and the PEs to which
// packets for them are sent. Targets for which every PE decides alike, before and after the
// move, are of one kind. To find all kinds, the regions before the move are cut by every
// line that bounds a zone or a region of either plane. This gives more cells than
// necessary, but few PEs take part.

// Kind is a set of targets that both planes treat alike.
type Kind struct {
	Cell          Cell // one of its cells
	Owner         [2]int
	To            [2][]uint32 // before and after: by PE or Path Table, the set of regions that it may send to
	Moved, Differ bool        // the owner changes; the entry of some PE changes
}

// MostMoving is the greatest number of PEs of a plane whose boundaries move.
const MostMoving = 16

// Kinds returns the kinds of targets of a boundary's move: first those whose
// owner changes, then those for which some entry does, then the others, each in
// the order of the regions. Borders are as with [Lean].
func Kinds(ctx context.Context, before, after *Plane, rule Rule) ([]Kind, error) {
	planes := [2]*Forwarding{}
	var lines []line
	seen := map[line]bool{}
	for i, p := range [...]*Plane{before, after} {
		f := &Forwarding{Plane: p, asked: Options{Plane: p, Rule: rule}, views: p.views()}
		planes[i] = f
		for _, v := range f.views {
			for _, group := range [...][]line{v.out, v.start, v.end} {
				for _, l := range group {
					if l = l.plain(); !seen[l] {
						seen[l] = true
						lines = append(lines, l)
					}
				}
			}
		}
	}
	known := map[string]bool{}
	var kinds []Kind
	for region := range before.Regions {
		cells := []Cell{before.whole(region)}
		for _, l := range lines {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for k, have := 0, len(cells); k < have; k++ {
				if left, right, ok := cells[k].split(l); ok {
					cells[k] = left
					cells = append(cells, right)
				}
			}
		}
		for i := range cells {
			k := kindOf(planes, cells[i])
			if key := fmt.Sprint(k.Owner, k.To); !known[key] {
				known[key] = true
				kinds = append(kinds, k)
			}
		}
	}
	return inOrder(kinds), nil
}

// inOrder puts first the kinds whose owner changes, then those for which some entry does.
func inOrder(kinds []Kind) []Kind {
	rank := func(k Kind) int {
		switch {
		case k.Moved:
			return 0
		case k.Differ:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(kinds, func(a, b Kind) int { return rank(a) - rank(b) })
	return kinds
}

// MaskedKinds returns the kinds of integer targets of a boundary's move that masked tables, of either plane, treat
// alike, in the order of [Kinds].
func MaskedKinds(ctx context.Context, before, after *Plane, rule Rule, masks Masks) ([]Kind, error) {
	planes := [2]*Forwarding{}
	for i, p := range [...]*Plane{before, after} {
		var err error
		if planes[i], err = NewForwarding(ctx, Options{Plane: p, Rule: rule, Masks: masks}); err != nil {
			return nil, err
		}
	}
	type treated [2]struct {
		owner int16
		class spec.Class
	}
	known := map[treated]bool{}
	var kinds []Kind
	for i, owner := range planes[0].lattice.owner { // a move leaves the border of the plane where it is
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if owner < 0 {
			continue
		}
		var as treated
		for v, f := range planes {
			as[v].owner = f.lattice.owner[i]
			as[v].class = f.Cells[as[v].owner][f.lattice.cell[i]].class
		}
		if known[as] {
			continue
		}
		known[as] = true
		k := Kind{Cell: planes[0].Cells[owner][planes[0].lattice.cell[i]]}
		for v, f := range planes {
			k.Owner[v], k.To[v] = int(as[v].owner), make([]uint32, len(f.tables.all))
			for t, edges := range f.hops[as[v].owner][as[v].class] {
				k.To[v][t] = f.regionsAcross(f.tables.all[t].pe, edges)
			}
		}
		k.compare()
		kinds = append(kinds, k)
	}
	return inOrder(kinds), nil
}

// regionsAcross returns the set of regions beyond some edges of a region.
func (f *Forwarding) regionsAcross(pe int, edges uint32) (regions uint32) {
	for e, to := range f.Plane.Across[pe] {
		if edges>>e&1 == 1 {
			regions |= 1 << to
		}
	}
	return regions
}

// compare tells what the move changes.
func (k *Kind) compare() {
	k.Moved = k.Owner[0] != k.Owner[1]
	for t := range k.To[0] {
		k.Differ = k.Differ || k.To[0][t] != k.To[1][t]
	}
}

func kindOf(planes [2]*Forwarding, c Cell) Kind {
	k := Kind{Cell: c}
	for i, f := range planes {
		k.To[i] = make([]uint32, len(f.Plane.Regions))
		for pe := range k.To[i] {
			if f.Zone(pe, &c).Edges == 0 {
				k.Owner[i] = pe
				continue
			}
			k.To[i][pe] = f.regionsAcross(pe, f.permitted(pe, &c))
		}
	}
	k.compare()
	return k
}

// Moving returns a regular grid before and after a move of the boundary between
// the two PEs at the lower left, (0,0) and (1,0): its ends are shifted by dx and
// dy, but stay on the plane's border if they lie there.
func Moving(columns, rows int, dx, dy int64) (before, after *Plane, err error) {
	if columns*rows > MostMoving {
		return nil, nil, fmt.Errorf("a grid of %d x %d: want at most %d PEs", columns, rows, MostMoving)
	}
	g := newMesh(columns, rows, 64)
	before = g.plane()
	g.corners[0][1].X += dx
	g.corners[1][1].X += dx
	if rows > 1 {
		g.corners[1][1].Y += dy
	}
	if !g.convexAround(1, 0, 0) || !g.convexAround(1, 1, 0) {
		return nil, nil, fmt.Errorf("a boundary shifted by (%d,%d): a region is no longer convex", dx, dy)
	}
	return before, g.plane(), nil
}
