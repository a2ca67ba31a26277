package star_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/star"
)

func machine(t *testing.T, text string, set map[string]string) *program.Program {
	t.Helper()
	f, err := star.Load(context.Background(), "m.star", []byte(text), star.Options{Set: set})
	if err != nil {
		t.Fatal(err)
	}
	if f.Program == nil {
		t.Fatal("no machine")
	}
	return f.Program
}

// space is what a plain search finds.
type space struct {
	States, Steps, Deadlocks int
	Broken                   []string // invariants, and the steps that leave a range
}

// walk explores a program by its plain meaning.
func walk(t *testing.T, p *program.Program) space {
	t.Helper()
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	var out space
	broken := map[string]bool{}
	note := func(what string) {
		if !broken[what] {
			broken[what] = true
			out.Broken = append(out.Broken, what)
		}
	}
	seen := map[string]bool{}
	var queue [][]int
	add := func(s []int) {
		if key := fmt.Sprint(s); !seen[key] {
			seen[key] = true
			queue = append(queue, s)
		}
	}
	for _, s := range p.Initials() {
		add(s)
	}
	for ; out.States < len(queue); out.States++ {
		s := queue[out.States]
		for _, v := range p.Invariants {
			if !v.Holds.Holds(s) {
				note(v.Name)
			}
		}
		steps, err := programtest.Steps(p, s)
		if err != nil {
			note(err.Error())
		}
		if len(steps) == 0 && err == nil && (p.Final.Op == 0 || !p.Final.Holds(s)) {
			out.Deadlocks++
		}
		for _, x := range steps {
			out.Steps++
			add(x.After)
		}
	}
	return out
}

const counter = `
n = param("n", 3, min = 1, max = 9)
machine(name = "counter")
var("x", range(n + 1))
def up(s):
    when(s.x < n)
    s.x += 1
rule("up", up)
`

