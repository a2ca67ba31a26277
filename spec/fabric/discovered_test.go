package fabric

import (
	"bytes"
	"compress/gzip"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestDiscovered: the output of ibnetdiscover alone has the nodes and the cables that it has in a folder with tables.
func TestDiscovered(t *testing.T) {
	const dir = "testdata/ring6-discovered"
	text, err := os.ReadFile(dir + "/ibnetdiscover.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !IsDiscovery(text) || IsDiscovery([]byte("from,to\na,b\n")) {
		t.Error("ibnetdiscover is not told from an edge list")
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(text); err != nil || z.Close() != nil || !IsDiscovery(packed.Bytes()) {
		t.Error("not recognised when gzipped", err)
	}
	whole, err := Read(t.Context(), os.DirFS(dir), Options{})
	if err != nil {
		t.Fatal(err)
	}
	top, hosts, warnings, err := Discovered(t.Context(), "f", packed.Bytes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	told := func(of *spec.Topology) (all []string) {
		for v := range spec.NodeID(of.Nodes()) {
			all = append(all, of.Node(v).Name)
		}
		for l := range spec.LinkID(of.Links()) {
			all = append(all, of.LinkName(l)+" "+of.Link(l).Out+"-"+of.Link(l).In)
		}
		return all
	}
	if diff := cmp.Diff(told(whole.Topology(Scope{})), told(top)); diff != "" {
		t.Errorf("(-in a folder +alone)\n%s", diff)
	}
	if len(hosts) != top.Nodes()-whole.Switches || whole.IsSwitch(int(hosts[0])) {
		t.Errorf("hosts %v of %d nodes, of which %d are switches", hosts, top.Nodes(), whole.Switches)
	}
	if len(warnings) > 0 {
		t.Errorf("warnings %q", warnings)
	}
	// A host inside a switch is named, and left out if that is asked for. Its cable stays.
	sharp := bytes.ReplaceAll(text, []byte(`"H3"`), []byte(`"Mellanox Technologies Aggregation Node"`))
	_, _, warnings, err = Discovered(t.Context(), "f", sharp, nil)
	if want := "1 of 6 hosts are inside switches (SHARP), as Mellanox Technologies Aggregation Node: they send and receive as " +
		"others do; --leave-out \"Aggregation Node\" leaves them out"; err != nil || len(warnings) != 1 || warnings[0] != want {
		t.Errorf("warnings %q, want %q; error %v", warnings, want, err)
	}
	less, fewer, warnings, err := Discovered(t.Context(), "f", sharp, []string{"Aggregation Node"})
	if err != nil || len(warnings) != 1 || !strings.HasPrefix(warnings[0], "1 of 6 hosts are left out, as Mellanox") || len(fewer) != len(hosts)-1 || less.Links() != top.Links() {
		t.Errorf("left out: %d of %d hosts, %d links, warnings %q, error %v", len(fewer), len(hosts), less.Links(), warnings, err)
	}
	if _, _, _, err = Discovered(t.Context(), "f", text, []string{"Gateway"}); err == nil {
		t.Error("nobody is left out, without a word")
	}
	// Half of the lines name cables whose other ends come later.
	lines := bytes.SplitAfter(text, []byte("\n"))
	_, _, warnings, err = Discovered(t.Context(), "f", bytes.Join(lines[:len(lines)/2], nil), nil)
	if err != nil || len(warnings) != 1 || !strings.HasSuffix(warnings[0], "the other does not: it may be cut off") {
		t.Errorf("cut off: warnings %q, error %v", warnings, err)
	}
	for text, want := range map[string]string{
		"vendid=0x2c9\nSwitch 4 nothing\n": "f:2:10: ",
		"vendid=0x2c9\n":                   "f: the fabric has no switch",
		"vendid=0x2c9\n\nUnicast lids [0x0-0x5] of switch Lid 1 guid 0x0000000000200000 (S):\n": "f:3:1: another dump, or the prompt above it, begins here",
		"vendid=0x2c9\nroot@n1:~# ibroute 1\n":                                                  "f:2:1: another dump, or the prompt above it, begins here",
		"vendid=0x2c9\nnothing\n":                                                               "f:2:1: want \"Switch\"",
	} {
		if _, _, _, err := Discovered(t.Context(), "f", []byte(text), nil); err == nil || len(err.Error()) < len(want) || err.Error()[:len(want)] != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
