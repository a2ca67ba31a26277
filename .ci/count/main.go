// Command count measures the form of a checkout: how many lines of code there are, and how
// often a job is done that should be done once. It prints a table in Markdown; with two
// checkouts it prints both, so that a change of form shows what it has merged.
//
//	go run ./.ci/count [DIR...]
//
// Product code is all Go but tests, packages that only tests import (their names end in test; and
// netgen), .ci and unknot-beam. A line of code holds a token that is no comment. What a name or a
// literal cannot show is asked of the type checker.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

func main() {
	dirs := os.Args[1:]
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	if err := run(dirs, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "count:", err)
		os.Exit(1)
	}
}

func run(dirs []string, to io.Writer) error {
	var all []*tree
	for _, dir := range dirs {
		t, err := load(dir)
		if err != nil {
			return err
		}
		all = append(all, t)
	}
	head, rule := "| what |", "|---|"
	for _, dir := range dirs {
		head, rule = head+" "+filepath.Base(dir)+" |", rule+"---|"
	}
	fmt.Fprintf(to, "%s\n%s\n", head, rule)
	for _, c := range counts {
		fmt.Fprintf(to, "| %s |", c.what)
		for _, t := range all {
			fmt.Fprintf(to, " %s |", c.of(t))
		}
		fmt.Fprintln(to)
	}
	return nil
}

// tree is the product code of a checkout.
type tree struct {
	fset     *token.FileSet
	packages []*code
}

type code struct {
	path  string // within the module
	files []*ast.File
	texts [][]byte
	info  *types.Info
}

// load parses and type-checks the product code in dir. What it imports is read from the go command's build cache.
func load(dir string) (*tree, error) {
	type listed struct {
		ImportPath, Dir, Export string
		GoFiles                 []string
		Module                  *struct{ Main bool }
	}
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Module", "./...")
	list.Dir, list.Stderr = dir, os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the packages in %s: %w", dir, err)
	}
	t, exports := &tree{fset: token.NewFileSet()}, map[string]string{}
	var own []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		name := filepath.Base(p.ImportPath)
		if p.Module != nil && p.Module.Main && name != "netgen" && (!strings.HasSuffix(name, "test") || name == "checktest") {
			own = append(own, p)
		}
	}
	imports := importer.ForCompiler(t.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range own {
		_, path, _ := strings.Cut(p.ImportPath, "/unknot/")
		c := &code{path: path, info: &types.Info{
			Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{},
			Selections: map[*ast.SelectorExpr]*types.Selection{},
		}}
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return nil, err
			}
			file, err := parser.ParseFile(t.fset, filepath.Join(p.Dir, name), text, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			c.files, c.texts = append(c.files, file), append(c.texts, text)
		}
		if _, err := (&types.Config{Importer: imports}).Check(p.ImportPath, t.fset, c.files, c.info); err != nil {
			return nil, err
		}
		t.packages = append(t.packages, c)
	}
	return t, nil
}

// counts are the rows of the table.
var counts = []struct {
	what string
	of   func(*tree) string
}{
	{"product Go: lines of code", func(t *tree) string { code, _, _ := t.lines(); return fmt.Sprint(code) }},
	{"of these, by folder", (*tree).linesByFolder},
	{"product Go: lines of comment", func(t *tree) string { _, comment, _ := t.lines(); return fmt.Sprint(comment) }},
	{"lines over 120 columns; over 160", func(t *tree) string {
		_, _, long := t.lines()
		return fmt.Sprintf("%d; %d", long[0], long[1])
	}},
	{"lines of product Go with a phrase that no native engineer writes", func(t *tree) string { return t.phrases() }},
	{"packages", func(t *tree) string { return fmt.Sprint(len(t.packages)) }},
	{"packages that walk the tables of a network, outside spec, proofs and models", func(t *tree) string {
		return t.packagesWhere(func(c *code) bool {
			return !within(c.path, "spec") && !within(c.path, "proofs") && !within(c.path, "models") && !within(c.path, "counterexamples") &&
				c.calls("(*"+module+"spec.Network).Table", "(*"+module+"spec.Network).TableIn")
		})
	}},
	{"breadth-first queues written out", func(t *tree) string { return t.nodesWhere(queue) }},
	{"functions that mix bits with 0x9e37...", func(t *tree) string {
		return t.nodesWhere(func(_ *code, n ast.Node) bool {
			l, ok := n.(*ast.BasicLit)
			return ok && strings.HasPrefix(strings.ToLower(l.Value), "0x9e37")
		})
	}},
	{"functions that say whether a context has ended", func(t *tree) string { return t.nodesWhere(polls) }},
	{"functions that make a plural", func(t *tree) string { return t.nodesWhere(plural) }},
	{"packages that rename a file into place", func(t *tree) string { return t.packagesWhere(func(c *code) bool { return c.calls("os.Rename") }) }},
	{"types of an edge between two channels", func(t *tree) string { return t.nodesWhere(edgeType) }},
	{"structs with a list of properties to decide", func(t *tree) string {
		return t.nodesWhere(func(_ *code, n ast.Node) bool {
			s, ok := n.(*ast.TypeSpec)
			return ok && field(s, "Properties") && strings.HasSuffix(s.Name.Name, "Options") || ok && field(s, "Properties") && s.Name.Name == "Question"
		})
	}},
	{"comparisons of scenarios by their text", func(t *tree) string { return t.nodesWhere(scenarioText) }},
	{"methods named by a bare preposition or adverb", func(t *tree) string {
		return t.nodesWhere(func(_ *code, n ast.Node) bool {
			f, ok := n.(*ast.FuncDecl)
			return ok && f.Recv != nil && f.Name.Name != "Less" && slices.Contains(bare, strings.ToLower(f.Name.Name))
		})
	}},
	{"functions of over 60 lines in spec, proofs, counterexamples", func(t *tree) string {
		return t.nodesWhere(func(c *code, n ast.Node) bool {
			f, ok := n.(*ast.FuncDecl)
			trusted := within(c.path, "proofs") || within(c.path, "counterexamples") ||
				slices.Contains([]string{"spec", "spec/states", "spec/program"}, c.path)
			return ok && trusted && t.fset.Position(f.End()).Line-t.fset.Position(f.Pos()).Line >= 60
		})
	}},
}

