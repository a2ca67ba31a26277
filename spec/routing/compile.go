package routing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/each"
)

// CompileOptions bounds and reports a compilation. The zero value is usable.
type CompileOptions struct {
	Workers   int            // goroutines; 0 means one per core
	MaxSites  int            // more sites, counting injection channels, end in a *BoundError, far more at once; 0 means 1<<30; at most [spec.MostSites]
	Memory    int64          // bytes for the tables; more end in a *BudgetError; 0: no bound
	Fragments int64          // tables that take so many bytes are stored in fragments, see [spec.Network.TableIn]; 0: none
	Progress  func(Progress) // called now and then, never concurrently; may be nil
}

// SiteError is a fault in a relation's answer at one site.
type SiteError struct {
	Site    spec.Site
	Where   string // the site in words
	Reason  string // the rule or file:line:col that produced the hop; may be ""
	Problem string
}

func (e *SiteError) Error() string {
	if e.Reason != "" {
		return e.Reason + ": " + e.Problem + " (" + e.Where + ")"
	}
	return e.Where + ": " + e.Problem
}

// Compile checks a definition and tabulates its relation over all legal sites.
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
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	opt.MaxSites = min(cmp.Or(opt.MaxSites, 1<<30), spec.MostSites)
	if len(def.Replies) > 0 {
		whole, err := transactionsOf(ctx, def, opt)
		if err != nil {
			return nil, located(def.Name, err)
		}
		return Compile(ctx, whole, opt)
	}

	if nodes := def.Topology.Nodes(); def.Flows == nil && def.Senders == nil && nodes*(nodes-1)*len(def.Classes) > opt.MaxSites { // before any work
		return nil, located(def.Name, &spec.BoundError{What: "sites", Limit: opt.MaxSites})
	}
	c := &compilation{def: def, opt: opt, targets: def.Topology.Nodes() * len(def.Classes)}
	if err := c.foresee(ctx); err != nil {
		return nil, located(def.Name, err)
	}
	var err error
	if c.fragments, err = c.large(ctx); err != nil {
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

// located says which network an error is about, unless the error begins with a
// place in a file.
func located(name string, err error) error {
	var pos *spec.PosError
	var site *SiteError
	if errors.As(err, &pos) || errors.As(err, &site) && site.Reason != "" {
		return err
	}
	return fmt.Errorf("compiling %s: %w", name, err)
}

// complete checks what the tabulation needs and fills in the defaults;
// [spec.NewNetwork] checks the rest.
func complete(def *Definition) error {
	if def.Topology == nil {
		return errors.New("a definition needs a topology")
	}
	if err := def.Topology.Err(); err != nil {
		return err
	}
	if def.Routing == nil {
		return errors.New("a definition needs a routing relation")
	}
	if len(def.Classes) == 0 {
		def.Classes = []string{""}
	}
	def.Name = cmp.Or(def.Name, "network")
	def.Tags = cmp.Or(def.Tags, 1)
	def.Buffer = cmp.Or(def.Buffer, 1)
	const mostTargets = 1 << 27 // Flows is called for each, though few may receive anything
	if def.Topology.Nodes()*len(def.Classes) > mostTargets {
		return &spec.BoundError{What: "pairs of node and class", Limit: mostTargets}
	}
	parts := def.parts()
	return parts.Check()
}

// parts returns what a network takes unchanged from its definition.
func (def *Definition) parts() spec.Parts {
	p := spec.Parts{
		Name: def.Name, Source: def.Source, Topology: def.Topology, Classes: def.Classes, Tags: def.Tags,
		Switching: def.Switching, Buffer: def.Buffer, Expect: def.Expect,
		Reason: func(s spec.Site, hop spec.Hop) string { return Reason(def.Routing, s.Channel, s.Header, hop) },
	}
	if def.Selection != nil {
		p.Selection = def.Selection.Name
	}
	return p
}

// compilation is the state of one call of Compile.
type compilation struct {
	def     Definition
	opt     CompileOptions
	targets int          // by destination, then by class
	workers []*tabulator // each touched by its own goroutine only

	fragments bool // tables are stored in fragments

	mu    sync.Mutex
	done  int
	bytes int64 // that tables take
	sites int
	flows int
}

// merge brings the rows and tables of all workers into one canonical order.
func (c *compilation) merge(ctx context.Context) (*spec.Network, error) {
	var all [][]spec.Hop
	first, before := make([]int, len(c.workers)), make([]int32, len(c.workers)) // by worker: the rows and the fragments of those before it
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
				set.behind(&w.fragments)
			}
		}
	}
	slices.SortFunc(parts.Tables, func(a, b spec.Table) int { return a.Target.Compare(b.Target) })
	parts.Pieces, parts.Ends = set.lists, set.ends
	c.workers = nil
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
