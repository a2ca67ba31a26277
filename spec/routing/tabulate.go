package routing

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Design of the tabulation.
//
// One target at a time: the relation is evaluated at the injection channels of all
// that send to it, then at every place (channel and tag) that some answer leads
// to, until there are no new ones. What is found is listed in ascending order, so
// the table does not depend on the order of the search. Rows get numbers in the
// order in which a worker meets them; [compilation.merge] gives them their own.

// tabulator is what one worker has made, and its scratch memory.
type tabulator struct {
	tables  []spec.Table // those it has made, with rows numbered as in rows
	rows    rowSet
	single  []spec.RowID // by place: the row of that one hop + 1, or 0; Eject last
	last    []spec.RowID // by node: the row + 1 that it answered last, or 0
	row     []spec.RowID // by place (channel*tags+tag), valid where seen; behind them, with like, by node that injects
	atNode  []spec.RowID // by node and tag: the row + 1 of all channels there, or 0; nil if channels may differ
	met     []int32      // those of atNode that are not 0
	like    []any        // by place and node, as row: see Repeater, of that answer; nil if nothing tells
	kinds   *Kinds       // of targets; nil if nothing tells
	ofKind  []spec.RowID // by kind, then by place and node, as like: the row + 1, or 0; places side by side are of one kind
	seen    []uint64     // bit set by place
	queue   []int32      // places found, not yet asked
	number  int          // of the target
	target  int32        // how many targets have been explored
	visited []int32      // by row: target, when its hops are among the places found
	senders []spec.NodeID
	buf     []spec.Hop
	commits []spec.Hop

	// What is left of the slabs that tables are cut from.
	sources  []spec.Source
	channels []spec.ChannelID
	rowIDs   []spec.RowID
	tags     []spec.Tag
}

// newTabulator returns the scratch memory of a worker.
func (c *compilation) newTabulator() (*tabulator, error) {
	places := c.def.Topology.Channels() * c.def.Tags
	if err := c.account(13*int64(places) + 4*int64(c.def.Topology.Nodes())); err != nil { // single, row, queue, and a bit in seen
		return nil, err
	}
	w := &tabulator{single: make([]spec.RowID, places+1), row: make([]spec.RowID, places), seen: make([]uint64, (places+63)/64),
		last: make([]spec.RowID, c.def.Topology.Nodes())}
	return w, c.shares(w, places)
}

// foresee refuses a network of many tables if a sample of them, which is quick,
// predicts far more sites or bytes than are allowed. One that is not far beyond a bound is
// refused when it gets there.
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
	step, drawn := c.targets/sample, rand.New(rand.NewPCG(1, 1)) // equal steps can meet one class alone, or one node of each row
	for i := range sample {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t, err := c.explore(w, c.target(i*step+drawn.IntN(step)))
		if err != nil {
			return nil // tabulate meets it again, or an earlier one
		}
		sites[i], size[i] = float64(t.Len()+len(t.Sources)), float64(bytes(&t))
	}
	switch {
	case c.atLeast(sites[:]) > float64(c.opt.MaxSites):
		return &spec.BoundError{What: fmt.Sprintf("sites, by a sample of %d tables", sample), Limit: c.opt.MaxSites}
	case c.opt.Memory > 0 && c.atLeast(size[:]) > float64(c.opt.Memory):
		return &BudgetError{Memory: c.opt.Memory}
	}
	return nil
}

// atLeast is what all tables take, if a sample of them takes so much: less four standard
// errors, and a fifth of what is left.
func (c *compilation) atLeast(sample []float64) float64 {
	sum, squares, n := 0.0, 0.0, float64(len(sample))
	for _, x := range sample {
		sum, squares = sum+x, squares+x*x
	}
	mean := sum / n
	return float64(c.targets) * 4 / 5 * (mean - 4*math.Sqrt(max(0, squares/n-mean*mean)/n))
}

// target returns target i, by destination, then by class.
func (c *compilation) target(i int) spec.Target {
	return spec.Target{Dest: spec.NodeID(i / len(c.def.Classes)), Class: spec.Class(i % len(c.def.Classes))}
}

