package star

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// machine collects what the file of a machine declares.
type machine struct {
	name, source string
	p            *program.Program
	root         *slot   // the state: a record of all variables
	places       []*slot // by variable
	sets         []*members
	symmetries   []symmetry // that the file states
	group        *group     // that these generate
	rules        []declared // rules and properties, in order
	expects      []expected
	faults       map[string]program.Var // by place and message
	ahead        bool                   // it is evaluated before its turn: see apart
	met          []metFault             // if ahead: the faults, whose variables come after all others
	ways         map[string]int         // by place: how many messages it has
	parts        []*stepPart
	over         []Over                          // networks that it runs over
	arbiters     map[*slot]*arbiter              // by FIFO
	waiting      int                             // operators that say who waits for a turn
	reached      map[*decision.Tree]map[int]bool // parts of steps
	noting       *noted                          // nil except while the contents of FIFOs are inferred
	late         []lateArbiter                   // of inferred FIFOs
	partNumber   map[stepPartKey]int
	strings      map[string]bool // strings that variables can hold
	leaves       int             // runs that are left
	steps        int             // steps of the interpreter that are left
}

const (
	mostLeaves    = 1 << 20 // of a file
	mostRuleSteps = 1 << 29
)

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

// IsMachine reports whether a file describes a machine: whether it calls machine(...)
// at top level. A text that cannot be parsed does not.
func IsMachine(text []byte) bool {
	tree, err := parse("", text)
	return err == nil && describesMachine(tree)
}

func describesMachine(tree *syntax.File) bool {
	return slices.ContainsFunc(tree.Stmts, func(s syntax.Stmt) bool {
		e, ok := s.(*syntax.ExprStmt)
		if !ok {
			return false
		}
		call, ok := e.X.(*syntax.CallExpr)
		if !ok {
			return false
		}
		name, ok := call.Fn.(*syntax.Ident)
		return ok && name.Name == "machine"
	})
}

func (b *builder) startMachine(_ *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if b.paramsOnly {
		return nil, errParamsRead
	}
	if b.m != nil {
		return nil, errors.New("machine is called twice: call it once")
	}
	if len(args) > 0 {
		return nil, errors.New("machine takes named arguments only: write machine(name = \"...\", source = \"...\")")
	}
	m := &machine{p: program.New(""), root: &slot{kind: &record{}}, faults: map[string]program.Var{}, ways: map[string]int{}, partNumber: map[stepPartKey]int{}, arbiters: map[*slot]*arbiter{}, reached: map[*decision.Tree]map[int]bool{}, leaves: cmp.Or(b.opt.leaves, mostLeaves), steps: cmp.Or(b.opt.ruleSteps, mostRuleSteps)}
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "name", &m.name, "source?", &m.source); err != nil {
		return nil, err
	}
	m.name = spec.Printable(m.name)
	b.m = m
	return starlark.None, nil
}
