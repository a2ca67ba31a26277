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
	"github.com/seed-105a2da2/unknot/spec/support/costtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func TestMain(m *testing.M) { seedtest.Main(m) }

// follow returns the names of the nodes that a packet passes, with the VC after each, such as a/0, for each alternative
// at its source; in order.
func follow(t interface{ Fatalf(string, ...any) }, n *spec.Network, from, to spec.NodeID) (all [][]string) {
	for k := range n.TableOf(spec.Target{Dest: to}).SourcesOf(from) {
		at := spec.Site{Channel: spec.Injection(from), Header: spec.Header{Dest: to, Tag: spec.Tag(k)}}
		var names []string
		for range n.Topology().Channels() + 2 {
			hops, ok := n.Hops(at)
			if !ok || len(hops) != 1 {
				t.Fatalf("at %v: hops %v", at, hops)
			}
			name := n.Topology().Node(n.Topology().Head(at.Channel)).Name
			if hops[0].Channel == spec.Eject {
				all, names = append(all, append(names, name)), nil
				break
			}
			names = append(names, fmt.Sprintf("%s/%d", name, n.Topology().VC(hops[0].Channel)))
			at.Channel, at.Header.Tag = hops[0].Channel, hops[0].Tag
		}
		if names != nil {
			t.Fatalf("no end after %v", names)
		}
	}
	slices.SortFunc(all, slices.Compare)
	return all
}

// TestPathsAreTaken: on drawn lists of paths, which may part and meet again and pass their destinations, a packet takes
// one of those of its pair, each of which it may be committed to.
func TestPathsAreTaken(t *testing.T) {
	mostTags, mostAlternatives := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		text, want, seen := "flow;Hops;vc\n", map[[2]string][][]string{}, map[string]bool{}
		count := 0
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
			if len(nodes) < 2 || nodes[0] == last {
				continue
			}
			vc := rapid.IntRange(0, 1).Draw(rt, "vc")
			way := []string{}
			for _, v := range nodes[:len(nodes)-1] {
				way = append(way, fmt.Sprintf("%s/%d", v, vc))
			}
			way = append(way, last)
			pair := [2]string{nodes[0], last}
			if slices.ContainsFunc(want[pair], func(w []string) bool { return slices.Equal(w, way) }) {
				continue // a repetition, which is refused
			}
			want[pair] = append(want[pair], way)
			slices.SortFunc(want[pair], slices.Compare)
			mostAlternatives, count = max(mostAlternatives, len(want[pair])), count+1
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
		mostTags = max(mostTags, def.Tags)
		n, err := routing.Compile(rt.Context(), def, routing.CompileOptions{Workers: 1})
		if err != nil {
			rt.Fatal(err)
		}
		if n.Topology().Nodes() != len(seen) {
			rt.Fatalf("%d nodes, want %d", n.Topology().Nodes(), len(seen))
		}
		got := 0
		for pair, ways := range want {
			from, _ := n.Topology().NodeNamed(pair[0])
			to, _ := n.Topology().NodeNamed(pair[1])
			all := follow(rt, n, from, to)
			if diff := cmp.Diff(ways, all); diff != "" {
				rt.Fatalf("from %s to %s: %s", pair[0], pair[1], diff)
			}
			got += len(all)
		}
		if got != count {
			rt.Fatalf("%d paths, want %d", got, count)
		}
	})
	if seedtest.Usual() && (mostTags < 2 || mostAlternatives < 2) {
		t.Errorf("of the drawn paths at most %d to one destination parted, and %d were of one pair", mostTags, mostAlternatives)
	}
}

