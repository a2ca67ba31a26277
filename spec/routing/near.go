package routing

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Design of tables that follow from the one before.
//
// Of two targets that are of one kind seen from every place (see [Kinds]), all answers are the same but those
// where a packet has arrived. So their tables differ only by what hangs on the answers at the two destinations,
// and the second follows from the first: only places whose every path used a lost hop are searched for again;
// all others stay. A table that differs in more is explored from its sources.
//
// Without this, checking delivery on CCCB takes more CPU time: with n = 5 by 1.23, with n = 4 by 1.10; star-channel
// with k = 64 by 1.07, a torus of 14x14x14 in Starlark by 1.10. Meshes, tori in Go and trees, whose targets have no
// kinds, measure the same (minima of 2 or 3 interleaved runs, one of star-channel).

// follow completes a table from the one explored last, if it can. Linear in the senders, and in the sites as
// memory is copied.
func (c *compilation) follow(w *tabulator, table *spec.Table, senders []spec.NodeID) bool {
	n := &w.near
	const most = 16 // more failures than successes by this many: give up, as failures are expensive
	if !n.told || !w.classes.same || n.failed > most {
		return false
	}
	if !n.marked {
		n.mark(c, w)
	}
	n.marked = false
	n.at = c.appendPlacesInto(n.at[:0], n.table.Dest)
	if table.Dest != n.table.Dest {
		n.at = c.appendPlacesInto(n.at, table.Dest)
	}
	n.failed++
	if !c.sources(w, table, senders) || !n.suspect(c, w) || !c.reach(w, table) {
		return false
	}
	n.failed -= 2
	c.patch(w, table)
	n.table, n.marked = *table, true
	return true
}

// mostSuspects is the number of places up to which looking for them again pays.
func (n *near) mostSuspects() int { return 16 + n.table.Len()/64 }

// mark has reached hold the places of the table.
func (n *near) mark(c *compilation, w *tabulator) {
	if n.reached == nil {
		n.reached = make(marks, len(w.seen))
	}
	clear(n.reached)
	for i, channel := range n.table.Channels {
		n.reached.flip(int32(int(channel)*c.def.Tags + int(n.table.Tag(i))))
	}
}

// appendPlacesInto appends the places in the channels that lead to a node.
func (c *compilation) appendPlacesInto(dst []int32, v spec.NodeID) []int32 {
	t := c.def.Topology
	for _, l := range t.InLinks(v) {
		first := int(t.Channel(l, 0)) * c.def.Tags
		for place := first; place < first+t.Link(l).VCs*c.def.Tags; place++ {
			dst = append(dst, int32(place))
		}
	}
	return dst
}

// sources lists the sources of the table, and the rows of those that are lost and gained.
func (c *compilation) sources(w *tabulator, table *spec.Table, senders []spec.NodeID) bool {
	n := &w.near
	before, u, v := n.table.Sources, n.table.Dest, table.Dest
	n.lost, n.gained = n.lost[:0], n.gained[:0]
	for i, src := range senders {
		for len(before) > 0 && before[0].Node < src {
			n.lost, before = append(n.lost, before[0].Row), before[1:]
		}
		if len(before) > 0 && before[0].Node == src {
			s := before[0]
			before = before[1:]
			if src != u && src != v {
				table.Sources[i] = s
				continue
			}
			n.lost = append(n.lost, s.Row)
		}
		r, err := c.rowAt(w, source(src, table.Target), c.injection(src))
		if err != nil {
			return false
		}
		table.Sources[i] = spec.Source{Node: src, Row: r}
		n.gained = append(n.gained, r)
	}
	for _, s := range before {
		n.lost = append(n.lost, s.Row)
	}
	return true
}

