package studies_test

import (
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/studies"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestP3Questions: answers known beforehand. On a grid all choices by quadrant but
// the two that alternate lack a turn of either cycle; six packets without a choice
// wait around the two inner corners of the bow; and where a plane by itself
// deadlocks, as (1,1) is moved to the right and upwards, no discipline helps.
func TestP3Questions(t *testing.T) {
	type set = map[string]string
	for _, tt := range []struct {
		model, question string
		set             set
		want            spec.Verdict
		because         string // a part of it
		parts           int
	}{
		{"p3", "arrives", set{"shape": "bent"}, spec.Violated, "cycles through 2 channels", 1},
		{"p3", "arrives", set{"shape": "bent", "variant": "never-back"}, spec.Holds, "every hop lowers a measure", 2},
		{"p3", "waits", nil, spec.Violated, "a cycle of 4 channels", 1},
		{"p3", "quadrants", nil, spec.Holds, "with 14 of the 16 choices", 14*3 + 2},
		{"p3", "quadrants", set{"shape": "bow", "variant": "beyond"}, spec.Violated, "with 0 of the 16 choices", 16},
		{"p3", "one-class", set{"shape": "bow"}, spec.Violated, "packets without any choice close a cycle", 1},
		{"p3", "one-class", nil, spec.Holds, "has no cycle", 2},
		{"p3", "masks", set{"columns": "2", "rows": "1", "pitch": "4"}, spec.Holds, "4 entries in place of 64", 0},
		{"p3-rebalance", "settles", set{"rows": "2"}, spec.Violated, "a cycle of 4 channels", 1},
		{"p3-rebalance", "settles-quietly", set{"rows": "2"}, spec.Holds, "has no cycle", 1},
		{"p3-rebalance", "frontier", set{"rows": "2"}, spec.Holds, "21 of 48 disciplines keep packets from waiting in a cycle; the weakest: order any, waiting for target, holding target; or order at-once, waiting for inputs, holding nobody", 5},
		{"p3-rebalance", "frontier", set{"rows": "2", "dy": "8"}, spec.Violated, "whatever the discipline, of the planes by themselves: ", 1},
	} {
		e, _ := models.Find(tt.model)
		a, err := studies.Ask(t.Context(), e, tt.question, tt.set)
		if err != nil || a.Verdict != tt.want || !strings.Contains(a.Because, tt.because) || len(a.Parts) != tt.parts {
			t.Errorf("%s %s %v: %s, %s, %d parts, %v; want %s, %s, %d parts", tt.model, tt.question, tt.set, a.Verdict, a.Because, len(a.Parts), err, tt.want, tt.because, tt.parts)
		}
	}
}
