package p3

import (
	"fmt"
	"math/bits"
)

// Rule says which of the edges that a zone names a packet may cross.
type Rule uint8

const (
	// Literal: any edge that the zone names.
	Literal Rule = iota
	// Horizontal: in zone B an edge to the left or right rather than one above
	// or below (see [Plane.Sideways]).
	Horizontal
	// Vertical: in zone B an edge above or below.
	Vertical
	// WestFirst: in zone B an edge to the left if there is one; else either.
	WestFirst
	// Beyond: only an edge beyond whose line the target lies: the line separates
	// it from the region. In zone A that is always so; in zone B at a sharp
	// corner only for one of the two edges. This is what the paper's rule lacks.
	Beyond
	// BeyondHorizontal: as Beyond, and then as Horizontal.
	BeyondHorizontal
	// BeyondVertical: as Beyond, and then as Vertical.
	BeyondVertical
	// Forced: as Literal, but packets are sent only where no PE on their way has
	// a choice. They travel thus under every rule: a deadlock among them is one
	// under every rule.
	Forced
	// Fitted: in zone B one edge, chosen for each kind of targets so that one
	// buffer class will do; see fitted.go. It is an error if there is no such
	// choice.
	Fitted
	// Nearer: in zone B the edge to the PE whose region is nearer to the target;
	// at equal distance as Horizontal. A PE cannot tell from its own region. The
	// targets must be [Integers]: where two regions are equally far is an arc of a
	// parabola, along which no cell can be cut.
	Nearer
	// ByQuadrant: in zone B as Horizontal or as Vertical, according to the quadrant
	// of the target, see [Quadrants].
	ByQuadrant
	// BeyondNearer: as Beyond, and then as Nearer.
	BeyondNearer
	// BeyondQuadrant: as Beyond, and then as ByQuadrant.
	BeyondQuadrant
	// NeverBack: as Literal, but a packet is not sent straight back to the PE that
	// it came from, unless the zone names no other. The machine has a Path Table
	// for each input channel, so its entries can say so. On a convex plane packets
	// then arrive: while the distance stays, the nearest corner does, and the packet
	// goes round it, turning at most once, at the plane's border; the regions there
	// cover what lies nearer.
	NeverBack
	rules
)

// RuleNames are the names of the rules, in order.
var RuleNames = []string{"literal", "horizontal", "vertical", "west-first", "beyond", "beyond-horizontal", "beyond-vertical", "forced", "fitted",
	"nearer", "by-quadrant", "beyond-nearer", "beyond-quadrant", "never-back"}

// ParseRule reads the name of a rule.
func ParseRule(name string) (Rule, error) {
	for i, n := range RuleNames {
		if n == name {
			return Rule(i), nil
		}
	}
	return 0, fmt.Errorf("no rule is called %.40q", name)
}

// beyond reports whether the rule asks beyond which edges a target lies.
func (r Rule) beyond() bool {
	switch r {
	case Beyond, BeyondHorizontal, BeyondVertical, BeyondNearer, BeyondQuadrant:
		return true
	}
	return false
}

// permitted returns the edges, among those of the zone, over which a PE may send
// a packet. Edges of the plane's border are none.
func (f *Forwarding) permitted(region int, z Zone, c *Cell) uint32 {
	edges := z.Edges
	for e, across := range f.Plane.Across[region] {
		if across == Outside {
			edges &^= 1 << e
		}
	}
	if edges&(edges-1) == 0 {
		return edges
	}
	keep := func(good func(e int) bool) {
		var kept uint32
		for left := edges; left != 0; left &= left - 1 {
			if e := bits.TrailingZeros32(left); good(e) {
				kept |= 1 << e
			}
		}
		if kept != 0 {
			edges = kept
		}
	}
	sideways := func(e int) bool { return f.Plane.Sideways(region, e) }
	upright := func(e int) bool { return !f.Plane.Sideways(region, e) }
	out := f.views[region].out
	if f.asked.Rule.beyond() {
		keep(func(e int) bool { return out[e].of(c, f.asked.Border) > 0 })
	}
	switch f.asked.Rule {
	case Horizontal, BeyondHorizontal:
		keep(sideways)
	case Vertical, BeyondVertical:
		keep(upright)
	case WestFirst:
		keep(func(e int) bool { return sideways(e) && out[e].a < 0 })
	case Nearer, BeyondNearer:
		edges = f.nearest(region, edges, c)
		keep(sideways)
	case ByQuadrant, BeyondQuadrant:
		var right, up bool
		for left := z.Edges; left != 0; left &= left - 1 {
			e := bits.TrailingZeros32(left)
			right = right || sideways(e) && out[e].a > 0
			up = up || upright(e) && out[e].b > 0
		}
		if f.asked.Quadrants>>quadrant(right, up)&1 == 0 {
			keep(sideways)
		} else {
			keep(upright)
		}
	}
	return edges
}

// nearest keeps the edges across which the region is nearest to an integer
// target.
func (f *Forwarding) nearest(region int, edges uint32, c *Cell) uint32 {
	var best squared
	var kept uint32
	for ; edges != 0; edges &= edges - 1 {
		e := bits.TrailingZeros32(edges)
		d := f.Plane.Regions[f.Plane.Across[region][e]].from(c.point())
		switch cmp := d.cmp(best); {
		case kept == 0 || cmp < 0:
			best, kept = d, 1<<e
		case cmp == 0:
			kept |= 1 << e
		}
	}
	return kept
}
