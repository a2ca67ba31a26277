package fabric_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-105a2da2/unknot/spec/fabric"
)

// TestFaults: where packets end other than at their LID, and how many pairs are affected.
// The counts for the dumps with a loop and with a missing entry are those of an
// independent check of the same dumps; where S0 forwards LID 1 to a port without a cable,
// H0 is cut off from 5 hosts and 6 switches, S0 among them.
func TestFaults(t *testing.T) {
	edited := func(old, new string) fs.FS {
		dir := folder(t, "ring6-minhop", "opensm-subnet.lst", "opensm-lfts.dump")
		text := string(dir["opensm-lfts.dump"].Data)
		if !strings.Contains(text, old) {
			t.Fatalf("no %s", old)
		}
		dir["opensm-lfts.dump"].Data = []byte(strings.Replace(text, old, new, 1)) // of S0
		return dir
	}
	for _, tt := range []struct {
		name             string
		dir              fs.FS
		kind             fabric.FaultKind
		lid              int
		at               string
		hostPairs, pairs int
	}{
		{"loop", folder(t, "ring6-loop"), fabric.Loop, 11, "S1 port 1", 2, 4},
		{"no entry", folder(t, "ring6-deadend"), fabric.NoEntry, 11, "S2 port 255", 1, 2},
		{"no cable", edited("0x0001 003", "0x0001 009"), fabric.NoCable, 1, "S0 port 9", 5, 11},
		{"wrong switch", edited("0x0001 003", "0x0001 000"), fabric.Stranger, 1, "S0 port 0", 5, 11},
	} {
		f := read(t, tt.dir)
		got, err := f.Faults(t.Context())
		if err != nil || len(got.Listed) != 1 {
			t.Errorf("%s: %+v, %v: want one fault", tt.name, got, err)
			continue
		}
		x := got.Listed[0]
		if x.Kind != tt.kind || x.LID != tt.lid || f.End(x.At) != tt.at || got.HostPairs != tt.hostPairs || got.Pairs != tt.pairs {
			t.Errorf("%s: %s of LID %d at %s, %d pairs of hosts, %d in all", tt.name, x.Kind, x.LID, f.End(x.At), got.HostPairs, got.Pairs)
		}
	}
	got, err := read(t, folder(t, "ring6-minhop")).Faults(t.Context())
	if err != nil || got.Pairs != 0 || len(got.Listed) != 0 {
		t.Errorf("faults of a fabric in order: %+v, %v", got, err)
	}
}

// withoutTable omits the table of a switch from a dump.
func withoutTable(t *testing.T, dir fstest.MapFS, name string) fstest.MapFS {
	t.Helper()
	before, from, ok := strings.Cut(string(dir["opensm-lfts.dump"].Data), "('"+name+"'):\n")
	if !ok {
		t.Fatalf("no table of %s", name)
	}
	_, after, _ := strings.Cut(from, "Unicast lids ")
	head := before[:strings.LastIndex(before, "Unicast lids ")]
	if after != "" {
		after = "Unicast lids " + after
	}
	delete(dir, "opensm.fdbs")
	dir["opensm-lfts.dump"] = &fstest.MapFile{Data: []byte(head + after)}
	return dir
}

// TestNoTable: without the table of a switch, it is unknown whether pairs whose packets
// go through that switch reach each other, as they do with the table; nothing else
// changes.
func TestNoTable(t *testing.T) {
	whole := read(t, folder(t, "ring6-lash"))
	for s := range whole.Switches {
		want := 0
		for u := whole.Switches; u < len(whole.Nodes); u++ {
			for v := whole.Switches; v < len(whole.Nodes); v++ {
				if u != v && slices.ContainsFunc(whole.Route(u, whole.Nodes[v].LID, 0, false), func(x fabric.Step) bool { return x.From.Node == s }) {
					want++
				}
			}
		}
		f := read(t, withoutTable(t, folder(t, "ring6-lash"), whole.Nodes[s].Name))
		got, err := f.Faults(t.Context())
		if err != nil || got.OpenHostPairs != want || got.HostPairs != want || got.OpenPairs != got.Pairs ||
			got.OpenPairs <= want || got.Listed[0].Kind != fabric.NoTable {
			t.Errorf("without the table of %s: %+v, %v: want %d pairs of hosts", whole.Nodes[s].Name, got, err, want)
		}
	}
}

