package spec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"sync"
)

// CompileOptions bounds and reports a compilation. The zero value is usable.
type CompileOptions struct {
	Workers  int            // goroutines; 0 means one per core
	MaxSites int            // more sites, injection channels counted, end in a *BoundError; 0 means 1<<30
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
// workers. Time and memory are linear in the sites and their hops: about 8
// bytes a site.
func Compile(ctx context.Context, def Definition, opt CompileOptions) (*Network, error) {
	if err := complete(&def); err != nil {
		return nil, err
	}
	opt.Workers = cmp.Or(opt.Workers, runtime.GOMAXPROCS(0))
	opt.MaxSites = cmp.Or(opt.MaxSites, 1<<30)

	c := &compilation{def: def, opt: opt, targets: targets(def)}
	c.tables = make([]Table, len(c.targets))
	c.madeBy = make([]int32, len(c.targets))
	c.workers = make([]*tabulator, opt.Workers)
	err := each(ctx, opt.Workers, len(c.targets), c.tabulate)
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
	const mostPlaces = 1 << 26
	switch {
	case len(def.Classes) > 1<<16:
		return fmt.Errorf("%d classes are more than 65536", len(def.Classes))
	case def.Tags < 1 || def.Tags > 1<<16:
		return fmt.Errorf("%d tags: must be 1 to 65536", def.Tags)
	case def.Buffer < 1:
		return fmt.Errorf("a buffer of %d: must hold at least 1", def.Buffer)
	case def.Topology.Channels()*def.Tags > mostPlaces:
		return &BoundError{What: "pairs of channel and tag", Limit: mostPlaces}
	}
	return nil
}

func targets(def Definition) []Target {
	ts := make([]Target, 0, def.Topology.Nodes()*len(def.Classes))
	for d := range def.Topology.Nodes() {
		for c := range def.Classes {
			ts = append(ts, Target{NodeID(d), Class(c)})
		}
	}
	return ts
}

// compilation is the state of one call of Compile.
type compilation struct {
	def     Definition
	opt     CompileOptions
	targets []Target
	tables  []Table      // by target
	madeBy  []int32      // by target: the worker whose rows the table uses
	workers []*tabulator // each touched by its own goroutine only

	mu    sync.Mutex
	done  int
	sites int
	flows int
}

// tabulator is one worker's scratch memory.
type tabulator struct {
	rows    rowSet
	single  []RowID  // by place: the row of that one hop + 1, or 0; Eject last
	row     []RowID  // by place (channel*tags+tag), valid where seen
	seen    []uint64 // bit set by place
	queue   []int32  // places found, not yet asked
	senders []NodeID
	buf     []Hop
	commits []Hop

	// What is left of the slabs that tables are cut from.
	sources  []Source
	channels []ChannelID
	rowIDs   []RowID
	tags     []Tag
}

func (c *compilation) tabulate(worker, i int) error {
	w := c.workers[worker]
	if w == nil {
		places := c.def.Topology.Channels() * c.def.Tags
		w = &tabulator{single: make([]RowID, places+1), row: make([]RowID, places), seen: make([]uint64, (places+63)/64)}
		c.workers[worker] = w
	}
	table := &c.tables[i]
	table.Target, c.madeBy[i] = c.targets[i], int32(worker)
	if err := c.explore(w, table); err != nil {
		return err
	}
	if err := c.askAgain(w, table); err != nil {
		return err
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	c.done++
	c.sites += table.Len()
	c.flows += len(table.Sources)
	if c.sites+c.flows > c.opt.MaxSites {
		return &BoundError{What: "sites", Limit: c.opt.MaxSites}
	}
	if c.opt.Progress != nil {
		c.opt.Progress(Progress{"routing", int64(c.done), int64(len(c.targets)), int64(c.sites), "sites"})
	}
	return nil
}

// explore fills the table of one target: it follows the relation from its
// sources, breadth first.
func (c *compilation) explore(w *tabulator, table *Table) error {
	target := table.Target
	senders, err := c.senders(w, target)
	if err != nil || len(senders) == 0 {
		return err
	}
	table.Sources = take(&w.sources, len(senders))
	w.queue = w.queue[:0]
	found := 0
	for i, src := range senders {
		r, err := c.ask(w, Site{Injection(src), Header{Dest: target.Dest, Class: target.Class}})
		if err != nil {
			return err
		}
		table.Sources[i] = Source{src, r}
		found += w.visit(r, c.def.Tags)
	}
	for i := 0; i < len(w.queue); i++ {
		r, err := c.ask(w, c.site(target, w.queue[i]))
		if err != nil {
			return err
		}
		w.row[w.queue[i]] = r
		found += w.visit(r, c.def.Tags)
		if found > c.opt.MaxSites {
			return &BoundError{What: "sites", Limit: c.opt.MaxSites}
		}
	}
	table.Channels, table.Rows = take(&w.channels, found), take(&w.rowIDs, found)
	if c.def.Tags > 1 {
		table.Tags = take(&w.tags, found)
	}
	for i, place := range w.found() {
		s := c.site(target, place)
		table.Channels[i], table.Rows[i] = s.Channel, w.row[place]
		if c.def.Tags > 1 {
			table.Tags[i] = s.Header.Tag
		}
	}
	return nil
}

// found returns the queue in ascending order and forgets what was seen. What
// fills the marks well is read off them; a few places are sorted.
func (w *tabulator) found() []int32 {
	if len(w.queue) < len(w.seen)/8 {
		slices.Sort(w.queue)
		for _, place := range w.queue {
			w.seen[place/64] = 0
		}
		return w.queue
	}
	w.queue = w.queue[:0]
	for i, word := range w.seen {
		for ; word != 0; word &= word - 1 {
			w.queue = append(w.queue, int32(i*64+bits.TrailingZeros64(word)))
		}
		w.seen[i] = 0
	}
	return w.queue
}

// take cuts n elements off a slab, as tables are many and small.
func take[T any](slab *[]T, n int) []T {
	const size = 1 << 14
	if n > len(*slab) {
		if n > size/8 {
			return make([]T, n)
		}
		*slab = make([]T, size)
	}
	part := (*slab)[:n:n]
	*slab = (*slab)[n:]
	return part
}

// senders lists who sends to a target, in ascending order.
func (c *compilation) senders(w *tabulator, target Target) ([]NodeID, error) {
	nodes := c.def.Topology.Nodes()
	w.senders = w.senders[:0]
	if c.def.Senders != nil {
		w.senders = c.def.Senders(w.senders, target)
		slices.Sort(w.senders)
		w.senders = slices.Compact(w.senders)
		if n := len(w.senders); n > 0 && (w.senders[0] < 0 || int(w.senders[n-1]) >= nodes) {
			return nil, fmt.Errorf("senders to %s: nodes %d to %d, but nodes are numbered 0 to %d",
				c.def.Topology.Node(target.Dest).Name, w.senders[0], w.senders[n-1], nodes-1)
		}
	} else {
		for s := range nodes {
			w.senders = append(w.senders, NodeID(s))
		}
	}
	kept := w.senders[:0]
	for _, src := range w.senders {
		if src != target.Dest && (c.def.Flows == nil || c.def.Flows(src, target.Dest, target.Class)) {
			kept = append(kept, src)
		}
	}
	return kept, nil
}

func (c *compilation) site(target Target, place int32) Site {
	return Site{ChannelID(int(place) / c.def.Tags), Header{target.Dest, target.Class, Tag(int(place) % c.def.Tags)}}
}

// visit queues the places that row r leads to and counts those not seen before.
func (w *tabulator) visit(r RowID, tags int) int {
	fresh := 0
	for _, h := range w.rows.row(r) {
		if h.Channel == Eject {
			continue
		}
		place := int(h.Channel)*tags + int(h.Tag)
		if w.seen[place/64]>>(place%64)&1 == 0 {
			w.seen[place/64] |= 1 << (place % 64)
			w.queue = append(w.queue, int32(place))
			fresh++
		}
	}
	return fresh
}

// ask evaluates the relation at one site and returns the number of the
// canonical row: sorted, without repetition, checked.
func (c *compilation) ask(w *tabulator, s Site) (RowID, error) {
	hops, err := c.def.Routing.Next(w.buf[:0], s.Channel, s.Header)
	if err != nil {
		return 0, err
	}
	w.buf = hops
	if sel := c.def.Selection; sel != nil && sel.Commit != nil {
		w.commits = sel.Commit(w.commits[:0], s.Channel, s.Header, hops)
		for _, h := range w.commits {
			if !slices.Contains(hops, h) {
				return 0, c.wrong(s, h, fmt.Sprintf("selection %s commits to a hop that the relation does not permit", sel.Name))
			}
		}
		hops = w.commits
	}
	t := c.def.Topology
	if len(hops) == 1 {
		if r := w.known(c, hops[0], t.Head(s.Channel)); r >= 0 {
			return r, nil
		}
	}
	for _, h := range hops {
		switch {
		case h.Channel == Eject && h.Tag == 0:
		case h.Channel < 0 || int(h.Channel) >= t.Channels():
			return 0, c.wrong(s, h, fmt.Sprintf("hop to channel %d, but channels are numbered 0 to %d", h.Channel, t.Channels()-1))
		case t.Tail(h.Channel) != t.Head(s.Channel):
			return 0, c.wrong(s, h, fmt.Sprintf("hop into %s, which does not leave %s", t.ChannelName(h.Channel), t.Node(t.Head(s.Channel)).Name))
		case int(h.Tag) >= c.def.Tags:
			return 0, c.wrong(s, h, fmt.Sprintf("hop with tag %d, but tags are 0 to %d", h.Tag, c.def.Tags-1))
		}
	}
	// Most rows have one to four hops, where insertion beats a general sort.
	for i := 1; i < len(hops); i++ {
		for j := i; j > 0 && compareHops(hops[j], hops[j-1]) < 0; j-- {
			hops[j], hops[j-1] = hops[j-1], hops[j]
		}
	}
	hops = slices.Compact(hops)
	r := w.rows.add(hops)
	if len(hops) == 1 {
		w.single[w.place(c, hops[0])] = r + 1
	}
	return r, nil
}

// place numbers what a hop leads to: channel and tag, Eject last.
func (w *tabulator) place(c *compilation, h Hop) int {
	if h.Channel == Eject {
		return len(w.single) - 1
	}
	return int(h.Channel)*c.def.Tags + int(h.Tag)
}

// known returns the row of a single hop that has been checked before and that
// leaves from, or -1: the short way for deterministic relations.
func (w *tabulator) known(c *compilation, h Hop, from NodeID) RowID {
	t := c.def.Topology
	switch {
	case h.Channel == Eject && h.Tag == 0:
	case h.Channel < 0 || int(h.Channel) >= len(t.tail) || t.tail[h.Channel] != from || int(h.Tag) >= c.def.Tags:
		return -1
	}
	return w.single[w.place(c, h)] - 1
}

func (c *compilation) wrong(s Site, h Hop, problem string) error {
	return &SiteError{s, c.where(s), Reason(c.def.Routing, s.Channel, s.Header, h), problem}
}

func (c *compilation) where(s Site) string {
	t := c.def.Topology
	where := "at " + t.ChannelName(s.Channel) + " for " + t.Node(s.Header.Dest).Name
	if len(c.def.Classes) > 1 {
		where += " class " + c.def.Classes[s.Header.Class]
	}
	if c.def.Tags > 1 {
		where += fmt.Sprintf(" tag %d", s.Header.Tag)
	}
	return where
}

// askAll is the number of questions up to which all are asked twice; of larger
// networks, as their tables let one expect, a regular sample of about as many is.
const askAll = 1 << 22

// askAgain repeats the questions about one table, last site first, to find
// relations whose answer depends on more than the question.
func (c *compilation) askAgain(w *tabulator, table *Table) error {
	again := func(s Site, before RowID) error {
		now, err := c.ask(w, s)
		if err != nil {
			return err
		}
		if now != before {
			return &SiteError{s, c.where(s), "", fmt.Sprintf("the relation is impure: asked twice, it permitted first %s, then %s",
				c.names(w.rows.row(before)), c.names(w.rows.row(now)))}
		}
		return nil
	}
	stride := 1 + (table.Len()+len(table.Sources))*len(c.targets)/askAll
	for i := table.Len() - 1; i >= 0; i -= stride {
		if err := again(table.Site(i), table.Rows[i]); err != nil {
			return err
		}
	}
	for i := len(table.Sources) - 1; i >= 0; i -= stride {
		src := table.Sources[i]
		if err := again(Site{Injection(src.Node), Header{Dest: table.Dest, Class: table.Class}}, src.Row); err != nil {
			return err
		}
	}
	return nil
}

func (c *compilation) names(hops []Hop) string {
	if len(hops) == 0 {
		return "nothing"
	}
	var b []byte
	for i, h := range hops {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, c.def.Topology.ChannelName(h.Channel)...)
	}
	return string(b)
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
	c.workers = nil
	err := each(ctx, c.opt.Workers, len(c.tables), func(_, i int) error {
		t, to := &c.tables[i], renumber[c.madeBy[i]]
		for j, s := range t.Sources {
			t.Sources[j].Row = to[s.Row]
		}
		for j, r := range t.Rows {
			t.Rows[j] = to[r]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	// Targets that nobody sends to have no table. The rest is copied, so that
	// the memory of the others is not kept.
	c.tables = slices.DeleteFunc(c.tables, func(t Table) bool { return len(t.Sources) == 0 })
	n.tables = slices.Clone(c.tables)
	first := 0
	for i := range n.tables {
		n.tables[i].First = first
		first += n.tables[i].Len()
	}
	n.digest = sync.OnceValue(func() Digest { return digestOf(n) })
	return n, nil
}

func compareHops(a, b Hop) int {
	return cmp.Or(cmp.Compare(a.Channel, b.Channel), cmp.Compare(a.Tag, b.Tag))
}
