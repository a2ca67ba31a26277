package star_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestUnreadNumbers: drawn rules that compute with the state give each state the step that interpreting the rule there gives it,
// the refusal, or the error, whether the numbers are read or compiled. Local names hold totals; steps are refused after
// assignments, and variables assigned again.
func TestUnreadNumbers(t *testing.T) {
	refused, wrong, stepped := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		d := arithmetic{rt}
		var text strings.Builder
		text.WriteString("machine(name = \"m\")\nvar(\"x\", range(4))\nvar(\"y\", range(-2, 3))\nvar(\"z\", range(1, 4), over = range(2))\n" +
			"fifo(\"q\", range(-1, 2), size = 1" + d.from("", ", blocking = True", ", lossy = True", ", lossy = True, blocking = True") + ")\n" +
			"var(\"o\", optional(range(2)))\ndef g(s, k):\n    when(s.o != k)\n    s.o = k\nfifo(\"r\", record(n = range(2, 7), k = range(2)), size = 1)\n")
		text.WriteString("def f(s, i):\n    t = " + d.from("0", "1", "s.x", "s.y // 2") + "\n    u = " + d.number(1) + "\n")
		for range rapid.IntRange(1, 6).Draw(rt, "statements") {
			text.WriteString(d.statement("    ", 2))
		}
		text.WriteString("rule(\"f {}\", f, over = range(2))\ninvariant(\"p {}\", lambda s, i: " + d.number(2) + d.from(" < ", " == ") + d.number(1) +
			d.from("", " and max(s.x, s.y) != 6 // (s.x + 1)") + ", over = range(2))\n")
		limits := star.Options{}.Evaluating(1, 4000, 0)
		read, readErr := star.Load(t.Context(), "m.star", []byte(text.String()), limits.Read())
		unread, unreadErr := star.Load(t.Context(), "m.star", []byte(text.String()), limits.Unread())
		if readErr != nil || unreadErr != nil {
			if readErr == nil && !strings.Contains(unreadErr.Error(), "combinations") && !strings.Contains(unreadErr.Error(), "assigned twice") {
				rt.Fatalf("read: %v\nunread: %v\n%s", readErr, unreadErr, &text)
			}
			return // wrong in every state, or too much
		}
		alike(rt, read.Program, unread.Program, text.String())
		if strings.Contains(text.String(), "also(") || strings.Contains(text.String(), "lossy") {
			return // PlainStep takes no part of a step, and makes each choice
		}
		for _, p := range []*program.Program{read.Program, unread.Program} {
			all := allStates(p)
			for i := rapid.IntRange(0, 12).Draw(rt, "first state"); i < len(all); i += 37 {
				state := all[i]
				got := map[string]string{}
				for k, r := range p.Rules {
					only := *p
					only.Rules = p.Rules[k : k+1]
					steps, err := programtest.Steps(&only, state)
					after, no, bad := star.PlainStep(p, k, state)
					switch {
					case err != nil:
						got[r.Name] = "wrong"
					case len(steps) == 1:
						got[r.Name] = fmt.Sprint(steps[0].After)
					default:
						got[r.Name] = "refused"
					}
					want := fmt.Sprint(after)
					if no {
						want, refused = "refused", refused+1
					} else if bad != nil {
						want, wrong = "wrong", wrong+1
					} else {
						stepped++
					}
					if got[r.Name] != want {
						rt.Fatalf("%s in %v, unread %v: %s (%v), want %s (%v)\n%s", r.Name, state, p == unread.Program, got[r.Name], err, want, bad, &text)
					}
				}
			}
		}
	})
	if seedtest.Usual() && (refused == 0 || wrong == 0 || stepped == 0) {
		t.Errorf("%d refused, %d wrong, %d steps: want some of each", refused, wrong, stepped)
	}
}

