package relation

import (
	"context"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
)

// Discards says where and for which flows packets may be discarded on purpose.
type Discards struct {
	Sites int       // sites and sources that permit it; alternatives of one count each
	Flows int       // flows whose packets may reach one of them
	First spec.Site // the first of them, in the order of tables
}

// DiscardsOf looks at every hop of a network that discards, back from where it does. Linear in the hops.
func DiscardsOf(ctx context.Context, n *spec.Network) (d Discards, err error) {
	if !n.Discards() {
		return d, nil
	}
	w := NewWalk(n)
	for i := range n.Tables() {
		if ctx.Err() != nil {
			return d, context.Cause(ctx)
		}
		w.Load(n.Table(i))
		before, from := make([][]int32, w.Len()), []int32(nil)
		note := func(at spec.Site) {
			if d.Sites == 0 {
				d.First = at
			}
			d.Sites++
		}
		for s, r := range w.Rows {
			if n.MayDiscard(r) {
				note(w.Site(s))
				from = append(from, int32(s))
			}
			for _, to := range w.SitesAfter(r) {
				before[to] = append(before[to], int32(s))
			}
		}
		hops, _ := bfs.Levels(w.Len(), from, func(s int32, visit func(int32)) { // by site: to where a packet may be discarded
			for _, b := range before[s] {
				visit(b)
			}
		})
		counted := false // the flow of the source
		for k, src := range w.Sources {
			reaches := n.MayDiscard(src.Row)
			counted = counted && n.ContinuesFlow(w.Table, k)
			if reaches {
				note(w.SourceSite(k))
			}
			for _, to := range w.SitesAfter(src.Row) {
				reaches = reaches || hops[to] < bfs.Never
			}
			if reaches && !counted {
				d.Flows, counted = d.Flows+1, true
			}
		}
	}
	return d, nil
}

// Discarded returns the moves of one packet to a discard, the fewest for its target; nil if no packet that sends accepts
// can be discarded.
func Discarded(ctx context.Context, n *spec.Network, sends func(spec.Flow) bool) ([]spec.Move, error) {
	w := NewWalk(n)
	for i := range n.Tables() {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		w.Load(n.Table(i))
		sent := func(k int) bool { return sends(spec.Flow{Source: w.Sources[k].Node, Target: w.Target}) }
		for k, src := range w.Sources {
			if n.MayDiscard(src.Row) && sent(k) {
				return []spec.Move{discardAt(w.SourceSite(k))}, nil
			}
		}
		if moves, at := w.Shortest(sent, func(s int) bool { return n.MayDiscard(w.Rows[s]) }, nil); at >= 0 {
			return append(moves, discardAt(w.Site(at))), nil
		}
	}
	return nil, nil
}

func discardAt(s spec.Site) spec.Move {
	return spec.Move{From: s.Channel, Header: s.Header, Hop: spec.Discard()}
}
