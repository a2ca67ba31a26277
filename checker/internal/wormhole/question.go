package wormhole

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/spec"
)

// DefaultSteps is the budget of a search that sets none.
const DefaultSteps = 10_000_000

// Options bounds a search.
type Options struct {
	Steps    int64             // most dead ends (conflicts) of the backtracking; 0 means DefaultSteps
	Visits   int64             // for Smallest: most literals propagated per size; 0 means any number
	Channels int               // held by each message; fewer only if its tail is at its source; 0 means any number
	Numbers  int               // room for the steps of a proof; a minimum applies
	Progress func(steps int64) // called now and then with the dead ends so far; may be nil
	Plain    bool              // without sums (see crowd)
}

// question is a formula over the kinds of places.
type question struct {
	*formula
	n      *spec.Network
	p      *places
	kindOf []int32 // by place
}

func newQuestion(ctx context.Context, n *spec.Network, p *places, heads bool) (*question, error) {
	kindOf, count, err := p.kinds(ctx)
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
	var c *crowd // made when first looked for
	f.Beyond = func() (clause []sat.Literal, node int32) {
		if c == nil {
			c = newCrowd(f)
		}
		return c.crowded()
	}
	return f, context.Cause(ctx)
}

// anySet asks channel by channel whether a stuck set contains it. A channel that
// none contains is excluded from the rest of the search, with all that follows
// from its absence; the clauses learned on the way remain. It returns the first
// set found, made minimal; refuted says that none exists.
func (q *question) anySet(ctx context.Context, lim sat.Limits) ([]Worm, sat.Answer, error) {
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
			inRows = q.inRows()
			return nil
		}
		edge = q.follow()
		seed := slices.IndexFunc(q.occupied, func(v int32) bool { return v >= 0 && q.IsTrue(v) })
		kinds, ok := q.demanded(spec.ChannelID(seed), edge)
		if !ok {
			var clauses [][]sat.Literal
			for _, set := range q.cycles(kinds, edge) {
				clauses = append(clauses, q.escapes(set)...)
				if q.proof != nil {
					q.proof.set(set)
				}
			}
			return clauses
		}
		paths = q.paths(kinds, edge)
		return nil
	})
	if err != nil || got != sat.Satisfied {
		return nil, got, err
	}
	if q.p.row != nil {
		return inRows, got, nil
	}
	if q.p.loose {
		return q.queued(paths, edge), got, nil
	}
	return minimise(q.n, q.p.worms(q.n, q.kindOf, paths), q.p.tail != nil), got, nil
}

// paths splits held kinds into worms: each from a kind that no other leads to.
func (f *formula) paths(kinds, edge []int32) [][]int32 {
	ledTo := map[int32]bool{}
	for _, k := range kinds {
		if edge[k] >= 0 && f.goesOn(k, edge[k]) {
			ledTo[f.kinds.next[edge[k]]] = true
		}
	}
	var out [][]int32
	for _, k := range kinds {
		if ledTo[k] {
			continue
		}
		path := []int32{k}
		for on := true; on && edge[k] >= 0; {
			on = f.goesOn(k, edge[k])
			k = f.kinds.next[edge[k]]
			path = append(path, k)
		}
		out = append(out, path)
	}
	return out
}

// goesOn reports whether, in a model, a worm that goes on from a kind is the first message where its hop leads.
func (f *formula) goesOn(from, edge int32) bool {
	return !f.kinds.loose || f.ahead(from, edge) == f.kinds.next[edge]
}

// queued returns worms with the given paths of places; the last place of each may be behind another worm.
func (q *question) queued(paths [][]int32, edge []int32) (worms []Worm) {
	for _, path := range paths {
		var w Worm
		for i, v := range path {
			at := q.p.sites[v]
			w.Sites = append(w.Sites, q.n.Table(int(at.table)).Site(int(at.site)))
			w.Behind = i > 0 && !q.goesOn(path[i-1], edge[path[i-1]])
		}
		worms = append(worms, w)
	}
	return worms
}

// worms returns worms with the given paths of kinds.
func (p *places) worms(n *spec.Network, kindOf []int32, paths [][]int32) []Worm {
	var out []Worm
	for _, path := range paths {
		v := int32(slices.Index(kindOf, path[0]))
		var w Worm
		for i, k := range path {
			if i > 0 {
				next := p.after(v)
				v = next[slices.IndexFunc(next, func(to int32) bool { return kindOf[to] == k })]
			}
			at := p.sites[v]
			w.Sites = append(w.Sites, n.Table(int(at.table)).Site(int(at.site)))
		}
		out = append(out, w)
	}
	return out
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
