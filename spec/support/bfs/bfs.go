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

// Path returns the places on a shortest path from one of some places to a goal, with the step into each but the first;
// next calls visit with the steps from p and where they lead. Of several shortest paths it is the one that is found first. No
// places: there is no path.
func Path[P comparable, S any](
	from []P, goal func(P) bool, next func(p P, visit func(by S, to P)),
) (places []P, steps []S) {
	type arrival struct {
		at     P
		by     S
		before int
	}
	var met []arrival
	seen, found := map[P]bool{}, false
	visit := func(before int, by S, to P) {
		if !found && !seen[to] {
			seen[to] = true
			met = append(met, arrival{to, by, before})
			found = goal(to)
		}
	}
	var none S
	for _, p := range from {
		visit(-1, none, p)
	}
	for i := 0; i < len(met) && !found; i++ {
		next(met[i].at, func(by S, to P) { visit(i, by, to) })
	}
	if !found {
		return nil, nil
	}
	for k := len(met) - 1; k >= 0; k = met[k].before {
		places = append(places, met[k].at)
		if met[k].before >= 0 {
			steps = append(steps, met[k].by)
		}
	}
	slices.Reverse(places)
	slices.Reverse(steps)
	return places, steps
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
