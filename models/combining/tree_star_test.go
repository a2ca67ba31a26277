package combining

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/star"
)

// TestTreeLibrary: the tree that the protocols load is the paper's, written out by hand
// in testdata, and its symmetries map it to itself.
func TestTreeLibrary(t *testing.T) {
	const file = "testdata/tree_is.star"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := star.Load(t.Context(), file, text, star.Options{Open: files.ReadFile}); err != nil {
		t.Error(err)
	}
}

// TestInvalidateAckIsShort: the protocol with all its mendings, without the tree that it shares with others, has at most
// 520 lines of code, of at most 120 columns; comments, docstrings and empty lines do not count.
func TestInvalidateAckIsShort(t *testing.T) {
	comment := regexp.MustCompile(`(?s)""".*?"""|(?m:^\s*#.*$)`)
	lines := 0
	for _, pattern := range []string{"invalidate-*.star", "mend-*.star"} {
		names, err := fs.Glob(files, pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v, %v", pattern, names, err)
		}
		for _, name := range names {
			text, err := files.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				if len(line) > 121 {
					t.Errorf("%s: %d columns: %s", name, len(line)-1, line)
				}
			}
			for line := range strings.Lines(comment.ReplaceAllString(string(text), "")) {
				if strings.TrimSpace(line) != "" {
					lines++
				}
			}
		}
	}
	if lines > 520 {
		t.Errorf("%d lines, want at most 520", lines)
	}
}
