package draw

import (
	"github.com/seed-105a2da2/unknot/spec"
)

// Shapes of topologies without coordinates.
//
// Nodes with one neighbor (hosts) are set aside. If the distance from the next host is a
// rank such that every link joins neighboring ranks, the topology is drawn in tiers: a fat
// tree. Without hosts, and if no other shape fits, the rank is the distance from the nodes
// with the fewest neighbors. Otherwise the rest of the nodes (the core) is tried as a
// Cartesian product of rings and lines: two links of a node that span exactly one square
// belong to different dimensions, and opposite links of the square to one (after Feder
// 1992, simplified: the result is verified); then as complete groups joined by links that
// are in no triangle: a dragonfly. Hosts are below their switch.

// Bounds of the topologies whose shape is looked for: nodes, and the sum of the cubes of their
// numbers of neighbors, as dimensions and groups take that time.
const mostShaped, mostWork = 20_000, 200_000_000

// shape returns a layout of a topology by its links alone, or nil.
func shape(t *spec.Topology, unit float64) *Layout {
	if t.Nodes() < 3 || t.Nodes() > mostShaped {
		return nil
	}
	s := newShaping(t)
	for v := range s.hosts {
		if s.host[v] {
			return nil // a pair, separate from the rest or from other pairs
		}
	}
	if l := s.tiers(s.host, unit); l != nil || s.work() > mostWork {
		return l
	}
	hosts := 0
	for _, hs := range s.hosts {
		hosts = max(hosts, len(hs))
	}
	apart := unit
	if hosts > 0 {
		apart *= max(2, 0.9*float64(hosts)+0.6)
	}
	l := s.named(apart, false)
	if l == nil {
		l = s.product(apart)
	}
	if l == nil {
		l = s.groups(apart)
	}
	if l == nil && hosts == 0 {
		return s.tiers(s.leaves(), unit)
	}
	if l == nil {
		return nil
	}
	for v, hs := range s.hosts {
		middle := float64(len(hs)-1) / 2
		if len(hs) == 1 {
			middle = -0.5 // otherwise a column of links would have to go around it
		}
		for i, h := range hs {
			l.At[h] = l.At[v].Plus(Point{(float64(i) - middle) * 0.9 * unit, -0.8 * unit})
		}
	}
	return l
}

// Coordinates returns the coordinates of each node of a product of rings, lines and complete groups (a HyperX): those
// in its switches' names if each link joins two that differ in one, otherwise, of rings and lines, some that fit the
// links. A node with one neighbor has the neighbor's. It is nil for any other topology.
func Coordinates(t *spec.Topology) [][]int {
	if t.Nodes() < 3 || t.Nodes() > mostShaped {
		return nil
	}
	s := newShaping(t)
	for v := range s.hosts {
		if s.host[v] {
			return nil
		}
	}
	l := s.named(1, true)
	if l == nil && s.work() <= mostWork {
		l = s.product(1)
	}
	if l == nil {
		return nil
	}
	return l.rank
}
