package repair

import (
	"context"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/checker/internal/updown"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/refutation"
	"github.com/seed-105a2da2/unknot/spec"
)

// Datelines.
//
// A set of turns cuts every cycle of the dependency graph. A packet that takes one of
// them moves to the next copy, and returns to the first one where it leaves a
// strongly connected part of the graph. Within a part each copy is acyclic, and copies
// only rise, so the whole is acyclic. The number of copies is one more than the largest
// number of times that a packet can cross the set within a part.

// datelines is a search for a set that packets cross rarely.
type datelines struct {
	*judge
	whole  *judge // the network that this is a part of, or itself
	g      *turnGraph
	number map[[2]spec.ChannelID]int // of the turns within a part
	unit   []int32                   // of these, in the whole
	part   []int32                   // by channel
	cost   int                       // copies for the best set
	best   []bool
	plan   *plan
	least  *evidence.Refutation // of fewer copies
}

// newDatelines omits turns if ctx ends.
func newDatelines(ctx context.Context, j *judge) *datelines {
	d := &datelines{judge: j, whole: j, number: map[[2]spec.ChannelID]int{}, cost: math.MaxInt}
	live := make([]bool, len(j.units))
	for i := range j.tables {
		if ctx.Err() != nil {
			break
		}
		t := &j.tables[i]
		for e, is := range t.live {
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

// planOf returns the plan that changes copies at a set of turns.
func (d *datelines) planOf(set []bool) *plan {
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
	p := d.planOf(set)
	copies, path := p.follow(ctx, d.paths, most)
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

// orders tries the turns from down to up of each order.
func (d *datelines) orders(ctx context.Context) {
	t := d.n.Topology()
	for o := range updown.Orders(t) {
		if ctx.Err() != nil || d.cost == 2 {
			return
		}
		set := make([]bool, len(d.g.turns))
		for k, turn := range d.g.turns {
			set[k] = rises(t, o, turn[0], turn[1])
		}
		d.g.thin(ctx, set)
		d.try(ctx, set, min(mostCopies, d.cost-1))
	}
}

// exactly decides with the solver whether a number of copies suffices: each cycle has a turn of the set, and no
// path has more than allowed. It is undecided if the effort runs out.
func (d *datelines) exactly(ctx context.Context, copies int, effort int64) (sat.Answer, error) {
	s, steps := sat.New(), &log{}
	for range d.g.turns {
		s.Add()
	}
	s.Trace()
	s.Log, s.Required = steps.learned, steps.condition
	got, err := s.Solve(ctx, sat.Yes(s.Add()), sat.Limits{Conflicts: math.MaxInt64, Visits: effort}, func() [][]sat.Literal {
		if effort -= int64(len(d.g.turns)); effort < 0 {
			return nil
		}
		set := make([]bool, len(d.g.turns))
		for k := range set {
			set[k] = s.IsTrue(int32(k))
		}
		if clauses := d.g.uncut(ctx, set, atOnce); len(clauses) > 0 {
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
	d.least, err = verified(ctx, d.whole.n, refutation.Bound{Of: refutation.Dateline, Most: copies}, proof, d.whole.visits(ctx))
	return got, err
}
