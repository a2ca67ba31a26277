package draw

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
)

// Rows returns g with its nodes in rows by their distance from the node with the most
// neighbors, each row in the order of the neighbors above it, and with straight edges: for
// graphs that Graphviz would take minutes to place. Components are one below the other;
// long rows are broken. Linear in the edges, except for sorting.
func Rows(g *Graph) *Graph {
	beside := make([][]int, len(g.Nodes))
	for _, e := range g.Edges {
		beside[e.From] = append(beside[e.From], e.To)
		beside[e.To] = append(beside[e.To], e.From)
	}
	for v := range beside {
		slices.Sort(beside[v])
		beside[v] = slices.Compact(beside[v])
	}
	wide, high := room(g.Nodes)
	most := max(1, int(math.Sqrt(2*float64(len(g.Nodes))*high/wide))) // in a row
	out := *g
	out.Nodes, out.Straight = slices.Clone(g.Nodes), true
	y := 0.0
	for _, row := range distances(beside) {
		for line := range slices.Chunk(row, most) {
			for i, v := range line {
				stagger := high / 3 * float64(i%2) // otherwise edges within the row would run through the next node
				out.Nodes[v].At = &Point{(float64(i) - float64(len(line)-1)/2) * wide, y - stagger}
			}
			y -= 1.5 * high
		}
		y -= 2 * high
	}
	return &out
}

// distances lists the nodes by their distance from the one with the most neighbors, and
// then, in the same way, the nodes that it does not reach. A row is ordered by the mean place of
// the neighbors in the row before it.
func distances(beside [][]int) (rows [][]int) {
	order := graph.Identity[int](len(beside))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(beside[b]), len(beside[a])) })
	place, seen := make([]float64, len(beside)), make([]bool, len(beside)) // in its row
	for _, first := range order {
		if seen[first] {
			continue
		}
		seen[first] = true
		row := []int{first}
		if len(beside[first]) == 0 { // nor has any later node
			row = slices.DeleteFunc(slices.Clone(order), func(v int) bool { return len(beside[v]) > 0 })
			for _, v := range row {
				seen[v] = true
			}
		}
		for len(row) > 0 {
			rows = append(rows, row)
			for i, v := range row {
				place[v] = float64(i)
			}
			var next []int
			sum, above := map[int]float64{}, map[int]float64{}
			for _, v := range row {
				for _, w := range beside[v] {
					if !seen[w] || above[w] > 0 {
						if !seen[w] {
							next = append(next, w)
						}
						seen[w] = true
						sum[w] += place[v]
						above[w]++
					}
				}
			}
			slices.SortStableFunc(next, func(a, b int) int { return cmp.Compare(sum[a]/above[a], sum[b]/above[b]) })
			row = next
		}
	}
	return rows
}