// alike compares what the rules of two programs do in some states, and whether their invariants hold. They differ in the
// variables that stand for errors.
func alike(rt *rapid.T, one, other *program.Program, text string) {
	variables := min(len(one.Variables), len(other.Variables))
	for variables > 0 && one.Variables[variables-1].Values == 1 {
		variables--
	}
	in := func(p *program.Program, state []int) string {
		state = append(slices.Clone(state[:variables]), make([]int, len(p.Variables)-variables)...)
		all := map[string]bool{}
		for k, r := range p.Rules {
			only := *p
			only.Rules = p.Rules[k : k+1]
			steps, err := programtest.Steps(&only, state)
			if err != nil {
				all[r.Name+": wrong"] = true
			}
			for _, s := range steps {
				all[fmt.Sprint(r.Name, ": ", s.After[:variables])] = true
			}
		}
		for _, v := range p.Invariants {
			all[fmt.Sprint(v.Name, ": ", v.Holds.Holds(state))] = true
		}
		return fmt.Sprint(slices.Sorted(maps.Keys(all)))
	}
	states := allStates(one)
	for i := rapid.IntRange(0, 36).Draw(rt, "first state compared"); i < len(states); i += 37 {
		if want, got := in(one, states[i]), in(other, states[i]); want != got {
			rt.Fatalf("in %v: read %s, unread %s\n%s", states[i], want, got, text)
		}
	}
}

// allStates lists the states of a program, but for what stands for errors.
func allStates(p *program.Program) [][]int {
	all := [][]int{nil}
	for _, v := range p.Variables {
		var next [][]int
		for _, s := range all {
			for value := range v.Values {
				next = append(next, append(slices.Clip(s), value))
			}
		}
		all = next
	}
	// A message of two fields is there or not: both of its numbers are 0 where the place is free.
	r := slices.IndexFunc(p.Variables, func(v program.Variable) bool { return v.Name == "r.0.n" })
	return slices.DeleteFunc(all, func(s []int) bool { return s[r] == 0 && s[r+1] != 0 })
}

// arithmetic draws statements of rules.
type arithmetic struct{ t *rapid.T }

func (d arithmetic) from(texts ...string) string { return rapid.SampledFrom(texts).Draw(d.t, "text") }

func (d arithmetic) number(depth int) string {
	if depth == 0 || rapid.IntRange(0, 3).Draw(d.t, "leaf") == 0 {
		return d.from("s.x", "s.y", "s.z[0]", "s.z[1]", "s.z[i]", "2", "-1", "i")
	}
	a, b := d.number(depth-1), d.number(depth-1)
	return fmt.Sprintf(d.from("(%s + %s)", "(%s - %s)", "(%s * %s)", "min(%s, %s)", "max(%s, %s)", "max([%s, 1, %s])",
		"(%s // 3 - %s)", "(%s %% 2 + %s)", "(%s // 2 + %s %% 3)", "min([v + %s for v in range(2)] + [%s])", "max([%s * s.z[v] for v in range(2)]) - %s",
		"(%s - 1 if s.x > 1 else %s)"), a, b)
}

func (d arithmetic) local(depth int) string {
	if rapid.Bool().Draw(d.t, "local") {
		return d.from("t", "u", "t + u", "t - s.x", "u % 3", "max(t, u)", "t // 2")
	}
	return d.number(depth)
}

func (d arithmetic) condition() string {
	return d.local(1) + " " + d.from("<", "<=", "==", "!=", ">=", ">") + " " + d.local(1)
}

func (d arithmetic) statement(indent string, depth int) string {
	switch rapid.IntRange(0, 14).Draw(d.t, "statement") {
	case 0:
		return indent + "when(" + d.condition() + ")\n"
	case 1:
		return indent + d.from("t", "u") + d.from(" += ", " -= ", " = ", " *= ") + d.local(1) + "\n"
	case 2:
		return indent + "for k in range(2):\n" + indent + "    t += " + d.from("s.z[k]", "s.x * k", "s.z[k] % 2", "u - k") + "\n"
	case 3:
		return indent + "s.q.push(" + d.local(1) + ")\n"
	case 4:
		return indent + "s.r.push(n = " + d.local(1) + ", k = s.x % 2)\n"
	case 5:
		return indent + "u = max(u, " + d.local(1) + ")\n"
	case 6:
		if depth > 0 {
			return indent + "if " + d.condition() + ":\n" + d.statement(indent+"    ", depth-1) + d.from("", indent+"else:\n"+d.statement(indent+"    ", 0))
		}
	case 7:
		return indent + "s.x, s.y = " + d.local(1) + ", " + d.local(1) + "\n"
	case 8:
		return indent + "if not s.q.empty:\n" + indent + "    t += s.q.head\n"
	case 9:
		return indent + "s.z[i] = 1 + t % 3\n"
	case 10:
		return indent + "also(g, " + d.from("0", "None", "i") + ")\n"
	case 11:
		return indent + "if s.o != None:\n" + indent + "    t " + d.from("+=", "-=", "=") + " s.o + " + d.local(1) + "\n"
	}
	return indent + d.from("s.x", "s.y", "s.z[i]", "s.z[1]") + d.from(" = ", " += ", " = ", " -= ") + d.local(2) + "\n"
}

