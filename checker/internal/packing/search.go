package packing

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/fixpoint"
	"github.com/seed-105a2da2/unknot/spec"
)

// DefaultSteps is the budget of a search that names none.
const DefaultSteps = 10_000_000

// Options bounds a search.
type Options struct {
	Steps     int64             // most dead ends of the backtracking; 0 means DefaultSteps
	MaxLength int               // most channels that a worm may hold; 0 means any number
	Progress  func(steps int64) // called now and then with the dead ends so far; may be nil
}

// Search decides whether n has a stuck set of worms of at most o.MaxLength
// channels. No channel outside the candidates may be part of one; the rest that
// the head/tail fixpoint leaves is meant. u is the usage of n.
//
// decided with worms: a stuck set from which no worm and no end of a worm can be
// spared, and which has passed Check. decided without worms: there is none. Not
// decided: the budget was used up, or the candidates have more sites than memory
// should be spent on.
//
// The order of the search is fixed, so equal questions have equal answers.
// Worms of one channel are tried first, in linear time. The rest takes time
// exponential in the candidates at worst, and memory linear in their sites.
func Search(ctx context.Context, n *spec.Network, u *fixpoint.Usage, candidates []spec.ChannelID, o Options) (worms []Worm, decided bool, err error) {
	usable := make([]bool, n.Topology().Channels())
	for _, c := range candidates {
		if c < 0 || int(c) >= len(usable) {
			return nil, false, fmt.Errorf("packing: candidate %d is no channel of the network", c)
		}
		usable[c] = true
	}
	if o.MaxLength < 0 || o.Steps < 0 {
		return nil, false, fmt.Errorf("packing: negative bound: %d steps, length %d", o.Steps, o.MaxLength)
	}
	worms, decided, err = search(ctx, n, u, usable, o)
	if err != nil {
		return nil, false, fmt.Errorf("packing: %w", err)
	}
	if worms != nil {
		if err := Check(n, worms); err != nil {
			return nil, false, fmt.Errorf("packing: the search found worms that are not stuck: %w", err)
		}
	}
	return worms, decided, nil
}

func search(ctx context.Context, n *spec.Network, u *fixpoint.Usage, usable []bool, o Options) (worms []Worm, decided bool, err error) {
	s := newSingles(n, u, usable)
	if s.count > 0 {
		if err := s.shrink(ctx); err != nil {
			return nil, false, err
		}
		return s.worms(), true, nil
	}
	if o.MaxLength == 1 {
		return nil, true, nil
	}
	p, fits, err := findPlaces(ctx, n, usable)
	if err != nil || !fits {
		return nil, false, err
	}
	p = p.restrict(p.prune(len(usable)), len(usable))
	if o.MaxLength > 0 {
		if p, fits = p.layered(o.MaxLength); !fits {
			return nil, false, nil
		}
		p = p.restrict(p.prune(len(usable)), len(usable))
	}
	if p.len() == 0 {
		return nil, true, nil
	}
	kindOf, count, err := p.kinds(ctx)
	if err != nil {
		return nil, false, err
	}
	f := newFormula(p.quotient(kindOf, count), len(usable))
	paths, found, err := f.firstSeed(ctx, o)
	if err != nil || found != satisfied {
		return nil, found == refuted, err
	}
	worms = minimise(n, p.worms(n, kindOf, paths))
	for {
		paths, found, err := f.fewer(ctx, held(worms)-1, o)
		if err != nil {
			return nil, false, err
		}
		if found != satisfied {
			return worms, true, nil
		}
		worms = minimise(n, p.worms(n, kindOf, paths))
	}
}

// held counts the channels of worms.
func held(worms []Worm) int {
	count := 0
	for _, w := range worms {
		count += len(w.Sites)
	}
	return count
}

// stepsForFewer is how many dead ends are spent on a smaller set.
const stepsForFewer = 5000

// fewer looks for worms that hold at most bound channels together. A smaller
// set is wanted only as far as it is cheap: the dead ends of each call are
// limited.
func (f *formula) fewer(ctx context.Context, bound int, o Options) ([][]int32, answer, error) {
	f.backTo(0)
	f.atMost(bound)
	var some []literal
	for _, v := range f.occupied {
		if v >= 0 {
			some = append(some, yes(v))
		}
	}
	f.require(some...)
	one := f.add()
	lim := limits{conflicts: min(cmp.Or(o.Steps, DefaultSteps), f.conflicts+stepsForFewer), progress: o.Progress}
	var paths [][]int32
	got, err := f.solve(ctx, yes(one), lim, func() [][]literal {
		edge := f.follow()
		for c, v := range f.occupied {
			if v >= 0 && f.isTrue(v) {
				kinds, ok := f.demanded(spec.ChannelID(c), edge)
				if !ok {
					return f.circles(kinds, edge)
				}
				paths = f.paths(kinds, edge)
				return nil
			}
		}
		return nil
	})
	return paths, got, err
}

// firstSeed asks channel by channel whether a stuck set contains it. A channel
// that none contains is out for the rest of the search, and so is all that
// follows from its absence; the clauses learned on the way remain. It returns
// the worms of the first set found, as paths of kinds.
func (f *formula) firstSeed(ctx context.Context, o Options) ([][]int32, answer, error) {
	var seeds []spec.ChannelID
	for c, kinds := range f.at {
		if len(kinds) > 0 {
			seeds = append(seeds, spec.ChannelID(c))
		}
	}
	// Channels with few kinds leave few choices: they are settled soon.
	slices.SortStableFunc(seeds, func(a, b spec.ChannelID) int { return cmp.Compare(len(f.at[a]), len(f.at[b])) })
	lim := limits{conflicts: cmp.Or(o.Steps, DefaultSteps), progress: o.Progress}
	for _, c := range seeds {
		var paths [][]int32
		got, err := f.solve(ctx, yes(f.occupied[c]), lim, func() [][]literal {
			edge := f.follow()
			kinds, ok := f.demanded(c, edge)
			if !ok {
				return f.circles(kinds, edge)
			}
			paths = f.paths(kinds, edge)
			return nil
		})
		if err != nil || got != refuted {
			return paths, got, err
		}
	}
	return nil, refuted, nil
}

// paths splits held kinds into worms: each from a kind that no other leads to.
func (f *formula) paths(kinds, edge []int32) [][]int32 {
	ledTo := map[int32]bool{}
	for _, k := range kinds {
		if edge[k] >= 0 {
			ledTo[f.kinds.next[edge[k]]] = true
		}
	}
	var out [][]int32
	for _, k := range kinds {
		if ledTo[k] {
			continue
		}
		path := []int32{k}
		for edge[k] >= 0 {
			k = f.kinds.next[edge[k]]
			path = append(path, k)
		}
		out = append(out, path)
	}
	return out
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
