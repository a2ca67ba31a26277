package topology

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestHeading: the first row is a heading only if both ends are named; otherwise it is a link like the others.
func TestHeading(t *testing.T) {
	for text, want := range map[string][]string{
		"from,to\na,b\n":            {"a>b"},
		"to,from\na,b\n":            {"b>a"},
		"source,note,target\na,x,b": {"a>b"},
		"from,b\na,b\n":             {"from>b", "a>b"},
		"a,to\na,b\n":               {"a>to", "a>b"},
		"a,b\nfrom,to\n":            {"a>b", "from>to"},
	} {
		r, err := Read(t.Context(), "n.csv", []byte(text), Options{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var got []string
		for l := range r.Topology.Links() {
			k := r.Topology.Link(spec.LinkID(l))
			got = append(got, r.Topology.Node(k.From).Name+">"+r.Topology.Node(k.To).Name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// TestHeadingWithBlanks: as pandas writes a table, the first row of a list whose fields blanks separate names its columns.
func TestHeadingWithBlanks(t *testing.T) {
	for text, want := range map[string]string{
		"source target cost\n0 1 7\n1 0 8\n": "edgelist \"\"\nnode 0 sends\nnode 1 sends\nlink 0->1 1 cost=7\nlink 1->0 1 cost=8",
		"from to\na b\nb a\n":                "edgelist \"\"\nnode a sends\nnode b sends\nlink a->b 1\nlink b->a 1",
		"a b\nfrom to\nto a\nb from\n":       "edgelist \"\" one-way\nnode a sends\nnode b sends\nnode from sends\nnode to sends\nlink a->b 1\nlink from->to 1\nlink to->a 1\nlink b->from 1",
		"source target\n0 1 7\n1 0 8\n":      `f:2:5: 3 fields, but the heading has 2`,
		"from to\nto a\na b\nb a\n": `f:2:1: "to" names a node here and a column in the first row: want that row ` +
			`behind another, if it is a link`,
	} {
		for _, format := range []string{"", "edgelist"} {
			got := ""
			if g, err := Read(t.Context(), "f", []byte(text), Options{Format: format}); err != nil {
				got = err.Error()
			} else {
				got = told(g)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q, %q (-want +got):\n%s", text, format, diff)
			}
		}
	}
}

// TestAdvice: rows of links that are not known for such are told what they need.
func TestAdvice(t *testing.T) {
	const columns, quotes = "; if its rows are links, want a first row that names the columns of both ends from and to",
		"; names in quotation marks want commas between them, and the heading from,to"
	for text, want := range map[string]string{
		"switch,port,peer,peer_port\ns1,1,s2,1\n": columns,
		"A;B;ports\n0 0;0 1;2\n":                  columns,
		"(0, 0),(0, 1),{}\n(0, 1),(1, 1),{}\n":    columns,
		"\"sw a\" \"sw b\" 2\n":                   quotes,
		"'r0' 'r1' {'weight': 2}\n":               quotes,
		"Dear reader, of all\nthat we wrote.\n":   "",
		"a router, a switch\n":                    "",
		"from x to y\n":                           "",
	} {
		_, err := Read(t.Context(), "f", []byte(text), Options{})
		if want = " (unknot help topologies)" + want; err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
}

// TestMatrix: the sizes of a matrix are no link, also where the user says that the text is a list of links.
func TestMatrix(t *testing.T) {
	_, err := Read(t.Context(), "f", []byte("%%MatrixMarket matrix coordinate pattern general\n3 4 2\n1 2\n3 4\n"), Options{Format: "edgelist"})
	if err == nil || !strings.HasPrefix(err.Error(), "f:1:1: the text is a matrix of Matrix Market, which is not read as it is: convert it with python3") {
		t.Error(err)
	}
}
