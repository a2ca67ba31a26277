package repair

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/proofs/unsat"
)

// Bounds of datelines by counting.
//
// Short cycles that share no turn take one turn each from the set. If paths with many turns cover all turns of these
// cycles equally often, some path crosses the set at least as often as its share: its number of turns over the length
// of a cycle. In a torus with all shortest paths the cycles are the squares; a path that turns at every node crosses
// the set at 15/4 of its 15 turns. Cycles and paths are found greedily, for a given number of times that each turn is
// to be covered.

// mostCovered bounds how often a turn is covered.
const mostCovered = 8

// packingBound looks for cycles and paths from which it follows that a number of copies, at most the one given, does
// not suffice, and has that verified. It returns the largest number it can show; 1 if none.
func (d *datelines) packingBound(ctx context.Context, most int) (copies int, err error) {
	c := d.newCover(ctx)
	longest := c.longest(ctx)
	for copies = min(most, longest); copies > 1 && ctx.Err() == nil; copies-- {
		if found, err := c.prove(ctx, d.packCycles(ctx, longest, copies), longest, copies); found || err != nil {
			return copies, err
		}
	}
	return 1, ctx.Err()
}

// prove looks for paths that cover the given cycles, and has the consequence verified.
func (c *pathCover) prove(ctx context.Context, cycles [][]int32, longest, copies int) (found bool, err error) {
	d := c.datelines
	for times := 1; times <= mostCovered && len(cycles) > 0; times++ {
		paths, won := c.coverPaths(ctx, cycles, longest, copies, times)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if won <= 0 {
			continue
		}
		literal := func(turns []int32, sign int32) (list []int32) {
			for _, k := range turns {
				list = append(list, 2*d.unit[k]+sign)
			}
			return list
		}
		var proof []unsat.Step
		last := unsat.Step{Clause: true}
		for _, turns := range cycles {
			proof = append(proof, unsat.Step{Condition: true, List: literal(turns, 0)})
			last.Sum = append(last.Sum, slices.Repeat([][]int32{proof[len(proof)-1].List}, times)...)
		}
		for _, turns := range paths {
			proof = append(proof, unsat.Step{Condition: true, List: literal(turns, 1)})
			last.Sum = append(last.Sum, proof[len(proof)-1].List)
		}
		d.least, err = verified(ctx, d.n, unsat.Bound{Of: unsat.Dateline, Most: copies}, append(proof, last),
			d.visits(ctx))
		return d.least != nil, err
	}
	return false, ctx.Err()
}

// packCycles returns cycles that share no turn, short ones first: only those short enough to be worth the paths, of
// bounded length, that cover them.
func (d *datelines) packCycles(ctx context.Context, longest, copies int) (cycles [][]int32) {
	used := make([]bool, len(d.g.turns))
	for ctx.Err() == nil {
		cycle := d.g.cycle(used)
		if cycle == nil || len(cycle)*(copies-1) >= longest {
			break
		}
		for _, k := range cycle {
			used[k] = true
		}
		cycles = append(cycles, cycle)
	}
	return cycles
}

// pathCover counts how paths cover turns.
type pathCover struct {
	*datelines
	order [][]int32 // By table: its live vertices, the last ones first
	turn  []int32   // by unit, or -1
	left  []int     // By turn: times still to be covered
	value []int64   // by vertex of a table: of the best path from there
	next  []int32   // by vertex: the edge that it takes, or -1
}

// newCover sorts the vertices of all tables, which are acyclic; if ctx ends, of fewer tables.
func (d *datelines) newCover(ctx context.Context) *pathCover {
	c := &pathCover{
		datelines: d, order: make([][]int32, len(d.tables)), turn: slices.Repeat([]int32{-1}, len(d.units)),
		left: make([]int, len(d.g.turns)),
	}
	for k, u := range d.unit {
		c.turn[u] = int32(k)
	}
	for i := range d.tables {
		if ctx.Err() != nil {
			break
		}
		t := &d.tables[i]
		ahead := make([]int32, t.Vertices())
		for v := range int32(t.Vertices()) {
			if t.IsLive(v) {
				t.EachNext(v, func(int32, int32) { ahead[v]++ })
				if ahead[v] == 0 {
					c.order[i] = append(c.order[i], v)
				}
			}
		}
		for k := 0; k < len(c.order[i]); k++ {
			w := c.order[i][k]
			for _, e := range t.EdgesInto(w) {
				if v := t.From[e]; t.Live[e] {
					if ahead[v]--; ahead[v] == 0 {
						c.order[i] = append(c.order[i], v)
					}
				}
			}
		}
	}
	return c
}

// bestPath returns where the best path of a table begins, and how many of its turns are still to be covered. Among
// paths with equally many it takes one whose turns are to be covered most often.
func (c *pathCover) bestPath(i int) (from int32, turns int) {
	const turn = 1 << 32 // weight of a turn
	t := &c.tables[i]
	c.value = slices.Grow(c.value[:0], t.Vertices())[:t.Vertices()]
	c.next = slices.Grow(c.next[:0], t.Vertices())[:t.Vertices()]
	from = -1
	most := int64(0)
	for _, v := range c.order[i] {
		c.value[v], c.next[v] = 0, -1
		t.EachNext(v, func(e, to int32) {
			if t.unit[e] == free || c.turn[t.unit[e]] < 0 { // paths stay within one part
				return
			}
			value := c.value[to]
			if left := c.left[c.turn[t.unit[e]]]; left > 0 {
				value += turn + int64(left)
			}
			if value > c.value[v] {
				c.value[v], c.next[v] = value, e
			}
		})
		if c.value[v] > most {
			from, most = v, c.value[v]
		}
	}
	return from, int(most / turn)
}

// longest returns the most turns of any path.
func (c *pathCover) longest(ctx context.Context) (most int) {
	for k := range c.left {
		c.left[k] = 1
	}
	for i := range c.tables {
		if ctx.Err() != nil {
			break
		}
		_, turns := c.bestPath(i)
		most = max(most, turns)
	}
	return most
}

// coverPaths covers each turn of the cycles that many times, as far as it pays, by paths with many turns first. won
// is the amount by which the demand of the cycles exceeds what the paths permit.
func (c *pathCover) coverPaths(
	ctx context.Context, cycles [][]int32, longest, copies, times int,
) (paths [][]int32, won int) {
	clear(c.left)
	for _, turns := range cycles {
		won += times * (1 - len(turns))
		for _, k := range turns {
			c.left[k] = times
		}
	}
	for least := longest; least >= copies; {
		below, taken := 0, false  // below: the best value not taken
		for i := range c.tables { // one path from each, so that not all begin in the same place
			if ctx.Err() != nil {
				return nil, 0
			}
			v, turns := c.bestPath(i)
			if turns < least {
				below = max(below, turns)
				continue
			}
			var path []int32
			for t := &c.tables[i]; c.next[v] >= 0; v = t.To[c.next[v]] {
				if k := c.turn[t.unit[c.next[v]]]; c.left[k] > 0 {
					path = append(path, k)
					c.left[k]--
				}
			}
			if len(path) < copies { // it takes some turns twice
				for _, k := range path {
					c.left[k]++
				}
				below = max(below, least-1)
				continue
			}
			paths, taken = append(paths, path), true
			won += len(path) - (copies - 1)
		}
		if !taken {
			least = below
		}
	}
	return paths, won
}
