package star_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// sameNetwork compiles a text with symbolic values, with them but without kinds of targets, and plainly, and compares all
// results: errors, tables, and the places of all hops.
func sameNetwork(t interface{ Fatalf(string, ...any) }, file, text string, set map[string]string) *spec.Network {
	return sameAsPlainly(t, file, text, star.Options{Set: set})
}

func sameAsPlainly(t interface{ Fatalf(string, ...any) }, file, text string, opt star.Options) *spec.Network {
	set := opt.Set
	var networks [3]*spec.Network
	var errs [3]error
	for i, opt := range []star.Options{opt, opt.Plainly(), opt.Unsorted()} {
		f, err := star.Load(context.Background(), file, []byte(text), opt)
		if err == nil {
			networks[i], err = routing.Compile(context.Background(), f.Definition, routing.CompileOptions{Workers: 1})
		}
		errs[i] = err
	}
	if fmt.Sprint(errs[0]) != fmt.Sprint(errs[1]) || fmt.Sprint(errs[0]) != fmt.Sprint(errs[2]) {
		t.Fatalf("%s with %v: %v\nplainly: %v\nwithout kinds: %v\n%s", file, set, errs[0], errs[1], errs[2], text)
	}
	if errs[0] != nil {
		return nil
	}
	for i, how := range []string{"plainly", "without kinds"} {
		if networks[0].Digest() != networks[i+1].Digest() {
			t.Fatalf("%s with %v: another network than %s\n%s", file, set, how, text)
		}
	}
	_ = routing.Sites(networks[0], func(s spec.Site, hops []spec.Hop) error {
		for _, h := range hops {
			if a, b := networks[0].Reason(s, h), networks[1].Reason(s, h); a != b {
				t.Fatalf("%s with %v: %v at %v is from %v, plainly from %v", file, set, h, s, a, b)
			}
		}
		return nil
	})
	return networks[0]
}

