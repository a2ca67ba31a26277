package star_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

const (
	// rotating: a token goes round among numbers; other numbers, laps, mean something else.
	rotating = `
machine(name = "m")
ring = domain("ring", range(4))
var("at", ring)
var("seen", bool, over = ring)
var("laps", range(4))
def pass_on(s, i):
    when(s.at == i and s.laps < 3)
    s.at, s.laps = (i + 1) % 4, s.laps + 1
    s.seen[i] = True
rule("{} passes on", pass_on, over = ring)
`
	// twoRooms: names of nodes are keys, alone and in pairs, and values of messages, and
	// values or none.
	twoRooms = `
machine(name = "m")
nodes = ["l0", "l1", "r0", "r1"]
links = [("l0", "l1"), ("l1", "l0"), ("r0", "r1"), ("r1", "r0")]
var("last", optional(nodes), over = nodes)
fifo("link", record(of = nodes, hops = range(2)), size = 2, over = links)
def send(s, a, b):
    when(not s.link[a, b].full)
    s.link[a, b].push(of = a)
def get(s, a, b):
    s.last[b] = s.link[a, b].pop().of
rule("{} to {}", send, over = links)
rule("{} at {}", get, over = links)
`
)

// TestSymmetry: the group that the generators make has the order counted by hand, and
// each of its members takes the first state to itself and steps to steps.
func TestSymmetry(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: half a minute on one goroutine under the race detector")
	}
	for i, c := range []struct {
		name, text string
		order      int
	}{
		{"none", rotating, 1},
		// The token is at 0 at first, and a rotation moves it: one that moves only the rest is
		// none.
		{"processes", "machine(name = \"m\")\np = processes(\"p\", 4)\nvar(\"x\", range(3), over = p)\nvar(\"y\", optional(p))\ndef f(s, i):\n    when(s.x[i] < 2)\n    s.x[i] += 1\n    s.y = i\nrule(\"f\", f, over = p)\n", 24},
		{"two sets of processes",
			"machine(name = \"m\")\np = processes(\"p\", 3)\nq = processes(\"q\", 2)\nvar(\"x\", bool, over = [p, q])\ndef f(s, i, j):\n    when(not s.x[i, j])\n    s.x[i, j] = True\nrule(\"f\", f, over = [p, q])\n",
			6 * 2},
		{"messages behind whose kind stands from whom to whom", `
machine(name = "m")
p = processes("p", 3)
to = record(dest = p, by = optional(p))
fifo("net", record(kind = ["asks", "tells"], src = p, rest = to), size = 2)
var("heard", optional(p), over = p)
def send(s, i, j):
    when(s.heard[j] != i and not s.net.full)
    s.net.push(kind = "tells" if s.net.empty else s.net.head.kind, src = i, rest = to(dest = j))
def get(s):
    m = s.net.pop()
    s.heard[m.rest.dest] = m.src
rule("{} tells {}", send, over = [p, p])
rule("get", get)
`, 6},
		{"left and right", twoRooms + `symmetry({"l0": "r0", "r0": "l0", "l1": "r1", "r1": "l1"})`, 2},
		{"and up and down", twoRooms + `symmetry({"l0": "r0", "r0": "l0", "l1": "r1", "r1": "l1"})
symmetry({"l0": "l1", "l1": "l0"})`, 2 * 2 * 2}, // each room by itself, and the rooms
		{"a ring of bits", `
machine(name = "m")
ring = domain("ring", range(5))
sets = domain("sets of bits", range(32))
var("bit", bool, over = ring)
var("sum", sets)
def add(s, i):
    when(not s.bit[i])
    s.bit[i], s.sum = True, s.sum + (1 << i)
rule("{} adds", add, over = ring)
turned = lambda v: v * 2 % 32 + v // 16
symmetry((ring, lambda i: (i + 1) % 5), (sets, turned))
`, 5},
	} {
		if !seedtest.Sampled(i, 3) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			f, err := star.Load(t.Context(), "m.star", []byte(c.text), star.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if n := 1 + len(f.Program.Renamings); n != c.order {
				t.Errorf("%d symmetries with the identity, want %d", n, c.order)
			}
			for _, r := range f.Program.Renamings {
				keepsSteps(t, f.Program, r)
			}
		})
	}
}

// TestGenerators: a group of more than 720 renamings is not listed whole, and then the program has exchanges of
// neighbours, up to the sixteenth, which generate it; each is a symmetry. A group that is listed needs none.
func TestGenerators(t *testing.T) {
	const text = `machine(name = "m")
p = processes("p", %d)
var("x", bool, over = p)
var("last", optional(p))
def f(s, i):
    when(not s.x[i])
    s.x[i], s.last = True, i
rule("f", f, over = p)
`
	for n, want := range map[int][2]int{2: {1, 0}, 6: {719, 0}, 7: {719, 6}, 20: {719, 15}} {
		f, err := star.Load(t.Context(), "m.star", fmt.Appendf(nil, text, n), star.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]int{len(f.Program.Renamings), len(f.Program.Generators)}; got != want {
			t.Errorf("%d processes: %d renamings and %d generators, want %v", n, got[0], got[1], want)
		}
		if n > 7 {
			continue
		}
		for _, r := range f.Program.Generators {
			keepsSteps(t, f.Program, r)
		}
	}
}

