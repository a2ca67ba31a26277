package star_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// relayed is a drawn file: messages of five kinds go through three links, are changed on the way,
// and may come back. Some kinds never come to some links.
func relayed(t *rapid.T) string {
	var b strings.Builder
	kinds := []string{"a", "b", "c", "d", "e"}
	kind := func(what string) string { return rapid.SampledFrom(kinds).Draw(t, what) }
	link := rapid.IntRange(0, 2)
	arbiter := rapid.SampledFrom([]string{"any", "batch", "round-robin"}).Draw(t, "arbiter")
	fmt.Fprintf(&b, "machine(name = \"m\")\nkinds = %s\n", strings.ReplaceAll(fmt.Sprintf("%q", kinds), " ", ","))
	for i := range 3 {
		begins := "[]"
		if rapid.Bool().Draw(t, "begins") {
			begins = fmt.Sprintf("[%q]", kind("begins with"))
		}
		fmt.Fprintf(&b, "fifo(\"q%d\", kinds, size = %d, init = %s, blocking = True INFERRED, arbiter = %q, sources = [0, 1, 2, 3, 4])\n",
			i, rapid.IntRange(1, 2).Draw(t, "size"), begins, arbiter)
	}
	b.WriteString("var(\"n\", range(3))\n")
	fails := func() string { return rapid.SampledFrom([]string{"True", "False", "False"}).Draw(t, "fails") }
	for i := range rapid.IntRange(2, 5).Draw(t, "rules") {
		from, to, by := link.Draw(t, "from"), link.Draw(t, "to"), rapid.IntRange(0, 5).Draw(t, "by")
		if to == from {
			to = (to + 1) % 3
		}
		becomes := map[string]string{}
		for _, k := range kinds {
			becomes[k] = kind("becomes")
			if rapid.Bool().Draw(t, "stays") {
				becomes[k] = k
			}
		}
		text := fmt.Sprintf("{%s}", strings.Join(func() (all []string) {
			for _, k := range kinds {
				all = append(all, fmt.Sprintf("%q: %q", k, becomes[k]))
			}
			return all
		}(), ", "))
		most := 6
		if arbiter != "any" { // of which no step may change a FIFO twice
			most = 5
		}
		switch rapid.IntRange(0, most).Draw(t, "rule") {
		case 0:
			fmt.Fprintf(&b,
				"def f%d(s):\n    when(s.n == %d)\n    s.n = %d\n    s.q%d.push(%q, by = %d)\n    if %s:\n        fail(\"no\")\nrule(\"f%d\", f%d)\n",
				i, rapid.IntRange(0, 2).Draw(t, "n"), rapid.IntRange(0, 2).Draw(t, "then"), to, kind("pushed"), by,
				fails(), i, i)
		case 1:
			fmt.Fprintf(&b,
				"def f%d(s, m):\n    also(s.q%d.take, m)\n    s.q%d.push(%s[m], by = %d)\nrule(\"f%d\", f%d, over = kinds)\n",
				i, from, to, text, by, i, i)
		case 2:
			fmt.Fprintf(&b,
				"def f%d(s):\n    m = s.q%d.head\n    when(m != None and m != %q)\n    also(s.q%d.pop)\n    s.q%d.push(%s[m], by = %d)\nrule(\"f%d\", f%d)\n",
				i, from, kind("stays"), from, to, text, by, i, i)
		case 3:
			fmt.Fprintf(&b, "def f%d(s):\n    s.q%d.push(s.q%d.take(%q, %q))\nrule(\"f%d\", f%d)\n", i, to, from, kind("taken"), kind("taken"), i, i)
		case 4:
			fmt.Fprintf(&b,
				"def g%d(s, m):\n    when(s.n < 2)\n    s.n += 1\n    s.q%d.push(m, by = %d)\ndef f%d(s, m):\n    when(s.q%d.holds(0, m))\n    also(s.q%d.pop)\n    also(g%d, %s[m])\nrule(\"f%d\", f%d, over = kinds)\n",
				i, to, by, i, from, from, i, text, i, i)
		case 5:
			fmt.Fprintf(&b, "def f%d(s):\n    when(%q in s.q%d)\n    s.q%d.clear()\n    s.n = 0\nrule(\"f%d\", f%d)\n", i, kind("cleared"), from, from, i, i)
		case 6: // the push does not look at what the FIFO holds
			fmt.Fprintf(&b,
				"def f%d(s):\n    when(s.n == 1)\n    s.n = 2\n    s.q%d.clear()\n    s.q%d.push(%q)\n    if %s:\n        fail(\"no\")\nrule(\"f%d\", f%d)\n",
				i, from, from, kind("pushed"), fails(), i, i)
		}
	}
	x, y := kind("counted"), kind("counted")
	fmt.Fprintf(&b,
		"invariant(\"i\", lambda s: count([0], lambda i: s.q0.holds(i, %q)) + count([0, 1], lambda n: s.n == n) <= %d)\n",
		x, rapid.IntRange(0, 1).Draw(t, "most"))
	fmt.Fprintf(&b, "invariant(\"j\", lambda s: len([k for k in [%q] if s.q1.head == k]) + len([n for n in [0, 1] if s.n == n]) <= 1)\n", y)
	fmt.Fprintf(&b,
		"invariant(\"same j\", lambda s: count([%q], lambda k: s.q1.head == k) + (count([0, 1], lambda n: s.n == n) + count([], lambda n: True)) <= 1)\n",
		y)
	return b.String()
}

