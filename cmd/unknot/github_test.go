package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAction: the flags that the reusable action passes are flags of check, and
// the command writes what the action uploads.
func TestAction(t *testing.T) {
	text, err := os.ReadFile("../../.github/actions/check/action.yml")
	if err != nil {
		t.Fatal(err)
	}
	_, line, found := strings.Cut(string(text), `check "$CHECKED" $FLAGS `)
	line, _, _ = strings.Cut(line, "\n")
	dir := t.TempDir()
	t.Chdir(dir)
	network := "network(name = 'pair')\nlink(node('a'), node('b'))\nflows([('a', 'b')])\ndef route(at, to):\n    return [hop(at.node.out[0])]\n"
	if err := os.WriteFile("pair.star", []byte(network), 0o600); err != nil {
		t.Fatal(err)
	}
	args := strings.Fields(strings.ReplaceAll(line, `"$GITHUB_STEP_SUMMARY"`, "summary.md"))
	code, out, errs := unknot(t, append([]string{"check", "pair.star"}, args...)...)
	if !found || code != exitExpected {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	for _, name := range []string{"unknot.sarif", "summary.md"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}
