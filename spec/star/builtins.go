package star

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// The names that files know, and those of functions that metered trees call.

// predeclared returns the names that a file knows.
func (b *builder) predeclared() starlark.StringDict {
	all := chargedBuiltins()
	if b.machine {
		maps.Copy(all, b.machineBuiltins())
	} else {
		maps.Copy(all, b.builtins())
		maps.Copy(all, symbolicBuiltins(all))
	}
	return all
}

// chargedBuiltins returns replacements for those of Starlark's own functions that make
// something large, or that files cannot use.
func chargedBuiltins() starlark.StringDict {
	all := starlark.StringDict{}
	for _, name := range []string{"all", "any", "enumerate", "float", "list", "reversed", "tuple", "zip"} {
		all[name] = charged(starlark.Universe[name].(*starlark.Builtin), nil)
	}
	for _, name := range []string{"max", "min", "sorted"} {
		all[name] = ordering(starlark.Universe[name].(*starlark.Builtin))
	}
	all["dict"] = charged(starlark.Universe["dict"].(*starlark.Builtin), affordDict)
	for _, name := range []string{"str", "repr", "fail"} {
		all[name] = charged(starlark.Universe[name].(*starlark.Builtin), affordText)
	}
	all["range"] = starlark.NewBuiltin("range", safeRange)
	all["struct"] = starlark.NewBuiltin("struct", newFields)
	for _, name := range []string{"bytes", "dir", "getattr", "hasattr", "hash", "print", "set"} {
		all[name] = starlark.NewBuiltin(name, func(*starlark.Thread, *starlark.Builtin, starlark.Tuple,
			[]starlark.Tuple) (starlark.Value, error) {
			return nil, mistakef("%s is not available in these files; fail(...) shows a value", name)
		})
	}
	all["int"] = charged(starlark.Universe["int"].(*starlark.Builtin), affordNumber)
	for name, f := range meters() {
		all[name] = starlark.NewBuiltin(name, f)
	}
	return all
}

// builtins returns what the file of a network can call besides the Starlark core.
func (b *builder) builtins() starlark.StringDict {
	all := starlark.StringDict{}
	functions := map[string]builtin{
		"param": b.param, "network": b.network, "node": b.node, "link": b.link, "topology": b.topologyOf,
		"both": b.linkBothWays, "flows": b.flows, "replies": b.replies, "expect": b.expect,
		"paths": b.paths, "tables": b.tables,
	}
	maps.Copy(functions, b.dataBuiltins())
	for name, f := range functions {
		all[name] = starlark.NewBuiltin(name, func(t *starlark.Thread, g *starlark.Builtin, args starlark.Tuple,
			kwargs []starlark.Tuple) (starlark.Value, error) {
			if runOf(t).site != nil {
				return nil, fmt.Errorf("%s inside route: declare everything at top level", name)
			}
			return withUsage(f, usage)(t, g, args, kwargs)
		})
	}
	all["hop"] = starlark.NewBuiltin("hop", withUsage(b.hop, usage))
	all["discard"] = starlark.NewBuiltin("discard", withUsage(b.discard, usage))
	all["oblivious"] = starlark.NewBuiltin("oblivious", withUsage(b.oblivious, usage))
	return all
}

// usage shows how each function is called.
var usage = map[string]string{
	"param":    `param(name, default, min=, max=, choices=, doc=)`,
	"network":  `network(name=, paper=, switching=, buffer=, tags=, classes=, vcs=, sources=)`,
	"node":     `node("a") or node(at=(0, 1))`,
	"link":     `link(a, b, vcs=, out=, into=, dim=)`,
	"both":     `both(a, b, vcs=, out=, back=, dim=)`,
	"flows":    `flows(f) or flows([(a, b), ...])`,
	"replies":  `replies(request, reply, buffer=1, request_buffer=, outstanding=, to=)`,
	"expect":   `expect(deadlock_freedom=, livelock_freedom=, delivery=, no_discard=, switching=)`,
	"hop":      `hop(link, vc=0, tag=0, room=1)`,
	"table":    `table(file, columns=)`,
	"json":     `json(file)`,
	"topology": `topology(file, vcs=, both_ways=, format=)`,
	"paths":    `paths(file)`,
	"tables":   `tables(files)`,

	"discard":   `discard()`,
	"oblivious": `oblivious([hop(a), hop(b)])`,
}

