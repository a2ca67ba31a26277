package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestShowRules: the effect of a rule is shown below its instances, in the words of the file, whether
// that is a function, a lambda among other code or in a loaded file; without a file, by
// its guard and assignments.
func TestShowRules(t *testing.T) {
	name := file(t, "m.star", `load("lib.star", "reset")
machine(name = "m")
n = param("n", 2, min = 1, max = 100)
var("x", ["idle", "busy"], over = range(n))
fifo("q", range(2))
if True:
    def start(s, i):
        when(s.x[i] == "idle")

        s.x[i] = "busy"
    rule("start", start, over = range(n), fair = False)
rule("drop", lambda s: also(s.q.pop)); rule("reset", reset)
`)
	if err := os.WriteFile(filepath.Join(filepath.Dir(name), "lib.star"),
		[]byte("def reset(s):\n    s.x[0] = \"idle\"\n    s.q.push(1)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rules := func(args ...string) string {
		t.Helper()
		code, out, errs := unknot(t, append([]string{"show"}, args...)...)
		if code != exitExpected {
			t.Fatalf("exit %d\n%s", code, errs)
		}
		out = out[strings.Index(out, "rule:"):] // behind the counts
		out, _, _ = strings.Cut(out, "sha256:")
		return regexp.MustCompile(`, by \S*/`).ReplaceAllString(out, ", by ")
	}
	if diff := cmp.Diff(`rule:      start 0, by m.star:7:5, not fair
rule:      start 1, by m.star:7:5, not fair
    def start(s, i):
        when(s.x[i] == "idle")

        s.x[i] = "busy"
rule:      drop, by m.star:12:14
    lambda s: also(s.q.pop)
rule:      reset, by lib.star:1:1
    def reset(s):
        s.x[0] = "idle"
        s.q.push(1)
`, rules(name)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if out := rules(name, "--set", "n=70"); !strings.Contains(out, "rule:      start 63, by m.star:7:5, not fair\n  ... and 6 more\n    def start") {
		t.Errorf("70 instances are shown so:\n%s", out)
	}
	plain := file(t, "p.json", `{"format": "unknot-program-1", "name": "p",
 "variables": [{"name": "x", "values": ["idle", "busy"]}, {"name": "y", "values": 3}],
 "rules": [{"name": "go", "guard": ["and", ["=", "x", 0], ["<", "y", 2]], "do": [["set", "x", 1], ["if", ["=", "y", 0], [["set", "y", ["+", "y", 1]]], [["set", "y", 0]]]]}]}
`)
	if diff := cmp.Diff(`rule:      go
    when x = idle and y < 2
    then x := busy, if y = 0 then (y := y + 1) else (y := 0)
`, rules(plain)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestIdle is about two mistakes that no verdict shows: a rule that waits in place of a deadlock, and a hop that names
// no VC in a network of two.
func TestIdle(t *testing.T) {
	const ring = "network(vcs = 2)\nn = [node() for i in range(3)]\n[link(n[i], n[(i + 1) % 3]) for i in range(3)]\n" +
		"def route(at, to): return [hop(at.node.out[0]HERE)]\n"
	inFolder(t, map[string]string{
		"polls.star": "machine(name = \"p\")\nvar(\"x\", [\"idle\", \"busy\"])\ndef go(s):\n    when(s.x == \"idle\")\n    s.x = \"busy\"\n" +
			"rule(\"goes\", go)\nrule(\"polls\", lambda s: when(s.x == \"busy\"))\n",
		"full.star": "machine(name = \"f\")\nvar(\"x\", range(3))\ndef up(s):\n    if s.x < 2:\n        s.x += 1\nrule(\"up\", up)\n",
		"long.star": "machine(name = \"l\")\np = processes(\"p\", 2)\nvar(\"x\", range(12), over = p)\ndef up(s, i):\n    if s.x[i] < 11:\n" +
			"        s.x[i] += 1\nrule(\"up of {}\", up, over = p)\n",
		"three.star": "machine(name = \"t\")\nvar(\"x\", range(6))\ndef begin(s, i):\n    when(s.x == 0)\n    s.x = i\n" +
			"rule(\"start {}\", begin, over = [1, 2, 3, 5])\ndef go(s):\n    when(s.x > 0)\n    if s.x < 3:\n        s.x = 4 if s.x == 2 else 2\nrule(\"go\", go)\n",
		"never.star": "machine(name = \"n\")\nvar(\"x\", range(3))\nrule(\"rests\", lambda s: when(s.x == 0))\n",
		// As in TLA+: a message that is sent again is there already.
		"again.star": "machine(name = \"a\")\nvar(\"sent\", bool)\ndef send(s): s.sent = True\nrule(\"send\", send)\n",
		"first.star": strings.Replace(ring, "HERE", "", 1),
		"both.star":  strings.Replace(ring, "HERE", ", int(at.node.id > to.id)", 1),
	})
	tells(t, []told{
		{"check full.star", 0, "\n  in the state x=2, the only possible steps change nothing: up (full.star:3:1); such a state does not count as a deadlock, " +
			"but does where these steps are refused, by when(...) or by a guard\n" +
			"  it is the only such state, and is reached by 2 steps: up, up\n"},
		// Each counter stops at 11: the states (11, 0), (11, 1) ... in which only the first is stuck still have a step.
		{"check long.star", 0, "\n  it is the only such state, and is reached by 22 steps: up of 0, up of 0, up of 0, up of 0, up of 0, up of 0, " +
			"up of 0, up of 0, up of 0, up of 0, and 12 more\n"},
		// The first step chooses 1, 2, 3 or 5. Then 1 goes to 2, and 2 to 4, while 3, 4 and 5 go nowhere else.
		{"check three.star", 0, "\n  there are 3 such states; this one, as near as any, is reached by 1 step: start 3\n"},
		{"check never.star", 0, "\n  it is the only such state, and is an initial one\n"},
		{"check polls.star", 0, "\n  in the state x=busy, the only possible steps change nothing: polls (polls.star:7:15); such a state does not count as a deadlock, but "},
		{"check again.star", 0, "\n  in the state sent=True, the only possible steps change nothing: send (again.star:3:1); such a state does not count as a deadlock, but "},
		{"check first.star", 1, "3 channels in use (3 unused: no hop leads into vc1 of any link)"},
		{"check both.star", 0, "unused), "},
	})
}

// TestPropertyOfAllKeys: --property takes the name that a file declares, as expect does, and the names of single keys.
func TestPropertyOfAllKeys(t *testing.T) {
	inFolder(t, map[string]string{"p.star": `machine(name = "p")
cpu = processes("cpu", 2)
x = var("x", bool, over = cpu)
def flip(s, i):
    s.x[i] = not s.x[i]
rule("flip", flip, over = cpu)
eventually("load of {} is served", lambda s, i: s.x[i], over = cpu)
always_possible("idle", lambda s, i: not s.x[i], over = cpu)
never("both", lambda s: s.x[0] and s.x[1])
eventually("of nobody {}", lambda s, i: s.x[0], over = [])
expect("load of {} is served", "holds")
expect("of nobody {}", "holds")  # says nothing
`})
	for property, want := range map[string][]string{
		"load of {} is served": {"load of 0 is served", "load of 1 is served"}, "load of 1 is served": {"load of 1 is served"},
		"idle": {"idle 0", "idle 1"}, "idle 0": {"idle 0"}, "both": {"never: both"}, "never: both": {"never: both"},
		"load of 2 is served": nil, "load of": nil, "{}": nil, "": nil, "of nobody {}": nil,
	} {
		code, out, errs := unknot(t, "check", "p.star", "--property", property, "--json")
		var r struct{ Properties []struct{ Property string } }
		if err := json.Unmarshal([]byte(out), &r); (err != nil) != (want == nil) || (code == exitUsage) != (want == nil) {
			t.Errorf("%q: exit %d, %v: %s%s", property, code, err, out, errs)
		}
		var got []string
		for _, p := range r.Properties {
			got = append(got, p.Property)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", property, diff)
		}
	}
}