func TestMachine(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       space
	}{
		{"a counter goes up to its end", counter, space{4, 3, 1, nil}},
		{"and stops there as intended", counter + "final(lambda s: s.x == n)\n", space{4, 3, 0, nil}},
		{"an assignment out of range is a violation, which names the line",
			strings.Replace(counter, "when(s.x < n)", "pass", 1),
			space{4, 3, 0, []string{`program "counter: n=3": rule "up": fault: "m.star:7:6: x: invalid value 4: want 0 to 3"`}}},
		// The rule looks at nothing: it is wrong at the start.
		{"of a constant, too", "machine(name = \"m\")\nvar(\"x\", range(3))\ndef f(s):\n    s.x = -1\nrule(\"f\", f)\n",
			space{1, 0, 0, []string{`program "m": rule "f": fault: "m.star:4:6: x: invalid value -1: want 0, 1, 2"`}}},
		{"-1 for none, a habit of C", "machine(name = \"m\")\nvar(\"x\", optional(range(3)))\ndef f(s):\n    s.x = -1\nrule(\"f\", f)\n",
			space{1, 0, 0, []string{`program "m": rule "f": fault: "m.star:4:6: x: invalid value -1: want None, 0, 1, 2; None stands for no value"`}}},
		{"by the instance that has one",
			"machine(name = \"m\")\nvar(\"x\", range(3))\ndef f(s, i):\n    when(s.x > 0 or i == 2)\n    s.x = i + 1\nrule(\"f\", f, over = range(3))\n",
			space{1, 0, 0, []string{`program "m": rule "f 2": fault: "m.star:5:6: x: invalid value 3: want 0, 1, 2"`}}},
		{"nothing is wrong where the rule is refused",
			"machine(name = \"m\")\nvar(\"x\", range(3))\ndef f(s):\n    when(s.x > 0)\n    s.x = -1\nrule(\"f\", f)\nrule(\"g\", lambda s: when(s.x < 0))\n",
			space{1, 0, 1, nil}},
		{"a push of a constant", "machine(name = \"m\")\nfifo(\"q\", range(3))\ndef f(s):\n    s.q.push(9)\nrule(\"f\", f)\n",
			space{1, 0, 0, []string{`program "m": rule "f": fault: "m.star:4:8: invalid value 9: want 0, 1, 2"`}}},
		{"a push of what the file does not look at", "machine(name = \"m\")\nfifo(\"q\", range(3))\ndef f(s):\n    also(s.q.push, 9)\nrule(\"f\", f)\n",
			space{1, 0, 0, []string{`program "m": rule "f": fault: "m.star:4:5: invalid value 9: want 0, 1, 2"`}}},
		{"fail likewise", strings.Replace(counter, "when(s.x < n)", "if s.x == 2: fail(\"two\", s.x)", 1),
			space{3, 2, 0, []string{`program "counter: n=3": rule "up": fault: "m.star:6:18: fail: two 2"`}}},
		// (pop, old) is (0, 0), (1, 0), (2, 1).
		{"variables and fields named as the methods of FIFOs",
			"machine(name = \"m\")\nvar(\"pop\", range(3))\nvar(\"old\", range(3))\nvar(\"r\", record(push = bool, b = bool))\ndef f(s):\n    when(s.pop < 2)\n    s.old = s.pop\n    x = s.r.push\n    s.r.b = x\n    s.pop = s.pop + 1\nrule(\"f\", f)\n",
			space{3, 2, 1, nil}},
		// x takes each head in turn: 0, then 1.
		{"the head of a FIFO", "machine(name = \"m\")\nfifo(\"q\", range(2), size = lambda k: k + 1, over = [0, 1], init = [[0], [0, 1]])\nvar(\"x\", optional(range(2)))\ndef f(s):\n    when(s.q[1].head != None and s.x != s.q[1].head and s.q[1].holds(0, 0, 1))\n    s.x = s.q[1].head\n    s.q[1].pop()\nrule(\"f\", f)\n",
			space{3, 2, 1, nil}},
		{"a full FIFO", "machine(name = \"m\")\nfifo(\"q\", range(2), size = 2)\ndef f(s):\n    s.q.push(1)\nrule(\"f\", f)\n",
			space{3, 2, 0, []string{`program "m": rule "f": fault: "m.star:4:8: q is full: its size is 2; blocking = True, or when(not s.q.full), waits"`}}},
		// c is a value of q that x cannot have; as a string of the file it would be
		// misspelt.
		{"what a FIFO holds is compared with anything",
			"machine(name = \"m\")\nvar(\"x\", [\"a\", \"b\"])\nr = record(f = [\"c\", \"a\"])\nfifo(\"q\", r, init = [r(f = \"c\")])\ndef f(s):\n    when(not any([m.f == s.x or s.x in [m.f] for m in s.q]))\n    s.q.pop()\nrule(\"f\", f)\n",
			space{2, 1, 1, nil}},
		// x takes what the record holds, once.
		{"a record of the file",
			"machine(name = \"m\")\nvar(\"x\", [\"a\", \"c\"])\nr = record(f = [\"c\", \"a\"])\nfirst = r(f = \"c\")\nname = str(first)\ndef f(s):\n    when(first.f != s.x and name == \"(f = \\\"c\\\")\")\n    s.x = first.f\nrule(\"f\", f)\n",
			space{2, 1, 1, nil}},
		// A FIFO of 2 places and 2 values has 1+2+4 contents; in a state with i messages
		// 2 can be put in if i < 2, and 1 taken out if i > 0: 2 + 2*3 + 4*1 steps.
		{"a FIFO", `
machine(name = "m")
fifo("q", ["a", "b"], size = 2)
def put(s):
    when(not s.q.full)
    s.q.push(choose(["a", "b"]))
def take(s):
    s.q.pop()
rule("put", put)
rule("take", take)
invariant("length", lambda s: len(s.q) == len([m for m in s.q]) and s.q.empty == (len(s.q) == 0))
invariant("counted", lambda s: len(s.q) <= len(s.q) and len(s.q) == count(range(2), lambda i: len(s.q) > i) and count(range(2), lambda i: not s.q.empty) >= len(s.q))
invariant("head", lambda s: s.q.head == (None if s.q.empty else s.q[0]))
never("two b", lambda s: s.q.full and s.q[0] == "b" and s.q[1] == "b")
`, space{7, 12, 0, []string{"never: two b"}}},
		// Values that are exchanged without being looked at, three of them in a cycle:
		// 6 orders of 3 different values, of which a turn reaches 3.
		{"values go round", `
machine(name = "m")
var("a", range(3), over = ["x", "y", "z"], init = [0, 1, 2])
def turn(s):
    s.a["x"], s.a["y"], s.a["z"] = s.a["y"], s.a["z"], s.a["x"]
rule("turn", turn)
invariant("different", lambda s: s.a["x"] != s.a["y"] and s.a["y"] != s.a["z"])
`, space{3, 3, 0, nil}},
		// Records are compared and copied as a whole; the message keeps what it had. r[0] and
		// r[1] are g0 or g1 (get), r[0] p0 or p1 (put), and a put of p is p0 or p1: by hand
		// g0 g0, g1 g0 p0, g0 g1 p1, p0 g0, p1 g1, p0 g1 p1, g1 g1 p0, p1 g1 p1, p0 g1, with
		// two steps each where the FIFO is empty (4 of them), else one.
		{"records", `
machine(name = "m")
msg = record(kind = ["get", "put"], src = range(2))
var("r", msg, over = range(2))
fifo("q", msg)
def send(s, i):
    when(s.q.empty)
    s.r[i].src = i
    s.r[i].kind = "put"
    s.q.push(s.r[i])
    s.r[i] = msg(kind = "get", src = 1)
def take(s):
    m = s.q.pop()
    s.r[0] = m
    if m != msg(kind = "put", src = m.src): fail("changed")
rule("{} sends", send, over = range(2))
rule("take", take)
`, space{9, 13, 0, nil}},
		// The second message passes an "a", and nothing else. A step takes the second out of
		// aa, ab and ac, and 12 steps put something in: 3 from each of the 4 contents of a
		// length below 2.
		{"a message that passes others", `
machine(name = "m")
fifo("q", ["a", "b", "c"], size = 2)
def put(s, m):
    when(len(s.q) < 2)
    s.q.push(m)
def pass_(s):
    when(len(s.q) == 2 and s.q[0] in ("a",))
    s.q.pop(1)
rule("put", put, over = ["a", "b", "c"])
rule("pass", pass_)
never("head of none", lambda s: s.q.empty and s.q.head != None)
`, space{13, 15, 6, nil}},
		// 16 states, each with a step for each x that is 0, unless two are 1: then none. A
		// count is the length of its own list: of 4 bits 1 + 4 + 6 states, with 4 + 4*3
		// steps.
		{"counts", `
machine(name = "m")
var("x", range(2), over = range(4))
var("n", range(3))
def set(s, i):
    when(s.x[i] == 0 and count(range(4), lambda k: s.x[k] == 1) < 2)
    s.x[i], s.n = 1, count(range(4), lambda k: s.x[k] == 1) + 1
rule("set", set, over = range(4))
invariant("n", lambda s: s.n == count(range(4), lambda k: s.x[k] == 1) and len([k for k in range(4) if s.x[k] == 1]) == s.n)
never("two", lambda s: count(range(4), lambda k: s.x[k] != 0) >= 2)
never("more", lambda s: 2 < count(range(4), lambda k: s.x[k] == 1) or count([], lambda k: True) != 0)
`, space{11, 16, 6, []string{"never: two"}}},
		// 20 bits: more than a million combinations if each were looked at.
		{"a count of many", `
machine(name = "m")
var("x", bool, over = range(20))
def set(s, i):
    when(not s.x[i] and count(range(20), lambda k: s.x[k]) < 1)
    s.x[i] = True
rule("set", set, over = range(20))
invariant("one", lambda s: count(range(20), lambda k: s.x[k]) <= 1)
`, space{21, 20, 20, nil}},
		// Every pair of two parts is a key.
		{"keys of two parts", `
machine(name = "m")
procs = processes("p", 2)
var("flag", bool, over = [procs, ["l", "r"]])
def set(s, p, side):
    when(not s.flag[p, side])
    s.flag[p, side] = True
rule("set", set, over = [procs, ["l", "r"]])
`, space{16, 32, 1, nil}},
		{"choose has a step each, of none none", `
machine(name = "m")
var("x", range(4))
def f(s):
    s.x = choose([y for y in range(4) if y > s.x])
rule("f", f)
`, space{4, 6, 1, nil}},
		// The sum of a and b is 3 at first, and remains so: (3,0), (2,1), (1,2), (0,3).
		{"values that are moved and changed", `
machine(name = "m")
var("a", range(4), init = 3)
var("b", range(4))
def f(s):
    when(s.a > 0)
    s.b = s.b + 1
    s.a -= 1
rule("f", f)
invariant("sum", lambda s: s.a + s.b == 3)
`, space{4, 3, 1, nil}},
		// A set that is described most briefly by what is not in it, beside a case that
		// always holds: 1, 2 and 3, where the rule is refused.
		{"a set with gaps", `
machine(name = "m")
var("b", bool)
var("z", range(7), init = 1)
def f(s):
    when(s.b or s.z in (1, 2, 4, 5))
    s.z += 1
rule("f", f)
`, space{3, 2, 1, nil}},
		// A count is about a message that is there, not about a free place.
		{"a count about a message", `
machine(name = "m")
msg = record(v = range(2))
fifo("q", msg, init = [msg(v = 1)])
var("n", range(3))
def f(s):
    m = s.q.pop()
    when(count(range(2), lambda i: m.v == i) == 1)
    s.n = 1
rule("f", f)
`, space{2, 1, 1, nil}},
		{"lossy and duplicating: none, one or two arrive", `
machine(name = "m")
fifo("q", range(1), size = 2, lossy = True, duplicating = True)
var("sent", bool)
def f(s):
    when(not s.sent)
    s.sent = True
    s.q.push(0)
rule("f", f)
`, space{4, 3, 3, nil}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, walk(t, machine(t, c.text, nil))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestWrongMachines: every mistake leads to its line.
func TestWrongMachines(t *testing.T) {
	const head = "machine(name = \"m\")\nprocs = processes(\"p\", 2)\nvar(\"pc\", [\"idle\", \"busy\"], over = procs)\nfifo(\"q\", procs)\n"
	const good = "def f(s, i):\n    s.pc[i] = \"busy\"\nrule(\"f\", f, over = procs)\n"
	for _, c := range []struct{ name, text, want string }{
		{"compared, not assigned", head + "def f(s, i):\n    s.pc[i] == \"busy\"\nrule(\"f\", f, over = procs)\n",
			`m.star:6:13: this comparison has no effect: assign with =, or write when(...), if or return`},
		{"assigned, not compared", head + "def f(s, i):\n    when(s.pc[i] = \"busy\")\nrule(\"f\", f, over = procs)\n",
			`m.star:6:18: keyword argument must have form name=expr: compare with ==`},
		{"assigned, not compared, by a name", head + "def f(s, i):\n    when(pc = \"busy\")\nrule(\"f\", f, over = procs)\n",
			`m.star:6:13: when has no parameter pc: compare with ==`},
		{"assigned to a name of its own", head + "def f(s, i):\n    pc = \"busy\"\nrule(\"f\", f, over = procs)\n",
			`m.star:6:5: nothing reads what pc is given here: the variable is part of the state, so write s.pc`},
		{"likewise, among others", head + "def f(s, i):\n    s.pc[i], q = \"busy\", s.q.head\nrule(\"f\", f, over = procs)\n",
			`m.star:6:14: nothing reads what q is given here: the variable is part of the state, so write s.q`},
		{"likewise, beside the state's", head +
			"def f(s, i):\n    q = s.q.pop()\n    q, pc = [s.q, s.pc[i]]\nrule(\"f\", f, over = procs)\ndef g(s):\n    q = 1\n    s.q.push(q)\ndef h(s):\n    q = s.q.head\n",
			`m.star:13:5: nothing reads what q is given here: the variable is part of the state, so write s.q`},
		{"a body of when", head + "def f(s, i):\n    when(s.pc[i] == \"idle\"):\n        s.pc[i] = \"busy\"\nrule(\"f\", f, over = procs)\n",
			`m.star:6:5: got ':', want newline: when has no body: the statements after it run only if the condition holds`},
		{"a block without a colon", head + "def f(s, i)  \n    s.pc[i] = \"busy\"\nrule(\"f\", f, over = procs)\n",
			`m.star:5:12: got newline, want ':': a line that begins a block ends with a colon`},
		{"comparisons in a row", "machine(name = \"m\")\nvar(\"x\", range(3))\ninvariant(\"i\", lambda s: 0 < s.x < 3)\n",
			`m.star:3:35: < does not associate with < (use parens): join two comparisons with and, as in 0 < x and x < 3`},
		{"counting up as in C", "machine(name = \"m\")\nvar(\"x\", range(3))\ndef f(s):\n    s.x++\nrule(\"f\", f)\n",
			`m.star:4:8: got newline, want primary expression: there is no ++: write x += 1`},
		{"a word of the language as a function", "machine(name = \"m\")\ndef load(s):\n    pass\n",
			`m.star:2:5: load is a keyword and cannot be a name: choose another`},
		{"a word for True", "machine(name = \"m\")\nfifo(\"q\", [1], lossy)\n", `m.star:2:16: undefined: lossy: write lossy = True`},
		{"expects a misspelt property", head + good + "never(\"both busy\", lambda s: False)\nexpect(\"both bussy\", \"holds\")\n",
			`m.star:9:1: expect: "both bussy" is not "deadlock-freedom", and no invariant, response or formula has that name; did you mean both busy?`},
		{"expects a property twice", head + good + "expect(\"deadlock-freedom\", \"holds\")\nexpect(\"deadlock-freedom\", \"holds\")\n",
			`m.star:9:1: expect: expectation: duplicate name "deadlock-freedom"`},
		{"assigned in a condition", head + "def f(s, i):\n    if i = 1:\n        pass\nrule(\"f\", f, over = procs)\n",
			`m.star:6:10: got '=', want ':': compare with ==`},
		{"a word of the language as a field", "machine(name = \"m\")\nr = record(kind = [1], from = [2])\n",
			`m.star:2:24: got from, want primary expression: a keyword cannot be a name: choose another`},
		{"a field as of a dict",
			"machine(name = \"m\")\nfifo(\"q\", record(kind = [1]))\ndef f(s):\n    m = s.q.pop()\n    when(m[\"kind\"] == 1)\nrule(\"f\", f)\n",
			`m.star:5:11: a record has no ["kind"]: write its fields after a dot, as in m.kind (in rule "f")`},
		{"no machine", "var(\"x\", [1])\n", `m.star:1:1: undefined: var: it is for protocol files, which call machine(name = ...)`},
		{"misspelt value", head + "def f(s, i):\n    when(s.pc[i] == \"bussy\")\nrule(\"f\", f, over = procs)\n",
			`m.star:6:18: invalid value "bussy" to compare with: want "idle", "busy" (in rule "f 0")`},
		{"misspelt value among others", head + "def f(s, i):\n    when(s.pc[i] in (\"busy\", \"idl\"))\nrule(\"f\", f, over = procs)\n",
			`m.star:6:18: invalid value "idl" to compare with: want "idle", "busy" (in rule "f 0")`},
		{"misspelt value, by a name", head + "def f(s, i):\n    x = s.pc[i]\n    when(x == \"idel\")\nrule(\"f\", f, over = procs)\n",
			`m.star:7:12: invalid value "idel" to compare with: no variable and no message can be that; did you mean idle? (in rule "f 0")`},
		{"misspelt message", "machine(name = \"m\")\nfifo(\"q\", record(kind = [\"get\", \"put\"]))\ndef f(s):\n    m = s.q.pop()\n    k = m.kind\n    when(k not in [\"get\", \"putt\"])\nrule(\"f\", f)\n",
			`m.star:6:16: invalid value "putt" to compare with: no variable and no message can be that; did you mean put? (in rule "f")`},
		{"a call over several lines",
			"machine(name = \"m\")\nvar(\"x\", range(3))\nfifo(\"q\", range(3))\ndef f(s):\n    s.q.push(\n        None,\n    )\nrule(\"f\", f)\n",
			`m.star:5:8: invalid value None: want 0, 1, 2 (in rule "f")`},
		{"misspelt message in a loop",
			"machine(name = \"m\")\nfifo(\"q\", [\"get\", \"put\"], init = [\"get\"])\ndef f(s):\n    for m in s.q:\n        when(m != \"gett\")\nrule(\"f\", f)\n",
			`m.star:5:16: invalid value "gett" to compare with: no variable and no message can be that; did you mean get? (in rule "f")`},
		{"an array compared", head + "def f(s, i):\n    when(s.pc == \"idle\")\nrule(\"f\", f, over = procs)\n",
			`m.star:6:15: pc is an array: compare an element, as in pc[i], or any([pc[i] == x for i in keys]) (in rule "f 0")`},
		{"a value sought in an array", head + good + "never(\"busy\", lambda s: \"busy\" in s.pc)\n",
			`m.star:8:32: pc is an array: compare an element, as in pc[i], or any([pc[i] == x for i in keys]) (in never "busy")`},
		{"an array for a condition", head + "def f(s, i):\n    when(not s.pc)\nrule(\"f\", f, over = procs)\n",
			`m.star:6:14: pc is an array, which is always true: write an element, as in pc[i] (in rule "f 0")`},
		{"a FIFO compared", head + "def f(s):\n    when(s.q == [])\nrule(\"f\", f)\n",
			`m.star:6:14: q is a FIFO: compare its head or its length, as in q.head and len(q) (in rule "f")`},
		{"a message compared with a text",
			"machine(name = \"m\")\nfifo(\"q\", record(kind = [\"get\", \"put\"]))\ndef f(s):\n    m = s.q.pop()\n    when(m == \"get\")\nrule(\"f\", f)\n",
			`m.star:5:12: a record is compared with string: compare a field, as in m.kind (in rule "f")`},
		{"a record for a condition", "machine(name = \"m\")\nvar(\"r\", record(on = bool))\ndef f(s):\n    when(s.r)\nrule(\"f\", f)\n",
			`m.star:4:10: r is a record, which is always true: write a field, as in r.kind (in rule "f")`},
		{"a key of what is not an array", "machine(name = \"m\")\nvar(\"x\", bool)\ndef f(s, i):\n    when(s.x[i])\nrule(\"f\", f, over = [0])\n",
			`m.star:4:13: a value of type bool has no [0]: a variable has elements if it is declared with over= (in rule "f 0")`},
		{"likewise, where it depends on the state",
			"machine(name = \"m\")\nvar(\"x\", bool)\nvar(\"y\", bool)\ndef f(s, i):\n    if s.y:\n        z = s.x[i]\nrule(\"f\", f, over = [0])\n",
			`m.star:6:16: unhandled index operation bool[int]: a variable has elements if it is declared with over= (in rule "f 0")`},
		{"global changed in some states", head + "seen = []\ndef f(s, i):\n    seen.append(s.pc[i])\nrule(\"f\", f, over = procs)\n",
			`m.star:7:9: append: cannot append to frozen list: globals cannot change after the file has run; compute them at top level (in rule "f 0")`},
		{"expects a misspelt property of a machine with a parameter",
			"n = param(\"n\", 2)\nmachine(name = \"m\")\nvar(\"x\", range(n))\nrule(\"f\", lambda s: None)\nexpect(\"y\", \"holds\")\n",
			`m.star:5:1: expect: "y" is not "deadlock-freedom", and no invariant, response or formula has that name`},
		{"misspelt value assigned", head + "def f(s, i):\n    s.pc[i] = \"bussy\"\nrule(\"f\", f, over = procs)\n",
			`m.star:6:9: pc: invalid value "bussy": want "idle", "busy" (in rule "f 0")`},
		{"misspelt variable", head + "def f(s, i):\n    s.pcc[i] = \"busy\"\nrule(\"f\", f, over = procs)\n",
			`m.star:6:6: the state has no variable pcc: declare it with var("pcc", ...) or fifo("pcc", ...) (in rule "f 0")`},
		{"no over", head + "def f(s, i):\n    s.pc[i] = \"busy\"\nrule(\"f\", f)\n",
			`m.star:7:1: rule "f": want a function of one parameter, the state, or over=; this one has 2`},
		{"parameters in the wrong order, read", head + "def f(i, s):\n    when(s.pc[i] == \"idle\")\nrule(\"f\", f, over = procs)\n",
			`m.star:6:11: int has no .pc field or method: the state, which has pc, is the first parameter, as in def f(s, i) (in rule "f 0")`},
		{"parameters in the wrong order, assigned", head + "var(\"x\", range(3))\ndef f(k, s):\n    s.x = 1\nrule(\"f\", f, over = [\"a\"])\n",
			`m.star:7:6: can't assign to .x field of string: the state, which has x, is the first parameter, as in def f(s, i) (in rule "f a")`},
		{"a field of a number that the state does not have either", head + "def f(s, i):\n    when(i.name == \"idle\")\nrule(\"f\", f, over = procs)\n",
			`m.star:6:11: int has no .name field or method (in rule "f 0")`},
		{"too few parameters", head + "def f(s):\n    s.pc[0] = \"busy\"\nrule(\"f\", f, over = procs)\n",
			`m.star:7:1: rule "f": want a function of 2 parameters, the state and the parts of a key; this one has 1`},
		{"neither fair nor unfair", head + good + "rule(\"g\", lambda s: None, fair = \"weak\")\n",
			`m.star:8:1: invalid fair "weak": want True, False or "strong"`},
		{"fair of another kind", head + good + "rule(\"g\", lambda s: None, fair = [True])\n", `m.star:8:1: invalid fair [True]: want True, False or "strong"`},
		{"condition returned", head + "def f(s, i):\n    return s.pc[i] == \"busy\"\nrule(\"f\", f, over = procs)\n",
			`m.star:5:1: f returned a bool: a rule returns nothing; when(condition) refuses a step (in rule "f 0")`},
		{"invariant assigns", head + good + "def g(s):\n    s.pc[0] = \"idle\"\ninvariant(\"g\", g)\n",
			`m.star:9:9: pc is assigned: only rules change the state (in invariant "g")`},
		{"invariant without return", head + good + "def g(s):\n    s.pc[0]\ninvariant(\"g\", g)\n",
			`m.star:8:1: g returned None: every path must return True or False (in invariant "g")`},
		{"when in an invariant", head + good + "def g(s):\n    when(s.pc[0] == \"idle\")\n    return True\ninvariant(\"g\", g)\n",
			`m.star:9:5: when outside a rule: only a rule refuses a step (in invariant "g")`},
		{"declared in a rule", head + "def f(s):\n    var(\"x\", bool)\nrule(\"f\", f)\n",
			`m.star:6:5: var inside a rule: declare everything at top level (in rule "f")`},
		{"push without a value", head + "def f(s):\n    s.q.push()\nrule(\"f\", f)\n",
			`m.star:6:8: push of 0 values: push one, or the fields of a record as name = value (in rule "f")`},
		{"unknown method", head + "def f(s):\n    s.q.put(1)\nrule(\"f\", f)\n",
			`m.star:6:8: a FIFO has no put: it has clear, count, empty, full, head, holds, pop, push, take, len(...) and [i]; push puts a message in, pop takes the first one out (in rule "f")`},
		{"global changed", head + "seen = []\ndef f(s):\n    seen.append(1)\nrule(\"f\", f)\n",
			`m.star:7:9: append: cannot append to frozen list: globals cannot change after the file has run; compute them at top level (in rule "f")`},
		{"also of a value", head + "def f(s):\n    also(1)\nrule(\"f\", f)\n",
			`m.star:6:5: also of an int: want a function, or push, pop, take or clear of a FIFO (in rule "f")`},
		{"also of a method that changes nothing", head + "def f(s):\n    also(s.q.count, 1)\nrule(\"f\", f)\n",
			`m.star:6:5: also of a built-in function: want a function, or push, pop, take or clear of a FIFO (in rule "f")`},
		{"also with names", head + "def g(s, i):\n    pass\ndef f(s):\n    also(g, i = 1)\nrule(\"f\", f)\n",
			`m.star:8:5: also: i = names a field of a message: pass the arguments of a function in order (in rule "f")`},
		{"also of a wrong message", head + "def f(s):\n    also(s.q.push, \"get\")\nrule(\"f\", f)\n",
			`m.star:6:5: invalid value "get": want 0, 1 (in rule "q.push get")`},
		{"unknown arbiter", "machine(name = \"m\")\nfifo(\"q\", bool, blocking = True, arbiter = \"fair\")\n",
			`m.star:2:1: invalid arbiter "fair": want any, round-robin or batch`},
		{"arbiter without sources", "machine(name = \"m\")\nfifo(\"q\", bool, blocking = True, arbiter = \"batch\")\n",
			`m.star:2:1: arbiter = "batch" without sources: list those that take turns, or set inferred = True`},
		{"arbiter without waiting", "machine(name = \"m\")\nfifo(\"q\", bool, arbiter = \"batch\", sources = [1])\n",
			`m.star:2:1: a FIFO with an arbiter must be blocking, or none waits for room in it: set blocking = True`},
		{"a source twice",
			"machine(name = \"m\")\nfifo(\"q\", bool, blocking = True, arbiter = \"batch\", sources = [1, 1])\n",
			`m.star:2:1: sources: 1 twice: keys must differ`},
		{"a lossy FIFO that arbitrates",
			"machine(name = \"m\")\nfifo(\"q\", bool, blocking = True, lossy = True, arbiter = \"batch\", sources = [1])\ndef f(s):\n    s.q.push(True, by = 1)\nrule(\"f\", f)\n",
			`m.star:2:1: a FIFO with an arbiter cannot be lossy or duplicating: leave out one of them`},
		{"also in a circle, with an arbiter",
			"machine(name = \"m\")\nfifo(\"q\", bool, blocking = True, arbiter = \"batch\", sources = [1])\ndef g(s):\n    also(h)\ndef h(s):\n    also(g)\ndef f(s):\n    s.q.push(True, by = 1)\n    also(g)\nrule(\"f\", f)\n",
			`m.star:3:1: g: it calls itself through also`},
		{"a source that is not a value",
			"machine(name = \"m\")\nfifo(\"q\", bool, blocking = True, arbiter = \"batch\", sources = [1])\ndef f(s):\n    s.q.push(True, by = [1])\nrule(\"f\", f)\n",
			`m.star:4:8: push: a value is a list: want strings (at most 200 bytes), ints, True, False, None, or small tuples of them (in rule "f")`},
		{"take of nothing", head + "def f(s):\n    s.q.take()\nrule(\"f\", f)\n",
			`m.star:6:8: take of nothing: name the messages to take, or their fields; pop takes any (in rule "f")`},
		{"take of a field of no record", head + "def f(s):\n    s.q.take(kind = 1)\nrule(\"f\", f)\n",
			`m.star:6:8: take names messages, or the fields of a record as name = value (in rule "f")`},
		{"take of a misspelt field",
			"machine(name = \"m\")\nfifo(\"q\", record(kind = [\"get\", \"put\"]))\ndef f(s):\n    s.q.take(kin = \"get\")\nrule(\"f\", f)\n",
			`m.star:4:8: the record has no field kin: its fields are kind (in rule "f")`},
		{"take of a misspelt value",
			"machine(name = \"m\")\nfifo(\"q\", record(kind = [\"get\", \"put\"]))\ndef f(s):\n    s.q.take(kind = \"gte\")\nrule(\"f\", f)\n",
			`m.star:4:8: field kind: invalid value "gte" to take: want "get", "put" (in rule "f")`},
		{"a push in turn, twice",
			"machine(name = \"m\")\nfifo(\"q\", [0, 1], size = 2, blocking = True, arbiter = \"batch\", sources = [1])\ndef f(s):\n    s.q.push(0, by = 1)\n    s.q.push(0, by = 1)\nrule(\"f\", f)\n",
			`m.star:5:8: q is changed twice in one step: also, and a push into a FIFO with an arbiter, see it as it was before the step, so nothing else in the step may change it (in rule "f")`},
		{"a pop before a push in turn",
			"machine(name = \"m\")\nfifo(\"q\", [0, 1], size = 2, blocking = True, arbiter = \"batch\", sources = [1])\ndef f(s):\n    s.q.pop()\n    s.q.push(0, by = 1)\nrule(\"f\", f)\n",
			`m.star:5:8: q is changed twice in one step: also, and a push into a FIFO with an arbiter, see it as it was before the step, so nothing else in the step may change it (in rule "f")`},
		{"a method twice by also", "machine(name = \"m\")\nfifo(\"q\", [0, 1], size = 2)\ndef f(s):\n    also(s.q.pop)\n    also(s.q.pop)\nrule(\"f\", f)\n",
			`m.star:5:5: q is changed twice in one step: also, and a push into a FIFO with an arbiter, see it as it was before the step, so nothing else in the step may change it (in rule "f")`},
		{"a push after also", "machine(name = \"m\")\nfifo(\"q\", [0, 1], size = 2)\ndef f(s):\n    also(s.q.push, 0)\n    s.q.push(0)\nrule(\"f\", f)\n",
			`m.star:5:8: q is changed twice in one step: also, and a push into a FIFO with an arbiter, see it as it was before the step, so nothing else in the step may change it (in rule "f")`},
		{"nobody pushes in turn",
			"machine(name = \"m\")\nfifo(\"q\", [0, 1], size = 2, blocking = True, arbiter = \"batch\", sources = [1])\ndef f(s):\n    s.q.push(0)\nrule(\"f\", f)\n",
			`m.star:4:8: none of the sources pushes into q, so its arbiter decides nothing: name the one that pushes, as in push(..., by = source)`},
		{"inferred records", "machine(name = \"m\")\nfifo(\"q\", record(of = [0, 1]), inferred = True)\n",
			`m.star:2:1: inferred = True with records: inferred messages are single values; name them by strings, or leave inferred out`},
		{"a message that is not declared",
			"machine(name = \"m\")\nfifo(\"q\", [\"a\", \"b\"], size = 2, inferred = True)\ndef f(s):\n    s.q.push(\"c\")\nrule(\"f\", f)\n",
			`m.star:4:8: invalid value "c": want "a", "b" (in rule "f")`},
		{"a message to take that is not declared",
			"machine(name = \"m\")\nfifo(\"q\", [\"a\", \"b\"], size = 2, inferred = True)\nrule(\"f\", lambda s: also(s.q.take, \"c\"))\nrule(\"g\", lambda s: s.q.push(\"a\"))\n",
			`m.star:3:21: invalid value "c" to compare with: want "a", "b" (in rule "q.take c")`},
		{"nobody of the sources competes",
			"machine(name = \"m\")\nfifo(\"q\", [0, 1], size = 2, blocking = True, inferred = True, arbiter = \"batch\", sources = [1])\ndef f(s, i):\n    s.q.push(0, by = i)\nrule(\"f\", f, over = [2, 3])\n",
			`m.star:2:1: none of the sources pushes into q, so its arbiter decides nothing: name the one that pushes, as in push(..., by = source)`},
		{"messages with a field by", "machine(name = \"m\")\nfifo(\"q\", record(by = [0, 1]), blocking = True, arbiter = \"batch\", sources = [1])\n",
			`m.star:2:1: the messages of a FIFO with an arbiter cannot have a field by: push(by = source) says who pushes; give the field another name`},
		{"sources without an arbiter", "machine(name = \"m\")\nfifo(\"q\", [0, 1], blocking = True, sources = [1])\n",
			`m.star:2:1: sources without arbiter: set arbiter = "round-robin" or "batch"`},
		{"sources that are not a list", "machine(name = \"m\")\nfifo(\"q\", [0, 1], blocking = True, arbiter = \"batch\", sources = 5)\n",
			`m.star:2:1: sources: an int: want a list of keys, such as range(n), or a list of lists for all combinations`},
		{"take of a value where messages are records",
			"machine(name = \"m\")\nfifo(\"q\", record(kind = [\"get\", \"put\"]))\ndef f(s):\n    s.q.take(\"get\")\nrule(\"f\", f)\n",
			`m.star:4:8: take of "get": the messages are records; name their fields, as in take(kind = ...) (in rule "f")`},
		{"a message returned", "machine(name = \"m\")\nfifo(\"q\", [0, 1])\nrule(\"f\", lambda s: s.q.pop())\n",
			`m.star:3:11: lambda returned an int: a rule returns nothing: write def, or also(s.q.pop) for what pops a message (in rule "f")`},
		{"also in an invariant", head + good + "def g(s):\n    also(g)\n    return True\ninvariant(\"g\", g)\n",
			`m.star:9:5: also outside a rule: only a rule has steps (in invariant "g")`},
		{"also without end", head + "def f(s):\n    also(f)\nrule(\"f\", f)\n", `m.star:5:1: f: it calls itself through also`},
		{"also with too few parameters", head + "def g(s, i):\n    pass\ndef f(s):\n    also(g)\nrule(\"f\", f)\n",
			`m.star:5:1: g: want 1 plain parameters: the state, and what also passes on`},
		{"also with options", head + "def g(s):\n    s.pc[0] = choose([\"idle\", \"busy\"])\ndef f(s):\n    also(g)\nrule(\"f\", f)\n",
			`m.star:5:1: g: a call by also must have one outcome, but choose, or a FIFO that is lossy, duplicating or unordered, gives this one several: do that in the rule itself, and pass the result`},
		{"assigned twice", head + "def g(s):\n    s.pc[0] = \"idle\"\ndef f(s):\n    s.pc[0] = \"busy\"\n    also(g)\nrule(\"f\", f)\n",
			`m.star:7:1: pc[0] is assigned twice in one step, by also(...) and by the rest (in rule "f")`},
		{"looked at by each other",
			head + "def g(s):\n    s.pc[0] = \"busy\" if s.pc[1] == \"idle\" else \"idle\"\ndef f(s):\n    s.pc[1] = s.pc[0]\n    also(g)\nrule(\"f\", f)\n",
			`m.star:7:1: also(...) and the rest of the step each read what the other assigns: do both in one function (in rule "f")`},
		{"message beyond the last", head + "def f(s):\n    when(s.q.holds(1, 0))\nrule(\"f\", f)\n",
			`m.star:6:13: holds: invalid number 1: want 0 to 0 (in rule "f")`},
		{"message beyond the last, after what looks at the state",
			head + "def f(s):\n    when(s.pc[0] == \"idle\" and s.q.holds(1, 0))\nrule(\"f\", f)\n",
			`m.star:6:35: holds: invalid number 1: want 0 to 0 (in rule "f")`},
		{"also into a lossy FIFO", head + "fifo(\"r\", [0], lossy = True)\ndef f(s):\n    also(s.r.push, 0)\nrule(\"f\", f)\n",
			`m.star:7:5: r.push: a call by also must have one outcome, but choose, or a FIFO that is lossy, duplicating or unordered, gives this one several: do that in the rule itself, and pass the result`},
		{"one action, fair and not",
			head + good + "rule(\"g\", lambda s: None)\nrule(\"g\", lambda s: None, fair = False)\nexpect(deadlock_freedom = \"holds\")\n",
			`m.star:9:1: rules "g": they are one action: declare all of them unfair, all strongly fair, or all neither`},
		{"a property called as another",
			head + good + "invariant(\"deadlock-freedom\", lambda s: True)\nexpect(deadlock_freedom = \"holds\")\n",
			`m.star:8:1: invariant "deadlock-freedom": duplicate name "deadlock-freedom"`},
		{"a response called as another",
			head + good + "invariant(\"a 0\", lambda s: True)\neventually(\"a\", lambda s, i: False, over = [0])\n",
			`m.star:9:1: response "a 0": duplicate name "a 0"`},
		{"a call without brackets", head + "def f(s):\n    s.q.pop\nrule(\"f\", f)\n",
			`m.star:6:8: this has no effect: a call needs brackets, as in .pop(...)`},
		{"a function as a message", head + "def f(s):\n    m = s.q.pop\n    s.pc[0] = \"busy\"\nrule(\"f\", f)\n",
			`m.star:6:12: this names a function: a call needs brackets, as in .pop(...)`},
		{"a function compared", head + "def f(s):\n    when(s.q.pop == 0)\nrule(\"f\", f)\n",
			`m.star:6:18: pop is a function: compare what it returns, as in .pop(...) (in rule "f")`},
		{"a name by itself", head + "def f(s):\n    when\nrule(\"f\", f)\n", `m.star:6:5: this has no effect: a call needs brackets, as in when(...)`},
		{"a text beside a number", head + "def f(s):\n    when(s.pc[0] == s.q.head)\n    s.q.pop()\nrule(\"f\", f)\n",
			`m.star:6:18: these are never equal: one has the values "idle", "busy", the other 0, 1 (in rule "f")`},
		{"a text variable beside a number",
			head + "var(\"n\", range(2))\ndef f(s):\n    when(s.pc[0] != s.n)\nrule(\"f\", f)\n",
			`m.star:7:18: these are never equal: one has the values "idle", "busy", the other 0, 1 (in rule "f")`},
		{"a text variable beside a constant number", head + "def f(s):\n    when(s.pc[0] != 1)\nrule(\"f\", f)\n",
			`m.star:6:18: invalid value 1 to compare with: want "idle", "busy" (in rule "f")`},
		{"a number beside True", head + "var(\"n\", range(2))\ndef f(s):\n    when(s.n == True)\nrule(\"f\", f)\n",
			`m.star:7:14: invalid value True to compare with: want 0, 1 (in rule "f")`},
		{"print after a look at the state",
			head + "def f(s):\n    when(s.pc[0] == \"idle\")\n    print(1)\nrule(\"f\", f)\n",
			`m.star:7:5: print is not available in these files; fail(...) shows a value (in rule "f")`},
		{"size of a key", "machine(name = \"m\")\nfifo(\"q\", bool, size = lambda i: i, over = [1, 0])\n", `m.star:2:1: invalid size 0: want 1 to 1024`},
		{"values of a key", "machine(name = \"m\")\nvar(\"x\", lambda i: range(i), over = [1, 0])\n", `m.star:2:1: values of 0: no values: want at least one`},
		{"count of a misspelt message", head + "fifo(\"r\", [\"get\", \"put\"])\ndef f(s):\n    when(s.r.count(\"get\", \"putt\") > 0)\nrule(\"f\", f)\n",
			`m.star:7:13: invalid value "putt" to compare with: want "get", "put" (in rule "f")`},
		{"helper", head + "def go(s, i):\n    return 1 // i\ndef f(s):\n    s.q.push(go(s, 0))\nrule(\"f\", f)\n",
			`m.star:6:14: floored division by zero (in rule "f", called from m.star:8:14)`},
		{"expects a verdict of two properties",
			head + good + "expect(\"deadlock-freedom\", deadlock_freedom = \"holds\")\n",
			`m.star:8:1: expect: unexpected keyword argument "deadlock_freedom": write expect(property, verdict)`},
		{"the former name of a property", head + good + "expect(deadlock = str(\"holds\"))\n",
			`m.star:8:1: expect: unexpected keyword argument "deadlock": write expect(property, verdict); deadlock is now called deadlock_freedom`},
		{"the former name, quoted", head + good + "expect(property = \"deadlock\", verdict = \"holds\")\n",
			`m.star:8:1: expect: "deadlock" is not "deadlock-freedom", and no invariant, response or formula has that name; it is now called deadlock-freedom`},
		{"expects nothing", head + good + "expect(\"mutex\", \"holds\")\n",
			`m.star:8:1: expect: "mutex" is not "deadlock-freedom", and no invariant, response or formula has that name`},
		{"no values", "machine(name = \"m\")\nvar(\"x\", \"abc\")\n",
			`m.star:2:1: values are given as a string: want a list of values, as in ["idle", "busy"], or range(n), bool, processes(...), domain(...), optional(...), record(...)`},
		{"a million values", "machine(name = \"m\")\nvar(\"x\", range(1000000))\n", `m.star:2:1: range of 1000000 values: want at most 65536`},
		{"a million choices", head + "def f(s):\n    s.q.push(choose(range(1000000)))\nrule(\"f\", f)\n",
			`m.star:6:14: range of 1000000 values: want at most 65536 (in rule "f")`},
		{"initial", "machine(name = \"m\")\nvar(\"x\", range(2), init = 2)\n", `m.star:2:1: init of x: invalid value 2: want 0, 1`},
		{"too many combinations", "machine(name = \"m\")\nvar(\"x\", range(64), over = range(4))\ndef f(s):\n    s.x[0] = (s.x[0] * s.x[1] * s.x[2] + s.x[3]) % 64\nrule(\"f\", f)\n",
			`m.star:3:1: f looks at more than 65536 combinations of values (x[0] has 64, x[1] has 64, x[2] has 64, x[3] has 64): look at fewer variables, give it over=, move values without looking at them, or leave what is independent to also(f, ...) (in rule "f")`},
		{"too many choices", "machine(name = \"m\")\nvar(\"go\", bool)\nvar(\"x\", range(64), over = range(3))\nvar(\"y\", bool)\n" +
			"def f(s):\n    when(not s.go)\n    s.y = choose([True, False])\n    for i in range(3):\n        s.x[i] = choose(range(64))\nrule(\"f\", f)\n",
			`m.star:5:1: f chooses in more than 65536 ways (one of 64, 3 times; one of 2), to set variables (x[0] has 64, x[1] has 64, x[2] has 64, y has 2): if it makes the initial states, call initial(f); otherwise choose in several steps (in rule "f")`},
		{"too many combinations with choices", "machine(name = \"m\")\nvar(\"x\", range(64), over = range(3))\n" +
			"def f(s):\n    y = choose(range(40))\n    s.x[0] = s.x[1] * s.x[2] * y % 64\nrule(\"f\", f)\n",
			`m.star:3:1: f looks at more than 65536 combinations of values (x[1] has 64, x[2] has 64) and choices (one of 40): look at fewer variables, give it over=, move values without looking at them, choose in several steps, or leave what is independent to also(f, ...) (in rule "f")`},
		{"a count compared with a name", head + "def f(s):\n    when(count([0], lambda i: s.q.empty) == \"one\")\nrule(\"f\", f)\n",
			`m.star:6:42: a count is compared with a number (in rule "f")`},
		{"a count of numbers", head + "def f(s):\n    when(count([0], lambda i: i) == 1)\nrule(\"f\", f)\n",
			`m.star:6:10: count: lambda returned an int: want True or False (in rule "f")`},
		{"an error in a count", head + "def f(s):\n    when(count([2], lambda i: s.pc[i] == \"idle\") == 1)\nrule(\"f\", f)\n",
			`m.star:6:35: pc has no [2]: its keys are 0, 1 (in rule "f", called from m.star:6:10)`},
		{"a key of an array without keys", head + "var(\"x\", bool, over = range(0))\ndef f(s):\n    s.x[0] = True\nrule(\"f\", f)\n",
			`m.star:7:8: x has no [0]: it has no keys (in rule "f")`},
		{"no such place", head + "def f(s):\n    s.q.pop(1)\nrule(\"f\", f)\n", `m.star:6:8: q.pop(1): want 0 to 0, or nothing (in rule "f")`},
		{"before machine", "var(\"x\", range(2))\nmachine(name = \"m\")\n", `m.star:1:1: var before machine: call machine(name = "...") first`},
		{"long value", "machine(name = \"m\")\nvar(\"x\", [\"a\" * 1000])\n",
			`m.star:2:1: a value is a string: want strings (at most 200 bytes), ints, True, False, None, or small tuples of them`},
		{"deep value", "machine(name = \"m\")\nx = ()\nfor i in range(900):\n    x = (x,)\nvar(\"x\", [x])\n",
			`m.star:5:1: a value is a tuple: want strings (at most 200 bytes), ints, True, False, None, or small tuples of them`},
		{"nothing", "machine(name = \"m\")\n", `m.star:1:1: a machine without variables: declare them with var(...) or fifo(...)`},
		{"no rule", head + "def f(s, i):\n    s.pc[i] = \"busy\"\n", `m.star:1:1: a machine without rules: a function becomes one by rule(name, f)`},
		{"optional record", "machine(name = \"m\")\nvar(\"m\", optional(record(kind = [1, 2])))\n",
			`m.star:2:10: optional of a record type: only values can be None; make one of its fields optional, or keep it in fifo(name, type), which may be empty`},
		{"None or 0",
			head + "var(\"who\", optional(procs))\ndef f(s, i):\n    when(s.pc[i] == \"idle\" and not s.who)\n    s.who = i\nrule(\"f\", f, over = procs)\n",
			`m.star:7:36: 0 and None both count as false: write == None or != None (in rule "f 0")`},
		{"if None or 0", head + "var(\"who\", optional(procs))\ndef f(s, i):\n    if s.who:\n        s.who = i\nrule(\"f\", f, over = procs)\n",
			`m.star:7:8: 0 and None both count as false: write == None or != None (in rule "f 0")`},
		{"when None or 0", head + "var(\"who\", optional(procs))\ndef f(s, i):\n    when(s.who)\nrule(\"f\", f, over = procs)\n",
			`m.star:7:10: 0 and None both count as false: write == None or != None (in rule "f 0")`},
		{"an attribute of a number", head + "def f(s):\n    m = s.q.pop()\n    when(m.kind == 1)\nrule(\"f\", f)\n",
			`m.star:7:11: int has no .kind field or method (in rule "f")`},
		{"a message changed", head + "fifo(\"net\", record(kind = [1, 2]))\ndef f(s):\n    m = s.net.pop()\n    m.kind = 2\nrule(\"f\", f)\n",
			`m.star:8:6: can't assign to .kind field of record: a message cannot be changed: push its fields, as in push(kind = m.kind, src = 1) (in rule "f")`},
		{"elements of an array", head + "def f(s):\n    when(not any(s.pc))\nrule(\"f\", f)\n",
			`m.star:6:14: any: for parameter 1: got array, want iterable: an array of the state cannot be iterated: write [s.x[i] for i in keys] (in rule "f")`},
		{"generator", head + "def f(s):\n    when(all(s.pc[i] == \"idle\" for i in procs))\nrule(\"f\", f)\n",
			`m.star:6:32: got for, want ',': there are no generators: write a list, as in all([x for x in y])`},
		{"a count without a function", head + "def f(s):\n    when(count([s.pc[i] == \"idle\" for i in procs]) == 0)\nrule(\"f\", f)\n",
			`m.star:6:10: count: missing argument for f: write count(over, f) (in rule "f")`},
		{"when as a word", head + "def f(s):\n    when s.pc[0] == \"idle\"\nrule(\"f\", f)\n",
			`m.star:6:5: got identifier, want newline: when is a function: write when(condition)`},
		{"a value without quotes", head + "def f(s):\n    s.pc[0] = busy\nrule(\"f\", f)\n",
			`m.star:6:15: undefined: busy: define it first; a string is written in quotes, as in "busy"`},
		{"a parameter without a name", "machine(name = \"m\")\nparam(\"n\", 3)\nvar(\"x\", range(n))\n",
			`m.star:3:16: undefined: n: param returns the value: write n = param(...)`},
		{"state as a dict", head + "def f(s):\n    when(s[\"pc\"] == 1)\nrule(\"f\", f)\n",
			`m.star:6:11: the state has no ["pc"]: write its variables after a dot, as in s.x (in rule "f")`},
		{"initial of a key without keys", "machine(name = \"m\")\nvar(\"x\", range(2), init = lambda i: 0)\n",
			`m.star:2:1: init of x is a function of a key, but the variable has no keys: give over=, or the value itself`},
		{"FIFO as a whole", head + "def f(s):\n    s.q = [1]\nrule(\"f\", f)\n",
			`m.star:6:6: q: a FIFO cannot be assigned: push, pop and clear change it (in rule "f")`},
		{"misspelt field", head + "fifo(\"net\", record(kind = [1], src = procs))\ndef f(s):\n    s.net.push(knd = 1)\nrule(\"f\", f)\n",
			`m.star:7:10: the record has no field knd: its fields are kind, src (in rule "f")`},
		{"variable without the state", head + "def f(s, i):\n    when(pc[i] == \"idle\")\nrule(\"f\", f, over = procs)\n",
			`m.star:6:10: undefined: pc: the variable is a part of the state: write s.pc`},
		{"function without the state", head + "def f():\n    s.pc[0] = \"busy\"\nrule(\"f\", f)\n",
			`m.star:6:5: undefined: s: the state is a parameter, as in def f(s): ..., and rule(name, f) names the function without calling it`},
		{"function called", head + "def f(s):\n    s.pc[0] = \"busy\"\nrule(\"f\", f(s))\n",
			`m.star:7:13: undefined: s: the state is a parameter, as in def f(s): ..., and rule(name, f) names the function without calling it`},
		{"if when", head + "def f(s, i):\n    if when(s.pc[i] == \"idle\"):\n        s.pc[i] = \"busy\"\nrule(\"f\", f, over = procs)\n",
			`m.star:6:8: when has no value: it refuses the step by itself; write when(condition) on a line of its own`},
		{"not when", head + "def f(s, i):\n    x = not when(s.pc[i] == \"idle\")\nrule(\"f\", f, over = procs)\n",
			`m.star:6:13: when has no value: it refuses the step by itself; write when(condition) on a line of its own`},
		{"array as a whole", head + "def f(s):\n    s.pc = [\"busy\", \"busy\"]\nrule(\"f\", f)\n",
			`m.star:6:6: pc: an array is assigned element by element, as in s.x[i] = y; a for loop assigns to all (in rule "f")`},
		{"number of keys", head + "def f(s, i):\n    s.pc[i] = \"busy\"\nrule(\"f\", f, over = 2)\n",
			`m.star:7:1: over is an int: want a list of keys, such as range(n), or a list of lists for all combinations`},
		{"leads to", head + good + "eventually(\"g\", lambda s: True, lambda s: False)\n",
			`m.star:8:1: eventually "g" has two functions: want one, for what is pending: each state that satisfies it must be followed by one that does not`},
		{"two conditions", head + good + "never(\"g\", lambda s: True, lambda s: False)\n", `m.star:8:1: never "g" has two functions: want one`},
		{"dict for a record", head +
			"fifo(\"net\", record(kind = [\"get\", \"put\"], src = procs))\ndef f(s):\n    s.net.push({\"kind\": \"get\", \"src\": 1})\nrule(\"f\", f)\n",
			`m.star:7:10: the value is a dict: want a record, made by its type as in msg(kind = "get") (in rule "f")`},
		{"next state returned", head + "def f(s):\n    return {\"pc\": \"busy\"}\nrule(\"f\", f)\n",
			`m.star:5:1: f returned a dict: a rule returns nothing; when(condition) refuses a step (in rule "f")`},
		{"a formula", "machine(name = \"m\")\nalways(\"x\", lambda s: True)\n",
			`m.star:2:1: undefined: always: properties are invariant, never, reach, eventually and ltl("name", "[] (p -> <> q)", p = f, q = g): unknot help protocol-files says what each asks`},
		{"network as well", "machine(name = \"m\")\nnode()\n",
			`m.star:2:1: undefined: node: define it first, or use param, processes, domain, symmetry, var, fifo, record, optional, rule, when, choose, count, invariant, never, reach, eventually, always_possible, ltl, final, network_of, expect, table, json or a function of Starlark`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := star.Load(context.Background(), "m.star", []byte(c.text), star.Options{})
			if diff := cmp.Diff(c.want, fmt.Sprint(err)); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			var pos *spec.PosError
			if err != nil && !errors.As(err, &pos) {
				t.Errorf("%T is not a *spec.PosError", err)
			}
		})
	}
}

// TestCosts: things that belong together only because they happen at once are not
// multiplied, and a FIFO that is searched for a message is not asked what else it holds. A
// step that sends into 24 FIFOs of 2 places each would tell 2^24 combinations apart, as
// would 24 FIFOs of 2 places, each with none, one or two messages other than "b": 3^24.
func TestCosts(t *testing.T) {
	p := machine(t, `
machine(name = "m")
all = range(24)
fifo("q", ["a", "b"], size = 2, over = all)
def send(s, i):
    when(not s.q[i].full)
    s.q[i].push("a")
def multicast(s):
    for i in all:
        also(send, i)
rule("multicast", multicast)
def none(s):
    for i in all:
        if "b" in s.q[i]:
            return False
    return True
def once(s):
    n = 0
    for i in all:
        n += s.q[i].count("b")
        if n > 1:
            return False
    return True
invariant("no b", none)
invariant("b at most once", once)
`, nil)
	if got := walk(t, p); got.States != 3 || got.Steps != 2 || got.Deadlocks != 1 || got.Broken != nil {
		t.Errorf("%+v: want the steps from no message to two", got)
	}
	if n := len(p.Rules); n != 1 {
		t.Errorf("%d rules, want one", n)
	}
}

// TestBlocking: a blocking FIFO, take and also save what is claimed of them: the closed form is
// that of the conditions that they stand for.
func TestBlocking(t *testing.T) {
	const long = `
machine(name = "m")
all = range(3)
msg = record(kind = ["get", "put"], src = all)
fifo("q", msg, size = 2, over = all)
fifo("r", ["a", "b", "c"], size = 2, over = all)
def into_r(s, i, m):
    when(not s.r[i].full)
    s.r[i].push(m)
def out_of_r(s, i):
    when(s.r[i].head in ["a", "c"])
    s.r[i].pop()
def ask(s, i):
    when(not s.q[i].full)
    s.q[i].push(kind = "get", src = i)
    for k in all:
        also(into_r, k, "a")
def answer(s, i):
    m = s.q[i].pop()
    when(m.kind == "get" and m.src == i)
    also(out_of_r, i)
rule("ask", ask, over = all)
rule("answer", answer, over = all)
`
	const short = `
machine(name = "m")
all = range(3)
msg = record(kind = ["get", "put"], src = all)
fifo("q", msg, size = 2, over = all, blocking = True)
fifo("r", ["a", "b", "c"], size = 2, over = all, blocking = True)
def ask(s, i):
    s.q[i].push(kind = "get", src = i)
    for k in all:
        also(s.r[k].push, "a")
def answer(s, i):
    s.q[i].take(kind = "get", src = i)
    also(s.r[i].take, "a", "c")
rule("ask", ask, over = all)
rule("answer", answer, over = all)
`
	var closed [2]string
	for i, text := range []string{long, short} {
		p := machine(t, text, nil)
		for k := range p.Rules {
			p.Rules[k].Where = spec.Reason{}
		}
		var b bytes.Buffer
		if err := program.WriteClosed(&b, p); err != nil {
			t.Fatal(err)
		}
		closed[i] = b.String()
	}
	if diff := cmp.Diff(closed[0], closed[1]); diff != "" {
		t.Errorf("(-long +short):\n%s", diff)
	}
}

// TestSums: a sum of two variables that is assigned or pushed is not looked at. With a
// thousand values each, looking would take a million runs, which are too many.
func TestSums(t *testing.T) {
	const text = `
machine(name = "m")
var("x", range(1000), init = 2)
var("y", range(1, 1001), init = 3)
var("z", range(-5, 1995))
fifo("q", range(2, 2000), size = 2)
def add(s):
    s.z = s.x + s.y
    s.q.push(s.x + s.y)
rule("add", add)
`
	f, err := star.Load(t.Context(), "m.star", []byte(text), star.Options{})
	if err != nil {
		t.Fatal(err)
	}
	steps, err := programtest.Steps(f.Program, f.Program.Start())
	if err != nil || len(steps) != 1 {
		t.Fatal(steps, err)
	}
	// Values by number: x is 2, y 3 = 1 + 2, z 5 = -5 + 10, and the message 5 is 4th from 2 on, 0 being none. The other
	// variables stand for what is wrong: a full FIFO, 1 pushed, and 1995 or more assigned before either.
	if diff := cmp.Diff([]int{2, 2, 10, 4, 0, 0, 0, 0}, steps[0].After); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		x, y    int
		message string
	}{
		{0, 0, "invalid value: want 2 to 1999"}, // the message 1, where 0 is none
		{1, 0, ""},
		{998, 997, "z: invalid value: want -5 to 1994"}, // 998 + 998
	} {
		state := f.Program.Start()
		state[0], state[1], state[3] = c.x, c.y, 0
		if c.message != "" && c.x > 1 {
			state[3], state[4] = 1, 1 // no room: the assignment before it counts
		}
		_, err := programtest.Steps(f.Program, state)
		if got := err != nil; got != (c.message != "") || got && !strings.Contains(err.Error(), c.message) {
			t.Errorf("x is %d, y %d: %v, want %q", c.x, c.y+1, err, c.message)
		}
	}
}

