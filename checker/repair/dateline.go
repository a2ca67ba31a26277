package repair

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/topology/updown"
)

// dateline looks for the set of turns that takes the fewest copies.
func (u *search) dateline(ctx context.Context) (Proposal, error) {
	j, out, err := u.keepEveryHop(ctx)
	if j == nil {
		return out, err
	}
	d := newDatelines(ctx, j)
	d.tryOrders(ctx)
	if d.plan != nil {
		if out, err = u.propose(ctx, j, d.plan, out, d.patch()); err != nil {
			return out, err
		}
	}
	atLeast, effort := 2, u.opt.Effort
	if d.breakout(ctx, effort/2); d.plan != nil {
		out, err = u.propose(ctx, j, d.plan, out, d.patch())
	}
	if err == nil && d.cost > 2 {
		few := 1
		few, err = d.packingBound(ctx, min(d.cost-1, mostCopies))
		atLeast = max(2, few+1)
	}
	var parts []*datelines
	if err == nil && d.cost > atLeast {
		parts, err = u.datelineParts(ctx, d)
	}
	for v := atLeast; err == nil && v < d.cost && v <= mostCopies; v++ {
		got := sat.Undecided
		for ; len(parts) > 0; parts = parts[1:] {
			if got, err = parts[0].solve(ctx, v, effort/4); got == sat.Refuted || err != nil {
				d.least = parts[0].least
				break
			}
			got = sat.Undecided
		}
		if len(parts) == 0 && err == nil {
			got, err = d.solve(ctx, v, effort)
			effort /= 4
		}
		if got != sat.Refuted {
			break
		}
		atLeast = v + 1
	}
	if d.plan == nil {
		return Proposal{
			Because: findings.Say(findings.NoDateline{AtLeast: atLeast}),
		}, err
	}
	if err == nil {
		out, err = u.propose(ctx, j, d.plan, out, d.patch())
	}
	out.Least = d.least
	why := findings.Say(findings.OneLayer)
	if atLeast > 2 {
		why = findings.Say(findings.DatelineCrossed{Times: atLeast - 1})
		if d.least == nil {
			why = why.And(findings.Say(findings.Unchecked))
		}
	}
	return out.bounded(atLeast, why), err
}

// patch says where packets move to another copy.
func (d *datelines) patch() (lines []findings.Fact) {
	for k, turn := range d.g.turns {
		if d.best[k] {
			lines = append(lines, findings.NextLayer{Turn: d.turn(turn[0], turn[1])})
		}
	}
	return append(lines, findings.FirstLayerAgain)
}

// Datelines.
//
// A set of turns cuts every cycle of the dependency graph. A packet that takes one of
// them moves to the next copy, and returns to the first one where it leaves a
// strongly connected part of the graph. Within a part each copy is acyclic, and copies
// only rise, so the whole is acyclic. The number of copies is one more than the largest
// number of times that a packet can cross the set within a part.

// datelines is a search for a set that packets cross rarely.
type datelines struct {
	*conditions
	whole  *conditions // the network that this is a part of, or itself
	g      *turnGraph
	number map[[2]spec.ChannelID]int // of the turns within a part
	unit   []int32                   // of these, in the whole
	part   []int32                   // by channel
	cost   int                       // copies for the best set
	best   []bool
	plan   *plan
	least  *evidence.Unsatisfiability // of fewer copies
}

// newDatelines omits turns if ctx ends.
func newDatelines(ctx context.Context, j *conditions) *datelines {
	d := &datelines{conditions: j, whole: j, number: map[[2]spec.ChannelID]int{}, cost: math.MaxInt}
	live := make([]bool, len(j.units))
	for i := range j.tables {
		if ctx.Err() != nil {
			break
		}
		t := &j.tables[i]
		for e, is := range t.Live {
			if is && t.unit[e] != free {
				live[t.unit[e]] = true
			}
		}
	}
	var all graph.Components
	all.Find(graph.Collect(len(j.sites), func(add func(from, to int32)) {
		for u, x := range j.units {
			if live[u] {
				add(int32(x.at.Channel), int32(x.hop.Channel))
			}
		}
	}))
	d.part = all.Of
	var inside []unit // all of different turns
	for u, x := range j.units {
		if live[u] && d.part[x.at.Channel] == d.part[x.hop.Channel] {
			inside, d.unit = append(inside, x), append(d.unit, int32(u))
		}
	}
	d.g = newTurnGraph(ctx, len(j.sites), inside)
	for k, turn := range d.g.turns {
		d.number[turn] = k
	}
	return d
}

// planFor returns the plan that changes copies at a set of turns.
func (d *datelines) planFor(set []bool) *plan {
	return &plan{
		start: func(*table, int32) int { return 0 },
		step: func(at spec.ChannelID, copy int, to spec.ChannelID) int {
			k, inside := d.number[[2]spec.ChannelID{at, to}]
			switch {
			case !inside:
				return 0
			case set[k]:
				return copy + 1
			}
			return copy
		},
	}
}

