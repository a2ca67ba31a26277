package checker

import (
	"strings"
	"testing"
)

// TestArguments: each argument has a name of its own, and its sentence names the source first, as holds passes it there.
func TestArguments(t *testing.T) {
	names := map[string]Argument{}
	for by := NoArgument; by <= AllFairRuns; by++ {
		name := by.String()
		if other, twice := names[name]; twice || name == "" {
			t.Errorf("argument %d is called %q, as is %d", by, name, other)
		}
		names[name] = by
		var f Finding
		switch f.holds(by, "A", "B"); {
		case by == NoArgument || by == Replayed: // never of what holds without a trace
			continue
		case f.Argument != by || by.Source() != "" && !strings.Contains(f.Because.String(), "("+by.Source()+")"):
			t.Errorf("%s: %q, want the source %q", by, f.Because, by.Source())
		}
	}
	if len(names) != len(arguments) {
		t.Errorf("%d names, %d arguments", len(names), len(arguments))
	}
}
