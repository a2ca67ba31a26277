package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// notCode matches what does not count as a line of code: blanks and comments.
var notCode = regexp.MustCompile(`^\s*(//.*)?$`)

// TestTrustedLines follows the imports of what checks evidence, and counts its
// lines without blanks, comments and tests: what evidence about networks needs,
// what proofs in clauses and evidence about machines need beside that, and what the program adds, which
// reads files and checks answers to questions. Their number is
// reported and not bounded: bounds made the code dense. Nothing of it may be of a kind that
// makes verdicts, tables or text for users.
func TestTrustedLines(t *testing.T) {
	seen := map[string]int{}
	for _, c := range []struct {
		name  string
		roots []string
	}{
		{"networks", []string{"proofs", "counterexamples"}},
		{"conditions of repairs beside that", []string{"proofs/repairs"}},
		{"bubbles beside both", []string{"proofs/bubbles"}},
		{"refutations beside both", []string{"proofs/unsat"}},
		{"machines beside that", []string{"proofs/machines", "counterexamples/runs", "spec/program"}},
		{"the program beside both", []string{"cmd/unknot-verify"}},
	} {
		before := maps.Clone(seen)
		for _, p := range c.roots {
			follow(t, p, seen)
		}
		sum := 0
		for _, p := range slices.Sorted(maps.Keys(seen)) {
			if _, counted := before[p]; counted {
				continue
			}
			t.Logf("%5d %s", seen[p], p)
			sum += seen[p]
			no := []string{"checker", "models", "spec/routing", "spec/star"}
			if !strings.HasPrefix(c.name, "the program") { // which alone checks answers about families
				no = append(no, "proofs/answers", "proofs/addresses", "proofs/evidence")
			}
			for _, no := range no {
				if p == no || strings.HasPrefix(p, no+"/") {
					t.Errorf("%s is trusted", p)
				}
			}
		}
		t.Logf("%5d lines of code are trusted for %s", sum, c.name)
		for _, p := range slices.Sorted(maps.Keys(seen)) {
			if _, counted := before[p]; !counted {
				shortFunctions(t, p)
			}
		}
	}
}

// shortFunctions refuses a function of more than a page in a package that is trusted.
func shortFunctions(t *testing.T, pkg string) {
	t.Helper()
	const page = 60 // lines
	for _, name := range sources(t, pkg) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, is := d.(*ast.FuncDecl); is {
				if from, to := fset.Position(f.Pos()), fset.Position(f.End()); to.Line-from.Line+1 > page {
					t.Errorf("%s: %s has %d lines: a function that a sceptic reads fits on a page, %d lines", from, f.Name.Name, to.Line-from.Line+1, page)
				}
			}
		}
	}
}

// sources returns the names of a package's files, tests left out.
func sources(t *testing.T, pkg string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pkg), "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s (%v)", pkg, err)
	}
	return slices.DeleteFunc(files, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
}

// follow adds the lines of a package of this module and of all that it imports.
func follow(t *testing.T, pkg string, lines map[string]int) {
	t.Helper()
	if _, seen := lines[pkg]; seen {
		return
	}
	lines[pkg] = 0
	for _, name := range sources(t, pkg) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !notCode.MatchString(strings.TrimSuffix(line, "\n")) {
				lines[pkg]++
			}
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range file.Imports {
			path, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if own, ours := strings.CutPrefix(path, "github.com/seed-105a2da2/unknot/"); ours {
				follow(t, own, lines)
			}
		}
	}
}
