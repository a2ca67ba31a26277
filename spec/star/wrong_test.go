package star_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// attempt loads and compiles a file with few steps.
func attempt(text string, set map[string]string) error {
	f, err := star.Load(context.Background(), "n.star", []byte(text), star.Options{Set: set, MaxSteps: 1e6, MaxRouteSteps: 1e5})
	if err != nil {
		return err
	}
	_, err = routing.Compile(context.Background(), f.Definition, routing.CompileOptions{Workers: 1})
	return err
}

func TestWrongFiles(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"syntax", "x = 1 +\n", "n.star:1:8: got newline, want primary expression"},
		{"a bracket without end", "x = (1 +\n", "n.star:1:5: this ( is never closed: close it, or indent the lines that continue it"},
		{"likewise, and the file goes on", "x = [1, (2), \"[\", # [\ny = 1\n",
			"n.star:1:5: this [ is never closed: close it, or indent the lines that continue it"},
		{"likewise, in a function", "def f(x):\n    y = g(x[1]\n    return y\n",
			"n.star:2:10: this ( is never closed: close it, or indent the lines that continue it"},
		{"a fault within brackets over two lines", "x = (1 +\n    2 3)\n", "n.star:2:8: got int literal, want ')'"},
		{"a protocol by its name", "protocol(name = \"p\")\n", "n.star:1:1: undefined: protocol: a protocol file calls machine(name = ...)"},
		{"undefined name", "x = 1\n  \ny = knode(1)",
			"n.star:3:5: undefined: knode: define it first, or use param, network, node, link, both, topology, table, json, paths, tables, flows, replies, hop or a function of Starlark"},
		{"no route", pair, "n.star:1:1: no routing: define def route(at, to) that returns a list of hops"},
		{"a route with a letter less", pair + "def rout(at, to):\n    return []\n",
			"n.star:5:1: no routing: this defines rout: define def route(at, to) that returns a list of hops"},
		{"a route in capitals, after another function", pair + "def next(at):\n    return []\ndef Route(at, to):\n    return []\n",
			"n.star:7:1: no routing: this defines Route: define def route(at, to) that returns a list of hops"},
		{"a variable called almost so", pair + "router = 1\n", "n.star:1:1: no routing: define def route(at, to) that returns a list of hops"},
		{"absent", "print(1)", "n.star:1:1: print is not available in these files; fail(...) shows a value"},
		{"while", "while True:\n    pass\n", "n.star:1:1: while is not available: use for with a range"},
		{"assign", "x = [1]\nx[0] *= 2\n", "n.star:2:6: *= changes an element: write x[i] = x[i] * y"},
		{"out of range", `k = param("k", 4, max = 3)`, "n.star:1:5: param: default: invalid k \"4\": want at most 3"},
		{"duplicate node", "node('a')\nnode('a')", "n.star:2:1: node \"a\" already exists: names must differ"},
		{"link to missing node", "node('a')\nlink('a', 'c')", "n.star:2:1: link: unknown node \"c\": declare it first with node(...)"},
		{"link to itself", "a = node('a')\nlink(a, a)", "n.star:2:1: link joins a with itself: the ends must differ"},
		{"hop of a link elsewhere", pair + "def route(at, to):\n    return [hop(to.out[0])]\n",
			"n.star:6:13: hop into a->b, which does not leave b: want one of its links (at.node.out) (in route at inject b for a)"},
		{"hop to None", pair + "def route(at, to):\n    return [hop(None)]\n",
			"n.star:6:13: hop into None: to(node) and port(name) return None if no such link leaves b, and at.link is None when injecting; test it first, or return [] for a dead end (in route at inject b for a)"},
		{"wrong vc", pair + "def route(at, to):\n    return [hop(at.node.out[0], 1)]\n",
			"n.star:6:13: hop into VC 1 of b->a: its VCs are 0 to 0 (in route at inject b for a)"},
		{"wrong tag", pair + "def route(at, to):\n    return [hop(at.node.out[0], tag = 1)]\n",
			"n.star:6:13: hop with tag 1: want 0 to 0 (network(tags=1)) (in route at inject b for a)"},
		{"room beyond the buffer", pair + "def route(at, to):\n    return [hop(at.node.out[0], room = 2)]\n",
			"n.star:6:13: hop with room for 2 packets: a channel holds 1 (buffer), so it is never taken (in route at inject b for a)"},
		{"no room", pair + "def route(at, to):\n    return [hop(at.node.out[0], room = 0)]\n",
			"n.star:6:13: hop with room 0: want how many packets must still fit, 1 at least (in route at inject b for a)"},
		{"no list", pair + "def route(at, to):\n    return 1\n",
			"n.star:5:1: route returned an int: must return a list of hops, as in return [hop(link)] (in route at inject b for a)"},
		{"nothing", pair + "def route(at, to):\n    pass\n",
			"n.star:5:1: route returned nothing: every path must end with return [hop(...), ...], or return [] for a dead end (in route at inject b for a)"},
		{"recursion", pair + "def route(at, to):\n    return route(at, to)\n",
			"n.star:6:12: function route called recursively: use a for loop over a range (in route at inject b for a, called from n.star:6:12)"},
		{"loop in route", pair + "def route(at, to):\n    for i in range(1 << 40):\n        i += 1\n    return []\n",
			"n.star:6:5: more than 100000 steps: beyond the bound: is there a loop or a list that is far too long? (in route at inject b for a)"},
		{"loop", "for i in range(1 << 40):\n    pass\n",
			"n.star:1:1: more than 1000000 steps: beyond the bound: is there a loop or a list that is far too long?"},
		{"global", pair + "seen = []\ndef route(at, to):\n    seen.append(1)\n    return [hop(at.node.out[0])]\n",
			"n.star:7:9: append: cannot append to frozen list: globals cannot change after the file has run; compute them at top level (in route at inject b for a)"},
		{"global dict",
			pair + "seen = {}\ndef route(at, to):\n    seen[at.node] = 1\n    return [hop(at.node.out[0])]\n",
			"n.star:7:9: cannot insert into frozen hash table: globals cannot change after the file has run; compute them at top level (in route at inject b for a)"},
		{"global number", pair + "seen = 1\ndef route(at, to):\n    seen += 1\n    return [hop(at.node.out[0])]\n",
			"n.star:7:5: local variable seen referenced before assignment: assign it on every path; a function cannot assign to a global (in route at inject b for a)"},
		{"node in route", pair + "def route(at, to):\n    node()\n",
			"n.star:6:5: node inside route: declare everything at top level (in route at inject b for a)"},
		{"a node for its name",
			pair + "def route(at, to):\n    if at.node == \"a\":\n        return []\n    return [hop(at.node.out[0])]\n",
			`n.star:6:16: a node is compared with a string: compare its name, as in at.node.name (in route at inject b for a)`},
		{"a node among names",
			pair + "def f(n):\n    return n in [\"a\", \"b\"]\ndef route(at, to):\n    return [hop(at.node.out[0])] if f(to) else []\n",
			`n.star:6:14: a node is compared with a string: compare its name, as in at.node.name (in route at inject b for a, called from n.star:8:37)`},
		{"a node for its number",
			pair + "def route(at, to):\n    if 0 != to:\n        return []\n    return [hop(at.node.out[0])]\n",
			`n.star:6:10: a node is compared with a number: compare its number, as in at.node.id (in route at inject b for a)`},
		{"a node for its coordinates",
			pair + "def route(at, to):\n    if to == (0, 1):\n        return []\n    return [hop(at.node.out[0])]\n",
			`n.star:6:11: a node is compared with a tuple: compare coordinates, as in at.node.at (in route at inject b for a)`},
		{"a link for its name", pair + "def route(at, to):\n    return [hop(l) for l in at.node.out if l == \"0\"]\n",
			`n.star:6:46: a link is compared with a string: compare its name, as in l.out (in route at inject b for a)`},
		{"a class for its name",
			pair + "def route(at, to):\n    if at.cls == \"rq\":\n        return []\n    return [hop(at.node.out[0])]\n",
			`n.star:6:15: a packet's cls is a number: compare its cls_name`},
		{"a VC for its name",
			pair + "def route(at, to):\n    if at.vc != \"hi\":\n        return []\n    return [hop(at.node.out[0])]\n",
			`n.star:6:14: a packet's vc is a number, even where VCs have names: the first is 0`},
		{"a coordinate for all",
			pair + "def route(at, to):\n    if to.at == 1:\n        return []\n    return [hop(at.node.out[0])]\n",
			`n.star:6:14: coordinates are a tuple: compare one of them, as in at.node.at[0], or all with a tuple`},
		{"attribute", pair + "def route(at, to):\n    return at.nodes\n",
			"n.star:6:14: site has no .nodes field or method (did you mean .node?): at has node, link, vc, channel, injecting, tag, cls and cls_name; links leave at.node (in route at inject b for a)"},
		{"hop at top level", pair + "hop(a.out[0])\n", "n.star:5:1: hop outside route: only route(at, to) returns hops"},
		{"division", "def f(x):\n    return 1 // x\ny = 1 + f(0)\n", "n.star:2:14: floored division by zero (called from n.star:3:9)"},
		{"fail", "fail('no\\nway')", "n.star:1:1: fail: no way"},
		{"switching", "network(switching = 'circuit')", "n.star:1:1: invalid switching \"circuit\": want store-and-forward, virtual-cut-through or wormhole"},
		{"late network", "node()\nnetwork()", "n.star:2:1: network is called after the first node: call it before"},
		{"flows", pair + direct + "flows([(a, 'z')])", "n.star:7:1: flow 0: flows: unknown node \"z\": declare it first with node(...)"},
		{"flows fail", pair + direct + "flows(lambda s, d, c: 1 // 0)", "n.star:7:25: floored division by zero (in flows from b to a)"},
		{"reply of no class", pair + direct + "replies('a', 'b')",
			`n.star:7:1: invalid class "a": the network has one class, number 0; declare several with network(classes = ["request", "reply"])`},
		{"reply of an unknown class", "network(classes = ['a', 'b'])\n" + pair + direct + "replies('a', 'c')",
			`n.star:8:1: invalid class "c": want one of "a", "b", or its number, 0 to 1`},
		{"reply to itself", pair + direct + "replies(0, 0)", "n.star:7:1: class 0 causes itself: every chain of replies must end"},
		{"replies in a cycle",
			"network(classes = ['a', 'b'])\n" + pair + direct + "replies('a', 'b')\nreplies('b', 'a')",
			"n.star:8:1: class a causes itself: every chain of replies must end"},
		{"former word of a network", "network(name = 'n', source = 's')",
			"n.star:1:1: network: unexpected keyword argument \"source\": write network(name=, paper=, switching=, buffer=, tags=, classes=, vcs=, sources=); source is now called paper"},
		{"former word of replies",
			"network(classes = ['a', 'b'])\n" + pair + direct + "replies('a', 'b', endpoint = 'x')",
			"n.star:8:1: replies: unexpected keyword argument \"endpoint\": write replies(request, reply, buffer=1, request_buffer=, outstanding=, to=); endpoint is now called request_buffer"},
		{"request buffer without places",
			"network(classes = ['a', 'b'])\n" + pair + direct + "replies('a', 'b', buffer = 0)",
			"n.star:8:1: invalid buffer 0: want 1 to 65536"},
		{"request buffer of two sizes",
			"network(classes = ['a', 'b', 'c'])\n" + pair + direct + "replies('a', 'b')\nreplies('a', 'c', buffer = 2)",
			"n.star:9:1: request buffer a has 2 slots here and 1 elsewhere: want one size"},
		{"two request buffers",
			"network(classes = ['a', 'b', 'c'])\n" + pair + direct + "replies('a', 'b')\nreplies('a', 'c', request_buffer = 'x')",
			"n.star:9:1: class a has two request buffers, a and x: want one"},
		{"request buffer in part of a channel",
			"network(classes = ['a', 'b'], buffer = 2)\n" + pair + direct + "replies('a', 'b', buffer = 3)",
			"n.star:8:1: request buffer a has 3 slots: want a multiple of the 2 that a channel holds, at most 65536 times"},
		{"too few places",
			"network(classes = ['a', 'b'])\n" + pair + direct + "replies('a', 'b', buffer = 1, outstanding = 2)",
			"n.star:8:1: request buffer a has 1 slots, but up to 2 messages for it are outstanding at once: it must hold them all"},
		{"reply to oneself",
			"network(classes = ['a', 'b'])\n" + pair + direct + "replies('a', 'b', to = lambda origin, at: at)",
			"n.star:8:1: b replies to itself: want another node"},
		{"reply to nobody",
			"network(classes = ['a', 'b'])\n" + pair + direct + "replies('a', 'b', to = lambda origin, at: 3)",
			"n.star:8:24: lambda returned an int: must return a node or a list of nodes (in replies from a to b)"},
		{"reply to a list", "network(classes = ['a', 'b'])\n" + pair + direct + "replies('a', 'b', to = [a])",
			"n.star:8:1: invalid to: want a function of two nodes, as in to = lambda origin, at: [...]"},
		{"flows kind", pair + direct + "flows(lambda s, d, c: 1)", "n.star:7:7: lambda returned an int: must return True or False (in flows from b to a)"},
		{"flows arity", pair + direct + "flows(lambda s: 1)", "n.star:7:1: flows takes a function of three parameters, not lambda: write (src, dst, cls)"},
		{"route arity", pair + "def route(at):\n    return []\n", "n.star:5:1: route must take two parameters: write def route(at, to)"},
		{"huge list", "x = [0] * (1 << 40)", "n.star:1:9: more than 1000000 steps: beyond the bound: is there a loop or a list that is far too long?"},
		{"huge list 2", "x = list(range(1 << 40))", "n.star:1:5: more than 1000000 steps: beyond the bound: is there a loop or a list that is far too long?"},
		{"huge text", "x = 'a' * 1000000000", "n.star:1:9: more than 1048576 bytes of text: beyond the bound: make less text"},
		{"doubling text", "x = 'a'\nfor i in range(99):\n    x += x\n", "n.star:3:7: more than 1048576 bytes of text: beyond the bound: make less text"},
		{"doubling list", "x = [1]\nfor i in range(99):\n    x = x + x\n",
			"n.star:3:11: more than 1000000 steps: beyond the bound: is there a loop or a list that is far too long?"},
		{"doubling list in place", "x = [1]\nfor i in range(99):\n    x += x\n",
			"n.star:3:7: more than 1000000 steps: beyond the bound: is there a loop or a list that is far too long?"},
		{"extend", "x = [1]\nx.extend(range(1 << 40))",
			"n.star:2:2: more than 1000000 steps: beyond the bound: is there a loop or a list that is far too long?"},
		{"element", "x = ['a']\nx[0] += 'a'", "n.star:2:6: += of a string to an element: write x[i] = x[i] + y"},
		{"squaring", "x = 3\nfor i in range(99):\n    x = x * x\n",
			"n.star:3:11: more than 4096 bits of an integer: beyond the bound: compute with smaller numbers"},
		{"shifting", "x = 1\nfor i in range(99):\n    x = x << 500\n",
			"n.star:3:11: more than 4096 bits of an integer: beyond the bound: compute with smaller numbers"},
		{"join", "x = ('a' * 10000).join(['b'] * 10000)", "n.star:1:18: more than 1048576 bytes of text: beyond the bound: make less text"},
		{"replace", "x = ('a' * 10000).replace('a', 'b' * 10000)", "n.star:1:18: more than 1048576 bytes of text: beyond the bound: make less text"},
		{"format", "x = ('{0}' * 10000).format('a' * 10000)", "n.star:1:20: more than 1048576 bytes of text: beyond the bound: make less text"},
		{"percent", "x = '%s' % ([['a' * 1000] * 1000] * 1000)", "n.star:1:10: more than 1048576 bytes of text: beyond the bound: make less text"},
		{"str", "x = [0]\nfor i in range(60):\n    x = [x, x]\ny = str(x)", "n.star:4:5: more than 1048576 bytes of text: beyond the bound: make less text"},
		{"spread", "def f(*a):\n    return a\nl = [0] * 100000\nx = [f(*l) for i in range(1000)]",
			"n.star:4:8: more than 1000000 steps: beyond the bound: is there a loop or a list that is far too long?"},
		{"slices", "l = [0] * 100000\nx = [l[:] for i in range(1000)]",
			"n.star:2:7: more than 1000000 steps: beyond the bound: is there a loop or a list that is far too long?"},
		{"chain", "x = []\nfor i in range(10000):\n    x = [x]\n",
			"n.star:1:1: the global values are nested more than 1000 deep, or share parts too often: use flatter values"},
		{"tuples", "x = ()\nfor i in range(60):\n    x = (x, x)\n",
			"n.star:1:1: the global values are nested more than 1000 deep, or share parts too often: use flatter values"},
		{"max of range", "x = max(range(1 << 40))", "n.star:1:5: more than 1000000 steps: beyond the bound: is there a loop or a list that is far too long?"},
		{"range that overflows", "x = list(range(-(1 << 62), 1 << 62))",
			"n.star:1:10: more than 9007199254740992 numbers in a range: beyond the bound: compute with smaller numbers"},
		{"many nodes", "for i in range(1 << 30):\n    node()\n",
			"n.star:2:5: more than 1000000 steps: beyond the bound: is there a loop or a list that is far too long?"},
		{"many channels", "a = node()\nb = node()\nfor i in range(1000):\n    link(a, b, vcs = 1 << 16)\n",
			"n.star:4:5: more than 16777216 channels: beyond the bound: make the network smaller"},
		{"brackets", strings.Repeat("(", 100000), "n.star:1:201: brackets nested more than 200 deep: split the expression"},
		{"minus", "x = " + strings.Repeat("-", 200000) + "1", "n.star:1:994: excessive nesting"},
		{"not", "x = " + strings.Repeat("not ", 60000) + "1", "n.star:1:3996: excessive nesting"},
		{"dots", "x = a" + strings.Repeat(".a", 120000),
			"n.star:1:5: undefined: a: define it first, or use param, network, node, link, both, topology, table, json, paths, tables, flows, replies, hop or a function of Starlark"},
		{"calls", "x = a" + strings.Repeat("()", 120000),
			"n.star:1:5: undefined: a: define it first, or use param, network, node, link, both, topology, table, json, paths, tables, flows, replies, hop or a function of Starlark"},
		{"sum", "x = 1" + strings.Repeat("+1", 120000), "n.star:1:1: no node: declare nodes with node(name, at=(x, y))"},
		{"lambda", "x = " + strings.Repeat("lambda:", 30000) + "1", "n.star:1:3511: excessive nesting"},
		{"else", "x = " + strings.Repeat("1 if 1 else ", 20000) + "1", "n.star:1:11862: excessive nesting"},
		{"large file", strings.Repeat("#", 1<<20), "n.star:1:1: a file of 1048576 bytes: at most 262144 are read"},
		{"empty", "", "n.star:1:1: no node: declare nodes with node(name, at=(x, y))"},
	} {
		if slices.Contains([]string{"sum", "tuples", "dots", "spread", "calls"}, c.name) && !seedtest.Whole() {
			continue // seconds each
		}
		t.Run(c.name, func(t *testing.T) {
			err := attempt(c.text, nil) // that it returns at all is part of the test
			got := ""
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			var pos *spec.PosError
			if err != nil && !errors.As(err, &pos) {
				t.Errorf("%T is not a *spec.PosError", err)
			}
		})
	}
}
