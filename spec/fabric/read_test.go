package fabric_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/fabric"
)

// folder returns some files of a folder of testdata; all of them if none is named. The
// dumps are OpenSM's and ibnetdiscover's of a ring of six switches with a host each.
func folder(t testing.TB, name string, files ...string) fstest.MapFS {
	t.Helper()
	dir := os.DirFS("testdata/" + name)
	if len(files) == 0 {
		entries, err := fs.ReadDir(dir, ".")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			files = append(files, e.Name())
		}
	}
	out := fstest.MapFS{}
	for _, file := range files {
		text, err := fs.ReadFile(dir, file)
		if err != nil {
			t.Fatal(err)
		}
		out[file] = &fstest.MapFile{Data: text}
	}
	return out
}

func read(t testing.TB, dir fs.FS) *fabric.Fabric {
	t.Helper()
	f, err := fabric.Read(t.Context(), dir, fabric.Options{Name: "ring6"})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func network(t testing.TB, f *fabric.Fabric, scope fabric.Scope) *spec.Network {
	t.Helper()
	n, err := f.Network(t.Context(), scope, 0)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestRead: the contents of the dumps in testdata/ring6-lash, by eye.
func TestRead(t *testing.T) {
	f := read(t, folder(t, "ring6-lash"))
	if len(f.Nodes) != 12 || f.Switches != 6 || f.Asked != "lash" || f.Used != "lash" || !f.HasVLs() {
		t.Fatalf("%d nodes, %d switches, asked for %s, used %s", len(f.Nodes), f.Switches, f.Asked, f.Used)
	}
	var names []string
	for _, n := range f.Nodes {
		names = append(names, n.Name)
	}
	if want := "S0 S1 S2 S3 S4 S5 H0 H1 H2 H3 H4 H5"; strings.Join(names, " ") != want {
		t.Errorf("nodes %s, want %s", strings.Join(names, " "), want)
	}
	if s0 := f.Nodes[0]; s0.LID != 2 || s0.Peer(1) != (fabric.Peer{Node: 1, Port: 2}) ||
		s0.Peer(3) != (fabric.Peer{Node: 6, Port: 1}) || s0.Peer(9).Node != -1 {
		t.Errorf("S0: %+v", s0)
	}
	if f.Owner(1) != 6 || f.Owner(0) != -1 || f.Owner(0x13) != -1 {
		t.Errorf("LID 1 belongs to node %d, LID 0 to %d, LID 19 to %d", f.Owner(1), f.Owner(0), f.Owner(19))
	}
}

// refusing is a folder some of whose files may not be opened.
type refusing struct {
	fstest.MapFS
	names []string
}

func (f refusing) Open(name string) (fs.File, error) {
	if slices.Contains(f.names, name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return f.MapFS.Open(name)
}

// TestFoldersAsTheyAre: OpenSM writes into the folder of all logs, some of which not
// everybody may read: those are skipped, with a warning. A dump that cannot be read, a
// folder of too many files and dumps of two subnets are refused, each with its reason.
func TestFoldersAsTheyAre(t *testing.T) {
	logs := folder(t, "ring6-minhop")
	logs["secure.log"] = &fstest.MapFile{}
	f := read(t, refusing{logs, []string{"secure.log"}})
	if !slices.ContainsFunc(f.Warnings, func(w string) bool { return strings.Contains(w, "secure.log: cannot be read") }) {
		t.Errorf("warnings %q", f.Warnings)
	}
	many := folder(t, "ring6-minhop")
	for i := range 1000 {
		many[fmt.Sprint("a", i)] = &fstest.MapFile{Data: []byte("x")}
	}
	other := string(logs["opensm-subnet.lst"].Data)
	two := folder(t, "ring6-minhop")
	two["other.lst"] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(strings.ReplaceAll(other, "0000000000",
		"0000000055"), "SystemGUID:0000000055", "SystemGUID:0000000000"))}
	for want, dir := range map[string]fs.FS{
		"opensm-subnet.lst: permission denied":        refusing{logs, []string{"opensm-subnet.lst"}},
		"more than 1000 files in net":                 many,
		"want dumps of one subnet, taken at one time": two,
	} {
		_, err := fabric.Read(t.Context(), dir, fabric.Options{Name: "net"})
		if err == nil || !strings.Contains(err.Error(), want) || !fabric.Is(dir) {
			t.Errorf("%v, taken for dumps: %t; want %q", err, fabric.Is(dir), want)
		}
	}
}

func packed(t testing.TB, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestDialectsAgree: one fabric in all dialects is one network: from the subnet list or
// ibnetdiscover, from opensm.fdbs or either dump of tables; packed or not.
func TestDialectsAgree(t *testing.T) {
	zipped := folder(t, "ring6-minhop")
	for name, file := range zipped {
		delete(zipped, name)
		zipped[name+".gz"] = &fstest.MapFile{Data: packed(t, file.Data)}
	}
	mixed := folder(t, "ring6-minhop")
	maps.Copy(mixed, folder(t, "ring6-discovered"))
	want := network(t, read(t, folder(t, "ring6-minhop")), fabric.Scope{Switches: true}).Digest()
	for what, dir := range map[string]fs.FS{
		"fdbs": folder(t, "ring6-minhop", "opensm-subnet.lst", "opensm.fdbs"), "lfts": folder(t, "ring6-minhop", "opensm-subnet.lst", "opensm-lfts.dump"),
		"ibnetdiscover": folder(t, "ring6-discovered"), "gzip": zipped, "all": mixed,
	} {
		if !fabric.Is(dir) {
			t.Errorf("%s: not taken for a fabric", what)
		}
		if got := network(t, read(t, dir), fabric.Scope{Switches: true}).Digest(); got != want {
			t.Errorf("%s: another network", what)
		}
	}
}

// TestLMC: hosts have two LIDs each, switches one. The dump of tables names the owner of
// each LID; with opensm.fdbs alone it follows from the LIDs.
func TestLMC(t *testing.T) {
	for _, tables := range []string{"opensm-lfts.dump", "opensm.fdbs"} {
		f := read(t, folder(t, "ring6-lmc1", "opensm-subnet.lst", tables))
		n := network(t, f, fabric.Scope{})
		if got, want := n.Tables(), 12; got != want {
			t.Errorf("%s: %d tables, want %d", tables, got, want)
		}
		if h0 := f.Nodes[6]; h0.LID != 2 || h0.LMC != 1 || f.Owner(3) != 6 || f.Owner(1) != -1 {
			t.Errorf("%s: H0 has LID %d and LMC %d", tables, h0.LID, h0.LMC)
		}
	}
}

// TestNoLID: a host that has no LID yet neither sends nor receives, and no LMC follows
// from LIDs that no port has.
func TestNoLID(t *testing.T) {
	dir := folder(t, "ring6-lmc1", "opensm-subnet.lst", "opensm.fdbs")
	subnet := string(dir["opensm-subnet.lst"].Data)
	for _, lid := range []string{"LID:0008 PN:01 }", "LID:000C PN:01 }"} { // of H1 and H2
		if !strings.Contains(subnet, lid) {
			t.Fatalf("no %s", lid)
		}
		subnet = strings.ReplaceAll(subnet, lid, "LID:0000 PN:01 }")
	}
	dir["opensm-subnet.lst"].Data = []byte(subnet)
	f := read(t, dir)
	if h0 := f.Nodes[6]; h0.LMC != 0 {
		t.Errorf("H0 has LMC %d", h0.LMC)
	}
	n := network(t, f, fabric.Scope{})
	if got, want := n.FlowCount(), 4*3; got != want {
		t.Errorf("%d flows, want %d: between four hosts", got, want)
	}
	for _, want := range []string{"that no port has", "2 of 6 ports of hosts have no LID, as H1: they neither send nor receive"} {
		if !strings.Contains(strings.Join(f.Warnings, "\n"), want) {
			t.Errorf("warnings %q, want %s", f.Warnings, want)
		}
	}
}

// TestLeaveOut: hosts that are left out have no flows, and tables that route to them are no fault.
func TestLeaveOut(t *testing.T) {
	f, err := fabric.Read(t.Context(), folder(t, "ring6-minhop"), fabric.Options{LeaveOut: []string{"H1", "H4"}})
	if err != nil {
		t.Fatal(err)
	}
	n := network(t, f, fabric.Scope{})
	if got, want := n.FlowCount(), 4*3; got != want {
		t.Errorf("%d flows, want %d: between four hosts", got, want)
	}
	if want := "fabric: host to host, one VL, without 2 of 6 hosts"; n.Name() != want {
		t.Errorf("the network is called %q, want %q: each form of its verdicts must tell", n.Name(), want)
	}
	faults, err := f.Faults(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if lost, open := faults.Unreached(fabric.Scope{}); lost+open > 0 || strings.Contains(strings.Join(f.Warnings, ""), "LID") ||
		!slices.Contains(f.Warnings, "2 of 6 hosts are left out, as H1: no answer covers packets to or from them") {
		t.Errorf("%d pairs lost, %d open, warnings %q", lost, open, f.Warnings)
	}
	for _, wrong := range []string{"h4", "", "H"} { // none ends so: a host's own text must not take others with it
		if _, err := fabric.Read(t.Context(), folder(t, "ring6-minhop"), fabric.Options{LeaveOut: []string{"H1", wrong}}); err == nil {
			t.Errorf("%q leaves out nobody, without a word", wrong)
		}
	}
}

// TestDirect: if hosts inject at their switch, their cables and the sites there are
// left out: one site for each of 6 x 5 pairs.
func TestDirect(t *testing.T) {
	f := read(t, folder(t, "ring6-minhop"))
	whole, direct := network(t, f, fabric.Scope{}), network(t, f, fabric.Scope{Direct: true})
	if got, want := direct.SiteCount(), whole.SiteCount()-30; got != want {
		t.Errorf("%d sites, want %d", got, want)
	}
	if got, want := direct.Topology().Links(), whole.Topology().Links()-6; got != want {
		t.Errorf("%d links, want %d", got, want)
	}
}

// TestSwitchWithoutLID: what hosts send does not need the LID of a switch: all six
// switches lose theirs, and the traffic of hosts stays the same.
func TestSwitchWithoutLID(t *testing.T) {
	dir := folder(t, "ring6-minhop", "opensm-subnet.lst", "opensm.fdbs")
	want := read(t, dir)
	text := regexp.MustCompile(`(\{S\d\} LID:)....`).ReplaceAll(dir["opensm-subnet.lst"].Data, []byte("${1}0000"))
	dir["opensm-subnet.lst"].Data = text
	got := read(t, dir)
	if got.Nodes[0].LID != 0 {
		t.Fatalf("S0 has LID %d", got.Nodes[0].LID)
	}
	for _, direct := range []bool{false, true} {
		scope := fabric.Scope{Direct: direct}
		if network(t, got, scope).Digest() != network(t, want, scope).Digest() {
			t.Errorf("direct %v: another network", direct)
		}
	}
	scope := fabric.Scope{Switches: true, Direct: true} // switches neither send nor receive
	if network(t, got, scope).Tables() != 6 || network(t, got, scope).SiteCount() != network(t, want, fabric.Scope{Direct: true}).SiteCount() {
		t.Error("switches without a LID take part")
	}
}

// TestOneVoice: if two SL2VL dumps differ, the first counts, and a warning says where.
func TestOneVoice(t *testing.T) {
	dir := folder(t, "ring6-lash")
	scope := fabric.Scope{VLs: true}
	want := network(t, read(t, dir), scope).Digest()
	other := bytes.ReplaceAll(dir["opensm-sl2vl.dump"].Data, []byte(" 0  1  2 "), []byte(" 0  0  0 "))
	dir["yesterday"] = &fstest.MapFile{Data: other}
	f := read(t, dir)
	if network(t, f, scope).Digest() != want {
		t.Error("the second dump stands")
	}
	const warning = "ring6/yesterday:4: 0000000000200000 puts packets from port 0 to port 1 into other VLs than before; the first row stands"
	if !slices.Contains(f.Warnings, warning) {
		t.Errorf("warnings %q, want %s", f.Warnings, warning)
	}
}

// TestLog: the log of OpenSM tells that an engine gave up, and which one made the
// tables. It tried ftree on a torus for the second line, which is from another time than
// the fourth.
func TestLog(t *testing.T) {
	const (
		begin  = "Nov 23 07:44:23 373186 [AC729740] 0x43 -> OpenSM 3.3.23\n"
		failed = "Nov 23 07:44:23 606139 [A97226C0] 0x01 -> ucast_mgr_route: ftree: cannot build lid matrices\n"
		updn   = "Nov 23 07:44:23 606139 [A97226C0] 0x01 -> ucast_mgr_route: updn: cannot build lid matrices\n"
		made   = "Nov 23 07:44:23 606238 [A97226C0] 0x02 -> osm_ucast_mgr_process: minhop tables configured on all switches\n"
		none   = "Nov 23 07:50:23 149667 [B265D6C0] 0x01 -> osm_ucast_mgr_process: No routing engine able to successfully configure  switch tables on current fabric\n"
		fell   = "the subnet manager was told to route by ftree and fell back to minhop"
		older  = "ring6/opensm.log: in the last run no engine could route the fabric: the tables are older"
		ends   = "ring6/opensm.log: ends after ftree gave up: it does not say which engine made the tables"
		long   = "ring6/opensm.log: read in part only: ring6/opensm.log:2:1: the line has more than 65536 bytes"
	)
	for _, tt := range []struct {
		name, log, used string
		want            []string
	}{
		{"fell back", begin + failed + made, "minhop", []string{fell}},
		{"twice", begin + failed + updn + made, "minhop", []string{fell}},
		{"as told", begin + made, "minhop", nil},
		{"before", begin + failed + made + made, "minhop", nil},
		{"none", begin + failed + made + failed + none, "", []string{older}},
		{"cut off", begin + made + failed, "minhop", []string{ends}},
		{"lines end in CRLF", strings.ReplaceAll(begin+failed+made, "\n", "\r\n"), "minhop", []string{fell}},
		{"since", begin + failed + none + made, "minhop", nil},
		{"long line", begin + strings.Repeat("x", 1<<17) + "\n" + made, "", []string{long}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := folder(t, "ring6-discovered")
			dir["opensm.log"] = &fstest.MapFile{Data: []byte(tt.log)}
			dir["opensm.log.1"] = &fstest.MapFile{Data: []byte(begin + "x\n" + updn + made)} // rotated away
			var got []string
			f := read(t, dir)
			for _, w := range f.Warnings {
				if !strings.Contains(w, "the route back") {
					got = append(got, w)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || f.Used != tt.used {
				t.Errorf("used %q, want %q; warnings (-want +got):\n%s", f.Used, tt.used, diff)
			}
		})
	}
}

// TestPathRecords: path records as saquery prints them mean the same as path SLs.
func TestPathRecords(t *testing.T) {
	scope := fabric.Scope{Switches: true, VLs: true}
	dir := folder(t, "ring6-lash")
	f := read(t, dir)
	want := network(t, f, scope).Digest()
	lids := map[string]int{}
	for _, n := range f.Nodes {
		lids[fmt.Sprintf("0x%016x", n.GUID)] = n.LID
	}
	var records strings.Builder
	for l := range strings.Lines(string(dir["psl.txt"].Data)) {
		of := strings.Fields(l)
		fmt.Fprintf(&records,
			"PathRecord dump:\n\t\tdgid....................fe80::20:1\n\t\tdlid....................%s\n\t\tslid....................%d\n\t\tsl......................0x%s\n\t\tmtu.....................0x83\n",
			of[1], lids[of[0]], of[2])
	}
	delete(dir, "psl.txt")
	dir["paths"] = &fstest.MapFile{Data: []byte(records.String())}
	if network(t, read(t, dir), scope).Digest() != want {
		t.Error("another network")
	}
	dir["paths"] = &fstest.MapFile{Data: []byte("PathRecord dump:\n\tdlid..3\n\tslid..99\n\tsl..0x1\n")}
	if f := read(t, dir); !slices.Contains(f.Warnings, "LIDs in path records that no node has, ignored: 1") {
		t.Errorf("warnings %q: want one of a LID that no node has", f.Warnings)
	}
	for text, want := range map[string]string{
		"PathRecord dump:\n\tslid..1\n\tsl..0x1\n":         "ring6/paths:3:9: an SL before the LIDs of the path",
		"PathRecord dump:\n\tslid..x\n":                    "ring6/paths:2:8: want a number in base 10, at most 49151",
		"PathRecord dump:\n\tslid..1\n\tdlid..2\n\tsl..16": "ring6/paths:4:6: want a number in base 10, at most 15",
	} {
		dir["paths"] = &fstest.MapFile{Data: []byte(text)}
		if _, err := fabric.Read(t.Context(), dir, fabric.Options{Name: "ring6"}); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestComments: comments and a byte order mark before a dump do not hide what it is.
func TestComments(t *testing.T) {
	scope := fabric.Scope{VLs: true}
	want := network(t, read(t, folder(t, "ring6-lash")), scope).Digest()
	for _, before := range []string{"# collected on Monday\n", "\ufeff", "\ufeff# collected\r\n\r\n"} {
		dir := folder(t, "ring6-lash")
		for name, file := range dir {
			if name != "meta.json" {
				file.Data = append([]byte(before), file.Data...)
			}
		}
		if network(t, read(t, dir), scope).Digest() != want {
			t.Errorf("%q: another network", before)
		}
	}
}

// TestStrangers: SLs and lanes under a GUID that no node has are left out, with a
// warning: path SLs of ports, as saquery lists them, would otherwise apply to no node.
func TestStrangers(t *testing.T) {
	dir := folder(t, "ring6-lash")
	dir["psl.txt"].Data = bytes.ReplaceAll(dir["psl.txt"].Data, []byte("0x000000000010000"), []byte("0x000000000090000"))
	dir["opensm-sl2vl.dump"].Data = bytes.Replace(dir["opensm-sl2vl.dump"].Data, []byte("Switch 0x0000000000200005"), []byte("Switch 0x0000000000300005"), 1)
	f := read(t, dir)
	for _, want := range []string{
		"path SLs: no node has the GUID 0000000000900000 (",
		"SL2VL tables: no switch or port of a host has the GUID 0000000000300005 (1 such): left out",
	} {
		if !strings.Contains(strings.Join(f.Warnings, "\n"), want) {
			t.Errorf("warnings %q, want %s", f.Warnings, want)
		}
	}
}

// TestOtherListsOfOpenSM: what OpenSM keeps in its cache, or is told in files, beside its dumps, is not read: guid2lid is as
// osm_db_pack.c writes it (pack_guid, pack_lids), the others as the manual of opensm describes them.
func TestOtherListsOfOpenSM(t *testing.T) {
	dir := folder(t, "ring6-lash")
	want := read(t, dir)
	for name, text := range map[string]string{
		"guid2lid":      "0x0000000000100001 0x0001 0x0001\n\n0x0000000000200000 0x0002 0x0002\n\n",
		"guid2mkey":     "0x0000000000100001 0x0000000000000000\n\n",
		"neighbors":     "0x0000000000100001:1 0x0000000000200000:3\n\n",
		"node-name-map": "0x0000000000200000 \"ISR 9024 leaf 1\"\n",
		"root-guids":    "0x0000000000200000\n",
		"port-search":   "0x0000000000200000 3 2 1\n",
	} {
		dir[name] = &fstest.MapFile{Data: []byte(text)}
		got := read(t, dir)
		if diff := cmp.Diff([]any{want.Files, want.Warnings, network(t, want, fabric.Scope{Switches: true, VLs: true}).Digest()},
			[]any{got.Files, got.Warnings, network(t, got, fabric.Scope{Switches: true, VLs: true}).Digest()}); diff != "" {
			t.Errorf("%s (-without it +with it)\n%s", name, diff)
		}
		delete(dir, name)
	}
	// Path SLs are still told by their content.
	dir["slow"] = &fstest.MapFile{Data: []byte("0x0000000000200000 3 1, 2\n")}
	if got := read(t, dir); len(got.Files) != len(want.Files)+1 {
		t.Errorf("path SLs in %v: want slow among them", got.Files)
	}
}

// TestPackedInPart: a packed dump of which nothing is left is reported.
func TestPackedInPart(t *testing.T) {
	dir := folder(t, "ring6-lash")
	dir["opensm-sl2vl.dump.gz"] = &fstest.MapFile{Data: []byte("\x1f\x8b\x08")}
	f := read(t, dir)
	if want := "ring6/opensm-sl2vl.dump.gz: cannot be unpacked: ignored"; !slices.Contains(f.Warnings, want) {
		t.Errorf("warnings %q, want %s", f.Warnings, want)
	}
}

// TestEmptyDump: a dump that a full disk left empty is reported, packed or not.
func TestEmptyDump(t *testing.T) {
	for _, name := range []string{"opensm-sl2vl.dump", "opensm-sl2vl.dump.gz", "psl.txt", "opensm.fdbs"} {
		dir := folder(t, "ring6-lash")
		delete(dir, strings.TrimSuffix(name, ".gz"))
		for _, left := range []string{"", "\x1f"} {
			dir[name] = &fstest.MapFile{Data: []byte(left)}
			if f, want := read(t, dir), "ring6/"+name+": the file is empty"; !slices.Contains(f.Warnings, want) {
				t.Errorf("warnings %q, want %s", f.Warnings, want)
			}
		}
	}
}

// TestPrompt: a dump below the prompt that printed it is no stranger: its folder is a fabric, and the line is named.
func TestPrompt(t *testing.T) {
	for _, name := range []string{"opensm-lfts.dump", "opensm-sl2vl.dump", "psl.txt"} {
		dir := folder(t, "ring6-lash")
		delete(dir, "opensm.fdbs") // the tables once more
		dir[name] = &fstest.MapFile{Data: append([]byte("root@sm:/var/log# cat dump\n"), dir[name].Data...)}
		want := "ring6/" + name + ":1:1: the prompt of a terminal"
		if _, err := fabric.Read(t.Context(), dir, fabric.Options{Name: "ring6"}); !fabric.Is(dir) || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: fabric %t, %v, want %s", name, fabric.Is(dir), err, want)
		}
	}
}

// TestForeignLines: what a shell that joined standard error to a dump put above it hides no dump: the place is named
// unless another file tells the same.
func TestForeignLines(t *testing.T) {
	const lines = "$ ibnetdiscover\nibwarn: [2101] _do_madrpc: recv failed: Connection timed out\n"
	what := map[string]string{"psl.txt": "path SLs: delete lines 1 to 2", "opensm-subnet.lst": "subnet list: delete this line",
		"opensm-sl2vl.dump": "SL2VL tables: delete this line"}
	for name, above := range map[string]string{"psl.txt": lines, "opensm-subnet.lst": lines[16:], "opensm-sl2vl.dump": lines[16:]} {
		dir := folder(t, "ring6-lash")
		dir[name] = &fstest.MapFile{Data: append([]byte(above), dir[name].Data...)}
		want := "ring6/" + name + ":1:1: of another program, above " + what[name]
		if _, err := fabric.Read(t.Context(), dir, fabric.Options{Name: "ring6"}); !fabric.Is(dir) || err == nil || err.Error() != want {
			t.Errorf("%s: fabric %t, %v, want %s", name, fabric.Is(dir), err, want)
		}
	}
	dir := folder(t, "ring6-lash")
	dir["again.lst"] = &fstest.MapFile{Data: append([]byte(lines), dir["opensm-subnet.lst"].Data...)}
	if f, want := read(t, dir), "ring6/again.lst: begins with the prompt of a terminal, or lines of another program: ignored, as other files tell the same"; !slices.Contains(f.Warnings, want) {
		t.Errorf("warnings %q, want %s", f.Warnings, want)
	}
}

// TestPastedSample: a sample with its prompt beside the whole dump is no gap: the fabric is read without it, with a
// warning.
func TestPastedSample(t *testing.T) {
	plain := read(t, folder(t, "ring6-lash"))
	dir := folder(t, "ring6-lash")
	dir["saquery.sample.txt"] = &fstest.MapFile{Data: []byte("$ saquery --src-to-dst 9:11\nPathRecord dump:\n\t\tslid....................9\n")}
	dir["ibroute.txt"] = &fstest.MapFile{Data: append([]byte("$ cat opensm-lfts.dump\n"), dir["opensm-lfts.dump"].Data...)}
	f := read(t, dir)
	for _, name := range []string{"saquery.sample.txt", "ibroute.txt"} {
		if want := "ring6/" + name + ": begins with the prompt of a terminal, or lines of another program: ignored, as other files tell the same"; !slices.Contains(f.Warnings, want) {
			t.Errorf("warnings %q, want %s", f.Warnings, want)
		}
	}
	scope := fabric.Scope{VLs: true}
	if a, b := network(t, plain, scope).Digest(), network(t, f, scope).Digest(); a != b {
		t.Errorf("network %s with the samples, want %s", b, a)
	}
}

// TestCutLog: wherever a packed log was cut, a warning names it: how much of it can be read
// depends on how it was packed.
func TestCutLog(t *testing.T) {
	var log strings.Builder
	for i := range 3000 { // longer than the part from which the kind is recognised
		fmt.Fprintf(&log, "Nov 23 07:44:23 %06d [AC729740] 0x02 -> osm_ucast_mgr_process: minhop tables configured on all switches\n", i*7919%1_000_000)
	}
	var whole bytes.Buffer
	z := gzip.NewWriter(&whole)
	io.WriteString(z, log.String())
	z.Close()
	dir := folder(t, "ring6-discovered")
	for cut := 2; cut <= whole.Len(); cut += 1 + cut/20 {
		dir["opensm.log.gz"] = &fstest.MapFile{Data: whole.Bytes()[:cut]}
		warned := slices.ContainsFunc(read(t, dir).Warnings, func(w string) bool { return strings.HasPrefix(w, "ring6/opensm.log.gz: ") })
		if warned != (cut < whole.Len()) {
			t.Errorf("cut after %d of %d bytes: warned %v", cut, whole.Len(), warned)
		}
	}
	damaged := slices.Clone(whole.Bytes())
	damaged[10] = 0xff // no such kind of block
	dir["opensm.log.gz"] = &fstest.MapFile{Data: damaged}
	if want := "ring6/opensm.log.gz: cannot be unpacked: ignored"; !slices.Contains(read(t, dir).Warnings, want) {
		t.Errorf("damaged: want %s", want)
	}
	delete(dir, "opensm.log.gz")
	dir["vls.txt"] = &fstest.MapFile{Data: []byte("# SL2VL table: Lid 6\n#                 SL: | 0| 1|\nports: in  0, out  1: | 0| 1|\n")}
	if want := "ring6/vls.txt: the output of smpquery sl2vl is not read: opensm-sl2vl.dump has the same tables"; !slices.Contains(read(t, dir).Warnings, want) {
		t.Errorf("tables of smpquery: want %s", want)
	}
	delete(dir, "vls.txt")
	dir["opensm.fdbs.gz"] = &fstest.MapFile{Data: whole.Bytes()[:12]}
	for name := range dir {
		if name != "opensm.fdbs.gz" && !strings.Contains(name, "ibnetdiscover") {
			delete(dir, name)
		}
	}
	if _, err := fabric.Read(t.Context(), dir, fabric.Options{Name: "ring6"}); err == nil ||
		!strings.Contains(err.Error(), "want forwarding tables") ||
		!strings.HasSuffix(err.Error(), "; opensm.fdbs.gz cannot be unpacked") {
		t.Errorf("tables that cannot be unpacked: %v", err)
	}
}

// TestReadErrors: each fault names the file, the line, and the column where the error
// begins: where at occurs in that line.
func TestReadErrors(t *testing.T) {
	for _, tt := range []struct {
		file, old, new string
		line           int
		at, want       string
	}{
		{"opensm-subnet.lst", "LID:0001", "LID:C000", 1, "C000", "want a LID, hexadecimal, at most BFFF"},
		{"opensm-subnet.lst", "NodeGUID:0000000000100000", "NodeGUID:x", 1, "x Port", `want "NodeGUID:" with a hexadecimal number`},
		{"opensm-subnet.lst", "PN:03 }", "PN:FF }", 1, "FF }", "want a number in base 16, at most 254"},
		{"opensm-subnet.lst", "LID:0002 PN:01", "LID:0003 PN:01", 2, " { SW Ports:03 SystemGUID:0000000000200001", "S0 has LID 3 here and LID 2 earlier"},
		{"opensm.fdbs", "0x0001 : 003", "0x0001 : 300", 3, "300", "want the port, 0 to 255, or UNREACHABLE"},
		{"opensm.fdbs", "0x0001 : 003", "0xC001 : 003", 3, " : 003", "invalid LID: want a unicast one, 0x0001 to 0xBFFF"},
		{"opensm.fdbs", "Switch 0x0000000000200005", "Switch 0x0000000000200009", 71, "dump",
			"a table of switch 0000000000200009, which is not in the subnet list: want both dumps whole, and of the same time"},
		{"opensm-lfts.dump", "0x0003 001", "0x0003 x", 4, "x #", "want the port, 0 to 255, or UNREACHABLE"},
		{"opensm-lfts.dump", "12 lids dumped", "Multicast mlids [0xc000]", 14, "Multi", "a multicast table: only unicast is checked"},
		{"opensm-lfts.dump", "guid 0x0000000000200000", "g", 1, " [0-12]", `want the switch, as in "guid 0x0002c90200417670"`},
		{"opensm-lfts.dump", "12 lids dumped\nUnicast", "12 lids dumped\n# Unicast", 16, "0001 002",
			"an entry of an unknown switch: the table above ended in line 14; want a head first"},
		{"opensm-sl2vl.dump", "0   1   : 0", "0   1   : 16", 4, "16", "want a number in base 10, at most 15"},
		{"opensm-subnet.lst", "{H0}", "{x} LID:0001 PN:01 } { NodeGUID:1PortGUID:1 {y} LID:2 PN:1 }}", 1, "{ CA",
			`a description contains "} LID:", so its end is ambiguous`},
		{"opensm-subnet.lst", "{S0} LID:0002 PN:03 }", "{S0} LID:0002 PN:00 }", 1, " PHY=", "a cable in port 0: want port 1 or higher"},
		{"psl.txt", "0x0000000000100000 2 0", "0x0000000000100000 2 16", 1, "16", "want a number in base 10, at most 15"},
	} {
		dir := folder(t, "ring6-lash")
		text := string(dir[tt.file].Data)
		if !strings.Contains(text, tt.old) {
			t.Fatalf("%s does not hold %q", tt.file, tt.old)
		}
		text = strings.Replace(text, tt.old, tt.new, 1)
		dir[tt.file].Data = []byte(text)
		col := strings.Index(strings.Split(text, "\n")[tt.line-1], tt.at) + 1
		want := fmt.Sprintf("ring6/%s:%d:%d: %s", tt.file, tt.line, col, tt.want)
		_, err := fabric.Read(t.Context(), dir, fabric.Options{Name: "ring6"})
		if err == nil {
			t.Errorf("%s: %q for %q is accepted", tt.file, tt.new, tt.old)
		} else if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Errorf("%s: %q for %q (-want +got):\n%s", tt.file, tt.new, tt.old, diff)
		}
	}
}

// TestCutTable: a table that is cut within its last entry is refused there, since what is left of port 003
// would be port 0, the switch itself; with all its digits the entry stands. The line that the other tables
// have at their end is missed.
func TestCutTable(t *testing.T) {
	const entry = "0x000c 003"
	dir := folder(t, "ring6-lash")
	delete(dir, "opensm.fdbs") // whose tables are whole
	text := string(dir["opensm-lfts.dump"].Data)
	at := strings.LastIndex(text, entry)
	line := 1 + strings.Count(text[:at], "\n")
	for left := 1; left <= len(entry); left++ {
		dir["opensm-lfts.dump"].Data = []byte(text[:at+left])
		_, err := fabric.Read(t.Context(), dir, fabric.Options{Name: "ring6"})
		if whole := left == len(entry); whole != (err == nil) ||
			err != nil && !strings.HasPrefix(err.Error(), fmt.Sprintf("ring6/opensm-lfts.dump:%d:", line)) {
			t.Errorf("cut behind %q: %v", entry[:left], err)
		}
	}
	dir["opensm-lfts.dump"].Data = []byte(text[:at] + "0x000c 3\n") // as another program may write it
	f, err := fabric.Read(t.Context(), dir, fabric.Options{Name: "ring6"})
	if err != nil {
		t.Fatal(err)
	}
	if want := `the forwarding table of S5, at ring6/opensm-lfts.dump:71, lacks the line "... lids dumped" at its end: is the dump cut?`; !slices.Contains(f.Warnings, want) {
		t.Errorf("warnings %q; want %s", f.Warnings, want)
	}
}

// TestDiscoveryErrors: an invalid LID or LMC is not taken for a missing one.
func TestDiscoveryErrors(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{"base port 0 lid 6 lmc 0", "base port 0 lid 60000 lmc 0", "want a LID, decimal, at most 49151"},
		{"base port 0 lid 6 lmc 0", "base port 0 lid 6 lmc 8", "want an LMC, 0 to 7"},
		{"# lid 10 lmc 0", "# lid x lmc 0", "want a LID, decimal, at most 49151"},
		{"# lid 10 lmc 0", "# lid 10 lmc 9", "want an LMC, 0 to 7"},
	} {
		dir := folder(t, "ring6-discovered")
		text := string(dir["ibnetdiscover.txt"].Data)
		if !strings.Contains(text, tt.old) {
			t.Fatalf("no %s", tt.old)
		}
		dir["ibnetdiscover.txt"].Data = []byte(strings.Replace(text, tt.old, tt.new, 1))
		line := 1 + strings.Count(text[:strings.Index(text, tt.old)], "\n")
		_, err := fabric.Read(t.Context(), dir, fabric.Options{Name: "ring6"})
		if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("ring6/ibnetdiscover.txt:%d:", line)) || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want line %d: %s", tt.new, err, line, tt.want)
		}
	}
}

// TestMissing: a folder without a subnet or without tables says what is missing.
func TestMissing(t *testing.T) {
	for _, tt := range []struct {
		dir  fs.FS
		is   bool // told by itself
		want string
	}{
		{folder(t, "ring6-lash", "psl.txt"), false, "x: want a subnet list (opensm-subnet.lst) or the output of ibnetdiscover"},
		{folder(t, "ring6-lash", "opensm.fdbs"), true, "x: want a subnet list (opensm-subnet.lst) or the output of ibnetdiscover"},
		{folder(t, "ring6-lash", "opensm-subnet.lst"), true,
			"x: want forwarding tables (opensm.fdbs, opensm-lfts.dump, or the outputs of dump_lfts or ibroute)"},
		{folder(t, "ring6-discovered", "ibnetdiscover.txt"), true,
			"x: want forwarding tables (opensm.fdbs, opensm-lfts.dump, or the outputs of dump_lfts or ibroute); --route ENGINE routes the topology in the file x/ibnetdiscover.txt"},
	} {
		if _, err := fabric.Read(t.Context(), tt.dir, fabric.Options{Name: "x"}); err == nil || err.Error() != tt.want {
			t.Errorf("%v, want %s", err, tt.want)
		}
		if is := fabric.Is(tt.dir); is != tt.is {
			t.Errorf("taken for a fabric: %v, although %s", is, tt.want)
		}
	}
}

// TestQuoted: a dump that was pasted from a mail has marks before its lines, and says so.
func TestQuoted(t *testing.T) {
	for _, file := range []string{"ibnetdiscover.txt", "dump_lfts.txt"} {
		dir := folder(t, "ring6-discovered")
		if dir[file] == nil {
			t.Fatalf("no %s", file)
		}
		dir[file].Data = []byte("> " + strings.ReplaceAll(string(dir[file].Data), "\n", "\n> "))
		_, err := fabric.Read(t.Context(), dir, fabric.Options{Name: "x"})
		if want := "x/" + file + `:1:1: the text is quoted, as in a mail: delete "> " before each line`; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if !fabric.Is(dir) {
			t.Errorf("%s: not taken for a fabric", file)
		}
	}
}

// TestIndented: a dump that was pasted with blanks before its lines is the dump, and a fault in it is where it is.
func TestIndented(t *testing.T) {
	for _, name := range []string{"ring6-discovered", "ring6-lash"} {
		dir, scope := folder(t, name), fabric.Scope{Switches: true}
		want := network(t, read(t, dir), scope).Digest()
		for file, f := range dir {
			if file != "meta.json" {
				f.Data = []byte("    " + strings.ReplaceAll(string(f.Data), "\n", "\n    "))
			}
		}
		if got := network(t, read(t, dir), scope).Digest(); got != want {
			t.Errorf("%s: digest %s, indented %s", name, want, got)
		}
	}
	dir := folder(t, "ring6-discovered")
	dir["ibnetdiscover.txt"].Data = []byte("    vendid=0x2c9\n    Swich 1\n")
	_, err := fabric.Read(t.Context(), dir, fabric.Options{Name: "x"})
	if want := "x/ibnetdiscover.txt:2:5: want \"Switch\""; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestTwoInOne: tables and the output of ibnetdiscover below them in one file are told apart.
func TestTwoInOne(t *testing.T) {
	dir := folder(t, "ring6-discovered")
	tables := dir["dump_lfts.txt"].Data
	dir["dump_lfts.txt"].Data = append(slices.Clip(tables), dir["ibnetdiscover.txt"].Data...)
	_, err := fabric.Read(t.Context(), dir, fabric.Options{Name: "x"})
	if want := "another dump begins here: put what follows into a file of its own"; err == nil || !strings.HasPrefix(err.Error(), "x/dump_lfts.txt:") || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestTruncated: a dump that ends anywhere is read, or refused in one line that names
// the folder; what is read compiles.
func TestTruncated(t *testing.T) {
	for _, name := range []string{"ring6-lash", "ring6-discovered"} {
		whole := folder(t, name)
		for file := range whole {
			text := whole[file].Data
			for end := 0; end < len(text); end += 37 {
				cut := maps.Clone(whole)
				cut[file] = &fstest.MapFile{Data: text[:end]}
				survives(t, cut)
			}
		}
	}
}

func survives(t *testing.T, dir fs.FS) {
	t.Helper()
	f, err := fabric.Read(t.Context(), dir, fabric.Options{Name: "ring6"})
	if err != nil {
		if pos := (*spec.PosError)(nil); !errors.As(err, &pos) && !strings.Contains(err.Error(), "ring6") || strings.Contains(err.Error(), "\n") {
			t.Errorf("an error that names no file: %v", err)
		}
		return
	}
	for i := range 4 {
		scope := fabric.Scope{Switches: i%2 == 1, VLs: i >= 2 && f.HasVLs(), Direct: true}
		if _, err := f.Network(t.Context(), scope, 1<<20); err != nil {
			t.Errorf("%s: %v", scope, err)
		}
	}
}

// fuzz replaces one file of a folder that is otherwise in order. Whatever the file
// contains, all networks of the folder together allocate less than 1 GiB.
func fuzz(f *testing.F, name, file string, seeds ...string) {
	whole := folder(f, name)
	if of := whole[file]; of != nil {
		f.Add(of.Data)
	}
	f.Add([]byte("0x0001 : UNREACHABLE\n"))
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := maps.Clone(whole)
		dir[file] = &fstest.MapFile{Data: text}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		survives(t, dir)
		runtime.ReadMemStats(&after)
		if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 1<<30 {
			t.Errorf("%d bytes of input allocate %d", len(text), bytes)
		}
	})
}

func FuzzSubnet(f *testing.F)     { fuzz(f, "ring6-lash", "opensm-subnet.lst") }
func FuzzDiscovery(f *testing.F)  { fuzz(f, "ring6-discovered", "ibnetdiscover.txt") }
func FuzzTables(f *testing.F)     { fuzz(f, "ring6-lash", "opensm-lfts.dump") }
func FuzzForwarding(f *testing.F) { fuzz(f, "ring6-minhop", "opensm.fdbs") }
func FuzzLanes(f *testing.F)      { fuzz(f, "ring6-lash", "opensm-sl2vl.dump") }
func FuzzPaths(f *testing.F)      { fuzz(f, "ring6-lash", "psl.txt") }
func FuzzLog(f *testing.F) {
	fuzz(f, "ring6-lash", "opensm.log",
		"Nov 23 07:44:23 373186 [AC729740] 0x43 -> OpenSM\n -> ucast_mgr_route: x: cannot build\n -> osm_ucast_mgr_process: y tables configured on all switches\n -> osm_ucast_mgr_process: No routing engine able")
}
func FuzzRecords(f *testing.F) {
	fuzz(f, "ring6-lash", "paths", "PathRecord dump:\n\tdlid..3\n\tslid..0x7\n\tsl....0x1\n")
}
func FuzzRun(f *testing.F) { fuzz(f, "ring6-lash", "meta.json") }
func FuzzOptions(f *testing.F) {
	fuzz(f, "ring6-lash", "opensm.conf", "max_op_vls 5\n", "# SM\nsm_key 1\nmax_op_vls 0\nmax_op_vls 6\n")
}

// FuzzPacked is about files that begin as gzip.
func FuzzPacked(f *testing.F) {
	text := packed(f, folder(f, "ring6-lash")["opensm-subnet.lst"].Data)
	fuzz(f, "ring6-lash", "opensm-subnet.lst", string(text), string(text[:len(text)/2]), "\x1f\x8b\x08\x00")
}
