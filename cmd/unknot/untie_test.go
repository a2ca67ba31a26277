package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUntie: exit codes and messages.
func TestUntie(t *testing.T) {
	for _, tt := range []struct {
		args []string
		code int
		want string // in the output, or the error
	}{
		{[]string{"ring", "--set", "n=4", "--scheme", "dateline"}, exitExpected,
			"\ndateline: 2 layers of VCs, 2 channels more; one layer is the network as it is\n"},
		{[]string{"ring", "--set", "n=4", "--scheme", "layers"}, exitExpected,
			"; the dependency graph of each layer has no cycle; one layer is the network as it is\n"},
		{[]string{"ring", "--set", "n=5", "--scheme", "layers"}, exitExpected,
			"; in 2 layers every assignment of the flows leaves the dependency graph of a layer with a cycle\n"},
		{[]string{"ring", "--set", "n=4", "--scheme", "turns"}, exitViolated, "\nturns: none: each of 4 turns is unavoidable for some flow"},
		{[]string{"ring", "--set", "n=4", "--scheme", "turns", "--scheme", "escape"}, exitExpected, "\nescape: "},
		{[]string{"ring", "--set", "n=4", "--set", "variant=dateline"}, exitExpected, "\nnothing to mend\n"},
		{[]string{"../../models/examples/request_reply.star", "--set", "shared=true", "--scheme", "order"}, exitUnknown,
			"\norder: unknown: not for a network whose nodes answer requests\n"},
		{[]string{"ring", "--scheme", "prayer"}, exitUsage, `invalid scheme "prayer": want one of turns, hops, dateline,`},
		{[]string{"ring", "--effort", "0"}, exitUsage, `invalid --effort "0": want at least 1`},
		{[]string{"peterson"}, exitUsage, "peterson is a protocol, not a network"},
		{[]string{"nowhere.json"}, exitUsage, "nowhere.json: "},
	} {
		code, out, errs := unknot(t, append([]string{"untie"}, tt.args...)...)
		if code != tt.code || !strings.Contains(out+errs, tt.want) {
			t.Errorf("untie %s: exit %d, want %d with %q\n%s%s", strings.Join(tt.args, " "), code, tt.code, tt.want, out, errs)
		}
	}
}

// TestUntieFolder: what is written passes check and verify, twice alike; what an earlier run
// left for a scheme that no longer has a repair goes.
func TestUntieFolder(t *testing.T) {
	dir := t.TempDir()
	args := []string{"untie", "ring", "--set", "n=4", "--scheme", "turns", "--scheme", "layers", "--out", dir}
	if err := os.MkdirAll(filepath.Join(dir, "turns"), 0o755); err != nil {
		t.Fatal(err)
	}
	stale := filepath.Join(dir, "turns", patchFile)
	if err := os.WriteFile(stale, []byte("# written by unknot\nforbid nothing\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	read := func() string {
		code, out, errs := unknot(t, args...)
		if code != exitExpected {
			t.Fatalf("exit %d\n%s", code, errs)
		}
		for _, name := range []string{patchFile, networkFile} {
			text, err := os.ReadFile(filepath.Join(dir, "layers", name))
			if err != nil {
				t.Fatal(err)
			}
			out += string(text)
		}
		return out
	}
	if first := read(); first != read() {
		t.Error("the second run writes something else")
	}
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", stale, err)
	}
	for _, command := range [][]string{{"check", filepath.Join(dir, "layers", networkFile), "--expected"}, {"verify", filepath.Join(dir, "layers")}} {
		if code, out, errs := unknot(t, command...); code != exitExpected {
			t.Errorf("%v: exit %d\n%s%s", command, code, out, errs)
		}
	}
}
