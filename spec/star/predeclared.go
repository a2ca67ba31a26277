package star

import (
	"fmt"
	"maps"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
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
		all[name] = starlark.NewBuiltin(name, func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
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
	}
	maps.Copy(functions, b.dataBuiltins())
	for name, f := range functions {
		all[name] = starlark.NewBuiltin(name, func(t *starlark.Thread, g *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			if runOf(t).site != nil {
				return nil, fmt.Errorf("%s inside route: declare everything at top level", name)
			}
			return withUsage(f, usage)(t, g, args, kwargs)
		})
	}
	all["hop"] = starlark.NewBuiltin("hop", withUsage(b.hop, usage))
	return all
}

// usage shows how each function is called.
var usage = map[string]string{
	"param":    `param(name, default, min=, max=, choices=, doc=)`,
	"network":  `network(name=, source=, switching=, buffer=, tags=, classes=, vcs=, sources=)`,
	"node":     `node("a") or node(at=(0, 1))`,
	"link":     `link(a, b, vcs=, out=, into=, dim=)`,
	"both":     `both(a, b, vcs=, out=, back=, dim=)`,
	"flows":    `flows(f) or flows([(a, b), ...])`,
	"replies":  `replies(request, reply, buffer=1, endpoint=, outstanding=, to=)`,
	"expect":   `expect(deadlock=, livelock=, delivery=, switching=)`,
	"hop":      `hop(link, vc=0, tag=0)`,
	"table":    `table(file, columns=)`,
	"json":     `json(file)`,
	"topology": `topology(file, vcs=, both_ways=, format=)`,
}

func (b *builder) machineBuiltins() starlark.StringDict {
	all := starlark.StringDict{}
	functions := map[string]builtin{
		"param": b.param, "machine": b.startMachine, "processes": b.processes, "domain": b.domain, "symmetry": b.symmetry, "var": b.variable, "fifo": b.fifo, "record": b.record, "optional": b.optional,
		"rule": b.rule, "invariant": b.property, "never": b.property, "reach": b.property, "eventually": b.property, "final": b.final,
		"expect": b.expectOf, "network_of": b.networkOf,
	}
	maps.Copy(functions, b.dataBuiltins())
	for name, f := range functions {
		all[name] = starlark.NewBuiltin(name, func(t *starlark.Thread, g *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			switch {
			case evaluationOf(t) != nil:
				return nil, mistakef("%s inside a rule: declare everything at top level", name)
			case b.m == nil && !slices.Contains([]string{"param", "machine", "record", "optional", "table", "json"}, name):
				return nil, fmt.Errorf("%s before machine: call machine(name = \"...\") first", name)
			}
			return withUsage(f, machineUsage)(t, g, args, kwargs)
		})
	}
	all["bool"] = starlark.Universe["bool"]
	for name, f := range map[string]builtin{"when": when, "choose": choose, "fail": fail, "count": count, "also": also} {
		all[name] = starlark.NewBuiltin(name, withUsage(f, machineUsage))
	}
	for name, f := range lazies() {
		all[name] = starlark.NewBuiltin(name, f)
	}
	return all
}

// machineUsage shows how each function is called.
var machineUsage = map[string]string{
	"param":      `param(name, default, min=, max=, choices=, doc=)`,
	"machine":    `machine(name=, source=)`,
	"processes":  `processes(name, n)`,
	"domain":     `domain(name, values)`,
	"symmetry":   `symmetry(image, ...)`,
	"var":        `var(name, values, over=, init=)`,
	"fifo":       `fifo(name, values, size=1, over=, init=, lossy=, duplicating=, unordered=, blocking=, inferred=, arbiter=, sources=)`,
	"record":     `record(field = values, ...)`,
	"optional":   `optional(values)`,
	"rule":       `rule(name, f, over=, fair=True, by=)`,
	"when":       `when(condition, why)`,
	"choose":     `choose(options)`,
	"count":      `count(over, f)`,
	"fail":       `fail(text)`,
	"also":       `also(f, ...)`,
	"invariant":  `invariant(name, f, over=)`,
	"never":      `never(name, f, over=)`,
	"reach":      `reach(name, f, over=)`,
	"eventually": `eventually(name, f, over=)`,
	"final":      `final(f)`,
	"expect":     `expect(property, verdict)`,
	"table":      `table(file, columns=)`,
	"json":       `json(file)`,
	"network_of": `network_of(file, carries=, name="net", ...)`,
}

// lazies returns the functions that the metered tree of a machine's file calls.
func lazies() map[string]builtin {
	all := map[string]builtin{".": lazyAttr, "[]": lazyIndex, "lazy count": withUsage(lazyCount, map[string]string{"lazy count": machineUsage["count"]}), "lazy len": lazyLen, "x + y": lazyPlus, "count + count": addCounts,
		"is true": truth, "part begins": partBegins, "part ends": partEnds}
	for op, name := range comparisons {
		all[name] = func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return compare(t, op, args[0], args[1])
		}
		all["spelt "+name] = func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return spelt(t, op, args[0], args[1])
		}
	}
	return all
}

// symbolicBuiltins returns replacements for built-in functions whose arguments may be
// symbolic values, and the functions that the metered tree calls.
func symbolicBuiltins(plain starlark.StringDict) starlark.StringDict {
	all := starlark.StringDict{"[]": starlark.NewBuiltin("[]", indexSymbolic), "remembered call": starlark.NewBuiltin("remembered", remembered)}
	for op, name := range comparisons {
		all[name] = starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			if err := chargeSymbolic(t, args); err != nil {
				return nil, err
			}
			if err := chargeComparison(t, op, args[0], args[1]); err != nil {
				return nil, err
			}
			t.Steps-- // the name of the function: it takes as many steps as the operator
			return compareSymbolic(op, args[0], args[1])
		})
	}
	all["min"] = starlark.NewBuiltin("min", minMax(opMin, plain["min"].(*starlark.Builtin)))
	all["max"] = starlark.NewBuiltin("max", minMax(opMax, plain["max"].(*starlark.Builtin)))
	for name, f := range map[string]starlark.Value{"abs": starlark.Universe["abs"], "range": plain["range"], "a method": plain["a method"], "%": plain["%"], "*": plain["*"], "*=": plain["*="]} {
		all[name] = starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
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
	all := map[string]builtin{"a copy": chargeCopy, "dict made": chargeDict, "element +=": affordElement, "a method": chargedMethod, "a key": key}
	for op, name := range comparisons {
		all["charged "+name] = comparing(op)
	}
	for _, op := range []syntax.Token{syntax.PLUS, syntax.STAR, syntax.PERCENT, syntax.PIPE, syntax.LTLT} {
		name, _ := operator(op)
		all[name] = func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			if err := afford(t, op, args[0], args[1]); err != nil {
				return nil, err
			}
			return starlark.Binary(op, args[0], args[1])
		}
		all[name+"="] = func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return args[1], afford(t, op, args[0], args[1])
		}
	}
	return all
}
