package combining

import (
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

// TestInvalidateAckIsShort: the protocol with all its variants, without the tree that it shares
// with others, has at most 400 lines of code; comments, docstrings and empty lines do not count.
func TestInvalidateAckIsShort(t *testing.T) {
	comment := regexp.MustCompile(`(?s)""".*?"""|(?m:^\s*#.*$)`)
	lines := 0
	for _, name := range []string{"invalidate-ack.star", "invalidate-net.star", "invalidate-unit.star"} {
		text, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(comment.ReplaceAllString(string(text), "")) {
			if strings.TrimSpace(line) != "" {
				lines++
			}
		}
	}
	if lines > 400 {
		t.Errorf("%d lines, want at most 400", lines)
	}
}
