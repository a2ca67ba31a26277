package worms

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/proofs/refutation"
	"github.com/seed-105a2da2/unknot/spec"
)

// proof writes down what a search learns as a refutation: the head/tail fixpoint round
// by round, then the clauses and the sets of places in the order in which they are
// learned. The search is over places, not kinds: the second program knows sites only.
type proof struct {
	steps []refutation.Step
	size  int     // numbers in the steps
	lit   []int32 // by variable of the solver: the proof's literal that it is true
	site  []int32 // by place: number of its site
	most  int     // numbers that the steps may take
}

// learned adds a clause, and reports whether there is room for more.
func (p *proof) learned(literals []sat.Literal) bool {
	step := refutation.Step{Clause: true, List: p.translated(literals)}
	if last := len(p.steps) - 1; last < 0 || p.steps[last].Sum == nil || !slices.Equal(slices.Sorted(slices.Values(step.List)), p.steps[last].List) {
		p.add(step)
	}
	return p.size <= p.most
}

// crowded adds a clause that a sum shows.
func (p *proof) crowded(clause []sat.Literal, sum [][]sat.Literal) {
	step := refutation.Step{Clause: true, List: p.translated(clause)}
	slices.Sort(step.List)
	for _, some := range sum {
		step.Sum = append(step.Sum, p.translated(some))
	}
	p.add(step)
}

func (p *proof) translated(literals []sat.Literal) []int32 {
	var list []int32
	for _, l := range literals {
		list = append(list, p.lit[l/2]^int32(l&1))
	}
	return list
}

func (p *proof) set(places []int32) {
	step := refutation.Step{}
	for _, v := range places {
		step.List = append(step.List, p.site[v])
	}
	p.add(step)
}

func (p *proof) add(s refutation.Step) {
	p.steps = append(p.steps, s)
	p.size += 1 + len(s.List)
	for _, some := range s.Sum {
		p.size += 1 + len(some)
	}
}

// mostNumbers is how long a proof may become for each variable, leastMost how long
// in any case: some megabytes.
const mostNumbers, leastMost = 10, 1 << 20

// Refute proves that n has no stuck set of worms within a bound, of any length with
// wormhole switching and else of one channel each. If there is one, it returns that;
// neither if the budget is used up or the proof grows too long.
func Refute(ctx context.Context, n *spec.Network, bound refutation.Bound, o Options) (*refutation.Refutation, []Worm, error) {
	all := slices.Repeat([]bool{true}, n.Topology().Channels())
	p, fits, err := findPlaces(ctx, n, all, true)
	if fits && n.Switching() != spec.Wormhole {
		p, fits = p.layered(1)
	}
	if err != nil || !fits {
		return nil, nil, err
	}
	out := &proof{site: p.numbers(n)}
	was := slices.Repeat([]bool{true}, p.len())
	left := p.prune(len(all), func(left []bool) {
		var gone []int32
		for v := range left {
			if was[v] && !left[v] {
				gone = append(gone, int32(v))
			}
		}
		out.set(gone)
		was = left
	})
	p = p.restrict(left, len(all))
	refuted := func() *refutation.Refutation {
		return &refutation.Refutation{Network: n.Digest(), Bound: bound, Steps: out.steps}
	}
	if p.len() == 0 {
		return refuted(), nil, nil
	}
	out.site = p.numbers(n)
	f := newFormula(p, len(all), bound.Of == refutation.Messages)
	if bound.Of != refutation.Unbounded {
		f.AtMost(bound.Most)
	}
	f.proof, f.Log = out, out.learned
	out.translate(f, n)
	kinds := make([]int32, p.len())
	for v := range kinds {
		kinds[v] = int32(v)
	}
	q := &question{f, n, p, kinds}
	found, got, err := q.anySet(ctx, sat.Limits{Conflicts: cmp.Or(o.Steps, DefaultSteps), Visits: math.MaxInt64, Progress: o.Progress, Plain: o.Plain})
	if err != nil {
		return nil, nil, fmt.Errorf("worms: %w", err)
	}
	if got != sat.Refuted {
		return nil, found, nil
	}
	return refuted(), nil, nil
}

// numbers returns, by place, the number of its site among all of the network.
func (p *places) numbers(n *spec.Network) []int32 {
	var all []int32
	for _, s := range p.sites {
		all = append(all, int32(n.Table(int(s.table)).First)+s.site)
	}
	return all
}

// translate numbers the formula's variables as package refutation does: channels, sites,
// rows, hops by site, heads by channel. The places are those of sites, and wants those of rows.
func (p *proof) translate(f *formula, n *spec.Network) {
	p.lit = make([]int32, f.Variables())
	name := func(v int32, number int) {
		if v >= 0 {
			p.lit[v] = int32(2 * number)
		}
	}
	sites := n.Topology().Channels()
	rows := sites + n.SiteCount()
	hops := rows + n.RowCount()
	for c, v := range f.occupied {
		name(v, c)
	}
	for w, v := range f.stuck {
		name(v, rows+int(f.kinds.rows[w]))
	}
	for v, at := range f.held {
		name(at, sites+int(p.site[v]))
	}
	var first []int // by site: variable of its first hop
	for i := range n.Tables() {
		for _, r := range n.Table(i).Rows {
			first = append(first, hops)
			hops += len(n.Row(r))
		}
	}
	for c, v := range f.head {
		if f.occupied[c] >= 0 {
			name(v, hops+c)
		}
	}
	p.most = max(leastMost, mostNumbers*hops)
	for v, site := range p.site {
		t := n.Table(int(f.kinds.sites[v].table))
		row := n.Row(t.Rows[f.kinds.sites[v].site])
		for e := f.kinds.first[v]; e < f.kinds.first[v+1]; e++ {
			to := int(f.kinds.sites[f.kinds.next[e]].site)
			name(f.hop[e], first[site]+slices.Index(row, spec.Hop{Channel: t.Channels[to], Tag: t.Tag(to)}))
		}
	}
}
