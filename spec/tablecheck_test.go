package spec_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// drawnTables draws a topology, rows, and tables that are right: each has the sites that its sources lead to.
func drawnTables(t *rapid.T) spec.Parts {
	topo, tags := spec.NewTopology(), rapid.IntRange(1, 2).Draw(t, "tags")
	for range rapid.IntRange(2, 4).Draw(t, "nodes") {
		topo.AddNode("")
	}
	node := rapid.IntRange(0, topo.Nodes()-1)
	for range rapid.IntRange(3, 8).Draw(t, "links") {
		from, to := spec.NodeID(node.Draw(t, "from")), spec.NodeID(node.Draw(t, "to"))
		topo.AddLink(spec.Link{From: from, To: to, VCs: rapid.IntRange(1, 2).Draw(t, "VCs")})
	}
	p := spec.Parts{Topology: topo, Classes: []string{""}, Tags: tags, Buffer: 1}
	p.Rows = [][]spec.Hop{{}, {{Channel: spec.Eject}}}
	at := map[spec.NodeID][]spec.RowID{} // rows that a node may answer
	for range 8 {
		v := spec.NodeID(node.Draw(t, "node"))
		var hops []spec.Hop
		for _, l := range topo.OutLinks(v) {
			if tag := rapid.IntRange(-1, tags-1).Draw(t, "tag"); tag >= 0 {
				hops = append(hops, spec.Hop{Channel: topo.Channel(l, 0), Tag: spec.Tag(tag)})
			}
		}
		if len(hops) > 0 {
			at[v] = append(at[v], spec.RowID(len(p.Rows)))
			p.Rows = append(p.Rows, hops)
		}
	}
	for dest := range spec.NodeID(topo.Nodes()) {
		row := func(v spec.NodeID) spec.RowID {
			return rapid.SampledFrom(append([]spec.RowID{0, 1}, at[v]...)).Draw(t, "row")
		}
		table := spec.Table{Target: spec.Target{Dest: dest}}
		rows := map[[2]int]spec.RowID{} // by channel and tag
		var reach func(r spec.RowID)
		reach = func(r spec.RowID) {
			for _, h := range p.Rows[r] {
				place := [2]int{int(h.Channel), int(h.Tag)}
				if _, met := rows[place]; h.Channel != spec.Eject && !met {
					rows[place] = row(topo.Head(h.Channel))
					if slices.Contains(p.Rows[rows[place]], h) { // a hop into the channel that the packet is in
						rows[place] = 1
					}
					reach(rows[place])
				}
			}
		}
		for v := range dest {
			table.Sources = append(table.Sources, spec.Source{Node: v, Row: row(v)})
			reach(table.Sources[v].Row)
		}
		for c := range topo.Channels() {
			for tag := range tags {
				if r, met := rows[[2]int{c, tag}]; met {
					site(&table, spec.ChannelID(c), spec.Tag(tag), r)
				}
			}
		}
		if dest > 0 {
			p.Tables = append(p.Tables, table)
		}
	}
	return p
}

// inParts puts the first sources or sites of each table into its own lists, and the others into two fragments.
func inParts(t *rapid.T, p spec.Parts) spec.Parts {
	p.Ends = [][2]int32{{}}
	for i := range p.Tables {
		whole := p.Tables[i]
		cut := func(name string, length int) (at [2]int) {
			at[0] = rapid.IntRange(0, length).Draw(t, name)
			at[1] = rapid.IntRange(at[0], length).Draw(t, name)
			return at
		}
		s, c := cut("sources", len(whole.Sources)), cut("sites", whole.Len())
		part := func(i int) spec.Table {
			from, to := [3]int{0, s[0], s[1]}, [3]int{s[0], s[1], len(whole.Sources)}
			x := spec.Table{Target: whole.Target, Sources: whole.Sources[from[i]:to[i]]}
			from, to = [3]int{0, c[0], c[1]}, [3]int{c[0], c[1], whole.Len()}
			x.Channels, x.Rows = whole.Channels[from[i]:to[i]], whole.Rows[from[i]:to[i]]
			if whole.Tags != nil {
				x.Tags = whole.Tags[from[i]:to[i]]
			}
			return x
		}
		p.Tables[i] = part(0)
		for j := 1; j < 3; j++ {
			p.Tables[i].Fragments = append(p.Tables[i].Fragments, int32(len(p.Ends)-1))
			fragment(&p, part(j))
		}
	}
	return p
}

// change changes one of some numbers, or none.
func change[T any](t *rapid.T, of []T, by func(*T)) {
	if len(of) > 0 && rapid.IntRange(0, 2).Draw(t, "which") == 0 {
		by(&of[rapid.IntRange(0, len(of)-1).Draw(t, "at")])
	}
}

// TestTablesRight: the fast check of tables accepts those that the plain one does, whole and in fragments, with a
// number that was changed or without.
func TestTablesRight(t *testing.T) {
	accepted, refused := 0, 0
	const often = 8 // networks of a draw
	rapid.Check(t, func(t *rapid.T) {
		for range often {
			p := drawnTables(t)
			switch rapid.IntRange(0, 2).Draw(t, "form") {
			case 1:
				p = inFragments(p)
			case 2:
				p = inParts(t, p)
			}
			if rapid.Bool().Draw(t, "changed") {
				of := rapid.SampledFrom(p.Tables).Draw(t, "table")
				if p.Ends != nil {
					of = p.Pieces
				}
				by := int32(rapid.IntRange(-3, 3).Draw(t, "by"))
				change(t, of.Sources, func(s *spec.Source) { s.Node += spec.NodeID(by) })
				change(t, of.Sources, func(s *spec.Source) { s.Row += spec.RowID(by) })
				change(t, of.Channels, func(c *spec.ChannelID) { *c += spec.ChannelID(by) })
				change(t, of.Tags, func(tag *spec.Tag) { *tag += spec.Tag(max(by, 0)) })
				change(t, of.Rows, func(r *spec.RowID) { *r += spec.RowID(by) })
				if i := rapid.IntRange(0, len(p.Tables)-1).Draw(t, "of"); rapid.IntRange(0, 3).Draw(t, "moved") == 0 {
					change(t, p.Tables[i].Fragments, func(f *int32) { *f = max(0, *f-1) })
				}
			}
			fast, plain := spec.TablesRight(p)
			// Tables have tags, fragments none: the plain check decides.
			apart := p.Ends != nil && len(p.Pieces.Tags) == 0 &&
				slices.ContainsFunc(p.Tables, func(t spec.Table) bool { return t.Tags != nil })
			if !slices.EqualFunc(fast, plain, func(f, p bool) bool { return f == p || apart && p }) {
				t.Fatalf("the fast check accepts %t, the plain one %t", fast, plain)
			}
			for _, right := range plain {
				if right {
					accepted++
				} else {
					refused++
				}
			}
		}
	})
	if seedtest.Usual() && (accepted < 20 || refused < 20) {
		t.Errorf("%d tables were accepted, %d refused: the draws are one-sided", accepted, refused)
	}
}
