package routing

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// large estimates, from a sample, whether the tables need more bytes than may be stored whole: with a memory budget
// a quarter of it at most, because the decision needs memory, too. Where the dependencies have no cycle, by the same
// sample, fewer bytes are too many: ranks of channels decide such a network, fragment by fragment.
func (c *compilation) large(ctx context.Context) (bool, error) {
	least, acyclic := c.opt.Fragments, cmp.Or(c.opt.Acyclic, c.opt.Fragments)
	if c.opt.Memory > 0 {
		least, acyclic = min(least, c.opt.Memory/4), min(acyclic, c.opt.Memory/128)
	}
	most := 8 * int64(c.targets) * int64(c.def.Topology.Channels()*c.def.Tags+c.def.Topology.Nodes())
	if c.opt.Fragments == 0 || most < min(least, acyclic) {
		return false, nil
	}
	w, err := c.newTabulator()
	if err != nil {
		return false, err
	}
	defer func() { c.bytes = 0 }()
	tables := make([]spec.Table, min(32, max(4, c.targets/64)))
	size, drawn := int64(0), rand.New(rand.NewPCG(2, 2))
	for i := range tables {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		if tables[i], err = c.explore(w, c.target(drawn.IntN(c.targets))); err != nil {
			return false, nil // tabulate meets it again, or an earlier one
		}
		size += tableBytes(&tables[i])
	}
	size = size * int64(c.targets) / int64(len(tables))
	return size >= least ||
		size >= acyclic && c.def.split == nil && ordered(c.def.Topology.Channels(), w, tables), nil
}

// ordered reports that the dependencies of tables that w made have no cycle: channels that none leads to are taken away
// until none is left (Kahn 1962).
func ordered(channels int, w *tabulator, tables []spec.Table) bool {
	var pairs []uint64 // channel and row, each once
	for _, t := range tables {
		for s, c := range t.Channels {
			pairs = append(pairs, uint64(c)<<32|uint64(t.Rows[s]))
		}
	}
	slices.Sort(pairs)
	pairs = slices.Compact(pairs)
	into := make([]int32, channels) // by channel: hops of pairs that lead there
	hops := func(pair uint64, each func(to spec.ChannelID)) {
		for _, h := range w.rows.row(spec.RowID(uint32(pair))) {
			if h.Channel != spec.Eject {
				each(h.Channel)
			}
		}
	}
	left := 0
	for _, pair := range pairs {
		hops(pair, func(to spec.ChannelID) { into[to]++; left++ })
	}
	var free []spec.ChannelID
	for c, count := range into {
		if count == 0 {
			free = append(free, spec.ChannelID(c))
		}
	}
	for len(free) > 0 {
		c := free[len(free)-1]
		free = free[:len(free)-1]
		at, _ := slices.BinarySearch(pairs, uint64(c)<<32)
		for ; at < len(pairs) && spec.ChannelID(pairs[at]>>32) == c; at++ {
			hops(pairs[at], func(to spec.ChannelID) {
				left--
				if into[to]--; into[to] == 0 {
					free = append(free, to)
				}
			})
		}
	}
	return left == 0
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