// TestObliviousPartially: alternatives are found by partial evaluation as they are plainly, in few runs.
func TestObliviousPartially(t *testing.T) {
	const clos = `network(name = "clos")
leaf = [node("l%d" % i, at = (0, i)) for i in range(6)]
spine = [node("s%d" % i, at = (1, i)) for i in range(3)]
for l in leaf:
    for s in spine:
        both(l, s)
flows(lambda s, d, c: s.at[0] == 0 and d.at[0] == 0)
def route(at, to):
    down = at.node.to(to)
    if down:
        return [hop(down)]
    up = [hop(l) for l in at.node.out]
    return oblivious(%s)
`
	for _, alternatives := range []string{"up", "[up[0], up[1:]]", "[up[0], []]", "[up]", "(up[1], (up[0], up[2]))", "[up, None]", "up[0]"} {
		text := strings.Replace(clos, "oblivious(%s)", "oblivious("+alternatives+")", 1)
		sameNetwork(t, "clos.star", text, nil)
	}
	var count func() (runs, plain int)
	f, err := star.Load(context.Background(), "clos.star", []byte(strings.Replace(clos, "oblivious(%s)", "oblivious(up)", 1)), star.Options{}.Counting(&count))
	if err != nil {
		t.Fatal(err)
	}
	n, err := routing.Compile(context.Background(), f.Definition, routing.CompileOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if runs, plain := count(); plain > 0 || runs >= n.SiteCount()/2 {
		t.Errorf("%d runs, %d sites evaluated plainly of %d: want fewer, and none", runs, plain, n.SiteCount())
	}
}

// TestEvaluatedOnce: route is evaluated once for each combination of values that it reads, however
// many sites there are.
func TestEvaluatedOnce(t *testing.T) {
	for _, c := range []struct {
		file string
		set  map[string]string
		most int // runs
	}{
		// By the wrap in x and y (the sign, and which half: at most 2 * 2 each), or by y alone; tied or not.
		{"examples/torus.star", map[string]string{"k": "16"}, 16},
		// One for each difference of numbers, at whose bits route looks.
		{"examples/hypercube.star", map[string]string{"n": "7"}, 127},
		// East, west or neither, north, south or neither, and which links there are.
		{"examples/west_first.star", map[string]string{"k": "16"}, 32},
		// By the link that it came in, and from -3 to 3 hops in each dimension: 5 * 7 * 7 at most.
		{"mesh/turns.star", map[string]string{"k": "16"}, 245},
		// Two to four links, any of which leads closer, by a list of lists.
		{"../spec/star/testdata/tables.star", map[string]string{"n": "100"}, 4 + 8 + 16},
	} {
		text, err := os.ReadFile("../../models/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		var count func() (runs, plain int)
		f, err := star.Load(context.Background(), c.file, text, star.Options{Set: c.set}.Counting(&count))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := routing.Compile(context.Background(), f.Definition, routing.CompileOptions{}); err != nil {
			t.Fatal(err)
		}
		if runs, plain := count(); runs == 0 || runs > c.most || plain > 0 {
			t.Errorf("%s: %d runs, %d sites evaluated plainly: want at most %d, and none", c.file, runs, plain, c.most)
		}
	}
}

// TestExamplesPlainly: the networks of the examples are the same with symbolic values.
func TestExamplesPlainly(t *testing.T) {
	files, err := filepath.Glob("../../models/examples/*.star")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range append(files, "../../models/mesh/turns.star", "../../models/omega/omega.star",
		"../../models/graph/packet-switching.star", "../../models/combining/classes.star") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sameNetwork(t, filepath.Base(file), string(text), nil)
	}
	for file, set := range map[string]map[string]string{"tables.star": {"n": "24"}, "by_source.star": {"k": "4"}} {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		sameNetwork(t, file, string(text), set)
	}
}

// drawnRoute draws the text of expressions that route may compute: numbers, truth
// values, nodes and links.
type drawnRoute struct{ t *rapid.T }

func (d drawnRoute) one(of ...func() string) string {
	return of[rapid.IntRange(0, len(of)-1).Draw(d.t, "which")]()
}

func (d drawnRoute) text(of ...string) string { return rapid.SampledFrom(of).Draw(d.t, "text") }

func (d drawnRoute) number(depth int) string {
	leaf := func() string {
		return d.text("0", "1", "2", "3", "-1", "at.tag", "at.cls", "x", "y", "to.at[0]", "to.at[1]", "at.node.at[0]",
			"at.node.id", "to.id", "len(at.node.out)", "d[0]", "d[1]")
	}
	if depth == 0 {
		return leaf()
	}
	sub := func() string { return d.number(depth - 1) }
	return d.one(leaf,
		func() string {
			return "(" + sub() + d.text(" + ", " - ", " * ", " // ", " % ", " & ", " | ", " ^ ", " >> ", " % 3 + ", " // 2 - ") + sub() + ")"
		},
		func() string { return "(-" + sub() + ")" },
		func() string { return d.text("abs", "f") + "(" + sub() + ")" },
		func() string { return d.text("min", "max") + "(" + sub() + ", " + sub() + ")" },
		func() string { return "numbers[" + sub() + " % 5]" },
		func() string { return d.text("numbers", "[7, 5, 3]", "(4, 4)", "mixed") + "[" + sub() + "]" },
		func() string { return "(" + sub() + " if " + d.truth(depth-1) + " else " + sub() + ")" },
		func() string { return d.node(depth-1) + d.text(".id", ".at[0]", ".at[1]") },
		func() string {
			return d.text("grid", "uneven", "far", "[[1, 2], [3, 4]]") + "[" + sub() + "][" + sub() + "]"
		},
		func() string { return "far[" + d.node(depth-1) + "][" + sub() + " % 6]" },
		func() string { return d.text("near", "some") + "[" + d.node(depth-1) + "].id" },
		func() string {
			row := d.text("grid["+sub()+" % 2]", "far["+d.node(depth-1)+"]", "uneven["+sub()+" % 2]")
			return d.text("len("+row+")", "max("+row+")", "sorted("+row+")[0]", row+"[1:][0]",
				"[v + 1 for v in "+row+"][-1]", "("+row+" + [3])[-1]", row+".index("+sub()+")", "("+row+" * 2)[-1]",
				"([1] + "+row+")[1]", "(1 if "+row+" else 0)", "longer("+row+")", "len(str("+row+"))",
				"f(len("+row+"))")
		},
		func() string { return "table.get((" + sub() + ", " + sub() + "), 1)" },
		func() string { return "max([" + sub() + ", " + sub() + ", 1.5]) * 0" })
}

func (d drawnRoute) truth(depth int) string {
	leaf := func() string {
		return d.text("at.injecting", "x == to.at[0]", "y < to.at[1]", "at.node == nodes[4]", "at.link", "at.vc == 0",
			"at.node.port(\"+x\")", "d == (0, 1)", "at.cls_name == \"b\"", "to.name == \"(0,1)\"")
	}
	if depth == 0 {
		return leaf()
	}
	sub := func() string { return d.number(depth - 1) }
	return d.one(leaf,
		func() string { return "(" + sub() + d.text(" == ", " != ", " < ", " <= ", " > ", " >= ") + sub() + ")" },
		func() string {
			return "(" + sub() + d.text(" in ", " not in ") + d.text("numbers", "(0, 2)", "[x, 1]", "range(2)", "[1.0, y]") + ")"
		},
		func() string { return "(" + d.truth(depth-1) + d.text(" and ", " or ") + d.truth(depth-1) + ")" },
		func() string { return "(not " + d.truth(depth-1) + ")" },
		func() string { return "bool(" + sub() + ")" },
		func() string { return d.node(depth-1) + d.text(" == ", " != ") + d.node(depth-1) },
		func() string {
			return d.node(depth-1) + ".to(" + d.node(depth-1) + ")" + d.text("", " != None", " == at.link")
		},
		func() string {
			return "(" + sub() + ", " + sub() + ")" + d.text(" == (x, 1)", " in table", " < (1, y)", " != d")
		},
		func() string { return "sorted([" + sub() + ", " + sub() + "])[0] == x" },
		func() string { return "[x, 1.0].index(" + sub() + ") == 0" },
		func() string { return "\"%d\" % (" + sub() + ") == \"1\"" },
		func() string { return "type(" + sub() + ") == \"int\"" },
		func() string { return "(" + sub() + " in far[" + d.node(depth-1) + "])" },
		func() string {
			return "(grid[" + sub() + " % 2] " + d.text("== ", "!= ", "< ") + d.text("grid[y]", "[3, 1, 2]", "far[to]") + ")"
		})
}

func (d drawnRoute) node(depth int) string {
	leaf := func() string { return d.text("at.node", "to", "nodes[0]", "nodes[x]") }
	if depth == 0 {
		return leaf()
	}
	return d.one(leaf,
		func() string { return "nodes[(" + d.number(depth-1) + ") % 6]" },
		func() string { return "at.node.out[" + d.number(depth-1) + " % 2].dst" },
		func() string { return "who[" + d.number(depth-1) + " % 2][" + d.number(depth-1) + " % 2]" },
		func() string { return "at.link.src" })
}

func (d drawnRoute) file() string {
	link := d.one(func() string { return "l" }, func() string { return "way(at.node, " + d.node(1) + ")" },
		func() string { return "way(" + d.node(1) + ", to)" },
		func() string { return "at.node.port(" + d.text(`"+x"`, `"-y"`, "l.out") + ") or l" },
		func() string { return "at.node.to(" + d.node(1) + ") or l" }, func() string { return "at.node.out[" + d.number(1) + " % 2]" },
		func() string { return "outs[at.node" + d.text("", ".id") + "][" + d.number(1) + " % 2]" })
	return `network(tags = 2, vcs = 2, classes = ["a", "b"])
nodes = [node(at = (x, y)) for y in range(2) for x in range(3)]
numbers = [3, 1, 4, 1, 5]
mixed = [1, "x", 2]
table = {(0, 0): 2, (1, 0): 0, (1, 2): 3}
grid = [[3, 1, 2], [0, 5, -1]]
uneven = [[1], [2, 3]]
far = {n: [abs(n.at[0] - m.at[0]) + abs(n.at[1] - m.at[1]) for m in nodes] for n in nodes}
near = {n: nodes[(n.id + 1) % 6] for n in nodes}
some = {n: nodes[0] for n in nodes[1:]}
for n in nodes:
    for m in nodes:
        if m.at[0] == n.at[0] + 1 and m.at[1] == n.at[1]:
            both(n, m, out = "+x", back = "-x", dim = 1)
        if m.at[1] == n.at[1] + 1 and m.at[0] == n.at[0]:
            both(n, m, out = "+y", back = "-y", dim = 2)
who = [[nodes[1], nodes[4]], [nodes[0], nodes[2]]]
outs = ` + d.text("{n: [n.out[1], n.out[0]] for n in nodes}", "[[n.out[0], n.out[1]] for n in nodes]") + `
def f(v):
    return v % 2 if v > 1 else v
def longer(row):
    row += [1]
    return len(row)
def way(v, m):
    return v.port("+x" if v.at[0] < m.at[0] else "+y" if v.at[1] < m.at[1] else "-y") or v.out[` + d.text("0", "m.id % 2", "f(m.id) - 1") + `]
def leave(v, m, tag):
    h = hop(way(v, m), m.id % 2, tag % 2)
    return ` + d.text("h", "h", "[h]", "None if m.id == 5 else h", "hop(way(v, v), 1, 1)") + `
flows(lambda src, dst, cls: ` + d.text("True", "src.id < dst.id", "(src.at[0] + dst.at[1] + cls) % 2 == 0",
		"src != nodes[cls]", "src.id // (dst.id - 1) == 0") + `)
def route(at, to):
    x, y = at.node.at
    d = (to.at[0] - x, to.at[1] - y)
    hops = []
` + d.text("", `    if at.injecting:
        return [leave(at.node, m, at.tag) for m in nodes if m != at.node and m != to]
`, `    if at.injecting:
        for m in nodes:
            if m != to:
                hops.append(leave(at.node, m, m.id))
        return hops
`, `    if at.injecting and at.node != nodes[2]:
        return [leave(nodes[`+d.text("0", "at.node.id", "to.id")+`], to, m.id) for m in nodes if m not in (to, at.node)]
`) + `    for l in at.node.out:
        if ` + d.truth(3) + `:
            hops.append(hop(` + link + `, ` + d.text("0", "at.tag", "1 - at.tag", "l.id % 2", "cmp") + `, ` + d.text("0", "1", "at.tag", "abs(d[0]) % 2") + `))
    return hops
`
}

// TestStandIns: each operation means the same with symbolic values, of negative numbers too.
func TestStandIns(t *testing.T) {
	for _, hops := range []string{
		"hop(l, (d // 2) % 2)", "hop(l, (-d) // 3 % 2)", "hop(l, d % 2)", "hop(l, d % -2 + 1)", "hop(l, (d >> 1) & 1)", "hop(l, (d ^ 5) % 2)",
		"hop(l, (d | 4) % 2)", "hop(l, ~d % 2)", "hop(l, d * d % 2)", "hop(l, min(d, 1) % 2)", "hop(l, max(-1, d) % 2)", "hop(l, 1 if d <= 0 else 0)",
		"hop(l, 1 if d >= 1 else 0)", "hop(l, 1 if d > 0 else 0)", "hop(l, 1 if 0 < d else 0)", "hop(l, 1 if not d else 0)", "hop(l, 1 if d == -2 else 0)",
		"hop(l, bits[d])", "hop(l, [x, 1, 0][d])", "hop(l, x)", "hop(l, d)", "hop(nodes[0].out[0])",
		"hop((nodes[1] if x == 1 else nodes[2]).out[0])", "hop(l, tag = x)", "hop(l, 1 << d)", "hop(l, 1 // d)",
		"hop(l, 7 // (d + 5) % 2)", "hop(at.node.to(nodes[x + 1]))", "hop(at.node.port(\"+x\"), 1 if at.link else 0)", "hop(l, 0 if at.link == l else at.vc)",
		"hop(l, {0: 1}.get(d, 0))", "hop(l, 1 if (d, 0) == (x, 0) else 0)", "hop(l, 1 if (d, 1) in [(1, x)] else 0)", "hop(l, len(str(d)) % 2)",
		"hop(l, rows[x][d])", "hop(l, rows[x][d % 4])", "hop(l, rows[d % 4][-1])", "hop(l, rows[x % 2][to.at[0]])",
		"hop(l, rows[x][d + x + 4])", "hop(l, rows[d][0])",
		"hop(l, longer(rows[to.id]))", "hop(l, longer(list(rows[to.id])))", "hop(l, len([rows[to.id] + [d]]))",
	} {
		sameNetwork(t, "n.star", `network(tags = 2, vcs = 2)
nodes = [node(at = (x,)) for x in range(4)]
bits = [1, 0, 1]
rows = [[1, 0, 1, 0], [0, 1, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]]
def longer(row):
    row += [1]
    return len(row) % 2
for a, b in zip(nodes, nodes[1:]):
    both(a, b, out = "+x", back = "-x")
def route(at, to):
    x = at.node.at[0]
    d = to.at[0] - x
    l = at.node.port("+x" if to.id > at.node.id else "-x")
    return [`+hops+`]
`, nil)
	}
}

// TestDrawnPlainly: drawn networks are the same with symbolic values, and so are their errors.
func TestDrawnPlainly(t *testing.T) {
	compiled, failed := 0, 0
	seedtest.Sample(t, 40)
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.ReplaceAll(drawnRoute{rt}.file(), "cmp", "(0 if x < to.at[0] else 1)")
		few := rapid.SampledFrom([]int64{1, 2, 64}).Draw(rt, "few")
		if sameAsPlainly(rt, "drawn.star", text, star.Options{}.Pinning(few, rapid.Int64Range(0, 4).Draw(rt, "tells"))) == nil {
			failed++
		} else {
			compiled++
		}
	})
	if seedtest.Usual() && (compiled == 0 || failed == 0) {
		t.Errorf("%d networks and %d errors: want some of each", compiled, failed)
	}
}
