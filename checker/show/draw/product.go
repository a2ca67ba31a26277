package draw

import (
	"maps"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// common returns the core neighbors that two nodes share.
func (s *shaping) common(v, w int) (all []int) {
	for _, x := range s.core[v] {
		if _, is := slices.BinarySearch(s.core[w], x); is {
			all = append(all, x)
		}
	}
	return all
}

// product places a product of rings and lines: a mesh, a torus, a hypercube, a ring.
func (s *shaping) product(unit float64) *Layout {
	type edge [2]int
	number := map[edge]int{}
	var edges []edge
	for _, v := range s.nodes {
		for _, w := range s.core[v] {
			if v < w {
				number[edge{v, w}] = len(edges)
				edges = append(edges, edge{v, w})
			}
		}
	}
	of := func(v, w int) int { return number[edge{min(v, w), max(v, w)}] }
	dims := graph.NewUnion[int](len(edges))
	for _, u := range s.nodes {
		for i, v := range s.core[u] {
			for _, w := range s.core[u][:i] {
				_, triangle := slices.BinarySearch(s.core[v], w)
				others := s.common(v, w)
				if triangle || len(others) != 2 {
					dims.Join(of(u, v), of(u, w))
					continue
				}
				x := others[0] + others[1] - u
				dims.Join(of(u, v), of(w, x))
				dims.Join(of(u, w), of(v, x))
			}
		}
	}
	var classes []int
	for e := range edges {
		if dims.Find(e) == e {
			classes = append(classes, e)
		}
	}
	const mostDims = 12
	if len(classes) == 0 || len(classes) > mostDims {
		return nil
	}
	l := &Layout{At: make([]Point, len(s.beside)), rank: make([][]int, len(s.beside))}
	for _, class := range classes {
		parts := graph.NewUnion[int](len(s.beside)) // nodes that differ only in other dimensions
		for e, ends := range edges {
			if dims.Find(e) != class {
				parts.Join(ends[0], ends[1])
			}
		}
		next := map[int][]int{}
		for _, v := range s.nodes {
			next[parts.Find(v)] = nil
		}
		for e, ends := range edges {
			if a, b := parts.Find(ends[0]), parts.Find(ends[1]); dims.Find(e) == class && a != b {
				next[a], next[b] = append(next[a], b), append(next[b], a)
			}
		}
		place := inLine(next)
		if place == nil {
			return nil
		}
		for _, v := range s.nodes {
			l.rank[v] = append(l.rank[v], place[parts.Find(v)])
		}
		l.size = append(l.size, len(place))
	}
	seen := map[string]bool{}
	for _, v := range s.nodes {
		seen[routing.CoordinateName(l.rank[v]...)] = true
	}
	return s.gridded(l, len(seen), unit)
}

// groups places a dragonfly: complete groups of the same size around a circle.
func (s *shaping) groups(unit float64) *Layout {
	group := graph.NewUnion[int](len(s.beside))
	for _, v := range s.nodes {
		for _, w := range s.core[v] {
			if len(s.common(v, w)) > 0 {
				group.Join(v, w)
			}
		}
	}
	members := map[int][]int{}
	for _, v := range s.nodes {
		members[group.Find(v)] = append(members[group.Find(v)], v)
	}
	size := len(members[group.Find(s.nodes[0])])
	for _, all := range members {
		if len(all) != size || size < 3 {
			return nil
		}
		for _, v := range all {
			if inside := slices.DeleteFunc(slices.Clone(s.core[v]), func(w int) bool {
				return group.Find(w) != group.Find(v)
			}); len(inside) != size-1 {
				return nil
			}
		}
	}
	l := &Layout{At: make([]Point, len(s.beside))}
	small := around(size, unit)
	large := 0.0
	if len(members) > 1 {
		large = around(len(members), 2*small+1.2*unit)
	}
	for i, least := range slices.Sorted(maps.Keys(members)) {
		turn := 2 * math.Pi * float64(i) / float64(len(members))
		sin, cos := math.Sincos(turn)
		for k, v := range members[least] {
			a, b := math.Sincos(turn + 2*math.Pi*float64(k)/float64(size))
			l.At[v] = Point{large*sin + small*a, large*cos + small*b}
		}
	}
	return l
}
