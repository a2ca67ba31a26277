package star_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// changRoberts elects the node of the least identity on a ring; messages to a node are a set. Any nodes may begin.
const changRoberts = `
machine(name = "Chang-Roberts")
nodes = range(3)
var("initiator", bool, over = nodes)
var("sent", bool, over = nodes)
var("state", ["cand", "lost", "won"], over = nodes)
var("msgs", bool, over = [nodes, nodes])
def begin(s):
    for i in nodes:
        s.initiator[i] = choose([False, True])
        s.state[i] = "cand" if s.initiator[i] else "lost"
def send(s, i):
    when(not s.sent[i])
    s.sent[i] = True
    if s.initiator[i]:
        s.msgs[(i + 1) % 3, i] = True
def take(s, i, m):
    when(s.sent[i] and s.msgs[i, m])
    s.msgs[i, m] = False
    if s.state[i] == "lost" or m < i:
        s.msgs[(i + 1) % 3, m] = True
        s.state[i] = "lost"
    elif m == i:
        s.state[i] = "won"
initial(begin)
rule("send", send, over = nodes)
rule("take", take, over = [nodes, nodes])
final(lambda s: True)
`

// TestInitialStates: how many states there are initially, and reachable. Those of Chang and Roberts are the 137 that TLC finds
// in chang_roberts of tlaplus/Examples.
func TestInitialStates(t *testing.T) {
	const stay = "rule(\"stay\", lambda s: when(False))\nfinal(lambda s: True)\n"
	for name, c := range map[string]struct {
		text            string
		initial, states int
	}{
		"Chang and Roberts": {changRoberts, 8, 137},
		"each element by itself": {`machine(name = "m")
var("x", range(3), over = range(2), init = any([0, 2]))
var("y", bool, init = any(bool))
` + stay, 8, 8},
		"a list and a function of the key stay what they are": {`machine(name = "m")
var("x", bool, over = range(2), init = [True, any([0, 1])])
var("y", bool, over = range(2), init = lambda i: any([i > 0]))
` + stay, 1, 1},
		"equal states are one": {`machine(name = "m")
var("x", range(3), init = any([2, 1, 2]))
def f(s):
    s.x = choose([0, 1])
initial(f)
` + stay, 2, 2},
		"it reads what init says, and refuses some": {`machine(name = "m")
var("x", range(4), init = any(range(4)))
var("y", range(4))
def f(s):
    when(s.x > 1 and count(range(4), lambda i: s.x == i) == 1)
    s.y = choose(range(s.x)) + 1
initial(f)
` + stay, 2 + 3, 5},
		"contents of FIFOs and records": {`machine(name = "m")
msg = record(kind = ["a", "b"], n = range(2))
fifo("q", msg, size = 2, init = any([[], [msg(kind = "b")], [msg(), msg(n = 1)]]))
fifo("r", ["x", "y"], size = 2, over = range(2), init = lambda i: ["x"])
var("last", msg, init = any([msg(), msg(n = 1)]))
def f(s):
    if s.q.empty:
        s.r[0].pop()
    else:
        s.r[1].push(choose(["x", "y"]))
initial(f)
` + stay, 2 * (1 + 2 + 2), 10},
		"inferred FIFOs hold what each begins with": {`machine(name = "m")
fifo("q", ["a", "b", "c", "d"], inferred = True, init = any([["a"], ["c"]]))
fifo("r", ["a", "b", "c", "d"], inferred = True)
def f(s):
    if choose([True, False]):
        s.r.push("d")
initial(f)
rule("move", lambda s: also(s.q.pop))
def fill(s):
    when(s.r.empty)
    s.r.push("b")
rule("fill", fill)
final(lambda s: True)
`, 4, 3 * 3},
	} {
		t.Run(name, func(t *testing.T) {
			p := machine(t, c.text, nil)
			got := [2]int{len(p.Initials()), walk(t, p).States}
			if want := [2]int{c.initial, c.states}; got != want {
				t.Errorf("%d initial states, %d in all: want %d", got[0], got[1], want)
			}
		})
	}
}

