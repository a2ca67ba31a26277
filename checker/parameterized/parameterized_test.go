package parameterized_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/parameterized"
	"github.com/seed-105a2da2/unknot/proofs/smt"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// solvers skips the test where a solver is not installed.
func solvers(t *testing.T) {
	t.Helper()
	for _, v := range smt.Solvers() {
		if _, err := exec.LookPath(v.Name); err != nil {
			t.Skipf("%s is not installed", v.Name)
		}
	}
}

func prove(t *testing.T, file, text string, sizes []string, set map[string]string) *parameterized.Proof {
	t.Helper()
	f, err := parameterized.Read(file, []byte(text), sizes, set)
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Prove(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestExamples: the example files that formulas describe are proved for every size, and refuted where their authors say
// that they deadlock. The sources are those that the files name: Glass and Ni 1992, Dally and Seitz 1987. A ring with one
// VC deadlocks from 3 nodes on: with 2, a packet has arrived after one hop.
func TestExamples(t *testing.T) {
	solvers(t)
	for _, c := range []struct {
		file  string
		sizes []string
		set   map[string]string
		want  spec.Verdict
		at    string
	}{
		{"west_first.star", []string{"k"}, nil, spec.Holds, ""},
		{"mesh.star", []string{"w", "h"}, nil, spec.Holds, ""},
		{"mesh.star", []string{"w", "h"}, map[string]string{"order": "yx"}, spec.Holds, ""},
		{"ring.star", []string{"n"}, map[string]string{"vcs": "2"}, spec.Holds, ""},
		{"ring.star", []string{"n"}, nil, spec.Violated, "n = 3"},
		{"torus.star", []string{"k"}, nil, spec.Holds, ""},
		{"torus_nd.star", []string{"k"}, map[string]string{"n": "1"}, spec.Holds, ""},
		{"torus_nd.star", []string{"k"}, map[string]string{"n": "2"}, spec.Holds, ""},
	} {
		text, err := os.ReadFile(filepath.Join("../../models/examples", c.file))
		if err != nil {
			t.Fatal(err)
		}
		p := prove(t, c.file, string(text), c.sizes, c.set)
		if p.Verdict() != c.want {
			t.Errorf("%s %v: %v (%v, %v), want %v", c.file, c.set, p.Verdict(), p.Unproved, p.Unlowered, c.want)
			continue
		}
		var sizes []parameterized.Size
		for _, name := range c.sizes {
			sizes = append(sizes, parameterized.Size{Name: name})
		}
		// The ring may have at most 1024 nodes: a number of the file at which parts of the network are compared.
		if c.file == "ring.star" && c.want == spec.Holds && (len(p.Uncompared) > 0 || !slices.ContainsFunc(p.Large, func(s map[string]int) bool { return s["n"] == 1024 })) {
			t.Errorf("%s: compared at %v, not at %v", c.file, p.Large, p.Uncompared)
		}
		if p.Size != nil && parameterized.Text(sizes, p.Size) != c.at {
			t.Errorf("%s: refuted at %v, want %s", c.file, p.Size, c.at)
		}
	}
}

// line is a row of nodes; its route is the rest of the file.
const line = `k = param("k", 4, min = 2, max = 1000)
network(name = "line", vcs = 2)
at = [node(at = (x,)) for x in range(k)]
for x in range(k):
    if x + 1 < k:
        both(at[x], at[x + 1], out = "up", back = "down")
`

// round is a ring in both directions.
const round = `k = param("k", 4, min = 3, max = 1000)
network(name = "round", vcs = 2)
at = [node(at = (x,)) for x in range(k)]
for x in range(k):
    both(at[x], at[(x + 1) % k], out = "up", back = "down")
`

// TestWrong: what is wrong at some size only is never proved. Up to the size below, each file is the line with the way
// that is proved; then two packets that turn back can wait for each other, or a packet turns for ever, or ends nowhere.
func TestWrong(t *testing.T) {
	solvers(t)
	for _, c := range []struct {
		name, text string
		want       spec.Verdict
		at         int
	}{
		{"line", line + `
def route(at, to):
    return [hop(at.node.port("up" if to.at > at.node.at else "down"))]
`, spec.Holds, 0},
		{"a VC on which nobody begins", line + `
def route(at, to):
    return [hop(at.node.port("up" if to.at > at.node.at else "down"), 1 if at.injecting else at.vc)]
`, spec.Holds, 0},
		{"deadlock from 9 nodes on", round + `
def route(at, to):
    (x,), (d,) = at.node.at, to.at
    if k >= 9:
        return [hop(at.node.port("up"))]
    return [hop(at.node.port("up" if d > x else "down"))]
`, spec.Violated, 9},
		{"deadlock from 300 nodes on, which are not checked", round + `
def route(at, to):
    (x,), (d,) = at.node.at, to.at
    if k >= 300:
        return [hop(at.node.port("up"))]
    return [hop(at.node.port("up" if d > x else "down"))]
`, spec.Unknown, 0},
		{"no hop at node 20", line + `
def route(at, to):
    if at.node.id == 20:
        return []
    return [hop(at.node.port("up" if to.at > at.node.at else "down"))]
`, spec.Violated, 0},
		{"no hop at node 200, which is not checked", line + `
def route(at, to):
    if at.node.id == 200:
        return []
    return [hop(at.node.port("up" if to.at > at.node.at else "down"))]
`, spec.Unknown, 0},
		{"up and down at once", line + `
def route(at, to):
    hops = []
    for port in ["up", "down"]:
        if at.node.port(port):
            hops.append(hop(at.node.port(port)))
    return hops
`, spec.Violated, 0},
		{"the VC of the arrival, changed at the dateline", round + `
def route(at, to):
    return [hop(at.node.port("up"), 1 if not at.injecting and (at.vc == 1 or at.node.id == 0) else 0)]
`, spec.Holds, 0},
		{"the VC of the arrival, changed one node too late at 5 or more", round + `
def route(at, to):
    last = 0 if k < 5 else 99
    return [hop(at.node.port("up"), 1 if not at.injecting and (at.vc == 1 or at.node.id == last) else 0)]
`, spec.Violated, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := prove(t, "f.star", c.text, []string{"k"}, nil)
			if p.Verdict() != c.want || c.at > 0 && p.Size["k"] != c.at {
				t.Errorf("%v at %v (%v, %v), want %v at %d", p.Verdict(), p.Size, p.Unproved, p.Unlowered, c.want, c.at)
			}
		})
	}
}

// adaptive is a torus in both directions, with any minimal hop on VC 0, and dimension order with a dateline on VCs 1 and 2:
// 1 while the way to the destination still wraps (Duato 1993, Dally and Seitz 1987).
const adaptive = `k = param("k", 4, min = 3, max = 1000)
network(name = "adaptive", switching = "wormhole", vcs = 3)
at = {(x, y): node(at = (x, y)) for x in range(k) for y in range(k)}
for (x, y), n in at.items():
    both(n, at[((x + 1) % k, y)], out = "+x", back = "-x")
    both(n, at[(x, (y + 1) % k)], out = "+y", back = "-y")

def route(at, to):
    hops = []
    for axis, x, d in zip("xy".elems(), at.node.at, to.at):
        if x != d:
            up = 2 * ((d - x) % k) <= k
            port = at.node.port(("+" if up else "-") + axis)
            hops.append(hop(port, 0))
            if len(hops) == 1:
                hops.append(hop(port, 1 if (d < x if up else x < d) else 2))
    return hops
`

// TestEscape: Duato's mesh (Duato 1993) and an adaptive torus have cycles of dependencies, and are proved by their escapes.
// What breaks one condition at some size is refuted, or not proved if no size that is checked has it.
func TestEscape(t *testing.T) {
	solvers(t)
	mesh, err := os.ReadFile("../../models/examples/duato_mesh.star")
	if err != nil {
		t.Fatal(err)
	}
	const vc = "1 if (d < x if up else x < d) else 2"
	for name, c := range map[string]struct {
		text, old, new string
		want           spec.Verdict
	}{
		"mesh":  {string(mesh), "", "", spec.Holds},
		"torus": {adaptive, "", "", spec.Holds},
		// The ring of VC 1 has no dateline.
		"no dateline":         {adaptive, vc, "1", spec.Violated},
		"no dateline at many": {adaptive, vc, "1 if k > 300 or (d < x if up else x < d) else 2", spec.Unknown},
		// The other order of dimensions, as an escape beside XY, closes a cycle of escapes.
		"two orders": {string(mesh), "hop(minimal[0], ", "hop(minimal[0 if at.node.at[0] < 300 else len(minimal) - 1], ", spec.Unknown},
		"no escape at one node": {
			string(mesh), "    if escape:", "    if escape and at.node.at != (200, 200):", spec.Unknown,
		},
		"an order for those that come along y": {
			string(mesh), "hop(minimal[0], ", "hop(minimal[len(minimal) - 1 if k > 300 and not at.injecting and at.vc == 0 else 0], ", spec.Unknown,
		},
		// A packet in row 300 may go back.
		"a hop away": {
			string(mesh), "    if escape:", "    if at.node.at[1] == 300 and at.node.port(\"-y\"):\n" +
				"        hops.append(hop(at.node.port(\"-y\"), \"any\"))\n    if escape:", spec.Unknown,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "torus" || c.want == spec.Unknown && name != "no escape at one node" {
				seedtest.InFull(t)
			}
			text := strings.Replace(c.text, c.old, c.new, 1)
			if c.old != "" && strings.Count(c.text, c.old) != 1 {
				t.Fatalf("%q", c.old)
			}
			p := prove(t, "f.star", text, []string{"k"}, nil)
			if p.Verdict() != c.want || c.want == spec.Holds && !p.Escape {
				t.Errorf("%v, want %v: %v, a cycle at %v, %v", p.Verdict(), c.want, p.Unproved, p.Cyclic, p.Unlowered)
			}
		})
	}
}

