package star_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// bombs make x, of which y is a copy that shares nothing with it. To visit all of it takes long, although it was made
// in a few steps.
var bombs = []struct{ name, text string }{
	{"tuples within tuples", "x, y = (1,), (1,)\nfor _ in range(60):\n    x, y = (x, x), (y, y)\n"},
	{"lists within lists", "x, y = [1], [1]\nfor _ in range(60):\n    x, y = [x, x], [y, y]\n"},
	{"dicts within dicts", "x, y = {}, {}\nfor _ in range(60):\n    x, y = {0: x, 1: x}, {0: y, 1: y}\n"},
	{"wide tuples", "x, y = (1,), (1,)\nfor _ in range(7):\n    x, y = (x,) * 200, (y,) * 200\n"}, // Starlark compares ten levels
	{"wide lists", "x, y = [1], [1]\nfor _ in range(7):\n    x, y = [x] * 200, [y] * 200\n"},
	{"wide tuples of lists", "x, y = [1], [1]\nfor _ in range(7):\n    x, y = (x,) * 200, (y,) * 200\n"},
	{"deep tuples", "x, y = (), ()\nfor _ in range(5000):\n    x, y = (x,), (y,)\n"},
	{"deep lists", "x, y = [], []\nfor _ in range(5000):\n    x, y = [x], [y]\n"},
	{"long texts", "x, y = (\"ab\" * 60000,) * 2000, (\"ab\" * 60000,) * 2000\n"},
	{"a long text", "x, y = \"ab\" * 90000, \"ab\" * 90000\n"},
	{"a long list", "x, y = list(range(10000)), list(range(10000))\n"},
}

// uses are statements with x and y, each of which some operator or syntax evaluates.
func uses() []string {
	var all []string
	for _, op := range []string{"==", "!=", "<", "<=", ">", ">=", "in", "not in", "+", "-", "*", "/", "//", "%", "|", "&", "^", "<<", ">>", "and", "or"} {
		for _, sides := range [][2]string{{"x", "y"}, {"x", "[y]"}, {"[x]", "[[y]]"}, {"(x,)", "((y,), 1)"},
			{"x", "{1: y}"}, {"{1: x}", "{1: y}"}, {"\"%s\"", "x"}, {"\"%s%r\"", "(x, y)"}, {"\"%(k)s\"", "{\"k\": x}"},
			{"x", "1"}, {"1", "x"}, {"3", "x"}, {"\"b\"", "x"}} {
			all = append(all, fmt.Sprintf("z = %s %s %s", sides[0], op, sides[1]))
		}
	}
	for _, op := range []string{"+=", "*=", "%=", "|=", "-=", "<<="} {
		all = append(all, "z = x\n    z "+op+" y", "z = [x]\n    z "+op+" [y]", "z = \"%s\"\n    z "+op+" x",
			"z = [x]\n    z[0] "+op+" y", "z = {1: x}\n    z "+op+" {2: y}", "z = {}\n    z[x] "+op+" 1")
	}
	return append(all,
		"z = {x: 1}", "z = {1: x}", "z = {k: 1 for k in [x, y]}", "z = {1: v for v in [x, y]}", "z = [v for v in x]", "z = [v for v in [x, y] if v]",
		"z = {}[x]", "z = {1: 2}[x]", "z = x[0]", "z = x[-1:]", "z = x[::2]", "z = x[x]", "z = [1][x]",
		"z = {}\n    z[x] = 1", "z = {}\n    z[x], z[y] = 1, 2", "z = {}\n    for z[x] in [1]:\n        pass",
		"z = [0 for d in [{}] for d[x] in [1]]", "z = x\n    z[0] = 1",
		"z, w = x", "(z, w), v = x, y", "[z] = [x]", "z = (lambda *a, **k: 0)(*[x, y])",
		"z = (lambda *a, **k: 0)(**{\"a\": x})", "z = (lambda a = x: a)()", "z = (lambda a: a)(x)",
		"z = -x", "z = +x", "z = ~x", "z = not x", "z = 1 if x else y", "z = x.a", "z = x.index",
		"z = struct(a = x) == struct(a = y)", "z = struct(a = x).b", "z = struct(a = x).a == y",
		"z = x\n    z.a = y", "z = x()", "z = [x].index\n    w = z(y)", "z = {}.get\n    w = z(x)",
		"z = [{}.get(k) for k in [x]]", "z = sorted([x, y] * 20)", "z = sorted(range(50), key = lambda i: x)",
		"z = max(range(50), key = lambda i: x)", "z = sorted(range(50), lambda i: y, True)",
		"z = [min, max, sorted][1](x, y)", "z = dict([(x, 1)])", "z = dict([[x, 1]] * 9)", "z = dict({}, a = x)",
		"z = {}.update([(x, 1)])", "z = {1: x}.update({2: y})", "z = zip(x, y, x)", "z = list(zip([x], [y])[0])",
		"z = float(\"1\" * 90000)",
		"z = \",\".join([str(1)] * 900)", "z = \"b\".startswith((\"a\" * 90000,) * 900)",
		"z = (\"a\" * 90000 + \"b\").startswith((\"a\" * 90000 + \"c\",) * 900)", "z = \"a\".join(x)",
		"z = \"{}{0}\".format(x)", "z = \"{a}\".format(a = x)", "z = {x: y}.pop(x)", "z = {}.pop(x, 1)",
		"z = {}.setdefault(x, y)")
}

