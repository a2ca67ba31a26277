package star

import (
	"cmp"
	"errors"

	"go.starlark.net/starlark"

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

// errParamsRead ends the run of a file of which only the parameters are wanted.
var errParamsRead = errors.New("the parameters are read")

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
