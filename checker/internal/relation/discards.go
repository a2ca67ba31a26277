package relation

import (
	"context"

	"github.com/seed-105a2da2/unknot/spec"
)

// Discards says where and for which flows packets may be discarded on purpose.
type Discards struct {
	Sites int       // sites and sources that permit it; alternatives of one count each
	First spec.Site // the first of them, in the order of tables
	Flows int       // flows whose packets may reach one of them
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
		may := make([]bool, w.Len()) // a packet may come to be discarded, from the site on
		before := make([][]int32, w.Len())
		var queue []int32
		note := func(at spec.Site) {
			if d.Sites == 0 {
				d.First = at
			}
			d.Sites++
		}
		for s, r := range w.Rows {
			if n.MayDiscard(r) {
				note(w.Site(s))
				may[s], queue = true, append(queue, int32(s))
			}
			for _, to := range w.SitesAfter(r) {
				before[to] = append(before[to], int32(s))
			}
		}
		for k := 0; k < len(queue); k++ {
			for _, s := range before[queue[k]] {
				if !may[s] {
					may[s], queue = true, append(queue, s)
				}
			}
		}
		counted := spec.NodeID(-1)
		for k, src := range w.Sources {
			reaches := n.MayDiscard(src.Row)
			if reaches {
				note(w.SourceSite(k))
			}
			for _, to := range w.SitesAfter(src.Row) {
				reaches = reaches || may[to]
			}
			if reaches && src.Node != counted { // its alternatives are one flow
				d.Flows, counted = d.Flows+1, src.Node
			}
		}
	}
	return d, nil
}
