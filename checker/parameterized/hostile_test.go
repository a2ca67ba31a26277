package parameterized_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/parameterized"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// ragged is a mesh of two rows, of which the upper one has no link of port e from column 27 on.
const ragged = `k = param("k", 4, min = 2)
h = param("h", 2, min = 2, max = 2)
network(name = "ragged", switching = "wormhole", vcs = 2)
at = {(x, y): node(at = (x, y)) for x in range(k) for y in range(h)}
for x in range(k - 1):
    for y in range(h):
        both(at[(x, y)], at[(x + 1, y)], out = "+x", back = "-x")
for x in range(k):
    for y in range(h - 1):
        both(at[(x, y)], at[(x, y + 1)], out = "+y", back = "-y")
for x in range(k - 1):
    for y in range(h - x // 3 // 3 // 3):
        link(at[(x, y)], at[(x + 1, y)], out = "e")

def route(at, to):
    (x, y), (d, e) = at.node.at, to.at
`

// Every packet counts on the links of port e.
const raggedRoute = `    return [hop(at.node.port("e" if x < d else "-x" if x > d else "+y" if y < e else "-y"))]
`

// Where there is no link of port e, a packet that came along one turns back. Deterministic hops on VC 1, with more of them
// on VC 0, of which the cycles need an escape.
const raggedEscape = `    hops = []
    if y != e:
        hops.append(hop(at.node.port("+y" if y < e else "-y"), 0))
    if x < d and not at.node.port("e") and not at.injecting and at.link.out == "e":
        return [hop(at.node.port("-x"), 1)]
    port = ("e" if at.node.port("e") else "+x") if x < d else "-x"
    if x != d:
        hops.append(hop(at.node.port(port), 0))
        hops.append(hop(at.node.port(port), 1))
    else:
        hops.append(hop(at.node.port("+y" if y < e else "-y"), 1))
    return hops
`

// hidden is the line of n nodes whose route is wrong from 27 nodes on, a number that no literal names.
const hidden = `k = param("k", 4, min = 2)
network(name = "line")
n = [node(at = (x,)) for x in range(k)]
for x in range(k - 1):
    both(n[x], n[x + 1], out = "up", back = "down")
`

const minimal = `    return [hop(at.node.port("up" if to.at > at.node.at else "down"))]
`

