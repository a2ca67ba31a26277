package star

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

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
		return nil, place(file, bytes.Count(before, []byte("\n"))+1, utf8.RuneCount(line)+1, "a NUL byte: want text in UTF-8")
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
// machine(...) nor gives route a meaning. A text that cannot be parsed is no library.
func IsLibrary(text []byte) bool {
	tree, err := parse("", text)
	return err == nil && !describesMachine(tree) && !slices.ContainsFunc(tree.Stmts, bindsRoute)
}

func bindsRoute(s syntax.Stmt) bool {
	isRoute := func(e *syntax.Ident) bool { return e.Name == "route" }
	switch s := s.(type) {
	case *syntax.DefStmt:
		return isRoute(s.Name)
	case *syntax.AssignStmt:
		name, ok := s.LHS.(*syntax.Ident)
		return ok && isRoute(name)
	case *syntax.LoadStmt:
		return slices.ContainsFunc(s.To, isRoute)
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
func (b *builder) compile(file string, text []byte, tree *syntax.File, predeclared starlark.StringDict) (*starlark.Program, error) {
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
		names := "param, network, node, link, both, topology, table, json, flows, replies, hop"
		if b.machine {
			names = "param, " + ofMachines + ", expect, table, json"
		}
		return nil, syntaxFault(file, text, names, err)
	}
	return prog, nil
}
