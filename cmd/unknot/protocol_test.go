package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProtocolFile: a file that describes a machine is checked as others are, its
// evidence is accepted, and a step that is not defined leads to its line.
func TestProtocolFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "counter.star")
	text := `n = param("n", 3, min = 1, max = 9)
machine(name = "counter")
var("x", range(4))
def up(s):
    when(s.x < n)
    s.x += 1
rule("up", up)
def down(s):
    when(s.x > 3, "high")
    s.x -= 1
rule("down", down)
never("three", lambda s: s.x == 3)
reach("two", lambda s: s.x == 2)
reach("four", lambda s: s.x > 3)
final(lambda s: s.x == n)
expect("three", "violated")
expect("four", "violated")
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(t.TempDir(), "long.star") // goes on behind the violation
	if err := os.WriteFile(long, []byte(strings.Replace(text, "range(4)", "range(10)", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	for _, c := range []struct {
		want int
		says string
		args []string
	}{
		{exitViolated, "never: three violated", []string{"check", file, "--out", out, "--explore=whole"}},
		{exitViolated, "3. up, by " + file + ":4:1", []string{"check", file, "--explore=whole", "--sarif", filepath.Join(dir, "found.sarif")}},
		{exitViolated, "rules that are never possible:\n    down\n", []string{"check", file, "--explore=whole"}},
		{exitExpected, "counter: n=3: never: three violated by a state that breaks it\n", []string{"replay", file, filepath.Join(out, "never--three.unknot")}},
		{exitExpected, "", []string{"verify", file, filepath.Join(out, "never--three.unknot")}},
		{exitExpected, "", []string{"verify", filepath.Join(out, "machine.json"), filepath.Join(out, "deadlock-freedom.unknot")}},
		{exitViolated, "never: three holds", []string{"check", file, "--set", "n=2"}},
		// From 0, 1 and 2 it goes up.
		{exitViolated, "steps by rule, for all keys\n           3  up\n           0  down: never possible\n",
			[]string{"check", file, "--explore=whole", "--coverage"}},
		{exitViolated, "\"steps\": 3\n", []string{"check", file, "--explore=whole", "--coverage", "--json"}},
		{exitViolated,
			"           3          1  counter.star:5:5, in up\n           0          4  counter.star:9:5, in down: never held\n",
			[]string{"check", file, "--explore=whole", "--coverage"}},
		{exitViolated,
			"coverage is not counted: not all states were explored; --explore=whole explores past a violation\n",
			[]string{"check", long, "--set", "n=8", "--property", "never: three", "--coverage"}},
		{exitUnknown, "coverage is not counted: not all states were explored\n", []string{"check", file, "--coverage", "--max-states", "2"}},
		{exitExpected, "HOLDS", []string{"check", "peterson", "--partial-order", "--property", "mutual exclusion",
			"--report", filepath.Join(t.TempDir(), "page.html")}},
		{exitViolated, "\"uncounted\": \"not all states", []string{"check", long, "--set", "n=8", "--property", "never: three", "--coverage", "--json"}},
		{exitViolated, "the invariant \"never: three\" is violated: " + file + ":12:26: s.x == 3, where x=3\n", []string{"check", file, "--explore=whole"}},
		{exitViolated, "never: three", []string{"check", file, "--explore=whole", "--report", filepath.Join(dir, "page.html")}},
		{exitExpected, "two holds: reached in 2 steps", []string{"check", file, "--property", "two"}},
		{exitViolated,
			"two holds: reached in 2 steps\n  evidence: trace of 2 steps, replayed\n  to see its run: add --property with its name\n\n",
			[]string{"check", file, "--explore=whole"}},
		{exitExpected, "     x: 1 -> 2\n    \"two\" is reached", []string{"check", file, "--property", "two"}},
		{exitViolated, "four violated: it cannot be reached", []string{"check", file, "--property", "four"}},
		{exitViolated, "two holds", []string{"check", filepath.Join(out, "machine.json"), "--explore=whole"}},
		{exitExpected, "two holds (reached, trace of 2 steps)", []string{"verify", filepath.Join(out, "machine.json"), filepath.Join(out, "two.unknot")}},
		{exitExpected, "four violated (never reached, closed set of 4 states)", []string{"verify", file, filepath.Join(out, "four.unknot")}},
		{exitExpected, "1 of 1 as expected", []string{"check", file, "--expected"}},
		{exitExpected, "1 of 1 as expected", []string{"check", file, "--expected", "--slice"}},
		{exitExpected, "1 of 1 as expected", []string{"check", dir}},
		{exitViolated, `counter.star:6:6: x: invalid value 4: want 0 to 3`, []string{"check", file, "--set", "n=9"}},
		{exitExpected, "n=3", []string{"show", file}},
		{exitUsage, "is a protocol, not a network", []string{"sweep", file}},
		{exitUsage, "is a protocol, not a network", []string{"graph", file}},
		{exitUsage, "invalid parameter \"m\"", []string{"check", file, "--set", "m=1"}},
	} {
		code, stdout, stderr := unknot(t, c.args...)
		if code != c.want || !strings.Contains(stdout+stderr, c.says) {
			t.Errorf("%v: exit %d, want %d and %q:\n%s%s", c.args, code, c.want, c.says, stdout, stderr)
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, "page.html"))
	for _, want := range []string{
		`<tr><th scope="row" class="number">4</th><td class="margin">up: 3 steps</td>`,
		`<tr><th scope="row" class="number">5</th><td class="margin">held 3, refused 1</td><td><code>    when(s.x &lt; n)</code>`,
		`<tr class="missing"><th scope="row" class="number">9</th><td class="margin">held 0, refused 4, never held</td>`,
		`<tr class="missing"><th scope="row" class="number">8</th><td class="margin">never possible: down</td>`,
	} {
		if err != nil || !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q (%v)", want, err)
		}
	}
	if sarif, err := os.ReadFile(filepath.Join(dir, "found.sarif")); err != nil || !strings.Contains(string(sarif), `"startLine": 4`) {
		t.Errorf("no place of a rule in SARIF (%v):\n%s", err, sarif)
	}
}

// TestSequenceChart: a run of a file in which messages are sent is drawn, to the end of it: one is
// received, one on its way.
func TestSequenceChart(t *testing.T) {
	dir := t.TempDir()
	name := file(t, "pair.star", `machine(name = "pair")
