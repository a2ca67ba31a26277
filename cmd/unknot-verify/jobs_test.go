package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestJobsOnce: jobs that were once done in many places, with the packages that do them. Who needs one finds it in
// spec/support, or in a package named here; a new package in a list needs a reason beside it.
func TestJobsOnce(t *testing.T) {
	jobs := []struct {
		name string
		is   func(ast.Node) bool
		want []string
	}{
		{"mix bits with the golden ratio", mixes, []string{
			"checker", // where states are remembered by one bit
			"checker/internal/automorphism", "checker/internal/liveness",
			"checker/internal/walk", "checker/internal/walk/disk", // visited sets, in memory and on disk
			"checker/simulate", // random numbers, and routes
			"proofs/machines",  // of the verifier, which shares nothing with the checker
			"spec/routing",     // rows and fragments
			"spec/star",
		}},
		{"write plurals or lists of words", writesWords, []string{
			"cmd/unknot", // of a command line, for a shell
			"spec/support/words",
		}},
		{"rename a file into place", renames, []string{
			"checker/internal/walk/disk", // a manifest that says whose the files are while it is half-written
			"checker/sweep",              // a shard that is continued before it is complete
			"cmd/unknot",                 // events of an earlier run, out of the way
			"cmd/unknot-beam",            // a folder
			"spec/support/atomicfile",
		}},
		{"look at a context once in so many steps", polls, []string{"spec/support/deadline"}},
	}
	got := make([]map[string]bool, len(jobs))
	for i := range got {
		got[i] = map[string]bool{}
	}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, name)
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(rel, ".") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(x ast.Node) bool {
			for i, job := range jobs {
				if x != nil && job.is(x) {
					got[i][path.Dir(filepath.ToSlash(rel))] = true
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, job := range jobs {
		if diff := cmp.Diff(job.want, slices.Sorted(maps.Keys(got[i]))); diff != "" {
			t.Errorf("packages that %s (-want +got):\n%s", job.name, diff)
		}
	}
}

func mixes(x ast.Node) bool {
	l, is := x.(*ast.BasicLit)
	return is && l.Kind == token.INT && strings.HasPrefix(strings.ToLower(l.Value), "0x9e37")
}

// writesWords finds functions from a number or words to a text by their names.
func writesWords(x ast.Node) bool {
	f, is := x.(*ast.FuncDecl)
	if !is || f.Recv != nil || f.Type.Results == nil || len(f.Type.Results.List) != 1 {
		return false
	}
	result, is := f.Type.Results.List[0].Type.(*ast.Ident)
	return is && result.Name == "string" && slices.Contains([]string{"plural", "oneof", "quoted", "suggestion"}, strings.ToLower(f.Name.Name))
}

func renames(x ast.Node) bool {
	call, is := x.(*ast.CallExpr)
	return is && isSelector(call.Fun, "os", "Rename")
}

// polls finds functions that take a context and do nothing but return whether it has ended, asked at some of their calls.
func polls(x ast.Node) bool {
	f, is := x.(*ast.FuncDecl)
	if !is || f.Body == nil || len(f.Body.List) != 1 || f.Type.Results == nil || len(f.Type.Params.List) < 2 || !isSelector(f.Type.Params.List[0].Type, "context", "Context") {
		return false
	}
	if result, is := f.Type.Results.List[0].Type.(*ast.Ident); !is || result.Name != "bool" {
		return false
	}
	asks, some := false, false
	ast.Inspect(f.Body, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.SelectorExpr:
			asks = asks || x.Sel.Name == "Err"
		case *ast.BinaryExpr:
			some = some || x.Op == token.REM || x.Op == token.AND
		}
		return true
	})
	return asks && some
}

func isSelector(x ast.Expr, pkg, name string) bool {
	s, is := x.(*ast.SelectorExpr)
	if !is {
		return false
	}
	of, is := s.X.(*ast.Ident)
	return is && of.Name == pkg && s.Sel.Name == name
}

// TestJobsAreFound: each of the four in a line, and what looks like it.
func TestJobsAreFound(t *testing.T) {
	for _, tt := range []struct {
		is   func(ast.Node) bool
		text string
		want bool
	}{
		{mixes, "var h = 0x9E3779b9", true}, {mixes, "var h = 0x9f", false},
		{writesWords, "func plural(n int, of string) string { return of }", true}, {writesWords, "func plural(n int) int { return n }", false},
		{renames, `var err = os.Rename("a", "b")`, true}, {renames, `var err = os.Remove("a")`, false},
		{polls, "func late(ctx context.Context, k int) bool { return k%64 == 0 && ctx.Err() != nil }", true},
		{polls, "func late(ctx context.Context, k int) bool { return ctx.Err() != nil }", false},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), strconv.Quote(tt.text), "package p\n"+tt.text, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := false
		ast.Inspect(file, func(x ast.Node) bool { got = got || x != nil && tt.is(x); return true })
		if got != tt.want {
			t.Errorf("%s: found %v, want %v", tt.text, got, tt.want)
		}
	}
}
