package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLists: a list of paths and a folder of tables are networks, for every command that takes one; flags for topologies and
// parameters are refused.
func TestLists(t *testing.T) {
	inFolder(t, map[string]string{"routes.csv": "hops\na b c\nb c a\nc a b\n", "late.csv": "hops\na b\na c b\na b\n",
		"paths.star":  "network(name = \"listed\", switching = \"wh\")\npaths(\"routes.csv\")\n",
		"tables.star": "network(name = \"tables\")\ntables(\"fib/*.csv\")\n",
		"several.csv": "hops\na b c\nb c a\nc b a\nc a b\n"})
	if err := os.Mkdir("fib", 0o777); err != nil {
		t.Fatal(err)
	}
	// a folder of which one table lacks its heading, and a folder of none
	for name, text := range map[string]string{
		"wrong/a.csv": "dest,nex\nb,b\n", "wrong/b.csv": "dest,next\na,a\n", "plain/a.csv": "from,to\na,b\n",
		"own/a.csv": "dest,next\nb,b\n", "own/b.csv": "dest,next\na,a\nb,a\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	one := "node,dest,next_hop\nr0,h0,h0\nr0,h1,r1\nr1,h1,h1\nr1,h0,r0\n"
	if err := os.WriteFile("one.csv", []byte(one), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"r0": "h0,h0\nh1,r1\n", "r1": "h1,h1\nh0,r0\n"} {
		if err := os.WriteFile("fib/"+name+".csv", []byte("dest,next\n"+text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		command string
		code    int
		want    string
	}{
		{"check routes.csv", exitViolated, "routes: deadlock freedom VIOLATED, livelock freedom HOLDS, delivery HOLDS\n"},
		{"check fib", exitExpected, "fib, 2 tables: deadlock freedom HOLDS, livelock freedom HOLDS, delivery HOLDS\n"},
		{"check one.csv", exitExpected, "one: deadlock freedom HOLDS, livelock freedom HOLDS, delivery HOLDS\n"},
		{"sweep one.csv --links 1", exitViolated, `"delivery":"violated"`},
		{"check one.csv --both-ways", exitUsage, "want a topology, not one.csv, which has its own routing"},
		{"check fib/", exitExpected, "network: 4 nodes, 6 links, 6 channels in use (0 unused), 2 flows, "},
		{"check fib routes.csv", exitViolated, "fib (store-and-forward)"},
		{"untie routes.csv --scheme dateline", exitExpected, "dateline: 2 layers of VCs"},
		{"sweep routes.csv --links 1", exitViolated, `"delivery":"violated"`},
		{"route fib --engine shortest", exitExpected, "flows:   2\n"},
		{"check late.csv", exitUsage, "late.csv:4:1: the same path as in line 2: want it once"},
		{"check several.csv", exitViolated, "and waits for a->b vc0 (held by P3), by several.csv:5\n"},
		{"check paths.star", exitViolated, "by routes.csv:2\n"},
		{"show tables.star --sites", exitExpected, "data: fib/r0.csv, fib/r1.csv\n"},
		{"show tables.star --sites", exitExpected, "    r0->h0 vc0, by fib/r0.csv:2\n"},
		{"sweep tables.star --links 1", exitViolated, `"delivery":"violated"`},
		{"graph tables.star --kind cdg --format dot --force --out fib/r0.csv", exitUsage, "fib/r0.csv is read, so it is not overwritten"},
		{"sweep tables.star --links 1 --force --out fib/r0.csv", exitUsage, "fib/r0.csv is read, so it is not overwritten"},
		{"check wrong", exitUsage, "unknot: wrong/a.csv:1:1: the heading has no column next"},
		{"check own", exitUsage, "unknot: own/b.csv:3:1: a row for the router itself: leave it out"},
		{"check plain", exitUsage, "; a table for each router is a file *.csv with the columns dest and next"},
		{"check routes.csv --set n=1", exitUsage, "--set: routes.csv lists routes and has no parameters"},
		{"check fib --set n=1", exitUsage, "--set: fib lists routes and has no parameters"},
		{"check routes.csv --both-ways", exitUsage, "want a topology, not routes.csv, which has its own routing"},
		{"check fib --route updown", exitUsage, "want a topology, not fib, which has its own routing"},
		{"check routes.csv --from csv --route updown", exitUsage, "routes.csv:1:1: invalid number of fields 1"},
	} {
		code, out, errs := unknot(t, strings.Fields(tt.command)...)
		if code != tt.code || !strings.Contains(out+errs, tt.want) {
			t.Errorf("%s: exit %d, want %d and %q\n%s%s", tt.command, code, tt.code, tt.want, out, errs)
		}
	}
}
