package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// full is a device without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestFullDevice: output that nobody could read is not a success, whatever the command.
func TestFullDevice(t *testing.T) {
	evidence := filepath.Join(t.TempDir(), "evidence")
	if code := run(t.Context(), []string{"check", "ring", "--out", evidence}, streams{out: new(bytes.Buffer), err: new(bytes.Buffer)}); code != exitViolated {
		t.Fatal(code)
	}
	for _, line := range []string{
		"--version", "--help", "help", "help first-network", "check --help", "completion bash", "man", "stubs", "models",
		"models ring", "check torus", "check ring", "check ring --json",
		"verify " + evidence, "replay ring " + evidence + "/deadlock-freedom.unknot", "show ring", "show ring --closed",
		"graph ring", "ask rwc1 least-vcs", "sweep ring --range n=3..4",
		"diff ring mesh", "untie ring", "route torus --engine updown", "export ring --to promela",
	} {
		var errs bytes.Buffer
		if code := run(t.Context(), strings.Fields(line), streams{out: full{}, err: &errs}); code != exitUsage ||
			!strings.Contains(errs.String(), "no space left") {
			t.Errorf("unknot %s: exit code %d\n%s", line, code, &errs)
		}
	}
}

// TestUnwritten: what was found is printed, even if there is no room for the files that were to hold it:
// it may have taken hours. It does not point to them. A walk of which nothing is on disk is not "saved".
func TestUnwritten(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"out/network.json", "d/00000000.run/x"} { // in the place of files
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	code, out, errs := unknot(t, "check", "ring", "--out", "out")
	if code != exitUsage || !strings.Contains(out, "deadlock freedom VIOLATED") ||
		strings.Contains(out, "replay out") || !strings.HasPrefix(errs, "unknot: writing out/network.json: ") {
		t.Errorf("without --out: exit code %d\n%s%s", code, out, errs)
	}
	code, out, errs = unknot(t, "check", "peterson", "--disk", "d")
	if code != exitUnknown || !strings.Contains(out, "a file in d could not be written") || errs != "" {
		t.Errorf("without --disk: exit code %d\n%s%s", code, out, errs)
	}
}
