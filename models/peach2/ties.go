package peach2

import (
	"context"
	"fmt"
)

// TieCount says for one size how many rules for ties are free of cycles of
// waits with one buffer class.
type TieCount struct {
	Boards, Rings int
	Tied          bool   // whether there are ties at all: an even number of boards in a ring
	Rules, Free   int    // 2^boards rules, a choice E or W at each board; 1 without ties
	FirstFree     []Port // the first rule that is free, E before W, board 0 first; nil if none
	FirstBound    []Port // the first rule that is not free; nil if none
}

// CountTies tries all rules for ties, east or west at each board, on minimal
// routing with the other options as given (Ties is ignored). A board of a ring
// meets one tie: the boards at distance n/2, its own ring's and the other's, are
// in one column, so these are all minimal routings by address of one ring.
//
// The argument is a walk over all pairs of boards for each rule: about
// 2^boards * boards^3 steps; more than 16 boards in all are refused.
func CountTies(ctx context.Context, o Options) (TieCount, error) {
	o.Variant = Minimal
	o.Ties = nil
	c, err := connect(&o)
	if err != nil {
		return TieCount{}, err
	}
	total := len(c.Boards)
	if total > 16 {
		return TieCount{}, fmt.Errorf("rules for ties of %d boards are too many to try: want at most 16 boards", total)
	}
	count := TieCount{Boards: o.Boards, Rings: o.Rings, Tied: o.Boards%2 == 0, Rules: 1}
	if count.Tied {
		count.Rules <<= total
	}
	east, west := make([]Port, total), make([]Port, total)
	for b := range total {
		east[b], west[b] = East, West
	}
	// Routes differ only where there is a tie: those are found once.
	o.Ties = east
	toEast := c.routes(o)
	o.Ties = west
	toWest := c.routes(o)
	w := c.wiring()
	for rule := range count.Rules {
		if rule%256 == 0 && ctx.Err() != nil {
			return TieCount{}, context.Cause(ctx)
		}
		goesWest := func(b int) bool { return rule>>(total-1-b)&1 == 1 }
		free := freeOfCycles(w, func(b, d int) Port {
			if goesWest(b) {
				return toWest[b][d]
			}
			return toEast[b][d]
		})
		ties := func() []Port {
			t := make([]Port, total)
			for b := range t {
				if t[b] = East; goesWest(b) {
					t[b] = West
				}
			}
			return t
		}
		if free {
			count.Free++
			if count.FirstFree == nil {
				count.FirstFree = ties()
			}
		} else if count.FirstBound == nil {
			count.FirstBound = ties()
		}
	}
	return count, nil
}

// freeOfCycles reports whether links, one buffer each, do not wait for each
// other in a cycle if a packet at board b for node d leaves by route(b, d).
func freeOfCycles(w wiring, route func(b, d int) Port) bool {
	link := func(b int, p Port) int { return b*int(ports) + int(p) }
	seen := make([]uint64, len(w)*int(ports)) // by link: the ports of its far end that are waited for
	next := make([][]int, len(seen))
	for d := range w {
		for b := range w {
			if b == d {
				continue
			}
			p := route(b, d)
			far := w[b][p].jack.Board
			if far == d {
				continue
			}
			q := route(far, d)
			if l := link(b, p); seen[l]>>q&1 == 0 {
				seen[l] |= 1 << q
				next[l] = append(next[l], link(far, q))
			}
		}
	}
	_, ok := ranks(next)
	return ok
}

// TiesText writes a tie rule as [ParseTies] reads it: a letter a board.
func TiesText(ties []Port) string {
	text := ""
	for _, p := range ties {
		text += p.String()
	}
	return text
}