// calls are calls of every word, and of every method of a list, a dict and a text.
func calls(machine bool) []string {
	var all []string
	for _, word := range star.Words(machine) {
		for _, args := range []string{"x", "x, y", "[x, y]", "{1: x}", "[[x, 1], [y, 2]]", "x, key = lambda i: x",
			"\"a\", x", "\"a\", [x, y]", "\"a\", range(3), x", "\"a\", range(2), over = x",
			"\"a\", lambda *a: 0, over = [x]", "a, b, x", "1, choices = x", "[(a, b)] * 50", "name = x", "at = x",
			"classes = x", "f = x", "a = x", "\"q%d\" % i", "\"q%d\" % i, 1", "\"q%d\" % i, lambda s: True",
			"\"q%d\" % i, range(3)"} {
			all = append(all, fmt.Sprintf("z = %s(%s)", word, args))
		}
	}
	for of, methods := range map[string][]string{"[x, y]": starlark.NewList(nil).AttrNames(),
		"{1: x}": starlark.NewDict(0).AttrNames(), "x": starlark.NewList(nil).AttrNames(),
		"(\"a\" * 90000)": starlark.String("").AttrNames()} {
		for _, name := range methods {
			for _, args := range []string{"", "y", "[y]", "(y, y)", "0, y", "y, y", "\"a\", y"} {
				all = append(all, fmt.Sprintf("z = %s.%s(%s)", of, name, args))
			}
		}
	}
	return all
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ") + "\n"
}

// places are where a use can stand: each returns a file. The use is repeated until the steps are used up, unless it
// fails at once.
var places = []struct {
	name    string
	machine bool
	file    func(bomb, use string) string
}{
	{"top level", false, func(bomb, use string) string {
		return pair + bomb + "for i in range(1 << 40):\n    " + use + "\n" + direct
	}},
	{"route", false, func(bomb, use string) string {
		return pair + "def route(at, to):\n" + indented(bomb) + "    for i in range(1 << 40):\n    " + indented(use) + "    return [hop(at.node.out[0])]\n"
	}},
	{"the file of a machine", true, func(bomb, use string) string {
		return "machine(name = \"m\")\n" + bomb + "for i in range(1 << 40):\n    " + use + "\n"
	}},
	{"a rule", true, func(bomb, use string) string {
		return "machine(name = \"m\")\nvar(\"v\", range(3))\na, b = 0, 1\ndef f(s):\n    when(s.v < 2)\n" +
			indented(bomb) + "    for i in range(1 << 40):\n    " + indented(use) + "    s.v += 1\nrule(\"f\", f)\n"
	}},
}

// TestBombs: whatever an operator, a word or a method does with a value that contains itself many times over, it ends:
// with an error that has a file, a line and a column, in time and memory that its steps explain.
func TestBombs(t *testing.T) {
	for _, at := range places {
		t.Run(at.name, func(t *testing.T) {
			operators := uses()
			for i, use := range append(operators, calls(at.machine)...) {
				if i < len(operators) && seedtest.Sampled(i, 20) && at.name == places[0].name {
					explode(t, bombs[0].name, at.file(bombs[0].text, use))
				}
				for k := range 2 {
					if b := bombs[(2*i+k)%len(bombs)]; seedtest.Sampled(2*i+k, 67) {
						explode(t, b.name, at.file(b.text, use))
					}
				}
			}
		})
	}
}

