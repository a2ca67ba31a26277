package main

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDiff: exit 0 if nothing differs, 1 if something does, 2 for what cannot be compared.
// The mesh deadlocks with adaptive routing, which permits every dependency of XY and more.
func TestDiff(t *testing.T) {
	inFolder(t, map[string]string{
		"a.csv": "a,b\nb,c\nc,a\n", "b.csv": "c,a\na,b\nb,c\n", "c.csv": "a,b\nb,c\nc,a\nc,d\nd,c\n",
		"mesh.star": "network(name = \"other\")\nfor y in range(2):\n  for x in range(2):\n    node(at = (x, y))\n" +
			"for a, b in [((0, 0), (1, 0)), ((0, 1), (1, 1)), ((0, 0), (0, 1)), ((1, 0), (1, 1))]:\n  both(a, b)\n" +
			"def route(at, to):\n  return [hop(l) for l in at.node.out if (l.dst.at[0] == to.at[0] if at.node.at[0] != to.at[0] else l.dst == to)]\n",
	})
	tells(t, []told{
		{"diff a.csv b.csv", 0, "a.csv, now b.csv: equal\nnodes: the same (3)\nlinks: the same (3)\n"},
		{"diff a.csv b.csv --route shortest", 0, "flows: the same (6)"},
		{"diff a.csv c.csv", 1, "nodes: 0 gone, 1 new, 0 changed, 3 the same\n  + d\n"},
		// Three flows each way between d and the others.
		{"diff c.csv a.csv --route shortest", 1, "flows: 6 gone, 0 new, 0 changed, 6 the same\n"},
		{"diff mesh mesh --set k=3", 0, "dependencies: the same"},
		{"diff mesh mesh --set k=3 --set routing=adaptive", 0, "deadlock freedom: violated in both\n"},
		{"diff mesh --set k=3 --to routing=adaptive", 1, "mesh, now mesh routing=adaptive: different\n"},
		{"diff mesh --set k=3 --to routing=adaptive", 1, "deadlock freedom: holds, now violated\n"},
		{"diff mesh --set k=3 --to k=3", 0, "mesh, now mesh k=3: equal\n"},
		{"diff mesh mesh --set k=2 --to k=3", 1, "nodes: 0 gone, 5 new, 0 changed, 4 the same\n"},
		{"diff mesh --to k", 2, "invalid --to \"k\": want NAME=VALUE"},
		{"diff mesh --to k=3 --to k=4", 2, "--to k=4: k is set twice"},
		{"diff a.csv --to k=3", 2, "a.csv is a topology, which has no parameters"},
		{"diff a.csv mesh", 2, "a.csv is a topology without routing"},
		{"diff a.csv", 2, "diff"},
		{"diff peterson peterson", 2, "is a protocol"},
		{"diff a.csv b.csv --rows -1", 2, "invalid --rows \"-1\": want at least 0"},
	})
	// XY routing of a 2x2 mesh, written otherwise: the names are the same, and what they do;
	// the dependencies are those of the four turns from x to y, once in each column and way.
	code, out, errs := unknot(t, "diff", "mesh", "mesh.star", "--set", "k=2", "--json")
	if code != exitUsage { // --set is about both, and the file has no k
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	code, out, errs = unknot(t, "show", "mesh", "--set", "k=2", "--closed")
	if code != 0 {
		t.Fatal(errs)
	}
	if err := os.WriteFile("mesh.json", []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs = unknot(t, "diff", "mesh.json", "mesh.star", "--json", "--switching", "saf")
	var got compared
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("exit %d: %v\n%s%s", code, err, out, errs)
	}
	same := map[string]int{}
	for _, l := range got.Lists {
		if l.Equal() {
			same[l.What] = l.Same
		}
	}
	if diff := cmp.Diff(map[string]int{"settings": 5, "nodes": 4, "flows": 12, "routes": same["routes"], "dependencies": 4}, same); diff != "" {
		t.Errorf("exit %d (-want +got)\n%s\n%s", code, diff, out)
	}
}
