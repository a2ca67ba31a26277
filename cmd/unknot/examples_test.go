package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExamplesAreWritten: who has only the binary gets what the repository has, and keeps what was changed.
func TestExamplesAreWritten(t *testing.T) {
	repository, err := filepath.Abs(filepath.Join("..", "..", "models", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	folder := filepath.Join("models", "examples")
	if code, _, errs := unknot(t, "models", "--examples", folder); code != exitExpected {
		t.Fatalf("exit %d: %s", code, errs)
	}
	count := 0
	err = filepath.WalkDir(repository, func(name string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == "testdata" {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || strings.HasSuffix(name, ".go") {
			return err
		}
		count++
		rest, _ := filepath.Rel(repository, name)
		want, err := os.ReadFile(name)
		if got, _ := os.ReadFile(filepath.Join(folder, rest)); err != nil || string(got) != string(want) {
			t.Errorf("%s: %d bytes are written, want %d (%v)", rest, len(got), len(want), err)
		}
		return nil
	})
	if err != nil || count != len(exampleFiles()) {
		t.Errorf("%d files, and %d embedded (%v)", count, len(exampleFiles()), err)
	}
	if code, _, errs := unknot(t, "check", "models/examples/protocols/14_msi.star", "--expected"); code != exitExpected {
		t.Errorf("exit %d: %s", code, errs)
	}
	changed, gone := filepath.Join(folder, "torus.star"), filepath.Join(folder, "mesh.star")
	if err := os.WriteFile(changed, []byte("# mine\n"), 0o600); err != nil || os.Remove(gone) != nil {
		t.Fatal(err)
	}
	before := contents(t)
	if code, _, errs := unknot(t, "models", "--examples", folder); code != exitUsage || !strings.Contains(errs, "torus.star exists") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if diff := cmp.Diff(before, contents(t)); diff != "" {
		t.Errorf("a folder with a changed file (-want +got):\n%s", diff)
	}
	if code, out, errs := unknot(t, "models", "--examples", folder, "--force"); code != exitExpected || !strings.Contains(out, "2 files written") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

// TestExampleIsShown: an example is found by the names that the guide has for it, and a model goes first.
func TestExampleIsShown(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"14_msi", "14_msi.star", "protocols/14_msi", "models/examples/protocols/14_msi.star"} {
		code, out, errs := unknot(t, "models", name, "--print")
		if code != exitExpected || !strings.HasPrefix(out, "# MSI caches") || !strings.Contains(out, "machine(") {
			t.Errorf("%s: exit %d: %.80s%s", name, code, out, errs)
		}
	}
	tells(t, []told{
		{"models 14_msi", 0, "example protocols/14_msi.star: MSI caches and a directory"},
		{"models 19_german", 0, "example protocols/19_german.m: The cache coherence protocol"},
		{"models routes.csv", 0, "example field/routes.csv\n"},
		{"models torus", 0, "parameters, set with --set"},
		{"models torus.star", 0, "example torus.star: A k x k torus"},
		{"models 14_msi --claims", 2, "is an example, and of no source"},
		{"models ring --examples x", 2, "unknot models ring --print prints one"},
		{"models --examples x --print", 2, "exclude each other"},
		{"models 99_msi", 2, "invalid model"},
		{"examples", 2, "want unknot models --examples DIR"},
		{"check 14_msi", 2, "protocols/14_msi.star is an example: unknot models --examples models/examples writes it"},
		{"check models/examples/torus.star", 2, "no such file; torus.star is an example"},
		{"check models/examples/none.star", 2, "models/examples/none.star: no such file\n"},
	})
}