// TestInferredStarts: a FIFO that is inferred can hold what an initial state has in it, and nothing else.
func TestInferredStarts(t *testing.T) {
	p := machine(t, `machine(name = "m")
fifo("q", ["a", "b", "c", "d"], inferred = True, init = any([["d"], ["b"], []]))
rule("pop", lambda s: also(s.q.pop))
final(lambda s: True)
`, nil)
	if diff := cmp.Diff([]string{"-", "b", "d"}, p.Variables[0].Names); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([][]int{{2}, {1}, {0}}, p.Initials()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestInitialAgrees: initial states are those after a first rule that does the same, for drawn assignments and choices.
func TestInitialAgrees(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var body strings.Builder
		for range rapid.IntRange(1, 5).Draw(rt, "statements") {
			x := rapid.SampledFrom([]string{"s.a", "s.b", "s.c"})
			switch rapid.IntRange(0, 4).Draw(rt, "kind") {
			case 0:
				fmt.Fprintf(&body, "    %s = choose([0, %d])\n", x.Draw(rt, "x"), rapid.IntRange(0, 3).Draw(rt, "value"))
			case 1:
				fmt.Fprintf(&body, "    %s = %s\n", x.Draw(rt, "x"), x.Draw(rt, "y"))
			case 2:
				fmt.Fprintf(&body, "    when(%s < 3)\n", x.Draw(rt, "x"))
			case 3:
				fmt.Fprintf(&body, "    if %s == %s:\n        %s = 3 - %s\n", x.Draw(rt, "x"), x.Draw(rt, "y"), x.Draw(rt, "z"), x.Draw(rt, "w"))
			default:
				fmt.Fprintf(&body, "    if %s < 2:\n        %s += 1\n", x.Draw(rt, "x"), x.Draw(rt, "x"))
			}
		}
		begins := rapid.SampledFrom([]string{"any(range(4))", "any([2, 0])", "1"}).Draw(rt, "init")
		// With 40 values of d the function is compiled.
		wide := rapid.SampledFrom([]string{"", "var(\"d\", range(40), init = any(range(40)))\n"}).Draw(rt, "d")
		head := "machine(name = \"m\")\nvar(\"a\", range(4), init = " + begins + ")\nvar(\"b\", range(4))\nvar(\"c\", range(4), init = any([3, 0]))\n" + wide
		load := func(text string) (*program.Program, error) {
			f, err := star.Load(t.Context(), "m.star", []byte(text), star.Options{})
			if err != nil {
				return nil, err
			}
			return f.Program, nil
		}
		one, err := load(head + "def f(s):\n" + body.String() + "initial(f)\nrule(\"stay\", lambda s: when(False))\nfinal(lambda s: True)\n")
		first, wrong := load(head + "var(\"begun\", bool)\ndef f(s):\n    when(not s.begun)\n    s.begun = True\n" + body.String() +
			"rule(\"first\", f)\nfinal(lambda s: True)\n")
		if err != nil || wrong != nil {
			rt.Skip() // it may refuse every state
		}
		got, want := map[string]bool{}, map[string]bool{}
		for _, s := range one.Initials() {
			got[fmt.Sprint(s[:3])] = true
		}
		for _, s := range first.Initials() {
			if err := first.Each(s, func(_ int, after []int) { want[fmt.Sprint(after[:3])] = true }); err != nil {
				rt.Skip() // out of range
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Errorf("%s(-want +got)\n%s", body.String(), diff)
		}
	})
}

// TestSymmetricStarts: data that may begin with any value are symmetric, those that begin with one are not.
func TestSymmetricStarts(t *testing.T) {
	for _, c := range []struct {
		init      string
		symmetric bool
	}{{"any(procs)", true}, {"0", false}} {
		p := machine(t, `machine(name = "m")
procs = processes("p", 3)
var("turn", procs, init = `+c.init+`)
def pass_on(s, i):
    when(s.turn != i)
    s.turn = i
rule("pass", pass_on, over = procs)
`, nil)
		starts := map[string]bool{}
		for _, s := range p.Initials() {
			starts[fmt.Sprint(s)] = true
		}
		for _, r := range p.Renamings {
			for _, s := range p.Initials() {
				image := make([]int, len(s))
				for x, v := range s {
					if values := r.Values[program.Var(x)]; values != nil {
						v = values[v]
					}
					image[r.Vars[x]] = v
				}
				if !starts[fmt.Sprint(image)] && c.symmetric {
					t.Errorf("init = %s: %v becomes %v, which is no initial state", c.init, s, image)
				}
			}
		}
		if len(p.Renamings) != 5 || (len(starts) == 3) != c.symmetric {
			t.Errorf("init = %s: %d renamings, %d initial states", c.init, len(p.Renamings), len(starts))
		}
	}
}

// TestWrongInitialStates: what is refused, and where.
func TestWrongInitialStates(t *testing.T) {
	const head = "machine(name = \"m\")\nvar(\"x\", range(4))\nfifo(\"q\", [\"a\"])\n"
	const f = head + "def f(s):\n"
	const set = "\ninitial(f)\n"
	for _, c := range []struct{ text, want string }{
		{head + "var(\"y\", range(2), init = any([]))", "m.star:4:27: init = any(a list): want a list of values, of which the variable begins with any"},
		{head + "var(\"y\", range(2), init = any(7))", "m.star:4:27: init = any(an int): want a list of values"},
		{head + "var(\"y\", range(2), init = any([0], [1]))", "m.star:4:27: init = any(...) takes a list of values"},
		{head + "var(\"y\", range(2), init = any([0, 5]))", "m.star:4:1: init of y: invalid value 5: want 0, 1"},
		{head + "fifo(\"y\", [\"a\"], init = any([[\"a\", \"a\"]]))", "m.star:4:1: init of y: want a list of at most 1 messages"},
		{head + "var(\"y\", range(100), over = range(9), init = any(range(100)))",
			"m.star:4:1: more than 1525201 initial states of 11 variables: use smaller values"},
		{f + "    s.x = 1" + set + "initial(f)", "m.star:7:1: initial is called twice: call it once"},
		{f + "    s.x = 7" + set, "m.star:5:6: x: invalid value 7: want 0 to 3 (in initial \"f\")"},
		{f + "    when(s.x > 0)" + set, "m.star:4:1: initial refuses every state: one at least must be left"},
		{f + "    return s.x == 0" + set, "m.star:4:1: f returned a bool: it returns nothing; when(condition) refuses a state"},
		{f + "    also(s.q.push, \"a\")" + set, "m.star:4:1: f calls also, or pushes into a FIFO with an arbiter"},
		{f + "    fail(\"no\")" + set, "m.star:5:5: fail: no (in initial \"f\")"},
		{f + "    s.y = 1" + set, "m.star:5:6: the state has no variable y"},
		{head + "def f(s, i):\n    s.x = 1" + set, "m.star:6:1: initial \"f\": want a function of one parameter"},
		{head + "initial(1)", "m.star:4:1: initial: for parameter f: got int, want function: write initial(f)"},
		{f + "    for i in range(30):\n        s.x = choose([0, 1])" + set, "m.star:4:1: more than 1000 initial states of 2 variables: use smaller values"},
	} {
		_, err := star.Load(t.Context(), "m.star", []byte(c.text+"\nrule(\"stay\", lambda s: when(False))\n"), star.Options{}.Evaluating(1, 1000, 0))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}
