package star

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Options bounds and parametrises [Load]. The zero value is usable.
type Options struct {
	Set           map[string]string // values for parameters, by name
	MaxSteps      uint64            // steps at top level; 0 means 10 million
	MaxRouteSteps uint64            // steps of one call of route, or of a rule; 0 means 1 million

	// Open returns the text of a file that load names, by its base name, such as "lib.star",
	// or that table, json or topology name, by its path below the folder of the file, such
	// as "data/edges.csv". Nil means that there are none.
	Open func(name string) ([]byte, error)

	tested    func(*relation) // by tests; may be nil
	metered   bool            // the file does not run bare
	workers   int             // cores that evaluate rules and properties; 0 means all
	leaves    int             // runs of all rules; 0 means mostLeaves
	ruleSteps int             // steps of all rules; 0 means mostRuleSteps
}

// File is the meaning of a file: a machine if Program is not nil, and a network
// otherwise.
type File struct {
	Definition routing.Definition
	Program    *program.Program
	Params     []Param  // in the order of the file
	OwnTags    int      // of a network whose route sees sources: tag = number of the source * OwnTags + the file's own tag; otherwise 0
	Inputs     []string // the data files that were read, ascending
}

const (
	mostText     = 256 << 10 // bytes of a file
	mostSteps    = 10e6      // at top level
	mostNesting  = 200       // brackets inside brackets
	mostNodes    = 1 << 20
	mostChannels = 1 << 24
)

// Load runs a file and returns the network or machine that it describes. The name of the
// file is used only in positions. Cancelling ctx ends the run, and later the evaluation
// of the definition's relation, with the context's error.
func Load(ctx context.Context, file string, text []byte, opt Options) (*File, error) {
	s, err := compile(file, text, opt.metered)
	if err != nil {
		return nil, err
	}
	return s.Load(ctx, opt)
}

// Load is [Load] of the script's file.
func (s *Script) Load(ctx context.Context, opt Options) (*File, error) {
	opt.MaxSteps = cmp.Or(opt.MaxSteps, mostSteps)
	opt.MaxRouteSteps = cmp.Or(opt.MaxRouteSteps, 1e6)
	for {
		b := s.builder(ctx, opt)
		predeclared := b.predeclared()
		thread := newThread(s.file, &run{limit: opt.MaxSteps})
		thread.Load = b.library(predeclared)
		f, err := b.load(ctx, thread, s.prog, predeclared, s.text)
		if err == nil || !b.bare || context.Cause(ctx) != nil {
			return f, err
		}
		opt.metered = true
		if s, err = compile(s.file, s.text, true); err != nil {
			return nil, err
		}
	}
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
	if !freeze(all, b.lists) {
		return nil, place(b.file, 1, 1, "the global values are nested more than %d deep or too often: nest them less", mostDepth)
	}
	if b.m != nil {
		b.source = &Source{b: b, text: text}
		if err := b.build(ctx); err != nil {
			return nil, err
		}
		return &File{Program: b.m.p, Params: b.params, Inputs: b.inputNames()}, nil
	}
	var twins map[*starlark.Function]*starlark.Function
	if b.bare {
		if twins, err = b.twins(text, predeclared, globals, thread.Load); err != nil {
			return nil, err
		}
	}
	def, err := b.define(ctx, globals, twins)
	if err != nil {
		return nil, err
	}
	f := &File{Definition: def, Params: b.params, Inputs: b.inputNames()}
	if b.sources {
		f.OwnTags = b.def.Tags
	}
	return f, nil
}

var dialect = &syntax.FileOptions{TopLevelControl: true, GlobalReassign: true}

// Script is a file that is parsed and compiled, to be run with several values of its
// parameters. It is safe for concurrent use.
type Script struct {
	file     string
	text     []byte
	prog     *starlark.Program
	machine  bool
	inputs   map[string]bool // see builder
	callable map[string]bool
	bare     bool
}

// Compile parses and compiles a file. Its name is used only in positions.
func Compile(file string, text []byte) (*Script, error) { return compile(file, text, false) }

func compile(file string, text []byte, metered bool) (*Script, error) {
	tree, err := parse(file, text)
	if err != nil {
		return nil, err
	}
	b := newBuilder(file, Options{metered: metered})
	b.machine = describesMachine(tree)
	prog, err := b.compile(file, text, tree, b.predeclared())
	if err != nil {
		return nil, err
	}
	return &Script{file, text, prog, b.machine, b.inputs, b.callable, b.bare}, nil
}

// builder returns what a run of the script builds on.
func (s *Script) builder(ctx context.Context, opt Options) *builder {
	b := newBuilder(s.file, opt)
	b.ctx, b.machine, b.callable, b.bare = ctx, s.machine, s.callable, s.bare
	maps.Copy(b.inputs, s.inputs)
	return b
}

// predeclared returns the names that a file knows.
func (b *builder) predeclared() starlark.StringDict {
	all := chargedBuiltins()
	if b.machine {
		maps.Copy(all, b.machineBuiltins())
	} else {
		maps.Copy(all, b.builtins())
		maps.Copy(all, standing(all))
	}
	return all
}

func parse(file string, text []byte) (*syntax.File, error) {
	if len(text) > mostText {
		return nil, place(file, 1, 1, "a file of %d bytes: at most %d are read", len(text), mostText)
	}
	if err := checkNesting(file, text); err != nil {
		return nil, err
	}
	tree, err := dialect.Parse(file, bytes.TrimPrefix(text, []byte("\ufeff")), 0)
	if err != nil {
		return nil, syntaxFault(file, text, "", err)
	}
	return tree, nil
}

const ofMachines = "processes, domain, symmetry, var, fifo, record, optional, rule, when, choose, count, invariant, never, reach, eventually, final, network_of"

