package listed_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/listed"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func TestMain(m *testing.M) { seedtest.Main(m) }

// follow returns the names of the nodes that a packet passes, with the VC after each, such as a/0.
func follow(t interface{ Fatalf(string, ...any) }, n *spec.Network, from, to spec.NodeID) (names []string) {
	at := spec.Site{Channel: spec.Injection(from), Header: spec.Header{Dest: to}}
	for range n.Topology().Channels() + 1 {
		hops, ok := n.Hops(at)
		if !ok || len(hops) != 1 {
			t.Fatalf("at %v: hops %v", at, hops)
		}
		name := n.Topology().Node(n.Topology().Head(at.Channel)).Name
		if hops[0].Channel == spec.Eject {
			return append(names, name)
		}
		names = append(names, fmt.Sprintf("%s/%d", name, n.Topology().VC(hops[0].Channel)))
		at.Channel, at.Header.Tag = hops[0].Channel, hops[0].Tag
	}
	t.Fatalf("no end after %v", names)
	return nil
}

// TestPathsAreTaken: on drawn lists of paths, which may part and meet again and pass their destinations, each packet takes its
// own.
func TestPathsAreTaken(t *testing.T) {
	most := 0
	rapid.Check(t, func(rt *rapid.T) {
		text, want, seen := "flow;Hops;vc\n", map[[2]string][]string{}, map[string]bool{}
		for row := range rapid.IntRange(1, 12).Draw(rt, "paths") {
			nodes := []string{}
			taken := map[string]bool{}
			for range rapid.IntRange(2, 7).Draw(rt, "nodes") {
				v := string(rune('a' + rapid.IntRange(0, 4).Draw(rt, "node")))
				link := v
				if len(nodes) > 0 {
					link = nodes[len(nodes)-1] + v
				}
				if len(nodes) > 0 && nodes[len(nodes)-1] == v || taken[link] && len(nodes) > 0 {
					continue
				}
				taken[link], nodes = true, append(nodes, v)
			}
			last := nodes[len(nodes)-1]
			if len(nodes) < 2 || nodes[0] == last || want[[2]string{nodes[0], last}] != nil {
				continue
			}
			vc := rapid.IntRange(0, 1).Draw(rt, "vc")
			way := []string{}
			for _, v := range nodes[:len(nodes)-1] {
				way = append(way, fmt.Sprintf("%s/%d", v, vc))
			}
			want[[2]string{nodes[0], last}] = append(way, last)
			for _, v := range nodes {
				seen[v] = true
			}
			text += fmt.Sprintf("f%d;%s;%d\n", row, strings.Join(nodes, " "), vc)
		}
		if len(want) == 0 {
			rt.Skip("no path")
		}
		def, err := listed.Paths(rt.Context(), "f", []byte(text))
		if err != nil {
			rt.Fatalf("%v in\n%s", err, text)
		}
		most = max(most, def.Tags)
		n, err := routing.Compile(rt.Context(), def, routing.CompileOptions{Workers: 1})
		if err != nil {
			rt.Fatal(err)
		}
		if n.FlowCount() != len(want) || n.Topology().Nodes() != len(seen) {
			rt.Fatalf("%d flows of %d nodes, want %d of %d", n.FlowCount(), n.Topology().Nodes(), len(want), len(seen))
		}
		for pair, way := range want {
			from, _ := n.Topology().NodeNamed(pair[0])
			to, _ := n.Topology().NodeNamed(pair[1])
			if got := follow(rt, n, from, to); !slices.Equal(got, way) {
				rt.Fatalf("from %s to %s by %v, want %v", pair[0], pair[1], got, way)
			}
		}
	})
	if seedtest.Usual() && most < 2 {
		t.Error("no drawn paths to one destination parted")
	}
}

// TestTags: paths to one destination share a tag unless they part after a channel: b c and b d do, after a b.
func TestTags(t *testing.T) {
	for text, want := range map[string]int{
		"path\na b c e\nb c e\nd c e\n":       1,
		"path\na b c e\nx a b d e\nb c e\n":   2,
		"path\na b c e\nx a b c f\nb d e g\n": 1, // other destinations
	} {
		def, err := listed.Paths(t.Context(), "f", []byte(text))
		if err != nil || def.Tags != want {
			t.Errorf("%q: %d tags, want %d (%v)", text, def.Tags, want, err)
		}
	}
}

func tables(ctx context.Context, text string) (routing.Definition, error) {
	var files []listed.File
	for part := range strings.SplitSeq(text, "|") {
		name, table, _ := strings.Cut(part, ":")
		files = append(files, listed.File{Name: "fib/" + name + ".csv", Text: []byte("dest,next,vc\n" + strings.ReplaceAll(table, " ", "\n") + "\n")})
	}
	return listed.Tables(ctx, files)
}

