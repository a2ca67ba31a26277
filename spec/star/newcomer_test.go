package star_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// TestNewcomers: what somebody writes who knows Python, or guesses at a name, is
// answered at its place with what to write instead.
func TestNewcomers(t *testing.T) {
	top := func(text string) string { return text + "\n" + pair + direct }
	route := func(body string) string { return pair + "def route(at, to):\n    " + body + "\n" } // the body starts at 6:5
	for _, c := range []struct{ name, text, at, write string }{
		{"import", top("import math"), "1:1", "nothing can be imported, but abs"},
		{"from", top("from math import pi"), "1:1", "nothing can be imported"},
		{"math without import", top("k = math.sqrt(4)"), "1:5", "compute with integers"},
		{"class", top("class Mesh:\n    pass"), "1:1", "use functions, and dicts"},
		{"while", top("while True:\n    pass"), "1:1", "use for with a range"},
		{"f-string", top("x = f'n{1}'"), "1:5", `"{}".format(x)`},
		{"try", top("try:\n    x = 1\nexcept:\n    pass"), "1:1", "test first with if"},
		{"raise", route("raise ValueError"), "6:5", "fail(text)"},
		{"assert", top("assert len([]) == 0"), "1:1", "write if not condition: fail(text)"},
		{"print", top("print(1)"), "1:1", "fail(...) shows a value"},
		{"is None", top("x = 1 is None"), "1:7", "compare with =="},
		{"power", top("k = 2 ** 3"), "1:7", "1 << n"},
		{"annotation", top("def f(n: int):\n    pass"), "1:8", "leave out type annotations"},
		{"set", top("x = {1, 2}"), "1:8", "use a list"},
		{"&&", top("if True && True:\n    pass"), "1:9", "write the words and, or"},
		{"true", top("x = true"), "1:5", "True, False and None"},
		{"text and number", top("x = 'n' + 1"), "1:9", "str(x)"},
		{"global", route("global x"), "6:5", "return the value"},
		{"yield", route("yield hop(at.node.to(to))"), "6:5", "return a list"},
		{"indent", top("def f():\nreturn 1"), "2:1", "indent the body"},
		{"recursion", route("return route(at, to)"), "6:12", "use a for loop"},
		{"hop of None", route("return [hop(None)]"), "6:13", "return [] for a dead end"},
		{"hop of a port that is not there", route("return [hop(at.node.port('east'))]"), "6:13", "port(name) return None if no such link leaves b"},
		{"hop to a node", route("return [hop(to)]"), "6:13", "at.node.to(n)"},
		{"hop to a name", route("return [hop('b->a')]"), "6:13", "at.node.to(n)"},
		{"no list", route("return hop(at.node.to(to))"), "5:1", "return [hop(link)]"},
		{"links for hops", route("return [at.node.to(to)]"), "5:1", "return [hop(link)]"},
		{"no return", route("hop(at.node.to(to))"), "5:1", "every path must end with return"},
		{"attribute of at", route("return [hop(at.to(to))]"), "6:19", "links leave at.node"},
		{"attribute of a node", route("return [hop(at.node.link)]"), "6:24", "to(node) and port(name)"},
		{"attribute of a link", route("return [hop(l) for l in at.node.out if l.to == to]"), "6:45", "src, dst"},
		{"attribute of None", route("return [hop(at.node.to(to), at.link.vcs)]"), "6:40", "at.link when injecting"},
		{"name of a VC", route("return [hop(at.node.to(to), 'lo')]"), "6:13", "network(vcs="},
		{"the VC before the first hop", route("return [hop(at.node.to(to), at.vc + 1)]"), "6:39",
			"unknown binary op: NoneType + int: one value is None, as at.vc and at.channel when injecting"},
		{"nodes in order", route("return [hop(at.node.to(to), 0 if at.node < to else 1)]"), "6:46",
			"node < node not implemented: compare numbers, as in a.id < b.id"},
		{"vcs for vc", route("return [hop(at.node.to(to), vcs=0)]"), "6:13", "did you mean vc?"},
		{"name of a function", top("def f():\n    pass\nx = f.__name__"), "3:6", "write the name as a string next to the function"},
		{"no coordinates", route("x = at.node.at[0]"), "6:19", "at=(x, y)"},
		{"assigning to a global", "n = 0\n" + route("n += 1"), "7:5", "a function cannot assign to a global"},
		{"length of packets", top("network(flits_per_packet=5)"), "1:1", "check --length 5"},
		{"bubbles", top("network(bubble=2)"), "1:1", "check --bubble 2"},
		{"delays", top("network(latency=2)"), "1:1", "simulate --delays"},
		{"misspelt node", top("link('x', 'y')"), "1:1", "declare it first with node(...)"},
		{"misspelt port", top("node('x')\nnode('y')\nlink('x', 'y', outt='e')"), "3:1", "out=, into="},
		{"misspelt parameter", top("param('k', 1, minimum=0)"), "1:1", "min=, max="},
		{"list for coordinates", top("node(at=[1, 2])"), "1:1", "node(at=(0, 1))"},
		{"coordinates for a name", top("node((1, 2))"), "1:1", "node(at=(0, 1))"},
		{"float for coordinates", top("node(at=(3 / 2, 0))"), "1:1", "// divides"},
		{"coordinates of nobody", top("link((0, 0), (0, 1))"), "1:1", "no node is called (0, 0)"},
		{"None for a node", top("x = node('x')\nlink(x, None)"), "2:1", "the name or the coordinates"},
		{"list for a flow", pair + "flows([[a, b]])\n" + direct, "5:1", "want a tuple, (src, dst)"},
		{"sends to itself", pair + "flows([(a, a)])\n" + direct, "5:1", "want two nodes"},
		{"the name of a class in flows",
			"network(classes = ['req', 'rsp'])\n" + pair + "flows(lambda s, d, c: c == 'req')\n" + direct, "6:25",
			"the number of a class"},
		{"one pair", pair + "flows((a, b))\n" + direct, "5:1", "[(a, b)]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := attempt(c.text, nil)
			if err == nil {
				t.Fatal("no error")
			}
			if got := err.Error(); !strings.HasPrefix(got, "n.star:"+c.at+": ") || !strings.Contains(got, c.write) || strings.Contains(got, "\n") {
				t.Errorf("%s\nwant n.star:%s and %q", got, c.at, c.write)
			}
		})
	}
}