// TestDrawnEscapes: on drawn routes of a mesh with two VCs, what is proved by an escape holds at larger sizes, too, by the
// static decision.
func TestDrawnEscapes(t *testing.T) {
	solvers(t)
	seedtest.Sample(t, 12)
	proved := 0
	rapid.Check(t, func(r *rapid.T) {
		of := func(all ...string) string { return rapid.SampledFrom(all).Draw(r, "of") }
		condition := func() string {
			return of("at.injecting", "x == 0", "x < y", "d == e", "to.at[0] < to.at[1]", "not at.injecting and at.vc == 1", "x % 2 == 0", "False")
		}
		text := `k = param("k", 4, min = 2, max = 1000)
network(name = "drawn", vcs = 2)
at = {(x, y): node(at = (x, y)) for x in range(k) for y in range(k)}
for (x, y), n in at.items():
    if x + 1 < k:
        both(n, at[(x + 1, y)], out = "+x", back = "-x")
    if y + 1 < k:
        both(n, at[(x, y + 1)], out = "+y", back = "-y")

def route(at, to):
    (x, y), (d, e) = at.node.at, to.at
    ports = []
    if x != d:
        ports.append(at.node.port("+x" if x < d else "-x"))
    if y != e:
        ports.append(at.node.port("+y" if y < e else "-y"))
    hops = [hop(p, 0) for p in ports]
`
		text += fmt.Sprintf("    last = ports[len(ports) - 1]\n    hops.append(hop(last if %s else ports[0], 0 if %s else 1))\n",
			condition(), of("False", "False", condition()))
		if rapid.Bool().Draw(r, "more") {
			text += fmt.Sprintf("    if %s:\n        hops.append(hop(%s, %s))\n", condition(), of("last", "ports[0]"), of("0", "1"))
		}
		f, err := parameterized.Read("f.star", []byte(text+"    return hops\n"), []string{"k"}, nil)
		if err != nil {
			r.Fatalf("%v\n%s", err, text)
		}
		p, proof, err := f.ProveSmall(t.Context())
		if errors.Is(err, parameterized.ErrDisagree) {
			r.Fatalf("%v\n%s", err, text)
		}
		if err != nil || !proof || !p.Escape {
			return
		}
		proved++
		for _, k := range []int{4, 5, 6} {
			if v, err := f.VerdictAt(t.Context(), map[string]int{"k": k}); err != nil || v != spec.Holds {
				r.Fatalf("proved, but %v at k = %d (%v)\n%s", v, k, err, text)
			}
		}
	})
	if t.Logf("%d proved", proved); seedtest.Usual() && proved == 0 && seedtest.Whole() {
		t.Error("nothing drawn was proved")
	}
}