fifo("to", ["ping", "pong"], over = range(2), init = lambda i: ["ping"] if i == 0 else [])
def turn(s, i):
    m = s.to[i].pop()
    s.to[1 - i].push("pong" if m == "ping" else "ping")
rule("{} turns", turn, over = range(2), by = "node {}")
reach("home", lambda s: s.to[1].head == "pong")
reach("start", lambda s: s.to[0].head == "ping")
`)
	if code, out, errs := unknot(t, "check", name, "--out", dir); code != exitExpected {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	run := filepath.Join(dir, "home.unknot")
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{exitExpected, "sequenceDiagram\n  participant a0 as node 0\n  Note over a0: 1. 0 turns\n", []string{name, run, "--to", "mermaid"}},
		{exitExpected, `stroke-dasharray="4 3"`, []string{name, run, "--to", "svg"}},
		{exitUsage, "want a trace of a protocol file", []string{filepath.Join(dir, "machine.json"), run, "--to", "svg"}},
	} {
		code, stdout, stderr := unknot(t, append([]string{"replay"}, c.args...)...)
		if code != c.code || !strings.Contains(stdout+stderr, c.says) {
			t.Errorf("%v: exit %d, want %d and %q:\n%s%s", c.args, code, c.code, c.says, stdout, stderr)
		}
	}
	page := filepath.Join(dir, "page.html")
	if code, _, errs := unknot(t, "check", name, "--report", page); code != exitExpected {
		t.Fatalf("exit %d\n%s", code, errs)
	}
	if text, err := os.ReadFile(page); err != nil || strings.Count(string(text), `<svg xmlns="http://www.w3.org/2000/svg" class="sequence"`) != 1 {
		t.Errorf("the page has no chart of the one run that sends (%v)", err)
	}
}

// TestLoadedContent: what a sweep is about changes with the files that its file loads.
func TestLoadedContent(t *testing.T) {
	dir := t.TempDir()
	file, lib := filepath.Join(dir, "n.star"), filepath.Join(dir, "lib.star")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(file, "load(\"lib.star\", \"answer\")\na = node(name = \"a\")\nb = node(name = \"b\")\nboth(a, b)\ndef route(at, to):\n    return answer(at, to)\n")
	content := map[string]bool{}
	for _, answer := range []string{"[hop(at.node.to(to))]", "[hop(at)]"} {
		write(lib, "def answer(at, to):\n    return "+answer+"\n")
		q, err := (&sweepFlags{}).question(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		content[q.Content] = true
	}
	if len(content) != 2 {
		t.Error("the content is the same though the loaded file has changed")
	}
	if code, stdout, stderr := unknot(t, "check", file); code != exitUsage || !strings.Contains(stderr, "lib.star:2:13: hop into a site") {
		t.Errorf("exit %d, want %d and the line of lib.star:\n%s%s", code, exitUsage, stdout, stderr)
	}
}
