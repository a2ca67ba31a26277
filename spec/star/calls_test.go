package star_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// TestRememberable: calls are remembered where the text rules out that a function calls itself.
func TestRememberable(t *testing.T) {
	const f, route = "def f(a):\n    return a\n", "def route(at, to):\n    return [hop(f(at.node))]\n"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"called by name", f + route, []string{"f", "route"}},
		{"one calls another", f + "def g(a):\n    return [f(x) for x in a.out]\n" + route, []string{"f", "g", "route"}},
		{"an attribute of that name", f + "def g(a):\n    return a.f\n" + route, []string{"f", "g", "route"}},
		{"for flows", f + "def sends(a, b, c):\n    return True\nflows(sends)\n" + route, []string{"f", "route", "sends"}},
		{"called at top level", f + "f(1)\nx = [f(i) for i in range(3)]\n" + route, []string{"f", "route"}},
		{"calls itself", "def f(a):\n    return f(a)\n" + route, nil},
		{"call each other", "def f(a):\n    return g(a)\ndef g(a):\n    return f(a)\n" + route, nil},
		{"by another name", f + "g = f\n" + route, nil},
		{"in a dict", f + "all = {1: f}\n" + route, nil},
		{"given to another", f + "def g(a):\n    return sorted(a, key = f)\n" + route, nil},
		{"by default", f + "def g(a, by = f):\n    return by(a)\n" + route, nil},
		{"in a lambda", f + "g = lambda a: f(a)\n" + route, nil},
		{"in a lambda within", f + "def g(a):\n    return lambda: f(a)\n" + route, nil},
		{"in a function within", f + "def g(a):\n    def h():\n        return f(a)\n    return h()\n" + route, nil},
		{"twice", f + f + route, nil},
		{"within if", "if 1:\n    def g(a):\n        return f(a)\n" + f + route, nil},
		{"a parameter", f + "def g(f):\n    return f(1)\n" + route, nil},
	} {
		got, err := star.Rememberable(c.text)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// line is three nodes in a row, and a fourth attached to the second.
const line = `network(tags = 4, vcs = 2, classes = ["x", "y"])
nodes = [node("a"), node("b"), node("c"), node("d")]
both(nodes[0], nodes[1])
both(nodes[1], nodes[2])
both(nodes[1], nodes[3])
def next(v, m):
    return v.to(nodes[1] if v != nodes[1] else m)
def go(v, m):
    return hop(next(v, m), 0, m.id)
`

// TestRememberedCalls: remembering a call shows nowhere: neither in the places of hops, nor in errors,
// nor in where the steps run out.
func TestRememberedCalls(t *testing.T) {
	for name, route := range map[string]string{
		"from one place":           "def route(at, to):\n    return [go(at.node, to)]\n",
		"from two places":          "def route(at, to):\n    if at.injecting:\n        return [go(at.node, to)]\n    return [go(at.node, to)]\n",
		"on one line":              "def route(at, to):\n    return [go(at.node, to), go(at.node, to)]\n",
		"by several ways":          "def one(v, m):\n    return go(v, m)\ndef route(at, to):\n    return [one(at.node, to), go(at.node, to)] if at.injecting else [one(at.node, to)]\n",
		"by two ways, plainly":     "def one(v, m):\n    return go(v, m)\ndef route(at, to):\n    if at.injecting and [0, 1, 2, 3].index(at.node.id) >= 0 and at.cls == 0:\n        return [one(at.node, to)]\n    return [one(at.node, to)]\n",
		"from each place":          "def route(at, to):\n    return [go(at.node, m) for m in nodes if m == to] + [go(at.node, to)]\n",
		"of another node":          "def route(at, to):\n    return [go(nodes[0], to)]\n",
		"of another, for one node": "def route(at, to):\n    return [go(nodes[0] if to.id == 2 else at.node, to)]\n",
		"that makes two":           "def two(v, m):\n    return [go(v, m), hop(next(v, m), 1)]\ndef route(at, to):\n    return two(at.node, to)\n",
		"that makes one for two":   "def late(v, m):\n    h = go(v, m)\n    return go(v, m) if m.id == 2 else h\ndef route(at, to):\n    return [late(at.node, to)]\n",
		"that makes one for none":  "def none(v, m):\n    hop(next(v, m))\n    return next(v, m)\ndef route(at, to):\n    return [hop(none(at.node, to))]\n",
		"dropped":                  "def route(at, to):\n    hop(nodes[0].out[0])\n    return [go(at.node, to)]\n",
		// Each node is a run of its own, and then evaluated concretely; calls are remembered in both.
		"dropped by a call":        "def none(v, m):\n    go(v, m)\n    return m.id\ndef route(at, to):\n    if at.injecting and [0, 1, 2, 3].index(at.node.id) >= 0 and to.id == 3:\n        m = [none(nodes[0], to) for i in range(2)]\n    return [go(at.node, to)]\n",
		"one of several dropped":   "def route(at, to):\n    all = [hop(l, to.id % 2) for l in at.node.out + (nodes[3].out[0],)]\n    return [h for h in [go(at.node, to)]]\n",
		"one of several":           "def route(at, to):\n    return [[hop(l) for l in at.node.out], [go(at.node, to)]][1]\n",
		"what can be changed":      "def out(v):\n    return list(v.out)\ndef route(at, to):\n    l = out(at.node)\n    l.append(next(at.node, to))\n    return [hop(l[-1])]\n",
		"of 1, True and 1.0":       "def like(x):\n    return str(x)\ndef route(at, to):\n    return [go(at.node, to)] if [like(x) for x in (1, True, 1.0, \"1\")] == [\"1\", \"True\", \"1.0\", \"1\"] else []\n",
		"of tuples":                "def like(x):\n    return len(x)\ndef route(at, to):\n    return [go(at.node, to)] if [like(x) for x in ((1, (2, 3)), (1, 2, 3), ((1, 2), 3), (1,))] == [2, 3, 2, 1] else []\n",
		"that fails":               "def bad(v, m):\n    return fail(m.name) if m.id == 3 else go(v, m)\ndef route(at, to):\n    return [bad(at.node, to)]\n",
		"with too few arguments":   "def route(at, to):\n    return [go(at.node)]\n",
		"of a name that is hidden": "def route(at, to):\n    go = lambda v, m: hop(next(v, m), 1)\n    return [go(at.node, to)]\n",
	} {
		for _, opt := range []star.Options{{}, star.Options{}.Pinning(1, 0), star.Options{}.Pinning(1, 100)} {
			sameAsPlainly(t, name+".star", line+route, opt)
		}
		for steps := uint64(20); steps < 200; steps += 19 {
			sameAsPlainly(t, name+".star", line+route, star.Options{MaxRouteSteps: steps})
		}
	}
}

// TestCallsAreKnown: a mesh of 25 has 600 pairs of nodes, and the routes of many other pairs call functions for each.
func TestCallsAreKnown(t *testing.T) {
	text, err := os.ReadFile("testdata/valiant_mesh.star")
	if err != nil {
		t.Fatal(err)
	}
	var known func() int
	f, err := star.Load(context.Background(), "n.star", text, star.Options{Set: map[string]string{"k": "5"}}.Knowing(&known))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := routing.Compile(context.Background(), f.Definition, routing.CompileOptions{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	// 600 injections with 23 hops each, all known but the first of each pair, except for the first 64
	// injections, at nodes that are symbolic values.
	if got, want := known(), (600-64)*23-600; got < want {
		t.Errorf("%d calls were known: want at least %d", got, want)
	}
}

// TestPinned: route is evaluated for injections once for each node and group, and plainly where that
// serves no other input.
func TestPinned(t *testing.T) {
	for _, c := range []struct {
		file string
		set  map[string]string
		runs [2]int
		// most are evaluated concretely
		plain int
	}{
		// 21 nodes in 7 groups; elsewhere by the groups of the packet, of its intermediate and of its
		// destination, and whether the link to the next one is here.
		{"valiant_dragonfly.star", map[string]string{"a": "3", "h": "2"}, [2]int{21 * 7, 64 + 21*7 + 7*7*2*3}, 0},
		// 16 nodes, 240 pairs of them.
		{"valiant_mesh.star", map[string]string{"k": "4"}, [2]int{0, 64 + 4*16 + 1 + 100}, 240},
	} {
		text, err := os.ReadFile("testdata/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		var count func() (runs, plain int)
		f, err := star.Load(context.Background(), c.file, text, star.Options{Set: c.set}.Counting(&count))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := routing.Compile(context.Background(), f.Definition, routing.CompileOptions{Workers: 1}); err != nil {
			t.Fatal(err)
		}
		if runs, plain := count(); runs < c.runs[0] || runs > c.runs[1] || plain > c.plain {
			t.Errorf("%s: %d runs, %d sites evaluated plainly: want %d runs, and at most %d", c.file, runs, plain, c.runs, c.plain)
		}
		sameAsPlainly(t, c.file, strings.ReplaceAll(string(text), "max = 20", "max = 5"), star.Options{Set: c.set})
	}
}

// TestNamesOfTheMeter: a file may use any name for anything, including the names that the metered tree
// uses.
func TestNamesOfTheMeter(t *testing.T) {
	for _, name := range []string{"remembered", "copy", "method"} {
		text := line + name + " = \"a,b\"\ndef route(at, to):\n    l = " + name + ".split(\",\")[:1] + [" + name +
			".index(\"a\")]\n    return [go(at.node, to)] if l == [\"a\", 0] else []\n"
		if sameAsPlainly(t, name+".star", text, star.Options{}) == nil {
			t.Errorf("a global %s is refused", name)
		}
	}
}
