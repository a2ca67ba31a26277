// Package updown, internal to unknot, provides what up*/down* routing is built on: orders of the nodes, and trees of
// links to and from a root.
package updown

import (
	"cmp"
	"iter"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Orders of the nodes.
//
// A channel is up if it leads to a node that comes earlier. A path of channels that
// returns to its first channel goes up and down, and so turns from down to up
// somewhere: without those turns the dependency graph has no cycle. Up*/down* is a
// breadth-first order from a root (Schroeder et al. 1991); depth-first order often
// forbids less (Sancho, Robles and Duato 2000).

// Order is an order of the nodes.
type Order struct {
	Roots []spec.NodeID // where it begins; nil: the order of the numbers
	Place []int32       // by node
}

// IsUp reports whether a link leads to a node that comes earlier.
func (o Order) IsUp(l spec.Link) bool { return o.Place[l.To] < o.Place[l.From] }

// ByLevel places the nodes by some levels, and those of one level by number: with the distances from a root, the order
// of Autonet.
func ByLevel(level []int32, roots ...spec.NodeID) Order {
	nodes := make([]spec.NodeID, len(level))
	for v := range nodes {
		nodes[v] = spec.NodeID(v)
	}
	slices.SortStableFunc(nodes, func(a, b spec.NodeID) int { return cmp.Compare(level[a], level[b]) })
	place := make([]int32, len(level))
	for i, v := range nodes {
		place[v] = int32(i)
	}
	return Order{Roots: roots, Place: place}
}

// BreadthFirst places the nodes in the order in which a search from roots, also against links, meets them; nodes that
// it does not meet come last.
func BreadthFirst(t *spec.Topology, roots ...spec.NodeID) Order { return search(t, false, roots) }

// DepthFirst is BreadthFirst with a search that goes on from the node met last.
func DepthFirst(t *spec.Topology, roots ...spec.NodeID) Order { return search(t, true, roots) }

func search(t *spec.Topology, deep bool, roots []spec.NodeID) Order {
	place := slices.Repeat([]int32{-1}, t.Nodes())
	next := int32(0)
	list := slices.Clone(roots)
	for start := range spec.NodeID(t.Nodes()) {
		for len(list) > 0 {
			var v spec.NodeID
			if deep {
				v, list = list[len(list)-1], list[:len(list)-1]
			} else {
				v, list = list[0], list[1:]
			}
			if place[v] >= 0 {
				continue
			}
			place[v] = next
			next++
			beside := Neighbors(t, v)
			if deep {
				slices.Reverse(beside)
			}
			list = append(list, beside...)
		}
		list = append(list, (roots[0]+start+1)%spec.NodeID(t.Nodes()))
	}
	return Order{Roots: roots, Place: place}
}

// Neighbors returns the other nodes that links lead to or come from, ascending.
func Neighbors(t *spec.Topology, v spec.NodeID) []spec.NodeID {
	var beside []spec.NodeID
	for _, l := range t.OutLinks(v) {
		beside = append(beside, t.Link(l).To)
	}
	for _, l := range t.InLinks(v) {
		beside = append(beside, t.Link(l).From)
	}
	slices.Sort(beside)
	return slices.DeleteFunc(slices.Compact(beside), func(u spec.NodeID) bool { return u == v })
}

// mostRoots is how many roots are tried, spread evenly over the nodes.
const mostRoots = 16

// Spread returns some of the numbers below n, spread evenly: the roots to try.
func Spread(n int) []int {
	some := make([]int, min(mostRoots, n))
	for i := range some {
		some[i] = i * n / len(some)
	}
	return some
}

// Orders yields the order of the numbers, and the breadth-first and depth-first orders from
// each of some roots.
func Orders(t *spec.Topology) iter.Seq[Order] {
	return func(yield func(Order) bool) {
		more := yield(ByLevel(make([]int32, t.Nodes())))
		for _, root := range Spread(t.Nodes()) {
			more = more && yield(BreadthFirst(t, spec.NodeID(root))) && yield(DepthFirst(t, spec.NodeID(root)))
		}
	}
}
