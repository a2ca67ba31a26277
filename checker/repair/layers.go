package repair

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/layers"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
)

// Layers.
//
// Each flow keeps to one copy on all of its paths, so a copy's dependencies are those of its flows. Of a flow whose
// packets are committed at the source, each alternative there counts as a flow of its own. Heuristics assign
// the flows to copies; as long as one copy fewer might do, the solver looks for such an assignment
// or shows that none exists.

// layers looks for the fewest copies to which the flows can be assigned.
func (u *search) layers(ctx context.Context) (Proposal, error) {
	j, out, err := u.keepEveryHop(ctx)
	if j == nil {
		return out, err
	}
	l := newLayering(ctx, j)
	if l == nil {
		return Proposal{Because: findings.Say(findings.FlowTurns{Most: mostFlowTurns})}, ctx.Err()
	}
	flows, leader := l.maximalFlows(ctx, func(relation.Place) bool { return true })
	if f := l.cyclicFlow(ctx, flows); f >= 0 {
		return Proposal{
			Verdict: spec.Violated,
			Because: findings.Say(findings.FlowDeadlocks{Flow: l.flow(f)}),
		}, nil
	}
	if !l.assignGreedily(ctx, flows, leader, u.opt.Effort/16) {
		return Proposal{Because: findings.Say(findings.NoAssignment{Layers: mostCopies})}, ctx.Err()
	}
	if out, err = u.certifyLayers(ctx, l, out); err != nil {
		return out, err
	}
	atLeast, effort, ofPart := 2, u.opt.Effort/4, u.opt.Effort // halved for each further copy, and for each part
	sorted, apart := l.incompatibleFirst(ctx, flows)
	parts := l.scatteredFlows(ctx)
	for copies := max(2, apart-1); err == nil && copies < l.count; copies++ {
		got := sat.Undecided
		if copies < apart { // fewer than those flows need
			got, err = l.solve(ctx, copies, sorted[:apart], nil, effort)
		}
		for ; len(parts) > 0 && got != sat.Refuted && err == nil; ofPart /= 2 {
			if got, err = l.solve(ctx, copies, parts[0], nil, ofPart); got != sat.Refuted {
				parts = parts[1:]
			}
		}
		if got != sat.Refuted && err == nil {
			got, err = l.solve(ctx, copies, sorted, leader, effort)
		}
		if got != sat.Refuted {
			break
		}
		effort /= 2
		atLeast = copies + 1
	}
	if err == nil {
		out, err = u.certifyLayers(ctx, l, out)
	}
	why := findings.Say(findings.OneLayer)
	if atLeast > 2 {
		why = findings.Say(findings.LayersCyclic{Layers: atLeast - 1})
		if l.least == nil {
			why = why.And(findings.Say(findings.Unchecked))
		}
	}
	out.Least = l.least
	return out.bounded(atLeast, findings.Say(findings.LayersAcyclic{Fewer: why})), err
}

// certifyLayers certifies the assignment, see propose.
func (u *search) certifyLayers(ctx context.Context, l *layering, was Proposal) (Proposal, error) {
	p := &plan{
		start: func(t *table, v int32) int {
			i, _ := slices.BinarySearchFunc(l.tables, t.Target, func(t table, to spec.Target) int {
				return t.Target.Compare(to)
			})
			return l.of[l.number[relation.Place{Table: int32(i), Vertex: v}]]
		},
		step: func(_ spec.ChannelID, copy int, _ spec.ChannelID) int { return copy },
	}
	if p.copies, _ = p.countCopies(ctx, l.paths, l.count); p.copies == nil {
		return was, ctx.Err()
	}
	return u.propose(ctx, l.conditions, p, was, l.patch())
}

// patch says which flows use later copies: a line for each target and copy.
func (l *layering) patch() (lines []findings.Fact) {
	for i := range l.tables {
		t := &l.tables[i]
		sources := make([][]string, l.count)
		for v, s := range t.Sources {
			c := l.of[l.number[relation.Place{Table: int32(i), Vertex: int32(v)}]]
			name := l.n.Topology().Node(s.Node).Name + l.n.CommitmentText(t.VertexSite(int32(v)))
			sources[c] = append(sources[c], name)
		}
		for c := 1; c < l.count; c++ {
			if sources[c] != nil {
				lines = append(lines, findings.TakeLayer{
					Header: l.target(t.Target), Sources: slices.Compact(sources[c]), Layer: c + 1,
				})
			}
		}
	}
	return append(lines, findings.OthersFirst)
}

