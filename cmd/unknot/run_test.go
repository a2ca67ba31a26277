package main

import (
	"strings"
	"testing"
)

// TestRun: a counter has one run, which is printed in full: to what is violated, to its end, or
// to the bound on steps. Of two that choose, equal seeds print equal runs.
func TestRun(t *testing.T) {
	const head = "machine(name = \"m\")\nvar(\"x\", range(4))\ndef up(s):\n    when(s.x < 2)\n    s.x += 1\nrule(\"up\", up)\n"
	flip := file(t, "flip.star",
		"machine(name = \"m\")\nvar(\"x\", bool, over = range(9))\ndef f(s, i):\n    s.x[i] = not s.x[i]\nrule(\"flip {}\", f, over = range(9))\n")
	for _, c := range []struct {
		name, text string
		code       int
		want       string
		args       []string
	}{
		{"an invariant", head + "never(\"two\", lambda s: s.x == 2)\n", exitViolated,
			"run 1 of 1\n     -\n  1. up, by m.star:3:1\n     x: 0 -> 1\n  2. up, by m.star:3:1\n     x: 1 -> 2\n  never: two is violated: m.star:7:24: s.x == 2, where x=2\n  deadlock: no step is possible\n     in x=2\n     up: m.star:4:10: s.x < 2, where x=2\n" +
				"1 run of seed 1, 1 with a violation; random runs prove nothing: unknot check decides\n", nil},
		{"all that is violated", head + "never(\"two\", lambda s: s.x == 2)\ninvariant(\"small\", lambda s: s.x < 2)\n", exitViolated,
			"\n  never: two is violated: m.star:7:24: s.x == 2, where x=2\n  small is violated: m.star:8:30: s.x < 2, where x=2\n  deadlock: no step is possible\n     in x=2\n     up: m.star:4:10: s.x < 2, where x=2\n1 run", nil},
		{"a deadlock", head, exitViolated, "\n  deadlock: no step is possible\n", nil},
		{"why a rule is refused", head + "def down(s):\n    when(s.x > 2, \"too low\")\n    s.x -= 1\nrule(\"down\", down)\n", exitViolated,
			"\n  deadlock: no step is possible\n     in x=2\n     up: m.star:4:10: s.x < 2, where x=2\n     down: m.star:8:5: too low, where x=2\n", nil},
		{"a message that is lost",
			"machine(name = \"m\")\nvar(\"x\", bool)\nfifo(\"q\", [7], lossy = True)\ndef f(s):\n    when(not s.x and s.q.empty)\n    s.q.push(7)\n    s.x = True\ndef g(s):\n    s.q.pop()\nrule(\"f\", f)\nrule(\"g\", g)\n",
			exitViolated,
			"     q: 7 is lost, x: False -> True\n  deadlock: no step is possible\n     in x=True, q=[]\n", []string{"--runs", "9"}},
		{"an intended end", head + "final(lambda s: s.x == 2)\nreach(\"one\", lambda s: s.x == 1)\n", exitExpected,
			"\n  no step is possible, as intended\n", nil},
		{"a bound", head, exitExpected, "     x: 0 -> 1\n  ... after 1 step\n", []string{"--steps", "1"}},
		{"whole states", strings.Replace(head, "\ndef", "\nvar(\"y\", range(3), init = 2)\ndef", 1), exitExpected,
			"     x=0, y=2\n  1. up, by m.star:4:1\n     x=1, y=2\n  ... after 1 step\n", []string{"--steps", "1", "--states"}},
		{"a value out of range", strings.Replace(head, "when(s.x < 2)", "pass", 1), exitViolated, "x: invalid value 4: want 0 to 3", nil},
		{"no runs", head, exitUsage, `invalid --runs "0"`, []string{"--runs", "0"}},
		{"no place for a scenario", head, exitUsage, "is a protocol", []string{"--sink", "1"}},
	} {
		code, out, errs := unknot(t, append([]string{"run", file(t, "m.star", c.text), "--runs", "1"}, c.args...)...)
		if text := placesOf(out) + errs; code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("%s: exit %d, want %d and %q:\n%s", c.name, code, c.code, c.want, text)
		}
	}
	same := func(seed string) string {
		code, out, errs := unknot(t, "run", flip, "--seed", seed)
		if code != exitExpected || strings.Count(out, "\n  20. ") != 3 {
			t.Errorf("seed %s: exit %d\n%s%s", seed, code, out, errs)
		}
		return out
	}
	first, again, other := same("1"), same("1"), same("2")
	if first != again || first == other {
		t.Error("runs do not depend on the seed alone")
	}
	// A one-way ring of 4 ties its knot sooner or later; an ejection is likely as well.
	if code, out, errs := unknot(t, "run", "ring", "--set", "n=4", "--runs", "50", "--steps", "100"); code != exitViolated ||
		!strings.Contains(out, "  deadlock: packets wait for each other and can never move\n") {
		t.Errorf("a ring: exit %d\n%s%s", code, out, errs)
	}
}

// placesOf leaves the folders out of a text.
func placesOf(text string) string {
	words := strings.Split(text, " ")
	for i, w := range words {
		if at := strings.LastIndex(w, "/"); at >= 0 {
			words[i] = w[at+1:]
		}
	}
	return strings.Join(words, " ")
}