// TestInferred: a drawn file has the same broken invariants, and deadlocks or none, whether the contents
// of its FIFOs are inferred or not; and the same number of states, steps and deadlocks where arbiters
// remember the same.
func TestInferred(t *testing.T) {
	fewer, drawn := 0, 0
	seedtest.Sample(t, 40)
	rapid.Check(t, func(rt *rapid.T) {
		text := relayed(rt)
		if !strings.Contains(text, "rule(") || !pushesInTurn(text) {
			return
		}
		inferred := strings.ReplaceAll(text, " INFERRED", ", inferred = True")
		if _, err := star.Load(context.Background(), "m.star", []byte(inferred), star.Options{}); err != nil &&
			strings.Contains(err.Error(), "none of the sources") {
			return // they push in rules that are never possible
		}
		alone, _ := read(inferred, star.Options{}.Evaluating(1, 0, 0)) // keeps no answers
		if got, _ := read(inferred, star.Options{}.Evaluating(3, 0, 0)); got != alone {
			rt.Fatalf("with answers kept: %s\nwant %s\n%s", got, alone, text)
		}
		p := machine(t, inferred, nil)
		plain, exact := inTurn(strings.ReplaceAll(text, " INFERRED", ""), p)
		q := machine(t, plain, nil)
		got, want := walk(t, p), walk(t, q)
		slices.Sort(got.Broken)
		slices.Sort(want.Broken)
		if (got.Deadlocks > 0) != (want.Deadlocks > 0) || fmt.Sprint(got.Broken) != fmt.Sprint(want.Broken) {
			rt.Fatalf("%+v, and as declared %+v\n%s", got, want, text)
		}
		if (slices.Contains(got.Broken, "j")) != slices.Contains(got.Broken, "same j") {
			rt.Fatalf("%q: a sum of counts is compared as something else\n%s", got.Broken, text)
		}
		if exact && (got.States != want.States || got.Steps != want.Steps || got.Deadlocks != want.Deadlocks) {
			rt.Fatalf("%+v, and as declared %+v\n%s", got, want, text)
		}
		drawn++
		if len(p.Rules) < len(q.Rules) {
			fewer++
		}
	})
	if seedtest.Usual() && drawn > 10 && fewer == 0 {
		t.Errorf("in none of %d files an instance is left out", drawn)
	}
}

