package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec/support/words"
	"github.com/seed-105a2da2/unknot/spec/topology"
)

// TestTopologies: which commands take a file without routing, with and without an engine.
// A ring of four one-way links deadlocks under any routing, as there is only one path; with
// cables, no shortest route is longer than two links of four. The router 2 of the star
// has no nodes, so it sends nothing: 2 terminals, 2 flows.
func TestTopologies(t *testing.T) {
	inFolder(t, map[string]string{
		"ring.csv":    "a,b\nb,c\nc,d\nd,a\n",
		"path.csv":    "from,to\na,b\nb,c\n",
		"star.anynet": "router 0 node 0 router 2\nrouter 1 node 1 router 2\n",
		"pair.json":   `{"nodes": [{"id": "a"}, {"id": "b"}], "edges": [{"source": "a", "target": "b"}]}`,
		"pair.xml":    `<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>`,
		"mute.json":   `{"nodes": [{"id": "a", "terminal": false}, {"id": "b", "terminal": false}], "links": [{"source": "a", "target": "b"}]}`,
		"one.json":    `{"nodes": [{"id": "a"}], "links": []}`,
		"prose":       "Dear reader\n",
		"README.md":   "# Notes\n\nA router, a switch and a host.\n",
		"sst.json":    `{"switches": {"s0": {"outports": {"0": {"destination": "s1", "inport": 0}}}}}`,
		"line.net":    "*vertices 2\n1 a\n2 b\n*arcs\n1 2\n",
		"two.mcrl2":   "act a; init a;",
		"loop.csv":    "from,to\na,a\n",
	})
	tells(t, []told{
		{"check ring.csv --route shortest", 1, "ring, routed by shortest: deadlock freedom VIOLATED, livelock freedom HOLDS, delivery HOLDS\n"},
		{"check ring.csv --both-ways --route shortest --switching wh", 0, "wormhole switching"},
		{"check ring.csv --both-ways --route shortest --dest a", 0, "3 flows"},
		{"check star.anynet --route shortest", 0, "4 channels in use (0 unused), 2 flows"},
		{"check pair.json --route shortest", 0, "2 channels in use (0 unused), 2 flows"},
		{"check pair.xml --route shortest --from graphml", 0, "2 flows"},
		// c sends to nobody and only b sends to it: 3 of 6 flows have no path.
		{"check path.csv --route shortest", 1, "delivery VIOLATED"},
		{"check path.csv --route shortest --property delivery", 1, "6 flows"},
		// No terminals does not mean all nodes.
		{"show mute.json", 0, "terminals: 0 of 2 nodes send and receive\n"},
		{"check mute.json --route updown", 2, "unknot: mute.json: no node sends or receives: there is nothing to route\n"},
		{"route mute.json", 2, "unknot: mute.json: no node sends or receives: there is nothing to route\n"},
		{"graph star.anynet --kind topology --format graphml --out star.graphml", 0, ""},
		{"show star.graphml", 0, "terminals: 2 of 3 nodes send and receive\n"},
		{"graph star.anynet --route updown --kind topology --format graphml --out routed.graphml", 0, ""},
		{"show routed.graphml", 0, "terminals: 2 of 3 nodes send and receive\n"},
		{"check ring.csv", 2, "unknot: ring.csv is a topology without routing: want --route "},
		{"graph ring.csv", 2, "is a topology without routing"},
		{"show ring.csv --sites", 2, "is a topology without routing"},
		{"show ring.csv", 0, "terminals: 4 of 4 nodes send and receive\nlinks:     some lead one way\n"},
		{"show star.anynet", 0, "  2 (passes packets on)\n"},
		{"graph ring.csv --kind topology", 0, "n3->n0"},
		{"graph ring.csv --route shortest --kind cycle", 0, "a->b"},
		{"show ring.csv --route shortest", 0, "origin:    ring.csv"},
		{"check loop.csv --route shortest", 2, "unknot: loop.csv:2:1: a link from node \"a\" to itself: leave it out\n"},
		{"check prose", 2, "unknot: prose:1:1: no topology in a known format: want " + words.OneOf(append(topology.Formats(), "ibnetdiscover")) + " (unknot help topologies)\n"},
		{"check README.md", 2, "unknot: README.md:1:1: no topology in a known format: want " + words.OneOf(append(topology.Formats(), "ibnetdiscover")) + " (unknot help topologies)\n"},
		{"show sst.json", 2, "unknot: sst.json:1:1: the text is a topology of SST/macro, which is not read as it is: " +
			`convert it with python3 -c 'import json; print("from,to"); [print(s, p["destination"], sep=",") for s, d in json.load(open("sst.json"))["switches"].items() for p in d["outports"].values()]' > sst-links.csv` + "\n"},
		{"graph line.net --kind topology", 2, "unknot: line.net:1:1: the text is a network of Pajek, which is not read as it is: "},
		{"route line.net", 2, "unknot: line.net:1:1: the text is a network of Pajek, which is not read as it is: "},
		{"sweep two.mcrl2 --links 1 --reroute updown", 2, "unknot: two.mcrl2:1:1: the text is a specification in mCRL2, which is not read as it is: "},
		{"check ring.csv --from gexf", 2, "invalid --from \"gexf\": want " + words.OneOf(append(topology.Formats(), "ibnetdiscover", "opensm")) + "\n"},
		{"check ring.csv --from anynet", 2, "unknot: ring.csv:1:1: invalid word \"a,b\": want router or node\n"},
		{"check ring.csv --route best", 2, "invalid --route \"best\": want "},
		{"check ring.csv --route shortest --set k=3", 2, "--set: ring.csv is a topology, which has no parameters"},
		{"check ring.csv --route shortest --vcs 65", 2, "invalid number of VCs 65"},
		{"check ring.csv --route shortest --switching warp", 2, "invalid --switching \"warp\""},
		{"check . --from csv", 2, "unknot: --from csv: . is a folder, want a file\n"},
		{"graph . --kind topology", 2, "unknot: . is a folder: want a file, or the dumps of a fabric (see \"unknot help fabrics\")\n"},
		{"check .", 2, "unknot: . contains no network file (*.star or *.json) and no dumps of a fabric (unknot help fabrics lists them); to check a topology, name its file; a table for each router is a file *.csv with the columns dest and next, and paths are one with the column hops\n"},
		{"check mesh --route shortest", 2, `invalid --route "shortest": want a topology, not mesh, which has its own routing`},
		{"check mesh --both-ways", 2, `invalid --both-ways "true": want a topology, not mesh, which has its own routing`},
	})
	if _, out, _ := unknot(t, "check", "one.json", "--route", "updown"); !strings.Contains(out, "\n  no node sends anything\n") ||
		!strings.Contains(out, "\nnetwork: 1 node, 0 links, 0 channels in use (0 unused), 0 flows, 0 sites, 0 dependencies\n") {
		t.Error(out)
	}
	_, _, errs := unknot(t, "check", "path.csv", "--route", "shortest", "--switching", "saf")
	if want := "unknot: warning: path.csv: no route by shortest for 3 flows; some links lead one way (--both-ways reads them as cables)\n"; errs != want {
		t.Errorf("%q\nwant %q", errs, want)
	}
}

