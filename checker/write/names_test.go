package write_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/write"
)

// TestNames: no name has what POSIX or Windows forbids in file names, or occurs twice regardless of
// case; the second of two that give the same name is numbered.
func TestNames(t *testing.T) {
	names := write.Names{}
	var got []string
	for _, text := range []string{"deadlock", "Deadlock", "never: a/b", `a\b*?"<>|`, ".hidden", "tab\tand\nline", strings.Repeat("ä", 60)} {
		got = append(got, names.Name(text))
	}
	want := []string{"deadlock", "Deadlock-2", "never--a-b", "a-b------", "-.hidden", "tab-and-line", strings.Repeat("ä", 50)} // 100 bytes
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
