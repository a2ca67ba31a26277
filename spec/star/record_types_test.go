package star_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// TestRecordTypes: wherever a file compares records, two types with equal fields are a mistake at that place, which
// names both, even if the record compared with is never there; one type is none. Types in Starlark have no structure: a
// comparison that is False in every state would let "never" hold of nothing.
func TestRecordTypes(t *testing.T) {
	const file = `machine(name = "m")
one = record(who = range(2), kind = ["read", "write"])
two = record(who = range(2), kind = ["read", "write"])
var("r", one)
var("a", one, over = range(2))
var("n", record(of = one, age = range(2)))
fifo("q", one, size = 2)
fifo("idle", one)
fifo("deep", record(of = one))
var("x", range(2))
def f(s):
    when(not s.q.full and not s.deep.full)
    s.q.push(who = 1)
    s.deep.push(of = one())
rule("f", f)
`
	for _, c := range []struct{ name, text string }{
		{"a variable", "never(\"n\", lambda s: s.r == %s())"},
		{"a variable, unequal", "never(\"n\", lambda s: s.r != %s())"},
		{"the other way round", "never(\"n\", lambda s: %s(who = 1) == s.r)"},
		{"an element", "never(\"n\", lambda s: s.a[1] == %s())"},
		{"a field that is a record", "never(\"n\", lambda s: s.n.of == %s())"},
		{"the head", "never(\"n\", lambda s: s.q.head == %s())"},
		{"a message", "never(\"n\", lambda s: any([m == %s() for m in s.q]))"},
		{"a member of a list", "never(\"n\", lambda s: s.r in [%s(), None])"},
		{"a member of a tuple", "never(\"n\", lambda s: s.r not in (None, %s()))"},
		{"within a tuple", "never(\"n\", lambda s: (1, s.r) == (1, %s()))"},
		{"within a list", "never(\"n\", lambda s: [s.r] == [%s()])"},
		{"a place in a list", "never(\"n\", lambda s: [%s(), s.r].index(s.r) == 0)"},
		{"in a FIFO", "never(\"n\", lambda s: %s() in s.q)"},
		{"in a FIFO that is always empty", "never(\"n\", lambda s: %s() in s.idle)"},
		{"counted", "never(\"n\", lambda s: s.q.count(%s()) > 1)"},
		{"counted where nothing is", "never(\"n\", lambda s: s.idle.count(%s()) > 0)"},
		{"held", "never(\"n\", lambda s: s.q.holds(1, %s()))"},
		{"held where nothing is", "never(\"n\", lambda s: s.idle.holds(0, one(), %s()))"},
		{"in a rule", "def g(s):\n    when(s.q.pop() == %s())\nrule(\"g\", g)"},
		{"taken", "def g(s):\n    s.q.take(%s(who = 1))\nrule(\"g\", g)"},
		{"taken where nothing is", "def g(s):\n    s.idle.take(%s())\nrule(\"g\", g)"},
		{"taken by a field that is a record", "def g(s):\n    s.deep.take(of = %s())\nrule(\"g\", g)"},
		{"pushed", "def g(s):\n    when(not s.q.full)\n    s.q.push(%s())\nrule(\"g\", g)"},
		{"pushed as a field", "def g(s):\n    when(not s.deep.full)\n    s.deep.push(of = %s())\nrule(\"g\", g)"},
		{"assigned", "def g(s):\n    s.r = %s()\nrule(\"g\", g)"},
		{"assigned to a field", "def g(s):\n    s.n.of = %s()\nrule(\"g\", g)"},
		{"initial", "var(\"i\", one, init = %s())"},
		{"outside of functions", "same = one() == %s()"},
		{"in a list outside of functions", "same = one(who = 1) in [%s()]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			load := func(made string) error {
				_, err := star.Load(t.Context(), "m.star", []byte(file+fmt.Sprintf(c.text, made)+"\n"), star.Options{})
				return err
			}
			if err := load("one"); err != nil {
				t.Errorf("of one type: %v", err)
			}
			err := load("two")
			var at *spec.PosError
			if !errors.As(err, &at) || at.Line < 16 {
				t.Fatalf("of two types: %v, want an error in line 16 or 17", err)
			}
			for _, made := range []string{"record(who, kind) of m.star:2:7", "record(who, kind) of m.star:3:7"} {
				if !strings.Contains(at.Msg, made) {
					t.Errorf("%v does not name %s", err, made)
				}
			}
		})
	}
}

// TestRecordsAndValues: a record is never equal to a value, so that is a mistake, too; None is what the head of an empty FIFO is.
func TestRecordsAndValues(t *testing.T) {
	const file = `machine(name = "m")
msg = record(kind = ["get", "put"])
var("r", msg)
fifo("q", msg)
fifo("calls", ["get", "put"])
def f(s):
    when(not s.calls.full)
    s.calls.push("get")
rule("f", f)
`
	for _, c := range []struct{ text, want string }{
		{"s.r == \"get\"", "a record is compared with string: compare a field, as in m.kind"},
		{"s.r in [\"get\"]", "a record is compared with string: compare a field, as in m.kind"},
		{"s.r in range(2)", "a record is compared with int: compare a field, as in m.kind"},
		{"\"get\" in s.q", "a record of q is compared with string: compare a field, as in m.kind"},
		{"s.q.count(\"get\") > 0", "a record of q is compared with string: compare a field, as in m.kind"},
		{"s.q.holds(0, 1)", "a record of q is compared with int: compare a field, as in m.kind"},
		{"msg() in s.calls", "a record is compared with a message of calls, which is no record: compare a field, as in m.kind"},
		{"s.calls.count(msg()) > 0", "a record is compared with a message of calls, which is no record: compare a field, as in m.kind"},
		{"s.q.head == None", ""},
		{"s.q.head in [None, msg()]", ""},
		{"s.calls.count(\"get\") > 0", ""},
	} {
		_, err := star.Load(t.Context(), "m.star", []byte(file+"never(\"n\", lambda s: "+c.text+")\n"), star.Options{})
		var at *spec.PosError
		switch {
		case c.want == "" && err != nil, c.want != "" && !errors.As(err, &at):
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		case c.want != "" && (at.Line != 10 || !strings.HasPrefix(at.Msg, c.want)):
			t.Errorf("%s: %v, want %q in line 10", c.text, err, c.want)
		}
	}
}
