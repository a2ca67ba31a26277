package star_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// pair is a network of two nodes; tests append to it or break it.
const pair = `a = node("a")
b = node("b")
link(a, b)
link(b, a)
`

const direct = `def route(at, to):
    return [hop(at.node.to(to))]
`

// attempt loads and compiles a file with few steps.
func attempt(text string, set map[string]string) error {
	f, err := star.Load(context.Background(), "n.star", []byte(text), star.Options{Set: set, MaxSteps: 1e6, MaxRouteSteps: 1e5})
	if err != nil {
		return err
	}
	_, err = spec.Compile(context.Background(), f.Definition, spec.CompileOptions{Workers: 1})
	return err
}

func TestWrongFiles(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"syntax", "x = (1 +\n", "n.star:2:1: got end of file, want primary expression"},
		{"undefined name", "x = 1\n  \ny = knode(1)", "n.star:3:5: undefined: knode (did you mean node?)"},
		{"no route", pair, ""},
		{"absent", "print(1)", ""},
		{"load", `load("x.star", "y")`, ""},
		{"while", "while True:\n    pass\n", ""},
		{"assign", "x = [1]\nx[0] *= 2\n", ""},
		{"out of range", `k = param("k", 4, max = 3)`, ""},
		{"duplicate node", "node('a')\nnode('a')", ""},
		{"link to missing node", "node('a')\nlink('a', 'c')", ""},
		{"link to itself", "a = node('a')\nlink(a, a)", ""},
		{"hop of a link elsewhere", pair + "def route(at, to):\n    return [hop(to.out[0])]\n", ""},
		{"hop to None", pair + "def route(at, to):\n    return [hop(None)]\n", ""},
		{"wrong vc", pair + "def route(at, to):\n    return [hop(at.node.out[0], 1)]\n", ""},
		{"wrong tag", pair + "def route(at, to):\n    return [hop(at.node.out[0], tag = 1)]\n", ""},
		{"no list", pair + "def route(at, to):\n    return 1\n", ""},
		{"nothing", pair + "def route(at, to):\n    pass\n", ""},
		{"recursion", pair + "def route(at, to):\n    return route(at, to)\n", ""},
		{"loop in route", pair + "def route(at, to):\n    for i in range(1 << 40):\n        i += 1\n    return []\n", ""},
		{"loop", "for i in range(1 << 40):\n    pass\n", ""},
		{"global", pair + "seen = []\ndef route(at, to):\n    seen.append(1)\n    return [hop(at.node.out[0])]\n", ""},
		{"global dict", pair + "seen = {}\ndef route(at, to):\n    seen[at.node] = 1\n    return [hop(at.node.out[0])]\n", ""},
		{"global number", pair + "seen = 1\ndef route(at, to):\n    seen += 1\n    return [hop(at.node.out[0])]\n", ""},
		{"node in route", pair + "def route(at, to):\n    node()\n", ""},
		{"attribute", pair + "def route(at, to):\n    return at.nodes\n", ""},
		{"hop at top level", pair + "hop(a.out[0])\n", ""},
		{"division", "def f(x):\n    return 1 // x\ny = 1 + f(0)\n", ""},
		{"fail", "fail('no\\nway')", ""},
		{"switching", "network(switching = 'circuit')", ""},
		{"late network", "node()\nnetwork()", ""},
		{"flows", pair + direct + "flows([(a, 'z')])", ""},
		{"flows fail", pair + direct + "flows(lambda s, d, c: 1 // 0)", ""},
		{"flows kind", pair + direct + "flows(lambda s, d, c: 1)", ""},
		{"flows arity", pair + direct + "flows(lambda s: 1)", ""},
		{"route arity", pair + "def route(at):\n    return []\n", ""},
		{"huge list", "x = [0] * (1 << 40)", ""},
		{"huge list 2", "x = list(range(1 << 40))", ""},
		{"huge text", "x = 'a' * 1000000000", ""},
		{"doubling text", "x = 'a'\nfor i in range(99):\n    x += x\n", ""},
		{"doubling list", "x = [1]\nfor i in range(99):\n    x = x + x\n", ""},
		{"doubling list in place", "x = [1]\nfor i in range(99):\n    x += x\n", ""},
		{"extend", "x = [1]\nx.extend(range(1 << 40))", ""},
		{"element", "x = ['a']\nx[0] += 'a'", ""},
		{"squaring", "x = 3\nfor i in range(99):\n    x = x * x\n", ""},
		{"shifting", "x = 1\nfor i in range(99):\n    x = x << 500\n", ""},
		{"join", "x = ('a' * 10000).join(['b'] * 10000)", ""},
		{"replace", "x = ('a' * 10000).replace('a', 'b' * 10000)", ""},
		{"format", "x = ('{0}' * 10000).format('a' * 10000)", ""},
		{"percent", "x = '%s' % ([['a' * 1000] * 1000] * 1000)", ""},
		{"str", "x = [0]\nfor i in range(60):\n    x = [x, x]\ny = str(x)", ""},
		{"spread", "def f(*a):\n    return a\nl = [0] * 100000\nx = [f(*l) for i in range(1000)]", ""},
		{"slices", "l = [0] * 100000\nx = [l[:] for i in range(1000)]", ""},
		{"chain", "x = []\nfor i in range(10000):\n    x = [x]\n", ""},
		{"tuples", "x = ()\nfor i in range(60):\n    x = (x, x)\n", ""},
		{"max of range", "x = max(range(1 << 40))", ""},
		{"many nodes", "for i in range(1 << 30):\n    node()\n", ""},
		{"many channels", "a = node()\nb = node()\nfor i in range(1000):\n    link(a, b, vcs = 1 << 16)\n", ""},
		{"brackets", strings.Repeat("(", 100000), ""},
		{"minus", "x = " + strings.Repeat("-", 200000) + "1", ""},
		{"not", "x = " + strings.Repeat("not ", 60000) + "1", ""},
		{"dots", "x = a" + strings.Repeat(".a", 120000), ""},
		{"calls", "x = a" + strings.Repeat("()", 120000), ""},
		{"sum", "x = 1" + strings.Repeat("+1", 120000), ""},
		{"lambda", "x = " + strings.Repeat("lambda:", 30000) + "1", ""},
		{"else", "x = " + strings.Repeat("1 if 1 else ", 20000) + "1", ""},
		{"large file", strings.Repeat("#", 1<<20), ""},
		{"empty", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			err := attempt(c.text, nil)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
			got := ""
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
				if os.Getenv("SHOW") != "" { t.Logf("SHOW\t%s\t%s", c.name, got) }
			}
			var pos *spec.PosError
			if err != nil && !errors.As(err, &pos) {
				t.Errorf("%T is no *spec.PosError", err)
			}
		})
	}
}
