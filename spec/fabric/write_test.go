package fabric_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/fstest"

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

// TestWayBack: tables and lanes that are written are read as the same network; the tables
// are, but for the head line's last LID, those that OpenSM dumped. So are those of the
// fabric with the routing of its own network.
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

// TestRoutedRefuses: what tables cannot say: a way that depends on where a packet comes
// from, lanes that depend on the destination, and a network of other nodes or cables.
func TestRoutedRefuses(t *testing.T) {
	f := read(t, folder(t, "ring6-minhop"))
	const s0, s1, s2, h0, h2 = 0, 1, 2, 3, 4
	names := []string{"S0", "S1", "S2", "H0", "H2"}
	port := func(v spec.NodeID, out, in string, to spec.NodeID, vcs int) spec.Link {
		return spec.Link{From: v, To: to, VCs: vcs, Out: out, In: in}
	}
	// Channels 0: S0->H0, 1: S1->S0, 2: S1->S2, 3: S2->S1 with one VC; 4: S2->H2.
	links := func(vcs int) []spec.Link {
		return []spec.Link{port(s0, "P3", "P1", h0, 1), port(s1, "P2", "P1", s0, vcs), port(s1, "P1", "P2", s2, 1), port(s2, "P2", "P1", s1, 1), port(s2, "P3", "P1", h2, 1)}
	}
	rows := [][]spec.Hop{{{Channel: spec.Eject}}, {{Channel: 0}}, {{Channel: 1}}, {{Channel: 2}}, {{Channel: 3}}}
	detour := spec.Table{Target: spec.Target{Dest: h0}, Sources: []spec.Source{{Node: s1, Row: 3}}, // to S2, which sends it back
		Channels: []spec.ChannelID{0, 1, 2, 3}, Rows: []spec.RowID{0, 1, 4, 2}}
	straight := spec.Table{Target: spec.Target{Dest: h0}, Sources: []spec.Source{{Node: s1, Row: 2}}, Channels: []spec.ChannelID{0, 1}, Rows: []spec.RowID{0, 1}}
	laned := spec.Table{Target: spec.Target{Dest: s0}, Sources: []spec.Source{{Node: s1, Row: 3}}, Channels: []spec.ChannelID{2}, Rows: []spec.RowID{0}} // on VC 1
	for _, tt := range []struct {
		name   string
		names  []string
		links  []spec.Link
		tables []spec.Table
		want   string
	}{
		{"two ways", names, links(1), []spec.Table{detour}, "S1 forwards LID 1 to port 1 and to port 2: a forwarding table names one"},
		{"two lanes", names, links(2), []spec.Table{laned, straight}, "S1 sends SL 0 from port 0 to port 2 on VL 1 and on VL 0: an SL2VL table names one"},
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
		n, err := spec.NewNetwork(spec.Parts{Name: "x", Topology: topo, Classes: []string{""}, Tags: 1, Buffer: 1, Rows: rows, Tables: tt.tables})
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