// TestCablesTwice: a cable that rows list from both ends is two cables with --both-ways. A list that has all of them so is
// refused, with and without an engine; of one that has some, the first is told.
func TestCablesTwice(t *testing.T) {
	inFolder(t, map[string]string{
		"both.csv": "from,to\na,b\nb,a\nb,c\nc,b\n",
		"some.csv": "from,to\na,b\nb,a\nb,c\n",
		"some.star": "network(switching = \"store-and-forward\")\ntopology(\"some.csv\", both_ways = True)\n" +
			"def route(at, to):\n    return [hop(l) for l in at.node.out if l.dst == to or at.node.name != \"b\"]\n",
		"gephi.csv": "Source,Target,Type\na,b,Undirected\nb,a,Undirected\n",
		"twin.dot":  "graph { a -- b -- c\nb -- a }\n",
		"dict.json": `{"0": {"1": {}}, "1": {"0": {}}}`,
	})
	for _, command := range []string{"check both.csv --both-ways --route shortest", "show both.csv --both-ways",
		"route both.csv --both-ways", "sweep both.csv --both-ways --route shortest --links 1"} {
		code, out, errs := unknot(t, strings.Fields(command)...)
		if want := "both.csv:3:1: each cable is listed from both ends, this one first at line 2; leave out --both-ways"; code != exitUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d: %s%s\nwant %s", command, code, out, errs, want)
		}
	}
	// Both cables join a to b, so that each of its paths but those between b and c can take either: 4 of 6.
	const twice = "unknot: warning: some.csv:3: a cable from b to a, which line 2 lists from its other end: " +
		"--both-ways (in a .star file, both_ways = True) makes two cables of them\n"
	for command, want := range map[string]string{
		"check some.csv --both-ways --route shortest --switching saf": twice + "unknot: warning: some.csv: 4 of 6 flows have several shortest paths",
		"check some.star":                               twice,
		"sweep some.star --links 0":                     twice,
		"check twin.dot --route updown --switching saf": "unknot: warning: twin.dot:2: a cable from b to a, which line 1 lists from its other end: they are two cables\n",
		"check gephi.csv --route updown": "unknot: gephi.csv:3:1: each cable is listed from both ends, this one first at line 2; " +
			"keep one of each; if they are two cables, list both from the same end\n",
		"check dict.json --route shortest": "unknot: dict.json:1:1: no topology in a known format: want ",
	} {
		if _, _, errs := unknot(t, strings.Fields(command)...); !strings.HasPrefix(errs, want) {
			t.Errorf("%s: %q\nwant %q", command, errs, want)
		}
	}
}

