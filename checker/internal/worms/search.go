package worms

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/fixpoint"
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

// Search decides whether n has a stuck set of worms, of messages so long that each holds
// o.Channels. The set is sought within the candidates only, which should be the channels
// that the head/tail fixpoint leaves. u is the usage of n.
//
// If it returns worms, they are a stuck set that has passed Check and is minimal: no worm, and
// no end of a worm, can be left out. If the question is decided without worms, there is no stuck
// set. Otherwise the budget was used up, or the candidates have too many sites for the memory
// allowed.
//
// The order of the search is fixed, so equal questions have equal answers.
// Worms of one channel are tried first, in linear time, then for a while worms of
// two. The rest takes time exponential in the candidates at worst, and memory
// linear in their sites. A set found is then made small within limits of its own
// (see small.go), which Steps does not count.
func Search(ctx context.Context, n *spec.Network, u *fixpoint.Usage, candidates []spec.ChannelID, o Options) (worms []Worm, decided bool, err error) {
	usable := make([]bool, n.Topology().Channels())
	for _, c := range candidates {
		if c < 0 || int(c) >= len(usable) {
			return nil, false, fmt.Errorf("worms: candidate %d is not a channel of the network", c)
		}
		usable[c] = true
	}
	if o.Channels < 0 || o.Steps < 0 {
		return nil, false, fmt.Errorf("worms: negative bound: %d steps, %d channels", o.Steps, o.Channels)
	}
	worms, decided, err = search(ctx, n, u, usable, o)
	if err != nil {
		return nil, false, fmt.Errorf("worms: %w", err)
	}
	if worms != nil {
		if err := Check(n, worms); err != nil {
			return nil, false, fmt.Errorf("worms: the search found worms that are not stuck: %w", err)
		}
	}
	return worms, decided, nil
}

func search(ctx context.Context, n *spec.Network, u *fixpoint.Usage, usable []bool, o Options) (worms []Worm, decided bool, err error) {
	if o.Channels <= 1 {
		if worms, err := smallSingles(ctx, n, u, usable); err != nil || worms != nil || o.Channels == 1 {
			return worms, err == nil, err
		}
	}
	p, fits, err := findPlaces(ctx, n, usable, false)
	if err != nil || !fits {
		return nil, false, err
	}
	lim := sat.Limits{Conflicts: cmp.Or(o.Steps, DefaultSteps), Visits: math.MaxInt64, Progress: o.Progress, Plain: o.Plain}
	if o.Channels > 1 {
		worms, got, err := searchBounded(ctx, n, p, o.Channels, p.entries(n), lim)
		return worms, got != sat.Undecided, err
	}
	if p, err = p.pruned(ctx, len(usable), nil); err != nil {
		return nil, false, err
	}
	// Worms of two channels make a far smaller formula, and are often enough.
	quick := lim
	quick.Conflicts = min(quick.Conflicts, quickSteps)
	quick.Visits = visitsForSmaller
	quick.Progress = nil
	if worms, got, err := searchBounded(ctx, n, p, 2, nil, quick); err != nil || got == sat.Satisfied {
		return worms, err == nil, err
	}
	worms, got, err := searchAmong(ctx, n, p, lim)
	return worms, got != sat.Undecided, err
}

// quickSteps are the dead ends that may be spent on worms of two channels if
// longer ones are allowed.
const quickSteps = 2000

// searchBounded searches for worms of at most length channels; see places.layered.
func searchBounded(ctx context.Context, n *spec.Network, p *places, length int, entries []bool, lim sat.Limits) ([]Worm, sat.Answer, error) {
	channels := n.Topology().Channels()
	bounded, fits, err := p.layered(ctx, length, entries, nil)
	if err != nil || !fits {
		return nil, sat.Undecided, err
	}
	if bounded, err = bounded.pruned(ctx, channels, nil); err != nil {
		return nil, sat.Undecided, err
	}
	return searchAmong(ctx, n, bounded, lim)
}

// searchAmong searches for worms in places.
func searchAmong(ctx context.Context, n *spec.Network, p *places, lim sat.Limits) ([]Worm, sat.Answer, error) {
	if p.len() == 0 {
		return nil, sat.Refuted, nil
	}
	q, err := newQuestion(ctx, n, p, false)
	if err != nil {
		return nil, sat.Undecided, err
	}
	worms, got, err := q.anySet(ctx, lim)
	if err != nil || got != sat.Satisfied {
		return nil, got, err
	}
	if worms, err = smaller(ctx, n, p, q, worms); err != nil {
		return nil, sat.Undecided, err
	}
	return worms, sat.Satisfied, nil
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

// anySet asks channel by channel whether a stuck set contains it. A channel that
// none contains is excluded from the rest of the search, with all that follows
// from its absence; the clauses learned on the way remain. It returns the first
// set found, made minimal; refuted says that there is none.
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
