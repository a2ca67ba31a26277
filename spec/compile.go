package spec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
)

// CompileOptions bounds and reports a compilation. The zero value is usable.
type CompileOptions struct {
	Workers  int            // goroutines; 0 means one per core
	MaxSites int            // more sites, injection channels counted, end in a *BoundError; 0 means 1<<30
	Memory   int64          // bytes for the tables; more end in a *BudgetError; 0: no bound
	Progress func(Progress) // called now and then, never concurrently; may be nil
}

// Progress tells how far some work has come.
type Progress struct {
	Stage       string // what is being done, such as "routing"
	Done, Total int64  // in units of the stage; Total 0 if not known
	Count       int64  // what has been found so far, in Unit
	Unit        string // such as "sites"
}

// BoundError says that a network is larger than somebody allowed.
type BoundError struct {
	What  string // "sites"
	Limit int
}

func (e *BoundError) Error() string {
	return fmt.Sprintf("more than %d %s: beyond the bound", e.Limit, e.What)
}

// SiteError is a fault in what a relation answered at one site.
type SiteError struct {
	Site    Site
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
func Compile(ctx context.Context, def Definition, opt CompileOptions) (*Network, error) {
	if err := complete(&def); err != nil {
		return nil, err
	}
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	opt.MaxSites = cmp.Or(opt.MaxSites, 1<<30)

	c := &compilation{def: def, opt: opt, targets: def.Topology.Nodes() * len(def.Classes)}
	c.workers = make([]*tabulator, opt.Workers)
	err := each(ctx, opt.Workers, c.targets, c.tabulate)
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
	var pos *PosError
	var site *SiteError
	if errors.As(err, &pos) || errors.As(err, &site) && site.Reason != "" {
		return err
	}
	return fmt.Errorf("compiling %s: %w", name, err)
}

// complete checks the static parts of a definition and fills in its defaults.
func complete(def *Definition) error {
	if def.Topology == nil {
		return errors.New("a definition needs a topology")
	}
	if err := checkExpectations(def.Expect); err != nil {
		return err
	}
	if err := def.Topology.Err(); err != nil {
		return err
	}
	if def.Routing == nil {
		return errors.New("a definition needs a routing relation")
	}
	if int(def.Switching) >= len(switchingNames) {
		return fmt.Errorf("switching mode %d does not exist", def.Switching)
	}
	if len(def.Classes) == 0 {
		def.Classes = []string{""}
	}
	def.Name = cmp.Or(def.Name, "network")
	def.Tags = cmp.Or(def.Tags, 1)
	def.Buffer = cmp.Or(def.Buffer, 1)
	const (
		mostPlaces  = 1 << 26
		mostTargets = 1 << 27 // each is asked about, though few may be sent to
	)
	switch {
	case len(def.Classes) > 1<<16:
		return fmt.Errorf("%d classes are more than 65536", len(def.Classes))
	case def.Tags < 1 || def.Tags > 1<<16:
		return fmt.Errorf("%d tags: must be 1 to 65536", def.Tags)
	case def.Buffer < 1:
		return fmt.Errorf("a buffer of %d: must hold at least 1", def.Buffer)
	case def.Topology.Channels()*def.Tags > mostPlaces:
		return &BoundError{What: "pairs of channel and tag", Limit: mostPlaces}
	case def.Topology.Nodes()*len(def.Classes) > mostTargets:
		return &BoundError{What: "pairs of node and class", Limit: mostTargets}
	}
	for _, x := range []struct {
		what  string
		names []string
	}{{"VC", def.Topology.VCNames()}, {"class", def.Classes}} {
		if name, twice := repeated(x.names); twice {
			return fmt.Errorf("two of the name: %s %q", x.what, name)
		}
	}
	return nil
}

// repeated returns a name that stands twice, if one does.
func repeated(names []string) (string, bool) {
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			return name, true
		}
		seen[name] = true
	}
	return "", false
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
func (c *compilation) merge(ctx context.Context) (*Network, error) {
	type owned struct {
		worker int
		row    RowID
	}
	var all []owned
	renumber := make([][]RowID, len(c.workers))
	for i, w := range c.workers {
		if w == nil {
			continue
		}
		renumber[i] = make([]RowID, w.rows.len())
		for r := range renumber[i] {
			all = append(all, owned{i, RowID(r)})
		}
	}
	hops := func(o owned) []Hop { return c.workers[o.worker].rows.row(o.row) }
	slices.SortFunc(all, func(a, b owned) int { return slices.CompareFunc(hops(a), hops(b), compareHops) })
	n := &Network{def: c.def, sites: c.sites, rowAt: []int32{0}}
	for i, o := range all {
		if i == 0 || !slices.Equal(hops(o), hops(all[i-1])) {
			n.hops = append(n.hops, hops(o)...)
			n.rowAt = append(n.rowAt, int32(len(n.hops)))
		}
		renumber[o.worker][o.row] = RowID(len(n.rowAt) - 2)
	}
	if len(n.hops) > 1<<31-1 {
		return nil, &BoundError{What: "hops in different rows", Limit: 1<<31 - 1}
	}
	err := each(ctx, c.opt.Workers, len(c.workers), func(_, i int) error {
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
	n.tables = c.inOrder()
	c.workers = nil
	first := 0
	for i := range n.tables {
		n.tables[i].First = first
		first += n.tables[i].Len()
	}
	n.digest = sync.OnceValue(func() Digest { return digestOf(n) })
	return n, nil
}

// inOrder merges the tables of the workers. Targets are handed out in order, so
// those of one worker are ascending.
func (c *compilation) inOrder() []Table {
	var lists [][]Table
	count := 0
	for _, w := range c.workers {
		if w != nil && len(w.tables) > 0 {
			lists = append(lists, w.tables)
			count += len(w.tables)
		}
	}
	all := make([]Table, 0, count)
	for len(lists) > 0 {
		least := 0
		for i := range lists {
			if compareTargets(lists[i][0].Target, lists[least][0].Target) < 0 {
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

func compareHops(a, b Hop) int {
	return cmp.Or(cmp.Compare(a.Channel, b.Channel), cmp.Compare(a.Tag, b.Tag))
}