const module = "github.com/seed-105a2da2/unknot/"

// bare are words that say where or when, and not what. The Less of [sort.Interface] is not ours to name.
var bare = strings.Fields(`
	about above across after again ahead alike along already also among anew apart around as aside at away
	before behind below beside between beyond by down during enough ever few first for from further here
	hereafter in instead into last late later least less likely little more most near never next off often on
	once only onto out over past rarely rest seldom since some somehow soon still then there through till to
	together too toward towards under until up upon very with within without yet`)

func within(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

// linesByFolder counts the lines of code of folders: of checker, spec, proofs and models those one level below, too.
func (t *tree) linesByFolder() string {
	lines := map[string]int{}
	for _, c := range t.packages {
		own, _, _ := (&tree{packages: []*code{c}}).lines()
		folders := strings.SplitN(c.path, "/", 3)
		lines[folders[0]] += own
		if len(folders) > 1 && slices.Contains([]string{"checker", "spec", "proofs"}, folders[0]) {
			lines[folders[0]+"/"+folders[1]] += own
		}
	}
	var all []string
	for _, folder := range slices.Sorted(maps.Keys(lines)) {
		if lines[folder] >= 1000 {
			all = append(all, fmt.Sprintf("%s %d", folder, lines[folder]))
		}
	}
	return strings.Join(all, ", ")
}

// lines counts lines of code and of comment, and lines over 120 and 160 columns.
func (t *tree) lines() (code, comment int, long [2]int) {
	for _, c := range t.packages {
		for _, text := range c.texts {
			var s scanner.Scanner
			fset := token.NewFileSet()
			file := fset.AddFile("", -1, len(text))
			s.Init(file, text, nil, scanner.ScanComments)
			codes, comments := map[int]bool{}, map[int]bool{}
			for {
				pos, tok, lit := s.Scan()
				if tok == token.EOF {
					break
				}
				if tok == token.SEMICOLON && lit == "\n" {
					continue
				}
				first := fset.Position(pos).Line
				for line := first; line <= first+strings.Count(lit, "\n"); line++ {
					if tok == token.COMMENT {
						comments[line] = true
					} else {
						codes[line] = true
					}
				}
			}
			for line := range comments {
				if !codes[line] {
					comment++
				}
			}
			code += len(codes)
			for line := range strings.SplitSeq(string(text), "\n") {
				columns := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t") // a tab has four
				for i, most := range []int{120, 160} {
					if columns > most {
						long[i]++
					}
				}
			}
		}
	}
	return code, comment, long
}

// unnative are phrases that have crept into comments and error texts, and may again.
var unnative = regexp.MustCompile(`(?i)\b(now and then|whoever|of no use|in vain|be it|for people|hardly|seldom|` +
	`likewise|while all stay|will do|does not do|what is the matter|stand-in|too often: nest)\b`)

// phrases counts the lines with an unnative phrase in a comment or a text, and shows the first few.
func (t *tree) phrases() string {
	var found []string
	for _, c := range t.packages {
		for _, text := range c.texts {
			for line := range strings.SplitSeq(string(text), "\n") {
				if unnative.MatchString(line) && strings.ContainsAny(line, "/\"`") {
					found = append(found, strings.TrimSpace(line))
				}
			}
		}
	}
	shown := strings.ReplaceAll(strings.Join(found[:min(3, len(found))], "; "), "|", " ")
	if shown == "" {
		return "0"
	}
	return fmt.Sprintf("%d: %s", len(found), shown)
}

// packagesWhere counts packages, and names them.
func (t *tree) packagesWhere(is func(*code) bool) string {
	var names []string
	for _, c := range t.packages {
		if is(c) {
			names = append(names, c.path)
		}
	}
	slices.Sort(names)
	return fmt.Sprintf("%d: %s", len(names), strings.Join(names, ", "))
}

// nodesWhere counts nodes of the syntax trees, and names the places if they are few.
func (t *tree) nodesWhere(is func(*code, ast.Node) bool) string {
	var places []string
	for _, c := range t.packages {
		for _, f := range c.files {
			ast.Inspect(f, func(n ast.Node) bool {
				if n != nil && is(c, n) {
					at := t.fset.Position(n.Pos())
					places = append(places, fmt.Sprintf("%s/%s:%d", c.path, filepath.Base(at.Filename), at.Line))
				}
				return true
			})
		}
	}
	if len(places) == 0 || len(places) > 12 {
		return fmt.Sprint(len(places))
	}
	return fmt.Sprintf("%d: %s", len(places), strings.Join(places, ", "))
}

// calls reports whether a package uses one of some functions, by full name.
func (c *code) calls(names ...string) bool {
	for _, object := range c.info.Uses {
		if f, ok := object.(*types.Func); ok && slices.Contains(names, f.FullName()) {
			return true
		}
	}
	return false
}

// queue finds a loop over a list from its front that appends to it: by a counter, or cutting the front off. A list that
// is padded, or is a stack, is none.
func queue(_ *code, n ast.Node) bool {
	loop, ok := n.(*ast.ForStmt)
	if !ok || loop.Cond == nil {
		return false
	}
	lists, cuts, reads, grows := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	ast.Inspect(loop.Cond, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && types.ExprString(call.Fun) == "len" {
			lists[types.ExprString(call.Args[0])] = true
		}
		return true
	})
	counter := "0"
	if step, ok := loop.Post.(*ast.IncDecStmt); ok {
		counter = types.ExprString(step.X)
	}
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SliceExpr:
			if n.Low != nil && n.High == nil && types.ExprString(n.Low) == "1" {
				cuts[types.ExprString(n.X)] = true
			}
		case *ast.IndexExpr:
			if types.ExprString(n.Index) == counter {
				reads[types.ExprString(n.X)] = true
			}
		case *ast.CallExpr:
			if types.ExprString(n.Fun) == "append" {
				grows[types.ExprString(n.Args[0])] = true
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

// polls finds a function that returns a bool, takes no more than a context, and asks one whether it has ended.
func polls(c *code, n ast.Node) bool {
	f, ok := n.(*ast.FuncDecl)
	if !ok || f.Body == nil || f.Type.Results == nil || len(f.Type.Results.List) != 1 ||
		types.ExprString(f.Type.Results.List[0].Type) != "bool" || len(f.Type.Params.List) > 1 {
		return false
	}
	for _, p := range f.Type.Params.List {
		if types.ExprString(p.Type) != "context.Context" {
			return false
		}
	}
	asks := false
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && (s.Sel.Name == "Err" || s.Sel.Name == "Done") {
			asks = asks || strings.HasSuffix(types.TypeString(c.info.TypeOf(s.X), nil), "context.Context")
		}
		return true
	})
	return asks
}

