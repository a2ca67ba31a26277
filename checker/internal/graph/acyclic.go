package graph

import "slices"

// Acyclic is a subset of the edges of a graph that never has a cycle. It maintains a
// topological order of the vertices. To add an edge it searches only what lies between
// the edge's ends in that order (Marchetti-Spaccamela, Nanni and Rohnert 1996; Pearce and
// Kelly 2006). When the effort is used up, the order no longer changes.
type Acyclic struct {
	*edges
	effort    int64     // edges that searches may still look at
	has       []bool    // by edge: whether it is in the subset
	out, in   [][]int32 // by vertex: targets of its edges in the subset, and sources of those into it
	place, at []int32   // by vertex: its place in the order; by place: the vertex

	// For the edge being added:
	first, last   int32   // places of its ends
	ahead, behind []int32 // vertices met from either end
	met           []uint8 // by vertex: ahead or behind; 0: not met
	later         []int32
}

const (
	ahead = 1 + iota
	behind
)

// edges are the edges of a graph.
type edges struct {
	g      *Graph
	from   []int32
	effort int64 // initial effort of a subset
}

// Effort amounts to some seconds.
const Effort = 1 << 29

// NewAcyclic returns the empty subset of the edges of g, with the given effort.
func NewAcyclic(g *Graph, effort int64) *Acyclic {
	x := &edges{g: g, effort: effort, from: make([]int32, len(g.To))}
	for v := range int32(g.Len()) {
		for e := g.First[v]; e < g.First[v+1]; e++ {
			x.from[e] = v
		}
	}
	return (&Acyclic{edges: x}).None()
}

// None returns the empty subset for the same graph.
func (a *Acyclic) None() *Acyclic {
	n := a.g.Len()
	none := &Acyclic{
		edges: a.edges, effort: a.edges.effort, has: make([]bool, len(a.g.To)), out: make([][]int32, n),
		in: make([][]int32, n), place: make([]int32, n), at: make([]int32, n), met: make([]uint8, n),
	}
	for v := range none.place {
		none.place[v], none.at[v] = int32(v), int32(v)
	}
	return none
}

// SetOrder sets the order to a list of all vertices; the subset must be empty.
func (a *Acyclic) SetOrder(order []int32) *Acyclic {
	for i, v := range order {
		a.place[v], a.at[i] = int32(i), v
	}
	return a
}

// Has reports whether an edge is in the subset.
func (a *Acyclic) Has(e uint32) bool { return a.has[e] }

// Remove removes an edge from the subset.
func (a *Acyclic) Remove(e uint32) {
	if v, w := a.from[e], a.g.To[e]; a.has[e] {
		a.has[e] = false
		a.out[v], a.in[w] = without(a.out[v], w), without(a.in[w], v)
	}
}

// without removes x from a list.
func without(list []int32, x int32) []int32 {
	last := len(list) - 1
	list[slices.Index(list, x)] = list[last]
	return list[:last]
}

// Add adds an edge, unless it closes a cycle, or leads back in the order when the effort is
// used up.
func (a *Acyclic) Add(e uint32) bool {
	v, w := a.from[e], a.g.To[e]
	if a.has[e] {
		return true
	}
	if a.place[v] >= a.place[w] && !a.reorder(v, w) {
		return false
	}
	a.has[e] = true
	a.out[v], a.in[w] = append(a.out[v], w), append(a.in[w], v)
	return true
}

// reorder changes the order so that v comes before w, unless there is a path from w to v. It
// searches from both ends until one search has ended or the two meet.
func (a *Acyclic) reorder(v, w int32) bool {
	if v == w || a.effort <= 0 {
		return false
	}
	a.first, a.last = a.place[w], a.place[v]
	a.ahead, a.behind = append(a.ahead[:0], w), append(a.behind[:0], v)
	a.met[w], a.met[v] = ahead, behind
	ended, disjoint := uint8(0), true
	for i := 0; ended == 0 && disjoint; i++ {
		if a.ahead, disjoint = a.meet(a.ahead, a.out[a.ahead[i]], ahead); disjoint {
			a.behind, disjoint = a.meet(a.behind, a.in[a.behind[i]], behind)
		}
		switch i + 1 {
		case len(a.ahead):
			ended = ahead
		case len(a.behind):
			ended = behind
		}
	}
	if disjoint {
		a.move(ended)
	}
	for _, list := range [][]int32{a.ahead, a.behind} {
		for _, u := range list {
			a.met[u] = 0
		}
	}
	return disjoint
}

// meet adds the vertices of next that lie between the ends to a list; not disjoint if the other
// search has met one.
func (a *Acyclic) meet(list, next []int32, by uint8) (longer []int32, disjoint bool) {
	a.effort -= int64(1 + len(next))
	for _, x := range next {
		if p := a.place[x]; p < a.first || p > a.last || a.met[x] == by {
			continue
		}
		if a.met[x] != 0 {
			return list, false
		}
		a.met[x] = by
		list = append(list, x)
	}
	return list, true
}

// move moves everything ahead to the end of the range between the ends, or everything behind
// to its beginning, and otherwise keeps the order.
func (a *Acyclic) move(ended uint8) {
	between := a.at[a.first : a.last+1]
	a.effort -= int64(len(between) / 8) // moving in sequence takes less time
	a.later = a.later[:0]
	k := a.first
	put := func(u int32) {
		a.at[k], a.place[u] = u, k
		k++
	}
	for _, u := range between {
		if ended == ahead && a.met[u] == ahead || ended == behind && a.met[u] != behind {
			a.later = append(a.later, u)
		} else {
			put(u)
		}
	}
	for _, u := range a.later {
		put(u)
	}
}