// suspect takes out of reached all that the table before reached over a lost hop, unless that is much.
func (n *near) suspect(c *compilation, w *tabulator) bool {
	n.suspects = n.suspects[:0]
	for _, place := range n.at {
		if n.reached.has(place) {
			n.lost = append(n.lost, w.row[place])
		}
	}
	drop := func(r spec.RowID) {
		for _, h := range w.rows.row(r) {
			place := int32(int(h.Channel)*c.def.Tags + int(h.Tag))
			if h.Channel != spec.Eject && n.reached.has(place) {
				n.reached.flip(place)
				n.suspects = append(n.suspects, place)
			}
		}
	}
	for _, r := range n.lost {
		drop(r)
	}
	for i := 0; i < len(n.suspects); i++ {
		if i > n.mostSuspects() {
			return false
		}
		drop(w.row[n.suspects[i]])
	}
	return true
}

// reach adds to reached the suspects that the table still reaches, and the places that are new.
func (c *compilation) reach(w *tabulator, table *spec.Table) bool {
	n := &w.near
	row := func(place int32) bool {
		r, err := c.rowAt(w, c.site(table.Target, place), int(place))
		w.row[place] = r
		return err == nil
	}
	for _, place := range n.at {
		if n.reached.has(place) {
			if !row(place) {
				return false
			}
			n.gained = append(n.gained, w.row[place])
		}
	}
	n.found = n.found[:0]
	for _, place := range n.suspects { // no other is in reached yet: the rows of all that are, are known
		if c.entered(w, table, place) {
			n.found = append(n.found, place)
		}
	}
	for _, place := range n.found {
		n.reached.flip(place)
	}
	add := func(r spec.RowID) {
		for _, h := range w.rows.row(r) {
			place := int32(int(h.Channel)*c.def.Tags + int(h.Tag))
			if h.Channel != spec.Eject && !n.reached.has(place) {
				n.reached.flip(place)
				n.found = append(n.found, place)
			}
		}
	}
	for _, r := range n.gained {
		add(r)
	}
	for i := 0; i < len(n.found); i++ {
		if i > n.mostSuspects() || !row(n.found[i]) {
			return false
		}
		add(w.row[n.found[i]])
	}
	return true
}

// entered reports whether a source, or a place in reached, has a hop to a place.
func (c *compilation) entered(w *tabulator, table *spec.Table, place int32) bool {
	channel, tag := c.split(place)
	hop, v := spec.Hop{Channel: channel, Tag: tag}, c.def.Topology.Tail(channel)
	for _, src := range table.SourcesOf(v) {
		if _, leads := spec.FindHop(w.rows.row(src.Row), hop); leads {
			return true
		}
	}
	w.near.into = c.appendPlacesInto(w.near.into[:0], v)
	for _, from := range w.near.into {
		if !w.near.reached.has(from) {
			continue
		}
		if _, leads := spec.FindHop(w.rows.row(w.row[from]), hop); leads {
			return true
		}
	}
	return false
}

// patch lists the sites of the table: those of the one before, except the places at the destinations and suspects, and
// those found.
func (c *compilation) patch(w *tabulator, table *spec.Table) {
	n := &w.near
	before := &n.table
	count := before.Len() - len(n.suspects) + len(n.found)
	table.Channels, table.Rows = w.slabs.channels.take(count, c.fragments), w.slabs.rowIDs.take(count, c.fragments)
	if c.def.Tags > 1 {
		table.Tags = w.slabs.tags.take(count, c.fragments)
	}
	touched := append(append(n.at, n.suspects...), n.found...)
	slices.Sort(touched)
	n.at = touched
	at, from := 0, 0
	until := func(end int) {
		copy(table.Rows[at:], before.Rows[from:end])
		if table.Tags != nil {
			copy(table.Tags[at:], before.Tags[from:end])
		}
		at += copy(table.Channels[at:], before.Channels[from:end])
		from = end
	}
	for _, place := range slices.Compact(touched) {
		channel, tag := c.split(place)
		i, was := before.Find(channel, tag)
		until(i)
		if was {
			from++
		}
		if n.reached.has(place) {
			table.Channels[at], table.Rows[at] = channel, w.row[place]
			if table.Tags != nil {
				table.Tags[at] = tag
			}
			at++
		}
	}
	until(before.Len())
}
