package graph

import "slices"

// Acyclic is a part of the edges of a graph that never has a cycle. An order of the
// vertices in which every edge of the part leads onwards is kept up to date, and an edge that
// is added takes a search of what lies between its ends in that order alone (Pearce
// and Kelly 2006).
type Acyclic struct {
	*edges
	in         []bool  // by edge: it is in the part
	place      []int32 // by vertex: the order
	mark       []bool  // by vertex: met by the search
	fore, back []int32 // what it met
	places     []int32
}

// edges are those of a graph, found by either end.
type edges struct {
	g    *Graph
	from []int32
	into *Graph // edges by the vertex that they lead to
}

// NewAcyclic returns the part of g without edges.
func NewAcyclic(g *Graph) *Acyclic {
	x := &edges{g: g, from: make([]int32, len(g.To))}
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
	none := &Acyclic{edges: a.edges, in: make([]bool, len(a.g.To)), place: make([]int32, n), mark: make([]bool, n)}
	for v := range none.place {
		none.place[v] = int32(v)
	}
	return none
}

// Has reports whether an edge is in the part.
func (a *Acyclic) Has(e uint32) bool { return a.in[e] }

// Remove takes an edge out of the part.
func (a *Acyclic) Remove(e uint32) { a.in[e] = false }

// Add adds an edge, unless it closes a cycle.
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
	if v == w {
		return false
	}
	a.fore = a.search(a.fore[:0], w, func(u int32, meet func(int32)) {
		for e := a.g.First[u]; e < a.g.First[u+1]; e++ {
			if x := a.g.To[e]; a.in[e] && a.place[x] <= a.place[v] {
				meet(x)
			}
		}
	})
	cyclic := a.mark[v]
	if !cyclic {
		a.back = a.search(a.back[:0], v, func(u int32, meet func(int32)) {
			for _, e := range a.into.Next(u) {
				if x := a.from[e]; a.in[e] && a.place[x] > a.place[w] {
					meet(x)
				}
			}
		})
		a.merge()
	}
	for _, met := range [][]int32{a.fore, a.back} {
		for _, u := range met {
			a.mark[u] = false
		}
	}
	a.back = a.back[:0]
	return !cyclic
}

// search appends what is met from a vertex.
func (a *Acyclic) search(met []int32, from int32, beside func(u int32, meet func(int32))) []int32 {
	met = append(met, from)
	a.mark[from] = true
	for i := 0; i < len(met); i++ {
		beside(met[i], func(x int32) {
			if !a.mark[x] {
				a.mark[x] = true
				met = append(met, x)
			}
		})
	}
	return met
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
