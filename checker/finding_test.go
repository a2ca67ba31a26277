package checker_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sentences are the names of fields that hold sentences; see words.Sentence.
var sentences = []string{"Because", "Notes", "Assumptions", "Sentences", "Ended", "Reduced", "Uncounted", "Patch"}

// reasons are the names of fields and methods with a spec.Reason, whose text is a sentence.
var reasons = []string{"Reason", "Where", "Rule", "Why"}

// readsBack returns the places where code recognises or edits a sentence: where it gives one to a function of package
// strings, bytes or regexp, other than to join it with others, or compares the words of one. The text of an error is a
// sentence, too, which is given in one line by Fields.
func readsBack(f *ast.File) (at []token.Pos) {
	within := func(e ast.Node, is func(ast.Node) bool) (found bool) {
		ast.Inspect(e, func(n ast.Node) bool {
			found = found || n != nil && is(n)
			return !found
		})
		return found
	}
	reason := func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			n = c.Fun
		}
		s, ok := n.(*ast.SelectorExpr)
		return ok && slices.Contains(reasons, s.Sel.Name)
	}
	sentence := func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		return ok && (slices.Contains(sentences, s.Sel.Name) || s.Sel.Name == "Text" && reason(s.X))
	}
	written := func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return false
		}
		s, ok := c.Fun.(*ast.SelectorExpr)
		return ok && (s.Sel.Name == "String" && sentence(s.X) || s.Sel.Name == "Error" && len(c.Args) == 0)
	}
	said := func(n ast.Node) bool { return sentence(n) || written(n) }
	ast.Inspect(f, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.CallExpr:
			s, ok := x.Fun.(*ast.SelectorExpr)
			if !ok {
				break
			}
			pkg, ok := s.X.(*ast.Ident)
			searches := ok && slices.Contains([]string{"strings", "bytes", "regexp"}, pkg.Name) &&
				s.Sel.Name != "Join" && s.Sel.Name != "Fields"
			if !searches && !strings.HasPrefix(s.Sel.Name, "FindString") && s.Sel.Name != "MatchString" {
				break
			}
			said := said
			if !searches { // Starlark's errors have no types, so advice goes by their words
				said = sentence
			}
			if slices.ContainsFunc(x.Args, func(a ast.Expr) bool { return within(a, said) }) {
				at = append(at, x.Pos())
			}
		case *ast.BinaryExpr:
			if (x.Op == token.EQL || x.Op == token.NEQ) && (written(x.X) || written(x.Y)) {
				at = append(at, x.Pos())
			}
		case *ast.SwitchStmt:
			if x.Tag != nil && written(x.Tag) {
				at = append(at, x.Pos())
			}
		}
		return true
	})
	return at
}

// TestNoCodeReadsSentences: what a finding is about stands in its fields, and its words are written last, so no
// product code asks them for something.
func TestNoCodeReadsSentences(t *testing.T) {
	for code, want := range map[string]int{
		`strings.Replace(f.Because, "a", "b", 1)`:                   1, // as settle.go once did
		`strings.HasPrefix(f.Because.String(), "no deadlock")`:      1,
		`strings.Contains(words.Written(f.Notes)[0], "no fewer")`:   1,
		`f.Because.String() == "interrupted"`:                       1,
		`strings.TrimPrefix(err.Error(), file+": ")`:                1, // as unknot verify once did
		`strings.Contains(fmt.Sprint(err.Error()), "no space")`:     1,
		`err.Error() != "unexpected end of JSON input"`:             1,
		`strings.TrimPrefix(err.Error(), "xml: ")`:                  1,
		`strings.HasPrefix(r.Where.Text, name+":")`:                 1, // as a page once did, to find a line
		`strings.Cut(n.Reason(s, h).Text, ", called from ")`:        1, // as network_of once did
		`place().FindStringSubmatch(n.Reason(s, h).Text)`:           1, // as reports once did
		`n.Reason(s, h).Text == ""`:                                 0,
		`strings.Join(strings.Fields(err.Error()), " ")`:            0, // one line
		`strings.Join(words.Written(a.Sentences), "; ")`:            0, // writing
		`f.Because.Equal(g.Because) && strings.Contains(name, "a")`: 0,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nvar x = "+code, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(readsBack(f)); got != want {
			t.Errorf("%s: %d places, want %d", code, got, want)
		}
	}
	files := 0
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		files++
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			return err
		}
		for _, d := range f.Decls { // else a relation would have no reasons, and nothing would say so
			m, ok := d.(*ast.FuncDecl)
			if ok && m.Recv != nil && m.Name.Name == "Reason" && types.ExprString(m.Type.Results.List[0].Type) == "string" {
				t.Errorf("%s returns a string: want a spec.Reason", set.Position(m.Pos()))
			}
		}
		for _, at := range readsBack(f) {
			t.Errorf("%s reads a sentence back: ask a field of the finding, or the type of the error", set.Position(at))
		}
		return nil
	})
	if err != nil || files < 500 {
		t.Errorf("%d files: %v", files, err)
	}
}
