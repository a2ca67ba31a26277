package static

import (
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/fixpoint"
	"github.com/seed-105a2da2/unknot/spec"
)

// ways finds how many hops single packets may still make, one table after the other, in
// the same memory. Sites with the same row have the same future, so it visits rows, not
// sites: depth first, each once. Where it returns to a row on its path, the table has
// a cycle, and its row graph gives the rest.
type ways struct {
	n     *spec.Network
	index *spec.Index
	table spec.Table // scratch, for a table that is stored in fragments
	left  []int32    // by row: hops of the longest way on + 1, or unasked, or onWay
	asked []spec.RowID
	way   []leg

	graphs   *fixpoint.RowGraphs // made for the first table with a cycle
	shortest []int32             // by vertex
}

const (
	unasked = 0
	onWay   = -1
)

// leg is a row on the way, its hops that are still to be followed, and the most that was
// found behind the others.
type leg struct {
	row  spec.RowID
	hops []spec.Hop
	most int32
}

func newWays(n *spec.Network) *ways {
	return &ways{n: n, index: n.NewIndex(), left: make([]int32, n.RowCount())}
}

// hopsLeft fills in what survey.left says for one table, and reports whether a
// packet of the table can return to a site. Linear in its sites and hops.
func (w *ways) hopsLeft(t *spec.Table, left []int32) (cyclic bool) {
	w.index.Load(t)
	for s, r := range t.Rows {
		if w.left[r] == unasked && !w.longest(t, r) {
			cyclic = true
			break
		}
		left[s] = w.left[r] - 1
	}
	for _, r := range w.asked {
		w.left[r] = unasked
	}
	w.asked = w.asked[:0]
	if cyclic {
		w.wayOut(t, left)
	}
	return cyclic
}

// longest finds the longest ways on from row r and all behind it; false: there is a cycle.
func (w *ways) longest(t *spec.Table, r spec.RowID) (acyclic bool) {
	w.way = append(w.way[:0], w.begin(r))
	for len(w.way) > 0 {
		at := &w.way[len(w.way)-1]
		next := spec.RowID(-1)
		for len(at.hops) > 0 && next < 0 {
			if s := w.index.Site(at.hops[0]); s >= 0 {
				switch r := t.Rows[s]; w.left[r] {
				case onWay:
					return false
				case unasked:
					next = r
					continue // the hop is followed again when it is known
				default:
					at.most = max(at.most, w.left[r])
				}
			}
			at.hops = at.hops[1:]
		}
		if next >= 0 {
			w.way = append(w.way, w.begin(next))
			continue
		}
		w.left[at.row] = at.most + 1
		w.way = w.way[:len(w.way)-1]
	}
	return true
}

func (w *ways) begin(r spec.RowID) leg {
	w.left[r] = onWay
	w.asked = append(w.asked, r)
	return leg{row: r, hops: w.n.Row(r)}
}

// wayOut fills in the number of hops of the shortest way out of the network, or never.
func (w *ways) wayOut(t *spec.Table, left []int32) {
	if w.graphs == nil {
		w.graphs = fixpoint.NewRowGraphs(w.n)
	}
	g := w.graphs.Make(t)
	w.shortest = slices.Grow(w.shortest[:0], g.Len())[:g.Len()]
	shortestWays(w.n, g, w.shortest)
	for s := range left {
		left[s] = w.shortest[w.graphs.Vertex[s]]
	}
}

// shortestWays fills in the number of hops of the shortest way from each vertex
// to one that permits Eject, or never.
func shortestWays(n *spec.Network, g *fixpoint.RowGraph, left []int32) {
	var queue []int32
	for v := range int32(g.Len()) {
		left[v] = never
		if n.Arrives(g.Rows[v]) {
			left[v] = 0
			queue = append(queue, v)
		}
	}
	before := g.Reverse()
	for i := 0; i < len(queue); i++ {
		for _, u := range before.Next(queue[i]) {
			if left[u] == never {
				left[u] = left[queue[i]] + 1
				queue = append(queue, u)
			}
		}
	}
}
