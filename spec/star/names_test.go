package star_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const namesakes = `machine(name = "m")
who = processes("who", 2)
entry = record(NAME = range(3))
var("NAME", record(NAME = range(3), last = bool))
var("a", record(NAME = range(2)), over = who)
fifo("q", entry, size = 2)

def put(s, i):
    when(s.NAME.NAME < 2 and s.a[i].NAME == 0 and count(who, lambda j: s.a[j].NAME == 1) < 2)
    s.NAME.NAME += 1
    s.a[i].NAME = [3, 4].index(4) * len({"k": 1}.keys())
    s.q.push(entry(NAME = s.NAME.NAME))

def get(s, i):
    when(s.a[i].NAME == 1 and not s.q.empty)
    s.NAME.NAME -= "{}".format(s.q.head.NAME).count("2") * s.q.count(entry(NAME = 2))
    s.q.pop()
    s.a[i].NAME = 0

rule("put {}", put, over = who)
rule("get {}", get, over = who)
invariant("few", lambda s: s.NAME.NAME + len(s.q) <= 4)
`

// TestNamesOfMethods: a variable and a field can have the name of a method of Starlark, and the program has the states and
// steps of one with another name. Methods, and the function count, are what they are beside them.
func TestNamesOfMethods(t *testing.T) {
	found := func(name string) space {
		of := walk(t, machine(t, strings.ReplaceAll(namesakes, "NAME", name), nil))
		place := regexp.MustCompile(`m\.star:\d+:\d+`) // whose columns depend on the name
		for i, text := range of.Broken {
			of.Broken[i] = place.ReplaceAllString(strings.ReplaceAll(text, name, "zzzz"), "")
		}
		return of
	}
	want := found("zzzz")
	for _, name := range []string{"count", "index", "keys", "values", "items", "format", "get", "pop", "update", "find"} {
		if diff := cmp.Diff(want, found(name)); diff != "" {
			t.Errorf("%s (-zzzz +%s):\n%s", name, name, diff)
		}
	}
}
