package draw

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Place returns a layout whose neighbouring nodes are about unit apart, in any unit. If the
// coordinates are missing, differ in number or coincide, it looks for a shape: tiers,
// products of rings and lines, complete groups. It returns nil without a shape.
func Place(t *spec.Topology, unit float64) *Layout {
	l := rankCoordinates(t)
	if l == nil {
		return shape(t, unit)
	}
	if len(l.size) == 1 && !isLine(t, l) {
		l.circle(unit)
	} else {
		l.grid(unit)
	}
	return l
}

// room returns how many inches apart nodes should be, side by side and one above the
// other, as their labels require.
func room(nodes []Node) (wide, high float64) {
	const widest, highest = 40, 6 // letters and lines; what is longer may overlap
	letters, lines := 0, 1
	for _, n := range nodes {
		parts := strings.Split(n.Label, "\n")
		lines = max(lines, len(parts))
		for _, p := range parts {
			letters = max(letters, utf8.RuneCountInString(p))
		}
	}
	return 0.3 + 0.077*float64(min(letters, widest)), 0.38 + 0.18*float64(min(lines, highest))
}

// rankCoordinates returns a layout without places, or nil.
func rankCoordinates(t *spec.Topology) *Layout {
	if t.Nodes() == 0 || len(t.Node(0).At) == 0 {
		return nil
	}
	dims := len(t.Node(0).At)
	values := make([][]int, dims)
	for v := range spec.NodeID(t.Nodes()) {
		at := t.Node(v).At
		if len(at) != dims {
			return nil
		}
		for d, x := range at {
			values[d] = append(values[d], x)
		}
	}
	l := &Layout{}
	for d := range values {
		slices.Sort(values[d])
		values[d] = slices.Compact(values[d])
		l.size = append(l.size, len(values[d]))
	}
	seen := map[string]bool{}
	for v := range spec.NodeID(t.Nodes()) {
		at := t.Node(v).At
		name := routing.CoordinateName(at...)
		if seen[name] {
			return nil
		}
		seen[name] = true
		rank := make([]int, dims)
		for d, x := range at {
			rank[d], _ = slices.BinarySearch(values[d], x)
		}
		l.rank = append(l.rank, rank)
	}
	return l
}
