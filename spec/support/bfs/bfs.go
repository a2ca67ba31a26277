// Package bfs, internal to unknot, searches graphs breadth first.
package bfs

import (
	"math"
	"slices"
)

// Never is the level of a vertex that is not met.
const Never = math.MaxInt32

// Levels returns, by vertex, the fewest steps to it from the nearest of some vertices, or Never, and the vertices met,
// nearest first, those of one level in the order in which they are found. The vertices are the numbers below n; next
// calls visit with those one step from v. Linear.
func Levels[V ~int | ~int32](n int, from []V, next func(v V, visit func(V))) (level []int32, met []V) {
	level = slices.Repeat([]int32{Never}, n)
	met = make([]V, 0, n)
	now := int32(0)
	visit := func(v V) {
		if level[v] == Never {
			level[v] = now
			met = append(met, v)
		}
	}
	for _, v := range from {
		visit(v)
	}
	for i := 0; i < len(met); i++ {
		now = level[met[i]] + 1
		next(met[i], visit)
	}
	return level, met
}

// Reach returns some places and those that can be reached from them, as a set and nearest first; next calls visit with
// those one step from p. It is for graphs of which a search sees little, or whose places are not known before.
func Reach[P comparable](from []P, next func(p P, visit func(P))) (seen map[P]bool, met []P) {
	seen = map[P]bool{}
	visit := func(p P) {
		if !seen[p] {
			seen[p] = true
			met = append(met, p)
		}
	}
	for _, p := range from {
		visit(p)
	}
	for i := 0; i < len(met); i++ {
		next(met[i], visit)
	}
	return seen, met
}
