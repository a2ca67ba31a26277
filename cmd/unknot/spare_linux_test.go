package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/cmd/internal/memory"
)

// TestWithoutMemoryFlag: without --memory a command takes what the computer has to spare, and says so when it is used up.
func TestWithoutMemoryFlag(t *testing.T) {
	var out, errs bytes.Buffer
	spare := memory.Resident() + 32<<20
	code := run(t.Context(), []string{"check", "torus", "--switching", "saf", "--explore=always"},
		streams{in: strings.NewReader(""), out: &out, err: &errs, spare: spare})
	if !ended(code, out.String()) || !strings.Contains(out.String(), "the memory that this computer has to spare") {
		t.Errorf("exit %d: %s%s", code, &out, &errs)
	}
	out.Reset()
	code = run(t.Context(), []string{"check", "ring", "--memory", "64GiB"}, streams{in: strings.NewReader(""), out: &out, err: &errs, spare: 1})
	if code != exitViolated {
		t.Errorf("with --memory: exit %d: %s%s", code, &out, &errs)
	}
}
