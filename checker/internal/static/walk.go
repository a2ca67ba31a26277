package static

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// walker finds paths of single packets through one table at a time.
type walker struct {
	n     *spec.Network
	t     *spec.Table
	index *spec.Index
	from  []int32 // by site: the site before it on the way + 1, or -(source+1); 0 where not seen
	by    []spec.Hop
	queue []int32
	sends func(source int) bool // sources from which paths begin; nil: all
}

func newWalker(n *spec.Network) *walker { return &walker{n: n, index: n.NewIndex()} }

func (w *walker) load(t *spec.Table) {
	w.t = t
	w.index.Load(t)
	if len(w.from) < t.Len() {
		w.from = make([]int32, t.Len())
		w.by = make([]spec.Hop, t.Len())
	}
}

// shortest returns the moves of a shortest path from some source of the loaded
// table to a site that goal accepts, through channels that free accepts (the
// last one excepted), and that site, or nil.
func (w *walker) shortest(goal func(site int) bool, free func(spec.ChannelID) bool) (moves []spec.Move, site int) {
	clear(w.from[:w.t.Len()])
	w.queue = w.queue[:0]
	at := -1
	visit := func(h spec.Hop, from int32) {
		s := w.index.Site(h)
		if s < 0 || at >= 0 || w.from[s] != 0 {
			return
		}
		w.from[s], w.by[s] = from, h
		if goal(s) {
			at = s
		} else if free(h.Channel) {
			w.queue = append(w.queue, int32(s))
		}
	}
	for i, src := range w.t.Sources {
		if w.sends != nil && !w.sends(i) {
			continue
		}
		for _, h := range w.n.Row(src.Row) {
			visit(h, -int32(i)-1)
		}
	}
	for i := 0; i < len(w.queue) && at < 0; i++ {
		s := w.queue[i]
		for _, h := range w.n.Row(w.t.Rows[s]) {
			visit(h, s+1)
		}
	}
	if at < 0 {
		return nil, -1
	}
	return w.back(at), at
}

// back follows the path to a site back to its source.
func (w *walker) back(at int) []spec.Move {
	var moves []spec.Move
	for s := int32(at); ; {
		m := spec.Move{Hop: w.by[s]}
		prev := w.from[s]
		if prev < 0 {
			site := w.t.SourceSite(int(-prev - 1))
			m.From, m.Header = site.Channel, site.Header
		} else {
			site := w.t.Site(int(prev - 1))
			m.From, m.Header = site.Channel, site.Header
		}
		moves = append(moves, m)
		if prev < 0 {
			break
		}
		s = prev - 1
	}
	slices.Reverse(moves)
	return moves
}

func anyChannel(spec.ChannelID) bool { return true }
