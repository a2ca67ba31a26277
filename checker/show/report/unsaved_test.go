package report

import (
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
)

// TestUnsaved: a checkpoint that could not be saved is part of the result.
func TestUnsaved(t *testing.T) {
	var b strings.Builder
	r := Result{Name: "ring", Space: &checker.Space{Unsaved: &checker.CheckpointError{File: "ring.saved", Msg: "could not be saved: disk full"}}}
	if err := WriteJSON(&b, &r); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `"unsaved": "checkpoint ring.saved could not be saved: disk full"`) {
		t.Errorf("the result is %s", b.String())
	}
}
