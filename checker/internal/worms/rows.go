package worms

import (
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/spec"
)

// rows are the variables for messages of one length L that share channels of B flits. Consider channels
// in a row: each but the last holds a message that is not all in, and each but the last is full. Then it
// is known where messages end; see the formula of package refutation. A place is in layer i if i channels
// come before it in the row.
//
//	hop(k,j)    implies   level(i-1,c) for the channel c of j, if it leads behind another message
//	level(i,c)  implies   one of the kinds of c in layer i is held, and they imply it
//	stuck(w)    implies   full(c) for each channel c of the want w
//	full(c), level(i,c)  imply   a hop into c from layer i+1 is taken, or its source feeds c, unless a message ends there
//	at most one hop into a channel is taken, or its source feeds it
type rows struct {
	fed   []int32   // by channel
	level [][]int32 // by layer and channel
	full  []int32   // by channel
}

// addRows adds the clauses for rows, except what single hops and wants imply.
func (f *formula) addRows() {
	q, r := f.kinds, &rows{}
	f.rows = r
	layers := 0
	for _, at := range q.sites {
		layers = max(layers, int(at.ahead)+1)
	}
	joins, feeds := make([][]sat.Literal, layers*len(f.at)), make([]bool, len(f.at))
	for v, at := range q.sites {
		feeds[q.channel[v]] = feeds[q.channel[v]] || q.entry[v]
		for e := q.first[v]; e < q.first[v+1] && q.row.behind(at.ahead); e++ {
			i := int(at.ahead-1)*len(f.at) + int(q.channel[q.next[e]])
			joins[i] = append(joins[i], sat.Yes(f.hop[e]))
		}
	}
	for range f.at {
		r.fed, r.full = append(r.fed, f.Add()), append(r.full, f.Add())
	}
	for layer := range int32(layers) {
		var level []int32
		for c, kinds := range f.at {
			x := f.Add()
			level = append(level, x)
			some := []sat.Literal{sat.No(x)}
			for _, k := range kinds {
				if q.sites[k].ahead == layer {
					some = append(some, sat.Yes(f.held[k]))
					f.Require(sat.No(f.held[k]), sat.Yes(x))
				}
			}
			f.Require(some...)
			if q.row.behind(layer + 1) {
				some = append(joins[int(layer)*len(f.at)+c], sat.No(x), sat.No(r.full[c]))
				if feeds[c] {
					some = append(some, sat.Yes(r.fed[c]))
				}
				f.Require(some...)
			}
		}
		r.level = append(r.level, level)
	}
}

// inRows returns the messages of a model: those of a row one after the other from its front, and
// between them those that fill the channels, which may have any header.
func (q *question) inRows() (worms []Worm) {
	of := slices.Repeat([]int32{-1}, len(q.at)) // by channel: the held kind, if it is demanded; else -1
	by := make([]int32, len(q.at))              // by channel: the hop taken into it, + 1
	from := make([]int32, len(q.at))            // by channel: the kind that hop comes from
	for v := range int32(q.kinds.len()) {
		for e := q.kinds.first[v]; e < q.kinds.first[v+1]; e++ {
			if q.IsTrue(q.hop[e]) {
				by[q.kinds.channel[q.kinds.next[e]]], from[q.kinds.channel[q.kinds.next[e]]] = e+1, v
			}
		}
	}
	var seen []spec.ChannelID
	visit := func(c spec.ChannelID) {
		if !slices.Contains(seen, c) {
			seen = append(seen, c)
		}
	}
	visit(spec.ChannelID(slices.IndexFunc(q.occupied, func(v int32) bool { return v >= 0 && q.IsTrue(v) })))
	for i := 0; i < len(seen); i++ {
		c := seen[i]
		k := q.at[c][slices.IndexFunc(q.at[c], func(k int32) bool { return q.IsTrue(q.held[k]) })]
		of[c] = k
		if layer := q.kinds.sites[k].ahead; layer == 0 {
			for _, d := range q.kinds.wants[q.kinds.want[k]] {
				visit(d)
			}
		}
		for e := q.kinds.first[k]; e < q.kinds.first[k+1]; e++ {
			if q.IsTrue(q.hop[e]) {
				visit(q.kinds.channel[q.kinds.next[e]])
			}
		}
		if q.enters(c, k) && by[c] > 0 {
			visit(q.kinds.channel[from[c]])
		}
	}
	for _, c := range seen {
		if q.kinds.sites[of[c]].ahead == 0 {
			worms = append(worms, q.inRow(c, of, by, from)...)
		}
	}
	return worms
}

// enters reports whether, in a model, a message with its first flits in a channel, in held kind k, is not all in.
func (q *question) enters(c spec.ChannelID, k int32) bool {
	return !q.kinds.tail[k] || q.IsTrue(q.rows.full[c]) && q.kinds.row.behind(q.kinds.sites[k].ahead+1)
}

// inRow returns the messages of the row with the given front.
func (q *question) inRow(c spec.ChannelID, of, by, from []int32) (worms []Worm) {
	site := func(k int32) spec.Site {
		at := q.kinds.sites[k]
		return q.n.Table(int(at.table)).Site(int(at.site))
	}
	at := Worm{Sites: []spec.Site{site(of[c])}}
	for {
		k := of[c]
		enters, layer := q.enters(c, k) || by[c] > 0 && of[q.kinds.channel[from[c]]] >= 0, int(q.kinds.sites[k].ahead)
		if enters && !q.kinds.tail[k] { // the first message
			if by[c] == 0 { // its source feeds it
				return append(worms, at)
			}
			at.Sites = slices.Insert(at.Sites, 0, site(from[c]))
			c = q.kinds.channel[from[c]]
			continue
		}
		worms = append(worms, at)
		r := q.kinds.row
		if q.IsTrue(q.rows.full[c]) || enters {
			for range (layer+1)*r.buffer/r.length - layer*r.buffer/r.length - 1 {
				worms = append(worms, Worm{Sites: []spec.Site{{Channel: c}}, Behind: true, Any: true})
			}
		}
		switch {
		case !enters:
			return worms
		case by[c] == 0:
			return append(worms, Worm{Sites: []spec.Site{{Channel: c}}, Behind: true, Any: true})
		}
		at = Worm{Sites: []spec.Site{site(from[c]), site(q.kinds.next[by[c]-1])}, Behind: true}
		c = q.kinds.channel[from[c]]
	}
}
