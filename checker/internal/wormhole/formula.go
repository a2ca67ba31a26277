package wormhole

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
)

// formula states, for a graph of kinds, that a stuck set exists:
//
//	held(c)   implies   one of the kinds of c is held
//	held(k)   implies   a head of kind k is stuck, or a hop from k is taken
//	hop(k,j)  implies   held(j)
//	stuck(w)  implies   held(c) for each channel c of the want w
//	at most one kind of a channel is held, and at most one hop into a kind is taken
//
// and where worms may not have their tails anywhere, also
//
//	held(k)   implies   a hop into k is taken, unless it may be a tail
//	hop(k,j)  implies   held(k), and no other hop from k is taken
//
// and where a head may stand behind another message, also
//
//	hop(k,j)  implies   held(c) for the channel c of j
//	at most one hop into a channel is taken
//
// or, for messages of one length, what rows are (see rows).
//
// In a model let every held kind follow one taken hop until a head is stuck. At most one
// hop into a kind is taken, so these paths never merge; a channel has one kind, so they
// never meet: they are worms, except for paths that run in a cycle forever. Those are rare,
// and a later clause forbids them (see cycles). No tail need be chosen: a worm begins where
// no hop leads in, and channels that no head waits for are trimmed
// afterwards.
type formula struct {
	*sat.Solver
	kinds *places // of what is learned; may be nil
	proof *proof  // of what is learned; may be nil

	held     []int32   // by kind: its variable
	stuck    []int32   // by want: its variable
	hop      []int32   // by edge of kinds: its variable
	occupied []int32   // by channel: its variable, or -1
	at       [][]int32 // by channel: its kinds
	rows     *rows     // for messages of one length in shared channels; else nil
	head     []int32   // by channel: its variable that a head waits there, if the channel has kinds; nil unless heads are counted
}

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

// addVariables adds the variables of channels, wants and kinds; false if ctx ends.
func (f *formula) addVariables(ctx context.Context) bool {
	q, channels := f.kinds, len(f.at)
	variables := 2*channels + len(q.wants) + q.len() + len(q.next)
	if q.row != nil {
		variables += (q.row.channels() + 2) * channels
	}
	f.Grow(ctx, variables)
	for v, c := range q.channel {
		if late(ctx, v) {
			return false
		}
		f.at[c] = append(f.at[c], int32(v))
	}
	for c := range f.occupied {
		f.occupied[c] = -1
		if len(f.at[c]) > 0 {
			f.occupied[c] = f.Add()
			if f.head != nil {
				f.head[c] = f.Add()
				f.Count(f.head[c])
			} else {
				f.Count(f.occupied[c])
			}
		}
	}
	f.stuck = slices.Repeat([]int32{-1}, len(q.wants))
	for v := range q.len() {
		if late(ctx, v) {
			return false
		}
		f.held = append(f.held, f.Add())
		if w := q.want[v]; w >= 0 && f.stuck[w] < 0 {
			f.stuck[w] = f.Add()
		}
	}
	return true
}

// addHops adds the variables of hops. It lists those into each kind, except hops that join a row, and those into each
// channel; false if ctx ends.
func (f *formula) addHops(ctx context.Context) (into, enters [][]int32, ok bool) {
	q := f.kinds
	into, enters = make([][]int32, q.len()), make([][]int32, len(f.at))
	for v, at := range q.sites {
		if late(ctx, v) {
			return nil, nil, false
		}
		for _, to := range q.after(int32(v)) {
			h := f.Add()
			f.hop = append(f.hop, h)
			if q.row == nil || !q.row.behind(at.ahead) {
				into[to] = append(into[to], h)
			}
			enters[q.channel[to]] = append(enters[q.channel[to]], h)
		}
	}
	return into, enters, true
}

