package combining

import (
	"os"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/star"
)

// TestTreeLibrary: the tree that the protocols load is the paper's, written out by hand
// in testdata, and its renamings keep it a tree.
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