// layering is an assignment of flows to copies.
type layering struct {
	*conditions
	flows  []relation.Place // table and source
	turns  [][]int32        // by flow: units of its paths
	number map[relation.Place]int
	of     []int // by flow: its copy
	count  int
	least  *evidence.Unsatisfiability // of fewer copies
}

// mostFlowTurns bounds memory.
const mostFlowTurns = 1 << 26

// newLayering lists the turns of each flow; nil if there are too many.
func newLayering(ctx context.Context, j *conditions) *layering {
	l := &layering{conditions: j, number: map[relation.Place]int{}, count: 1}
	seen := make([]int32, len(j.units))
	total := 0
	for i := range j.tables {
		t := &j.tables[i]
		at := make([]int32, t.Vertices())
		for v := range int32(len(t.Sources)) {
			f := relation.Place{Table: int32(i), Vertex: v}
			l.number[f] = len(l.flows)
			l.flows = append(l.flows, f)
			mark := int32(len(l.flows))
			var turns []int32
			queue := []int32{v}
			for k := 0; k < len(queue); k++ {
				t.EachNext(queue[k], func(e, to int32) {
					if u := t.unit[e]; u != free && seen[u] != mark {
						seen[u] = mark
						turns = append(turns, u)
					}
					if at[to] != v+1 {
						at[to] = v + 1
						queue = append(queue, to)
					}
				})
			}
			l.turns = append(l.turns, turns)
			if total += len(turns); total > mostFlowTurns || ctx.Err() != nil {
				return nil
			}
		}
	}
	l.of = make([]int, len(l.flows))
	return l
}

// flow names a flow.
func (l *layering) flow(f int) string {
	t := &l.tables[l.flows[f].Table]
	return fmt.Sprintf("from %s %s",
		l.n.Topology().Node(t.Sources[l.flows[f].Vertex].Node).Name, l.header(t.VertexSite(l.flows[f].Vertex)))
}

// Assignment of flows to copies by heuristics.
//
// Only maximal flows are assigned; a flow all of whose turns are turns of another follows it. One heuristic gathers
// compatible flows on a copy until every other flow would close a cycle there, and fills the next copy with the rest.
// In the other all flows begin on the first copy; while that has a cycle, the flows of the turn on it that the fewest
// flows share move to the next copy, which is then treated alike (DFSSSP: Domke, Hoefler and Nagel 2011). The
// assignment with fewer copies is kept.

// assignGreedily assigns maximal flows to copies as far as the copies suffice; the others follow their leaders.
func (l *layering) assignGreedily(ctx context.Context, flows, leader []int, effort int64) bool {
	p, most := l.turnPaths(flows), mostCopies
	s := layers.Gathered(ctx, p, most, effort)
	if s != nil {
		most = s.Count
	}
	if o := layers.Offline(ctx, p, most); o != nil {
		if o.Lower(ctx, p); s == nil || o.Count < s.Count {
			s = o
		}
	}
	if s == nil {
		return false
	}
	l.assign(flows, leader, func(i int) int { return int(s.Of[i]) })
	l.count = s.Count
	return true
}

// turnPaths are some flows with their turns.
func (l *layering) turnPaths(flows []int) layers.Paths {
	g := graph.Collect(len(l.sites), func(add func(from, to int32)) {
		for _, x := range l.units {
			add(int32(x.at.Channel), int32(x.hop.Channel))
		}
	})
	next := slices.Clone(g.First)
	edge := make([]uint32, len(l.units))
	for u, x := range l.units {
		edge[u] = next[x.at.Channel]
		next[x.at.Channel]++
	}
	return layers.Paths{Graph: g, Count: len(flows), Edges: func(i int, visit func(e uint32)) {
		for _, u := range l.turns[flows[i]] {
			visit(edge[u])
		}
	}}
}

// assign assigns flows and their followers.
func (l *layering) assign(flows, leader []int, copy func(i int) int) {
	at := make([]int, len(l.flows))
	for i, f := range flows {
		at[f] = copy(i)
	}
	for f := range l.of {
		l.of[f] = at[leader[f]]
	}
}