// keepsSteps walks all states.
func keepsSteps(t *testing.T, p *program.Program, r program.Renaming) {
	t.Helper()
	image := func(s []int) []int {
		out := make([]int, len(s))
		for x, v := range s {
			if values := r.Values[program.Var(x)]; values != nil {
				v = values[v]
			}
			out[r.Vars[x]] = v
		}
		return out
	}
	after := func(s []int) (all []string) {
		steps, err := programtest.Steps(p, s)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range steps {
			all = append(all, fmt.Sprint(x.After))
		}
		slices.Sort(all)
		return all
	}
	if diff := cmp.Diff(p.Start(), image(p.Start())); diff != "" {
		t.Fatalf("the first state is not taken to itself:\n%s", diff)
	}
	seen := map[string]bool{}
	for todo := [][]int{p.Start()}; len(todo) > 0; todo = todo[1:] {
		s := todo[0]
		steps, err := programtest.Steps(p, s)
		if err != nil {
			t.Fatal(err)
		}
		var images []string
		for _, x := range steps {
			images = append(images, fmt.Sprint(image(x.After)))
			if key := fmt.Sprint(x.After); !seen[key] {
				seen[key] = true
				todo = append(todo, x.After)
			}
		}
		slices.Sort(images)
		if diff := cmp.Diff(images, after(image(s))); diff != "" {
			t.Fatalf("steps of the image of %v (-images +steps):\n%s", s, diff)
		}
	}
}

// TestWrongSymmetry: an image that is not a permutation, or that takes a key or a value to none,
// is refused at its line.
func TestWrongSymmetry(t *testing.T) {
	for symmetry, want := range map[string]string{
		`symmetry()`:                                     "symmetry takes dicts",
		`symmetry({"l0": "l1"})`:                         "m.star:14:1: \"l0\" is not among the images",
		`symmetry({"l0": "l1", "l1": "l1"})`:             "the image \"l1\" twice",
		`symmetry({1: 0, 0: 1})`:                         "the number 1 in a dict",
		`symmetry(lambda v: v)`:                          "want a dict, or a set made by processes or domain",
		`symmetry((nodes, {"l0": "l1"}))`:                "want a set made by processes or domain",
		`symmetry({"l0": "r0", "r0": "l0"})`:             "m.star:14:1: symmetry: link[l0,l1] becomes [r0,l1], which is not a key of link",
		`symmetry({"l0": "x", "x": "l0"})`:               "m.star:14:1: symmetry: last[l0] becomes [x], which is not a key of last",
		`symmetry((domain("d", nodes), sorted))`:         "m.star:14:1:",
		`symmetry((domain("d", nodes), lambda v: "l0"))`: "the image \"l0\" twice",
	} {
		_, err := star.Load(t.Context(), "m.star", []byte(twoRooms+symmetry), star.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", symmetry, err, want)
		}
	}
	text := strings.Replace(twoRooms, "of = nodes, hops = range(2)", "hops = range(2), of = nodes", 1)
	const want = "m.star:14:1: symmetry: link[l0,l1].0.of, which is l0 where the slot of the FIFO is free, becomes r0: make it the first field"
	if _, err := star.Load(t.Context(), "m.star",
		[]byte(text+`symmetry({"l0": "r0", "r0": "l0", "l1": "r1", "r1": "l1"})`),
		star.Options{}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestNames: a function of the keys gives the names of a rule's instances, and a name that
// Starlark reads as a method cannot be a variable.
func TestNames(t *testing.T) {
	const text = "machine(name = \"m\")\nvar(\"x\", range(3), over = [\"a\", \"b\"])\ndef f(s, k, i):\n    s.x[k] = i\nrule(%s, f, over = [[\"a\", \"b\"], [1, 2]])\n"
	for name, want := range map[string]string{
		`lambda k, i: k * i`: "a aa b bb",
		`"{}: {}"`:           "a: 1 a: 2 b: 1 b: 2",
		`lambda k, i: i`:     "m.star:5:1: the name of \"f\" is an int: want a string",
		`7`:                  "m.star:5:1: the name is an int: want a string, or a function of a key",
	} {
		f, err := star.Load(t.Context(), "m.star", fmt.Appendf(nil, text, name), star.Options{})
		got := fmt.Sprint(err)
		if err == nil {
			var names []string
			for _, r := range f.Program.Rules {
				names = append(names, r.Name)
			}
			got = strings.Join(names, " ")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
