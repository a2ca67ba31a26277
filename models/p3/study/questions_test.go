package study_test

import (
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/studies/all"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestP3Questions: answers known beforehand: two PEs of 4 x 4 targets each have a block for their own and one for the
// other's; two boundaries of the bent plane meet at less than 180°; and the cycle around four PEs that entries before
// and after a move close together.
func TestP3Questions(t *testing.T) {
	type set = map[string]string
	for _, tt := range []struct {
		model, question string
		set             set
		want            spec.Verdict
		because         string // a part of it
		parts           int
	}{
		{"p3", "distance-grows", set{"shape": "bent"}, spec.Holds, "the neighbour has that edge too", 0},
		{"p3", "distance-shrinks", set{"shape": "bent"}, spec.Violated, "the nearest point stays the same", 0},
		{"p3", "distance-shrinks", nil, spec.Holds, "never has the same nearest point", 0},
		{"p3", "masks", set{"columns": "2", "rows": "1", "pitch": "4"}, spec.Holds, "4 entries in place of 64", 0},
		{"p3-rebalance", "settles", set{"rows": "2"}, spec.Violated, "a cycle of 4 channels", 1},
		{"p3-rebalance", "settles-quietly", set{"rows": "2"}, spec.Holds, "has no cycle", 1},
	} {
		e, _ := models.Find(tt.model)
		a, err := all.Ask(t.Context(), e, tt.question, tt.set)
		if err != nil || a.Verdict != tt.want || !strings.Contains(a.Because, tt.because) || len(a.Parts) != tt.parts {
			t.Errorf("%s %s %v: %s, %s, %d parts, %v; want %s, %s, %d parts", tt.model, tt.question, tt.set, a.Verdict,
				a.Because, len(a.Parts), err, tt.want, tt.because, tt.parts)
		}
	}
}
