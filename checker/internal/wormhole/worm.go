// Package wormhole is the exact step of the wormhole deadlock decision: it finds
// a set of worms that block each other permanently, or proves that none exists.
//
// A worm is a packet at rest: the channels that it occupies, from its tail to
// its head, and the header that led it there. Worms are stuck when none of them
// can take a hop: every channel that a head may go to is held, by another worm
// or by its own. Two worms never share a channel. That is the whole
// difficulty: otherwise a fixpoint would do (relation.HeadTail), but so
// deciding that no such set exists is co-NP-complete (Verbeek and Schmaltz
// 2011). So the package searches, and gives up after a number of steps.
package wormhole

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Worm is a packet at rest: the sites that it occupies, tail to head. The hop to
// each is permitted by the one before; the tail may be at any site, as it
// may have left earlier channels already.
type Worm struct {
	Sites  []spec.Site
	Behind bool // its head is not first in the last channel: another packet has its tail there
	Any    bool // it holds one channel, with any header
}

// Head returns the site of the worm's head.
func (w Worm) Head() spec.Site { return w.Sites[len(w.Sites)-1] }

// Check returns nil exactly if the worms are a stuck set of n: there is at least one
// worm; every worm is a legal path of one header; no channel is held twice; every head
// waits, and each channel it may go to is held by one of the worms. A head may stand
// behind the tail of another worm, but not in a cycle. It follows the definition alone
// and shares nothing with the search. Linear in the hops of the sites, with a
// bisection for each site.
func Check(n *spec.Network, worms []Worm) error {
	if len(worms) == 0 {
		return errors.New("no packets: an empty set is no deadlock")
	}
	holder := map[spec.ChannelID]int{}
	for i, w := range worms {
		if err := checkPath(n, w); err != nil {
			return fmt.Errorf("packet %d: %w", i, err)
		}
		for _, s := range w.frontSites() {
			if other, held := holder[s.Channel]; held {
				return fmt.Errorf("packet %d: channel %s is held already, by packet %d",
					i, n.Topology().ChannelName(s.Channel), other)
			}
			holder[s.Channel] = i
		}
	}
	if err := checkBehind(worms, holder); err != nil {
		return err
	}
	for i, w := range worms {
		if w.Behind {
			continue
		}
		hops, _ := n.Hops(w.Head())
		if len(hops) == 0 {
			return fmt.Errorf("packet %d: its head is at a dead end, where it waits for nothing", i)
		}
		for _, h := range hops {
			if h.Channel == spec.Eject {
				return fmt.Errorf("packet %d: its head has arrived", i)
			}
			if _, held := holder[h.Channel]; !held {
				return fmt.Errorf("packet %d: it may go on to channel %s, which no packet holds",
					i, n.Topology().ChannelName(h.Channel))
			}
		}
	}
	return nil
}

// frontSites returns the sites in whose channels the worm is the first packet.
func (w Worm) frontSites() []spec.Site {
	if w.Behind {
		return w.Sites[:len(w.Sites)-1]
	}
	return w.Sites
}

// checkBehind reports a head that stands behind no tail, behind the same tail as another head, or
// in a cycle of heads behind tails.
func checkBehind(worms []Worm, holder map[spec.ChannelID]int) error {
	behind := map[int]int{} // worms with heads that are not first: behind which one
	before := map[int]bool{}
	for i, w := range worms {
		if !w.Behind {
			continue
		}
		other, held := holder[w.Head().Channel]
		if len(w.Sites) == 1 || !held || worms[other].Sites[0].Channel != w.Head().Channel || before[other] {
			return fmt.Errorf("packet %d: its head is not next to the tail of another one", i)
		}
		behind[i], before[other] = other, true
	}
	for i := range worms {
		for j, steps := i, 0; worms[j].Behind; steps++ {
			if j = behind[j]; steps > len(worms) {
				return fmt.Errorf("packet %d: it stands behind itself", i)
			}
		}
	}
	return nil
}

// checkPath reports what keeps w from being a path of sites.
func checkPath(n *spec.Network, w Worm) error {
	if len(w.Sites) == 0 {
		return errors.New("it holds no channel")
	}
	var before []spec.Hop // permitted at the site before
	for i, s := range w.Sites {
		if s.Channel < 0 {
			return fmt.Errorf("site %d is not in a channel of the network", i)
		}
		hops, legal := n.Hops(s)
		if !legal {
			return fmt.Errorf("site %d: no injected packet ever reaches it", i)
		}
		if i > 0 {
			if s.Header.Target() != w.Sites[0].Header.Target() {
				return fmt.Errorf("site %d: its header is that of another packet", i)
			}
			if !permits(before, spec.Hop{Channel: s.Channel, Tag: s.Header.Tag}) {
				return fmt.Errorf("site %d: the site before permits no hop to it", i)
			}
		}
		before = hops
	}
	return nil
}

func permits(hops []spec.Hop, hop spec.Hop) bool {
	for _, h := range hops {
		if h == hop {
			return true
		}
	}
	return false
}

// minimise shrinks a stuck set to a local minimum: no subset of it is still stuck once a
// worm is left out or, unless worms are of one length, shortened by a channel at its tail
// or head. Quadratic in the channels held.
func minimise(n *spec.Network, worms []Worm, ofOneLength bool) []Worm {
	for again := true; again; {
		again = false
		for i := 0; i < len(worms); i++ {
			for _, shorter := range shortened(worms[i]) {
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

// shortened returns what can be tried instead of w: nothing, w without its tail, w
// with its head one channel back.
func shortened(w Worm) [][]spec.Site {
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
