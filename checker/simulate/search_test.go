package simulate

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestSearch: where routes are searched for in the tables, whole or in fragments, and flows are those that are not
// absent, each packet makes the same moves in the same clocks as with tables of all sites and flows.
func TestSearch(t *testing.T) {
	moves, absents, inFragments := 0, 0, 0
	seedtest.Sample(t, 40)
	rapid.Check(t, func(rt *rapid.T) {
		n := drawnNetwork(rt, rapid.Bool().Draw(rt, "may fail"))
		packed, err := routing.Compile(t.Context(), routing.FromNetwork(n), routing.CompileOptions{Fragments: 1})
		if err != nil {
			rt.Fatal(err)
		}
		o := drawnOptions(rt, n)
		type move struct {
			clock  int32
			serial int64
			m      spec.Move
		}
		run := func(n *spec.Network, r *routes) (all []move, ended string) {
			o := o
			o.routes = r
			e, err := newEngine(n, o)
			if err != nil {
				return nil, err.Error()
			}
			if a := e.source.to.flows.absent; a != nil {
				absents++
			}
			e.record = func(serial int64, m spec.Move) { all = append(all, move{e.now, serial, m}) }
			for range o.Clocks {
				if e.clock(); e.fault != nil {
					return all, e.fault.Error()
				}
			}
			return all, ""
		}
		want, ended := run(n, routesOf(n))
		moves += len(want)
		inFragments += min(1, packed.Fragments())
		forms := map[string]*spec.Network{"whole": n, "in fragments": packed}
		if n.Alternatives() == 0 {
			forms["split"] = split(rt, n)
		}
		for name, of := range forms {
			got, how := run(of, searchedRoutes(of))
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(move{})); diff != "" || ended != how {
				rt.Fatalf("%s: ended %q, not %q; moves (-tables +search):\n%s", name, how, ended, diff)
			}
		}
	})
	if seedtest.Usual() && (moves < 1000 || absents == 0 || inFragments == 0) {
		t.Errorf("%d moves, %d runs of absent flows, %d networks in fragments", moves, absents, inFragments)
	}
}

// split returns a network whose tables are stored in fragments of a single source or site each, so that those of one node
// or channel are in several.
func split(t rapid.TB, n *spec.Network) *spec.Network {
	p := spec.Parts{
		Name: n.Name(), Topology: n.Topology(), Classes: n.Classes(), Tags: n.Tags(), Switching: n.Switching(),
		Buffer: n.Buffer(), Asks: n.Asks(), Ends: make([][2]int32, 1),
	}
	for r := range n.RowCount() {
		p.Rows = append(p.Rows, n.Row(spec.RowID(r)))
	}
	for i := range n.Tables() {
		of := n.Table(i)
		to, all := spec.Table{Target: of.Target}, &p.Pieces
		end := func() {
			to.Fragments = append(to.Fragments, int32(len(p.Ends)-1))
			p.Ends = append(p.Ends, [2]int32{int32(len(all.Sources)), int32(all.Len())})
		}
		for _, s := range of.Sources {
			all.Sources = append(all.Sources, s)
			end()
		}
		for k := range of.Channels {
			all.Channels, all.Rows = append(all.Channels, of.Channels[k]), append(all.Rows, of.Rows[k])
			if n.Tags() > 1 {
				all.Tags = append(all.Tags, of.Tag(k))
			}
			end()
		}
		p.Tables = append(p.Tables, to)
	}
	in, err := spec.NewNetwork(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if in.Digest() != n.Digest() {
		t.Fatal("the split network is another one")
	}
	return in
}

// TestSearchedSites: every site and source of a table is found, and no other. Its fragments hold a few places each, so
// that there are many.
func TestSearchedSites(t *testing.T) {
	n := dimensionOrder(t, 12, 2, 4, true, spec.Wormhole, func(src, dst spec.NodeID, _ spec.Class) bool {
		return src%7 != dst%5
	})
	packed, err := routing.Compile(t.Context(), routing.FromNetwork(n), routing.CompileOptions{Fragments: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := newSearch(packed)
	for i := range n.Tables() {
		table := n.Table(i)
		for c := range spec.ChannelID(n.Topology().Channels()) {
			at, want := table.Find(c, 0)
			row, got := s.site(int32(i), int32(c), 0)
			if got != want || want && !slices.Equal(packed.Row(row), n.Row(table.Rows[at])) {
				t.Fatalf("table %d, channel %d: row %d, found %v; want %v", i, c, row, got, want)
			}
			hops, legal := packed.Hops(spec.Site{Channel: c, Header: spec.Header{Dest: table.Dest}})
			if legal != want || want && !slices.Equal(hops, n.Row(table.Rows[at])) {
				t.Fatalf("table %d, channel %d: hops %v, %v; want %v", i, c, hops, legal, want)
			}
		}
		for v := range spec.NodeID(n.Topology().Nodes()) {
			if diff := cmp.Diff(len(table.SourcesOf(v)), len(s.sourcesOf(int32(i), v))); diff != "" {
				t.Fatalf("table %d: sources of node %d (-want +got):\n%s", i, v, diff)
			}
		}
	}
	if most := slices.Max([]int{len(packed.Stored(0).Fragments), len(packed.Stored(5).Fragments)}); most < 10 {
		t.Errorf("%d fragments of a table: want many", most)
	}
}
