package static

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// mostMoves bounds the trace to a stuck set.
const mostMoves = 1 << 22

// carried returns the moves that bring messages of flits to rest one after the other, each
// at the end of its way, where it holds the given number of channels; fewer if it is so
// long that its tail is still at its source. It is nil if they are too many.
func (d *Decision) carried(ways [][]spec.Move, holds []int) (moves []spec.Move) {
	count := 0
	for i, way := range ways {
		if count += len(way) * d.flits(holds[i]); count > mostMoves {
			return nil
		}
	}
	for i, way := range ways {
		if d.sc.Elastic {
			moves = append(moves, d.elastic(way, d.flits(holds[i]))...)
		} else {
			moves = append(moves, d.shifting(way, d.flits(holds[i]))...)
		}
	}
	return moves
}

// flits returns how many a message has that is to hold some channels, all of them full if
// another message could enter behind its tail.
func (d *Decision) flits(channels int) int {
	switch {
	case d.sc.Length > 0:
		return d.sc.Length
	case d.sc.Shared:
		return channels * d.n.Buffer()
	}
	return (channels-1)*d.n.Buffer() + 1
}

// shifting returns the moves of a message that shifts as a whole, a flit in each channel.
// One that stretches from its source to its head need not be finished: it waits there.
func (d *Decision) shifting(way []spec.Move, flits int) []spec.Move {
	if d.sc.Length != spec.AnyLength || flits >= len(way) {
		return way
	}
	finish := way[0]
	finish.Kind = spec.Finish
	return slices.Insert(slices.Clone(way), flits, finish)
}

// elastic returns the moves of a message whose flits move one at a time: after each move of
// its head the others close up, as far as buffers permit.
func (d *Decision) elastic(way []spec.Move, flits int) (moves []spec.Move) {
	in := make([]int, len(way)) // flits in the channel that a move leads to
	take := func(kind spec.MoveKind, i int) {
		m := way[i]
		m.Kind = kind
		moves = append(moves, m)
		if in[i]++; i > 0 {
			in[i-1]--
			return
		}
		if flits--; flits == 0 && d.sc.Length == spec.AnyLength {
			m.Kind = spec.Finish
			moves = append(moves, m)
		}
	}
	for head := range way {
		take(spec.Advance, head)
		for i := head; i >= 0; i-- {
			for in[i] < d.n.Buffer() && (i > 0 && in[i-1] > 0 || i == 0 && flits > 0) {
				take(spec.Follow, i)
			}
		}
	}
	return moves
}
