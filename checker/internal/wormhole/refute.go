package wormhole

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
)

// mostNumbers is how long a proof may become for each variable, leastMost how long
// in any case: some megabytes.
const mostNumbers, leastMost = 10, 1 << 20

// Refute proves that n has no stuck set of worms within a bound: with wormhole switching for
// packets of any length or, if under is not nil, of that scenario's length; otherwise for packets
// of one channel each. If there is such a set, it returns that; it returns neither if the budget is
// used up or the proof grows too long.
func Refute(
	ctx context.Context, n *spec.Network, under *spec.Scenario, bound unsat.Bound, o Options,
) (*unsat.Proof, []Worm, error) {
	s, err := newSizedQuestion(ctx, n, under, bound.Of, o)
	if err != nil || s == nil {
		return nil, nil, err
	}
	return s.decide(ctx, bound.Most, sat.Limits{Conflicts: cmp.Or(o.Steps, DefaultSteps), Visits: math.MaxInt64})
}

// sizedQuestion asks for stuck sets of one size after another. What is learned serves the next size, too,
// unless it holds for smaller sets only.
type sizedQuestion struct {
	*question // without a formula if no places are left
	under     *spec.Scenario
	of        unsat.Unit
	out       *proof
	o         Options
}

// newSizedQuestion returns nil if the network is too large.
func newSizedQuestion(
	ctx context.Context, n *spec.Network, under *spec.Scenario, of unsat.Unit, o Options,
) (*sizedQuestion, error) {
	all := slices.Repeat([]bool{true}, n.Topology().Channels())
	p, fits, err := findPlaces(ctx, n, all, true)
	layers := 1
	switch {
	case fits && n.Switching() != spec.Wormhole:
		p, fits, err = p.layered(ctx, 1, nil, nil)
	case fits && under != nil && under.Length > 0:
		var r *row
		if layers = Holds(n, under.Length); under.Shared {
			r = &row{under.Length, n.Buffer()}
			layers = r.mostChannels()
		}
		p, fits, err = p.layered(ctx, layers, p.entries(n), r)
	case fits && under != nil && under.Shared && n.Buffer() > 1:
		p.loose = true
	}
	if err != nil || !fits {
		return nil, err
	}
	out := &proof{site: p.numbers(n), bounds: map[int32]int{}}
	if p.row != nil { // unit propagation says what is left, and that nothing is where a step follows
		out.addSet(nil)
	} else {
		was := slices.Repeat([]bool{true}, p.len())
		p, err = p.pruned(ctx, len(all), func(left []bool) {
			var gone []int32
			for v := range left {
				if was[v] && !left[v] {
					gone = append(gone, int32(v))
				}
			}
			out.addSet(gone)
			was = left
		})
	}
	if err != nil {
		return nil, err
	}
	s := &sizedQuestion{question: &question{n: n, p: p}, under: under, of: of, out: out, o: o}
	if p.len() == 0 {
		return s, nil
	}
	out.site = p.numbers(n)
	if s.formula, err = newFormula(ctx, p, len(all), of == unsat.Packets || p.loose); err != nil {
		return nil, err
	}
	s.proof, s.Log = out, out.addLearned
	out.translate(s.formula, n, layers)
	out.most = max(out.most, o.Numbers)
	for v := range p.len() {
		s.kindOf = append(s.kindOf, int32(v))
	}
	return s, nil
}

// visited are the literals propagated so far.
func (s *sizedQuestion) visited() int64 {
	if s.formula == nil {
		return 0
	}
	return s.Visits
}

// decide looks for a stuck set within a size, 0 meaning any, with limits for all that is asked.
// It returns such a set, or the proof that none exists, or neither.
func (s *sizedQuestion) decide(ctx context.Context, most int, lim sat.Limits) (*unsat.Proof, []Worm, error) {
	var needed []bool
	if s.formula != nil {
		s.Trace()
		if most > 0 {
			s.out.bounds[s.Limit(most).Variable()] = most
		}
		lim.Progress, lim.Plain = s.o.Progress, s.o.Plain
		found, got, err := s.findSet(ctx, lim)
		if err != nil {
			return nil, nil, fmt.Errorf("wormhole: %w", err)
		}
		if got != sat.Refuted {
			return nil, found, nil
		}
		needed = s.Needed(ctx)
	}
	return &unsat.Proof{
		Network: s.n.Digest(), Under: s.under, Bound: unsat.Bound{Of: s.of, Most: most},
		Steps: s.out.stepsUpTo(most, needed),
	}, nil, nil
}

// Holds returns how many channels a packet of the given number of flits fills.
func Holds(n *spec.Network, flits int) int { return (flits + n.Buffer() - 1) / n.Buffer() }

