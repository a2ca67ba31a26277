package wormhole

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
	"github.com/seed-105a2da2/unknot/spec/support/deadline"
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
// and where a head may stand behind another packet, also
//
//	hop(k,j)  implies   held(c) for the channel c of j
//	at most one hop into a channel is taken
//
// or, for packets of one length, what rows are (see rows).
//
// In a model let every held kind follow one taken hop until a head is stuck. At most one
// hop into a kind is taken, so these paths never merge; a channel has one kind, so they
// never meet: they are worms, except for paths that run in a cycle forever. Those are rare,
// and a later clause forbids them (see cycles). No tail need be chosen: a worm begins where
// no hop leads in, and channels that no head waits for are trimmed
// afterwards.
type formula struct {
	*sat.Solver
	kinds *places // stepsUpTo what is learned; may be nil
	proof *proof  // of what is learned; may be nil

	held     []int32   // by kind: its variable
	stuck    []int32   // by want: its variable
	hop      []int32   // by edge of kinds: its variable
	occupied []int32   // by channel: its variable, or -1
	at       [][]int32 // by channel: its kinds
	rows     *rows     // for packets of one length in shared channels; else nil
	// by channel: its variable that a head waits there, if the channel has kinds; nil unless heads are counted
	head []int32
}

// rows are the variables for packets of one length L that share channels of B flits. Consider channels
// in a row: each but the last holds a packet that is not all in, and each but the last is full. Then it
// is known where packets end; see the formula of package unsat. A place is in layer i if i channels
// come before it in the row.
//
//	hop(k,j)    implies   level(i-1,c) for the channel c of j, if it leads behind another packet
//	level(i,c)  implies   one of the kinds of c in layer i is held, and they imply it
//	stuck(w)    implies   full(c) for each channel c of the want w
//	full(c), level(i,c)  imply   a hop into c from layer i+1 is taken, or its source feeds c,
//	                             unless a packet ends there
//	at most one hop into a channel is taken, or its source feeds it
type rows struct {
	fed   []int32   // by channel
	level [][]int32 // by layer and channel
	full  []int32   // by channel
}

