package browsertest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A browser's protocol and an HTML parser are for tests alone: no other file of
// this module imports them, or this package.
func TestOnlyTestsImportThis(t *testing.T) {
	here := filepath.Join("checker", "page", "internal", "browsertest")
	root := filepath.Join("..", "..", "..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil || filepath.Dir(rel) == here {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		seen++
		for _, i := range file.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if strings.HasPrefix(path, "github.com/chromedp/") || strings.HasPrefix(path, "golang.org/x/net/") || strings.HasSuffix(path, "/browsertest") {
				t.Errorf("%s imports %s", rel, path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 30 {
		t.Errorf("only %d files were looked at", seen)
	}
}
