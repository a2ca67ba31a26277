package star

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// File is the meaning of a file: a machine if Program is not nil, and a network
// otherwise.
type File struct {
	Definition routing.Definition
	Program    *program.Program
	Params     []Param  // in the order of the file
	OwnTags    int      // of a network whose route sees sources: tag = number of the source * OwnTags + the file's own tag; otherwise 0
	Inputs     []string // the data files that were read, ascending

	steps uint64 // at top level
}

// DefaultSteps is the limit on the steps of a file at top level, unless [Options] sets one.
const DefaultSteps = 10e6

// Load runs a file and returns the network or machine that it describes. The name of the
// file is used only in positions. Cancelling ctx ends the run, and later the evaluation
// of the definition's relation, with the context's error.
func Load(ctx context.Context, file string, text []byte, opt Options) (*File, error) {
	s, err := Compile(file, text)
	if err != nil {
		return nil, err
	}
	return s.Load(ctx, opt)
}

// Load is [Load] of the script's file.
func (s *Script) Load(ctx context.Context, opt Options) (*File, error) {
	opt.MaxSteps = cmp.Or(opt.MaxSteps, DefaultSteps)
	opt.MaxRouteSteps = cmp.Or(opt.MaxRouteSteps, 1e6)
	b := s.builder(ctx, opt)
	predeclared := b.predeclared()
	thread := newThread(s.file, &run{limit: opt.MaxSteps})
	thread.Load = b.library(predeclared)
	return b.load(ctx, thread, s.prog, predeclared, s.text)
}

// Params returns the parameters that a file declares, in the order of the file, when it
// runs with the given values and defaults for the rest. The file of a machine stops where
// it calls machine. It evaluates no rule and no route.
func Params(file string, text []byte, opt Options) ([]Param, error) {
	s, err := Compile(file, text)
	if err != nil {
		return nil, err
	}
	return s.Params(opt)
}

// Params is [Params] of the script's file.
func (s *Script) Params(opt Options) ([]Param, error) {
	b := s.builder(context.Background(), opt)
	predeclared := b.predeclared()
	thread := newThread(s.file, &run{limit: cmp.Or(opt.MaxSteps, DefaultSteps)})
	thread.Load = b.library(predeclared)
	b.paramsOnly = true
	if _, err := s.prog.Init(thread, predeclared); err != nil && !errors.Is(err, errParamsRead) {
		return nil, fault(s.file, thread, err)
	}
	return b.params, nil
}

// load runs a file.
func (b *builder) load(ctx context.Context, thread *starlark.Thread, prog *starlark.Program, predeclared starlark.StringDict, text []byte) (*File, error) {
	stop := context.AfterFunc(ctx, func() { thread.Cancel("interrupted") })
	globals, err := prog.Init(thread, predeclared)
	stop()
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if err != nil {
		return nil, fault(b.file, thread, err)
	}
	if err := b.checkSet(); err != nil {
		return nil, err
	}
	all := maps.Clone(globals)
	if b.m != nil { // functions that no global value reaches
		for k, d := range b.m.rules {
			all[fmt.Sprint("rule ", k)] = d.f
		}
	}
	if _, whole := freeze(all, b.lists); !whole {
		return nil, place(b.file, 1, 1, "the global values are nested more than %d deep or too often: nest them less", mostDepth)
	}
	if b.m != nil {
		if err := b.build(ctx); err != nil {
			return nil, err
		}
		b.m.p.Source = &Source{b: b, text: text}
		return &File{Program: b.m.p, Params: b.params, Inputs: b.inputNames()}, nil
	}
	def, err := b.define(ctx, globals)
	if err != nil {
		return nil, err
	}
	f := &File{Definition: def, Params: b.params, Inputs: b.inputNames(), steps: thread.Steps}
	if b.sources {
		f.OwnTags = b.def.Tags
	}
	return f, nil
}

// Script is a file that is parsed and compiled, to be run with several values of its
// parameters. It is safe for concurrent use.
type Script struct {
	file     string
	text     []byte
	prog     *starlark.Program
	machine  bool
	inputs   map[string]bool // see builder
	callable map[string]bool
}

// Compile parses and compiles a file. Its name is used only in positions.
func Compile(file string, text []byte) (*Script, error) {
	tree, err := parse(file, text)
	if err != nil {
		return nil, err
	}
	b := newBuilder(file, Options{})
	b.machine = describesMachine(tree)
	prog, err := b.compile(file, text, tree, b.predeclared())
	if err != nil {
		return nil, err
	}
	return &Script{file, text, prog, b.machine, b.inputs, b.callable}, nil
}

// builder returns what a run of the script builds on.
func (s *Script) builder(ctx context.Context, opt Options) *builder {
	b := newBuilder(s.file, opt)
	b.ctx, b.machine, b.callable = ctx, s.machine, s.callable
	maps.Copy(b.inputs, s.inputs)
	return b
}