// plural finds a function from a number and a word to a text that appends an s.
func plural(_ *code, n ast.Node) bool {
	f, ok := n.(*ast.FuncDecl)
	if !ok || f.Body == nil || f.Type.Results == nil || len(f.Type.Results.List) != 1 || types.ExprString(f.Type.Results.List[0].Type) != "string" {
		return false
	}
	appends := false
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Value == `"s"` {
			appends = true
		}
		return true
	})
	return appends
}

// edgeType finds a struct with the fields From and To, both channels.
func edgeType(_ *code, n ast.Node) bool {
	s, ok := n.(*ast.TypeSpec)
	if !ok {
		return false
	}
	t, ok := s.Type.(*ast.StructType)
	if !ok {
		return false
	}
	ends := 0
	for _, f := range t.Fields.List {
		for _, name := range f.Names {
			if (name.Name == "From" || name.Name == "To" || name.Name == "from" || name.Name == "to") &&
				strings.HasSuffix(types.ExprString(f.Type), "ChannelID") {
				ends++
			}
		}
	}
	return ends == 2
}

func field(s *ast.TypeSpec, name string) bool {
	t, ok := s.Type.(*ast.StructType)
	return ok && slices.ContainsFunc(t.Fields.List, func(f *ast.Field) bool {
		return slices.ContainsFunc(f.Names, func(n *ast.Ident) bool { return n.Name == name })
	})
}

// scenarioText finds a comparison with the text of a scenario.
func scenarioText(c *code, n ast.Node) bool {
	b, ok := n.(*ast.BinaryExpr)
	if !ok || b.Op != token.EQL && b.Op != token.NEQ {
		return false
	}
	isText := func(x ast.Expr) bool {
		call, ok := x.(*ast.CallExpr)
		if !ok {
			return false
		}
		s, ok := call.Fun.(*ast.SelectorExpr)
		return ok && s.Sel.Name == "String" && strings.HasSuffix(types.TypeString(c.info.TypeOf(s.X), nil), "spec.Scenario")
	}
	return isText(b.X) || isText(b.Y)
}
