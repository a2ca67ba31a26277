package atomicfile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/support/atomicfile"
)

// TestWrite: the text is replaced whole or not at all, and nothing else is left in the folder.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	failed := errors.New("failed")
	for _, tt := range []struct {
		text    string
		err     error
		lasting bool
		want    string // of the file; "": there is none
	}{
		{"half", failed, false, ""},
		{"first", nil, false, "first"},
		{"half", failed, true, "first"},
		{"second", nil, true, "second"},
	} {
		err := atomicfile.Write(name, ".part", tt.lasting, func(w io.Writer) error {
			if beside, _ := filepath.Glob(filepath.Join(dir, ".f.*.part")); len(beside) != 1 {
				t.Errorf("%s is written into %q", tt.text, beside)
			}
			_, err := io.WriteString(w, tt.text)
			return errors.Join(err, tt.err)
		})
		if !errors.Is(err, tt.err) {
			t.Errorf("%s: %v, want %v", tt.text, err, tt.err)
		}
		got, err := os.ReadFile(name)
		if (err != nil) != (tt.want == "") || string(got) != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.text, got, err, tt.want)
		}
		if files, _ := os.ReadDir(dir); len(files) != min(1, len(tt.want)) {
			t.Errorf("%s: %d files are left", tt.text, len(files))
		}
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v: want a file that all may read", info.Mode(), err)
	}
	if err := atomicfile.Write(filepath.Join(dir, "none", "f"), "", false, func(io.Writer) error { return nil }); err == nil {
		t.Error("a file in no folder was written")
	}
	if err := atomicfile.Write(dir, "", false, func(io.Writer) error { return nil }); err == nil {
		t.Error("a folder was replaced")
	}
}

// TestMakeFolder: only what was made is removed again.
func TestMakeFolder(t *testing.T) {
	old := t.TempDir()
	fresh := filepath.Join(old, "a", "b")
	for _, tt := range []struct {
		name string
		left bool
	}{{old, true}, {fresh, false}} {
		unmake, err := atomicfile.MakeFolder(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(tt.name); err != nil || !info.IsDir() {
			t.Errorf("%s is not made: %v", tt.name, err)
		}
		unmake()
		if _, err := os.Stat(tt.name); (err == nil) != tt.left {
			t.Errorf("%s, left %t: %v", tt.name, tt.left, err)
		}
	}
	file := filepath.Join(old, "f")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := atomicfile.MakeFolder(file); err == nil {
		t.Error("a file is taken for a folder")
	}
}
