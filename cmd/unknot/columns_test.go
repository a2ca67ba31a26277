package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models"
)

func TestFold(t *testing.T) {
	for _, tt := range []struct {
		text string
		most int
		want []string
	}{
		{"", 5, []string{""}},
		{"one", 5, []string{"one"}},
		{"one two three", 7, []string{"one two", "three"}},
		{"xy|yx|adaptive", 6, []string{"xy|yx|", "adaptive"}},
		{"uncuttable a", 4, []string{"uncuttable", "a"}},
		{"ä ö ü ß", 3, []string{"ä ö", "ü ß"}}, // characters, not bytes
	} {
		if diff := cmp.Diff(tt.want, fold(tt.text, tt.most)); diff != "" {
			t.Errorf("%q at %d (-want +got):\n%s", tt.text, tt.most, diff)
		}
	}
}

// TestModelsFitTheScreen: the descriptions of models keep to a hundred columns,
// except for a value that cannot be broken.
func TestModelsFitTheScreen(t *testing.T) {
	args := [][]string{{"models"}}
	for _, e := range models.Catalogue() {
		args = append(args, []string{"models", e.Name})
	}
	for _, args := range args {
		code, out, errs := unknot(t, args...)
		if code != exitExpected {
			t.Fatalf("%v: exit %d: %s", args, code, errs)
		}
		for line := range strings.Lines(out) {
			line = strings.TrimRight(line, "\n")
			if utf8.RuneCountInString(line) > width && strings.Contains(strings.TrimSpace(line), " ") {
				t.Errorf("%v: %d columns: %s", args, utf8.RuneCountInString(line), line)
			}
		}
	}
}
