package star_test

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

func (f folder) list(below string) (names []string, _ error) {
	for name := range f {
		if path.Dir(name) == below {
			names = append(names, path.Base(name))
		}
	}
	return names, nil
}

func (f folder) options() star.Options { return star.Options{Open: f.open, List: f.list} }

// TestLists: lists of routes in a file are the network that they are by themselves, with what the file says of
// switching and flows. The sizes were counted by hand.
func TestLists(t *testing.T) {
	files := folder{
		"routes.csv": "hops\na b c\na d c\nb c\n",
		"fib/x.csv":  "dest,next\nh,h\ni,y\n", "fib/y.csv": "dest,next\ni,i\nh,x\n", "fib/notes.txt": "-",
		"bad.csv": "hops\na\n", "bad/x.csv": "dest,next\ny,x\n",
	}
	for _, tt := range []struct{ text, want string }{
		{"paths(\"routes.csv\")", "4 nodes, 4 links, 2 flows, 4 sites; reads routes.csv"},
		{"paths(file = \"routes.csv\")\nflows([(\"b\", \"c\")])", "4 nodes, 4 links, 1 flow, 1 site; reads routes.csv"},
		{"p = paths(\"routes.csv\")\nflows([(p.nodes[0], p.links[1].dst)])", "4 nodes, 4 links, 1 flow, 4 sites; reads routes.csv"},
		{"tables(\"fib/*.csv\")", "4 nodes, 6 links, 2 flows, 6 sites; reads fib/x.csv, fib/y.csv"},
		{"tables(\"fib/?.csv\")\nflows(lambda s, d, c: s.name == \"h\" and d.name == \"i\")", "4 nodes, 6 links, 1 flow, 3 sites; reads fib/x.csv, fib/y.csv"},
		{"tables(\"fib/*.csv\")\nflows(lambda s, d, c: 1)", "dir/n.star:3:7: lambda returned an int: must return True or False (in flows from y to x)"},
		{"node(\"a\")\npaths(\"routes.csv\")", "dir/n.star:3:1: paths after other nodes: the lists name all nodes and links of the network"},
		{"paths(\"routes.csv\")\nnode(\"z\")", "dir/n.star:3:1: node \"z\" beside lists of routes: the lists name all nodes and links of the network"},
		{"p = paths(\"routes.csv\")\nlink(\"a\", \"c\")", "dir/n.star:3:1: link beside lists of routes: the lists name all nodes and links of the network"},
		{"paths(\"routes.csv\")\ntables(\"fib/*.csv\")", "dir/n.star:3:1: tables after other nodes: the lists name all nodes and links of the network"},
		{"paths(\"routes.csv\")\ndef route(at, to):\n    return []", "dir/n.star:1:1: both route and lists of routes: want one of them"},
		{"paths(\"bad.csv\")", "dir/bad.csv:2:1: a path of 1 node: want at least two, with spaces between"},
		{"tables(\"bad/*.csv\")", "dir/bad/x.csv:2:3: the next hop is the router itself: want a neighbour"},
		{"tables(\"none/*.csv\")", "dir/n.star:2:1: no file is called \"none/*.csv\""},
		{"tables(\"../*.csv\")", "dir/n.star:2:1: invalid pattern \"../*.csv\": want the names of files in a folder below this one, such as \"fib/*.csv\""},
		{"tables(\"fib/*\" + \"\")",
			"dir/n.star:2:1: tables of \"fib/*\": write the name of the file in the call, in quotes, so that what is read is known before the file runs"},
		{"paths(\"fib/*.csv\")",
			"dir/n.star:2:1: invalid file \"fib/*.csv\": want the name of a file in the same folder or below it, such as \"data/edges.csv\""},
	} {
		text := []byte("network(name = \"n\", switching = \"wormhole\")\n" + tt.text + "\n")
		f, err := star.Load(context.Background(), "dir/n.star", text, files.options())
		var n *spec.Network
		if err == nil {
			n, err = routing.Compile(context.Background(), f.Definition, routing.CompileOptions{Workers: 1})
		}
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprintf("%s, %s, %s, %s; reads ", words.Plural(n.Topology().Nodes(), "node"), words.Plural(n.Topology().Links(), "link"),
				words.Plural(n.FlowCount(), "flow"), words.Plural(n.SiteCount(), "site")) + strings.Join(f.Inputs, ", ")
			loads := slices.Sorted(maps.Keys(star.Loads(text, files.options())))
			if diff := cmp.Diff(f.Inputs, loads); diff != "" {
				t.Errorf("%s\nloads (-read +loaded):\n%s", tt.text, diff)
			}
			if n.Switching() != spec.Wormhole {
				t.Errorf("%s: %s", tt.text, n.Switching())
			}
		}
		if got != tt.want {
			t.Errorf("%s\n%s\nwant %s", tt.text, got, tt.want)
		}
	}
	_, err := star.Load(context.Background(), "n.star", []byte("network(sources = True)\npaths(\"routes.csv\")\n"), files.options())
	if want := "n.star:2:1: paths with network(tags = ..., sources = ...): lists set the tags themselves, leave them out"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
