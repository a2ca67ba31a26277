package p3

import "math/bits"

// Rule determines which of the edges that a zone names a packet may cross.
type Rule uint8

const (
	// Literal: any edge that the zone names.
	Literal Rule = iota
	// Horizontal: in zone B an edge to the left or right rather than one above or below
	// (see [Plane.Sideways]).
	Horizontal
	// Vertical: in zone B an edge above or below.
	Vertical
	// WestFirst: in zone B an edge to the left if there is one; otherwise either.
	WestFirst
	// Beyond: only an edge whose line separates the target from the region. In zone A
	// that is always so; in zone B at a sharp corner only for one of the two edges.
	// This is what the paper's rule lacks.
	Beyond
	// BeyondHorizontal: as Beyond, and then as Horizontal.
	BeyondHorizontal
	// BeyondVertical: as Beyond, and then as Vertical.
	BeyondVertical
	// Forced: as Literal, but packets are sent only where no PE on their path has a
	// choice. They take this path under every rule, so a deadlock among them occurs
	// under every rule.
	Forced
	// NeverBack: as Literal, but a packet is not sent straight back to the PE that it
	// came from unless the zone names no other. The machine has a Path Table for each
	// input channel, so its entries can say so. On a convex plane packets then arrive:
	// while the distance stays the same, so does the nearest corner, and the packet
	// follows the plane's border, turning at most once; the regions there cover what
	// lies nearer.
	NeverBack
)

// RuleNames are the names of the rules, in order.
var RuleNames = []string{"literal", "horizontal", "vertical", "west-first", "beyond", "beyond-horizontal",
	"beyond-vertical", "forced", "never-back"}

// looksBeyond reports whether the rule depends on the edges beyond which a target lies.
func (r Rule) looksBeyond() bool { return Beyond <= r && r <= BeyondVertical }

// permitted returns the edges, among those of the zone, over which a PE may send
// a packet. Edges on the plane's border are not among them.
func (f *Forwarding) permitted(region int, c *Cell) uint32 {
	edges := f.Zone(region, c).Edges
	for e, across := range f.Plane.Across[region] {
		if across == Outside {
			edges &^= 1 << e
		}
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
	out := f.views[region].out
	if f.asked.Rule.looksBeyond() {
		keep(func(e int) bool { return out[e].of(c, f.asked.Border) > 0 })
	}
	switch f.asked.Rule {
	case Horizontal, BeyondHorizontal:
		keep(sideways)
	case Vertical, BeyondVertical:
		keep(func(e int) bool { return !sideways(e) })
	case WestFirst:
		keep(func(e int) bool { return sideways(e) && out[e].a < 0 })
	}
	return edges
}
