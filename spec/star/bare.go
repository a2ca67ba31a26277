package star

import (
	"errors"
	"maps"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Two programs of one file.
//
// In the metered tree, comparisons and indexing in a function of a network are calls, so that stand-ins can take part
// (standin.go). A call takes five times as long as the operator. So the file runs bare: in functions that are only
// called by name (rememberable), [], <, <=, > and >= stay as they are. (Other comparisons stay calls, which refuse to
// compare a node with a name.) The same functions are then compiled again for stand-ins, with the globals that the file
// has left: these are their twins.
//
// Invariant: a bare run that succeeds gives the answer, and a run of the twin that succeeds gives
// the same: it takes more steps, and does otherwise the same. What fails bare fails in the twin,
// too, which says what is wrong: route is evaluated again there, and a file is loaded again, not bare.

var errNoTwins = errors.New("a function of the file cannot be compiled again by itself")

// twins compiles again, for stand-ins, the functions of a file that ran bare. load
// returns what the file loads.
func (b *builder) twins(text []byte, predeclared, globals starlark.StringDict, load func(*starlark.Thread, string) (starlark.StringDict, error)) (map[*starlark.Function]*starlark.Function, error) {
	tree, err := parse(b.file, text)
	if err != nil {
		return nil, err
	}
	kept := tree.Stmts[:0]
	for _, s := range tree.Stmts {
		switch s.(type) {
		case *syntax.LoadStmt, *syntax.DefStmt:
			kept = append(kept, s)
		}
	}
	tree.Stmts = kept
	if err := meter(b.file, text, tree, metering{callable: b.callable}); err != nil {
		return nil, err
	}
	known := maps.Clone(predeclared)
	maps.Copy(known, globals)
	maps.DeleteFunc(known, func(name string, _ starlark.Value) bool { return b.callable[name] })
	prog, err := starlark.FileProgram(tree, known.Has)
	if err != nil {
		return nil, err
	}
	thread := newThread(b.file, &run{limit: b.opt.MaxSteps})
	thread.Load = load
	again, err := prog.Init(thread, known)
	if err != nil {
		return nil, err
	}
	again.Freeze()
	twins := map[*starlark.Function]*starlark.Function{}
	for name := range b.callable {
		f, is := globals[name].(*starlark.Function)
		twin, also := again[name].(*starlark.Function)
		if !is || !also {
			return nil, errNoTwins
		}
		twins[f] = twin
	}
	return twins, nil
}
