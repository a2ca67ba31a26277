package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Torus returns the k x k torus with links both ways, its nodes numbered row by row.
func Torus(k int) Graph {
	g := Graph{Nodes: k * k}
	for v := range g.Nodes {
		x, y := v%k, v/k
		for _, w := range [...]int{y*k + (x+1)%k, (y+1)%k*k + x} {
			if k > 2 || v < w {
				g.both(v, w)
			}
		}
	}
	return g
}

// Remove returns the graph without the edges and nodes that text names, separated by
// commas: 3-7 is an edge between two nodes, in both directions, 5 a node with all its
// edges. The other nodes keep their names, which in a graph without names are their
// numbers.
func (g Graph) Remove(text string) (Graph, error) {
	if text == "" {
		return g, nil
	}
	name := func(v int) string {
		if g.Names != nil {
			return g.Names[v]
		}
		return strconv.Itoa(v)
	}
	number := map[string]int{}
	for v := range g.Nodes {
		number[name(v)] = v
	}
	gone := make([]bool, g.Nodes)
	links := slices.Clone(g.Links)
	take := func(from, to int) bool {
		i := slices.Index(links, [2]int{from, to})
		if i >= 0 {
			links = slices.Delete(links, i, i+1)
		}
		return i >= 0
	}
	for one := range strings.SplitSeq(text, ",") {
		if v, ok := number[one]; ok {
			gone[v] = true
			continue
		}
		one, _, _ := strings.Cut(one, "#") // which of several parallel edges does not matter
		a, b, _ := strings.Cut(one, "-")
		v, ok1 := number[a]
		w, ok2 := number[b]
		if !ok1 || !ok2 || !take(v, w) || !take(w, v) {
			return Graph{}, fmt.Errorf("invalid without %.40q: want nodes and edges of the graph", one)
		}
	}
	left := Graph{}
	place := make([]int, g.Nodes)
	for v := range g.Nodes {
		if !gone[v] {
			place[v] = left.Nodes
			left.Nodes++
			left.Names = append(left.Names, name(v))
		}
	}
	for _, l := range links {
		if !gone[l[0]] && !gone[l[1]] {
			left.Links = append(left.Links, [2]int{place[l[0]], place[l[1]]})
		}
	}
	return left, nil
}
