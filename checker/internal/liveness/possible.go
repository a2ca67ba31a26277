package liveness

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/deadline"
)

// Distances says how far each state is from those in which a condition is true.
type Distances struct {
	g     *Graph
	steps []int32 // by state, or graph.Never
}

// Possible searches backwards from the states in which a condition is true, the first proposition of a formula: which
// states reach one? (EF of computation tree logic; Clarke, Emerson and Sistla 1986.) It takes as much memory as the
// steps of the graph once more.
func (g *Graph) Possible(ctx context.Context, f *states.Formula) (*Distances, error) {
	var words []uint64
	var from []int32
	for i := range int32(g.Len()) {
		if deadline.Passed(ctx, int(i)) {
			return nil, ctx.Err()
		}
		if words = g.state(words[:0], i); f.Atoms[0](words) {
			from = append(from, i)
		}
	}
	steps, _ := g.Reverse().Distances(nil, from, nil)
	return &Distances{g, steps}, ctx.Err()
}

// Lost returns a shortest path to a state from which the condition cannot be reached, and how many states can be
// reached from there; nil if there is none.
func (d *Distances) Lost(ctx context.Context) (stem [][]uint64, beyond int, err error) {
	g, nearest := d.g, int32(-1)
	g.depths(ctx)
	for i, steps := range d.steps {
		if i := int32(i); steps == graph.Never && (nearest < 0 || g.depth[i] < g.depth[nearest] ||
			g.depth[i] == g.depth[nearest] && slices.Compare(g.state(nil, i), g.state(nil, nearest)) < 0) {
			nearest = i
		}
	}
	if nearest < 0 || ctx.Err() != nil {
		return nil, 0, ctx.Err()
	}
	_, met := g.Distances(nil, []int32{nearest}, nil)
	return g.stem(ctx, nearest), len(met), ctx.Err()
}

// Ranking returns the distances as a certificate, if nothing is Lost.
func (d *Distances) Ranking() *machines.FormulaRanking {
	r := &machines.FormulaRanking{}
	for i, steps := range d.steps {
		r.Pairs = append(r.Pairs, machines.Pair{
			State: d.g.state(nil, int32(i)), Levels: []machines.Level{{Rank: int(steps), Helpful: machines.NoAction}},
		})
	}
	return r
}
