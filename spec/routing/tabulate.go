package routing

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Design of the tabulation.
//
// One target at a time: the relation is evaluated at the injection channels of all
// that send to it, then at every place (channel and tag) that some answer leads
// to, until there are no new ones. The places are listed in ascending order, so
// the table does not depend on the order of the search. Rows get numbers in the
// order in which a worker meets them; [compilation.merge] gives them their own.

// newTabulator returns the scratch memory of a worker.
func (c *compilation) newTabulator() (*tabulator, error) {
	if c.def.split != nil {
		return &tabulator{last: make([]lastAnswer, c.def.Topology.Nodes())}, nil
	}
	places := c.def.Topology.Channels() * c.def.Tags
	// For each place single, row and queue, and a bit in seen.
	if err := c.account(13*int64(places) + 4*int64(c.def.Topology.Nodes())); err != nil {
		return nil, err
	}
	w := &tabulator{single: make([]spec.RowID, places+1), row: make([]spec.RowID, places),
		seen: make([]uint64, (places+63)/64),
		last: make([]lastAnswer, c.def.Topology.Nodes())}
	return w, c.shares(w, places)
}

func (c *compilation) tabulate(worker, i int) error {
	w := c.workers[worker]
	if w == nil {
		var err error
		if w, err = c.newTabulator(); err != nil {
			return err
		}
		w.fragments.share, w.fragments.workers = c.targets/len(c.workers), 1
		if worker == 0 {
			w.fragments.workers = len(c.workers)
		}
		c.workers[worker] = w
	}
	table, err := c.explore(w, c.target(i))
	if err != nil {
		return err
	}
	if c.def.split == nil {
		if err := c.askAgain(w, &table); err != nil {
			return err
		}
	}
	kept, size := table, tableBytes(&table)
	if c.fragments {
		const enough = 512 // tables, after which most fragments have been met
		before := w.fragments.bytes
		if len(w.tables) < enough || w.fragments.worth() {
			kept = w.fragments.pack(&table)
		} else {
			kept = spec.Table{
				Target: table.Target, Sources: slices.Clone(table.Sources), Channels: slices.Clone(table.Channels),
				Rows: slices.Clone(table.Rows), Tags: slices.Clone(table.Tags),
			}
		}
		size = w.fragments.bytes - before + tableBytes(&kept)
	}
	if len(table.Sources) > 0 { // otherwise the target has no sender
		w.tables = append(w.tables, kept)
	}
	if err := c.account(size); err != nil {
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
		c.opt.Progress(Progress{
			Stage: "routing", Done: int64(c.done), Total: int64(c.targets), Count: int64(c.sites), Unit: "sites",
		})
	}
	return nil
}

// explore makes the table of one target: it follows the relation from its
// sources, breadth first.
func (c *compilation) explore(w *tabulator, target spec.Target) (spec.Table, error) {
	defer c.repanic(w)
	if c.def.split != nil {
		return c.splitTable(w, target)
	}
	table := spec.Table{Target: target}
	senders, err := c.senders(w, target)
	if err != nil || len(senders) == 0 {
		return table, err
	}
	if c.fragments {
		w.slabs, w.spare = w.spare, w.slabs
	}
	if c.def.asks == nil {
		table.Sources = w.slabs.sources.take(len(senders), c.fragments)
	}
	w.queue = w.queue[:0]
	w.number, w.target = int(target.Dest)*len(c.def.Classes)+int(target.Class), w.target+1
	if len(w.met) > len(w.atNode)/8 {
		clear(w.atNode)
	} else {
		for _, i := range w.met {
			w.atNode[i] = 0
		}
	}
	w.met = w.met[:0]
	if err := c.sort(w); err != nil {
		return table, err
	}
	if c.def.asks == nil && c.follow(w, &table, senders) {
		return table, nil
	}
	w.near.told = w.classes.of != nil
	found := 0
	if c.def.asks != nil {
		if table.Sources, err = c.asked(w, target, senders); err != nil {
			return table, err
		}
		for _, src := range table.Sources {
			found += w.visit(src.Row, c.def.Tags)
		}
		senders = nil
	}
	if w.decides != nil {
		if found, err = c.exploreNodes(w, &table, senders); err != nil {
			return table, err
		}
		senders = nil
	}
	for i, src := range senders {
		r := w.known(c.injection(src))
		if r < 0 {
			if r, err = c.rowAt(w, source(src, target), c.injection(src)); err != nil {
				return table, err
			}
		}
		table.Sources[i] = spec.Source{Node: src, Row: r}
		found += w.visit(r, c.def.Tags)
	}
	for i := 0; i < len(w.queue) && w.decides == nil; i++ {
		r := w.known(int(w.queue[i]))
		if r < 0 {
			if r, err = c.rowAt(w, c.site(target, w.queue[i]), int(w.queue[i])); err != nil {
				return table, err
			}
		}
		w.row[w.queue[i]] = r
		found += w.visit(r, c.def.Tags)
		if found > c.opt.MaxSites {
			return table, &spec.BoundError{What: "sites", Limit: c.opt.MaxSites}
		}
	}
	table.Channels, table.Rows = w.slabs.channels.take(found, c.fragments), w.slabs.rowIDs.take(found, c.fragments)
	if c.def.Tags > 1 {
		table.Tags = w.slabs.tags.take(found, c.fragments)
	}
	for i, place := range w.found() {
		channel, tag := c.split(place)
		if w.decides != nil {
			table.Channels[i], table.Rows[i] = channel, w.atNode[w.decides[place]]-1
		} else {
			table.Channels[i], table.Rows[i] = channel, w.row[place]
		}
		if c.def.Tags > 1 {
			table.Tags[i] = tag
		}
	}
	w.near.table, w.near.marked = table, false
	return table, nil
}

