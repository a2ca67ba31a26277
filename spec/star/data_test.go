package star_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/costtest"
)

// said runs a text whose last line makes a value called x, and returns the value as
// text: it is the name of the network.
func said(t *testing.T, f folder, text string) string {
	t.Helper()
	text += "\nnetwork(name = str(x))\na = node()\nboth(a, node())\ndef route(at, to):\n    return [hop(at.node.to(to))]\n"
	file, err := star.Load(context.Background(), "dir/m.star", []byte(text), star.Options{Open: f.open})
	if err != nil {
		return err.Error()
	}
	return file.Definition.Name
}

// TestData: values and faults of data files; places were counted by hand.
func TestData(t *testing.T) {
	for _, c := range []struct{ name, data, text, want string }{
		{"table", "a;b\n1;x y\n 2.5 ; true\n", `x = table("d")`, `[{"a": 1, "b": "x y"}, {"a": 2.5, "b": True}]`},
		// As numbers, 007 is 7, and 18446744073709551616 equals its neighbours.
		{"names of digits", "a,b\n007,18446744073709551616\n-5,0\n", `x = table("d")`, `[{"a": "007", "b": "18446744073709551616"}, {"a": -5, "b": 0}]`},
		{"columns", "1,2\n", `x = table("d", columns = ["p", "q"])`, `[{"p": 1, "q": 2}]`},
		{"no rows", "a,b\n", `x = table(file = "d")`, `[]`},
		{"heading twice", "a,b,a\n", `x = table("d")`, `dir/d:1:5: the heading names column 3 "a": names must differ`},
		{"too few", "a,b\n\n1\n", `x = table("d")`, `dir/d:3:1: invalid number of fields 1: want 2, one for each column`},
		{"quote", "a,b\n\"1,2\n", `x = table("d")`, `dir/d:2:6: extraneous or missing " in quoted-field`},
		{"json", "{\"b\": [1, -2.5, true, null, \"\\u00e9\"],\n \"a\": {}}", `x = json("d")`, `{"b": [1, -2.5, True, None, "é"], "a": {}}`},
		{"json cut", "{\"b\":\n [1,", `x = json("d")`, `dir/d:2:5: unexpected end of file`},
		{"json wrong", "[1,\n x]", `x = json("d")`, `dir/d:2:2: unexpected character 'x'`},
		{"json key twice", "[{\"a\": 1, \"b\":\n {\"a\": 2}, \"b\": 3}]", `x = json("d")`, `dir/d:2:12: key "b" appears twice in an object`},
		{"json deep", strings.Repeat("[", 300), `x = json("d")`, `dir/d:1:201: brackets nested more than 200 deep: split the expression`},
		{"json long", "[" + strings.Repeat("7", 2000) + "]", `x = json("d")`, `dir/d:1:2: a number of a thousand digits: want fewer`},
		{"json many", "[" + strings.Repeat("[],", 6_000_000) + "0]", `x = json("d")`,
			`dir/m.star:1:5: more than 10000000 steps: beyond the bound: is there a loop or a list that is far too long?`},
		{"missing", "", `x = json("other")`, `dir/m.star:1:5: no such file`},
		{"computed", "", `x = json("d" + "")`,
			`dir/m.star:1:5: json of "d": write the name of the file in the call, in quotes, so that what is read is known before the file runs`},
		{"alias", "", "f = json\nx = f(\"d\")",
			`dir/m.star:2:5: json of "d": write the name of the file in the call, in quotes, so that what is read is known before the file runs`},
		{"above", "", `x = table("../d")`,
			`dir/m.star:1:5: invalid file "../d": want the name of a file in the same folder or below it, such as "data/edges.csv"`},
		{"absolute", "", `x = table("/d")`,
			`dir/m.star:1:5: invalid file "/d": want the name of a file in the same folder or below it, such as "data/edges.csv"`},
		{"around", "", `x = table("a/../../d")`,
			`dir/m.star:1:5: invalid file "a/../../d": want the name of a file in the same folder or below it, such as "data/edges.csv"`},
		{"below", "", `x = table("sub/e.csv")`, `[{"k": 3}]`},
		{"backslash", "", `x = table("..\\d")`,
			`dir/m.star:1:5: invalid file "..\\d": want the name of a file in the same folder or below it, such as "data/edges.csv"`},
		{"too large", strings.Repeat("\n", 64<<20+1), `x = table("d")`, `dir/m.star:1:5: d has 67108865 bytes: at most 67108864 are read`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := said(t, folder{"d": c.data, "sub/e.csv": "k\n3\n"}, c.text); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
	if got := said(t, folder{}, "x = 0\ndef f():\n    pass\nnode(\"n\")"); !strings.Contains(got, "network is called after the first node") {
		t.Error(got) // said works as it says
	}
}

// TestDataIsAnInput: the files that a text reads are known without running it, those of
// its libraries included.
func TestDataIsAnInput(t *testing.T) {
	files := folder{"lib.star": "t = table(\"sub/e.csv\")\n", "sub/e.csv": "k\n", "cfg.json": "{}", "net.graphml": "<graphml/>"}
	text := "load(\"lib.star\", \"t\")\nif False:\n    json(\"cfg.json\")\ng = topology(file = \"net.graphml\")\nh = table(\"../out\")\n"
	opened := map[string]bool{}
	got := star.Loads([]byte(text), star.Options{Open: func(name string) ([]byte, error) {
		opened[name] = true
		return files.open(name)
	}})
	if diff := cmp.Diff([]string{"cfg.json", "lib.star", "net.graphml", "sub/e.csv"}, slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if opened["../out"] {
		t.Error("a file outside was opened")
	}
}

// TestTopologyIsDeclared: the nodes and links of a file, with their data, are those of
// the network; the switch s of a star of hosts a, b sends nothing, so two of the six
// flows among three nodes are left.
func TestTopologyIsDeclared(t *testing.T) {
	const star3 = `<graphml><key id="k" for="node" attr.name="type" attr.type="string"/><key id="w" for="edge" attr.name="length" attr.type="int"/>
<graph edgedefault="undirected"><node id="s"/><node id="a"><data key="k">host</data></node><node id="b"><data key="k">host</data></node>
<edge source="a" target="s"><data key="w">3</data></edge><edge source="s" target="b"/></graph></graphml>`
	const text = `network(vcs = 2)
t = topology("net.graphml"%s)
if [n.name for n in t.terminals] != ["a", "b"] or t.nodes[1].data != {"type": "host"} or t.nodes[0].data or t.links[1].data["length"] != 3:
    fail(t.nodes[1].data, t.links[1].data)
def route(at, to):
    return [hop(l, 1) for l in at.node.out if l.dst == to or to.name != "s" and l.dst.name == "s"]
`
	load := func(more, after string) (*spec.Network, error) {
		f, err := star.Load(context.Background(), "m.star", []byte(fmt.Sprintf(text, more)+after), star.Options{Open: folder{"net.graphml": star3}.open})
		if err != nil {
			return nil, err
		}
		if !slices.Equal(f.Inputs, []string{"net.graphml"}) {
			t.Errorf("inputs %q", f.Inputs)
		}
		return routing.Compile(context.Background(), f.Definition, routing.CompileOptions{})
	}
	n, err := load("", "")
	if err != nil {
		t.Fatal(err)
	}
	if n.FlowCount() != 2 || n.Topology().Links() != 4 || n.Topology().Channels() != 8 || n.SiteCount() != 4 {
		t.Errorf("%d flows, %d links, %d channels, %d sites: want 2, 4, 8, 4", n.FlowCount(), n.Topology().Links(), n.Topology().Channels(), n.SiteCount())
	}
	if n, err := load(", vcs = 3", "flows([(\"s\", \"a\")])\n"); err != nil || n.FlowCount() != 1 || n.Topology().Channels() != 12 {
		t.Errorf("%v: want one flow and 12 channels", err)
	}
	for more, want := range map[string]string{
		", vcs = 0":                   "m.star:2:5: topology with invalid vcs 0: want 1 to 65536",
		", format = \"anynet\"":       "net.graphml:1:1: invalid word \"<graphml><key\": want router or node",
		")\ntopology(\"net.graphml\"": "m.star:3:1: node \"s\" already exists: names must differ",
	} {
		var pos *spec.PosError
		if _, err := load(more, ""); !errors.As(err, &pos) || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

// TestTableKeys: numbers in a table are integers, and the names of nodes are strings. Who looks one up among the others is
// told.
func TestTableKeys(t *testing.T) {
	const text = `rows = {(r["node"], r["dest"]): r["next"] for r in table("t.csv")}
n = node(rows["1", "2"])
`
	_, err := star.Load(t.Context(), "m.star", []byte(text), star.Options{Open: folder{"t.csv": "node,dest,next\n1,2,3\n"}.open})
	const want = `m.star:2:14: key ("1", "2") not in dict: numbers in a table(...) are integers, and names of nodes are ` +
		`strings: make the keys with str(...)`
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// FuzzData: whatever a data file contains, each of its readers answers in one line, and
// soon.
func FuzzData(f *testing.F) {
	for _, s := range []string{"a;b\n1;x y\n", "{\"b\": [1, -2.5e3, null, \"\\u00e9\"]}",
		"<graphml><graph edgedefault='directed'><node id='a'/></graph></graphml>", "router 0 node 0 router 1\n",
		"[[[[[[", "from,to\na,b\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		for _, reader := range []string{"table(\"d\")", "table(\"d\", columns = [\"p\", \"q\"])", "json(\"d\")", "topology(\"d\").links"} {
			costtest.Within(t, len(data), func() {
				if got := said(t, folder{"d": data}, "x = len("+reader+")"); got == "" || strings.ContainsAny(got, "\n\r") {
					t.Errorf("%s of %q: %q is not one line", reader, data, got)
				}
			})
		}
	})
}