// try adopts a set that cuts every cycle if it takes fewer copies than the best set, and no
// more than most. Otherwise it returns the turns of the set on a path that crosses too many; nil if ctx has ended.
func (d *datelines) try(ctx context.Context, set []bool, most int) []int {
	p := d.planFor(set)
	copies, path := p.countCopies(ctx, d.paths, most)
	if copies != nil {
		p.copies = copies
		if v := slices.Max(copies); v < d.cost {
			d.cost, d.best, d.plan = v, slices.Clone(set), p
		}
		return nil
	}
	var crossed []int
	for i := 1; i < len(path); i++ {
		k, inside := d.number[[2]spec.ChannelID{path[i-1], path[i]}]
		switch {
		case !inside:
			crossed = nil
		case set[k]:
			crossed = append(crossed, k)
		}
	}
	return crossed
}

// mostCopies bounds the copies that are tried.
const mostCopies = 64

// tryOrders tries the turns from down to up of each order.
func (d *datelines) tryOrders(ctx context.Context) {
	t := d.n.Topology()
	for o := range updown.Orders(t) {
		if ctx.Err() != nil || d.cost == 2 {
			return
		}
		set := make([]bool, len(d.g.turns))
		for k, turn := range d.g.turns {
			set[k] = turnsUp(t, o, turn[0], turn[1])
		}
		d.g.thinTurns(ctx, set)
		d.try(ctx, set, min(mostCopies, d.cost-1))
	}
}

// solve decides with the solver whether a number of copies suffices: each cycle has a turn of the set, and no
// path has more than allowed. It is undecided if the effort runs out.
func (d *datelines) solve(ctx context.Context, copies int, effort int64) (sat.Answer, error) {
	s, steps := sat.New(), &proofLog{}
	for range d.g.turns {
		s.Add()
	}
	s.Trace()
	s.Log, s.Required = steps.learned, steps.condition
	got, err := s.Solve(ctx, sat.Yes(s.Add()), sat.Limits{Conflicts: math.MaxInt64, Visits: effort},
		func() [][]sat.Literal {
			if effort -= int64(len(d.g.turns)); effort < 0 {
				return nil
			}
			set := make([]bool, len(d.g.turns))
			for k := range set {
				set[k] = s.IsTrue(int32(k))
			}
			if clauses := d.g.cycleClauses(ctx, set, clausesPerTrial); len(clauses) > 0 {
				return clauses
			}
			effort -= int64(d.hops)
			var clause []sat.Literal
			for _, k := range d.try(ctx, set, copies) {
				clause = append(clause, sat.No(int32(k)))
			}
			if clause == nil {
				return nil
			}
			return [][]sat.Literal{clause}
		})
	if got != sat.Refuted || err != nil {
		return got, err
	}
	proof := steps.refuted(ctx, s)
	for _, step := range proof {
		for i, x := range step.List {
			step.List[i] = 2*d.unit[x/2] + x%2
		}
	}
	d.least, err = verified(ctx, d.whole.n, unsat.Bound{Of: unsat.Dateline, Most: copies}, proof,
		d.whole.visits(ctx))
	return got, err
}

// Datelines by search.
//
// The turns that lead back in an order of the channels cut every cycle, and every minimal set that does so comes from
// such an order. Channels are sifted to where the turns that lead back weigh least; then turns that some packet crosses
// too often weigh more, and so on, until there is no such packet (breakout: Morris 1993).

const (
	breakoutRounds = 1 << 10 // rounds for one copy fewer
	leastWeight    = 4       // initial weight of a turn
	mostWeight     = 1 << 12
)

// breakout looks for sets that need fewer copies than the best one, until the effort is used up or ctx ends.
func (d *datelines) breakout(ctx context.Context, effort int64) {
	if d.best == nil || d.cost == 2 {
		return
	}
	g, units := *d.g, make([]int32, mostWeight) // a turn has as many units as it weighs
	g.units = slices.Repeat([][]int32{units[:leastWeight]}, len(g.turns))
	a, c := newOrdering(&g, d.best), d.newCover(ctx)
	random := rand.New(rand.NewPCG(1, 2)) // the same every time
	for left := breakoutRounds; left > 0 && d.cost > 2 && effort > 0 && ctx.Err() == nil; left-- {
		a.work = 0
		for again, times := true, 0; again && times < 3; times++ {
			again = false
			channels := slices.Clone(a.order)
			random.Shuffle(len(channels), func(i, k int) { channels[i], channels[k] = channels[k], channels[i] })
			for _, channel := range channels {
				again = a.sift(channel) || again
			}
		}
		set := a.backTurns()
		often := c.findCrossed(ctx, set, d.cost-1, func(k int32) {
			g.units[k] = units[:min(mostWeight, len(g.units[k])+1)]
		})
		effort -= a.work + int64(d.hops)
		if often || ctx.Err() != nil {
			continue
		}
		d.try(ctx, set, d.cost-1)
		left = breakoutRounds
	}
}

// findCrossed reports whether some path crosses a set that often, and calls f for the turns where it does, of one
// path of each table.
func (c *pathCover) findCrossed(ctx context.Context, set []bool, often int, f func(k int32)) (some bool) {
	for k, is := range set {
		c.left[k] = 0
		if is {
			c.left[k] = 1
		}
	}
	for i := range c.tables {
		if ctx.Err() != nil {
			break
		}
		v, turns := c.bestPath(i)
		if turns < often {
			continue
		}
		some = true
		for t := &c.tables[i]; c.next[v] >= 0; v = t.To[c.next[v]] {
			if k := c.turn[t.unit[c.next[v]]]; set[k] {
				f(k)
			}
		}
	}
	return some
}
