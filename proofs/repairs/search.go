package repairs

import "slices"

// The traversals from which the conditions are checked. None backtracks, and each is linear in the edges that it is
// given; the invariants are
//
//   - group: the lists partition the edges whose key is at least 0, and keep their order.
//   - spread: a marked vertex was marked by the caller, is in from, or has a marked neighbour before it. A vertex that
//     is marked already is neither entered nor returned, so callers that share marks clear those returned.
//   - order: before[v] counts the edges into v from vertices that are not listed yet, and v is listed when it gets 0
//     (Kahn 1962). So vertices on a cycle, and those behind one, are never listed: edges close a cycle if and only if
//     fewer vertices are listed than there are.
//   - local: numbers are given in the order of first occurrence. A check of a few edges then takes time by their
//     number, not by the size of the network.

func (e edge) tail() int32 { return e.from }
func (e edge) head() int32 { return e.to }
func (e edge) what() int32 { return e.unit }

// group lists edges by a key below some number; those of a negative key are in no list.
func group(keys int, edges []edge, key func(edge) int32) [][]edge {
	count, all, lists := make([]int, keys), make([]edge, len(edges)), make([][]edge, keys)
	for _, e := range edges {
		if k := key(e); k >= 0 {
			count[k]++
		}
	}
	for k, some := range count {
		lists[k], all = all[:0:some], all[some:]
	}
	for _, e := range edges {
		if k := key(e); k >= 0 {
			lists[k] = append(lists[k], e)
		}
	}
	return lists
}

// spread marks vertices, and all to which edges, listed by one end, lead on at the other one. It returns those that
// were not marked before.
func spread(by [][]edge, other func(edge) int32, marked []bool, from []int32) (reached []int32) {
	for stack := slices.Clone(from); len(stack) > 0; {
		v := stack[len(stack)-1]
		if stack = stack[:len(stack)-1]; marked[v] {
			continue
		}
		marked[v], reached = true, append(reached, v)
		for _, e := range by[v] {
			stack = append(stack, other(e))
		}
	}
	return reached
}

// local renumbers the vertices of edges from 0, first those of was. Vertex i of the result was vertex was[i].
func local(edges []edge, was []int32) ([]edge, []int32) {
	number, renumbered := map[int32]int32{}, make([]edge, 0, len(edges))
	for k, v := range was {
		number[v] = int32(k)
	}
	for _, e := range edges {
		for _, v := range []int32{e.from, e.to} {
			if _, known := number[v]; !known {
				number[v], was = int32(len(was)), append(was, v)
			}
		}
		renumbered = append(renumbered, edge{number[e.from], number[e.to], e.unit})
	}
	return renumbered, was
}

// order returns vertices, of which no edge leads to an earlier one: all, unless edges close a cycle.
func order(out [][]edge) (vertices []int32) {
	before := make([]int, len(out))
	for _, list := range out {
		for _, e := range list {
			before[e.to]++
		}
	}
	for v, some := range before {
		if some == 0 {
			vertices = append(vertices, int32(v))
		}
	}
	for i := 0; i < len(vertices); i++ {
		for _, e := range out[vertices[i]] {
			if before[e.to]--; before[e.to] == 0 {
				vertices = append(vertices, e.to)
			}
		}
	}
	return vertices
}
