package graph

import "slices"

// Acyclic is a part of the edges of a graph that never has a cycle. An order of the
// vertices in which every edge of the part leads onwards is kept up to date, and an edge that
// is added takes a search of what lies between its ends in that order alone (Pearce
// and Kelly 2006). When the effort is used up the order stays as it is.
type Acyclic struct {
	*edges
	effort     int64   // edges that searches may still look at
	in         []bool  // by edge: it is in the part
	place      []int32 // by vertex: the order
	mark       []bool  // by vertex: met by the search
	fore, back []int32 // what it met
	places     []int32
}

// edges are those of a graph, found by either end.
type edges struct {
	g      *Graph
	from   []int32
	into   *Graph // edges by the vertex that they lead to
	effort int64  // of a part at first
}

// Effort is some seconds.
const Effort = 1 << 29

// NewAcyclic returns the part of g without edges, and with so much effort.
func NewAcyclic(g *Graph, effort int64) *Acyclic {
	x := &edges{g: g, effort: effort, from: make([]int32, len(g.To))}
	for v := range int32(g.Len()) {
		for e := g.First[v]; e < g.First[v+1]; e++ {
			x.from[e] = v
		}
	}
	x.into = Collect(g.Len(), func(add func(from, to int32)) {
		for e, w := range g.To {
			add(w, int32(e))
		}
	})
	return (&Acyclic{edges: x}).None()
}

// None returns the part without edges of the same graph.
func (a *Acyclic) None() *Acyclic {
	n := a.g.Len()
	none := &Acyclic{edges: a.edges, effort: a.edges.effort, in: make([]bool, len(a.g.To)), place: make([]int32, n), mark: make([]bool, n)}
	for v := range none.place {
		none.place[v] = int32(v)
	}
	return none
}

// From makes the order that of a list of all vertices; the part has no edges.
func (a *Acyclic) From(order []int32) *Acyclic {
	for i, v := range order {
		a.place[v] = int32(i)
	}
	return a
}

// Has reports whether an edge is in the part.
func (a *Acyclic) Has(e uint32) bool { return a.in[e] }

// Remove takes an edge out of the part.
func (a *Acyclic) Remove(e uint32) { a.in[e] = false }

// Add adds an edge, unless it closes a cycle, or leads back in the order and the effort is
// used up.
func (a *Acyclic) Add(e uint32) bool {
	v, w := a.from[e], a.g.To[e]
	if !a.in[e] && a.place[v] >= a.place[w] && !a.reorder(v, w) {
		return false
	}
	a.in[e] = true
	return true
}

// reorder changes the order so that v comes before w, unless a way leads from w to v.
func (a *Acyclic) reorder(v, w int32) bool {
	if v == w || a.effort <= 0 {
		return false
	}
	from, to := a.place[w], a.place[v]
	a.fore, a.back = append(a.fore[:0], w), a.back[:0]
	a.mark[w] = true
	for i := 0; i < len(a.fore); i++ {
		u := a.fore[i]
		for e := a.g.First[u]; e < a.g.First[u+1]; e++ {
			if x := a.g.To[e]; a.in[e] && a.place[x] <= to && !a.mark[x] {
				a.mark[x] = true
				a.fore = append(a.fore, x)
			}
		}
		a.effort -= int64(a.g.First[u+1] - a.g.First[u])
	}
	cyclic := a.mark[v]
	if !cyclic {
		a.back = append(a.back, v)
		a.mark[v] = true
		for i := 0; i < len(a.back); i++ {
			into := a.into.Next(a.back[i])
			for _, e := range into {
				if x := a.from[e]; a.in[e] && a.place[x] > from && !a.mark[x] {
					a.mark[x] = true
					a.back = append(a.back, x)
				}
			}
			a.effort -= int64(len(into))
		}
		a.merge()
	}
	for _, met := range [][]int32{a.fore, a.back} {
		for _, u := range met {
			a.mark[u] = false
		}
	}
	return !cyclic
}

// merge gives the places of what was met first to what lies behind, then to what lies
// ahead, either in its order.
func (a *Acyclic) merge() {
	byPlace := func(u, v int32) int { return int(a.place[u] - a.place[v]) }
	slices.SortFunc(a.back, byPlace)
	slices.SortFunc(a.fore, byPlace)
	a.places = a.places[:0]
	for _, met := range [][]int32{a.back, a.fore} {
		for _, u := range met {
			a.places = append(a.places, a.place[u])
		}
	}
	slices.Sort(a.places)
	k := 0
	for _, met := range [][]int32{a.back, a.fore} {
		for _, u := range met {
			a.place[u] = a.places[k]
			k++
		}
	}
}