const helpers = pair + `def last(l):
    return [hop(l)]
def go(at, to):
    return last(at.node.to(to))
def route(at, to):
    if to == a:
        return go(at, to)
    return go(at, to)
`

// TestCallChain: where helpers make the hops, reasons and errors name the chain of
// calls from route, innermost first, so that its lines distinguish what one line of the
// helper does not.
func TestCallChain(t *testing.T) {
	f, err := star.Load(context.Background(), "n.star", []byte(helpers), star.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := compile(t, f, 1)
	hop := func(from, to spec.NodeID, c spec.ChannelID) string {
		return n.Reason(spec.Site{Channel: spec.Injection(from), Header: spec.Header{Dest: to}}, spec.Hop{Channel: c}).Text
	}
	got := []string{hop(0, 1, 0), hop(1, 0, 1)}
	want := []string{"n.star:6:13, called from n.star:8:12, n.star:12:12", "n.star:6:13, called from n.star:8:12, n.star:11:16"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}

	wrong := "n.star:6:19: floored division by zero (in route at inject b for a, called from n.star:8:12, n.star:11:16)"
	if err := attempt(strings.Replace(helpers, "hop(l)", "hop(1 // 0)", 1), nil); err == nil || err.Error() != wrong {
		t.Errorf("%v\nwant %s", err, wrong)
	}

	// Of many callers the innermost and the outermost are named.
	var b strings.Builder
	b.WriteString(pair + "def f0(l):\n    return [hop(l)]\n")
	for i := range 20 {
		b.WriteString(strings.NewReplacer("NEXT", "f"+string(rune('b'+i)), "LAST", map[bool]string{true: "f0", false: "f" + string(rune('a'+i))}[i == 0]).
			Replace("def NEXT(l):\n    return LAST(l)\n"))
	}
	b.WriteString("def route(at, to):\n    return fu(at.node.to(to))\n")
	if f, err = star.Load(context.Background(), "n.star", []byte(b.String()), star.Options{}); err != nil {
		t.Fatal(err)
	}
	n = compile(t, f, 1)
	// Lines 8, 10, ... are the calls of f0, fb, ...; line 48 is that of route.
	deep := "n.star:6:13, called from n.star:8:12, n.star:10:12, n.star:12:12, n.star:14:12, n.star:16:12, n.star:18:12, n.star:20:12, ..., n.star:48:12"
	if got := hop(0, 1, 0); got != deep {
		t.Errorf("%s\nwant %s", got, deep)
	}
}

// TestEndsByCoordinates: a node named after its coordinates is found by them, as a
// tuple or as a name.
func TestEndsByCoordinates(t *testing.T) {
	f := load(t, "node(at=(0, 0))\nnode(at=(0, 1))\nlink((0, 0), \"(0,1)\")\nlink((0, 1), (0, 0))\n"+direct, nil)
	if n := compile(t, f, 1); n.Topology().Links() != 2 || n.Topology().Link(1).From != 1 {
		t.Errorf("links %d, want one from the second node", n.Topology().Links())
	}
}