func (b *builder) machineBuiltins() starlark.StringDict {
	all := starlark.StringDict{}
	functions := map[string]builtin{
		"param": b.param, "machine": b.startMachine,
		"processes": b.processes, "domain": b.domain, "symmetry": b.symmetry,
		"var": b.variable, "fifo": b.fifo, "record": b.record, "optional": b.optional,
		"rule": b.rule, "invariant": b.property, "never": b.property, "reach": b.property, "eventually": b.property,
		"always_possible": b.property,
		"ltl":             b.ltl, "final": b.final, "initial": b.initialOf,
		"expect": b.expectOf, "network_of": b.networkOf,
	}
	maps.Copy(functions, b.dataBuiltins())
	for name, f := range functions {
		all[name] = starlark.NewBuiltin(name, func(t *starlark.Thread, g *starlark.Builtin, args starlark.Tuple,
			kwargs []starlark.Tuple) (starlark.Value, error) {
			switch {
			case evaluationOf(t) != nil:
				return nil, mistakef("%s inside a rule: declare everything at top level", name)
			case b.m == nil &&
				!slices.Contains([]string{"param", "machine", "record", "optional", "table", "json"}, name):
				return nil, fmt.Errorf("%s before machine: call machine(name = \"...\") first", name)
			}
			return withUsage(f, machineUsage)(t, g, args, kwargs)
		})
	}
	all["bool"] = starlark.Universe["bool"]
	inRules := map[string]builtin{"when": when, "choose": choose, "fail": fail, "count": count, "also": also}
	for name, f := range inRules {
		all[name] = starlark.NewBuiltin(name, withUsage(f, machineUsage))
	}
	for name, f := range lazies() {
		all[name] = starlark.NewBuiltin(name, f)
	}
	return all
}

// machineUsage shows how each function is called.
var machineUsage = map[string]string{
	"param":     `param(name, default, min=, max=, choices=, doc=)`,
	"machine":   `machine(name=, paper=)`,
	"processes": `processes(name, n)`,
	"domain":    `domain(name, values)`,
	"symmetry":  `symmetry(image, ...)`,
	"var":       `var(name, values, over=, init=)`,
	"fifo": `fifo(name, values, size=1, over=, init=, lossy=, duplicating=, unordered=, blocking=, inferred=, ` +
		`arbiter=, sources=, classes=)`,
	"record":          `record(field = values, ...)`,
	"optional":        `optional(values)`,
	"rule":            `rule(name, f, over=, fair=True, by=, priority=0, timeout=False)`,
	"when":            `when(condition, why)`,
	"choose":          `choose(options)`,
	"count":           `count(over, f)`,
	"fail":            `fail(text)`,
	"also":            `also(f, ...)`,
	"invariant":       `invariant(name, f, over=)`,
	"never":           `never(name, f, over=)`,
	"reach":           `reach(name, f, over=)`,
	"eventually":      `eventually(name, f, over=)`,
	"always_possible": `always_possible(name, f, over=)`,
	"ltl":             `ltl(name, formula, over=, fair=True, p = f, ...)`,
	"final":           `final(f)`,
	"initial":         `initial(f)`,
	"expect":          `expect(property, verdict)`,
	"table":           `table(file, columns=)`,
	"json":            `json(file)`,
	"network_of":      `network_of(file, carries=, name="net", ...)`,
}

// lazies returns the functions that the metered tree of a machine's file calls.
func lazies() map[string]builtin {
	all := map[string]builtin{".": lazyAttr, "[]": lazyIndex, "lazy count": withUsage(lazyCount,
		map[string]string{"lazy count": machineUsage["count"]}), "lazy len": lazyLen, "x += y": lazyAdd, "read number": knownNumber,
		"lazy min": lazyExtreme("min"), "lazy max": lazyExtreme("max"),
		"count + count": addCounts,
		"init any":      initAny,
		"choose if":     chooseIf,
		"is true":       truth, "part begins": partBegins, "part ends": partEnds}
	for op, name := range sums {
		all[name] = lazySum(op)
	}
	for op, name := range comparisons {
		all[name] = func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
			_ []starlark.Tuple) (starlark.Value, error) {
			return compare(t, op, args[0], args[1])
		}
		all["spelt "+name] = func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
			_ []starlark.Tuple) (starlark.Value, error) {
			return spelt(t, op, args[0], args[1])
		}
	}
	return all
}

