package spec_test

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestPrintable: a name stays on its line, moves nothing on a screen, and is taken
// neither for a verdict of unknot-verify nor for a command to a CI system.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"0->1 vc0":        "0->1 vc0",
		"Überlauf":        "Überlauf",
		"a\nb\x1b[2J":     `a\nb\x1b[2J`,
		"a\u202eb":        `a\u202eb`,
		"VERIFIED: all":   `"VERIFIED: all"`,
		" REJECTED: all":  `" REJECTED: all"`,
		"UNCHECKED":       `"UNCHECKED"`,
		"::error::no":     `"::error::no"`,
		"not VERIFIED":    "not VERIFIED",
		"##[error]no":     `#\x23[error]no`,
		"a ##vso[task.x]": `a #\x23vso[task.x]`,
		"##teamcity[buildStatus status='SUCCESS']": `#\x23teamcity[buildStatus status='SUCCESS']`, // TeamCity's service messages
		"x##TeamCity[a]##[b]":                      `x#\x23TeamCity[a]#\x23[b]`,
		"####[a]":                                  `###\x23[a]`,
		"## a [b] #[c]":                            "## a [b] #[c]",
	} {
		if got := spec.Printable(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestNoCommands: no text keeps what a CI system takes for a command, and a text that is printable stays as it is.
func TestNoCommands(t *testing.T) {
	command := regexp.MustCompile(`##[\w.-]*\[`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("##[[teamcity-vso] a\x1b\n:")), 0, 20, -1).Draw(t, "text")
		got := spec.Printable(text)
		if command.MatchString(got) {
			t.Fatalf("%q is printed as %q", text, got)
		}
		if again := spec.Printable(got); again != got && got[0] != '"' {
			t.Fatalf("%q is printed as %q, and that as %q", text, got, again)
		}
	})
}