// TestFairness: all instances and options of a rule are as fair as the rule is
// declared.
func TestFairness(t *testing.T) {
	const text = "machine(name = \"m\")\nvar(\"x\", bool, over = range(2))\ndef f(s, i):\n    s.x[i] = choose([False, True])\n" +
		"rule(\"weak\", f, over = range(2))\nrule(\"strong\", f, over = range(2), fair = \"strong\")\nrule(\"unfair\", f, over = range(2), fair = False)\n"
	f, err := star.Load(t.Context(), "m.star", []byte(text), star.Options{})
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, r := range f.Program.Rules {
		name, _, _ := strings.Cut(r.Name, " ")
		count[fmt.Sprintln(name, r.Unfair, r.Strong)]++
	}
	if diff := cmp.Diff(map[string]int{"weak false false\n": 4, "strong false true\n": 4, "unfair true false\n": 4}, count); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestErrorsOfSteps: an error in a function that several rules call has one variable, named
// after the place where it occurs (here the bracket), wherever the file lies.
func TestErrorsOfSteps(t *testing.T) {
	const text = "machine(name = \"m\")\nvar(\"x\", range(3), over = range(2))\n" +
		"def up(s, i):\n    s.x[i] += 1\ndef f(s, i):\n    up(s, i)\nrule(\"{} goes up\", f, over = range(2))\n"
	for _, file := range []string{"m.star", "a/m.star", "a/b/m.star"} {
		f, err := star.Load(t.Context(), file, []byte(text), star.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, v := range f.Program.Variables {
			names = append(names, v.Name)
		}
		if diff := cmp.Diff([]string{"x[0]", "x[1]", "m.star:4:8: x: invalid value 3: want 0, 1, 2"}, names); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

// TestValuesDiffer: values are told apart whatever their parts, and however a string
// begins.
func TestValuesDiffer(t *testing.T) {
	values := `["", "1", "\x001", "\x04\x001", "\x02True", "\x03", 1, True, None, (), (1,), ("1",), ((1,), 2), ((1, 2),), ("a", "b"), ("ab",), ("a\x00b",)]`
	f, err := star.Load(t.Context(), "m.star", []byte("machine(name = \"m\")\nvar(\"x\", "+values+")\nrule(\"r\", lambda s: when(s.x == 1))\n"), star.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := f.Program.Variables[0].Values; n != 17 {
		t.Errorf("%d values, want 17", n)
	}
}

// TestNamesOfValues: no two values of a variable share a name, nor does one with a free
// place.
func TestNamesOfValues(t *testing.T) {
	p := machine(t, `
machine(name = "m")
var("x", [1, "1", None, "None", (1, "a"), "1,a", "b"])
fifo("q", ["-", "a"])
def f(s):
    s.x = s.x
rule("f", f)
`, nil)
	want := map[string][]string{"x": {"1", `"1"`, "None", `"None"`, `(1, "a")`, `"1,a"`, "b"}, "q.0": {"-", `"-"`, "a"}}
	for _, v := range p.Variables {
		if diff := cmp.Diff(want[v.Name], v.Names); diff != "" {
			t.Errorf("%s (-want +got):\n%s", v.Name, diff)
		}
	}
}

// TestNUL: the scanner would take one for the end, and the invariant after it would not be checked.
func TestNUL(t *testing.T) {
	const machine = "\ufeffmachine(name = \"m\")\nvar(\"x\", bool)\nrule(\"flip\", lambda s: when(s.x))\n"
	for text, at := range map[string]string{
		machine + "\x00invariant(\"never\", lambda s: False)\n": "m.star:4:1: ",
		machine + "# ö\x00":        "m.star:4:4: ",
		machine + "y = \"a\x00b\"": "m.star:4:7: ",
		"\ufeff\x00":               "m.star:1:1: ",
	} {
		if _, err := star.Load(t.Context(), "m.star", []byte(text), star.Options{}); err == nil || !strings.HasPrefix(err.Error(), at+"a NUL byte") {
			t.Errorf("%q: %v, want %s", text, err, at)
		}
	}
}

// TestByteOrderMark: an editor may put one at the beginning of a file; places do not
// count it.
func TestByteOrderMark(t *testing.T) {
	const text = "\ufeffmachine(name = \"m\")\nvar(\"x\", bool)\nrule(\"flip\", lambda s: when(s.x))\n"
	if _, err := star.Load(t.Context(), "m.star", []byte(text), star.Options{}); err != nil {
		t.Error(err)
	}
	if !star.IsMachine([]byte(text)) {
		t.Error("it is not seen to be a machine")
	}
	if _, err := star.Load(t.Context(), "m.star", []byte("\ufeffmachin()"), star.Options{}); err == nil || !strings.Contains(err.Error(), "m.star:1:1: ") {
		t.Errorf("%v: want column 1", err)
	}
}