// exploreNodes does the search of explore where a node answers alike in all channels to it: it is asked once, and its
// hops are followed then. It returns the number of places found.
func (c *compilation) exploreNodes(w *tabulator, table *spec.Table, senders []spec.NodeID) (found int, err error) {
	for i, src := range senders {
		at := int32(int(src) * c.def.Tags)
		if w.atNode[at] == 0 {
			fresh, err := c.askNode(w, source(src, table.Target), at)
			if err != nil {
				return 0, err
			}
			found += fresh
		}
		table.Sources[i] = spec.Source{Node: src, Row: w.atNode[at] - 1}
	}
	for i := 0; i < len(w.queue); i++ {
		at := w.decides[w.queue[i]]
		if w.atNode[at] > 0 {
			continue
		}
		fresh, err := c.askNode(w, c.site(table.Target, w.queue[i]), at)
		if err != nil {
			return 0, err
		}
		if found += fresh; found > c.opt.MaxSites {
			return 0, &spec.BoundError{What: "sites", Limit: c.opt.MaxSites}
		}
	}
	return found, nil
}

// askNode keeps the answer at a site for all channels to its node, and returns how many places it leads to first.
func (c *compilation) askNode(w *tabulator, s spec.Site, at int32) (fresh int, err error) {
	r, err := c.ask(w, s)
	if err != nil {
		return 0, err
	}
	w.atNode[at] = r + 1
	w.met = append(w.met, at)
	return w.visit(r, c.def.Tags), nil
}

// asked lists the sources of a table where a node may have several.
func (c *compilation) asked(
	w *tabulator, target spec.Target, senders []spec.NodeID,
) (sources []spec.Source, err error) {
	for _, src := range senders {
		for k := range c.def.asks(spec.Flow{Source: src, Target: target}) {
			at := source(src, target)
			at.Header.Tag = spec.Tag(k)
			r, err := c.ask(w, at)
			if err != nil {
				return nil, err
			}
			sources = append(sources, spec.Source{Node: src, Row: r})
		}
	}
	return sources, nil
}

// found returns the queue in ascending order and forgets what was seen. Many places
// are read off the marks; a few are sorted.
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
		sends := c.def.Flows == nil || c.def.Flows(src, target.Dest, target.Class)
		if (src != target.Dest || c.def.transactions) && sends {
			kept = append(kept, src)
		}
	}
	return kept, nil
}

// visit queues the places that row r leads to and counts those not seen before.
func (w *tabulator) visit(r spec.RowID, tags int) int {
	for next := len(w.visited); next <= int(r); next++ {
		hops := w.rows.row(spec.RowID(next))
		w.visited, w.only = append(w.visited, 0), append(w.only, -1)
		if len(hops) == 1 && hops[0].Channel != spec.Eject {
			w.only[next] = int32(int(hops[0].Channel)*tags + int(hops[0].Tag))
		}
	}
	if place := w.only[r]; place >= 0 { // no look at the row
		if w.seen[place/64]>>(place%64)&1 == 1 {
			return 0
		}
		w.seen[place/64] |= 1 << (place % 64)
		w.queue = append(w.queue, place)
		return 1
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

// Up to about askAll sites, estimated from the size of each table, all are evaluated twice;
// of larger networks a regular sample of about askSome, and of those whose relation is
// [Pure] one of about askFew.
const (
	askAll  = 1 << 22
	askSome = 1 << 18
	askFew  = 1 << 14
)

// askAgain repeats the questions about one table, last site first, to find
// relations whose answer depends on more than the question.
func (c *compilation) askAgain(w *tabulator, table *spec.Table) error {
	defer c.repanic(w)
	again := func(s spec.Site, before spec.RowID) error {
		now, err := c.ask(w, s)
		if err != nil {
			return err
		}
		if now != before {
			return &SiteError{s, c.where(s), spec.Reason{},
				fmt.Sprintf("the relation is impure: asked twice, it permitted first %s, then %s",
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
		if err := again(table.SourceSite(i), table.Sources[i].Row); err != nil {
			return err
		}
	}
	return nil
}