// compile meters and compiles the tree of a file.
func (b *builder) compile(file string, text []byte, tree *syntax.File, predeclared starlark.StringDict) (*starlark.Program, error) {
	var calls map[string]bool
	if file == b.file && !b.machine {
		calls = rememberable(tree)
		b.callable, b.bare = calls, calls != nil && !b.opt.metered && plainDefaults(tree)
	}
	if err := meter(file, text, tree, metering{machine: b.machine, callable: calls, bare: calls != nil && b.bare}); err != nil {
		return nil, err
	}
	b.inputsOf(tree)
	prog, err := starlark.FileProgram(tree, predeclared.Has)
	if err != nil {
		names := "param, network, node, link, both, topology, table, json, flows, replies, hop"
		if b.machine {
			names = "param, " + ofMachines + ", expect, table, json"
		}
		return nil, syntaxFault(file, text, names, err)
	}
	return prog, nil
}

// newlines returns a text with its lines as the parser counts them: a carriage return ends
// one, alone or before a newline.
func newlines(text []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
}

// checkNesting refuses texts whose parse would need a deep stack. It counts
// brackets in comments and strings too, of which real files have few.
func checkNesting(file string, text []byte) error {
	depth, line, start := 0, 1, 0
	for i, c := range text {
		switch c {
		case '\n':
			line, start = line+1, i+1
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
		if depth > mostNesting {
			return place(file, line, i-start+1, "brackets nested more than %d deep: split the expression", mostNesting)
		}
	}
	return nil
}

func newThread(file string, r *run) *starlark.Thread {
	t := &starlark.Thread{Name: file, Print: func(*starlark.Thread, string) {}}
	t.SetLocal(runKey, r)
	t.SetMaxExecutionSteps(r.limit)
	return t
}

// run is what the built-in functions know about the thread that calls them.
type run struct {
	limit uint64 // steps
	site  *site  // the arguments of route; nil at top level
	other string // flows or replies, if its function is evaluated instead of route

	evaluation *evaluation // of a rule or property of a machine
	probe      *probe      // the run with stand-ins, if it is one
	calls      *calls      // the calls remembered; nil: none
	hops       int         // how many were made
	places     *places     // of these
	last       [8]lastPlace
}

// about names what is being evaluated; "" at top level.
func (r *run) about() string {
	switch {
	case r.evaluation != nil:
		return r.evaluation.about
	case r.site == nil:
		return ""
	case r.other != "":
		return "in " + r.other + " from " + r.site.node.name + " to " + r.site.dest.name
	}
	return "in route at " + r.site.String()
}

const runKey = "run"

func runOf(t *starlark.Thread) *run { return t.Local(runKey).(*run) }

// define turns what the file declared into a definition.
func (b *builder) define(ctx context.Context, globals starlark.StringDict, twins map[*starlark.Function]*starlark.Function) (routing.Definition, error) {
	none := routing.Definition{}
	if len(b.nodes) == 0 {
		return none, place(b.file, 1, 1, "no node: declare nodes with node(name, at=(x, y))")
	}
	route, ok := globals["route"].(*starlark.Function)
	if !ok {
		if v := globals["route"]; v != nil {
			return none, place(b.file, 1, 1, "route is of type %s: it must be a function, def route(at, to)", v.Type())
		}
		return none, place(b.file, 1, 1, "no routing: define def route(at, to) that returns a list of hops")
	}
	if pos := route.Position(); route.NumParams() != 2 || route.HasVarargs() || route.HasKwargs() || route.NumKwonlyParams() > 0 {
		return none, place(b.file, int(pos.Line), int(pos.Col), "route must take two parameters: write def route(at, to)")
	}
	t := b.topology()
	if err := t.Err(); err != nil {
		return none, place(b.file, 1, 1, "%v", err)
	}
	def := b.def
	def.Topology = t
	def.Source = cmp.Or(def.Source, b.file)
	def.Name = cmp.Or(def.Name, strings.TrimSuffix(b.file[strings.LastIndexByte(b.file, '/')+1:], ".star"))
	r := newRelation(ctx, b, t, route)
	r.twins = twins
	if !r.plainly {
		r.calls = newCalls(b.callable, globals, twins)
	}
	if b.sources {
		const most = 1 << 16
		switch {
		case len(b.replied) > 0:
			return none, place(b.file, 1, 1, "sources cannot be combined with replies: a transaction has several sources; keep what matters in the tag")
		case def.Tags*t.Nodes() > most:
			return none, place(b.file, 1, 1, "sources of %d nodes with %d tags each: at most %d in all", t.Nodes(), def.Tags, most)
		}
		r.tags, def.Tags = def.Tags, def.Tags*t.Nodes()
	}
	def.Routing = routing.Deliver(t, r)
	if def.Flows = r.flows(b.flow); def.Flows == nil {
		def.Flows = b.between()
	}
	def.Replies = r.replies(b.replied)
	return def, nil
}

// topology copies the declared nodes and links.
func (b *builder) topology() *spec.Topology {
	t := spec.NewTopology(b.vcNames...)
	for _, n := range b.nodes {
		t.AddNode(n.name, n.coordinates()...)
		n.links = slices.Clip(n.links)
	}
	for _, l := range b.links {
		l.first = t.Channel(t.AddLink(spec.Link{From: l.src.id, To: l.dst.id, VCs: l.vcs, Out: l.out, In: l.into, Dim: l.dim}), 0)
	}
	return t
}

func place(file string, line, col int, format string, args ...any) error {
	return &spec.PosError{File: file, Line: line, Col: col, Msg: oneLine(fmt.Sprintf(format, args...))}
}
