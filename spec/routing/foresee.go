package routing

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/seed-105a2da2/unknot/spec"
)

// large estimates, from a sample, whether the tables need more bytes than may be stored whole: with a memory budget
// a quarter of it at most, because the decision needs memory, too.
func (c *compilation) large(ctx context.Context) (bool, error) {
	const sample = 32
	least := c.opt.Fragments
	if c.opt.Memory > 0 {
		least = min(least, c.opt.Memory/4)
	}
	most := 8 * int64(c.targets) * int64(c.def.Topology.Channels()*c.def.Tags+c.def.Topology.Nodes())
	if c.opt.Fragments == 0 || most < least {
		return false, nil
	}
	w, err := c.newTabulator()
	if err != nil {
		return false, err
	}
	defer func() { c.bytes = 0 }()
	size, drawn := int64(0), rand.New(rand.NewPCG(2, 2))
	for range sample {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		t, err := c.explore(w, c.target(drawn.IntN(c.targets)))
		if err != nil {
			return false, nil // tabulate meets it again, or an earlier one
		}
		size += tableBytes(&t)
	}
	return size*int64(c.targets)/sample >= least, nil
}

// foresee refuses a network of many tables early, if a sample of them predicts far more
// sites or bytes than are allowed. One that is just beyond a bound is refused when it
// gets there, and so is one that is stored in fragments, whose bytes no sample predicts.
//
// A torus of 28x28x28 is refused after 0.4 s of CPU time. Without the sample it had not been after 30.
func (c *compilation) foresee(ctx context.Context) error {
	const sample, few = 64, 1024
	most := c.targets * (c.def.Topology.Channels()*c.def.Tags + c.def.Topology.Nodes())
	if c.targets < few || most <= c.opt.MaxSites && (c.opt.Memory == 0 || 10*int64(most) <= c.opt.Memory) {
		return nil
	}
	w, err := c.newTabulator()
	if err != nil {
		return err
	}
	defer func() { c.bytes = 0 }()
	var sites, size [sample]float64
	// Drawn at random: equal steps can meet one class alone, or one node of each row.
	step, drawn := c.targets/sample, rand.New(rand.NewPCG(1, 1))
	for i := range sample {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t, err := c.explore(w, c.target(i*step+drawn.IntN(step)))
		if err != nil {
			return nil // tabulate meets it again, or an earlier one
		}
		sites[i], size[i] = float64(t.Len()+len(t.Sources)), float64(tableBytes(&t))
	}
	switch {
	case c.atLeast(sites[:]) > float64(c.opt.MaxSites):
		return &spec.BoundError{What: fmt.Sprintf("sites, by a sample of %d tables", sample), Limit: c.opt.MaxSites}
	case c.opt.Memory > 0 && !c.fragments && c.atLeast(size[:]) > float64(c.opt.Memory):
		return &BudgetError{Memory: c.opt.Memory}
	}
	return nil
}

// atLeast returns a low estimate of the size of all tables from the sizes of a sample:
// four standard errors below the mean, less a fifth.
func (c *compilation) atLeast(sample []float64) float64 {
	sum, squares, n := 0.0, 0.0, float64(len(sample))
	for _, x := range sample {
		sum, squares = sum+x, squares+x*x
	}
	mean := sum / n
	return float64(c.targets) * 4 / 5 * (mean - 4*math.Sqrt(max(0, squares/n-mean*mean)/n))
}
