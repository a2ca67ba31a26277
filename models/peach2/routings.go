package peach2

import (
	"context"
	"fmt"
)

// Design of the count of all routings of one ring.
//
// A routing by address gives every board, for every node d, E or W. It delivers
// if and only if, for each d, the boards that go E are the k boards next to d on
// its west side, for some k from 0 to n-1: a board that went E to one that goes
// W would be sent back. So a ring of n boards has n^n routings that deliver.
//
// Some packet for d goes on from east cable to east cable through the boards
// d-1 .. d-(k-1), and from west to west through d+1 .. d+(n-1-k)-1. With one
// buffer a link, east cables wait in a cycle if every board is gone through
// eastward, west cables likewise; no packet turns round. So sets of boards, as
// bits, are all there is to it.

// RoutingCount is about all routings by address of one ring, minimal or not,
// with one buffer class.
type RoutingCount struct {
	Boards        int
	All, Free     int // that deliver; of them, those without a cycle of waits
	Minimal       int // with shortest ways only
	MinimalFree   int
	LeastLongest  int // of the free ones: the fewest cables that the longest way can have
	LeastTotal    int // and the fewest cables of all ways between two boards together
	MinimalLength int // cables of all shortest ways together
}

// mostRoutings is the largest ring whose routings are counted, 8^8 of them.
const mostRoutings = 8

// CountRoutings tries all routings of a ring of 2 to 8 boards.
func CountRoutings(ctx context.Context, boards int) (RoutingCount, error) {
	n := boards
	if n < 2 || n > mostRoutings {
		return RoutingCount{}, fmt.Errorf("all routings of a ring of %d boards: want 2 to %d", n, mostRoutings)
	}
	c := RoutingCount{Boards: n, LeastLongest: n, LeastTotal: n * n * n}
	for d := 1; d < n; d++ {
		c.MinimalLength += n * min(d, n-d)
	}
	whole := uint16(1)<<n - 1
	// east and west are the boards gone through so far, of nodes 0..d-1.
	var try func(d int, east, west uint16, longest, total int, minimal bool) error
	try = func(d int, east, west uint16, longest, total int, minimal bool) error {
		if d == n {
			free := east != whole && west != whole
			c.All++
			if minimal {
				c.Minimal++
			}
			if free {
				c.Free++
				c.LeastLongest, c.LeastTotal = min(c.LeastLongest, longest), min(c.LeastTotal, total)
			}
			if free && minimal {
				c.MinimalFree++
			}
			return nil
		}
		if d == 2 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for k := range n {
			m := n - 1 - k // boards that go west
			e, w := east, west
			for j := 1; j < k; j++ {
				e |= 1 << ((d - j + n) % n)
			}
			for j := 1; j < m; j++ {
				w |= 1 << ((d + j) % n)
			}
			if err := try(d+1, e, w, max(longest, k, m), total+k*(k+1)/2+m*(m+1)/2, minimal && max(k, m) <= n/2); err != nil {
				return err
			}
		}
		return nil
	}
	return c, try(0, 0, 0, 0, 0, true)
}
