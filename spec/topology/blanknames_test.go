package topology

import (
	"fmt"
	"strings"
	"testing"
)

// TestNamesWithBlanks: a list that NetworkX wrote of a graph whose names have blanks is refused where the second word of
// a name stands, counted by hand. The rings are of five nodes, which read as links of "sw" would be a star.
func TestNamesWithBlanks(t *testing.T) {
	const after = "; if names have blanks, write the graph with nx.write_graphml, or put commas between the fields"
	named := func(place, word string) string {
		return "f:" + place + ": \"" + word + "\", behind the two ends of a link, is the name of a node: want data of the link"
	}
	both := func(place, half string) string {
		return "f:" + place + ": \"" + half + "\", behind the two ends of a link, stands before them, too: if it is data, " +
			"want a first row with a name for each column, such as from to weight"
	}
	for _, tt := range []struct{ name, text, want string }{
		{"weights", "sw 0 sw 1 2\nsw 0 sw 4 2\nsw 1 sw 2 2\nsw 2 sw 3 2\nsw 3 sw 4 2\n", named("1:6", "sw")},
		{"bare", "sw 0 sw 1\nsw 0 sw 4\nsw 1 sw 2\nsw 2 sw 3\nsw 3 sw 4\n", named("1:6", "sw")},
		{"three words", "Leaf Switch 0 Leaf Switch 1 1\nLeaf Switch 1 Leaf Switch 2 1\n", named("1:15", "Leaf")},
		{"one word and two", "a b\nb sw 0\nsw 0 a\n", named("3:6", "a")},
		{"a path of four", "a b c d\nb c d a\n", named("1:5", "c")},
		{"data", "a b {}\nsw 000 sw 100 {}\n", `f:2:8: "sw" behind the two ends of a link, and a dictionary: want one of them`},
		{"numbers", "0 0 1 1\n0 0 4 4\n1 1 2 2\n", `f:1:1: a link from node "0" to itself: leave it out`},
		// Numbers of a rack and within it.
		{"numbers that differ", "10 1 10 2\n10 2 10 3\n", both("1:6", "10 2")},
		{"a ring of pairs", "0 1 1 2\n1 2 2 0\n0 1 2 0\n", both("1:5", "1 2")},
		{"pairs with weights", "0 1 1 2 7\n1 2 2 0 7\n", both("1:5", "1 2")},
		{"triples", "0 0 1 0 1 1\n0 1 1 0 0 1\n", `f:1:1: a link from node "0" to itself: leave it out`},
		{"triples that differ", "0 1 1 0 1 2\n0 1 2 1 2 0\n", both("1:7", "0 1 2")},
		// Every link leads from a core to an edge.
		{"bipartite", "core 1 edge 2\ncore 2 edge 1\n", `f:1:8: "edge" behind the two ends of a link, ` +
			`and no node both begins and ends a link: want one word for each node`},
	} {
		for _, opt := range []Options{{}, {BothWays: true}, {OneWay: true}} {
			opt.Format = "edgelist"
			if _, err := Read(t.Context(), "f", []byte(tt.text), opt); err == nil || err.Error() != tt.want+after {
				t.Errorf("%s, %+v: %v\nwant %s", tt.name, opt, err, tt.want+after)
			}
		}
	}
}

// TestNoLists: what stands between names, a matrix of links and the numbers of nodes and links are no rows of links. A
// list whose first link may be such numbers is read with another one first.
func TestNoLists(t *testing.T) {
	const alone = ": want names alone, with blanks between them"
	const matrix = "f:1:1: as many rows as numbers in each, and 0 in the diagonal, are a matrix of links: want a row for each link; " +
		"if they are links, want a first row with a name for each column, such as from to weight"
	counts := func(row string) string {
		return "f:1:1: " + row + " above as many links seems to count nodes and links: delete the row; if it is a link, put it below another"
	}
	for _, tt := range []struct{ name, format, text, want string }{
		{"arrows", "edgelist", "0 -> 1\n1 -> 2\n2 -> 0\n", `f:1:3: "->" between names` + alone},
		{"edges", "edgelist", "# DOT\na -- b\n", `f:2:3: "--" between names` + alone},
		{"neighbours", "adjlist", "0: 1 2\n1: 0 2\n2: 0 1\n", `f:1:1: a colon behind "0"` + alone},
		{"neighbours apart", "adjlist", "0 : 1 2\n", `f:1:3: ":" between names` + alone},
		{"ring as a matrix", "edgelist", "0 1 0 1\n1 0 1 0\n0 1 0 1\n1 0 1 0\n", matrix},
		{"line as a matrix", "edgelist", "# of NumPy\n0.0 1.0 0.0\n1.0 0.0 1.0\n0.0 1.0 0.0\n", matrix},
		{"three weighted links", "edgelist", "0 1 5\n1 2 5\n2 0 5\n", ""},
		{"three links of a heading", "edgelist", "from to weight\n0 1 5\n1 0 5\n2 1 0\n", ""},
		{"counts", "edgelist", "4 3\n0 1\n1 2\n2 3\n", counts("4 3")},
		{"counts of a multigraph", "edgelist", "2 3\n0 1\n0 1\n1 0\n", counts("2 3")},
		{"too few links to be counted", "edgelist", "4 3\n0 1\n1 2\n", ""},
		{"more nodes than counted", "edgelist", "1 2\n2 3\n3 1\n", ""},
		{"a ring whose first link looks like counts", "edgelist", "3 2\n4 3\n2 1\n1 4\n", ""},
		{"one with data", "edgelist", "4 3 9\n3 2 9\n2 1 9\n1 4 9\n", ""},
	} {
		_, err := Read(t.Context(), "f", []byte(tt.text), Options{Format: tt.format, OneWay: true})
		if got := fmt.Sprint(err); tt.want == "" && err != nil || tt.want != "" && got != tt.want {
			t.Errorf("%s: %v\nwant %s", tt.name, err, tt.want)
		}
	}
}

