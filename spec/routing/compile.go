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
	Workers  int            // goroutines; 0 means one per core
	MaxSites int            // more sites, injection channels counted, end in a *BoundError; 0 means 1<<30
	Memory   int64          // bytes for the tables; more end in a *BudgetError; 0: no bound
	Progress func(Progress) // called now and then, never concurrently; may be nil
}

// SiteError is a fault in what a relation answered at one site.
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
// Every site is asked twice, the second time in another order (of a network with
// more than about four million sites, a sample of as many); a relation that
// answers differently is impure and refused, as is one that permits hops that do
// not leave the packet's node. The result does not depend on the number of
// workers. Time and memory are linear in the sites and their hops, about 8 bytes
// a site; and Flows takes time for every source of every destination and class,
// unless Senders narrows that.
func Compile(ctx context.Context, def Definition, opt CompileOptions) (*spec.Network, error) {
	if err := complete(&def); err != nil {
		return nil, err
	}
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	opt.MaxSites = cmp.Or(opt.MaxSites, 1<<30)

	c := &compilation{def: def, opt: opt, targets: def.Topology.Nodes() * len(def.Classes)}
	c.workers = make([]*tabulator, opt.Workers)
	err := each.Do(ctx, opt.Workers, c.targets, c.tabulate)
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

// complete checks what the tabulation stands on and fills in the defaults; the
// rest is for [spec.NewNetwork].
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
	const mostTargets = 1 << 27 // each is asked about, though few may be sent to
	if def.Topology.Nodes()*len(def.Classes) > mostTargets {
		return &spec.BoundError{What: "pairs of node and class", Limit: mostTargets}
	}
	parts := def.parts()
	return parts.Check()
}

// parts is what a network takes over from its definition as it is.
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

	mu    sync.Mutex
	done  int
	bytes int64 // that tables take
	sites int
	flows int
}

// merge renumbers the rows of all workers in one canonical order.
func (c *compilation) merge(ctx context.Context) (*spec.Network, error) {
	type owned struct {
		worker int
		row    spec.RowID
	}
	var all []owned
	renumber := make([][]spec.RowID, len(c.workers))
	for i, w := range c.workers {
		if w == nil {
			continue
		}
		renumber[i] = make([]spec.RowID, w.rows.len())
		for r := range renumber[i] {
			all = append(all, owned{i, spec.RowID(r)})
		}
	}
	hops := func(o owned) []spec.Hop { return c.workers[o.worker].rows.row(o.row) }
	slices.SortFunc(all, func(a, b owned) int { return slices.CompareFunc(hops(a), hops(b), spec.Hop.Compare) })
	var rows [][]spec.Hop
	total := 0
	for i, o := range all {
		if i == 0 || !slices.Equal(hops(o), hops(all[i-1])) {
			rows = append(rows, hops(o))
			total += len(hops(o))
		}
		renumber[o.worker][o.row] = spec.RowID(len(rows) - 1)
	}
	if total > 1<<31-1 {
		return nil, &spec.BoundError{What: "hops in different rows", Limit: 1<<31 - 1}
	}
	err := each.Do(ctx, c.opt.Workers, len(c.workers), func(_, i int) error {
		if c.workers[i] == nil {
			return nil
		}
		for _, t := range c.workers[i].tables {
			for j, s := range t.Sources {
				t.Sources[j].Row = renumber[i][s.Row]
			}
			for j, r := range t.Rows {
				t.Rows[j] = renumber[i][r]
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	parts := c.def.parts()
	parts.Rows, parts.Tables = rows, c.inOrder()
	c.workers = nil
	return spec.NewNetwork(parts)
}

// inOrder merges the tables of the workers. Targets are handed out in order, so
// those of one worker are ascending.
func (c *compilation) inOrder() []spec.Table {
	var lists [][]spec.Table
	count := 0
	for _, w := range c.workers {
		if w != nil && len(w.tables) > 0 {
			lists = append(lists, w.tables)
			count += len(w.tables)
		}
	}
	all := make([]spec.Table, 0, count)
	for len(lists) > 0 {
		least := 0
		for i := range lists {
			if lists[i][0].Target.Compare(lists[least][0].Target) < 0 {
				least = i
			}
		}
		all = append(all, lists[least][0])
		if lists[least] = lists[least][1:]; len(lists[least]) == 0 {
			lists = slices.Delete(lists, least, least+1)
		}
	}
	return all
}
