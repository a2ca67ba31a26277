package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
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

// TestJobsOnce: jobs that were once done in many places, with the packages that still do them and how often. Who needs
// one finds it in spec/support, or in a package named here; a new place needs a reason beside its package.
func TestJobsOnce(t *testing.T) {
	jobs := []struct {
		name string
		is   func(ast.Node) bool
		want []string
	}{
		{"mix bits with the golden ratio", mixes, []string{
			"checker",                                                // where states are remembered by one bit
			"checker/internal/walk: 2", "checker/internal/walk/disk", // visited sets, in memory and on disk
			"checker/simulate", // routes: the one multiplication shows in a run
			"proofs/machines",  // the digest of a set of states
			"spec/support/hash",
		}},
		{"write plurals or lists of words", writesWords, []string{
			"cmd/unknot", // of a command line, for a shell
			"spec/support/words: 4",
		}},
		{"rename a file into place", renames, []string{
			"checker/internal/walk/disk: 2", // a manifest that says whose the files are while it is half-written
			"checker/sweep",                 // a shard that is continued before it is complete
			"cmd/unknot: 2",                 // events of an earlier run, out of the way
			"cmd/unknot-beam",               // a folder
			"spec/support/atomicfile",
		}},
		{"look at a context once in so many steps", polls, []string{"spec/support/deadline"}},
		// spec/support/bfs has levels, reach and paths. Others follow edges that change as they go, or are timed.
		{"search with a queue of their own", queues, []string{
			"checker/change",               // no search: takes out packets, of which some come in again
			"checker/internal/graph",       // distances, in rows of edges
			"checker/internal/liveness: 4", // parts to divide, and ways to fair steps, in graphs of a hundred million states
			"checker/internal/orbit",       // closes a group, whose generators are added meanwhile
			"checker/internal/relation: 2", // live edges, again for each trial of a repair
			"checker/internal/static",      // a stuck set, which takes the best row of each channel
			"checker/internal/windows",     // executions
			"checker/netgen",               // a spanning tree, for tests
			"checker/repair: 6",            // a stuck set, copies, turns of flows by millions, weighted cycles, an order
			"checker/route",                // trees that weigh loads
			"counterexamples",              // trusted, as are those of proofs
			"models/graph/censustest: 2",   // for tests
			"proofs",                       // distances for each table, in the same memory
			"proofs/changes",               // whether a trap has a way home
			"proofs/repairs: 2",
			"proofs/unsat",
			"spec/star: 2",         // files that load files, and a group
			"spec/topology/updown", // one loop is breadth and depth first
		}},
		{"begin an SVG file", beginsSVG, []string{
			"checker/show/report", // sequences of messages
			"checker/simulate",    // charts of load and latency, and of a paper's figures
			"checker/sweep",       // a chart of verdicts
		}},
	}
	got := make([]map[string]int, len(jobs))
	for i := range got {
		got[i] = map[string]int{}
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
					got[i][path.Dir(filepath.ToSlash(rel))]++
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
		var times []string
		for _, in := range slices.Sorted(maps.Keys(got[i])) {
			if n := got[i][in]; n > 1 {
				in = fmt.Sprintf("%s: %d", in, n)
			}
			times = append(times, in)
		}
		if diff := cmp.Diff(job.want, times); diff != "" {
			t.Errorf("packages that %s, and how often (-want +got):\n%s", job.name, diff)
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

// queues finds loops over a list from its front that append to it: by a counter, or cutting the front off.
func queues(x ast.Node) bool {
	loop, is := x.(*ast.ForStmt)
	if !is || loop.Cond == nil {
		return false
	}
	lists, cuts, reads, grows := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	ast.Inspect(loop.Cond, func(x ast.Node) bool {
		if call, is := x.(*ast.CallExpr); is && types.ExprString(call.Fun) == "len" {
			lists[types.ExprString(call.Args[0])] = true
		}
		return true
	})
	counter := "0"
	if step, is := loop.Post.(*ast.IncDecStmt); is {
		counter = types.ExprString(step.X)
	}
	ast.Inspect(loop, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.SliceExpr:
			cuts[types.ExprString(x.X)] = cuts[types.ExprString(x.X)] || x.High == nil && x.Low != nil && types.ExprString(x.Low) == "1"
		case *ast.IndexExpr:
			reads[types.ExprString(x.X)] = reads[types.ExprString(x.X)] || types.ExprString(x.Index) == counter
		case *ast.CallExpr:
			if types.ExprString(x.Fun) == "append" {
				grows[types.ExprString(x.Args[0])] = true
			}
		}
		return true
	})
	for list := range lists {
		if grows[list] && reads[list] && (counter != "0" || cuts[list]) {
			return true
		}
	}
	return false
}

func beginsSVG(x ast.Node) bool {
	l, is := x.(*ast.BasicLit)
	return is && l.Kind == token.STRING && strings.Contains(l.Value, "<svg")
}

// polls finds functions that take a context and do nothing but return whether it has ended, asked at some of their calls.
func polls(x ast.Node) bool {
	f, is := x.(*ast.FuncDecl)
	if !is || f.Body == nil || len(f.Body.List) != 1 || f.Type.Results == nil || len(f.Type.Params.List) < 2 ||
		!isSelector(f.Type.Params.List[0].Type, "context", "Context") {
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

// TestJobsAreFound: each job in a line, and what looks like it.
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
		{queues, "func f() { for i := 0; i < len(q) && !late(i); i++ { q = append(q, q[i]+1) } }", true},
		{queues, "func f() { for q := []int{1}; len(q) > 0; q = q[1:] { q = append(q, q[0]) } }", true},
		{queues, "func f() { for i := 0; i < len(q); i++ { p = append(p, q[i]) } }", false},
		{queues, "func f() { for len(q) < n { q = append(q, 0) } }", false},
		{queues, "func f() { for len(q) > 0 { v := q[len(q)-1]; q = append(q[:len(q)-1], v) } }", false},
		{beginsSVG, "var s = `<svg xmlns>`", true}, {beginsSVG, `var s = "<table>"`, false},
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
