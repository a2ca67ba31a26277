package worms

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
	crowd *crowd  // made when first looked for

	held     []int32   // by kind: its variable
	stuck    []int32   // by want: its variable
	hop      []int32   // by edge of kinds: its variable
	occupied []int32   // by channel: its variable, or -1
	at       [][]int32 // by channel: its kinds
	rows     *rows     // for messages of one length in shared channels; else nil
	head     []int32   // by channel: its variable that a head waits there, if the channel has kinds; nil unless heads are counted
}

// newFormula builds the formula; it counts the channels held or, if heads, the heads.
// Linear in the kinds, their hops and wants: seconds for millions, so it ends with ctx.
func newFormula(ctx context.Context, q *places, channels int, heads bool) (*formula, error) {
	f := &formula{Solver: sat.New(), kinds: q, occupied: make([]int32, channels), at: make([][]int32, channels)}
	if heads {
		f.head = make([]int32, channels)
	}
	if !f.addVariables(ctx) {
		return nil, context.Cause(ctx)
	}
	into, enters, ok := f.addHops(ctx)
	if !ok || !f.requireKinds(ctx) {
		return nil, context.Cause(ctx)
	}
	if q.row != nil {
		f.addRows()
	}
	if !f.requireHops(ctx, into) {
		return nil, context.Cause(ctx)
	}
	if q.tail != nil {
		f.requireTails(into)
	}
	for c, hops := range enters {
		if q.row != nil {
			hops = append(hops, f.rows.fed[c])
		}
		if q.loose || q.row != nil {
			f.AtMostOne(hops)
		}
	}
	f.requireWants()
	f.Beyond = f.crowded
	return f, context.Cause(ctx)
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

// late reports, now and then on the way through many places, whether ctx has ended.
func late(ctx context.Context, at int) bool { return at%(1<<12) == 0 && ctx.Err() != nil }

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

// end is the variable that says that a held kind with a want is at a head.
func (f *formula) end(kind int32) int32 {
	if f.head != nil {
		return f.head[f.kinds.channel[kind]]
	}
	return f.stuck[f.kinds.want[kind]]
}
