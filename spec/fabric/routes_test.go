package fabric_test

import (
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
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

// TestIncomplete: whether a table is whole is told by the number in its last line, which counts entries (ibroute,
// dump_lfts) or is the last LID (OpenSM), or by the range in its head, or by the LIDs listed (opensm.fdbs). If it is
// not, LIDs without a line are unknown; where OpenSM's number or a range tells alone, those beyond the last line. A
// whole table has no entry for them. The pairs are those whose packets cross the switch to such a LID in the whole dump.
func TestIncomplete(t *testing.T) {
	const lfts, discovered, fdbs = "opensm-lfts.dump", "dump_lfts.txt", "opensm.fdbs"
	without := func(lids ...string) func(string) string { // the first table: that of S0, and of S3 in dump_lfts.txt
		return func(text string) string {
			for _, lid := range lids {
				before, after, _ := strings.Cut(text, "0x000"+lid+" ")
				_, after, _ = strings.Cut(after, "\n")
				text = before + after
			}
			return text
		}
	}
	noEnds := func(edit func(string) string) func(string) string {
		return func(text string) string {
			return strings.NewReplacer("12 valid lids dumped \n", "", "12 lids dumped\n", "").Replace(edit(text))
		}
	}
	all := func(edit func(string) string) func(string) string { // as ibroute -a dumps them: LID 0, and those without a port
		return func(text string) string {
			text = strings.Replace(text, "0x000c 001", "0x000c 255", 1)
			return edit(strings.NewReplacer("Info \n", "Info \n0x0000 255 : (illegal port)\n", "12 valid lids", "13 lids").Replace(text))
		}
	}
	for _, tt := range []struct {
		name, file string
		edit       func(string) string
		lost       []int  // LIDs that are unknown
		none       []int  // LIDs without an entry
		warning    string // the last one about a table
	}{
		{"whole", discovered, without(), nil, nil, ""},
		{"the end, with its last line", discovered, without("9", "a", "b", "c"), []int{9, 10, 11, 12}, nil,
			"the forwarding table of S3 has 8 entries, but 12 by its last line, at ring6/dump_lfts.txt:12: is the dump cut?"},
		{"a hole", discovered, without("2", "5"), []int{2, 5}, nil,
			"the forwarding table of S3 has 10 entries, but 12 by its last line, at ring6/dump_lfts.txt:14: is the dump cut?"},
		{"a hole, and a line twice", discovered, func(text string) string {
			return strings.Replace(without("5")(text), "0x0008 002\n", "0x0008 002\n0x0008 002\n", 1)
		}, []int{5}, nil,
			"the forwarding table of S3 has 11 entries, but 12 by its last line, at ring6/dump_lfts.txt:15: is the dump cut?"},
		{"a count that fits", discovered, func(text string) string {
			return strings.Replace(without("5")(text), "12 valid", "11 valid", 1)
		}, nil, []int{5}, ""},
		{"all, whole", discovered, all(without()), nil, []int{12}, ""},
		{"all, a hole", discovered, all(without("5")), []int{5}, []int{12},
			"the forwarding table of S3 has 12 entries, but 13 by its last line, at ring6/dump_lfts.txt:16: is the dump cut?"},
		{"a part", discovered, func(text string) string {
			text = without("1", "2", "3", "4")(text)
			return strings.Replace(strings.Replace(text, "[0x0-0xc]", "[0x5-0xc]", 1), "12 valid", "8 valid", 1)
		}, []int{1, 2, 3, 4}, nil, "the forwarding table of S3, at ring6/dump_lfts.txt:1, begins with LID 5: want all LIDs"},
		{"no last lines", discovered, noEnds(without("b", "c")), []int{11, 12}, nil,
			`no forwarding table, such as that of S0, at ring6/dump_lfts.txt:74, has the line "... lids dumped" at its end: are the dumps cut?`},
		{"OpenSM, the end", lfts, without("b", "c"), []int{11, 12}, nil,
			"the forwarding table of S0 ends at LID 10, but at LID 12 by its last line, at ring6/opensm-lfts.dump:12: is the dump cut?"},
		{"OpenSM, no entry", lfts, without("a"), nil, []int{10}, ""},
		{"OpenSM, the end has no entry", lfts, func(text string) string {
			return strings.Replace(text, "0x000c 002", "0x000c 255", 1)
		}, nil, []int{12}, ""},
		{"OpenSM, no last lines", lfts, noEnds(without("b", "c")), []int{11, 12}, nil,
			`no forwarding table, such as that of S0, at ring6/opensm-lfts.dump:1, has the line "... lids dumped" at its end: are the dumps cut?`},
		{"fdbs, whole", fdbs, without(), nil, nil, ""},
		{"fdbs, no entry", fdbs, func(text string) string {
			return strings.Replace(text, "0x0005 : 001  : 02   : yes", "0x0005 : UNREACHABLE", 1)
		}, nil, []int{5}, ""},
		{"fdbs, a hole", fdbs, without("5"), []int{5}, nil,
			"the forwarding table of S0, at ring6/opensm.fdbs:1, has lines for 11 of the LIDs up to 12, but opensm.fdbs lists each: is the dump cut?"},
		{"fdbs, the end", fdbs, without("B", "C"), []int{11, 12}, nil,
			"the forwarding table of S0, at ring6/opensm.fdbs:1, has lines for 10 of the LIDs up to 12, but opensm.fdbs lists each: is the dump cut?"},
	} {
		dir, topology, at := fstest.MapFS{}, "opensm-subnet.lst", 0
		from := folder(t, "ring6-minhop")
		if tt.file == discovered {
			from, topology, at = folder(t, "ring6-discovered"), "ibnetdiscover.txt", 3
		}
		dir[topology], dir[tt.file] = from[topology], from[tt.file]
		f := read(t, dir)
		want, wantLost := 0, 0
		for lid := 1; lid <= 12; lid++ {
			for v := range f.Nodes {
				crosses := func(x fabric.Step) bool { return x.From.Node == at }
				if v == f.Owner(lid) || !slices.ContainsFunc(f.Route(v, lid, 0, false), crosses) {
					continue
				}
				if slices.Contains(tt.lost, lid) {
					wantLost++
					want++
				} else if slices.Contains(tt.none, lid) {
					want++
				}
			}
		}
		dir[tt.file] = &fstest.MapFile{Data: []byte(tt.edit(string(from[tt.file].Data)))}
		f = read(t, dir)
		got, err := f.Faults(t.Context())
		if err != nil || got.OpenPairs != wantLost || got.Pairs != want {
			t.Errorf("%s: %+v, %v: want %d pairs, %d unknown", tt.name, got, err, want, wantLost)
		}
		warning := ""
		for _, w := range f.Warnings {
			if strings.Contains(w, "forwarding table") {
				warning += w
			}
		}
		if warning != tt.warning {
			t.Errorf("%s: %q, want %q", tt.name, warning, tt.warning)
		}
		if len(tt.lost) > 0 { // a file would say that there is no entry
			want := fmt.Sprintf("ring6: the forwarding table of %s is missing from the dumps or incomplete there: its entry for LID %d is unknown",
				f.Nodes[at].Name, tt.lost[0])
			if err := f.WriteTables(io.Discard); err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", tt.name, err, want)
			}
			continue
		}
		// Written and read again, a table that was whole still is.
		back := fstest.MapFS{topology: from[topology], "tables": {Data: written(t, f.WriteTables)}}
		if again, err := read(t, back).Faults(t.Context()); err != nil || !cmp.Equal(again, got) {
			t.Errorf("%s: written and read again: %+v, %v, want %+v", tt.name, again, err, got)
		}
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
