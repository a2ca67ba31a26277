package static

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// mostMoves bounds the trace to a stuck set.
const mostMoves = 1 << 22

// carried returns the moves that bring packets of flits to rest one after the other, each
// at the end of its path, with the given numbers of flits; the tail may still be at the source.
// It is nil if there are too many moves.
func (d *Decision) carried(paths [][]spec.Move, flits []int) (moves []spec.Move) {
	count := 0
	for i, path := range paths {
		if count += len(path) * flits[i]; count > mostMoves {
			return nil
		}
	}
	held := map[spec.ChannelID]int{}
	for i, path := range paths {
		if d.sc.Elastic {
			moves = append(moves, d.elastic(path, flits[i], held)...)
		} else {
			moves = append(moves, d.shifting(path, flits[i])...)
		}
	}
	return moves
}

// shifting returns the moves of a packet that shifts as a whole, one flit per channel.
// A packet that reaches from its source to its head need not be finished: it waits there.
func (d *Decision) shifting(path []spec.Move, flits int) []spec.Move {
	if d.sc.Length != spec.AnyLength || flits >= len(path) {
		return path
	}
	finish := path[0]
	finish.Kind = spec.Finish
	return slices.Insert(slices.Clone(path), flits, finish)
}

// elastic returns the moves of a packet whose flits move one at a time: after each move of
// its head the others close up as far as buffers permit. held counts the flits at rest by channel; it adds its own.
func (d *Decision) elastic(path []spec.Move, flits int, held map[spec.ChannelID]int) (moves []spec.Move) {
	in := make([]int, len(path)) // flits in the channel that a move leads to
	take := func(kind spec.MoveKind, i int) {
		m := path[i]
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
	for head := range path {
		take(spec.Advance, head)
		for i := head; i >= 0; i-- {
			for in[i]+held[path[i].Hop.Channel] < d.n.Buffer() && (i > 0 && in[i-1] > 0 || i == 0 && flits > 0) {
				take(spec.Follow, i)
			}
		}
	}
	for i, m := range path {
		held[m.Hop.Channel] += in[i]
	}
	return moves
}
