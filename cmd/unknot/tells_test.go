package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inFolder goes to a folder of its own for the time of the test, with these files.
func inFolder(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// told is a command with its exit code and a part of what it prints.
type told struct {
	command string
	code    int
	want    string // of standard output (codes 0 and 1) or standard error
}

// tells runs commands, one after the other.
func tells(t *testing.T, commands []told) {
	t.Helper()
	for _, tt := range commands {
		code, out, errs := unknot(t, strings.Fields(tt.command)...)
		text := out
		if code > 1 {
			text = errs
		}
		if code != tt.code || !strings.Contains(text, tt.want) {
			t.Errorf("%s: exit %d, want %d with %q\n%s%s", tt.command, code, tt.code, tt.want, out, errs)
		}
	}
}
