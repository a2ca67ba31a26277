package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRoute: exit codes and messages. On a ring of 6 with the root 0, the turns 2->3->4 and back
// are forbidden, so that 2 of 30 flows take 4 links instead of 2: 32/30.
func TestRoute(t *testing.T) {
	request, err := filepath.Abs("../../models/examples/request_reply.star")
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t, map[string]string{
		"ring.csv":   "0,1\n1,2\n2,3\n3,4\n4,5\n5,0\n",
		"apart.csv":  "a,b\nc,d\n",
		"one.csv":    "a,b\nb,c\n",
		"prose":      "Dear reader\n",
		"homes.json": `{"directed":false,"multigraph":false,"nodes":[{"id":"s1"},{"id":"s2"},{"id":"h","type":"host"},{"id":"a","type":"host"},{"id":"b","type":"host"}],"links":[{"source":"s1","target":"h"},{"source":"s2","target":"h"},{"source":"s1","target":"a"},{"source":"s2","target":"b"}]}`,
		"two.star":   "network(name = \"two\", classes = [\"read\", \"write\"])\na = node()\nb = node()\nboth(a, b, out = \"e\", back = \"w\")\ndef route(at, to):\n    return [hop(at.node.port(\"e\" if at.node == a else \"w\"))]\n",
		// A square and a link from it: dor, which goes along rows first, has no path from (0,1) and (1,1) to (2,0).
		"bent.csv":    "\"(0,0)\",\"(1,0)\"\n\"(0,1)\",\"(1,1)\"\n\"(0,0)\",\"(0,1)\"\n\"(1,0)\",\"(1,1)\"\n\"(1,0)\",\"(2,0)\"\n",
		"star.anynet": "router 0 node 0 router 2\nrouter 1 node 1 router 2\n",
	})
	for _, tt := range []struct {
		command string
		code    int
		want    string // in the output, or the error
	}{
		{"ring.csv --both-ways --engine updown --root 0", 0, "\nlengths: 1.067 of a shortest path on average, 2.000 at most\n"},
		{"ring.csv --both-ways --engine shortest", 1, "ring, routed by shortest: deadlock freedom VIOLATED"},
		{"ring.csv --both-ways --engine shortest --check=false", 0, "engine:  shortest, 1 VC\n"},
		{"ring.csv --engine nue", 0, "engine:  nue, 3 VCs\n"},
		{"ring.csv --engine nue --vcs 1", 1, "delivery VIOLATED"},
		{"ring.csv --both-ways --switching wh", 0, "wormhole switching"},
		{"apart.csv --both-ways", 1, "flows:   12; 8 that no links join: c to a, ...\n"},
		{"one.csv", 1, "flows:   6; 3 that no links join: b to a, ...\n"},
		{"star.anynet --engine lash", 0, "flows:   2\n"},
		{"torus --set k=5 --engine lash --vcs 1", 3, "unknot: routing torus by lash: lash takes more than 1 VC here\n"},
		{"torus --set k=5 --engine dor", 0, "torus, routed by dor: deadlock freedom HOLDS"},
		{"torus --set k=5 --engine all", 0, "\nnue "},
		{"two.star", 0, "\nclasses: one for all packets: the network has 2 (read, write), and 4 flows\nflows:   2\n"},
		// Both links are of nodes with one neighbor: no load is counted.
		{"two.star --engine all", 0, "\nshortest   1     holds              2       0          -           -           1.000 "},
		{"two.star --engine all", 0, "classes: one for all packets: the network has 2 (read, write), and 4 flows\nengine "},
		{"bent.csv --both-ways --engine all", 0, "\ndor: no route for 2 of 20 flows: these are not delivered\n"},
		{"apart.csv --both-ways --engine all", 1, "has 0 coordinates"},
		{"apart.csv --engine dor", 2,
			"unknot: routing apart by dor: node a has 0 coordinates: want the same number, at least one, for each node, from the file, from names such as S2_3, or from the links of a complete mesh or torus\n"},
		{"ring.csv --both-ways --engine dor", 0, "engine:  dor, 2 VCs\n"}, // its shape gives it coordinates
		{"ring.csv --engine ftree", 2, `invalid --engine "ftree": want shortest, `},
		{"ring.csv --vcs -1", 2, `invalid --vcs "-1": want 0 to 64`},
		{"ring.csv --vcs 65", 2, `invalid --vcs "65": want 0 to 64`},
		{"homes.json", 0, "unknot: warning: homes.json: routes lead through 1 terminal, as h; hosts do not forward\n"}, // a to b
		{"ring.csv --engine lash --root 0", 2, "--root is for updown and nue: lash has no root"},
		{"ring.csv --max-sites 0", 2, `invalid --max-sites "0": want at least 1`},
		{"ring.csv --max-sites 31", 3, "more than 31 sites"}, // 6 * 5 flows, and channels
		{"ring.csv --scope all-vls", 2, `invalid --scope "all-vls": want the dumps of a fabric, not ring.csv`},
		{"ring.csv --root 9", 2, `invalid --root "9": want a node of ring, 0 to 5`},
		{"ring.csv --engine all --out x.json", 2, "--out is for the network of one engine"},
		{"ring.csv --switching warp", 2, `invalid --switching "warp"`},
		{"prose", 2, "unknot: prose:1:1: no topology in a known format"},
		{"peterson", 2, "peterson is a protocol, not a network"},
		// their flows end at the requester
		{request, 2, "its nodes answer requests, and engines route one class of packets: want its topology without replies"},
		{"nowhere.csv", 2, "nowhere.csv"},
	} {
		code, out, errs := unknot(t, append([]string{"route"}, strings.Fields(tt.command)...)...)
		if code != tt.code || !strings.Contains(out+errs, tt.want) {
			t.Errorf("route %s: exit %d, want %d with %q\n%s%s", tt.command, code, tt.code, tt.want, out, errs)
		}
	}
	if _, err := os.Stat("x.json"); err == nil {
		t.Error("x.json was written")
	}
}

// TestRouteOut: the file is the network that was checked: check gives it the same verdicts, with the same
// digest; routes of routes are the same again.
func TestRouteOut(t *testing.T) {
	t.Chdir(t.TempDir())
	digest := func(text string) string {
		_, text, _ = strings.Cut(text, "sha256: ")
		return text
	}
	code, out, errs := unknot(t, "route", "hypercube", "--engine", "nue", "--out", "n.json")
	if code != exitExpected || !strings.Contains(out, "written: n.json\n") {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	code, checked, errs := unknot(t, "check", "n.json")
	if code != exitExpected || digest(checked) != digest(out) || digest(out) == "" {
		t.Errorf("exit %d\n%s%s", code, checked, errs)
	}
	before, err := os.ReadFile("n.json")
	if err != nil {
		t.Fatal(err)
	}
	if code, _, errs := unknot(t, "route", "n.json", "--engine", "nue", "--out", "again.json"); code != exitExpected {
		t.Fatal(errs)
	}
	after, err := os.ReadFile("again.json")
	if err != nil {
		t.Fatal(err)
	}
	rename := strings.NewReplacer("n, routed by nue", "hypercube, routed by nue")
	if rename.Replace(string(after)) != string(before) {
		t.Error("routed again, the network is another")
	}
}