// TestErrorBeforeRefusal: a value out of range is told, whatever would refuse the step later, or lose the message, be the
// number read (of 16 * 16 combinations) or compiled (of 20 * 20). Where it is in range, the step is refused.
func TestErrorBeforeRefusal(t *testing.T) {
	const full = `fifo("q", range(5), blocking = True, init = [2])` + "\n"
	tests := map[string]struct{ declared, rule string }{
		"also":         {"", "    s.w = %s\n    also(g)\n"},
		"also of push": {full, "    s.w = %s\n    also(s.q.push, 1)\n"},
		"when":         {"", "    s.w = %s\n    when(s.z == 1)\n"},
		"no choice":    {"", "    s.w = %s\n    choose([])\n"},
		"full FIFO":    {full, "    s.q.push(%s)\n"},
		"a name":       {full, "    t = %s\n    s.q.push(t)\n"},
		"record": {"r = record(n = range(5), k = range(2))\nfifo(\"q\", r, blocking = True, init = [r(n = 1)])\n",
			"    s.q.push(n = %s)\n"},
		"lossy FIFO": {`fifo("q", range(5), blocking = True, lossy = True, init = [2])` + "\n",
			"    s.q.push(%s)\n    when(s.z == 1)\n"},
	}
	for name, test := range tests {
		for _, values := range []int{16, 20} {
			for _, number := range []string{"max(s.x, s.y)", "s.x + s.y", "s.x"} {
				for _, x := range []int{15, 3} { // y is 0: all three numbers are x
					text := fmt.Sprintf("machine(name = \"m\")\nvar(\"y\", range(%d))\nvar(\"x\", range(%[1]d), init = %d)\n"+
						"var(\"w\", range(5))\nvar(\"z\", range(2))\n%sdef g(s):\n    when(s.z == 1)\ndef f(s):\n%s"+
						"def h(s):\n    s.z, s.x = 1, s.y\nrule(\"f\", f)\nrule(\"h\", h)\n", values, x, test.declared,
						fmt.Sprintf(test.rule, number))
					f, err := star.Load(t.Context(), "m.star", []byte(text), star.Options{})
					if err != nil {
						t.Errorf("%s: %v\n%s", name, err, text)
						continue
					}
					only := *f.Program
					only.Rules = slices.DeleteFunc(slices.Clone(only.Rules), func(r program.Rule) bool { return r.Name == "h" })
					var initial []int
					for _, v := range only.Variables {
						initial = append(initial, v.Initial)
					}
					steps, err := programtest.Steps(&only, initial)
					if len(steps) > 0 || (err != nil) != (x == 15) {
						t.Errorf("%s, %d values, %s = %d: %v, error %v; want an error of 15, no step of 3\n%s", name, values, number, x, steps, err, text)
					}
				}
			}
		}
	}
}

