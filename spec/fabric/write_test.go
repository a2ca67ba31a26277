package fabric_test

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/fabric"
)

func written(t *testing.T, write func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestWayBack: tables and lanes that are written are read back as the same network; the
// tables are those that OpenSM dumped, except for the last LID in the head line. The same
// holds for the fabric with the routing of its own network.
func TestWayBack(t *testing.T) {
	for _, name := range []string{"ring6-lash", "ring6-lmc1", "ring6-deadend", "ring6-loop"} {
		dir := folder(t, name)
		f := read(t, dir)
		scope := fabric.Scope{Switches: true, VLs: f.HasVLs()}
		want := network(t, f, scope)
		again, err := f.Routed(want)
		if err != nil {
			t.Fatal(err)
		}
		if got := network(t, again, scope); got.Digest() != want.Digest() {
			t.Errorf("%s: routed by its own network it is another", name)
		}
		for _, of := range []*fabric.Fabric{f, again} {
			tables := written(t, of.WriteTables)
			if got, want := string(tables), string(dir["opensm-lfts.dump"].Data); got != want {
				t.Errorf("%s: other tables than OpenSM's:\n%.300s\nwant\n%.300s", name, got, want)
			}
			back := fstest.MapFS{"subnet": dir["opensm-subnet.lst"], "tables": {Data: tables}}
			if f.HasVLs() {
				back["lanes"], back["paths"] = &fstest.MapFile{Data: written(t, of.WriteLanes)}, dir["psl.txt"]
			}
			if got := network(t, read(t, back), scope); got.Digest() != want.Digest() {
				t.Errorf("%s: another network when read again", name)
			}
		}
	}
}

// TestLayersWayBack: a network of layers without tags, as engines make them, becomes tables
// in which the SL of a packet is its layer. Here they are those of LASH, which OpenSM wrote
// with SLs: without these the network is one of layers, and with them it is the same again.
func TestLayersWayBack(t *testing.T) {
	dir := folder(t, "ring6-lash")
	scope := fabric.Scope{VLs: true}
	n := network(t, read(t, dir), scope)
	p := spec.Parts{Name: "layers", Topology: n.Topology(), Classes: n.Classes(), Tags: 1, Switching: n.Switching(), Buffer: 1}
	var rows [][]spec.Hop // without tags
	for r := range n.RowCount() {
		row := slices.Clone(n.Row(spec.RowID(r)))
		for i := range row {
			row[i].Tag = 0
		}
		rows = append(rows, row)
	}
	p.Rows = slices.CompactFunc(slices.SortedFunc(slices.Values(rows), compareRows), slices.Equal)
	number := func(r spec.RowID) spec.RowID {
		i, _ := slices.BinarySearchFunc(p.Rows, rows[r], compareRows)
		return spec.RowID(i)
	}
	for i := range n.Tables() {
		of := *n.Table(i)
		to := spec.Table{Target: of.Target, Channels: of.Channels}
		for _, s := range of.Sources {
			to.Sources = append(to.Sources, spec.Source{Node: s.Node, Row: number(s.Row)})
		}
		for _, r := range of.Rows {
			to.Rows = append(to.Rows, number(r))
		}
		p.Tables = append(p.Tables, to)
	}
	layers, err := spec.NewNetwork(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	of, err := read(t, fstest.MapFS{"subnet": dir["opensm-subnet.lst"], "tables": dir["opensm-lfts.dump"]}).Routed(layers)
	if err != nil {
		t.Fatal(err)
	}
	back := read(t, fstest.MapFS{"subnet": dir["opensm-subnet.lst"], "tables": {Data: written(t, of.WriteTables)},
		"lanes": {Data: written(t, of.WriteLanes)}, "paths": {Data: written(t, of.WritePaths)}})
	if got := network(t, back, scope); got.Digest() != n.Digest() {
		t.Error("another network when read again")
	}
}

// TestOldLanesGo: a fabric with lanes, rerouted without any, is read back as the new network: what the old SLs
// of paths meant went with the old SL2VL tables.
func TestOldLanesGo(t *testing.T) {
	dir := folder(t, "ring6-lash")
	want := network(t, read(t, dir), fabric.Scope{})
	of, err := read(t, dir).Routed(want)
	if err != nil {
		t.Fatal(err)
	}
	back := read(t, fstest.MapFS{"subnet": dir["opensm-subnet.lst"], "tables": {Data: written(t, of.WriteTables)},
		"lanes": {Data: written(t, of.WriteLanes)}, "paths": {Data: written(t, of.WritePaths)}})
	got := network(t, back, fabric.Scope{VLs: true})
	if got.Tags() != 1 || got.Topology().Channels() != want.Topology().Channels() {
		t.Fatalf("read again: %d tags, %d channels; want 1, %d", got.Tags(), got.Topology().Channels(), want.Topology().Channels())
	}
	for i := range want.Tables() {
		if diff := cmp.Diff(waysOf(want, want.Table(i)), waysOf(got, got.TableOf(want.Table(i).Target))); diff != "" {
			t.Error(diff)
		}
	}
}

// TestFurtherLIDs: a network of one class also routes the further LIDs of a port, like the first: left unchanged,
// they could close the cycle that the network was made to break.
func TestFurtherLIDs(t *testing.T) {
	n := network(t, read(t, folder(t, "ring6-minhop")), fabric.Scope{})
	of, err := read(t, folder(t, "ring6-lmc1")).Routed(n)
	if err != nil {
		t.Fatal(err)
	}
	got := network(t, of, fabric.Scope{})
	if len(n.Classes()) != 1 || len(got.Classes()) != 2 {
		t.Fatalf("classes %q, want the 2 LIDs of a port", got.Classes())
	}
	for i := range n.Tables() {
		want := n.Table(i)
		for class := range got.Classes() {
			table := got.TableOf(spec.Target{Dest: want.Dest, Class: spec.Class(class)})
			if diff := cmp.Diff(waysOf(n, want), waysOf(got, table)); diff != "" {
				t.Errorf("to %d, class %d: %s", want.Dest, class, diff)
			}
		}
	}
}

// waysOf lists the hops of a table.
func waysOf(n *spec.Network, t *spec.Table) map[string]string {
	ways := map[string]string{}
	for i, c := range t.Channels {
		ways[n.Topology().LinkName(n.Topology().LinkOf(c))] = fmt.Sprint(n.Row(t.Rows[i]))
	}
	for _, s := range t.Sources {
		ways[n.Topology().Node(s.Node).Name] = fmt.Sprint(n.Row(s.Row))
	}
	return ways
}

func compareRows(a, b []spec.Hop) int { return slices.CompareFunc(a, b, spec.Hop.Compare) }

// TestAnynet: the ring of six with a host each, by hand.
func TestAnynet(t *testing.T) {
	const want = `router 0 router 1 router 5 node 0
router 1 router 2 node 1
router 2 router 3 node 2
router 3 router 4 node 3
router 4 router 5 node 4
router 5 node 5
`
	if got := string(written(t, read(t, folder(t, "ring6-minhop")).WriteAnynet)); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestRoutedRefuses: what tables cannot express: a route that depends on where a packet
// comes from, lanes that depend on the destination, and a network of other nodes or
// cables.
func TestRoutedRefuses(t *testing.T) {
	f := read(t, folder(t, "ring6-minhop"))
	const s0, s1, s2, h0, h2 = 0, 1, 2, 3, 4
	names := []string{"S0", "S1", "S2", "H0", "H2"}
	port := func(v spec.NodeID, out, in string, to spec.NodeID, vcs int) spec.Link {
		return spec.Link{From: v, To: to, VCs: vcs, Out: out, In: in}
	}
	// Channels 0: S0->H0, 1: S1->S0, 2: S1->S2, 3: S2->S1 with one VC; 4: S2->H2. With two
	// VCs 1 and 2: S1->S0, 3: S1->S2, 4: S2->S1.
	links := func(vcs int) []spec.Link {
		return []spec.Link{port(s0, "P3", "P1", h0, 1), port(s1, "P2", "P1", s0, vcs), port(s1, "P1", "P2", s2, 1),
			port(s2, "P2", "P1", s1, 1), port(s2, "P3", "P1", h2, 1)}
	}
	rows := [][]spec.Hop{{{Channel: spec.Eject}}, {{Channel: 0}}, {{Channel: 1}}, {{Channel: 2}}, {{Channel: 3}}, {{Channel: 4}}}
	detour := spec.Table{Target: spec.Target{Dest: h0}, Sources: []spec.Source{{Node: s1, Row: 3}}, // to S2, which sends it back
		Channels: []spec.ChannelID{0, 1, 2, 3}, Rows: []spec.RowID{0, 1, 4, 2}}
	straight := spec.Table{Target: spec.Target{Dest: h0}, Sources: []spec.Source{{Node: s1, Row: 2}},
		Channels: []spec.ChannelID{0, 1}, Rows: []spec.RowID{0, 1}}
	// from S2, so with the lane of S2->S1 as SL: on VC 1 from S1, and on VC 0
	laned := spec.Table{Target: spec.Target{Dest: s0}, Sources: []spec.Source{{Node: s2, Row: 5}}, Channels: []spec.ChannelID{2, 4}, Rows: []spec.RowID{0, 3}}
	behind := spec.Table{Target: spec.Target{Dest: h0}, Sources: []spec.Source{{Node: s2, Row: 5}},
		Channels: []spec.ChannelID{0, 1, 4}, Rows: []spec.RowID{0, 1, 2}}
	for _, tt := range []struct {
		name   string
		names  []string
		links  []spec.Link
		tables []spec.Table
		want   string
	}{
		{"two ways", names, links(1), []spec.Table{detour}, "S1 forwards LID 1 to port 1 and to port 2: a forwarding table names one"},
		{"two lanes", names, links(2), []spec.Table{laned, behind}, "S1 sends SL 0 from port 1 to port 2 on VL 1 and on VL 0: an SL2VL table names one"},
		{"other nodes", []string{"S0", "S1", "S2", "H0", "elsewhere"}, links(1), []spec.Table{straight}, `ring6 has no node "elsewhere"`},
		{"other cables", []string{"S0", "S2", "S1", "H0", "H2"}, links(1), []spec.Table{straight}, "ring6 has no cable S2->S0"},
	} {
		topo := spec.NewTopology()
		for _, name := range tt.names {
			topo.AddNode(name)
		}
		for _, l := range tt.links {
			topo.AddLink(l)
		}
		n, err := spec.NewNetwork(t.Context(), spec.Parts{Name: "x", Topology: topo, Classes: []string{""}, Tags: 1, Buffer: 1, Rows: rows, Tables: tt.tables})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if _, err := f.Routed(n); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	if _, err := f.Routed(network(t, f, fabric.Scope{})); err != nil {
		t.Error(err)
	}
}