func (c *compilation) tabulate(worker, i int) error {
	w := c.workers[worker]
	if w == nil {
		var err error
		if w, err = c.newTabulator(); err != nil {
			return err
		}
		c.workers[worker] = w
	}
	table, err := c.explore(w, c.target(i))
	if err != nil {
		return err
	}
	if err := c.askAgain(w, &table); err != nil {
		return err
	}
	if len(table.Sources) > 0 { // else nobody sends to this target
		w.tables = append(w.tables, table)
	}

	if err := c.account(bytes(&table)); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done++
	c.sites += table.Len()
	c.flows += len(table.Sources)
	if c.sites+c.flows > c.opt.MaxSites {
		return &spec.BoundError{What: "sites", Limit: c.opt.MaxSites}
	}
	if c.opt.Progress != nil {
		c.opt.Progress(Progress{Stage: "routing", Done: int64(c.done), Total: int64(c.targets), Count: int64(c.sites), Unit: "sites"})
	}
	return nil
}

// account counts bytes that are going to be kept.
func (c *compilation) account(bytes int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bytes += bytes; c.opt.Memory > 0 && c.bytes > c.opt.Memory {
		return &BudgetError{Memory: c.opt.Memory}
	}
	return nil
}

// bytes is what a table keeps: 8 a source and a site, and 2 for a site's tag.
func bytes(t *spec.Table) int64 {
	return 8*int64(len(t.Sources)+len(t.Channels)) + 2*int64(len(t.Tags))
}

// explore makes the table of one target: it follows the relation from its
// sources, breadth first.
func (c *compilation) explore(w *tabulator, target spec.Target) (spec.Table, error) {
	table := spec.Table{Target: target}
	senders, err := c.senders(w, target)
	if err != nil || len(senders) == 0 {
		return table, err
	}
	table.Sources = take(&w.sources, len(senders))
	w.queue = w.queue[:0]
	w.number, w.target = int(target.Dest)*len(c.def.Classes)+int(target.Class), w.target+1
	for _, i := range w.met {
		w.atNode[i] = 0
	}
	w.met = w.met[:0]
	if err := c.sort(w); err != nil {
		return table, err
	}
	found := 0
	for i, src := range senders {
		r, err := c.answer(w, source(src, target), c.def.Topology.Channels()*c.def.Tags+int(src))
		if err != nil {
			return table, err
		}
		table.Sources[i] = spec.Source{Node: src, Row: r}
		found += w.visit(r, c.def.Tags)
	}
	for i := 0; i < len(w.queue); i++ {
		r, err := c.answer(w, c.site(target, w.queue[i]), int(w.queue[i]))
		if err != nil {
			return table, err
		}
		w.row[w.queue[i]] = r
		found += w.visit(r, c.def.Tags)
		if found > c.opt.MaxSites {
			return table, &spec.BoundError{What: "sites", Limit: c.opt.MaxSites}
		}
	}
	table.Channels, table.Rows = take(&w.channels, found), take(&w.rowIDs, found)
	if c.def.Tags > 1 {
		table.Tags = take(&w.tags, found)
	}
	for i, place := range w.found() {
		channel, tag := c.split(place)
		table.Channels[i], table.Rows[i] = channel, w.row[place]
		if c.def.Tags > 1 {
			table.Tags[i] = tag
		}
	}
	return table, nil
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
func (c *compilation) senders(w *tabulator, target spec.Target) ([]spec.NodeID, error) {
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
			w.senders = append(w.senders, spec.NodeID(s))
		}
	}
	kept := w.senders[:0]
	for _, src := range w.senders {
		if (src != target.Dest || c.def.transactions) && (c.def.Flows == nil || c.def.Flows(src, target.Dest, target.Class)) {
			kept = append(kept, src)
		}
	}
	return kept, nil
}

func (c *compilation) site(target spec.Target, place int32) spec.Site {
	channel, tag := c.split(place)
	return spec.Site{Channel: channel, Header: spec.Header{Dest: target.Dest, Class: target.Class, Tag: tag}}
}

