package repair

import (
	"context"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/proofs/refutation"
	"github.com/seed-105a2da2/unknot/spec"
)

// Whether fewer copies suffice.
//
// The solver puts each flow on some copy. Each cycle that the flows of a copy close gives a clause for every copy: a few
// flows that together take all its turns are not all there. A contradiction is a proof that the copies do not suffice.
//
// If they do not suffice for some of the flows, they do not for all. So some are tried first: flows no two of
// which can share a copy, and those among nodes far apart, which resemble the flows of a smaller network stretched over
// the whole.

// mostApart bounds the time of apart, in turns examined.
const mostApart = 1 << 21

// apart greedily moves flows to the front, no two of which can share a copy, and counts them.
func (l *layering) apart(ctx context.Context, flows []int) (sorted []int, count int) {
	var first, rest []int
	work := 0
	for k, f := range flows {
		if work > mostApart || ctx.Err() != nil {
			rest = append(rest, flows[k:]...)
			break
		}
		if slices.ContainsFunc(first, func(g int) bool {
			work += len(l.turns[f]) + len(l.turns[g])
			return l.acyclic(slices.Concat(l.turns[f], l.turns[g]))
		}) {
			rest = append(rest, f)
		} else {
			first = append(first, f)
		}
	}
	return slices.Concat(first, rest), len(first)
}

// parts yields the flows among nodes that are far apart, for more and more nodes.
func (l *layering) parts(ctx context.Context) (parts [][]int) {
	nodes := scattered(l.n.Topology(), mostParted)
	for size := leastParted; size <= len(nodes) && size < l.n.Topology().Nodes() && ctx.Err() == nil; size *= 2 {
		flows, _ := l.maximal(ctx, func(at place) bool {
			t := &l.tables[at.table]
			return slices.Contains(nodes[:size], t.Dest) && slices.Contains(nodes[:size], t.Sources[at.vertex].Node)
		})
		parts = append(parts, flows)
	}
	return parts
}

// exactly decides with the solver whether a number of copies suffices for flows: each is on some copy, and
// the flows of no copy close a cycle together. It is undecided if the effort runs out. If the flows are all the
// maximal ones, leader says who follows them.
func (l *layering) exactly(ctx context.Context, copies int, flows, leader []int, effort int64) (sat.Answer, error) {
	p := &placing{layering: l, solver: sat.New(), steps: &log{}, copies: copies, flows: flows, effort: effort}
	for range len(flows) * copies {
		if ctx.Err() != nil {
			return sat.Undecided, ctx.Err()
		}
		p.solver.Add()
	}
	p.solver.Trace()
	p.solver.Log = p.steps.learned
	for i := range flows {
		p.solver.Require(p.placed(i)...)
	}
	p.solver.Required = p.required
	got, err := p.solver.Solve(ctx, sat.Yes(p.solver.Add()), sat.Limits{Conflicts: math.MaxInt64, Visits: effort}, func() [][]sat.Literal {
		p.close(ctx)
		if p.effort < 0 || ctx.Err() != nil {
			return nil
		}
		if p.clauses == nil && leader != nil {
			l.count = copies
			l.assign(flows, leader, p.copy)
		}
		return p.clauses
	})
	if got == sat.Refuted && err == nil {
		l.least, err = verified(ctx, l.n, refutation.Bound{Of: refutation.Layers, Most: copies}, p.proof(ctx), once)
	}
	return got, err
}

// placing is the solver's search for a copy for each of some flows.
type placing struct {
	*layering
	solver  *sat.Solver
	steps   *log
	copies  int
	flows   []int
	effort  int64           // left
	clauses [][]sat.Literal // of the last model: these flows are not all on one copy
	cycles  [][]int32       // by clause: what they would close there
}

// on is the variable that says that a flow is on a copy. In the log these variables come after those of the turns.
func (p *placing) on(i, copy int) int32 { return int32(i*p.copies + copy) }

// placed says that a flow is on some copy. As copies are alike, the first flows need only the first ones.
func (p *placing) placed(i int) (some []sat.Literal) {
	for c := range min(p.copies, i+1) {
		some = append(some, sat.Yes(p.on(i, c)))
	}
	return some
}

// copy returns the copy that a flow is on in the model.
func (p *placing) copy(i int) (copy int) {
	for !p.solver.IsTrue(p.on(i, copy)) {
		copy++
	}
	return copy
}

