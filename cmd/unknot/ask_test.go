package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAsk: answers, exit codes, and what is written when something is wrong.
func TestAsk(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "picture.svg")
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string
		svg  bool
	}{
		{"holds", []string{"peach2", "addresses"}, exitExpected, "peach2: addresses holds\n", false},
		{"violated", []string{"p3", "distance-shrinks", "--set", "shape=bent"}, exitViolated, "p3: distance-shrinks violated\n", false},
		{"what is drawn", []string{"p3-rebalance", "settles", "--set", "rows=2", "--picture", picture}, exitViolated, "drawn in " + picture, true},
		{"no picture", []string{"rwc1", "partitions", "--picture", picture}, exitUsage, "has no picture", false},
		{"no model", []string{"nothing", "classes"}, exitUsage, `invalid model "nothing"`, false},
		{"no question", []string{"rwc1", "speed"}, exitUsage, `rwc1 has no question "speed": it has least-vcs,`, false},
		{"no questions at all", []string{"ring", "speed"}, exitUsage, "it has none", false},
		{"a wrong parameter", []string{"peach2", "addresses", "--set", "n=99"}, exitUsage, "peach2: invalid n \"99\"", false},
		{"what it is about", []string{"peach2", "addresses", "--set", "n=16"}, exitExpected, "peach2: addresses holds\nfor n=16, rings=1, tie=east, variant=minimal\n", false},
		{"a gap", []string{"peach2", "addresses", "--set", "n=12"}, exitViolated, "128 GiB of the window belong to no node, and match no port at any board: 4 parts of 16, from address 0x6000000000 on", false},
		{"a parameter that does not matter", []string{"peach2", "links", "--set", "tie=west"}, exitUsage, `peach2 links does not depend on parameter "tie": here it depends on n, rings`, false},
		{"no place to draw", []string{"p3-rebalance", "settles", "--set", "rows=2", "--picture", filepath.Join(picture, "x", "y.svg")}, exitUsage, "invalid --picture ", false},
		{"two arguments", []string{"p3"}, exitUsage, "want a question about p3: distance-grows, ", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if strings.Contains(tt.name, "draw") {
				needsDot(t)
			}
			os.Remove(picture)
			code, out, errs := unknot(t, append([]string{"ask"}, tt.args...)...)
			if code != tt.code || !strings.Contains(out+errs, tt.want) {
				t.Errorf("exit %d, want %d with %q:\n%s%s", code, tt.code, tt.want, out, errs)
			}
			text, err := os.ReadFile(picture)
			if drawn := err == nil && strings.Contains(string(text), "<svg"); drawn != tt.svg {
				t.Errorf("drawn: %v, want %v", drawn, tt.svg)
			}
		})
	}
}
