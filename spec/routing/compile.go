package routing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/each"
)

// Compile checks a definition and tabulates its relation over all sites.
//
// The relation is evaluated twice at every site, the second time in another order (beyond about
// four million sites, only at a sample of a quarter of a million; if it is [Pure], at a sample of
// some sixteen thousand). A relation that answers differently is impure and refused, and so is one
// that permits hops that do not leave the packet's node. The result does not depend on the number of
// workers. Time and memory are linear in the sites and their hops, about 8 bytes a site; and Flows
// is called for every source of every destination and class, unless Senders narrows that.
func Compile(ctx context.Context, def Definition, opt CompileOptions) (*spec.Network, error) {
	if err := complete(&def); err != nil {
		return nil, err
	}
	opt = opt.complete()
	if len(def.Replies) > 0 {
		whole, err := wholeOf(ctx, def, opt)
		if err != nil {
			return nil, located(def.Name, err)
		}
		return Compile(ctx, whole, opt)
	}
	n, err := compile(ctx, def, opt)
	if of, commits := def.Routing.(Committing); commits && errors.Is(err, ErrCommits) {
		return commit(ctx, def, of, opt)
	}
	return n, err
}

func (opt CompileOptions) complete() CompileOptions {
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	opt.MaxSites = min(cmp.Or(opt.MaxSites, 1<<30), spec.MostSites)
	return opt
}

// compile is Compile of a definition that is complete and has no replies.
func compile(ctx context.Context, def Definition, opt CompileOptions) (*spec.Network, error) {
	nodes, everyone := def.Topology.Nodes(), def.Flows == nil && def.Senders == nil
	if everyone && nodes*(nodes-1)*len(def.Classes) > opt.MaxSites { // refused before any work
		return nil, located(def.Name, &spec.BoundError{What: "sites", Limit: opt.MaxSites})
	}
	c := &compilation{def: def, opt: opt, targets: def.Topology.Nodes() * len(def.Classes)}
	var err error
	if c.fragments, err = c.large(ctx); err == nil {
		err = c.foresee(ctx)
	}
	if err != nil {
		return nil, located(def.Name, err)
	}
	c.workers = make([]*tabulator, opt.Workers)
	const most = 64
	stretch := max(1, min(most, c.targets/(16*opt.Workers))) // tables side by side are alike: one worker makes them
	err = each.Do(ctx, opt.Workers, (c.targets+stretch-1)/stretch, func(worker, i int) error {
		for t := i * stretch; t < min(c.targets, (i+1)*stretch) && ctx.Err() == nil; t++ {
			if err := c.tabulate(worker, t); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, located(def.Name, err)
	}
	n, err := c.merge(ctx)
	if err != nil {
		return nil, located(def.Name, err)
	}
	return n, nil
}

// wholeOf returns the network of the transactions of def.
func wholeOf(ctx context.Context, def Definition, opt CompileOptions) (Definition, error) {
	t, err := transactionsOf(ctx, def)
	if err == nil {
		err = t.size()
	}
	if err == nil {
		t.plain, err = Compile(ctx, t.messages(), opt)
	}
	if k := slices.IndexFunc(def.Replies, func(r Reply) bool { return r.Outstanding > 0 }); err == nil && k >= 0 &&
		t.plain.Discards() {
		err = def.Replies[k].wrong("a bound on outstanding requests in a network that discards packets is not decided: " +
			"a node would wait for ever for what was discarded")
	}
	if err != nil {
		return def, err
	}
	return t.definition()
}

// located says which network an error is about, unless the error begins with a
// place in a file.
func located(name string, err error) error {
	var pos *spec.PosError
	var site *SiteError
	if errors.As(err, &pos) || errors.As(err, &site) && site.Reason != (spec.Reason{}) {
		return err
	}
	return fmt.Errorf("compiling %s: %w", name, err)
}

// merge brings the rows and tables of all workers into one canonical order.
func (c *compilation) merge(ctx context.Context) (*spec.Network, error) {
	var all [][]spec.Hop
	// By worker: how many rows, and how many fragments, the workers before it have.
	first, before := make([]int, len(c.workers)), make([]int32, len(c.workers))
	fragments := 0
	for i, w := range c.workers {
		first[i], before[i] = len(all), int32(fragments)
		if w != nil {
			fragments += w.fragments.len()
			for r := range w.rows.len() {
				all = append(all, w.rows.row(spec.RowID(r)))
			}
		}
	}
	rows, now := distinct(all)
	total := 0
	for _, row := range rows {
		total += len(row)
	}
	if total > 1<<31-1 {
		return nil, &spec.BoundError{What: "hops in different rows", Limit: 1<<31 - 1}
	}
	parts := c.def.parts()
	parts.Rows = rows
	// Exchanges of flows that were left out go, too.
	out := func(s spec.Site) bool {
		return c.def.Flows != nil && !c.def.Flows(c.def.Topology.Head(s.Channel), s.Header.Dest, s.Header.Class)
	}
	parts.Exchanges = slices.DeleteFunc(slices.Clone(parts.Exchanges), func(x spec.Exchange) bool { return out(x.At) })
	parts.Apart = slices.DeleteFunc(slices.Clone(parts.Apart), out)
	err := each.Do(ctx, len(c.workers), len(c.workers), func(_, i int) error {
		if w := c.workers[i]; w != nil {
			renumber(w.tables, now[first[i]:])
			renumber([]spec.Table{w.fragments.lists}, now[first[i]:])
			for _, t := range w.tables {
				for k := range t.Fragments {
					t.Fragments[k] += before[i]
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var set fragmentSet
	for _, w := range c.workers {
		if w != nil {
			parts.Tables = append(parts.Tables, w.tables...)
			if set.ends == nil {
				set = w.fragments
			} else {
				set.appendAll(&w.fragments)
			}
		}
	}
	slices.SortFunc(parts.Tables, func(a, b spec.Table) int { return a.Target.Compare(b.Target) })
	parts.Pieces, parts.Ends = set.lists, set.ends
	c.workers, c.def.split = nil, nil // the network keeps the definition
	return spec.NewNetwork(ctx, parts)
}

// distinct returns different rows in ascending order, and the number that each of the
// given rows has among them.
func distinct(rows [][]spec.Hop) (different [][]spec.Hop, number []spec.RowID) {
	order := make([]spec.RowID, len(rows))
	for r := range order {
		order[r] = spec.RowID(r)
	}
	slices.SortFunc(order, func(a, b spec.RowID) int { return slices.CompareFunc(rows[a], rows[b], spec.Hop.Compare) })
	number = make([]spec.RowID, len(rows))
	for i, r := range order {
		if i == 0 || !slices.Equal(rows[r], rows[order[i-1]]) {
			different = append(different, rows[r])
		}
		number[r] = spec.RowID(len(different) - 1)
	}
	return different, number
}

// renumber gives the rows of tables their new numbers.
func renumber(tables []spec.Table, now []spec.RowID) {
	for _, t := range tables {
		for i, s := range t.Sources {
			t.Sources[i].Row = now[s.Row]
		}
		for i, r := range t.Rows {
			t.Rows[i] = now[r]
		}
	}
}