// inTurn returns the text with only those sources of round-robin FIFOs that take turns in p. The first of
// them counts as served last, so a list with others begins elsewhere. A FIFO for which only one source takes
// turns is left as it is: it has something to remember there, and exact is false.
func inTurn(text string, p *program.Program) (plain string, exact bool) {
	lines := strings.Split(text, "\n")
	exact = true
	for i, line := range lines {
		var fifo string
		if _, err := fmt.Sscanf(line, "fifo(%q", &fifo); err != nil {
			continue
		}
		same := strings.Contains(line, `"any"`)
		for _, v := range p.Variables {
			if v.Name == fifo+".turn" && strings.Contains(line, `"round-robin"`) {
				who := strings.Join(v.Names, ", ")
				if v.Names == nil {
					who = "0, 1, 2, 3, 4"[:3*v.Values-2]
				}
				lines[i] = strings.Replace(line, "0, 1, 2, 3, 4", who, 1)
				same = true
			}
		}
		exact = exact && same
	}
	return strings.Join(lines, "\n"), exact
}

// pushesInTurn reports whether some source pushes into each link; otherwise its arbiter is an error in the
// file.
func pushesInTurn(text string) bool {
	if strings.Contains(text, `"any"`) {
		return true
	}
	for i := range 3 {
		pushes, inTurn := false, false
		for _, line := range strings.Split(text, "\n") {
			if strings.Contains(line, fmt.Sprintf("s.q%d.push(", i)) {
				pushes = true
				inTurn = inTurn || strings.Contains(line, "by = ") && !strings.Contains(line, "by = 5")
			}
		}
		if pushes && !inTurn {
			return false
		}
	}
	return true
}

// TestInferredEmpty: what a rule does in the states where a FIFO is empty is not an error of the file, whether
// the rule that pushes comes before it or after. Only with an empty FIFO in all states it is.
func TestInferredEmpty(t *testing.T) {
	const text = "machine(name = \"m\")\nfifo(\"q\", [\"a\", \"b\"], inferred = True, blocking = True)\nvar(\"y\", range(3))\n" +
		"def take(s):\n    s.y = {\"a\": 1, \"b\": 2}[s.q.head]\ndef put(s):\n    s.q.push(\"a\")\ndef nothing(s):\n    when(s.y == 0)\n"
	for rules, want := range map[string]string{
		"rule(\"take\", take)\nrule(\"put\", put)\n":         "",
		"rule(\"put\", put)\nrule(\"take\", take)\n":         "",
		"rule(\"take\", take)\nrule(\"nothing\", nothing)\n": "m.star:5:27: key None not in dict (in rule \"take\")",
	} {
		f, err := star.Load(t.Context(), "m.star", []byte(text+rules), star.Options{})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s%q, want %q", rules, got, want)
		}
		if err == nil && !slices.ContainsFunc(f.Program.Variables, func(v program.Variable) bool { return strings.Contains(v.Name, "key None not in dict") }) {
			t.Errorf("%sno fault for the empty FIFO: %v", rules, f.Program.Variables)
		}
	}
}

// TestNeverComes: of two kinds of message, each link has one. The rule that takes the other is left
// out for this link; a rule that is left out for all links stays, and is never possible.
func TestNeverComes(t *testing.T) {
	const text = `
machine(name = "m")
kinds = ["ping", "pong", "lost"]
fifo("link", kinds, over = ["there", "back"], blocking = True INFERRED, arbiter = "round-robin", init = lambda l: ["ping"] if l == "there" else [])
def answer(s, l, m):
    also(s.link[l].take, m)
    s.link["back" if l == "there" else "there"].push({"ping": "pong", "pong": "ping", "lost": "lost"}[m], by = l)
def find(s, l):
    s.link[l].take("lost")
rule("{}: answer {}", answer, over = [["there", "back"], kinds])
rule("{}: find", find, over = ["there", "back"])
`
	p := machine(t, strings.Replace(text, " INFERRED", ", inferred = True", 1), nil)
	var names []string
	for _, r := range p.Rules {
		names = append(names, r.Name)
	}
	want := []string{"there: answer ping", "back: answer pong", "back: find"}
	if fmt.Sprint(names) != fmt.Sprint(want) || len(p.Variables) != 2 || p.Variables[0].Values != 2 || p.Variables[1].Values != 2 {
		t.Errorf("rules %q of %v; want %q and nobody who takes turns", names, p.Variables, want)
	}
	if x := walk(t, p); x.States != 2 || x.Steps != 2 {
		t.Errorf("%d states, %d steps; want the message in one link or the other", x.States, x.Steps)
	}
}
