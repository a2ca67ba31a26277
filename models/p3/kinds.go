package p3

import (
	"context"
	"errors"
	"fmt"
)

// A boundary that moves changes two things: who owns a target, and where PEs
// send packets for it. Targets for which both planes, before and after, decide
// alike at every PE are of one kind. To find all kinds the regions before are
// cut by every line that bounds a zone or a region of either plane; more cells
// than needed, but few PEs take part.

// Kind is a set of targets that both planes treat alike.
type Kind struct {
	Cell          Cell // one of its cells
	Owner         [2]int
	To            [2][]uint32 // before and after: by PE the regions that it may send to, a set
	Moved, Differ bool        // the owner changes; some PE's entry does
}

// MostMoving is the most PEs of a plane whose boundaries move.
const MostMoving = 16

// Kinds returns the kinds of targets of a boundary's move: first those whose
// owner changes, then those for which some entry does, then the others, each in
// the order of the regions. Borders are as with [Lean].
func Kinds(ctx context.Context, before, after *Plane, rule Rule) ([]Kind, error) {
	if rule >= Forced {
		return nil, fmt.Errorf("rule %d: a boundary moves under the rules up to %s", rule, RuleNames[BeyondVertical])
	}
	n := len(before.Regions)
	if n != len(after.Regions) || n > MostMoving {
		return nil, fmt.Errorf("%d PEs before and %d after: want equally many, at most %d", n, len(after.Regions), MostMoving)
	}
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
	var moved, differ, same []Kind
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
			k, err := kindOf(planes, cells[i])
			if err != nil {
				return nil, err
			}
			key := fmt.Sprint(k.Owner, k.To)
			switch {
			case known[key]:
			case k.Moved:
				moved = append(moved, k)
			case k.Differ:
				differ = append(differ, k)
			default:
				same = append(same, k)
			}
			known[key] = true
		}
	}
	return append(append(moved, differ...), same...), nil
}

func kindOf(planes [2]*Forwarding, c Cell) (Kind, error) {
	k := Kind{Cell: c}
	for i, f := range planes {
		k.Owner[i] = -1
		k.To[i] = make([]uint32, len(f.Plane.Regions))
		for pe := range k.To[i] {
			z := f.views[pe].zone(&c, Lean)
			if z.Inside {
				k.Owner[i] = pe
				continue
			}
			edges := f.permitted(pe, z, &c)
			for e, to := range f.Plane.Across[pe] {
				if edges>>e&1 == 1 {
					k.To[i][pe] |= 1 << to
				}
			}
		}
		if k.Owner[i] < 0 {
			return Kind{}, errors.New("the planes before and after do not cover the same points")
		}
	}
	k.Moved = k.Owner[0] != k.Owner[1]
	for pe := range k.To[0] {
		k.Differ = k.Differ || k.To[0][pe] != k.To[1][pe]
	}
	return k, nil
}

// Moving returns a regular grid before and after a move of the boundary between
// the two PEs at the lower left, (0,0) and (1,0): its ends are shifted by dx and
// dy, but stay on the plane's border if they lie there.
func Moving(columns, rows int, dx, dy int64) (before, after *Plane, err error) {
	if columns < 2 || rows < 1 || columns*rows > MostMoving || columns > MostMoving || rows > MostMoving {
		return nil, nil, fmt.Errorf("a grid of %d x %d: want at least 2 columns and 1 row, and at most %d PEs", columns, rows, MostMoving)
	}
	if max(abs(dx), abs(dy)) >= 64 {
		return nil, nil, fmt.Errorf("a boundary shifted by (%d,%d): regions are 64 wide and high", dx, dy)
	}
	g := newMesh(columns, rows, 64)
	if before, err = g.plane(); err != nil {
		return nil, nil, err
	}
	g.corners[0][1].X += dx
	g.corners[1][1].X += dx
	if rows > 1 {
		g.corners[1][1].Y += dy
	}
	after, err = g.plane()
	return before, after, err
}