// maximalFlows returns the flows whose turns are not all turns of another flow in the list. Every other flow can
// follow such a flow: leader holds it, by flow. Fewer if ctx ends.
func (l *layering) maximalFlows(ctx context.Context, some func(relation.Place) bool) (flows []int, leader []int) {
	of := make([][]int, len(l.units))          // By turn: flows in the list
	ascending := make([][]int32, len(l.flows)) // by flow in the list: its turns
	leader = make([]int, len(l.flows))
	var order []int
	for f, at := range l.flows {
		if some(at) {
			order = append(order, f)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(l.turns[b]) - len(l.turns[a]) })
	for _, f := range order {
		if ctx.Err() != nil {
			break
		}
		leader[f] = f
		if len(l.turns[f]) == 0 {
			continue
		}
		rarest := slices.MinFunc(l.turns[f], func(a, b int32) int { return len(of[a]) - len(of[b]) })
		for _, g := range of[rarest] {
			if !slices.ContainsFunc(l.turns[f], func(u int32) bool {
				_, found := slices.BinarySearch(ascending[g], u)
				return !found
			}) {
				leader[f] = g
				break
			}
		}
		if leader[f] == f {
			flows = append(flows, f)
			ascending[f] = slices.Sorted(slices.Values(l.turns[f]))
			for _, u := range l.turns[f] {
				of[u] = append(of[u], f)
			}
		}
	}
	slices.Sort(flows)
	return flows, leader
}

// cyclicFlow returns a flow whose own turns close a cycle, or -1. Only an adaptive flow has such turns.
func (l *layering) cyclicFlow(ctx context.Context, flows []int) int {
	for _, f := range flows {
		if ctx.Err() != nil {
			break
		}
		turns := l.turns[f]
		from := map[spec.ChannelID]bool{}
		choice := false
		for _, u := range turns {
			choice = choice || from[l.units[u].at.Channel]
			from[l.units[u].at.Channel] = true
		}
		if choice && !l.acyclic(turns) {
			return f
		}
	}
	return -1
}

// acyclic reports whether a few turns close no cycle.
func (l *layering) acyclic(turns []int32) bool {
	number := map[spec.ChannelID]int32{}
	of := func(c spec.ChannelID) int32 {
		k, known := number[c]
		if !known {
			k = int32(len(number))
			number[c] = k
		}
		return k
	}
	for _, u := range turns {
		of(l.units[u].at.Channel)
		of(l.units[u].hop.Channel)
	}
	_, ok := graph.Heights(graph.Collect(len(number), func(add func(from, to int32)) {
		for _, u := range turns {
			add(of(l.units[u].at.Channel), of(l.units[u].hop.Channel))
		}
	}))
	return ok
}

// Whether fewer copies suffice.
//
// The solver puts each flow on some copy. Each cycle that the flows of a copy close gives a clause for every copy: a
// few flows that together take all its turns are not all there. A contradiction is a proof that the copies do not
// suffice.
//
// If they do not suffice for some of the flows, they do not for all. So some are tried first: flows no two of
// which can share a copy, and those among nodes far apart, which resemble the flows of a smaller network stretched over
// the whole.

// mostCompared bounds the time of apart, in turns examined.
const mostCompared = 1 << 21