// TestDeepBombs: values nested 200,000 deep end in an error, not on the stack of the program.
func TestDeepBombs(t *testing.T) {
	for _, inner := range []string{"(x,)", "[x]", "{1: x}"} {
		for _, use := range []string{"{x: 1}", "x == y", "str(x)", "flows([x])"} {
			text := pair + "x = 1\nfor _ in range(200000):\n    x = " + inner + "\n" +
				"y = 1\nfor _ in range(5000):\n    y = " + strings.ReplaceAll(inner, "x", "y") + "\n"
			_, err := star.Load(t.Context(), "n.star", []byte(text+"z = "+use+"\n"+direct), star.Options{MaxSteps: 4e6})
			var at *spec.PosError
			if !errors.As(err, &at) {
				t.Errorf("%s of %s: %v: want an error with a place", use, inner, err)
			}
		}
	}
}

// TestBombsOfFiles: reading one file again and again takes steps.
func TestBombsOfFiles(t *testing.T) {
	read := 0
	open := func(string) ([]byte, error) { read++; return []byte("[]"), nil }
	_, err := star.Load(t.Context(), "n.star", []byte("for i in range(1 << 40):\n    json(\"d.json\")\n"), star.Options{Open: open})
	// it is loaded twice, to say what is wrong
	if want := "n.star:2:5: more than 10000000 steps: beyond the bound: is there a loop or a list that is far too long?"; fmt.Sprint(err) != want ||
		read > 20000 {
		t.Errorf("%v after %d files: want %s after at most 20,000", err, read, want)
	}
}

// TestBombsOfRecords: record types may share their fields' types, sixty times over; and a list of lists of keys stands for
// all combinations.
func TestBombsOfRecords(t *testing.T) {
	const wide = "a = node()\nb = node()\nlink(a, b, vcs = 256)\nflows([(a, b)])\n"
	for text, want := range map[string]string{
		"r = record(v = range(2))\nfor _ in range(60):\n    r = record(a = r, b = r)\n": "m.star:4:9: more than 16384 variables: beyond the bound: make the record smaller",
		"var(\"v\", range(2), over = [range(60000), range(60000)])\n":                   "m.star:2:1: more than 65536 keys: beyond the bound: use fewer",
		"var(\"v\", [str(i) for i in range(60000)], over = range(16000))\n":             "m.star:2:1: more than 1000000 steps: beyond the bound: is there a loop or a list that is far too long?",
		"for i in range(1 << 40):\n    network_of(\"n.star\", name = \"n%d\" % i)\n":    "m.star:3:5: more than 16384 variables: beyond the bound: make the machine smaller",
	} {
		_, err := star.Load(t.Context(), "m.star", []byte("machine(name = \"m\")\n"+text),
			star.Options{Open: folder{"n.star": wide + direct}.open, MaxSteps: 1e6})
		if fmt.Sprint(err) != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// explode loads and compiles a file, which must fail in time.
func explode(t *testing.T, name, text string) {
	t.Helper()
	const steps, most, bytes = 100_000, 30 * time.Second, 256 << 20
	ended := make(chan error, 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	go func() {
		f, err := star.Load(context.Background(), "n.star", []byte(text), star.Options{MaxSteps: steps, MaxRouteSteps: steps}.Evaluating(1, 0, 4*steps))
		if err == nil && f.Program == nil {
			_, err = routing.Compile(context.Background(), f.Definition, routing.CompileOptions{Workers: 1})
		}
		ended <- err
	}()
	select {
	case err := <-ended:
		var at *spec.PosError
		if err != nil && !errors.As(err, &at) {
			t.Errorf("%s: %v, of type %T: want a file, a line and a column\n%s", name, err, err, text)
		}
	case <-time.After(most):
		t.Fatalf("%s: takes more than %v for %d steps\n%s", name, most, steps, text)
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > bytes {
		t.Errorf("%s: %d bytes for %d steps\n%s", name, after.TotalAlloc-before.TotalAlloc, steps, text)
	}
}
