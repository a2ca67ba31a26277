package star_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec/star"
)

// TestErrorsOfEveryState: an error that a rule or property meets whatever the state is, where the step is not refused, is one of
// the file; one that only some states meet, and fail and a lack of room, are what the protocol does.
func TestErrorsOfEveryState(t *testing.T) {
	const head = "machine(name = \"m\")\nvar(\"n\", range(4))\nvar(\"who\", optional(range(2)))\nvar(\"at\", [\"idle\", \"busy\"])\nfifo(\"q\", [\"a\"])\ndef f(s):\n    when(s.at == \"idle\")\n"
	for _, c := range []struct{ body, want string }{
		{"    s.n = s.n + \"x\"", `m.star:8:15: unknown binary op: int + string: join text with "%s" % x or str(x) (in rule "go")`},
		{"    s.n = {\"a\": 1}[s.at]", `m.star:8:19: key "idle" not in dict (in rule "go")`},
		{"    if s.n > \"a\":\n        s.n = 0", `m.star:8:12: int > string not implemented (in rule "go")`},
		{"    if s.n == 1:\n        s.n = min()", ""}, // in some states only
		{"    s.n = s.who + 1", ""}, // None in some
		{"    fail(\"idle\")", ""},
		{"    s.n = 7", ""},
		{"    s.q.push(\"a\")\n    s.q.push(\"a\")", ""},
		// no state makes that right
		{"    if s.n == 1:\n        s.n = (lambda x: x)()", `m.star:9:26: function lambda missing 1 argument (x) (in rule "go", called from m.star:9:28)`},
		{"    s.n = 1\ninvariant(\"small\", lambda s: s.at == \"idle\" or len(s.n) > 1)",
			`m.star:9:48: len: value of type int has no len (in invariant "small")`},
		{"    s.n = 1\ninvariant(\"small\", lambda s: s.at + 1 == \"idle\")",
			`m.star:9:35: unknown binary op: string + int: join text with "%s" % x or str(x) (in invariant "small")`},
	} {
		_, err := star.Load(t.Context(), "m.star", []byte(head+c.body+"\nrule(\"go\", f)\n"), star.Options{})
		if err == nil && c.want != "" || err != nil && err.Error() != c.want {
			t.Errorf("%s: %v, want %q", c.body, err, c.want)
		}
	}
}

// TestMistakesOfNewcomers: what those wrote who knew the guide alone, and what the message tells them to write instead.
func TestMistakesOfNewcomers(t *testing.T) {
	const head = "machine(name = \"m\")\nvar(\"n\", range(4))\nvar(\"x\", range(2), over = range(2))\nfifo(\"q\", [\"a\", \"b\"])\ndef f(s):\n"
	for _, c := range []struct{ body, want string }{
		{"    s.n = s.n / 2", "m.star:6:6: n: invalid value 0.0: want 0 to 3; // divides to an integer (in rule \"go\")"},
		{"    s.q.take([\"a\", \"b\"])",
			"m.star:6:8: take of the list [\"a\", \"b\"], but no message is a list: write its values as arguments, or take(*list) (in rule \"go\")"},
		{"    s.n = s.x(1)", "m.star:6:12: invalid call of non-function (array): an element is in square brackets, as in s.x[i] (in rule \"go\")"},
		{"    s.n = s.n()", "m.star:6:12: invalid call of non-function (int): leave out the brackets (in rule \"go\")"},
		{"    s.x += 1", "m.star:6:9: unknown binary op: array + int: name an element, as in s.x[i] (in rule \"go\")"},
		{"    s.q += [\"a\"]", "m.star:6:9: unknown binary op: fifo + list: push puts a message in, pop takes the first one out (in rule \"go\")"},
		{"    await(s.n > 1)", "m.star:6:5: got await, want primary expression: when(condition) refuses the step until the condition holds"},
		{"    assert(s.n > 1)", "m.star:6:5: undefined: assert: fail(text) where a condition does not hold; in a rule when(condition) refuses the step"},
		{"    when(s.n > 1 & not s.q.full)",
			"m.star:6:20: got not, want primary expression: write and, or rather than &, |; put not x in brackets after another operator"},
		{"    s.n = 1\nrule(\"{0} moves\", lambda s, i: also(s.q.pop), over = range(2))",
			"m.star:7:1: rule \"{0} moves\": {0} stands for nothing: each {} stands for the next part of the key; the name of a rule can also be a function of the key"},
	} {
		_, err := star.Load(t.Context(), "m.star", []byte(head+c.body+"\nrule(\"go\", f)\n"), star.Options{})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %q", c.body, err, c.want)
		}
	}
}
