package checker_test

import (
	"go/ast"
	"go/doc"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// library lists the packages that other unknots may import, each with the reason why. What comes after the first ten is
// there because those show its types.
var library = map[string]string{
	"spec":              "what a network is",
	"spec/routing":      "a routing relation, compiled into a network",
	"spec/states":       "what a machine is",
	"counterexamples":   "the trace of a finding",
	"proofs":            "the certificate of a finding",
	"proofs/evidence":   "all evidence of findings, and folders of it verified",
	"checker":           "question and result",
	"checker/checktest": "checks in tests",
	"checker/netgen":    "random networks for property tests",
	"checker/show/draw": "pictures",

	// what one asks for oneself
	"checker/show/report": "a result as text, in the formats of other programs and as a folder; it is made above checker",
	"spec/star":           "networks and protocols in files; the space of one counts its conditions",
	"spec/program":        "a machine as guarded commands, which evidence and random machines are about",

	// fields of a question or a finding
	"checker/cluster":      "the other computers of a question: unknot-beam, a module of its own, is such a search",
	"counterexamples/runs": "the run of a finding about a machine",
	"proofs/machines":      "the closed set, ranking or count of a finding about a machine",
	"proofs/unsat":         "the unsatisfiability proof of a finding, and its bound on the size of deadlocks",
	"proofs/bubbles":       "the certificate of a finding that rests on free places",
	"spec/ltl":             "the formulas that a machine claims, and what a ranking says is left of one",
	"spec/support/words":   "the sentences of a finding",

	// Kinds of evidence that commands alone make. They stay, as an evidence.Evidence is verified in the package of its
	// kind, which its type shows: with other types the one table of readers would import what imports it.
	"proofs/sharing":   "of unknot untie: which packets are of which message class",
	"proofs/changes":   "of unknot change: plans and traces",
	"proofs/answers":   "of unknot ask: regions and cycles",
	"proofs/addresses": "of unknot ask: tables of addresses",
}

const unknot = "github.com/seed-105a2da2/unknot/"

// exportData returns packages as their importers see them.
func exportData(t *testing.T, paths []string) map[string]*types.Package {
	t.Helper()
	c := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, paths...)...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(files[path])
	})
	all := map[string]*types.Package{}
	for _, path := range paths {
		p, err := from.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		all[path] = p
	}
	return all
}

// shown calls f with every type that an exported name of a package shows, and where.
func shown(p *types.Package, f func(where string, named *types.TypeName)) {
	var look func(where string, t types.Type)
	members := func(where string, t types.Type) {
		switch u := t.(type) {
		case *types.Struct:
			for v := range u.Fields() {
				if v.Exported() || v.Embedded() {
					look(where+"."+v.Name(), v.Type())
				}
			}
		case *types.Interface:
			for m := range u.Methods() {
				if m.Exported() {
					look(where+"."+m.Name(), m.Type())
				}
			}
		default:
			look(where, t)
		}
	}
	look = func(where string, t types.Type) {
		switch t := t.(type) {
		case *types.Named:
			f(where, t.Obj())
			for a := range t.TypeArgs().Types() {
				look(where, a)
			}
		case *types.Alias:
			f(where, t.Obj())
			look(where, types.Unalias(t))
		case *types.Pointer:
			look(where, t.Elem())
		case *types.Slice:
			look(where, t.Elem())
		case *types.Array:
			look(where, t.Elem())
		case *types.Chan:
			look(where, t.Elem())
		case *types.Map:
			look(where, t.Key())
			look(where, t.Elem())
		case *types.Tuple:
			for v := range t.Variables() {
				look(where, v.Type())
			}
		case *types.Signature:
			look(where, t.Params())
			look(where, t.Results())
		case *types.Struct, *types.Interface:
			members(where, t)
		}
	}
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		tn, is := o.(*types.TypeName)
		if !is {
			look(name, o.Type())
			continue
		}
		named, is := tn.Type().(*types.Named)
		if !is { // an alias
			look(name, tn.Type())
			continue
		}
		members(name, named.Underlying())
		for m := range named.Methods() {
			if m.Exported() {
				look(name+"."+m.Name(), m.Type())
			}
		}
	}
}

// TestLibrary: what a listed package exports shows only types of listed packages, so nobody who stays on the list needs
// another. Compared are types as their importers see them: of constants, variables, parameters, results, and of the
// exported fields and methods of types.
func TestLibrary(t *testing.T) {
	var paths []string
	for p := range library {
		paths = append(paths, unknot+p)
	}
	slices.Sort(paths)
	packages, seen := exportData(t, paths), 0
	for _, path := range paths {
		own := strings.TrimPrefix(path, unknot)
		shown(packages[path], func(where string, of *types.TypeName) {
			if of.Pkg() == nil { // error
				return
			}
			other, ours := strings.CutPrefix(of.Pkg().Path(), unknot)
			if seen++; ours && library[other] == "" {
				t.Errorf("%s.%s shows a %s.%s, and %s is not on the list", own, where, other, of.Name(), other)
			}
		})
	}
	if seen < 1000 {
		t.Errorf("only %d types were looked at", seen)
	}
}

// TestShown: a type is found wherever a signature can hide it.
func TestShown(t *testing.T) {
	const text = `package p
type hidden struct{}
type Alias = hidden
type Generic[T any] struct{ x T }
var (
	Variable *hidden
	Map      map[string][]hidden
	Of       Generic[hidden]
)
type Struct struct {
	Field  chan hidden
	hidden
	kept   hidden
}
func (Struct) Method() (int, hidden) { panic(0) }
func (*Struct) method(hidden) {}
type Interface interface { Ask(func(...hidden)) }
func Function(struct{ X hidden }) {}
func function(hidden) {}`
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := new(types.Config).Check("p", set, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	shown(p, func(where string, of *types.TypeName) {
		if of.Name() == "hidden" {
			got = append(got, where)
		}
	})
	want := []string{"Alias", "Function.X", "Interface.Ask", "Map", "Of", "Struct.Field", "Struct.hidden", "Struct.Method", "Variable"}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
}

// TestInternal: each package that another module could import, and that is not on the list, says in the first sentence of
// its comment that it is internal; none on the list does.
func TestInternal(t *testing.T) {
	of := map[string]string{} // first sentences, by package
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(name), ".."+string(filepath.Separator)))
		if f.Name.Name == "main" || slices.Contains(strings.Split(dir, "/"), "internal") || strings.HasPrefix(dir, ".") {
			return nil
		}
		of[dir] += new(doc.Package).Synopsis(f.Doc.Text())
		return nil
	})
	if err != nil || len(of) < len(library)+20 {
		t.Fatalf("%d packages: %v", len(of), err)
	}
	for dir, first := range of {
		switch internal, listed := strings.Contains(first, "internal to unknot"), library[dir] != ""; {
		case first == "":
			t.Errorf("%s has no comment", dir)
		case listed && internal:
			t.Errorf("%s is on the list and says: %s", dir, first)
		case !listed && !internal:
			t.Errorf("%s is not on the list, and does not say that it is internal to unknot: %s", dir, first)
		}
	}
	for dir := range library {
		if of[dir] == "" {
			t.Errorf("there is no package %s", dir)
		}
	}
}
