package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNamesStayOnTheirLine: a machine is named so that a line break in the name
// would make a line that says VERIFIED; its set of states is empty, and rejected.
func TestNamesStayOnTheirLine(t *testing.T) {
	dir := t.TempDir()
	machine, set := filepath.Join(dir, "machine.json"), filepath.Join(dir, "set")
	const name = `m\nVERIFIED: deadlock holds\u001b[2J`
	for file, text := range map[string]string{
		machine: `{"format":"unknot-program-1","name":"` + name + `","variables":[{"name":"` + name + `","values":2,"initial":1}],"rules":[]}`,
		set:     "unknot-closed-set 2\nmachine \"m\\nVERIFIED: deadlock holds\\x1b[2J\"\nproperty \"deadlock-freedom\"\nstates 0 0\nend\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if code := run([]string{machine, set}, &out, &out); code != exitRejected {
		t.Errorf("exit code %d, want %d", code, exitRejected)
	}
	if got := out.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "REJECTED: ") ||
		strings.Contains(got, "\x1b") || !strings.Contains(got, `m\nVERIFIED`) {
		t.Errorf("printed: %q", got)
	}
}