// close finds cycles that the flows of the copies close in the model, and the clauses against them.
func (p *placing) close(ctx context.Context) {
	p.clauses, p.cycles = nil, nil
	for on := range p.copies {
		users := p.users(on)
		used := make([]bool, len(p.units))
		for len(p.clauses) < atOnce*p.copies && ctx.Err() == nil {
			cycle := p.cycle(func(u int32) bool { return !used[u] && users[u] != nil })
			if p.effort -= int64(len(p.units)); cycle == nil {
				break
			}
			for _, u := range cycle {
				used[u] = true
			}
			cover := covering(cycle, users)
			for c := range p.copies {
				var clause []sat.Literal
				for _, i := range cover {
					clause = append(clause, sat.No(p.on(int(i), c)))
				}
				p.clauses, p.cycles = append(p.clauses, clause), append(p.cycles, cycle)
			}
		}
	}
}

// users returns, by turn, the flows on a copy that take it.
func (p *placing) users(copy int) [][]int32 {
	users := make([][]int32, len(p.units))
	for i, f := range p.flows {
		if p.solver.IsTrue(p.on(i, copy)) {
			for _, u := range p.turns[f] {
				users[u] = append(users[u], int32(i))
			}
			p.effort -= int64(len(p.turns[f]))
		}
	}
	return users
}

// required logs a clause that the solver takes from the last model, after the cycle that justifies it.
func (p *placing) required(clause []sat.Literal, node int32) {
	for !slices.Equal(p.clauses[0], clause) { // as was known
		p.clauses, p.cycles = p.clauses[1:], p.cycles[1:]
	}
	var turns []sat.Literal
	for _, u := range p.cycles[0] {
		turns = append(turns, sat.No(u*int32(p.copies)+clause[0].Variable()%int32(p.copies)))
	}
	p.steps.condition(turns, node)
	p.steps.learned(clause, node)
}

// proof returns the steps of a refutation, after the conditions that place the flows in them.
func (p *placing) proof(ctx context.Context) []refutation.Step {
	steps, of := p.steps.refuted(ctx, p.solver), make([]bool, len(p.flows))
	number := func(list []int32) {
		for k, x := range list {
			i := int(x/2) / p.copies
			of[i], list[k] = true, x+2*int32((len(p.units)+p.flows[i]-i)*p.copies)
		}
	}
	for _, step := range steps {
		if step.Clause {
			number(step.List)
		}
	}
	var places log
	for i, is := range of {
		if is {
			places.condition(p.placed(i), 0)
			number(places.steps[len(places.steps)-1].List)
		}
	}
	return slices.Concat(places.steps, steps)
}

// cycle returns the turns of a cycle among those given, or nil.
func (l *layering) cycle(has func(u int32) bool) []int32 {
	g := graph.Collect(len(l.sites), func(add func(from, to int32)) {
		for u, x := range l.units {
			if has(int32(u)) {
				add(int32(x.at.Channel), int32(x.hop.Channel))
			}
		}
	})
	cycle, _ := graph.ShortestCycle(g, 1<<12)
	if cycle == nil {
		return nil
	}
	after := map[spec.ChannelID]spec.ChannelID{}
	for i, c := range cycle {
		after[spec.ChannelID(c)] = spec.ChannelID(cycle[(i+1)%len(cycle)])
	}
	var turns []int32
	for u, x := range l.units {
		if to, on := after[x.at.Channel]; on && to == x.hop.Channel {
			turns = append(turns, int32(u))
		}
	}
	return turns
}

// covering returns a few flows that together have all turns of a cycle.
func covering(cycle []int32, users [][]int32) (flows []int32) {
	left := map[int32]bool{}
	for _, u := range cycle {
		left[u] = true
	}
	for len(left) > 0 {
		has := map[int32]int{}
		best := int32(-1)
		for _, u := range cycle {
			if left[u] {
				for _, i := range users[u] {
					has[i]++
					if best < 0 || has[i] > has[best] || has[i] == has[best] && i < best {
						best = i
					}
				}
			}
		}
		flows = append(flows, best)
		for _, u := range cycle {
			if slices.Contains(users[u], best) {
				delete(left, u)
			}
		}
	}
	return flows
}