// TestTables: routers without hosts send to each other; hosts send over the router that they hang on.
func TestTables(t *testing.T) {
	for _, tt := range []struct {
		text  string
		flows int
		way   []string // of a packet from the first to the last node
	}{
		{"a:b,b, c,b,1|b:a,a, c,c,|c:a,b, b,b,", 6, []string{"a/1", "b/0", "c"}},
		{"a:h,h, i,b,|b:h,a, i,i,2", 2, []string{"h/0", "a/0", "b/2", "i"}},
	} {
		def, err := tables(t.Context(), tt.text)
		if err != nil {
			t.Fatal(err)
		}
		n, err := routing.Compile(t.Context(), def, routing.CompileOptions{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		from, _ := n.Topology().NodeNamed(tt.way[0][:1])
		to, _ := n.Topology().NodeNamed(tt.way[len(tt.way)-1])
		if diff := cmp.Diff(tt.way, follow(t, n, from, to)); diff != "" || n.FlowCount() != tt.flows {
			t.Errorf("%d flows, want %d; %s", n.FlowCount(), tt.flows, diff)
		}
		if got := n.Reason(spec.Site{Channel: spec.Injection(0), Header: spec.Header{Dest: to}}, spec.Hop{}); got != "fib/a.csv:3" {
			t.Errorf("%s: the reason is %q", tt.text, got)
		}
	}
	// A router without a row: packets from a for c end in b.
	def, err := tables(t.Context(), "a:c,b, b,b,|b:a,a,|c:b,b, a,b,")
	if err != nil {
		t.Fatal(err)
	}
	n, err := routing.Compile(t.Context(), def, routing.CompileOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	b, _ := n.Topology().NodeNamed("b")
	c, _ := n.Topology().NodeNamed("c")
	if hops, ok := n.Hops(spec.Site{Channel: spec.Injection(b), Header: spec.Header{Dest: c}}); !ok || len(hops) > 0 {
		t.Error("b has no row for c, but hops", hops)
	}
}

func TestWrong(t *testing.T) {
	for _, tt := range []struct {
		tables     bool
		text, want string
	}{
		{false, "", "f:1:1: no heading: want hops or path"},
		{false, "flow,hop\n1,a b\n", "f:1:1: the heading has no column hops or path"},
		{false, "hops,hops\n", `f:1:6: the heading names column 2 "hops": names must differ`},
		{false, "hops\n", "f:1:1: no path: want a row for each flow below the heading"},
		{false, "flow,hops\n1,a b\n2,a\n", "f:3:3: a path of 1 nodes: want at least 2, with spaces between"},
		{false, "flow,hops\n1\n", "f:2:1: invalid number of fields 1: want 2, one for each column"},
		{false, "flow,hops\n1,a b\n2,a c b\n", `f:3:3: a second path from "a" to "b", after line 2: want one, as flows that are shared out among paths are not read`},
		{false, "hops\na b b\n", `f:2:1: the path goes from "b" to itself`},
		{false, "hops\na b a\n", "f:2:1: the path ends where it begins"},
		{false, "hops\na b a b c\n", `f:2:1: the path takes the link from "a" to "b" twice`},
		{false, "hops,vc\na b,256\n", `f:2:5: invalid vc "256": want 0 to 255`},
		{false, "hops,vc\na b,x\n", `f:2:5: invalid vc "x": want 0 to 255`},
		{false, "hops\n\"a b\n", `f:2:6: extraneous or missing " in quoted-field`},
		{true, "a:b,b, b,b,", `fib/a.csv:3:1: a second row for "b", after line 2: want one, as an ECMP group is not read`},
		{true, "a:a,b,|b:a,a,", "fib/a.csv:2:1: a row for the router itself: leave it out"},
		{true, "a:b,a,|b:a,a,", "fib/a.csv:2:3: the next hop is the router itself: want a neighbour"},
		{true, "a:b,h,|b:a,a,", `fib/a.csv:2:3: "h" has no table, and so cannot pass on packets for "b"`},
		{true, "a:h,h,|b:h,h,", `fib/b.csv:2:3: "h" hangs on two routers: give it a table, h.csv, with what it sends to which`},
		{true, "a:h,b,|b:a,a,", `fib/a.csv:2:1: "h" has no table, and is no router's next hop`},
		{true, "a:b,b,-1|b:a,a,", `fib/a.csv:2:5: invalid vc "-1": want 0 to 255`},
		{true, "a:,b,|b:a,a,", "fib/a.csv:2:1: a row without a destination"},
		{true, "a:b,,|b:a,a,", "fib/a.csv:2:3: a row without a next hop"},
	} {
		var err error
		if tt.tables {
			_, err = tables(t.Context(), tt.text)
		} else {
			_, err = listed.Paths(t.Context(), "f", []byte(tt.text))
		}
		if at := new(spec.PosError); err == nil || err.Error() != tt.want || !errors.As(err, &at) {
			t.Errorf("%q: %v, want %s", tt.text, err, tt.want)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := listed.Paths(ended, "f", []byte("hops\na b\n")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := tables(ended, "a:b,b,|b:a,a,"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestIs(t *testing.T) {
	for text, want := range map[string][2]bool{
		"# routes\n\nflow,Hops\n": {true, false}, "path\n": {true, false}, "dest,next\n": {false, true}, "from,to\n": {}, "": {}, "<hops>\n": {},
		"dest;via;\"path\"\n": {true, true}, "a,b\nhops,x\n": {},
	} {
		if got := [2]bool{listed.IsPaths([]byte(text)), listed.IsTable([]byte(text))}; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