// numbers returns, by place, the number of its site in the whole network, layer by layer.
func (p *places) numbers(n *spec.Network) []int32 {
	all := make([]int32, 0, p.len())
	for _, s := range p.sites {
		all = append(all, s.ahead*int32(n.SiteCount())+int32(n.Table(int(s.table)).First)+s.site)
	}
	return all
}

// translate numbers the formula's variables as package unsat does: channels, sites,
// rows, hops by site, heads by channel. The places must be those of sites, and the wants those of rows.
func (p *proof) translate(f *formula, n *spec.Network, layers int) {
	p.lit = make([]int32, f.Variables())
	name := func(v int32, number int) {
		if v >= 0 {
			p.lit[v] = int32(2 * number)
		}
	}
	sites := n.Topology().Channels()
	rows := sites + layers*n.SiteCount()
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
	for i := range layers * n.Tables() {
		for _, r := range n.Table(i % n.Tables()).Rows {
			first = append(first, hops)
			hops += len(n.Row(r))
		}
	}
	for c, v := range f.head {
		if f.occupied[c] >= 0 {
			name(v, hops+c)
		}
	}
	if r := f.rows; r != nil {
		last := hops + len(f.head) + 1
		for _, variables := range slices.Concat([][]int32{r.fed}, r.level, [][]int32{r.full}) {
			for _, v := range variables {
				name(v, last)
				last++
			}
		}
	}
	p.most = max(leastMost, mostNumbers*hops)
	for v, site := range p.site {
		t := n.Table(int(f.kinds.sites[v].table))
		row := n.Row(t.Rows[f.kinds.sites[v].site])
		for e, end := f.kinds.Edges(int32(v)); e < end; e++ {
			to := int(f.kinds.sites[f.kinds.To[e]].site)
			name(f.hop[e], first[site]+slices.Index(row, spec.Hop{Channel: t.Channels[to], Tag: t.Tag(to)}))
		}
	}
}

// proof records what a search learns as an unsatisfiability proof: the head/tail fixpoint round
// by round, then the clauses and the sets of places in the order in which they are
// learned. It speaks of places, not kinds, as the verifier knows sites only.
type proof struct {
	steps  []step
	size   int           // numbers in the steps
	lit    []int32       // by variable of the solver, except those of bounds: the proof's literal that it is true
	bounds map[int32]int // by variable of a bound
	site   []int32       // by place: number of its site
	most   int           // numbers that the steps may take
}

// step is a step that holds for sets of at most most packets or channels.
type step struct {
	unsat.Step
	most int
	node int32 // in the trace of the solver; 0 for sets
}

// addLearned adds a clause, and reports whether there is room for more.
func (p *proof) addLearned(literals []sat.Literal, node int32) bool {
	s := p.translated(literals)
	s.node = node
	p.add(s)
	return p.size <= p.most
}

// addSum adds a clause that a sum shows.
func (p *proof) addSum(clause []sat.Literal, sum [][]sat.Literal, node int32) {
	s := p.translated(clause)
	s.node = node
	for _, some := range sum {
		s.Sum = append(s.Sum, p.translated(some).List)
	}
	p.add(s)
}

// translated returns a clause without the bound under which it holds.
func (p *proof) translated(literals []sat.Literal) step {
	s := step{Step: unsat.Step{Clause: true}, most: math.MaxInt}
	for _, l := range literals {
		if most, ok := p.bounds[l.Variable()]; ok {
			s.most = min(s.most, most)
		} else {
			s.List = append(s.List, p.lit[l/2]^int32(l&1))
		}
	}
	return s
}

func (p *proof) addSet(places []int32) {
	s := step{most: math.MaxInt}
	for _, v := range places {
		s.List = append(s.List, p.site[v])
	}
	p.add(s)
}

func (p *proof) add(s step) {
	p.steps = append(p.steps, s)
	p.size += s.numbers()
}

func (s *step) numbers() int {
	count := 1 + len(s.List)
	for _, some := range s.Sum {
		count += 1 + len(some)
	}
	return count
}

// stepsUpTo returns the steps that show that there is no set of at most most. It drops those that hold for smaller sets
// only, and a clause that repeats the one before: a sum shows that one.
func (p *proof) stepsUpTo(most int, needed []bool) (steps []unsat.Step) {
	var last []int32
	p.steps = slices.DeleteFunc(p.steps, func(s step) bool {
		if s.most < most {
			p.size -= s.numbers()
			return true
		}
		if s.Clause && needed != nil && !needed[s.node] {
			return false
		}
		list := slices.Sorted(slices.Values(s.List))
		if !s.Clause || last == nil || !slices.Equal(list, last) {
			steps = append(steps, s.Step)
		}
		if last = nil; s.Sum != nil {
			last = list
		}
		return false
	})
	return steps
}