// requireKinds states that a channel is held if one of its kinds is, and that only one is; false if ctx ends.
func (f *formula) requireKinds(ctx context.Context) bool {
	for c, kinds := range f.at {
		if ctx.Err() != nil {
			return false
		}
		if len(kinds) == 0 {
			continue
		}
		some := []sat.Literal{sat.No(f.occupied[c])}
		var held []int32
		for _, k := range kinds {
			some = append(some, sat.Yes(f.held[k]))
			held = append(held, f.held[k])
			f.Require(sat.No(f.held[k]), sat.Yes(f.occupied[c]))
		}
		f.Require(some...)
		f.AtMostOne(held)
		if f.kinds.loose {
			f.Require(sat.No(f.head[c]), sat.Yes(f.occupied[c]))
		}
	}
	return true
}

// requireHops states that each held kind is at a stuck head or has a hop to a held kind, and that no two such hops meet,
// given the hops into each kind; false if ctx ends.
func (f *formula) requireHops(ctx context.Context, into [][]int32) bool {
	q := f.kinds
	for v := range int32(q.len()) {
		if late(ctx, int(v)) {
			return false
		}
		goes := []sat.Literal{sat.No(f.held[v])}
		for e := q.first[v]; e < q.first[v+1]; e++ {
			goes = append(goes, sat.Yes(f.hop[e]))
			if q.loose {
				f.Require(sat.No(f.hop[e]), sat.Yes(f.occupied[q.channel[q.next[e]]]))
				f.Require(sat.No(f.hop[e]), sat.Yes(f.held[v]))
			} else if l := q.sites[v].ahead; q.row != nil && q.row.behind(l) {
				f.Require(sat.No(f.hop[e]), sat.Yes(f.rows.level[l-1][q.channel[q.next[e]]]))
			} else {
				f.Require(sat.No(f.hop[e]), sat.Yes(f.held[q.next[e]]))
			}
		}
		if w := q.want[v]; w >= 0 {
			if f.head != nil {
				f.Require(sat.No(f.held[v]), sat.No(f.end(v)), sat.Yes(f.stuck[w]))
				f.Require(append(slices.Clone(goes), sat.Yes(f.end(v)))...)
			}
			goes = append(goes, sat.Yes(f.stuck[w]))
		} else if f.head != nil {
			f.Require(sat.No(f.held[v]), sat.No(f.head[q.channel[v]]))
		}
		f.Require(goes...)
		if !q.loose && q.row == nil {
			f.AtMostOne(into[v])
		}
	}
	return true
}

// requireWants states that every channel which a stuck head wants is held, and in rows is full.
func (f *formula) requireWants() {
	for w, v := range f.stuck {
		if v < 0 {
			continue
		}
		for _, c := range f.kinds.wants[w] {
			f.Require(sat.No(v), sat.Yes(f.occupied[c]))
			if f.kinds.row != nil {
				f.Require(sat.No(v), sat.Yes(f.rows.full[c]))
			}
		}
	}
}

// requireTails states that each worm has its tail where one may be. into lists the hops
// into each kind.
func (f *formula) requireTails(into [][]int32) {
	q := f.kinds
	for v := range int32(q.len()) {
		if !q.tail[v] {
			comes := []sat.Literal{sat.No(f.held[v])}
			for _, h := range into[v] {
				comes = append(comes, sat.Yes(h))
			}
			if q.entry != nil && q.entry[v] {
				comes = append(comes, sat.Yes(f.rows.fed[q.channel[v]]))
			}
			f.Require(comes...)
		}
		for e := q.first[v]; e < q.first[v+1]; e++ {
			f.Require(sat.No(f.hop[e]), sat.Yes(f.held[v]))
			for other := q.first[v]; other < e; other++ {
				f.Require(sat.No(f.hop[e]), sat.No(f.hop[other]))
			}
		}
	}
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

// end is the variable that says that a held kind with a want is at a head.
func (f *formula) end(kind int32) int32 {
	if f.head != nil {
		return f.head[f.kinds.channel[kind]]
	}
	return f.stuck[f.kinds.want[kind]]
}
