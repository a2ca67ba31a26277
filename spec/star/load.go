package star

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// File is the meaning of a file: a machine if Program is not nil, and a network
// otherwise.
type File struct {
	Definition routing.Definition
	Program    *program.Program
	Params     []Param  // in the order of the file
	OwnTags    int      // if route sees sources: tag = number of the source * OwnTags + the file's own tag; otherwise 0
	Inputs     []string // the data files that were read, ascending

	steps uint64 // at top level
}

// SourcesCost counts the sites of the file's network in channels, and how many there would be if the tag did not tell
// the source: as many if route does not see it.
func (f *File) SourcesCost(n *spec.Network) (apart, without int) {
	type place struct {
		channel spec.ChannelID
		tag     spec.Tag
	}
	for i := range n.Tables() {
		t := n.Table(i)
		apart += t.Len()
		seen := map[place]bool{}
		for s, c := range t.Channels {
			tag := t.Tag(s)
			if f.OwnTags > 0 {
				tag %= spec.Tag(f.OwnTags)
			}
			seen[place{c, tag}] = true
		}
		without += len(seen)
	}
	return apart, without
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
func (b *builder) load(ctx context.Context, thread *starlark.Thread, prog *starlark.Program,
	predeclared starlark.StringDict, text []byte) (*File, error) {
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
	if b.opt.Routes != nil && b.opt.Routes.Network != nil && b.m != nil {
		if err := b.route(thread); err != nil {
			return nil, place(b.file, 1, 1, "over a network: %v", err)
		}
	}
	all := maps.Clone(globals)
	if b.m != nil { // functions that no global value reaches
		for k, d := range b.m.rules {
			all[fmt.Sprint("rule ", k)] = d.f
		}
		if b.m.initially != nil {
			all["initial"] = b.m.initially.f
		}
	}
	if _, whole := freeze(all, b.lists); !whole {
		return nil, place(b.file, 1, 1,
			"the global values are nested more than %d deep, or share parts too often: use flatter values",
			mostDepth)
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

// MostBytes is how long a file can be.
const MostBytes = 256 << 10

var dialect = &syntax.FileOptions{TopLevelControl: true, GlobalReassign: true}

func parse(file string, text []byte) (*syntax.File, error) {
	if len(text) > MostBytes {
		return nil, place(file, 1, 1, "a file of %d bytes: at most %d are read", len(text), MostBytes)
	}
	if err := checkNesting(file, text); err != nil {
		return nil, err
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if before, _, has := bytes.Cut(text, []byte{0}); has { // the scanner takes it for the end
		line := before[bytes.LastIndexByte(before, '\n')+1:]
		return nil, place(file, bytes.Count(before, []byte("\n"))+1, utf8.RuneCount(line)+1,
			"a NUL byte: want text in UTF-8")
	}
	tree, err := dialect.Parse(file, text, 0)
	if err != nil {
		return nil, syntaxFault(file, text, "", err)
	}
	return tree, nil
}

// IsMachine reports whether a file describes a machine: whether it calls machine(...)
// at top level. A text that cannot be parsed does not.
func IsMachine(text []byte) bool {
	tree, err := parse("", text)
	return err == nil && describesMachine(tree)
}

// IsLibrary reports whether a file describes neither a machine nor a network: it neither calls
// machine(...) nor lists routes, nor gives route a meaning. A text that cannot be parsed is no library.
func IsLibrary(text []byte) bool {
	tree, err := parse("", text)
	return err == nil && !describesMachine(tree) && !listsRoutes(tree) &&
		!slices.ContainsFunc(tree.Stmts, func(s syntax.Stmt) bool { return binds(s, "route") })
}

// binds reports whether a statement gives a name a meaning.
func binds(s syntax.Stmt, name string) bool {
	is := func(e *syntax.Ident) bool { return e.Name == name }
	switch s := s.(type) {
	case *syntax.DefStmt:
		return is(s.Name)
	case *syntax.AssignStmt:
		to, ok := s.LHS.(*syntax.Ident)
		return ok && is(to)
	case *syntax.LoadStmt:
		return slices.ContainsFunc(s.To, is)
	}
	return false
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

// compile meters and compiles the tree of a file.
func (b *builder) compile(file string, text []byte, tree *syntax.File,
	predeclared starlark.StringDict) (*starlark.Program, error) {
	m := metering{machine: b.machine}
	if file == b.file && !b.machine {
		m.callable, m.evaluated = rememberable(tree)
		b.callable = m.callable
	}
	if err := meter(file, text, tree, m); err != nil {
		return nil, err
	}
	b.inputsOf(tree)
	prog, err := starlark.FileProgram(tree, predeclared.Has)
	if err != nil {
		names := "param, network, node, link, both, topology, table, json, paths, tables, flows, replies, hop"
		if b.machine {
			names = "param, " + ofMachines + ", expect, table, json"
		}
		return nil, syntaxFault(file, text, names, err)
	}
	return prog, nil
}

// builder collects what a file declares.
type builder struct {
	ctx         context.Context // of Load, for the networks that it loads
	file        string
	opt         Options
	params      []Param
	paramsOnly  bool // the file ends at the call of machine
	def         routing.Definition
	described   bool // network was called
	sources     bool // route sees where a packet comes from
	vcs         int  // VCs of a link that does not say
	vcNames     []string
	nodes       []*node
	links       []*link
	named       map[string]*node
	channels    int
	flow        flow
	replied     []reply
	machine     bool // the file describes a machine
	m           *machine
	instances   []instance              // of a machine, by rule of the program
	inputs      map[string]bool         // data files that the texts name
	read        map[string]bool         // those that were read
	listed      *routing.Definition     // of lists of routes, if they are the routing
	oneWay      string                  // a list of links that topology read as links one way, without being told so
	quiet       map[*node]bool          // nodes that, as topology says, neither send nor receive
	lists       map[starlark.Value]bool // lists and dicts in global values
	precomputed map[keyed]*precomputed  // what was answered ahead
	callable    map[string]bool         // functions whose calls may be remembered
	inferred    map[any]*precomputed    // by keyed, or by stepPartKey: what was answered while FIFOs were inferred
}

func newBuilder(file string, opt Options) *builder {
	return &builder{file: file, opt: opt, vcs: 1, named: map[string]*node{},
		inputs: map[string]bool{}, read: map[string]bool{}, quiet: map[*node]bool{}, lists: map[starlark.Value]bool{},
		def: routing.Definition{Tags: 1, Buffer: 1, Classes: []string{""}}}
}

// Options bounds and parametrises [Load]. The zero value is usable.
type Options struct {
	Set           map[string]string // values for parameters, by name
	MaxSteps      uint64            // steps at top level; 0 means DefaultSteps
	MaxRouteSteps uint64            // steps of one call of route, or of a rule; 0 means 1 million

	// Open returns the text of a file that load names, by its base name, such as "lib.star",
	// or that table, json or topology name, by its path below the folder of the file, such
	// as "data/edges.csv". Nil means that there are none.
	Open func(name string) ([]byte, error)

	// List returns the base names of the files in a folder, by its path below the folder of the file, "." for that
	// itself: those that tables may read. Nil means that there are none.
	List func(folder string) ([]string, error)

	// Warn, if not nil, is called with what a file that topology reads leaves in doubt, a line each.
	Warn func(text string)

	// Routes, if not nil, makes the FIFOs of a protocol routes of a network.
	Routes *Routes

	tested    func(*relation) // by tests; may be nil
	workers   int             // cores that evaluate rules and properties; 0 means all
	leaves    int             // runs of all rules; 0 means mostLeaves
	ruleSteps int             // steps of all rules; 0 means mostRuleSteps
	few       int             // combinations of values of a number that are read; 0 means fewCombinations
}

// flow is who sends to whom, as the file says it: a function, a set of flows,
// or neither.
type flow struct {
	f   *starlark.Function
	set map[aFlow]bool
}

type aFlow struct {
	src, dst spec.NodeID
	class    spec.Class
}

// reply is a call of replies.
type reply struct {
	routing.Reply
	to *starlark.Function
}

// precomputed is an answer given ahead of its turn.
type precomputed struct {
	answered
	m             *machine // with the parts and faults that it met
	leaves, steps int      // used
}

// load("lib.star", "f") reads lib.star from the same folder, once, with the same
// built-in functions, and freezes its globals.

const mostLibraries = 64

var libraryName = pattern(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,100}\.star$`)

// library returns the function that the interpreter calls for load.
func (b *builder) library(predeclared starlark.StringDict) func(*starlark.Thread, string) (starlark.StringDict, error) {
	type loaded struct {
		globals starlark.StringDict
		done    bool
	}
	all := map[string]*loaded{}
	folder := b.file[:strings.LastIndexByte(b.file, '/')+1]
	return func(t *starlark.Thread, name string) (starlark.StringDict, error) {
		if l := all[name]; l != nil {
			if !l.done {
				return nil, errors.New("it is being loaded: files load each other in a cycle")
			}
			return l.globals, nil
		}
		if len(all) == mostLibraries {
			return nil, bound(mostLibraries, "files that are loaded", "load fewer")
		}
		text, err := b.opt.open(name)
		if err != nil {
			return nil, err
		}
		l := &loaded{}
		all[name] = l
		tree, err := parse(folder+name, text)
		if err != nil {
			return nil, err
		}
		prog, err := b.compile(folder+name, text, tree, predeclared)
		if err != nil {
			return nil, err
		}
		if l.globals, err = prog.Init(t, predeclared); err != nil {
			return nil, err
		}
		visited, whole := freeze(l.globals, b.lists)
		if err := charge(t, visited/visitsPerStep); err != nil {
			return nil, err
		}
		if !whole {
			return nil, fmt.Errorf(
				"the global values of %s are nested too deeply, or share parts too often: use flatter values", name)
		}
		l.done = true
		return l.globals, nil
	}
}

// open reads a .star file.
func (o *Options) open(name string) ([]byte, error) {
	switch {
	case !libraryName().MatchString(name):
		return nil, fmt.Errorf("invalid file %.60q: want the name of a .star file in the same folder", name)
	case o.Open == nil:
		return nil, errors.New("this file cannot load others")
	}
	return o.Open(name)
}

// Inline replaces each load by the text of the file, once for each file, so that the result
// says the same by itself. Names keep their names: load("lib.star", mine = "f") is refused,
// and a name that two files define must mean the same in both, which is not checked.
func Inline(file string, text []byte, open func(name string) ([]byte, error)) ([]byte, error) {
	return inline(file, text, &Options{Open: open}, map[string]bool{})
}

func inline(file string, text []byte, o *Options, done map[string]bool) ([]byte, error) {
	tree, err := parse(file, beforeFunctions(text))
	if err != nil { // the cut may be within a string
		tree, err = parse(file, text)
	}
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(newlines(text), []byte("\n"))
	for _, s := range tree.Stmts {
		l, ok := s.(*syntax.LoadStmt)
		if !ok {
			continue
		}
		from, to := l.Span()
		for i := range l.From {
			if l.From[i].Name != l.To[i].Name {
				return nil, place(file, int(from.Line), int(from.Col), "load of %s as %s: want the same name",
					l.From[i].Name, l.To[i].Name)
			}
		}
		name := l.ModuleName()
		var library []byte
		if !done[name] {
			done[name] = true
			if library, err = o.open(name); err != nil {
				return nil, place(file, int(from.Line), int(from.Col), "%v", err)
			}
			if library, err = inline(name, library, o, done); err != nil {
				return nil, err
			}
		}
		for i := from.Line; i <= to.Line; i++ {
			lines[i-1] = nil
		}
		lines[from.Line-1] = append(bytes.TrimRight(library, "\n"), '\n')
	}
	return bytes.Join(lines, nil), nil
}

// beforeFunctions returns the text up to its first function or, if something is loaded after that, all of it.
func beforeFunctions(text []byte) []byte {
	if i := bytes.Index(text, []byte("\ndef ")); i >= 0 && !bytes.Contains(text[i:], []byte("\nload(")) {
		return text[:i+1]
	}
	return text
}

// Loads returns, by name, the texts of the files that a text loads, directly or through
// others, and of the data that these read, with Open and List of the options. What cannot be read or parsed is left
// out: [Load] says what is wrong.
func Loads(text []byte, o Options) map[string][]byte {
	all := map[string][]byte{}
	queue := [][]byte{text}
	for ; len(queue) > 0 && len(all) <= mostLibraries; queue = queue[1:] {
		tree, err := parse("", queue[0])
		if err != nil {
			continue
		}
		syntax.Walk(tree, func(n syntax.Node) bool {
			name, named := loadedBy(n)
			if _, known := all[name]; !named || known {
				return true
			}
			if text, err := o.open(name); err == nil {
				all[name] = slices.Clip(text)
				queue = append(queue, text)
				return true
			}
			names := []string{name}
			if matching, err := o.matching(name); err == nil && !dataName().MatchString(name) {
				names = matching
			}
			for _, name := range names {
				if dataName().MatchString(name) && o.Open != nil {
					if text, err := o.Open(name); err == nil {
						all[name] = text
					}
				}
			}
			return true
		})
	}
	return all
}

// freeze freezes all globals, unless that would need too deep a stack or too much time.
// Starlark freezes recursively and visits a tuple once for each value that contains it,
// and Go aborts on stack overflow. Lists and dicts within the globals are added to
// lists. The first result is how many values were visited.
func freeze(globals starlark.StringDict, lists map[starlark.Value]bool) (visited int, whole bool) {
	const most = 1 << 24
	w := walk{seen: map[starlark.Value]bool{}, left: most}
	for _, name := range slices.Sorted(maps.Keys(globals)) {
		if !w.visit(globals[name]) {
			return most - w.left, false
		}
		globals[name].Freeze()
	}
	for v := range w.seen {
		switch v.(type) {
		case *starlark.List, *starlark.Dict:
			lists[v] = true
		}
	}
	return most - w.left, true
}

// walk visits values in the order in which freezing does, with a stack of its own.
type walk struct {
	seen  map[starlark.Value]bool
	left  int // visits
	stack []visit
	inner []starlark.Value
}

type visit struct {
	value starlark.Value
	depth int
}

func (w *walk) visit(v starlark.Value) bool {
	w.stack = append(w.stack[:0], visit{v, 0})
	for len(w.stack) > 0 {
		e := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		if e.depth > mostDepth {
			return false
		}
		w.inner = w.inner[:0]
		w.expand(e.value)
		for _, v := range slices.Backward(w.inner) { // the first on top
			w.stack = append(w.stack, visit{v, e.depth + 1})
		}
		if w.left < 0 {
			return false
		}
	}
	return true
}

// expand collects what v contains and freezing would visit.
func (w *walk) expand(v starlark.Value) {
	if _, tuple := v.(starlark.Tuple); !tuple {
		if plain(v) || w.seen[v] {
			return
		}
		w.seen[v] = true
	}
	switch v := v.(type) {
	case starlark.Tuple:
		for _, x := range v {
			w.add(x)
		}
	case *starlark.List:
		for i := range v.Len() {
			w.add(v.Index(i))
		}
	case *starlark.Dict:
		for k, x := range v.Entries() {
			w.add(k)
			w.add(x)
		}
	case *fields:
		for _, name := range v.AttrNames() {
			w.add(v.in[name])
		}
	case *starlark.Function:
		for i := range v.NumParams() {
			w.add(v.ParamDefault(i))
		}
		for i := range v.NumFreeVars() {
			_, x := v.FreeVar(i)
			w.add(x)
		}
	}
}

func (w *walk) add(v starlark.Value) {
	w.left--
	if v != nil && !plain(v) {
		w.inner = append(w.inner, v)
	}
}

// plain reports whether a value contains no others that could be frozen.
func plain(v starlark.Value) bool {
	switch v.(type) {
	case *starlark.List, *starlark.Dict, *starlark.Function, *fields, starlark.Tuple:
		return false
	}
	return true
}
