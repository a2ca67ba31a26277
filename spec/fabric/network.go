package fabric

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/each"
)

// Network compiles the tables to a network. maxSites bounds its sites; 0 means no bound.
// Time and memory are linear in the sites, and in the pairs of source and LID where VLs
// count or hosts inject over their cables.
func (f *Fabric) Network(ctx context.Context, scope Scope, maxSites int) (*spec.Network, error) {
	if scope.VLs && !f.HasVLs() {
		return nil, fmt.Errorf("%s: VLs depend on the SLs of paths, which no dump gives", f.Name)
	}
	c := f.compilation(scope)
	c.maxSites = int64(maxSites)
	p := spec.Parts{Name: f.nameOf(scope), Origin: f.Name, Topology: c.topo, Classes: []string{""},
		Tags: c.tags, Switching: spec.VirtualCutThrough, Buffer: 1}
	c.classes(&p)
	if err := p.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	err := c.lookups()
	if err == nil {
		err = c.compile(ctx, &p)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return spec.NewNetwork(ctx, p)
}

// nameOf names the network of a scope. Its verdicts do not cover hosts that are left out, so wherever they are told,
// the name tells how many.
func (f *Fabric) nameOf(scope Scope) string {
	name := f.Name + ": " + scope.String()
	if f.LeftOut > 0 {
		name += fmt.Sprintf(", without %d of %d hosts", f.LeftOut, len(f.Nodes)-f.Switches)
	}
	return name
}

// Topology returns the nodes and cables of the network of a scope.
func (f *Fabric) Topology(scope Scope) *spec.Topology { return f.compilation(scope).topo }

func (c *compilation) compile(ctx context.Context, p *spec.Parts) error {
	lids := c.receivers()
	tables := make([]spec.Table, len(lids))
	c.several = map[string]spec.RowID{}
	workers := runtime.GOMAXPROCS(0)
	scratch := make([]*walk, workers)
	err := each.Do(ctx, workers, (len(lids)+block-1)/block, func(worker, i int) error {
		if scratch[worker] == nil {
			scratch[worker] = &walk{
				compilation: c, seen: make([]int32, c.topo.Channels()*c.tags),
				row: make([]spec.RowID, c.topo.Channels()*c.tags), present: make(bitset, c.topo.Channels()*c.tags/64+1),
				entries: entries{f: c.f},
			}
		}
		from := i * block
		to := min(from+block, len(lids))
		scratch[worker].entries.load(lids[from:to])
		for k := from; k < to; k++ {
			var err error
			if tables[k], err = scratch[worker].table(lids[k], scratch[worker].entries.of(k-from)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	p.Tables = slices.DeleteFunc(tables, func(t spec.Table) bool { return len(t.Sources) == 0 })
	c.number(p)
	return nil
}
