package spec

import (
	"context"
	"slices"
)

// canonical brings what a file lists into the order that [NewNetwork] wants, and
// leaves out what no injected packet comes to: tables without sources, sites that
// no source leads to, rows that no site has. So a network has one digest however
// its file is written. Nothing rests on it: that no hop leads to what was left out
// is checked by NewNetwork.
func (p *closedParser) canonical() error {
	tables := &p.parts.Tables
	*tables = slices.DeleteFunc(*tables, func(t Table) bool { return len(t.Sources) == 0 })
	slices.SortFunc(*tables, func(a, b Table) int { return a.Target.Compare(b.Target) })
	used := make([]bool, len(p.parts.Rows))
	index := (&Network{parts: p.parts}).NewIndex()
	for i := range *tables {
		if p.ctx.Err() != nil {
			return context.Cause(p.ctx)
		}
		index.Load(&(*tables)[i])
		p.reached(&(*tables)[i], index, used)
	}
	p.renumber(used)
	return nil
}

// reached keeps the sites of a table that its sources lead to, and marks the rows
// that are used.
func (p *closedParser) reached(t *Table, index *Index, used []bool) {
	seen := make([]bool, t.Len())
	var queue []int
	follow := func(r RowID) {
		used[r] = true
		for _, h := range p.parts.Rows[r] {
			if i := index.Site(h); i >= 0 && !seen[i] {
				seen[i] = true
				queue = append(queue, i)
			}
		}
	}
	for _, s := range t.Sources {
		follow(s.Row)
	}
	for i := 0; i < len(queue); i++ {
		follow(t.Rows[queue[i]])
	}
	if len(queue) == t.Len() {
		return
	}
	was := *t
	t.Channels, t.Rows, t.Tags = make([]ChannelID, 0, len(queue)), make([]RowID, 0, len(queue)), nil
	for i, s := range seen {
		if s {
			t.Channels, t.Rows = append(t.Channels, was.Channels[i]), append(t.Rows, was.Rows[i])
			if was.Tags != nil {
				t.Tags = append(t.Tags, was.Tags[i])
			}
		}
	}
}

// renumber sorts the rows that are used, stores equal ones once, and gives all of
// them their new numbers.
func (p *closedParser) renumber(used []bool) {
	var order []RowID
	for r, u := range used {
		if u {
			order = append(order, RowID(r))
		}
	}
	slices.SortFunc(order, func(a, b RowID) int { return slices.CompareFunc(p.parts.Rows[a], p.parts.Rows[b], Hop.Compare) })
	var rows [][]Hop
	now := make([]RowID, len(used))
	for i, r := range order {
		if i == 0 || !slices.Equal(p.parts.Rows[r], p.parts.Rows[order[i-1]]) {
			rows = append(rows, p.parts.Rows[r])
		}
		now[r] = RowID(len(rows) - 1)
	}
	p.parts.Rows = rows
	for _, t := range p.parts.Tables {
		for i, s := range t.Sources {
			t.Sources[i].Row = now[s.Row]
		}
		for i, r := range t.Rows {
			t.Rows[i] = now[r]
		}
	}
}
