package p3

import "fmt"

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
	rules
)

// RuleNames are the names of the rules, in order.
var RuleNames = []string{"literal", "horizontal", "vertical", "west-first", "beyond", "beyond-horizontal", "beyond-vertical", "forced", "fitted"}

// ParseRule reads the name of a rule.
func ParseRule(name string) (Rule, error) {
	for i, n := range RuleNames {
		if n == name {
			return Rule(i), nil
		}
	}
	return 0, fmt.Errorf("no rule is called %.40q", name)
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
	keep := func(good func(e int) bool) {
		var kept uint32
		for e := range f.Plane.Across[region] {
			if edges>>e&1 == 1 && good(e) {
				kept |= 1 << e
			}
		}
		if kept != 0 {
			edges = kept
		}
	}
	rule := f.rule
	switch rule {
	case Beyond, BeyondHorizontal, BeyondVertical:
		keep(func(e int) bool { return f.views[region].out[e].of(c, f.border) > 0 })
	}
	switch rule {
	case Horizontal, BeyondHorizontal:
		keep(func(e int) bool { return f.Plane.Sideways(region, e) })
	case Vertical, BeyondVertical:
		keep(func(e int) bool { return !f.Plane.Sideways(region, e) })
	case WestFirst:
		keep(func(e int) bool { return f.Plane.Sideways(region, e) && f.views[region].out[e].a < 0 })
	}
	return edges
}