// TestUnread: what formulas do not say is refused at its place.
func TestUnread(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"k = param(\"k\", 3)\n", "f.star:1:1: parameter k: want min = a number of at least 1, from which on the proof holds"},
		{line, "f.star:1:1: no function route"},
		{"k = param(\"k\", 3, min = -3)\n", "f.star:1:1: parameter k: want min = a number of at least 1, from which on the proof holds"},
		{line + "flows([])\ndef route(at, to): return []\n", "f.star:7:1: flows is not read for all sizes"},
		{line + "def route(at, to): return [discard()]\n", "f.star:7:28: discard is not read for all sizes"},
		{line + "def route(at, to):\n    return [hop(at.node.port(\"up\"), room = 2)]\n", "f.star:8:13: tags and room are not read for all sizes"},
		{line + "def route(at, to):\n    return [hop(at.node.to(to))]\n", "f.star:8:17: .to is not read for all sizes"},
		{line + "def route(at, to):\n    return [hop(at.node.port(\"up\"), at.node.id * to.id % 2)]\n", "f.star:8:37: a product of two numbers that depend on sizes or coordinates"},
		{line + "node()\n", "f.star:7:1: nodes are declared in a second place, which is not read for all sizes"},
		{line + "n = 0\nfor x in range(k):\n    n += 1\nm = n + 1\n", "f.star:9:5: n is assigned in a loop or branch over a size, so its value depends on the round"},
		{line + "link(at[0], at[1], out = \"extra\")\n", "f.star:7:1: a link whose end is not a node with each coordinate a variable of its own, plus a number"},
		{line + "x = = 1\n", "f.star:7:5: got '=', want primary expression"},
		{line + "n = k\nfor i in range(40):\n    n = n + n\n", "f.star:9:9: a value that is too long to be read for all sizes"},
		{line + "s = \"ab\"\nfor i in range(40):\n    s += s\n", "f.star:9:5: a value that is too long to be read for all sizes"},
		{line + "s = [0]\nfor i in range(40):\n    s = s + s\n", "f.star:9:9: a value that is too long to be read for all sizes"},
		{line + "t = (k,)\nfor i in range(60):\n    t = (t, t)\nu = t == t\n", "f.star:10:10: the file takes more than 5000000 steps"},
		{line + "n = [a for a in range(9000) for b in range(9000) if a > b]\n", "f.star:7:53: the file takes more than 5000000 steps"},
		{strings.Replace(line, `"up"`, `"up\n(assert false)"`, 1), "f.star:6:9: the name of a port: want printable characters"}, // a comment of the script
		{"k = param(\"k\", 3, min = 2)\nnode()\n", "f.star:2:1: a node that is not declared for each value of a size"},
		{"load(\"lib.star\", \"f\")\nk = param(\"k\", 3, min = 2)\n", "f.star:1:1: a statement that is not read for all sizes"},
	} {
		_, err := parameterized.Read("f.star", []byte(c.text), []string{"k"}, nil)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\ngot  %v\nwant %s", c.text, err, c.want)
		}
	}
	for name, want := range map[string]string{
		"x1": "f.star: a size cannot be called x1 in formulas: want another name in the file",
		"n":  `f.star: no parameter "n": want x1`,
	} {
		_, err := parameterized.Read("f.star", []byte("param(\"x1\", 3, min = 2)\n"), []string{name}, nil)
		if err == nil || err.Error() != want {
			t.Errorf("--for-all %s: %v, want %s", name, err, want)
		}
	}
}