// TestPairsOfNumbers: blanks between names that are pairs, as (0, 0) without its brackets, leave three fields between
// commas. The second is no node, but may be one where a heading says so, or where no third field tells of a pair.
func TestPairsOfNumbers(t *testing.T) {
	_, err := Read(t.Context(), "f", []byte("0, 0 0, 1\n0, 1 1, 1\n"), Options{Format: "csv"})
	if want := `f:1:4: "0 0" is no name of a node in a list without a heading, next to "0": want the heading from,to if it is; ` +
		"names with commas want quotation marks"; err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	for _, text := range []string{"from,to,vcs\n0,0 1,1\n", "0 0,0 1\n0 1,1 1\n", "sw 0,sw 1,2\n"} {
		if _, err := Read(t.Context(), "f", []byte(text), Options{Format: "csv"}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestColumnsOfData: what stands behind the ends of a link in lists that are published is data and no part of names.
func TestColumnsOfData(t *testing.T) {
	for name, text := range map[string]string{
		"NetworkX, data=True":              "a b {'weight': 2}\nb c {}\n",
		"NetworkX, data=[colour, weight]":  "a b red 3\nb c blue 4\nc a red 3\n",
		"NetworkX, data=[weight, colour]":  "a b 3 red\na c 4 blue\n",
		"KONECT, weights and times":        "% sym weighted\n1 2 1 1082040961\n3 4 1 1082155839\n5 2 -1 1082414391\n",
		"KONECT, bipartite":                "% bip weighted\n1 1001 5 874965758\n2 1001 3 876893171\n1 1002 4 878542960\n",
		"SNAP":                             "# FromNodeId\tToNodeId\n0\t1\n0\t2\n3\t2\n",
		"SNAP, signs":                      "# FromNodeId ToNodeId Sign\n0 1 -1\n1 2 1\n",
		"SNAP, times":                      "9 8 1217567877\n1 9 1217573801\n",
		"igraph, NCOL":                     "a b 0.5\nb c 1\n",
		"Rocketfuel, weights":              "Atlanta,GA3 Chicago,IL5 14.5\nChicago,IL5 Denver,CO1 3\n",
		"names that are numbers of others": "a 1 1 2\nb 2 2 1\n",
		"small integers":                   "from to weight lanes\n1 2 2 3\n2 3 1 1\n",
		"small integers, KONECT":           "% asym positive\n1 2 2 3\n2 3 1 1\n",
		"weights and lanes, some as ends":  "0 1 1 2\n1 2 1 2\n2 0 1 2\n",
	} {
		if _, err := Read(t.Context(), "f", []byte(text), Options{Format: "edgelist", OneWay: true}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBothEnds: a list with a row for each end of each cable is refused where its rows are to be cables, and one that has
// some so is told, whatever the format and whoever made them cables. Lines are counted by hand. Parallel cables have as
// many rows each way, or ports.
func TestBothEnds(t *testing.T) {
	const (
		refusal = ":1: each cable is listed from both ends, this one first at line "
		byFlag  = "; leave out --both-ways (in a .star file, both_ways = True)"
		byFile  = "; keep one of each; if they are two cables, list both from the same end"
	)
	for _, tt := range []struct {
		name, format, text, refused string
		twice                       *Twice
	}{
		{"ring", "csv", "from,to\na,b\nb,a\nb,c\nc,b\nc,a\na,c\n", "f:3" + refusal + "2" + byFlag, nil},
		{"without a heading", "csv", "a,b\nb,c\nc,b\nb,a\n", "f:3" + refusal + "2" + byFlag, nil},
		{"NetworkX", "edgelist", "a b {}\nb a {}\n", "f:2" + refusal + "1" + byFlag, nil},
		{"rows of nodes", "adjlist", "a b\nb a c\nc b\n", "f:2" + refusal + "1" + byFlag, nil},
		{"two parallel cables", "edgelist", "a b\na b\nb a\nb a\n", "f:3" + refusal + "1" + byFlag, nil},
		{"one row too many", "edgelist", "a b\nb a\nc b\n", "", &Twice{File: "f", From: "b", To: "a", Line: 2, First: 1, ByOption: true}},
		{"three rows of two ends", "csv", "a,b\nb,a\na,b\n", "", &Twice{File: "f", From: "b", To: "a", Line: 2, First: 1, ByOption: true}},
		{"none", "edgelist", "a b\nb c\nc a\na b\n", "", nil},
		{"ports of the same cable", "csv", "from,to,out,in\na,b,1,2\nb,a,2,1\n", "f:3" + refusal + "2" + byFlag, nil},
		{"ports of two cables", "csv", "from,to,out,in\na,b,1,2\nb,a,3,4\n", "", nil},
		{"each end with its port", "csv", "from,to,out\na,b,1\nb,a,2\n", "f:3" + refusal + "2" + byFlag, nil},
		{"rows that say", "csv", "from,to,directed\na,b,true\nb,a,true\n", "", nil},
		{"rows that say both", "csv", "from,to,directed\na,b,false\nb,a,true\n", "", nil},
		{"Gephi", "csv", "Source,Target,Type\na,b,Undirected\nb,a,Undirected\n", "f:3" + refusal + "2" + byFile, nil},
		{"Gephi, some", "csv", "Source,Target,Type\na,b,Undirected\nb,a,Undirected\nb,c,Undirected\n", "", &Twice{File: "f", From: "b", To: "a", Line: 3, First: 2}},
		{"DOT", "dot", "graph { a -- b\nb -- a }", "f:2" + refusal + "1" + byFile, nil},
		{"DOT, some", "dot", "graph { a -- b -- c\nb -- a }", "", &Twice{File: "f", From: "b", To: "a", Line: 2, First: 1}},
		{"DOT, parallel", "dot", "graph { a -- b\na -- b }", "", nil},
		{"DOT, once", "dot", "strict graph { a -- b\nb -- a }", "", nil},
		{"JSON", "networkx", `{"nodes": [{"id": 0}, {"id": 1}], "links": [{"source": 0, "target": 1},` + "\n" + `{"source": 1, "target": 0}]}`, "f:2" + refusal + "1" + byFile, nil},
		{"GML", "gml", "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ]\nedge [ source 1 target 0 ] ]", "f:2" + refusal + "1" + byFile, nil},
	} {
		g, err := Read(t.Context(), "f", []byte(tt.text), Options{Format: tt.format, BothWays: true})
		switch {
		case tt.refused != "":
			if err == nil || err.Error() != tt.refused {
				t.Errorf("%s: %v, want %s", tt.name, err, tt.refused)
			}
		case err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case (g.Twice == nil) != (tt.twice == nil) || g.Twice != nil && *g.Twice != *tt.twice:
			t.Errorf("%s: %+v, want %+v", tt.name, g.Twice, tt.twice)
		}
		if tt.twice != nil && !tt.twice.ByOption || strings.HasSuffix(tt.refused, byFile) {
			continue // the file says so
		}
		for _, opt := range []Options{{}, {OneWay: true}} {
			opt.Format = tt.format
			if g, err := Read(t.Context(), "f", []byte(tt.text), opt); err != nil || g.Twice != nil {
				t.Errorf("%s, without the option: %+v, %v", tt.name, g, err)
			}
		}
	}
}

// TestRowsOfNames: NetworkX writes the time above an adjacency list, and a row for each node. So the text is no list of
// paths, nor of links with weights, and a name without a row is a part of one.
func TestRowsOfNames(t *testing.T) {
	const time = "# GMT Mon Nov 30 12:50:31 2026\n"
	for _, tt := range []struct {
		name, format, text string
		links              int
		err                string
	}{
		{"nx.DiGraph", "", "0 1\n1 2 0\n2 3\n3 4\n4 0\n", 6, ""},
		{"complete nx.DiGraph", "", "0 1 2\n1 2 0\n2 0 1\n", 6, ""},
		{"names with blanks", "adjlist", "0 a 1 a\n1 a 0 a\n", 0, `f:2:3: node "a" without a row, which NetworkX writes for each; ` + ifBlanks},
	} {
		g, err := Read(t.Context(), "f", []byte(time+tt.text), Options{Format: tt.format, OneWay: true})
		switch {
		case tt.err != "":
			if err == nil || err.Error() != tt.err {
				t.Errorf("%s: %v, want %s", tt.name, err, tt.err)
			}
		case err != nil || g.Format != "adjlist" || g.Topology.Links() != tt.links:
			t.Errorf("%s: %v, %+v, want %d links", tt.name, err, g, tt.links)
		}
	}
}