// split returns the channel and the tag of a place.
func (c *compilation) split(place int32) (spec.ChannelID, spec.Tag) {
	if c.def.Tags == 1 { // a division is a tenth of what a site takes
		return spec.ChannelID(place), 0
	}
	return spec.ChannelID(int(place) / c.def.Tags), spec.Tag(int(place) % c.def.Tags)
}

// source is the site at which a node injects for a target.
func source(n spec.NodeID, target spec.Target) spec.Site {
	return spec.Site{Channel: spec.Injection(n), Header: spec.Header{Dest: target.Dest, Class: target.Class}}
}

// visit queues the places that row r leads to and counts those not seen before.
func (w *tabulator) visit(r spec.RowID, tags int) int {
	for len(w.visited) <= int(r) {
		w.visited = append(w.visited, 0)
	}
	if w.visited[r] == w.target {
		return 0
	}
	w.visited[r] = w.target
	fresh := 0
	for _, h := range w.rows.row(r) {
		if h.Channel == spec.Eject {
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

// shares makes room to remember answers, if the relation tells that they serve many sites.
func (c *compilation) shares(w *tabulator, places int) error {
	const mostPlaces = 1 << 22 // of which answers are kept
	switch _, again := c.def.Routing.(Repeater); {
	case c.def.Selection != nil && c.def.Selection.Commit != nil:
	case byNode(c.def.Routing):
		w.atNode = make([]spec.RowID, c.def.Topology.Nodes()*c.def.Tags)
	case again && places <= mostPlaces:
		w.like = make([]any, places+c.def.Topology.Nodes())
		w.row = make([]spec.RowID, len(w.like))
	}
	return c.account(4*int64(len(w.atNode)) + 16*int64(len(w.like)))
}

// answer returns the row of a site: one remembered, if the relation tells that it is the
// same, or that of ask. place is where row and like have the site.
func (c *compilation) answer(w *tabulator, s spec.Site, place int) (spec.RowID, error) {
	if w.like != nil {
		return c.answerLike(w, s, place)
	}
	if w.atNode == nil {
		return c.ask(w, s)
	}
	i := int(c.def.Topology.Head(s.Channel))*c.def.Tags + int(s.Header.Tag)
	if r := w.atNode[i] - 1; r >= 0 {
		return r, nil
	}
	r, err := c.ask(w, s)
	if err == nil {
		w.atNode[i] = r + 1
		w.met = append(w.met, int32(i))
	}
	return r, err
}

// answerLike is answer of a relation that tells more.
func (c *compilation) answerLike(w *tabulator, s spec.Site, place int) (spec.RowID, error) {
	slot := &w.row[place]
	sorted := w.kinds != nil && c.def.Topology.Head(s.Channel) != s.Header.Dest
	if sorted {
		slot = &w.ofKind[w.kinds.of(w.number, place)*len(w.like)+place]
		if *slot > 0 {
			return *slot - 1, nil
		}
	}
	again := c.def.Routing.(Repeater)
	if like := w.like[place]; like != nil && again.Repeats(like, s.Channel, s.Header) {
		return w.row[place], nil
	}
	hops, like, err := again.NextLike(w.buf[:0], s.Channel, s.Header)
	w.like[place] = nil
	if err != nil {
		return 0, err
	}
	r, err := c.rowOf(w, s, hops)
	switch {
	case err != nil || like == nil:
	case sorted:
		*slot = r + 1
	case w.kinds == nil: // else row is not that of like for long
		w.like[place], *slot = like, r
	}
	return r, err
}

// sort asks for the kinds of targets. What is known of other kinds is forgotten.
func (c *compilation) sort(w *tabulator) error {
	const most = 1 << 24 // rows that are kept
	sorter, ok := c.def.Routing.(Sorter)
	if !ok || w.like == nil {
		return nil
	}
	k := sorter.Kinds()
	if k != nil && (k.Count*len(w.like) > most || k.Count > c.targets) { // too large, or hardly two targets of a kind
		k = nil
	}
	if k == w.kinds {
		return nil
	}
	w.kinds = k
	clear(w.like)
	if k == nil {
		return nil
	}
	n, before := k.Count*len(w.like), cap(w.ofKind)
	w.ofKind = slices.Grow(w.ofKind[:0], n)[:n]
	clear(w.ofKind)
	return c.account(4 * int64(cap(w.ofKind)-before))
}

// ask evaluates the relation at one site and returns the number of the row.
func (c *compilation) ask(w *tabulator, s spec.Site) (spec.RowID, error) {
	hops, err := c.def.Routing.Next(w.buf[:0], s.Channel, s.Header)
	if err != nil {
		return 0, err
	}
	return c.rowOf(w, s, hops)
}

// rowOf returns the number of the canonical row of hops that were answered: sorted,
// without repetition, checked.
func (c *compilation) rowOf(w *tabulator, s spec.Site, hops []spec.Hop) (spec.RowID, error) {
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
	last := &w.last[t.Head(s.Channel)]
	if *last > 0 && slices.Equal(hops, w.rows.row(*last-1)) {
		return *last - 1, nil
	}
	for _, h := range hops {
		switch {
		case h.Channel == spec.Eject && h.Tag == 0:
		case h.Channel < 0 || int(h.Channel) >= t.Channels():
			return 0, c.wrong(s, h, fmt.Sprintf("hop to channel %d, but channels are numbered 0 to %d", h.Channel, t.Channels()-1))
		case t.Tail(h.Channel) != t.Head(s.Channel):
			return 0, c.wrong(s, h, fmt.Sprintf("hop into %s, which does not leave %s", t.ChannelName(h.Channel), t.Node(t.Head(s.Channel)).Name))
		case int(h.Tag) >= c.def.Tags:
			return 0, c.wrong(s, h, fmt.Sprintf("hop with tag %d, but tags are 0 to %d", h.Tag, c.def.Tags-1))
		}
	}
	if len(hops) == 1 { // the short way for deterministic relations
		if r := w.single[w.place(c, hops[0])] - 1; r >= 0 {
			*last = r + 1
			return r, nil
		}
	}
	// Most rows have one to four hops, where insertion beats a general sort.
	for i := 1; i < len(hops); i++ {
		for j := i; j > 0 && hops[j].Compare(hops[j-1]) < 0; j-- {
			hops[j], hops[j-1] = hops[j-1], hops[j]
		}
	}
	hops = slices.Compact(hops)
	r := w.rows.add(hops)
	if len(hops) == 1 {
		w.single[w.place(c, hops[0])] = r + 1
	}
	*last = r + 1
	return r, nil
}

// place numbers what a hop leads to: channel and tag, Eject last.
func (w *tabulator) place(c *compilation, h spec.Hop) int {
	if h.Channel == spec.Eject {
		return len(w.single) - 1
	}
	return int(h.Channel)*c.def.Tags + int(h.Tag)
}

func (c *compilation) wrong(s spec.Site, h spec.Hop, problem string) error {
	return &SiteError{s, c.where(s), Reason(c.def.Routing, s.Channel, s.Header, h), problem}
}

func (c *compilation) where(s spec.Site) string {
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

// askAll is the number of sites up to which all are evaluated twice; of larger
// networks, as their tables let one expect, a regular sample of about askSome is, and of
// those whose relation is [Pure] about askFew.
const (
	askAll  = 1 << 22
	askSome = 1 << 18
	askFew  = 1 << 14
)

// askAgain repeats the questions about one table, last site first, to find
// relations whose answer depends on more than the question.
func (c *compilation) askAgain(w *tabulator, table *spec.Table) error {
	again := func(s spec.Site, before spec.RowID) error {
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
	stride := 1
	switch questions := (table.Len() + len(table.Sources)) * c.targets; {
	case pure(c.def.Routing) && questions > askFew:
		stride = questions / askFew
	case questions > askAll:
		stride = questions / askSome
	}
	for i := table.Len() - 1; i >= 0; i -= stride {
		if err := again(table.Site(i), table.Rows[i]); err != nil {
			return err
		}
	}
	for i := len(table.Sources) - 1; i >= 0; i -= stride {
		src := table.Sources[i]
		if err := again(source(src.Node, table.Target), src.Row); err != nil {
			return err
		}
	}
	return nil
}

func (c *compilation) names(hops []spec.Hop) string {
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
