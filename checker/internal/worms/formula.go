package worms

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/spec"
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
// hop into a kind is taken, so these ways never merge; a channel has one kind, so they
// never meet: they are worms, except for ways that run in a cycle forever. Those are rare,
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

// quotient returns the graph of kinds, each with the site of its first place.
func (p *places) quotient(ctx context.Context, kindOf []int32, count int) (*places, error) {
	q := &places{wants: p.wants}
	representative := make([]int32, count)
	for v := int32(p.len()) - 1; v >= 0; v-- {
		representative[kindOf[v]] = v
	}
	for k, v := range representative {
		if late(ctx, k) {
			return nil, context.Cause(ctx)
		}
		q.sites = append(q.sites, p.sites[v])
		q.channel = append(q.channel, p.channel[v])
		q.want = append(q.want, p.want[v])
		if p.tail != nil {
			q.tail = append(q.tail, p.tail[v])
		}
		q.first = append(q.first, int32(len(q.next)))
		var to []int32
		for _, w := range p.after(v) {
			to = append(to, kindOf[w])
		}
		slices.Sort(to)
		q.next = append(q.next, slices.Compact(to)...)
	}
	q.first = append(q.first, int32(len(q.next)))
	return q, nil
}

// newFormula builds the formula; it counts the channels held or, if heads, the heads.
// Linear in the kinds, their hops and wants: seconds for millions, so it ends with ctx.
func newFormula(ctx context.Context, q *places, channels int, heads bool) (*formula, error) {
	f := &formula{Solver: sat.New(), kinds: q, occupied: make([]int32, channels), at: make([][]int32, channels)}
	variables := 2*channels + len(q.wants) + q.len() + len(q.next)
	if q.row != nil {
		variables += (q.row.channels() + 2) * channels
	}
	f.Grow(ctx, variables)
	for v, c := range q.channel {
		if late(ctx, v) {
			return nil, context.Cause(ctx)
		}
		f.at[c] = append(f.at[c], int32(v))
	}
	if heads {
		f.head = make([]int32, channels)
	}
	for c := range f.occupied {
		f.occupied[c] = -1
		if len(f.at[c]) > 0 {
			f.occupied[c] = f.Add()
			if heads {
				f.head[c] = f.Add()
				f.Count(f.head[c])
			} else {
				f.Count(f.occupied[c])
			}
		}
	}
	f.stuck = make([]int32, len(q.wants))
	for i := range f.stuck {
		f.stuck[i] = -1
	}
	for v := range q.len() {
		if late(ctx, v) {
			return nil, context.Cause(ctx)
		}
		f.held = append(f.held, f.Add())
		if w := q.want[v]; w >= 0 && f.stuck[w] < 0 {
			f.stuck[w] = f.Add()
		}
	}
	into, enters := make([][]int32, q.len()), make([][]int32, channels)
	for v, at := range q.sites {
		if late(ctx, v) {
			return nil, context.Cause(ctx)
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
	for c, kinds := range f.at {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
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
		if q.loose {
			f.Require(sat.No(f.head[c]), sat.Yes(f.occupied[c]))
		}
	}
	if q.row != nil {
		f.addRows()
	}
	for v := range int32(q.len()) {
		if late(ctx, int(v)) {
			return nil, context.Cause(ctx)
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
			if heads {
				f.Require(sat.No(f.held[v]), sat.No(f.end(v)), sat.Yes(f.stuck[w]))
				f.Require(append(slices.Clone(goes), sat.Yes(f.end(v)))...)
			}
			goes = append(goes, sat.Yes(f.stuck[w]))
		} else if heads {
			f.Require(sat.No(f.held[v]), sat.No(f.head[q.channel[v]]))
		}
		f.Require(goes...)
		if !q.loose && q.row == nil {
			f.AtMostOne(into[v])
		}
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
	for w, v := range f.stuck {
		if v < 0 {
			continue
		}
		for _, c := range q.wants[w] {
			f.Require(sat.No(v), sat.Yes(f.occupied[c]))
			if q.row != nil {
				f.Require(sat.No(v), sat.Yes(f.rows.full[c]))
			}
		}
	}
	f.Beyond = f.crowded
	return f, context.Cause(ctx)
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

// follow returns, by kind, the edge that it follows in the model, or atHead; lost
// if it is not held or leads to no head.
func (f *formula) follow() []int32 {
	q := f.kinds
	edge := make([]int32, q.len())
	type hop struct{ from, edge int32 }
	into := make([]hop, q.len()) // the one hop into a kind taken from a held kind
	var queue []int32
	for v := range int32(q.len()) {
		edge[v] = lost
		if !f.IsTrue(f.held[v]) {
			continue
		}
		if q.want[v] >= 0 && f.IsTrue(f.end(v)) {
			edge[v] = atHead
			queue = append(queue, v)
			continue
		}
		for e := q.first[v]; e < q.first[v+1]; e++ {
			if to := f.ahead(v, e); to >= 0 && f.IsTrue(f.hop[e]) {
				into[to] = hop{v, e + 1}
			}
		}
	}
	for i := 0; i < len(queue); i++ {
		if in := into[queue[i]]; in.edge > 0 && edge[in.from] == lost {
			edge[in.from] = in.edge - 1
			queue = append(queue, in.from)
		}
	}
	return edge
}

// ahead returns the held kind that is first in the channel where a hop leads; -1 if there is none.
func (f *formula) ahead(from, edge int32) int32 {
	to := f.kinds.next[edge]
	if !f.kinds.loose {
		return to
	}
	for _, k := range f.at[f.kinds.channel[to]] {
		if f.IsTrue(f.held[k]) {
			return k
		}
	}
	return -1
}

const (
	lost   = -1
	atHead = -2
)

// demanded collects from a channel everything that must be held for its sake,
// and returns the kinds; ok is false if some lead to no head.
func (f *formula) demanded(seed spec.ChannelID, edge []int32) (kinds []int32, ok bool) {
	q := f.kinds
	before := map[int32]int32{} // the kind from which a worm comes to this one
	for v, e := range edge {
		if q.tail != nil && e >= 0 {
			before[q.next[e]] = int32(v)
		}
	}
	seen := map[spec.ChannelID]bool{}
	ok = true
	var visit func(c spec.ChannelID)
	queue := []spec.ChannelID{}
	visit = func(c spec.ChannelID) {
		if !seen[c] {
			seen[c] = true
			queue = append(queue, c)
		}
	}
	visit(seed)
	for i := 0; i < len(queue); i++ {
		for _, k := range f.at[queue[i]] {
			if !f.IsTrue(f.held[k]) {
				continue
			}
			kinds = append(kinds, k)
			if from, known := before[k]; known && !q.tail[k] {
				visit(q.channel[from])
			}
			switch e := edge[k]; e {
			case lost:
				ok = false
			case atHead:
				for _, c := range q.wants[q.want[k]] {
					visit(c)
				}
			default:
				visit(q.channel[q.next[e]])
			}
		}
	}
	return kinds, ok
}

// cycles returns sets of kinds that lead to no head in a model: all taken
// hops from a set stay inside it.
func (f *formula) cycles(kinds, edge []int32) [][]int32 {
	q := f.kinds
	if q.loose {
		return f.cyclesOfChannels(kinds, edge)
	}
	var sets [][]int32
	done := map[int32]bool{}
	for _, k := range kinds {
		if edge[k] != lost || done[k] {
			continue
		}
		inside := map[int32]bool{k: true}
		set := []int32{k}
		for i := 0; i < len(set); i++ {
			for e := q.first[set[i]]; e < q.first[set[i]+1]; e++ {
				if to := q.next[e]; f.IsTrue(f.hop[e]) && !inside[to] {
					inside[to] = true
					set = append(set, to)
				}
			}
		}
		slices.Sort(set)
		for _, v := range set {
			done[v] = true
		}
		sets = append(sets, set)
	}
	return sets
}

// cyclesOfChannels returns the kinds of sets of channels that no hop leaves in a model.
func (f *formula) cyclesOfChannels(kinds, edge []int32) (sets [][]int32) {
	done := make([]bool, len(f.at))
	for _, k := range kinds {
		first := f.kinds.channel[k]
		if edge[k] != lost || done[first] {
			continue
		}
		done[first] = true
		var set []int32
		for queue := []spec.ChannelID{first}; len(queue) > 0; queue = queue[1:] {
			for _, v := range f.at[queue[0]] {
				set = append(set, v)
				for e := f.kinds.first[v]; f.IsTrue(f.held[v]) && e < f.kinds.first[v+1]; e++ {
					if to := f.kinds.channel[f.kinds.next[e]]; f.IsTrue(f.hop[e]) && !done[to] {
						done[to] = true
						queue = append(queue, to)
					}
				}
			}
		}
		slices.Sort(set)
		sets = append(sets, set)
	}
	return sets
}

// escapes returns clauses against a set of kinds whose taken hops stay inside: a
// worm in one of them must be stuck in one of them or leave the set (a loop
// formula: Lin and Zhao 2004). They hold for every set of worms.
func (f *formula) escapes(set []int32) [][]sat.Literal {
	q := f.kinds
	var out []sat.Literal
	for _, v := range set {
		if q.loose {
			out = append(out, sat.Yes(f.head[q.channel[v]]))
		} else if q.want[v] >= 0 {
			out = append(out, sat.Yes(f.end(v)))
		}
		for e := q.first[v]; e < q.first[v+1]; e++ {
			if _, inside := slices.BinarySearch(set, q.next[e]); !inside {
				out = append(out, sat.Yes(f.hop[e]))
			}
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	var clauses [][]sat.Literal
	for _, v := range set {
		clauses = append(clauses, append([]sat.Literal{sat.No(f.held[v])}, out...))
	}
	return clauses
}
