package wormhole

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// minimise shrinks a stuck set to a local minimum: no subset of it is still stuck once a
// worm is left out or, unless worms are of one length, shortened by a channel at its tail
// or head. Quadratic in the channels held.
func minimise(n *spec.Network, worms []Worm, ofOneLength bool) []Worm {
	for again := true; again; {
		again = false
		for i := 0; i < len(worms); i++ {
			for _, shorter := range cuts(worms[i]) {
				if ofOneLength && shorter != nil {
					break
				}
				fewer := slices.Clone(worms)
				if shorter == nil {
					fewer = slices.Delete(fewer, i, i+1)
				} else {
					fewer[i] = Worm{Sites: shorter}
				}
				if fewer = stillStuck(n, fewer); len(fewer) > 0 {
					worms, again = fewer, true
					i = -1 // the worms are renumbered
					break
				}
			}
		}
	}
	return worms
}

// cuts returns what can be tried instead of w: nothing, w without its tail, w
// with its head one channel back.
func cuts(w Worm) [][]spec.Site {
	if len(w.Sites) == 1 {
		return [][]spec.Site{nil}
	}
	return [][]spec.Site{nil, w.Sites[1:], w.Sites[:len(w.Sites)-1]}
}

// stillStuck returns the worms that remain when every worm that can move is
// removed, repeatedly.
func stillStuck(n *spec.Network, worms []Worm) []Worm {
	held := map[spec.ChannelID]bool{}
	for _, w := range worms {
		for _, s := range w.Sites {
			held[s.Channel] = true
		}
	}
	left := slices.Clone(worms)
	for {
		before := len(left)
		left = slices.DeleteFunc(left, func(w Worm) bool {
			hops, _ := n.Hops(w.Head())
			moves := len(hops) == 0 || slices.ContainsFunc(hops, func(h spec.Hop) bool { return !held[h.Channel] })
			if moves {
				for _, s := range w.Sites {
					held[s.Channel] = false
				}
			}
			return moves
		})
		if len(left) == before {
			return left
		}
	}
}