// TestTies: where an engine took one of several shortest paths, who asks is told, as another file of the same graph may
// have the other verdict.
func TestTies(t *testing.T) {
	inFolder(t, map[string]string{"ring.csv": "a,b\nb,c\nc,d\nd,a\n", "five.csv": "a,b\nb,c\nc,d\nd,e\ne,a\n"})
	const want = "unknot: warning: ring.csv: 4 of 12 flows have several shortest paths, of which the answer takes one: " +
		"the least loaded, then the first in the order of nodes and links that unknot show prints; others need a list of " +
		"paths or tables (unknot help topologies)\n"
	for command, want := range map[string]string{
		"check ring.csv --both-ways --route shortest --switching saf": want,
		"route ring.csv --both-ways --engine shortest":                want,
		"check ring.csv --both-ways --route lash --switching saf":     "",
		"check ring.csv --route shortest --switching saf":             "",
		"check five.csv --both-ways --route shortest --switching saf": "",
		"route ring.csv --both-ways --engine updown --switching saf":  "",
	} {
		if _, _, errs := unknot(t, strings.Fields(command)...); !strings.HasSuffix(errs, want) || want == "" && errs != "" {
			t.Errorf("%s: %q\nwant %q", command, errs, want)
		}
	}
}

// TestReroutedByAnEngine: of the four nodes and five cables a-b, b-c, c-d, d-a, a-c, two
// failures cut off a node only if they are both cables of b, or both of d; up*/down* never
// deadlocks, and routes everything that is connected. A failed node is cut off, but nobody
// sends to it.
func TestReroutedByAnEngine(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("k.csv", []byte("a,b\nb,c\nc,d\nd,a\na,c\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := unknot(t, "sweep", "k.csv", "--both-ways", "--reroute", "updown", "--links", "2")
	if code != exitViolated {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var cut []string
	cases := strings.Split(strings.TrimSpace(out), "\n")[1:]
	for _, line := range cases {
		if !strings.Contains(line, `"deadlock-freedom":"holds","livelock-freedom":"holds"`) {
			t.Error(line)
		}
		if strings.Contains(line, `"delivery":"violated"`) {
			_, line, _ = strings.Cut(line, `"links":`)
			line, _, _ = strings.Cut(line, `,"deadlock-freedom"`)
			cut = append(cut, line)
		}
	}
	if diff := cmp.Diff([]string{`["a-b","b-c"]`, `["c-d","d-a"]`}, cut); diff != "" || len(cases) != 1+5+10 {
		t.Errorf("%d cases (-want +got)\n%s", len(cases), diff)
	}
	// A 2x2 mesh is a ring of four: without one node or one cable it is connected.
	for _, args := range []string{"sweep mesh --set k=2 --reroute updown --links 1",
		"sweep mesh --set k=2 --reroute lash --nodes 1",
		"sweep k.csv --both-ways --route shortest --reroute updown --nodes 1"} {
		if code, out, errs := unknot(t, strings.Fields(args)...); code != exitExpected {
			t.Errorf("%s: exit %d\n%s%s", args, code, out, errs)
		}
	}
	for args, want := range map[string]string{
		"sweep k.csv --reroute best --links 1":          `invalid --reroute "best": want an engine (`,
		"sweep k.csv --links 1":                         "k.csv is a topology without routing",
		"sweep mesh --both-ways --links 1":              `invalid --both-ways "true": want a topology, not mesh, which has its own routing`,
		"sweep k.csv --reroute dor --links 1 --set k=3": "--set: k.csv is a topology, which has no parameters",
	} {
		if code, _, errs := unknot(t, strings.Fields(args)...); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %q, want %q", args, code, errs, want)
		}
	}
}

// TestEveryClassRerouted: an engine's routes are those of every class. In a ring of six
// switches, whose hosts have two LIDs each, no cable between switches cuts anything off,
// and each of the six cables of hosts does; up*/down* never deadlocks.
func TestEveryClassRerouted(t *testing.T) {
	_, out, errs := unknot(t, "sweep", fabricDumps+"ring6-lmc1", "--reroute", "updown", "--links", "1")
	if strings.Count(out, `"deadlock-freedom":"holds"`) != 12 || strings.Count(out, `"delivery":"violated"`) != 6 {
		t.Errorf("%s%s", out, errs)
	}
}

// TestWeightOfNothing: --weight is for what weighs links.
func TestWeightOfNothing(t *testing.T) {
	inFolder(t, map[string]string{"mesh.csv": "from,to,weight\na,b,1\nb,c,2\nc,a,1\n"})
	for command, want := range map[string]string{
		"route mesh.csv --both-ways --weight weight":                              "want shortest, lash or dfsssp, not --engine nue",
		"route mesh.csv --both-ways --engine all --weight weight":                 "want shortest, lash or dfsssp, not --engine all",
		"check mesh.csv --both-ways --route updown --weight weight":               "updown takes no weights of links",
		"check mesh.csv --both-ways --route shortest --weight cost":               `mesh.csv:2:1: a link without "cost"`,
		"check ring --weight weight":                                              "want a topology, not ring",
		"route ring --engine shortest --weight weight":                            "want a topology, not ring",
		"sweep mesh.csv --both-ways --reroute shortest --links 1 --weight weight": "want no --reroute",
	} {
		if code, out, errs := unknot(t, strings.Fields(command)...); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, want %q\n%s%s", command, code, want, out, errs)
		}
	}
}

// TestAssumed: whatever decides or measures a topology says which switching it assumes, unless the command line does, and which weights have
// no effect, each once; what only shows or draws one assumes nothing.
func TestAssumed(t *testing.T) {
	inFolder(t, map[string]string{
		"mesh.csv":  "from,to,weight\na,b,1\nb,c,2\nc,a,1\n",
		"plain.csv": "from,to,weight\na,b,1\nb,c,1\nc,a,1\n",
		"read.star": "topology(\"mesh.csv\", both_ways = True)\ndef route(at, to):\n    return [hop(l) for l in at.node.out if l.dst == to and l.data[\"weight\"] > 0]\n",
	})
	const switching, weights = "does not say how its nodes switch: store-and-forward is assumed; --switching names another",
		"mesh.csv: weight of links has no effect on routes"
	for _, tt := range []struct {
		command            string
		switching, weights int // how often it says so
	}{
		{"check mesh.csv --both-ways --route updown", 1, 1},
		{"check mesh.csv --both-ways --route updown --switching wh", 0, 1},
		{"check plain.csv --both-ways --route updown", 1, 0},
		{"route mesh.csv --both-ways", 1, 1},
		{"route mesh.csv --both-ways --engine all", 1, 1},
		{"route mesh.csv --both-ways --switching vct", 0, 1},
		{"sweep mesh.csv --both-ways --reroute updown --links 1", 1, 1}, // four cases
		{"simulate mesh.csv --both-ways --route updown --load 0.01 --clocks 100", 1, 1},
		{"untie mesh.csv --both-ways --route shortest", 1, 1},
		{"graph mesh.csv --both-ways --route updown --kind cdg", 1, 1},
		{"show mesh.csv --both-ways", 0, 0},
		{"graph mesh.csv --both-ways --kind topology", 0, 0},
		{"check read.star", 0, 0},
		{"check mesh.csv --both-ways --route shortest --weight weight", 1, 0},
		{"route mesh.csv --both-ways --engine lash --weight weight", 1, 0},
	} {
		code, out, errs := unknot(t, strings.Fields(tt.command)...)
		if code > exitViolated || strings.Count(errs, switching) != tt.switching || strings.Count(errs, weights) != tt.weights {
			t.Errorf("%s: exit %d, want the switching %d times and the weights %d times\n%s%s", tt.command, code, tt.switching, tt.weights, out, errs)
		}
	}
}