// symbolicBuiltins returns replacements for built-in functions whose arguments may be
// symbolic values, and the functions that the metered tree calls.
func symbolicBuiltins(plain starlark.StringDict) starlark.StringDict {
	all := starlark.StringDict{"[]": starlark.NewBuiltin("[]", indexSymbolic),
		"remembered call": starlark.NewBuiltin("remembered", remembered)}
	for op, name := range comparisons {
		all[name] = starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
			_ []starlark.Tuple) (starlark.Value, error) {
			if err := chargeSymbolic(t, args); err != nil {
				return nil, err
			}
			if err := chargeComparison(t, op, args[0], args[1]); err != nil {
				return nil, err
			}
			t.Steps-- // the name of the function: it takes as many steps as the operator
			if runOf(t).function == "flows" && numberAndText(args[0], args[1]) && (op == syntax.EQL || op == syntax.NEQ) {
				return nil, errNamedClass
			}
			return compareSymbolic(op, args[0], args[1])
		})
	}
	all["min"] = starlark.NewBuiltin("min", minMax(opMin, plain["min"].(*starlark.Builtin)))
	all["max"] = starlark.NewBuiltin("max", minMax(opMax, plain["max"].(*starlark.Builtin)))
	for name, f := range map[string]starlark.Value{"abs": starlark.Universe["abs"], "range": plain["range"],
		"a method": plain["a method"], "%": plain["%"], "*": plain["*"], "*=": plain["*="]} {
		all[name] = starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
			kwargs []starlark.Tuple) (starlark.Value, error) {
			if err := chargeSymbolic(t, args); err != nil {
				return nil, err
			}
			if !makesTerm(name, args) {
				args = concretizeAll(args)
			}
			return f.(*starlark.Builtin).CallInternal(t, args, kwargs)
		})
	}
	return all
}

// meters returns the functions that the metered tree calls.
func meters() map[string]builtin {
	all := map[string]builtin{"a copy": chargeCopy, "dict made": chargeDict, "element +=": affordElement,
		"a method": chargedMethod, "a key": key}
	for op, name := range comparisons {
		all["charged "+name] = comparing(op)
	}
	for _, op := range []syntax.Token{syntax.PLUS, syntax.STAR, syntax.PERCENT, syntax.PIPE, syntax.LTLT} {
		name, _ := operator(op)
		all[name] = func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
			_ []starlark.Tuple) (starlark.Value, error) {
			if err := afford(t, op, args[0], args[1]); err != nil {
				return nil, err
			}
			return starlark.Binary(op, args[0], args[1])
		}
		all[name+"="] = func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
			_ []starlark.Tuple) (starlark.Value, error) {
			return args[1], afford(t, op, args[0], args[1])
		}
	}
	return all
}

type builtin = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

// withUsage charges for the arguments, and adds to an error about them how the function is called.
func withUsage(f builtin, usage map[string]string) builtin {
	return func(t *starlark.Thread, g *starlark.Builtin, args starlark.Tuple,
		kwargs []starlark.Tuple) (starlark.Value, error) {
		if err := chargeArguments(t, args, kwargs); err != nil {
			return nil, err
		}
		v, err := f(t, g, args, kwargs)
		if err != nil && argumentError().MatchString(err.Error()) {
			err = fmt.Errorf("%w: write %s%s", err, usage[g.Name()], nowCalled(g.Name(), kwargs))
		}
		return v, err
	}
}

