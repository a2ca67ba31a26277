package catalogue

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// TestQuotations: a quotation has the section that was named last, its line, and the code below or beside it; what is
// ours is not the paper's, and short words in quotes are no sentences.
func TestQuotations(t *testing.T) {
	files := fstest.MapFS{
		"a.star": {Data: []byte(`# A model, as section 2.2 has it: "the first sentence of the paper,
# over two lines". A "short" word.
load("b.star", "f")
x = 1  # "a sentence beside the code", and more

# paper, 3.1: "a sentence of section three"; 5: "a sentence of section five".
# ours: "what we say of it ourselves".
# paper, 6, step 7: "a sentence of section six".

def g():
    pass
`)},
		"b.star": {Data: []byte("# \"a sentence without a section\"\ny = 2\n# \"a sentence at the end of a file\"")},
	}
	want := []Quotation{
		{"2.2", "the first sentence of the paper, over two lines", "a.star", 1, `load("b.star", "f")`},
		{"2.2", "a sentence beside the code", "a.star", 4, "x = 1"},
		{"3.1", "a sentence of section three", "a.star", 6, "def g():"},
		{"5", "a sentence of section five", "a.star", 6, "def g():"},
		{"6", "a sentence of section six", "a.star", 6, "def g():"},
		{"", "a sentence without a section", "b.star", 1, "y = 2"},
		{"", "a sentence at the end of a file", "b.star", 3, ""},
	}
	if diff := cmp.Diff(want, Entry{}.WithFile(File(files, "a.star")).Quotations()); diff != "" {
		t.Error(diff)
	}
	if got := (Entry{}).Quotations(); got != nil {
		t.Errorf("a model without a file quotes %v", got)
	}
}
