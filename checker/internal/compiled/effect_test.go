package compiled

import (
	"slices"
	"testing"
)

// TestTablesAreShared: looks with equal tables have one, and a table that differs in one entry is another.
func TestTablesAreShared(t *testing.T) {
	table := func(set uint64) []entry {
		all := slices.Repeat([]entry{same}, 8)
		all[7].set = set
		return all
	}
	steps := tables{}.share([]step{
		{kind: look, entries: table(1)}, {kind: skip}, {kind: look, entries: table(2)}, {kind: look, entries: table(1)},
	})
	if a, b := &steps[0].entries[0], &steps[3].entries[0]; a != b {
		t.Error("equal tables are two")
	}
	if got := steps[2].entries; !slices.Equal(got, table(2)) {
		t.Errorf("a table became %v", got)
	}
	if steps[1].entries != nil {
		t.Error("a skip has a table")
	}
}
