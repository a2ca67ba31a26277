package star

import (
	"bytes"
	"slices"

	"go.starlark.net/syntax"
)

const mostText = 256 << 10 // bytes of a file

var dialect = &syntax.FileOptions{TopLevelControl: true, GlobalReassign: true}

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
