package checker_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestResultsCompareByValue: two decisions of one network, compiled twice, are equal with all their sentences and
// evidence, and those of another network, or in another scenario, are not. Networks compare by their digest.
func TestResultsCompareByValue(t *testing.T) {
	byDigest := cmp.Comparer(func(a, b *spec.Network) bool {
		return (a == nil) == (b == nil) && (a == nil || a.Digest() == b.Digest())
	})
	decided := func(nodes string, sc spec.Scenario) []checker.Finding {
		r, err := checker.Check(t.Context(), ringOf(t, map[string]string{"n": nodes}), checker.Question{Scenario: sc})
		if err != nil {
			t.Fatal(err)
		}
		return r.Findings
	}
	four := decided("4", spec.Scenario{})
	if diff := cmp.Diff(four, decided("4", spec.Scenario{}), byDigest); diff != "" {
		t.Errorf("one network, decided twice (-first +second):\n%s", diff)
	}
	if cmp.Equal(four, decided("5", spec.Scenario{}), byDigest) {
		t.Error("rings of 4 and 5 nodes have equal findings")
	}
	if cmp.Equal(four, decided("4", spec.Scenario{Sink: 1}), byDigest) {
		t.Error("a scenario makes no difference")
	}
}