// TestHostile: files that were once proved, though a larger size than those that are checked one by one is wrong. The
// file is refused at the line that is not read, or what it says is not proved. Starlark's own check of k = 30 is the
// reason: it finds a property violated, or the file in error.
func TestHostile(t *testing.T) {
	solvers(t)
	one := []string{"k"}
	wrongIf := func(condition string) string {
		return hidden + "def route(at, to):\n    if k // 27 > 0 and " + condition + ":\n        return []\n" + minimal
	}
	errorIn := func(statement string) string {
		return hidden + "def route(at, to):\n    if k // 27 > 0:\n        " + statement + "\n" + minimal
	}
	for _, c := range []struct {
		name, text string
		sizes      []string
		refused    string // "": the file is read
	}{
		{"a bound with the variable of another loop", ragged + raggedRoute, []string{"k", "h"}, ""},
		{"a bound with the variable of another loop, and escapes", ragged + raggedEscape, []string{"k", "h"}, ""},
		{"bytes", wrongIf(`b"a" != "a"`), one, "f.star:7:24: bytes, which are not read for all sizes"},
		{
			"what link returns", hidden + `for x in range(k - k // 27, k - 1):
    if link(n[x], n[x + 1], out = "e") == None:
        link(n[x], n[x + 1], out = "f")
def route(at, to):
` + minimal, one, "f.star:7:43: a comparison that is not read for all sizes",
		},
		{"the truth of what link returns", hidden + `for x in range(k - k // 27, k - 1):
    if link(n[x], n[x + 1], out = "e"):
        link(n[x], n[x + 1], out = "f")
def route(at, to):
` + minimal, one, "f.star:7:8: the truth of a value that is not read for all sizes"},
		{"the value of or", wrongIf(`(at.node.port("up") or False) != True`), one, "f.star:7:57: a comparison that is not read for all sizes"},
		{"the value of and", wrongIf(`(at.node.port("up") and True) == None`), one, "f.star:7:57: a comparison that is not read for all sizes"},
		{"the link of another node", `k = param("k", 4, min = 3)
network(name = "ring", vcs = 2)
n = [node(at = (x,)) for x in range(k)]
for x in range(k):
    link(n[x], n[(x + 1) % k], out = "up")
def route(at, to):
    if k // 27 > 0 and to.out[0] != at.node.out[0]:
        return []
    return [hop(at.node.out[0], 1 if to.at < at.node.at else 0)]
`, one, "f.star:7:24: the links of another node than that of the packet"},
		{"a range and a list", errorIn("l = range(3) + [1]"), one, "f.star:8:13: an operation that is not read for all sizes"},
		{"append to a range", errorIn("range(3).append(1)"), one, "f.star:8:9: .append is not read for all sizes"},
		{"a text in a range", errorIn(`l = "a" in range(3)`), one, "f.star:8:13: want an integer"},
		{"in elems", errorIn(`l = "a" in "ab".elems()`), one, "f.star:8:13: in, not in of the elements of a text"},
		{"elems and a list", errorIn(`l = "ab".elems() + ["c"]`), one, "f.star:8:13: an operation that is not read for all sizes"},
		{"append to elems", errorIn(`"ab".elems().append("c")`), one, "f.star:8:9: .append is not read for all sizes"},
		{"a slice of elems", errorIn(`l = "ab".elems()[0:1]`), one, "f.star:8:13: a slice with a step, or of the elements of a text"},
		{"a hop without a list", errorIn(`return hop(at.node.port("up"))`), one, "f.star:7:5: route returns something else than hops"},
		{"port by name", errorIn(`l = at.node.port(p = "up")`), one, "f.star:8:13: port: want the name of a port"},
		{"no port", errorIn(`l = at.node.port()`), one, "f.star:8:13: port: want the name of a port"},
		{"split by name", errorIn(`l = "a b".split(sep = " ")`), one, "f.star:8:13: split(...) is not read for all sizes"},
		{"append of nothing", errorIn(`[].append()`), one, "f.star:8:9: append: want an element"},
		{"append in a comprehension", errorIn("l = [1]; m = [l.append(y) for y in l]"), one,
			"f.star:8:23: a change of a list that a loop goes through, that is frozen, or that a condition may leave out"},
		{"an argument twice", errorIn(`return [hop(at.node.port("up"), link = at.node.port("up"))]`), one,
			"f.star:8:17: hop with link=, which is not read for all sizes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := parameterized.Read("f.star", []byte(c.text), c.sizes, nil)
			if c.refused != "" {
				if err == nil || err.Error() != c.refused {
					t.Fatalf("%v, want %s", err, c.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, proved, err := f.ProveSmall(t.Context()); err != nil || proved {
				t.Errorf("proved: %v, %v", proved, err)
			}
		})
	}
}

// TestCompared: a size at which a file changes its meaning is compared, though no number in it names that size, or said to
// be not compared. So is one that is large in one dimension alone.
func TestCompared(t *testing.T) {
	solvers(t)
	for _, c := range []struct {
		name, text string
		sizes      []string
		at         map[string]int // where packets end, and a check finds it
	}{
		{"a quotient of a quotient", hidden + "def route(at, to):\n    if k // 3 // 3 // 3 > 0:\n        return []\n" + minimal,
			[]string{"k"}, map[string]int{"k": 27}},
		{"a remainder by the size", hidden + "def route(at, to):\n    if 1 % k == 3:\n        return []\n" + minimal,
			[]string{"k"}, nil},
		{"a mesh that is wider than high", `w = param("w", 3, min = 2)
h = param("h", 3, min = 2)
network(name = "mesh")
at = {(x, y): node(at = (x, y)) for x in range(w) for y in range(h)}
for x in range(w - 1):
    for y in range(h):
        both(at[(x, y)], at[(x + 1, y)], out = "+x", back = "-x")
for x in range(w):
    for y in range(h - 1):
        both(at[(x, y)], at[(x, y + 1)], out = "+y", back = "-y")

def route(at, to):
    (x, y), (d, e) = at.node.at, to.at
    if w > h + 12:
        return []
    return [hop(at.node.port("-x" if x > d else "+x" if x < d else "+y" if y < e else "-y"))]
`, []string{"w", "h"}, map[string]int{"w": 15, "h": 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := parameterized.Read("f.star", []byte(c.text), c.sizes, nil)
			if err != nil {
				t.Fatal(err)
			}
			p, err := f.CompareAlone(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if c.at != nil && !slices.ContainsFunc(p.Sizes, func(s map[string]int) bool { return maps.Equal(s, c.at) }) {
				t.Errorf("compared at %v, want %v, too", p.Sizes, c.at)
			}
		})
	}
}

// TestStray: a variable that is left in a formula of the network is found. No file has one, as far as we know.
func TestStray(t *testing.T) {
	for text, want := range map[string]string{"x2 + k": "", "y1": "y1", "x3": "x3", "v7 + x1": "v7"} {
		if got := parameterized.Stray(text, "k", 2); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// mesh is XY on a mesh of two sizes, on VC 0 unless the place of the condition is filled.
const mesh = `w = param("w", 3, min = 2)
h = param("h", 3, min = 2)
network(name = "mesh", vcs = 2)
at = {(x, y): node(at = (x, y)) for x in range(w) for y in range(h)}
for x in range(w - 1):
    for y in range(h):
        both(at[(x, y)], at[(x + 1, y)], out = "+x", back = "-x")
for x in range(w):
    for y in range(h - 1):
        both(at[(x, y)], at[(x, y + 1)], out = "+y", back = "-y")

def route(at, to):
    (x, y), (d, e) = at.node.at, to.at
    vc = 1 if CONDITION else 0
    return [hop(at.node.port("-x" if x > d else "+x" if x < d else "+y" if y < e else "-y"), vc)]
`

// TestUncovered: a condition that is true of large sizes alone, or of one combination of sizes or coordinates, is compared
// where it is first true, or nothing is said to be proved. Each file was proved before, whatever it means there. The other
// VC is as good, so that no proof fails. The size is where arithmetic says that the condition begins to be true.
func TestUncovered(t *testing.T) {
	solvers(t)
	for _, c := range []struct {
		name, condition string
		at              map[string]int // where it is compared, or is not
		left            bool
	}{
		{"a size", "w == 700 and h == 2", map[string]int{"w": 700, "h": 2}, false},
		{"a size that is too large", "w == 50000", map[string]int{"w": 50000, "h": 2}, true},
		{"two large sizes", "w > 60 and h > 40", map[string]int{"w": 61, "h": 41}, false},
		{"two sizes that are too large", "w > 600 and h > 400", map[string]int{"w": 601, "h": 401}, true},
		{"sizes that differ", "w > 20 + h and h > 20", map[string]int{"w": 42, "h": 21}, false},
		{"a coordinate", "x == 30 and e == 25", map[string]int{"w": 31, "h": 26}, false},
		{"quotients", "w // 5 // 5 // 5 // 5 == 1 and h > 3", map[string]int{"w": 625, "h": 4}, false},
		{"remainders", "w % 5 == 3 and w % 7 == 5 and w % 9 == 7", map[string]int{"w": 313, "h": 2}, false},
		{"a value", "(w if w > 90 else 7) + y == 120", nil, false},
		{"never", "w < 2 or x + y > w + h", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !slices.Contains([]string{"a size", "two large sizes", "two sizes that are too large"}, c.name) {
				seedtest.InFull(t)
			}
			text := strings.Replace(mesh, "CONDITION", c.condition, 1)
			f, err := parameterized.Read("f.star", []byte(text), []string{"w", "h"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			p, err := f.Prove(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			is := func(size map[string]int) bool { return c.at == nil || maps.Equal(size, c.at) }
			if c.left {
				found := slices.ContainsFunc(p.Uncovered, func(u parameterized.Uncovered) bool {
					return u.Line == 14 && is(u.Size) && strings.HasPrefix(u.Why, "such networks have more than ")
				})
				if p.Verdict() != spec.Unknown || !found {
					t.Errorf("%v: %v, want %v", p.Verdict(), p.Uncovered, c.at)
				}
				return
			}
			if p.Verdict() != spec.Holds || c.at != nil && !slices.ContainsFunc(slices.Concat(p.Large, p.Sizes), is) {
				t.Errorf("%v (%v): compared at %v, want %v\n%v", p.Verdict(), p.Unproved, p.Large, c.at, p.Uncovered)
			}
		})
	}
}

// TestUncoveredTop: a condition of the top level is compared, too, or nothing is said to be proved.
func TestUncoveredTop(t *testing.T) {
	solvers(t)
	for condition, left := range map[string]int{"w > 300": 0, "w > 25000": 25001} {
		text := strings.Replace(strings.Replace(mesh, "CONDITION", "False", 1), "at = {", "wide = 1 if "+condition+" else 0\nat = {", 1)
		p := prove(t, "f.star", text, []string{"w", "h"}, nil)
		found := slices.ContainsFunc(p.Uncovered, func(u parameterized.Uncovered) bool { return u.Line == 4 && u.Size["w"] == left })
		if left > 0 != found || left > 0 != (p.Verdict() == spec.Unknown) {
			t.Errorf("%s: %v, %v", condition, p.Verdict(), p.Uncovered)
		}
	}
}

// TestMisread: formulas that say something else than the file, where a condition is true that is true of large sizes
// alone, are found out.
func TestMisread(t *testing.T) {
	solvers(t)
	for i, condition := range []string{
		"w > 60 and h > 40", "w % 5 == 3 and w % 7 == 5 and w % 9 == 7", "x == 30 and e == 25",
		"(w if w > 90 else 7) + y == 120", "w // 5 // 5 // 5 // 5 == 1 and h > 3",
	} {
		if i > 0 && !seedtest.Whole() {
			break
		}
		text := strings.Replace(mesh, "CONDITION", condition, 1)
		f, err := parameterized.Read("f.star", []byte(text), []string{"w", "h"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		file := strings.Replace(mesh, "CONDITION", "False", 1)
		if p, err := parameterized.Replaced(f, file).Prove(t.Context()); !errors.Is(err, parameterized.ErrDisagree) {
			t.Errorf("%s: %v, %v", condition, p.Verdict(), err)
		}
	}
}
