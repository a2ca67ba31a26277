package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestArrowsPointDown keeps the architecture: which package may import which,
// and that the trusted ones use the standard library alone.
func TestArrowsPointDown(t *testing.T) {
	const module = "github.com/seed-105a2da2/unknot/"
	// By the first folder that fits, longest first: what of this module may be
	// imported, and whether other modules may.
	studies := []string{"spec", "proofs", "checker", "models"}
	rules := []struct {
		folder  string
		ours    []string
		foreign bool
	}{
		{"spec/support/goldentest", nil, true},            // for tests
		{"spec/support/browsertest", nil, true},           // for tests
		{"spec/support/lines", []string{"spec"}, false},   // evidence is about networks
		{"spec/support/limited", []string{"spec"}, false}, // its errors have a place in a file
		{"spec/support", nil, false},
		{"spec/star", []string{"spec"}, true},
		{"spec/program", []string{"spec"}, false},
		{"spec/routing", []string{"spec"}, false},
		{"spec/states", []string{"spec"}, false},
		{"spec/topology", []string{"spec"}, false},
		{"spec/fabric", []string{"spec"}, false},
		{"spec/murphi", []string{"spec"}, false},
		{"spec", []string{"spec/support/each", "spec/internal/cursor"}, false},
		{"proofs/evidence", []string{"spec", "proofs", "counterexamples"}, false},
		{"proofs", []string{"spec", "proofs"}, false},
		{"counterexamples", []string{"spec"}, false},
		{"models/studies", studies, false},
		{"models", []string{"spec", "models"}, false}, // but for FAMILY/study
		{"checker", []string{"spec", "proofs", "counterexamples", "checker"}, true},
		{"cmd/internal/version", nil, false},
		{"cmd/internal/memory", nil, false},
		{"cmd/internal/heap", []string{"spec/support/pages"}, false},
		{".ci/compare", []string{"spec", "models", "checker"}, true}, // draws networks
		{".ci", nil, false},                                          // its other tools ask the go command
		{"cmd/unknot-verify", []string{"spec", "proofs/evidence", "cmd/internal/version", "cmd/internal/memory"}, false},
		{"cmd/unknot-bench", []string{"spec", "models", "checker", "cmd/internal/version"}, false},
		{"cmd/unknot-beam", []string{"spec", "proofs/evidence", "checker", "cmd/internal/version"}, true}, // a module of its own
		{"cmd/unknot-page/exercises", nil, false},
		{"cmd/unknot-page/site", []string{"spec", "proofs/evidence", "models", "checker", "cmd/unknot/guide", "cmd/unknot-page/exercises"}, true},
		{"cmd/unknot-page", []string{"spec", "proofs", "models", "checker", "cmd/unknot-page/exercises"}, false},
		{"cmd/unknot/guide", nil, false},
		{"cmd/unknot", []string{"cmd/unknot/guide", "cmd/internal/version", "cmd/internal/heap", "cmd/internal/memory", "spec", "proofs",
			"counterexamples", "models", "checker"}, true},
	}
	within := func(name, folder string) bool { return name == folder || strings.HasPrefix(name, folder+"/") }
	// The studies of families, the only packages below models that may import the checker.
	study := func(name string) bool {
		fits, _ := path.Match("models/*/study", name)
		return fits || within(name, "models/studies")
	}
	// What nothing that is trusted may import.
	untrusted := []string{"spec/star", "spec/routing", "spec/routing/listed", "spec/topology", "spec/topology/updown", "spec/fabric", "spec/murphi"}
	// What is there for tests: helpers that draw and drive, a browser's protocol, an HTML parser.
	tools := []string{module + "checker/netgen", module + ".ci/compare", "github.com/chromedp", "golang.org/x/net", "pgregory.net/rapid"}
	forTests := func(p string) bool { // so is every package whose name ends in test, but for the one that a user's tests import
		return strings.HasSuffix(p, "test") && p != module+"checker/checktest" || slices.ContainsFunc(tools, func(tool string) bool { return within(p, tool) })
	}
	root := filepath.Join("..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		folder := path.Dir(filepath.ToSlash(rel))
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		room := folder
		if study(folder) {
			room = "models/studies"
		}
		for _, r := range rules {
			if !within(room, r.folder) {
				continue
			}
			seen++
			trusted := slices.Contains([]string{"spec", "spec/support", "spec/support/lines", "spec/support/limited",
				"spec/program", "proofs", "counterexamples", "proofs/evidence", "cmd/unknot-verify"}, r.folder)
			for _, imp := range file.Imports {
				p, err := strconv.Unquote(imp.Path.Value)
				if err != nil {
					return err
				}
				if forTests(p) && !forTests(module+folder) {
					t.Errorf("%s imports %s, which is for tests", rel, p)
				}
				own, ours := strings.CutPrefix(p, module)
				allowed := r.foreign || !strings.Contains(strings.Split(p, "/")[0], ".")
				if ours {
					if study(own) && !study(folder) && !within(folder, "cmd/unknot") {
						t.Errorf("%s imports %s, which only cmd does", rel, p)
					}
					allowed = false
					for _, a := range r.ours {
						allowed = allowed || within(own, a) && !(trusted && slices.Contains(untrusted, own))
					}
				}
				if !allowed {
					t.Errorf("%s imports %s", rel, p)
				}
			}
			return nil
		}
		t.Errorf("%s is in no room that the rules know", rel)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 30 {
		t.Errorf("only %d files were looked at", seen)
	}
}
