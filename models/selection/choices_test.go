package selection

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// A plain implementation of the functions, with which their conditions are compared.

// view is what a router sees when it chooses.
type view struct {
	// free reports whether an output VC of this router is free, now.
	free func(c spec.ChannelID) bool
	// ahead returns the number of free VCs that the packet could use at the next node
	// of a direction, one clock ago; nil leaves open which direction has the most.
	ahead func(w direction) int
	// past compares what two output VCs in different dimensions, or for LD their links,
	// have been used for: below 0 if a was used longer ago or less than b, above 0 if
	// more recently or more, 0 if equally; nil leaves the history open.
	past func(a, b spec.ChannelID) int
}

// strictest returns the strictest free VC of a direction that the packet may use.
func (w direction) strictest(v view) (spec.ChannelID, bool) {
	for class, usable := range w.usable {
		if c := w.first + spec.ChannelID(class); usable && v.free(c) {
			return c, true
		}
	}
	return 0, false
}

// freeVCs counts a link's free VCs, whether this packet may use them or not.
func (w direction) freeVCs(v view) int {
	n := 0
	for class := range w.usable {
		if v.free(w.first + spec.ChannelID(class)) {
			n++
		}
	}
	return n
}

// choices appends the channels that the function may choose for a packet with these
// directions: one, several where chance or history decides, none if it waits. All are free in
// the view.
func (f Function) choices(dst []spec.ChannelID, all []direction, reading Reading, v view) []spec.ChannelID {
	var open []direction // that have a free VC
	for _, w := range all {
		if _, ok := w.strictest(v); ok {
			open = append(open, w)
		}
	}
	if len(open) == 0 {
		return dst
	}
	lowest, highest := all[0], open[len(open)-1:]
	chosen := open
	switch f {
	case DimensionOrder:
		chosen = open[:1]
	case Zigzag:
		chosen = most(open, func(w direction) int { return w.far })
	case LRU, LFU, LD:
		if v.past != nil {
			chosen = leastUsed(open, v)
		}
	case SCCB:
		switch {
		case len(all) == 1:
			chosen = all
		case lowest.freeVCs(v) == 3:
			chosen = all[:1]
		default:
			chosen = highest
		}
	case CCB:
		switch {
		case len(all) == 1:
			chosen = all
		case lowest.freeVCs(v) <= 1:
			chosen = highest
		default:
			if reading == Literal {
				chosen = all
			}
			if v.ahead != nil {
				chosen = most(chosen, v.ahead)
				chosen = chosen[len(chosen)-1:] // ties to the higher dimension
			}
		}
	}
	for _, w := range chosen {
		if c, ok := w.strictest(v); ok {
			dst = append(dst, c)
		}
	}
	return dst
}

// leastUsed returns the directions that have been used least.
func leastUsed(open []direction, v view) []direction {
	var least []direction
	for _, w := range open {
		a, _ := w.strictest(v)
		if !slices.ContainsFunc(open, func(other direction) bool {
			b, _ := other.strictest(v)
			return other.dim != w.dim && v.past(a, b) > 0
		}) {
			least = append(least, w)
		}
	}
	return least
}

// most returns the directions for which f is largest.
func most(all []direction, f func(direction) int) []direction {
	var best []direction
	for _, w := range all {
		if len(best) > 0 && f(w) < f(best[0]) {
			continue
		}
		if len(best) > 0 && f(w) > f(best[0]) {
			best = best[:0]
		}
		best = append(best, w)
	}
	return best
}

// freeIn makes a status of a number: three bits per direction, in order.
func freeIn(all []direction, set int) func(spec.ChannelID) bool {
	return func(c spec.ChannelID) bool {
		for i, w := range all {
			if c >= w.first && c < w.first+3 {
				return set>>(3*i+int(c-w.first))&1 == 1
			}
		}
		return false
	}
}