// incompatibleFirst greedily moves flows to the front, no two of which can share a copy, and counts them.
func (l *layering) incompatibleFirst(ctx context.Context, flows []int) (sorted []int, count int) {
	var first, rest []int
	work := 0
	for k, f := range flows {
		if work > mostCompared || ctx.Err() != nil {
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

// scatteredFlows yields the flows among nodes that are far apart, for more and more nodes.
func (l *layering) scatteredFlows(ctx context.Context) (parts [][]int) {
	nodes := farthestFirst(l.n.Topology(), mostScattered)
	for size := leastScattered; size <= len(nodes) && size < l.n.Topology().Nodes() && ctx.Err() == nil; size *= 2 {
		flows, _ := l.maximalFlows(ctx, func(at relation.Place) bool {
			t := &l.tables[at.Table]
			return slices.Contains(nodes[:size], t.Dest) && slices.Contains(nodes[:size], t.Sources[at.Vertex].Node)
		})
		parts = append(parts, flows)
	}
	return parts
}

// solve decides with the solver whether a number of copies suffices for flows: each is on some copy, and
// the flows of no copy close a cycle together. It is undecided if the effort runs out. If the flows are all the
// maximal ones, leader says who follows them.
func (l *layering) solve(ctx context.Context, copies int, flows, leader []int, effort int64) (sat.Answer, error) {
	p := &assignment{layering: l, solver: sat.New(), steps: &proofLog{}, copies: copies, flows: flows, effort: effort}
	for range len(flows) * copies {
		if ctx.Err() != nil {
			return sat.Undecided, ctx.Err()
		}
		p.solver.Add()
	}
	p.solver.Trace()
	p.solver.Log = p.steps.learned
	for i := range flows {
		p.solver.Require(p.onSomeCopy(i)...)
	}
	p.solver.Required = p.required
	got, err := p.solver.Solve(ctx, sat.Yes(p.solver.Add()), sat.Limits{Conflicts: math.MaxInt64, Visits: effort},
		func() [][]sat.Literal {
			p.findCycles(ctx)
			if p.effort < 0 || ctx.Err() != nil {
				return nil
			}
			if p.clauses == nil && leader != nil {
				l.count = copies
				l.assign(flows, leader, p.copyOf)
			}
			return p.clauses
		})
	if got == sat.Refuted && err == nil {
		l.least, err = verified(ctx, l.n, unsat.Bound{Of: unsat.Layers, Most: copies}, p.proof(ctx), oneVisit)
	}
	return got, err
}

// assignment is the solver's search for a copy for each of some flows.
type assignment struct {
	*layering
	solver  *sat.Solver
	steps   *proofLog
	copies  int
	flows   []int
	effort  int64           // left
	clauses [][]sat.Literal // of the last model: these flows are not all on one copy
	cycles  [][]int32       // by clause: what they would close there
}

// variable is the variable that says that a flow is on a copy. In the log these variables come after those of the
// turns.
func (p *assignment) variable(i, copy int) int32 { return int32(i*p.copies + copy) }

// onSomeCopy says that a flow is on some copy. As copies are alike, the first flows need only the first ones.
func (p *assignment) onSomeCopy(i int) (some []sat.Literal) {
	for c := range min(p.copies, i+1) {
		some = append(some, sat.Yes(p.variable(i, c)))
	}
	return some
}

// copyOf returns the copy that a flow is on in the model.
func (p *assignment) copyOf(i int) (copy int) {
	for !p.solver.IsTrue(p.variable(i, copy)) {
		copy++
	}
	return copy
}

// findCycles finds cycles that the flows of the copies close in the model, and the clauses against them.
func (p *assignment) findCycles(ctx context.Context) {
	p.clauses, p.cycles = nil, nil
	for on := range p.copies {
		users := p.users(on)
		used := make([]bool, len(p.units))
		for len(p.clauses) < clausesPerTrial*p.copies && ctx.Err() == nil {
			cycle := p.cycle(func(u int32) bool { return !used[u] && users[u] != nil })
			if p.effort -= int64(len(p.units)); cycle == nil {
				break
			}
			for _, u := range cycle {
				used[u] = true
			}
			cover := coverCycle(cycle, users)
			for c := range p.copies {
				var clause []sat.Literal
				for _, i := range cover {
					clause = append(clause, sat.No(p.variable(int(i), c)))
				}
				p.clauses, p.cycles = append(p.clauses, clause), append(p.cycles, cycle)
			}
		}
	}
}

// users returns, by turn, the flows on a copy that take it.
func (p *assignment) users(copy int) [][]int32 {
	users := make([][]int32, len(p.units))
	for i, f := range p.flows {
		if p.solver.IsTrue(p.variable(i, copy)) {
			for _, u := range p.turns[f] {
				users[u] = append(users[u], int32(i))
			}
			p.effort -= int64(len(p.turns[f]))
		}
	}
	return users
}

// required logs a clause that the solver takes from the last model, after the cycle that justifies it.
func (p *assignment) required(clause []sat.Literal, node int32) {
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

// proof returns the steps of an unsatisfiability proof, after the conditions that place the flows in them.
func (p *assignment) proof(ctx context.Context) []unsat.Step {
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
	var places proofLog
	for i, is := range of {
		if is {
			places.condition(p.onSomeCopy(i), 0)
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

// coverCycle returns a few flows that together have all turns of a cycle.
func coverCycle(cycle []int32, users [][]int32) (flows []int32) {
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
