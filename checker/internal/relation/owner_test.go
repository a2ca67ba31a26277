package relation_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// resolvers lists where a file finds out which site a hop leads to: by a spec.Index, or by asking a table for the
// channel and tag of one hop. Code that does so builds, or walks, the graph of a relation.
func resolvers(t *testing.T, fset *token.FileSet, file *ast.File) (where []string) {
	t.Helper()
	ast.Inspect(file, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.SelectorExpr:
			if x.Sel.Name == "NewIndex" && !isIdent(x.X, "intern") || x.Sel.Name == "Index" && isIdent(x.X, "spec") {
				where = append(where, fset.Position(x.Pos()).String())
			}
		case *ast.CallExpr:
			find, ok := x.Fun.(*ast.SelectorExpr)
			if !ok || find.Sel.Name != "Find" || len(x.Args) != 2 {
				break
			}
			if of, hop := fieldOf(x.Args[0], "Channel"), fieldOf(x.Args[1], "Tag"); of != "" && of == hop {
				where = append(where, fset.Position(x.Pos()).String())
			}
		}
		return true
	})
	return where
}

func isIdent(x ast.Expr, name string) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == name
}

// fieldOf returns the variable of which x is the field with a name; "" if it is something else.
func fieldOf(x ast.Expr, name string) string {
	if s, ok := x.(*ast.SelectorExpr); ok && s.Sel.Name == name {
		if id, ok := s.X.(*ast.Ident); ok {
			return id.Name
		}
	}
	return ""
}

// TestOneGraph: in the checker only this package finds out where hops lead; all others walk its graph. Tests may follow
// the definition by themselves: that is their reason to exist.
func TestOneGraph(t *testing.T) {
	fset := token.NewFileSet()
	const builds = "package p\nfunc f() { index := n.NewIndex(); to, _ := t.Find(h.Channel, h.Tag) }\nvar x *spec.Index"
	file, err := parser.ParseFile(fset, "builds.go", builds, 0)
	if err != nil {
		t.Fatal(err)
	}
	if where := resolvers(t, fset, file); len(where) != 3 {
		t.Errorf("of three ways to find where a hop leads, %v are seen", where)
	}
	root := filepath.Join("..", "..")
	looked := 0
	err = filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		folder := filepath.Base(filepath.Dir(name))
		if folder == "relation" || strings.HasSuffix(folder, "test") {
			return nil
		}
		looked++
		file, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			return err
		}
		for _, at := range resolvers(t, fset, file) {
			t.Errorf("%s: finds out which site a hop leads to; checker/internal/relation is there for that", at)
		}
		return nil
	})
	if err != nil || looked < 100 {
		t.Errorf("%d files looked at: %v", looked, err)
	}
}