// TestBrokenOff: where a table breaks off, it is unknown what becomes of the LIDs beyond, and of them alone: the tables of
// ring6-discovered list the LIDs 1 to 12, those of hosts among them. A last LID that is listed as unreachable is told.
func TestBrokenOff(t *testing.T) {
	whole := folder(t, "ring6-discovered")
	text := string(whole["dump_lfts.txt"].Data)
	head, table, _ := strings.Cut(text, "(S3):\n")
	lines := strings.SplitAfter(table, "\n") // two of headings, twelve of entries, and their number
	for keep := range 12 {
		dir := folder(t, "ring6-discovered")
		dir["dump_lfts.txt"] = &fstest.MapFile{Data: []byte(head + "(S3):\n" + strings.Join(slices.Concat(lines[:2+keep], lines[15:]), ""))}
		f := read(t, dir)
		got, err := f.Faults(t.Context())
		if err != nil || got.OpenPairs == 0 || got.OpenPairs != got.Pairs || got.OpenHostPairs != got.HostPairs {
			t.Errorf("%d entries: %+v, %v: want pairs that are unknown, and no others", keep, got, err)
			continue
		}
		for _, x := range got.Listed {
			if x.Kind != fabric.CutTable || x.LID <= keep || f.Nodes[x.At.Node].Name != "S3" {
				t.Errorf("%d entries: %s of LID %d at %s", keep, x.Kind, x.LID, f.Nodes[x.At.Node].Name)
			}
		}
	}
	dir := folder(t, "ring6-discovered")
	dir["dump_lfts.txt"] = &fstest.MapFile{Data: []byte(head + "(S3):\n" +
		strings.Join(slices.Concat(lines[:13], []string{"0x000c UNREACHABLE\n"}, lines[15:]), ""))}
	if got, err := read(t, dir).Faults(t.Context()); err != nil || got.Pairs == 0 || got.OpenPairs > 0 {
		t.Errorf("%+v, %v: want pairs that do not reach each other", got, err)
	}
}

// TestLanes: the VL is given by the row for both ports and by the SL: the rows of S0 for
// packets from its host (port 3) and from S5 (port 2) to S1 (port 1) are made to differ.
// Both routes go over that cable, wherever the network has hosts inject.
func TestLanes(t *testing.T) {
	dir := folder(t, "ring6-lash")
	text := string(dir["opensm-sl2vl.dump"].Data)
	for _, row := range []struct{ old, new string }{
		{"2   1   : 0  1  2 ", "2   1   : 4  5  6 "}, {"3   1   : 0  1  2 ", "3   1   : 7  3  0 "},
	} {
		text = strings.Replace(text, row.old, row.new, 1) // the first block is that of S0
	}
	dir["opensm-sl2vl.dump"].Data = []byte(text)
	f := read(t, dir)
	const s0, s1, h0, lidS1 = 0, 1, 6, 3
	for sl, want := range []int{7, 3, 0} {
		steps := f.Route(h0, lidS1, sl, true)
		if len(steps) != 2 || steps[1] != (fabric.Step{From: fabric.Peer{Node: s0, Port: 1}, To: fabric.Peer{Node: s1, Port: 2}, VL: want}) {
			t.Errorf("SL %d: %v, want VL %d from S0 to S1", sl, steps, want)
		}
	}
	for _, direct := range []bool{false, true} {
		n := network(t, f, fabric.Scope{Switches: true, VLs: true, Direct: direct})
		topo := n.Topology()
		vls := map[int]bool{}
		for i := range n.Tables() {
			for _, c := range n.Table(i).Channels {
				if topo.Tail(c) == s0 && topo.Head(c) == s1 {
					vls[topo.VC(c)] = true
				}
			}
		}
		// From S0 itself packets keep VL 0 to 2; lash puts routes from H0 and from S5 on SL 0 or 1.
		if !(vls[7] || vls[3]) || !(vls[4] || vls[5]) {
			t.Errorf("direct %v: VLs %v from S0 to S1", direct, vls)
		}
	}
}
