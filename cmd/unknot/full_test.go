package main

import (
	"bytes"
	"errors"
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
		"--version", "--help", "help", "help tutorial", "check --help", "completion bash", "man", "models", "models ring", "check torus", "check ring", "check ring --json",
		"verify " + evidence, "replay ring " + evidence + "/deadlock.unknot", "show ring", "show ring --closed", "graph ring", "ask rwc1 least-vcs", "sweep ring --range n=3..4",
		"diff ring mesh", "untie ring", "route torus --engine updown", "export ring --to promela",
	} {
		var errs bytes.Buffer
		if code := run(t.Context(), strings.Fields(line), streams{out: full{}, err: &errs}); code != exitUsage || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("unknot %s: exit code %d\n%s", line, code, &errs)
		}
	}
}
