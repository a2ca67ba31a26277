package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models/examples"
)

// TestReadmeCommands: the commands that the README shows work as pasted, in a
// folder with the example networks. That one takes minutes on purpose is left out.
func TestReadmeCommands(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "networks"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range examples.Names() {
		file, text, _ := examples.Text(name)
		if err := os.WriteFile(filepath.Join(dir, "networks", file), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	word := regexp.MustCompile(`"[^"]*"|\S+`) // as a shell has them
	ran, inside := 0, false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			inside = !inside
			continue
		}
		command, _, _ := strings.Cut(strings.TrimPrefix(line, "$ "), " #")
		args := word.FindAllString(command, -1)
		for i := range args {
			args[i] = strings.Trim(args[i], `"`)
		}
		if !inside || len(args) == 0 || args[0] != "unknot" || strings.Contains(line, "--timeout") {
			continue
		}
		if _, err := exec.LookPath("dot"); err != nil && strings.Contains(line, "svg") && args[1] == "graph" {
			t.Logf("left out, Graphviz is not there: %s", line)
			continue
		}
		ran++
		if code, out, errs := unknot(t, args[1:]...); code != exitExpected && code != exitViolated {
			t.Errorf("%s: exit %d\n%s%s", command, code, out, errs)
		}
	}
	if ran < 10 {
		t.Errorf("only %d commands were found", ran)
	}
}