// addVariables adds the variables of channels, wants and kinds; false if ctx ends.
func (f *formula) addVariables(ctx context.Context) bool {
	q, channels := f.kinds, len(f.at)
	variables := 2*channels + len(q.wants) + q.len() + len(q.To)
	if q.row != nil {
		variables += (q.row.mostChannels() + 2) * channels
	}
	f.Grow(ctx, variables)
	for v, c := range q.channel {
		if deadline.Passed(ctx, v) {
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
		if deadline.Passed(ctx, v) {
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
		if deadline.Passed(ctx, v) {
			return nil, nil, false
		}
		for _, to := range q.Successors(int32(v)) {
			h := f.Add()
			f.hop = append(f.hop, h)
			if q.row == nil || !q.row.isBehind(at.ahead) {
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

// requireHops states that each held kind is at a stuck head or has a hop to a held kind, and that no two such hops
// meet, given the hops into each kind; false if ctx ends.
func (f *formula) requireHops(ctx context.Context, into [][]int32) bool {
	q := f.kinds
	for v := range int32(q.len()) {
		if deadline.Passed(ctx, int(v)) {
			return false
		}
		goes := []sat.Literal{sat.No(f.held[v])}
		for e, end := q.Edges(v); e < end; e++ {
			goes = append(goes, sat.Yes(f.hop[e]))
			if q.loose {
				f.Require(sat.No(f.hop[e]), sat.Yes(f.occupied[q.channel[q.To[e]]]))
				f.Require(sat.No(f.hop[e]), sat.Yes(f.held[v]))
			} else if l := q.sites[v].ahead; q.row != nil && q.row.isBehind(l) {
				f.Require(sat.No(f.hop[e]), sat.Yes(f.rows.level[l-1][q.channel[q.To[e]]]))
			} else {
				f.Require(sat.No(f.hop[e]), sat.Yes(f.held[q.To[e]]))
			}
		}
		if w := q.want[v]; w >= 0 {
			if f.head != nil {
				f.Require(sat.No(f.held[v]), sat.No(f.headVariable(v)), sat.Yes(f.stuck[w]))
				f.Require(append(slices.Clone(goes), sat.Yes(f.headVariable(v)))...)
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
		for e, end := q.Edges(v); e < end; e++ {
			f.Require(sat.No(f.hop[e]), sat.Yes(f.held[v]))
			for other, _ := q.Edges(v); other < e; other++ {
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
		for e, end := q.Edges(int32(v)); e < end && q.row.isBehind(at.ahead); e++ {
			i := int(at.ahead-1)*len(f.at) + int(q.channel[q.To[e]])
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
			if q.row.isBehind(layer + 1) {
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

// headVariable is the variable that says that a held kind with a want is at a head.
func (f *formula) headVariable(kind int32) int32 {
	if f.head != nil {
		return f.head[f.kinds.channel[kind]]
	}
	return f.stuck[f.kinds.want[kind]]
}

// Models of the formula: the paths that their hops make, and clauses against paths that lead to no head.

// headEdges returns, by kind, the edge that it follows in the model, or atHead; lost
// if it is not held or leads to no head.
func (f *formula) headEdges() []int32 {
	q := f.kinds
	edge := make([]int32, q.len())
	type hop struct{ from, edge int32 }
	into := make([]hop, q.len()) // the one hop into a kind taken from a held kind
	var heads []int32
	for v := range int32(q.len()) {
		edge[v] = lost
		if !f.IsTrue(f.held[v]) {
			continue
		}
		if q.want[v] >= 0 && f.IsTrue(f.headVariable(v)) {
			edge[v] = atHead
			heads = append(heads, v)
			continue
		}
		for e, end := q.Edges(v); e < end; e++ {
			if to := f.firstKind(e); to >= 0 && f.IsTrue(f.hop[e]) {
				into[to] = hop{v, e + 1}
			}
		}
	}
	bfs.Reach(heads, func(v int32, visit func(int32)) {
		if in := into[v]; in.edge > 0 && edge[in.from] == lost {
			edge[in.from] = in.edge - 1
			visit(in.from)
		}
	})
	return edge
}

// firstKind returns the held kind that is first in the channel where a hop leads, or -1.
func (f *formula) firstKind(edge int32) int32 {
	to := f.kinds.To[edge]
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

// demandClosure collects from a channel everything that must be held for its sake,
// and returns the kinds; ok is false if some lead to no head.
func (f *formula) demandClosure(seed spec.ChannelID, edge []int32) (kinds []int32, ok bool) {
	q := f.kinds
	before := map[int32]int32{} // the kind from which a worm comes to this one
	for v, e := range edge {
		if q.tail != nil && e >= 0 {
			before[q.To[e]] = int32(v)
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
				visit(q.channel[q.To[e]])
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
		_, set := bfs.Reach([]int32{k}, func(k int32, visit func(int32)) {
			for e, end := q.Edges(k); e < end; e++ {
				if f.IsTrue(f.hop[e]) {
					visit(q.To[e])
				}
			}
		})
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
		var set []int32
		bfs.Reach([]spec.ChannelID{first}, func(c spec.ChannelID, visit func(spec.ChannelID)) {
			done[c] = true
			for _, v := range f.at[c] {
				set = append(set, v)
				for e, end := f.kinds.Edges(v); f.IsTrue(f.held[v]) && e < end; e++ {
					if to := f.kinds.channel[f.kinds.To[e]]; f.IsTrue(f.hop[e]) && !done[to] {
						visit(to)
					}
				}
			}
		})
		slices.Sort(set)
		sets = append(sets, set)
	}
	return sets
}

// loopFormula returns clauses against a set of kinds whose taken hops stay inside: a
// worm in one of them must be stuck in one of them or leave the set (a loop
// formula: Lin and Zhao 2004). They hold for every set of worms.
func (f *formula) loopFormula(set []int32) [][]sat.Literal {
	q := f.kinds
	var out []sat.Literal
	for _, v := range set {
		if q.loose {
			out = append(out, sat.Yes(f.head[q.channel[v]]))
		} else if q.want[v] >= 0 {
			out = append(out, sat.Yes(f.headVariable(v)))
		}
		for e, end := q.Edges(v); e < end; e++ {
			if _, inside := slices.BinarySearch(set, q.To[e]); !inside {
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

// DefaultSteps is the budget of a search that sets none.
const DefaultSteps = 10_000_000

// Options bounds a search.
type Options struct {
	Steps    int64             // most dead ends (conflicts) of the backtracking; 0 means DefaultSteps
	Visits   int64             // for Smallest: most literals propagated per size; 0 means any number
	Channels int               // held by each packet; fewer only if its tail is at its source; 0 means any number
	Numbers  int               // room for the steps of a proof; a minimum applies
	Progress func(steps int64) // called at intervals with the dead ends so far; may be nil
	Plain    bool              // without sums (see hallMatching)
}

// question is a formula over the kinds of places.
type question struct {
	*formula
	n      *spec.Network
	p      *places
	kindOf []int32 // by place
}

func newQuestion(ctx context.Context, n *spec.Network, p *places, heads bool) (*question, error) {
	kindOf, count, err := p.bisimulation(ctx)
	if err != nil {
		return nil, err
	}
	kinds, err := p.quotient(ctx, kindOf, count)
	if err != nil {
		return nil, err
	}
	f, err := newFormula(ctx, kinds, n.Topology().Channels(), heads)
	if err != nil {
		return nil, err
	}
	return &question{f, n, p, kindOf}, nil
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
	var c *hallMatching // made when first looked for
	f.Beyond = func() (clause []sat.Literal, node int32) {
		if c == nil {
			c = newHallMatching(f)
		}
		return c.violator()
	}
	return f, context.Cause(ctx)
}

// findSet asks channel by channel whether a stuck set contains it. A channel that
// none contains is excluded from the rest of the search, with all that follows
// from its absence; the clauses learned on the way remain. It returns the first
// set found, made minimal; refuted says that none exists.
func (q *question) findSet(ctx context.Context, lim sat.Limits) ([]Worm, sat.Answer, error) {
	var seeds []spec.ChannelID
	for c, kinds := range q.at {
		if len(kinds) > 0 {
			seeds = append(seeds, spec.ChannelID(c))
		}
	}
	// Channels with few kinds leave few choices: they are settled soon.
	slices.SortStableFunc(seeds, func(a, b spec.ChannelID) int { return cmp.Compare(len(q.at[a]), len(q.at[b])) })
	for _, c := range seeds {
		worms, got, err := q.ask(ctx, sat.Yes(q.occupied[c]), lim)
		if err != nil || got != sat.Refuted {
			return worms, got, err
		}
	}
	return nil, sat.Refuted, nil
}

// ask looks for a stuck set in a model with the literal true.
func (q *question) ask(ctx context.Context, assume sat.Literal, lim sat.Limits) ([]Worm, sat.Answer, error) {
	var paths [][]int32
	var edge []int32
	var inRows []Worm
	got, err := q.Solve(ctx, assume, lim, func() [][]sat.Literal {
		if q.p.row != nil {
			inRows = q.wormsInRows()
			return nil
		}
		edge = q.headEdges()
		seed := slices.IndexFunc(q.occupied, func(v int32) bool { return v >= 0 && q.IsTrue(v) })
		kinds, ok := q.demandClosure(spec.ChannelID(seed), edge)
		if !ok {
			var clauses [][]sat.Literal
			for _, set := range q.cycles(kinds, edge) {
				clauses = append(clauses, q.loopFormula(set)...)
				if q.proof != nil {
					q.proof.addSet(set)
				}
			}
			return clauses
		}
		paths = q.wormPaths(kinds, edge)
		return nil
	})
	if err != nil || got != sat.Satisfied {
		return nil, got, err
	}
	if q.p.row != nil {
		return inRows, got, nil
	}
	if q.p.loose {
		return q.wormsInQueue(paths, edge), got, nil
	}
	return minimise(q.n, q.p.wormsOf(q.n, q.kindOf, paths), q.p.tail != nil), got, nil
}

// wormPaths splits held kinds into worms: each from a kind that no other leads to.
func (f *formula) wormPaths(kinds, edge []int32) [][]int32 {
	ledTo := map[int32]bool{}
	for _, k := range kinds {
		if edge[k] >= 0 && f.goesOn(edge[k]) {
			ledTo[f.kinds.To[edge[k]]] = true
		}
	}
	var out [][]int32
	for _, k := range kinds {
		if ledTo[k] {
			continue
		}
		path := []int32{k}
		for on := true; on && edge[k] >= 0; {
			on = f.goesOn(edge[k])
			k = f.kinds.To[edge[k]]
			path = append(path, k)
		}
		out = append(out, path)
	}
	return out
}

// goesOn reports whether, in a model, a worm that makes a hop is the first packet where it leads.
func (f *formula) goesOn(edge int32) bool {
	return !f.kinds.loose || f.firstKind(edge) == f.kinds.To[edge]
}

// wormsInQueue returns worms with the given paths of places; the last place of each may be behind another worm.
func (q *question) wormsInQueue(paths [][]int32, edge []int32) (worms []Worm) {
	for _, path := range paths {
		var w Worm
		for i, v := range path {
			at := q.p.sites[v]
			w.Sites = append(w.Sites, q.n.Table(int(at.table)).Site(int(at.site)))
			w.Behind = i > 0 && !q.goesOn(edge[path[i-1]])
		}
		worms = append(worms, w)
	}
	return worms
}

// wormsOf returns worms with the given paths of kinds.
func (p *places) wormsOf(n *spec.Network, kindOf []int32, paths [][]int32) []Worm {
	var out []Worm
	for _, path := range paths {
		v := int32(slices.Index(kindOf, path[0]))
		var w Worm
		for i, k := range path {
			if i > 0 {
				next := p.Successors(v)
				v = next[slices.IndexFunc(next, func(to int32) bool { return kindOf[to] == k })]
			}
			at := p.sites[v]
			w.Sites = append(w.Sites, n.Table(int(at.table)).Site(int(at.site)))
		}
		out = append(out, w)
	}
	return out
}

// wormsInRows returns the packets of a model: those of a row one after the other from its front, and
// between them those that fill the channels, which may have any header.
func (q *question) wormsInRows() (worms []Worm) {
	of := slices.Repeat([]int32{-1}, len(q.at)) // by channel: the held kind, if it is demanded; else -1
	by := make([]int32, len(q.at))              // by channel: the hop taken into it, + 1
	from := make([]int32, len(q.at))            // by channel: the kind that hop comes from
	for v := range int32(q.kinds.len()) {
		for e, end := q.kinds.Edges(v); e < end; e++ {
			if q.IsTrue(q.hop[e]) {
				by[q.kinds.channel[q.kinds.To[e]]], from[q.kinds.channel[q.kinds.To[e]]] = e+1, v
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
		for e, end := q.kinds.Edges(k); e < end; e++ {
			if q.IsTrue(q.hop[e]) {
				visit(q.kinds.channel[q.kinds.To[e]])
			}
		}
		if q.enters(c, k) && by[c] > 0 {
			visit(q.kinds.channel[from[c]])
		}
	}
	for _, c := range seen {
		if q.kinds.sites[of[c]].ahead == 0 {
			worms = append(worms, q.wormsOfRow(c, of, by, from)...)
		}
	}
	return worms
}

// enters reports whether, in a model, a packet with its first flits in a channel, in held kind k, is not all in.
func (q *question) enters(c spec.ChannelID, k int32) bool {
	return !q.kinds.tail[k] || q.IsTrue(q.rows.full[c]) && q.kinds.row.isBehind(q.kinds.sites[k].ahead+1)
}

// wormsOfRow returns the packets of the row with the given front.
func (q *question) wormsOfRow(c spec.ChannelID, of, by, from []int32) (worms []Worm) {
	site := func(k int32) spec.Site {
		at := q.kinds.sites[k]
		return q.n.Table(int(at.table)).Site(int(at.site))
	}
	at := Worm{Sites: []spec.Site{site(of[c])}}
	for {
		k := of[c]
		enters, layer := q.enters(c, k) || by[c] > 0 && of[q.kinds.channel[from[c]]] >= 0, int(q.kinds.sites[k].ahead)
		if enters && !q.kinds.tail[k] { // the first packet
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
		at = Worm{Sites: []spec.Site{site(from[c]), site(q.kinds.To[by[c]-1])}, Behind: true}
		c = q.kinds.channel[from[c]]
	}
}