// TestLanguage: what Starlark means is what is read, or it is refused. Each line below is true from 7 nodes on alone,
// where a reader that takes it otherwise would leave out the branch in which packets end.
func TestLanguage(t *testing.T) {
	solvers(t)
	good := "    return [hop(at.node.port(\"up\" if to.at > at.node.at else \"down\"))]\n"
	for name, c := range map[string]struct{ top, body string }{
		"empty range":            {"", "    if k > 6 and len(range(6 - k)) == 0:\n        return []\n"},
		"default":                {"v = 0\ndef f(a = v):\n    return a\nv = 1\n", "    if k > 6 and f() == 0:\n        return []\n"},
		"operand of and":         {"", "    if k > 6 and (at.node.id or 1) == 1:\n        return []\n"},
		"keys that coincide":     {"d = {}\nd[k] = 0\nd[9] = 100\n", "    if k > 6 and d[k] == 100:\n        return []\n"},
		"link of another node":   {"", "    if k > 6 and not at.injecting and at.link != at.node.port(\"up\"):\n        return []\n"},
		"hop back on itself":     {"", "    if k > 6 and not at.injecting:\n        return [hop(at.link)]\n"},
		"loop in route":          {"", "    l = []\n    for i in range(k):\n        l.append(i)\n    if len(l) > 6:\n        return []\n"},
		"unassigned":             {"v = 1\n", "    if k < 7:\n        v = 1\n    if v == 2:\n        return []\n"},
		"lambda":                 {"", "    f = lambda x: x > 6\n    if f(k):\n        return []\n"},
		"equal lists":            {"", "    if k > 6 and [k] == [k]:\n        return []\n"},
		"read while filled":      {"l = []\nm = []\nfor x in range(k):\n    m.append(len(l))\n    l.append(x)\n", "    if k > 6 and m[at.node.id] > 0:\n        return []\n"},
		"lists in lists":         {"ll = [[x] for x in range(k)]\n", "    if k > 6 and ll[0][0] != ll[1][0]:\n        return []\n"},
		"pattern in a branch":    {"v = 1\nif k > 6:\n    [v] = [0]\n", "    if v == 0:\n        return []\n"},
		"change in an operand":   {"", "    l = []\n    x = k > 6 or l.append(1)\n    if len(l) == 0:\n        return []\n"},
		"a frozen list":          {"l = []\n", "    if k > 6:\n        l.append(1)\n"},
		"key of max":             {"def f(x):\n    return -x\n", "    if k > 6 and max(1, 2, key = f) == 1:\n        return []\n"},
		"first of enumerate":     {"", "    if k > 6 and enumerate([0], 1)[0][0] == 1:\n        return []\n"},
		"large numbers":          {"", "    if k > 6 and 4611686018427387904 * 4 != 0:\n        return []\n"},
		"attribute of no link":   {"", "    if k > 6 and at.node.port(\"up\").dim == 0:\n        return []\n"},
		"+= reads first":         {"d = {\"a\": 1}\ndef f(e):\n    e[\"a\"] = 5\n    return 1\nd[\"a\"] += f(d)\n", "    if k > 6 and d[\"a\"] == 2:\n        return []\n"},
		"slice of a call":        {"d = {\"a\": 1}\ndef g(e):\n    e[\"a\"] += 1\n    return [0]\nz = g(d)[0:1]\n", "    if k > 6 and d[\"a\"] == 2:\n        return []\n"},
		"function before values": {"def one(x):\n    return 1\ndef two(x):\n    return 2\nd = {\"f\": one}\ndef change(e):\n    e[\"f\"] = two\n    return 0\nz = d[\"f\"](change(d))\n", "    if k > 6 and z == 1:\n        return []\n"},
		"bytes of a text":        {"m = len(\"\u00e9\".elems())\n", "    if k > 6 and m == 2:\n        return []\n"},
		"never assigned":         {"for z in []:\n    len = z\n", "    if k > 6 and len([0]) == 1:\n        return []\n"},
		"a function that recurs": {"def f(n):\n    return f(n)\n", "    if k > 6 and f(k) == 1:\n        return []\n"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := parameterized.Read("f.star", []byte(line+c.top+"def route(at, to):\n"+c.body+good), []string{"k"}, nil)
			if err != nil {
				return
			}
			p, err := f.Prove(t.Context())
			if err == nil && p.Verdict() == spec.Holds {
				t.Errorf("proved")
			}
		})
	}
}

