package relation

import (
	"iter"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
)

// Walk follows packets from site to site of one table at a time. It keeps nothing of the graph: a site's hops are those
// of its row, and an index tells where they lead.
type Walk struct {
	*spec.Table
	// Takes, if not nil, says which hops from a channel, of the network or of an injection, [Walk.Shortest] takes.
	Takes func(from spec.ChannelID, h spec.Hop) bool

	n     *spec.Network
	index *spec.Index
	seen  []int // by site: the number of the last search that met it
	now   int   // number of the search
	queue []int32
	from  []int32 // by site met: the site before it on the way, or minus its source, minus 1
	by    []spec.Hop
}

// NewWalk returns a walk through n; load a table before use.
func NewWalk(n *spec.Network) *Walk { return &Walk{n: n, index: n.NewIndex()} }

// Load makes t the table that is walked. Linear in its sites.
func (w *Walk) Load(t *spec.Table) {
	w.Table = t
	w.index.Load(t)
	if len(w.seen) < t.Len() {
		w.seen, w.from, w.by = make([]int, t.Len()), make([]int32, t.Len()), make([]spec.Hop, t.Len())
	}
}

// SiteAfter returns the site that a hop leads to, or -1 for Eject.
func (w *Walk) SiteAfter(h spec.Hop) int { return w.index.Site(h) }

// SitesAfter yields the hops of a row that lead to sites, with these sites.
func (w *Walk) SitesAfter(r spec.RowID) iter.Seq2[spec.Hop, int] {
	return func(yield func(spec.Hop, int) bool) {
		for _, h := range w.n.Row(r) {
			if s := w.index.Site(h); s >= 0 && !yield(h, s) {
				return
			}
		}
	}
}

// Graph returns the sites of the table as a graph.
func (w *Walk) Graph() *graph.Graph {
	return graph.Collect(w.Len(), func(add func(from, to int32)) {
		for s, r := range w.Rows {
			for _, to := range w.SitesAfter(r) {
				add(int32(s), int32(to))
			}
		}
	})
}

// Entered reports, by site, whether a source leads there directly.
func (w *Walk) Entered() []bool {
	entered := make([]bool, w.Len())
	for _, src := range w.Sources {
		for _, s := range w.SitesAfter(src.Row) {
			entered[s] = true
		}
	}
	return entered
}

// FromSource yields the sites that packets of a source can reach, breadth first.
func (w *Walk) FromSource(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		w.begin()
		w.meet(w.Sources[i].Row)
		w.spread(yield)
	}
}

// FromSite yields a site and the sites that can be reached from it, breadth first.
func (w *Walk) FromSite(s int) iter.Seq[int] {
	return func(yield func(int) bool) {
		w.begin()
		w.seen[s] = w.now
		w.queue = append(w.queue, int32(s))
		w.spread(yield)
	}
}

func (w *Walk) begin() {
	w.now++
	w.queue = w.queue[:0]
}

func (w *Walk) meet(r spec.RowID) {
	for _, h := range w.n.Row(r) {
		if s := w.index.Site(h); s >= 0 && w.seen[s] != w.now {
			w.seen[s] = w.now
			w.queue = append(w.queue, int32(s))
		}
	}
}

func (w *Walk) spread(yield func(int) bool) {
	for i := 0; i < len(w.queue); i++ {
		s := int(w.queue[i])
		if !yield(s) {
			return
		}
		w.meet(w.Rows[s])
	}
}

// Shortest returns the moves of a shortest path from a source that sends accepts to a site that goal accepts, through
// channels that free accepts (the last one excepted), and that site; nil if there is none. A nil function accepts all.
func (w *Walk) Shortest(
	sends func(source int) bool, goal func(site int) bool, free func(spec.ChannelID) bool,
) (moves []spec.Move, site int) {
	w.begin()
	at := -1
	visit := func(c spec.ChannelID, h spec.Hop, from int32) {
		s := w.index.Site(h)
		if s < 0 || at >= 0 || w.seen[s] == w.now || w.Takes != nil && !w.Takes(c, h) {
			return
		}
		w.seen[s], w.from[s], w.by[s] = w.now, from, h.Taken()
		if goal(s) {
			at = s
		} else if free == nil || free(h.Channel) {
			w.queue = append(w.queue, int32(s))
		}
	}
	for i, src := range w.Sources {
		if sends != nil && !sends(i) {
			continue
		}
		for _, h := range w.n.Row(src.Row) {
			visit(spec.Injection(src.Node), h, -int32(i)-1)
		}
	}
	for i := 0; i < len(w.queue) && at < 0; i++ {
		s := w.queue[i]
		for _, h := range w.n.Row(w.Rows[s]) {
			visit(w.Channels[s], h, s)
		}
	}
	if at < 0 {
		return nil, -1
	}
	for s := int32(at); s >= 0; s = w.from[s] {
		var before spec.Site
		if from := w.from[s]; from < 0 {
			before = w.SourceSite(int(-from - 1))
		} else {
			before = w.Site(int(from))
		}
		moves = append(moves, spec.Move{From: before.Channel, Header: before.Header, Hop: w.by[s]})
	}
	slices.Reverse(moves)
	return moves, at
}
