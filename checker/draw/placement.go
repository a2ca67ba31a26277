package draw

import "github.com/seed-105a2da2/unknot/spec"

// Placement tells where the nodes of a topology stand by their coordinates:
// on a grid, dimension 1 to the right and dimension 2 upwards, or on a circle if
// a single dimension is closed to a ring.
type Placement struct{ l *layout }

// Place places the nodes of t about unit apart, in whatever unit that is. It
// reports false if coordinates are missing, differ in number or coincide.
func Place(t *spec.Topology, unit float64) (Placement, bool) {
	l := place(t, unit)
	return Placement{l}, l != nil
}

// Node returns the place of a node, with y upwards.
func (p Placement) Node(v spec.NodeID) Point { return p.l.at[v] }

// Wraps reports whether a link joins the two ends of a dimension, as the wrap
// links of a torus do, and returns half a step in the direction in which it
// leaves its tail.
func (p Placement) Wraps(link spec.Link) (half Point, ok bool) { return p.l.wraps(link) }