// TestDrawn: on drawn routes of a line and a ring, the formulas agree with the network of the file, which Prove compares
// at every size that it checks, and what is proved holds at larger sizes, too, by the static decision.
func TestDrawn(t *testing.T) {
	solvers(t)
	seedtest.Sample(t, 15)
	proved := 0
	rapid.Check(t, func(r *rapid.T) {
		conditions := []string{"x < d", "d < x", "x == 0", "x + 1 == k", "d == 0", "d - x < 2", "(d - x) % k <= k // 2", "at.injecting",
			"x % 2 == 0", "abs(d - x) > 1", "max(x, d) == k - 1"}
		text := rapid.SampledFrom([]string{line, round}).Draw(r, "topology") + "def route(at, to):\n    (x,), (d,) = at.node.at, to.at\n"
		for range rapid.IntRange(0, 3).Draw(r, "branches") {
			text += fmt.Sprintf("    if %s%s:\n        return %s\n", rapid.SampledFrom([]string{"", "not "}).Draw(r, "sign"),
				rapid.SampledFrom(conditions).Draw(r, "condition"), hops(r))
		}
		text += "    return [hop(at.node.port(\"up\" if x < d else \"down\"), " + rapid.SampledFrom([]string{"0", "1", "0 if x < d else 1"}).Draw(r, "vc") + ")]\n"
		f, err := parameterized.Read("f.star", []byte(text), []string{"k"}, nil)
		if err != nil {
			r.Fatalf("%v\n%s", err, text)
		}
		p, err := f.Prove(t.Context())
		if errors.Is(err, parameterized.ErrDisagree) {
			r.Fatalf("%v\n%s", err, text)
		}
		if err != nil {
			return // the file itself is in error at some size: a hop over a link that a line's end lacks
		}
		if p.Verdict() != spec.Holds {
			return
		}
		proved++
		for _, k := range []int{6, 7, 8, 13} {
			if v, err := f.VerdictAt(t.Context(), map[string]int{"k": k}); err != nil || v != spec.Holds {
				r.Fatalf("proved, but %v at k = %d (%v)\n%s", v, k, err, text)
			}
		}
	})
	if proved == 0 && seedtest.Usual() {
		t.Error("nothing drawn was proved")
	}
}

func hops(r *rapid.T) string {
	var all []string
	for range rapid.IntRange(1, 2).Draw(r, "hops") {
		all = append(all, fmt.Sprintf("hop(at.node.port(%q), %d)", rapid.SampledFrom([]string{"up", "down"}).Draw(r, "port"),
			rapid.IntRange(0, 1).Draw(r, "vc")))
	}
	return "[" + strings.Join(all, ", ") + "]"
}
