package spec_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestPrintable: a name stays on its line, moves nothing on a screen, and is taken
// neither for a verdict of unknot-verify nor for a command to a CI system.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"0->1 vc0":       "0->1 vc0",
		"Überlauf":       "Überlauf",
		"a\nb\x1b[2J":    `a\nb\x1b[2J`,
		"a\u202eb":       `a\u202eb`,
		"VERIFIED: all":  `"VERIFIED: all"`,
		" REJECTED: all": `" REJECTED: all"`,
		"UNCHECKED":      `"UNCHECKED"`,
		"::error::no":    `"::error::no"`,
		"not VERIFIED":   "not VERIFIED",
		"##[error]no":    `#\x23[error]no`,
	} {
		if got := spec.Printable(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