// TestReadInstead: files whose numbers, if they are not read, give errors on paths that no state takes, or more runs than
// there are values. They load with few runs, and have the states that their rules, followed by hand, lead to.
func TestReadInstead(t *testing.T) {
	const two = "machine(name = \"m\")\nvar(\"x\", range(20), init = 5)\nvar(\"y\", range(20), init = 7)\nvar(\"n\", range(20))\n"
	const optional = "machine(name = \"m\")\nvar(\"o\", optional(range(5)), init = 3)\nvar(\"x\", range(5))\nvar(\"n\", range(20))\n" +
		"def f(s):\n    when(s.o != None)\n    t = s.o + s.x\n"
	const small = "machine(name = \"m\")\nT = [1, 2, 3, 4, 5]\nvar(\"x\", range(17))\nvar(\"y\", range(17))\n"
	tests := map[string]struct {
		text   string
		states int
	}{
		"a divisor that a comparison excludes": {two + `
T = {0: 0, 1: 1, 2: 2, 3: 3}
def f(s):
    t = min(s.x, s.y)
    when(t < 4)
    s.n = T[t]
def g(s):
    when(min(s.x, s.y) > 0)
    s.n = 12 // s.y % 4
def dec(s):
    when(s.y > 0)
    s.y -= 1
rule("f", f)
rule("g", g)
rule("dec", dec)
final(lambda s: True)
always_possible("a", lambda s: min(s.x, s.y) > 0 and 12 // s.y > 0 or s.y == 0)
`, 28}, // n of y = 7, 6, ... 0: g gives it 1, 2, 2, 3, 0, 2, 0, -, f gives it y from 3 on: 2 + 3 + 3 + 5 * 4
		"in final": {small + `
def inc(s):
    when(s.x - s.y >= 0 and s.x < 5)
    s.x += 1
rule("inc", inc)
final(lambda s: max(s.x, s.y) > 0 and 10 // (s.x + s.y) >= 0)
`, 6}, // x is 0 to 5
		"in ltl": {small + `
def inc(s):
    when(s.x < 5)
    s.x += 1
rule("inc", inc)
ltl("l", "[] p", p = lambda s: max(s.x, s.y) == 0 or 10 // max(s.x, s.y) > 0)
`, 6},
		"in count": {small + `
def inc(s):
    when(max(s.x, s.y) < 4 and count(range(2), lambda i: T[s.x] > i) == 2)
    s.x += 1
rule("inc", inc)
`, 1}, // T[0] is 1: the count is 1
		"comparisons of a total": {`
machine(name = "m")
var("x", range(3), over = range(6))
var("y", range(13))
def f(s):
    t = 0
    for i in range(6):
        t += s.x[i]
    n = 0
    for k in range(17):
        if t > k:
            n += 1
    s.y = n
def g(s, i):
    when(s.x[i] < 2)
    s.x[i] += 1
rule("f", f)
rule("g", g, over = range(6))
`, 5103}, // y is 0 to the total of x, which is 6 in the middle: 729 * 7
		"comparisons in a loop": {two + `
def f(s):
    for k in range(20):
        if max(s.x, s.y) == k:
            s.n = k
rule("f", f)
`, 2}, // n is 0, then 7
		"comparisons in a list": {two + `
def f(s):
    t = max(s.x, s.y)
    s.n = [i for i in range(20) if i == t][0]
rule("f", f)
`, 2},
		"when a number of an optional is not 0": {optional +
			"    when(t)\n    s.n = t\nrule(\"f\", f)\n", 2}, // n is 0, then 3
		"not a number of an optional": {optional +
			"    if not t:\n        s.n = 1\nrule(\"f\", f)\n", 1}, // 3 is not 0
	}
	for name, test := range tests {
		for _, workers := range []int{1, 2} {
			f, err := star.Load(t.Context(), "m.star", []byte(test.text), star.Options{}.Evaluating(workers, 2000, 0))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			var initial []int
			for _, v := range f.Program.Variables {
				initial = append(initial, v.Initial)
			}
			all, met := [][]int{initial}, map[string]bool{fmt.Sprint(initial): true}
			for i := 0; i < len(all); i++ {
				steps, err := programtest.Steps(f.Program, all[i])
				if err != nil {
					t.Fatalf("%s: %v in %v", name, err, all[i])
				}
				for _, s := range steps {
					if text := fmt.Sprint(s.After); !met[text] {
						met[text], all = true, append(all, s.After)
					}
				}
			}
			if len(all) != test.states {
				t.Errorf("%s, %d workers: %d states, want %d", name, workers, len(all), test.states)
			}
		}
	}
}
