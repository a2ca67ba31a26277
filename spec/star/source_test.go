package star_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec/star"
)

const lock = `machine(name = "lock")
procs = processes("process", 2)
var("at", ["idle", "wants", "critical"], over = procs)
fifo("token", ["token"], init = ["token"])

def free(s):
    when(not s.token.empty, "the token is there")

def want(s, i):
    when(s.at[i] == "idle")
    s.at[i] = "wants"

def enter(s, i):
    when(s.at[i] == "wants", "it wants to")
    s.token.pop()
    s.at[i] = "critical"

rule("{} wants", want, over = procs)
rule("{} enters", enter, over = procs)
def several(s):
    when(count(procs, lambda i: s.at[i] != "idle") > 1, "alone")
    when(count(procs, lambda i: s.at[i] == "critical") < 2)

rule("check", lambda s: free(s))
rule("several", several)
invariant("alone", lambda s, i, j: s.at[i] != "critical" or s.at[j] == "idle", over = [(0, 1), (1, 0)])
never("all", lambda s: all([s.at[i] == "critical" for i in procs]))
invariant("at most one", lambda s: count(procs, lambda i: s.at[i] == "critical") < 2)
reach("one", lambda s: s.at[1 if s.at[0] != "idle" else 2] == "critical")
`

// TestSource: what refuses a rule in a state is reported with its place, and with why or the False part of the
// condition and its values; a broken invariant, with the keys for which it fails, the part of the condition, and its
// values.
func TestSource(t *testing.T) {
	p := machine(t, lock, nil)
	from := star.SourceOf(p)
	if from == nil {
		t.Fatal("no source")
	}
	changed := *p
	if star.SourceOf(&changed) != nil {
		t.Error("a copy, whose rules may be others, has a source")
	}
	rule := func(name string) int {
		for k, r := range p.Rules {
			if r.Name == name {
				return k
			}
		}
		t.Fatalf("no rule %q", name)
		return 0
	}
	// By variable: at[0], at[1], token.0 (1: there is one), faults.
	state := func(values ...int) []int { return append(values, make([]int, len(p.Variables)-len(values))...) }
	for _, c := range []struct {
		rule  string
		state []int
		want  []string // place, and why
	}{
		{"0 wants", state(0, 0, 1), []string{"", ""}},
		{"0 wants", state(1, 0, 1), []string{"m.star:10:10", `s.at[i] == "idle", where i=0, at[0]=wants`}},
		{"0 enters", state(0, 1, 1), []string{"m.star:14:5", "it wants to, where at[0]=idle"}},
		{"1 enters", state(0, 1, 0), []string{"m.star:15:12", "token is empty"}},
		{"check", state(0, 0, 0), []string{"m.star:7:5, called from m.star:24:25", "the token is there, where token=[]"}},
		{"several", state(0, 1, 1), []string{"m.star:21:5", "alone, where at[0]=idle, at[1]=wants"}},
		{"several", state(1, 1, 1), []string{"", ""}},
		{"several", state(2, 2, 1), []string{"m.star:22:10", `count(procs, lambda i: s.at[i] == "critical") < 2, where at[0]=critical, at[1]=critical`}},
	} {
		if place, why := from.Refusal(rule(c.rule), c.state); !cmp.Equal([]string{place, why}, c.want) {
			t.Errorf("%s in %v: %s: %s, want %q", c.rule, c.state, place, why, c.want)
		}
	}
	c, err := from.Coverage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range [][]int{state(0, 1, 1), state(1, 1, 1), state(2, 2, 1)} {
		c.Count(s)
	}
	if last := c.Whens[len(c.Whens)-2:]; last[0].Held != 2 || last[0].Refused != 1 || last[1].Held != 1 || last[1].Refused != 1 {
		t.Errorf("conditions of several are %+v: want 2 of 3 states to pass the first, and one of them the second", last)
	}
	for _, c := range []struct {
		invariant string
		state     []int
		want      []string
	}{
		{"alone", state(2, 0, 1), nil},
		{"alone", state(1, 2, 1), []string{`m.star:26:36: s.at[i] != "critical" or s.at[j] == "idle", where i=1, j=0, at[1]=critical, at[0]=wants`}},
		{"alone", state(2, 2, 1), []string{`m.star:26:36: s.at[i] != "critical" or s.at[j] == "idle", where i=0, j=1, at[0]=critical, at[1]=critical`,
			`m.star:26:36: s.at[i] != "critical" or s.at[j] == "idle", where i=1, j=0, at[1]=critical, at[0]=critical`}},
		{"at most one", state(2, 1, 1), nil},
		{"at most one", state(2, 2, 1), []string{`m.star:28:36: count(procs, lambda i: s.at[i] == "critical") < 2, where at[0]=critical, at[1]=critical`}},
		{"never: all", state(2, 2, 1), []string{`m.star:27:24: all([s.at[i] == "critical" for i in procs]), where at[0]=critical, at[1]=critical`}},
		{"one: never reached", state(1, 2, 1), []string{`m.star:29:24: s.at[1 if s.at[0] != "idle" else 2] == "critical", where at[0]=wants, at[1]=critical`}},
		{"one: never reached", state(0, 2, 1), nil}, // an error: it is not the state that is looked for
	} {
		if diff := cmp.Diff(c.want, from.Broken(c.invariant, c.state)); diff != "" {
			t.Errorf("%s in %v (-want +got):\n%s", c.invariant, c.state, diff)
		}
	}
}

// TestFault: a wrong step is reported in the words of the file, even where a line has too many
// messages for the program to keep them apart, and in what also calls.
func TestFault(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"var(\"x\", range(12), init = 11)\ndef f(s):\n    fail(\"x is\", s.x)\nrule(\"falls\", f)\n", "falls: m.star:4:5: fail: x is 11"},
		{"var(\"x\", range(3))\ndef f(s):\n    s.x = -1\nrule(\"f\", f)\n", "f: m.star:4:6: x: invalid value -1: want 0, 1, 2"},
		{"var(\"x\", range(3), init = 2)\ndef f(s, i):\n    when(i == 1)\n    s.x += i\nrule(\"{} goes\", f, over = range(2))\n",
			"1 goes: m.star:5:6: x: invalid value 3: want 0, 1, 2"},
		{"fifo(\"q\", [\"a\"], init = [\"a\"])\ndef f(s):\n    also(s.q.push, \"a\")\nrule(\"sends\", f)\n",
			"sends: m.star:4:5: q is full: its size is 1; blocking = True, or when(not s.q.full), waits, where q=[a]"},
		{"var(\"x\", bool)\ndef f(s):\n    s.x = not s.x\nrule(\"turns\", f)\n", ""},
	} {
		p := machine(t, "machine(name = \"m\")\n"+c.text, nil)
		if got := star.SourceOf(p).Fault(p.Start()); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