// TestTags: a tag tells apart what follows a channel on the way to a destination, and nothing else. Where two paths part
// after a channel, b c and b d after a b, there are two. A path that parted from others may share its tag again.
func TestTags(t *testing.T) {
	for text, want := range map[string]int{
		"path\na b c e\na b d e\n":                    2,
		"path\na b c e\nb c e\nd c e\n":               1,
		"path\na b c e\nx a b d e\nb c e\n":           2,
		"path\na b c e\nx a b c f\nb d e g\n":         1, // other destinations
		"path\na b c d e\na b x d y e\na c b x d e\n": 2, // after a b; and after x d
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
		if diff := cmp.Diff([][]string{tt.way}, follow(t, n, from, to)); diff != "" || n.FlowCount() != tt.flows {
			t.Errorf("%d flows, want %d; %s", n.FlowCount(), tt.flows, diff)
		}
		a, _ := n.Topology().NodeNamed("a")
		h := spec.Header{Dest: to}
		hops, err := def.Routing.AppendHops(nil, spec.Injection(a), h)
		if err != nil || routing.Reason(def.Routing, spec.Injection(a), h, hops[0]).Text != "fib/a.csv:3" {
			t.Errorf("%s: hops %v, for another reason than line 3 (%v)", tt.text, hops, err)
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
		{false, "$ cat f\nflow,hops\n1,a b\n", "f:1:1: the prompt of a terminal, with the command that printed the rest: delete this line"},
		{false, "flow,hop\n1,a b\n", "f:1:1: the heading has no column hops or path"},
		{false, "hops,hops\n", `f:1:6: the heading names column 2 "hops": names must differ`},
		{false, "hops\n", "f:1:1: no path: want a row for each below the heading"},
		{false, "hops\n0 1\n\"[0, 1, 2]\"\n", `f:3:1: invalid name "[0," in a path: want names alone, with spaces between`},
		{false, "hops\na -> b\n", `f:2:1: invalid name "->" in a path: want names alone, with spaces between`},
		{false, "path\n\"a, b\"\n", `f:2:1: invalid name "a," in a path: want names alone, with spaces between`},
		{false, "path\n'a b'\n", `f:2:1: invalid name "'a" in a path: want names alone, with spaces between`},
		{false, "flow,hops\n1,a b\n2,a\n", "f:3:3: a path of 1 node: want at least two, with spaces between"},
		{false, "flow,hops\n1\n", "f:2:1: invalid number of fields 1: want 2, one for each column"},
		{false, "flow,hops\n1,a b\n2,a c b\n3,a  b\n", "f:4:3: the same path as in line 2: want it once"},
		{false, "hops,adaptive\na b,\na c b,yes\n", "f:3:7: adaptive differs from line 2: want the same in all rows of a group"},
		{false, "hops\na b b\n", `f:2:1: the path goes from "b" to itself`},
		{false, "hops\na b a\n", "f:2:1: the path ends where it begins"},
		{false, "hops\na b a b c\n", `f:2:1: the path takes the link from "a" to "b" twice`},
		{false, "hops,vc\na b,256\n", `f:2:5: invalid vc "256": want 0 to 255`},
		{false, "hops,vc\na b,x\n", `f:2:5: invalid vc "x": want 0 to 255`},
		{false, "hops\n\"a b\n", `f:2:6: extraneous or missing " in quoted-field`},
		{true, "a:b,b, b,b,1 b,b,|b:a,a,", "fib/a.csv:4:1: the same row as in line 2: want it once"},
		{true, "a:|b:", "fib/a.csv:1:1: no row below the heading, as in all tables: want one for each destination"},
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

// TestGroups: rows of a router for one destination are alternatives, to each of which a packet may be committed; with a
// column adaptive it may take any of them.
func TestGroups(t *testing.T) {
	const dests = "b,b\nb,c\nc,c\n"
	for _, tt := range []struct {
		table        string
		alternatives int // of a packet from a to b
		hops         int // of each
	}{
		{"dest,next\n" + dests, 2, 1},
		{"dest,next,adaptive\n" + strings.ReplaceAll(dests, "\n", ",yes\n"), 1, 2},
		{"dest,next,adaptive\n" + strings.ReplaceAll(dests, "\n", ",No\n"), 2, 1},
	} {
		def, err := listed.Tables(t.Context(), []listed.File{
			{Name: "a.csv", Text: []byte(tt.table)}, {Name: "b.csv", Text: []byte("dest,next\na,a\nc,a\n")},
			{Name: "c.csv", Text: []byte("dest,next\na,a\nb,b\n")},
		})
		if err != nil {
			t.Fatal(err)
		}
		n, err := routing.Compile(t.Context(), def, routing.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		sources := n.TableOf(spec.Target{Dest: 1}).SourcesOf(0)
		if len(sources) != tt.alternatives || len(n.Row(sources[0].Row)) != tt.hops {
			t.Errorf("%q: %d alternatives of %d hops", tt.table, len(sources), len(n.Row(sources[0].Row)))
		}
		for _, src := range sources {
			for _, h := range n.Row(src.Row) {
				at := spec.Site{Channel: spec.Injection(0), Header: spec.Header{Dest: 1}}
				line := 2 + int(n.Topology().Head(h.Channel)) - 1
				want := spec.Reason{Text: fmt.Sprintf("a.csv:%d", line), File: "a.csv", Line: line, Col: 1}
				if got := n.Reason(at, h); got != want {
					t.Errorf("to %v by %v, want %v", h, got, want)
				}
			}
		}
	}
	if _, err := listed.Tables(t.Context(), nil); err == nil {
		t.Error("no table is accepted")
	}
	_, err := tables(t.Context(), "a:b,b,,maybe")
	if err == nil {
		t.Error("a row that is too long is accepted")
	}
	_, err = listed.Tables(t.Context(), []listed.File{{Name: "a.csv", Text: []byte("dest,next,adaptive\nb,b,maybe\n")}})
	if err == nil || err.Error() != `a.csv:2:5: invalid adaptive "maybe": want yes, no or nothing` {
		t.Error(err)
	}
}

// TestTableOfAll: one table with the router of each row is the same routing as a table for each router, whatever the order
// of its rows; errors and reasons name its lines.
func TestTableOfAll(t *testing.T) {
	whole := []listed.File{{Name: "all.csv", Text: []byte("dest,router,next_hop,vc\nh,b,h,\nb,a,b,1\nc,a,b,\nh,a,b,\na,c,b,\na,b,a,\nc,b,c,\nb,c,b,\nh,c,b,\n")}}
	parts := []listed.File{
		{Name: "a.csv", Text: []byte("dest,next_hop,vc\nb,b,1\nc,b,\nh,b,\n")}, {Name: "b.csv", Text: []byte("dest,next_hop\nh,h\na,a\nc,c\n")},
		{Name: "c.csv", Text: []byte("dest,next_hop\na,b\nb,b\nh,b\n")},
	}
	compiled := func(files []listed.File) *spec.Network {
		def, err := listed.Tables(t.Context(), files)
		if err != nil {
			t.Fatal(err)
		}
		n, err := routing.Compile(t.Context(), def, routing.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	one, several := compiled(whole), compiled(parts)
	hops := func(n *spec.Network) (all []string) {
		topo := n.Topology()
		for i := range n.Tables() {
			for v := range spec.NodeID(topo.Nodes()) {
				for _, src := range n.Table(i).SourcesOf(v) {
					for _, h := range n.Row(src.Row) {
						all = append(all, topo.Node(n.Table(i).Dest).Name+": "+topo.ChannelName(h.Channel))
					}
				}
			}
		}
		slices.Sort(all)
		return all
	}
	if diff := cmp.Diff(hops(several), hops(one)); diff != "" || one.FlowCount() != several.FlowCount() {
		t.Errorf("(-several +one)\n%s", diff)
	}
	for text, want := range map[string]string{
		"node,dest,next\na,b,b\na,b,b\n":      "all.csv:3:3: the same row as in line 2: want it once",
		"node,dest,next\na,b,b\n,b,b\n":       "all.csv:3:1: a row without a router",
		"node,dest,next\na,b,c\nb,a,a\n":      `all.csv:2:5: "c" has no table, and so cannot pass on packets for "b"`,
		"node,dest,next\n":                    "all.csv:1:1: no row below the heading, as in all tables: want one for each destination",
		"node,router,dest,next\na,b,c,d\ne\n": "all.csv:3:1: invalid number of fields 1: want 4, one for each column",
		"node,next\na,b\n":                    "all.csv:1:1: the heading has no column dest or destination or to",
	} {
		_, err := listed.Tables(t.Context(), []listed.File{{Name: "all.csv", Text: []byte(text)}})
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	_, err := listed.Tables(t.Context(), append(parts, listed.File{Name: "z.csv", Text: []byte("node,dest,next\na,z,z\n")}))
	if want := `z.csv:2:1: "a" has a table already, a.csv: want its rows in one`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestThousandsOfPaths: 5,000 paths from one node to another, which share their first link: a tag for each, by the
// time that they part. As many that share nothing take no tags.
func TestThousandsOfPaths(t *testing.T) {
	const paths = 5000
	var text strings.Builder
	text.WriteString("hops\n")
	for i := range paths { // by the digits of i, base 18
		fmt.Fprintf(&text, "s r a%d b%d c%d d\n", i%18, i/18%18, i/324)
	}
	def, err := listed.Paths(t.Context(), "f", []byte(text.String()))
	if err != nil || def.Tags != paths {
		t.Fatalf("%d tags, want %d (%v)", def.Tags, paths, err)
	}
	// Without a first link to share, and with channels of their own: no tags. With it, a tag for each, in all channels.
	var own, shared strings.Builder
	own.WriteString("hops\n")
	shared.WriteString("hops\n")
	for i := range paths {
		fmt.Fprintf(&own, "s x%d y%d d\n", i, i)
		fmt.Fprintf(&shared, "s r x%d y%d d\n", i, i)
	}
	if def, err = listed.Paths(t.Context(), "f", []byte(own.String())); err != nil || def.Tags != 1 {
		t.Errorf("%d tags, want 1 (%v)", def.Tags, err)
	}
	const want = "f:5001:1: 5000 paths go on differently to one node after the same link: with 15001 channels, at most 4473 can be told apart"
	if _, err = listed.Paths(t.Context(), "f", []byte(shared.String())); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
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

// within checks what holds for every answer of a reader: a network that compiles, or an error with a place in one of
// the files. Lists are short here, so that what a network of them costs is in proportion.
func within(t *testing.T, texts []string, read func() (routing.Definition, error)) {
	size := len(strings.Join(texts, ""))
	costtest.Within(t, size, func() {
		def, err := read()
		if err == nil {
			_, err = routing.Compile(t.Context(), def, routing.CompileOptions{Workers: 1})
			if err != nil {
				t.Fatalf("%q is read, and does not compile: %v", texts, err)
			}
			return
		}
		at := new(spec.PosError)
		if !errors.As(err, &at) || at.Line < 1 || at.Col < 1 || strings.ContainsAny(at.Msg, "\n\r") {
			t.Fatalf("%q: an error without its place, or of several lines: %v", texts, err)
		}
		if !slices.ContainsFunc(texts, func(s string) bool { return at.Line <= 2+strings.Count(s, "\n") }) {
			t.Fatalf("%q: an error beyond the last line: %v", texts, err)
		}
	})
}

// FuzzPaths is about lists of paths, and FuzzTables about two tables of routers, or one of several.
func FuzzPaths(f *testing.F) {
	for _, s := range []string{
		"flow,hops,vc,adaptive\n1,a b c,0,\n2,a d c,1,\n3,b c,,yes\n", "path\na b\nb c\nc a\n", "hops\n\"a b\n", "hops\tvc\na b\t256\n",
		"hops\nx r x0 y0 d\ny r x1 y1 d\n", "hops\na b a b c\n",
		"hops\n\x1f\xf100 \x9b \x9e", // two names that are no UTF-8, and print alike
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		within(t, []string{text}, func() (routing.Definition, error) { return listed.Paths(t.Context(), "f", []byte(text)) })
	})
}

func FuzzTables(f *testing.F) {
	f.Add("dest,next,vc\nb,b,1\nh,b,\n", "dest,next\nh,h\na,a\n")
	f.Add("dest,router,next_hop,adaptive\nb,a,b,yes\nb,a,c,yes\nb,c,b,\n", "")
	f.Add("dest,next\nb,b\n", "dest,next\nb,a\n")
	f.Add("node,dest,next\na,b,b\nb,a,a\n", "dest,next\na,c\n")
	f.Fuzz(func(t *testing.T, one, two string) {
		files := []listed.File{{Name: "a.csv", Text: []byte(one)}, {Name: "b.csv", Text: []byte(two)}}
		if two == "" {
			files = files[:1]
		}
		within(t, []string{one, two}, func() (routing.Definition, error) { return listed.Tables(t.Context(), files) })
	})
}
