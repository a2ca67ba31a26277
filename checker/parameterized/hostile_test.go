package parameterized_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/checker/parameterized"
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

// TestHostile: files that were once proved, though a larger size than those that are checked one by one is wrong. The
// file is refused at the line that is not read, or what it says is not proved. Starlark's own check of k = 30 is the
// reason: it finds a property violated, or the file in error.
func TestHostile(t *testing.T) {
	solvers(t)
	for _, c := range []struct {
		name, text string
		sizes      []string
		refused    string // "": the file is read
	}{
		{"a bound with the variable of another loop", ragged + raggedRoute, []string{"k", "h"}, ""},
		{"a bound with the variable of another loop, and escapes", ragged + raggedEscape, []string{"k", "h"}, ""},
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

// TestStray: a variable that is left in a formula of the network is found. No file has one, as far as we know.
func TestStray(t *testing.T) {
	for text, want := range map[string]string{"x2 + k": "", "y1": "y1", "x3": "x3", "v7 + x1": "v7"} {
		if got := parameterized.Stray(text, "k", 2); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