// notInFile answers keywords of network that newcomers guess at: what is asked about a network, or measured, and is
// no part of it.
var notInFile = []struct{ word, answer string }{
	{"flit", "a verdict covers packets of every length, and unknot check --length 5 asks about packets of 5 flits"},
	{"length", "a verdict covers packets of every length, and unknot check --length 5 asks about packets of 5 flits"},
	{"packet", "a verdict covers packets of every length, and unknot check --length 5 asks about packets of 5 flits"},
	{"bubble", "unknot check --bubble 2 asks about bubbles, and hop(link, room = 2) states them link by link"},
	{"delay", "a verdict covers every delay, and unknot simulate --delays sets them"},
	{"latency", "a verdict covers every delay, and unknot simulate --delays sets them"},
}

// nowCalled names the new word for a keyword of before the first release, or says where else something is stated.
func nowCalled(function string, kwargs []starlark.Tuple) string {
	for _, x := range kwargs {
		word := string(x[0].(starlark.String))
		if now := words.Renamed(function + " " + word); now != "" {
			return fmt.Sprintf("; %s is now called %s", word, now)
		}
		for _, guess := range notInFile {
			if function == "network" && strings.Contains(word, guess.word) {
				return "; " + guess.answer
			}
		}
	}
	return ""
}

// argumentError matches the errors of [starlark.UnpackArgs].
var argumentError = pattern(`^\w+: (for parameter |unexpected |missing argument |got \d+ arguments)`)

func given(v starlark.Value) bool { return v != nil && v != starlark.None }

// stringsIn reads a list or a tuple of strings.
func stringsIn(what string, v starlark.Value) ([]string, error) {
	list, ok := v.(starlark.Indexable)
	if _, isText := v.(starlark.String); !ok || isText {
		return nil, fmt.Errorf("%s is %s: want a list of strings", what, nameOf(v))
	}
	if list.Len() > 1<<16 {
		return nil, fmt.Errorf("%s has %d entries: want at most 65536", what, list.Len())
	}
	out := make([]string, list.Len())
	seen := map[string]bool{}
	for i := range out {
		text, ok := list.Index(i).(starlark.String)
		s := spec.Printable(string(text))
		if !ok {
			return nil, fmt.Errorf("%s contains %s: want a list of strings", what, nameOf(list.Index(i)))
		}
		if seen[s] {
			return nil, fmt.Errorf("%s contains %.40q twice: names must differ", what, s)
		}
		out[i], seen[s] = s, true
	}
	return out, nil
}

// Param is a parameter that a file declares.
type Param struct {
	Name     string
	Kind     string // "int", "bool" or "string"
	Default  string
	Value    string   // what the file was run with
	Min, Max int      // of an int; math.MinInt and math.MaxInt if unbounded
	Choices  []string // of a string; nil: any string
	Doc      string
}

// Range describes the values that p takes, such as "2..64" or "xy|yx".
func (p Param) Range() string {
	switch {
	case p.Kind == "bool":
		return "true|false"
	case p.Kind == "string" && len(p.Choices) > 0:
		return strings.Join(p.Choices, "|")
	case p.Kind == "string":
		return "any text"
	case p.Min == math.MinInt && p.Max == math.MaxInt:
		return "any integer"
	case p.Min == math.MinInt:
		return fmt.Sprintf("at most %d", p.Max)
	case p.Max == math.MaxInt:
		return fmt.Sprintf("at least %d", p.Min)
	}
	return fmt.Sprintf("%d..%d", p.Min, p.Max)
}

// value turns text into a value of p's kind within its range.
func (p Param) value(text string) (starlark.Value, error) {
	wrong := fmt.Errorf("invalid %s %.40q: want %s", p.Name, text, p.Range())
	switch p.Kind {
	case "bool":
		switch text {
		case "true", "True", "yes", "1":
			return starlark.True, nil
		case "false", "False", "no", "0":
			return starlark.False, nil
		}
		return nil, wrong
	case "int":
		x, err := strconv.Atoi(text)
		if err != nil || x < p.Min || x > p.Max {
			return nil, wrong
		}
		return starlark.MakeInt(x), nil
	}
	if len(p.Choices) > 0 && !slices.Contains(p.Choices, text) {
		return nil, wrong
	}
	if len(text) > 1<<10 {
		return nil, fmt.Errorf("invalid %s of %d bytes: want at most 1024", p.Name, len(text))
	}
	return starlark.String(text), nil
}
