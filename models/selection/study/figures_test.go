package study

import (
	"slices"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/simulate"
	"github.com/seed-105a2da2/unknot/models/studies"
)

// TestAbstract: the abstract compares CCB with the existing functions: S-CCB, which the paper proposes, too, may be better.
func TestAbstract(t *testing.T) {
	const sentence = "abstract: CCB performs better than the existing functions run"
	for _, tt := range []struct {
		best, second string
		want         studies.Outcome
	}{{"s-ccb", "ccb", studies.Confirmed}, {"ccb", "random", studies.Confirmed}, {"random", "ccb", studies.Refuted}, {"ld", "s-ccb", studies.Refuted}} {
		seen := 0
		for _, f := range Figures() {
			of := func(function string) *simulate.Curve { // the best one saturates last, and the second after all others
				c := &simulate.Curve{Name: function}
				last := map[string]int{tt.best: 3, tt.second: 2}[function]
				for i := range 4 {
					c.Points = append(c.Points, &simulate.Result{Saturated: i >= max(1, last)})
				}
				return c
			}
			i := slices.IndexFunc(f.Stated, func(s studies.Stated) bool { return s.Sentence == sentence })
			if i < 0 || !slices.Contains(f.Functions, tt.best) || !slices.Contains(f.Functions, tt.second) {
				continue
			}
			if seen++; f.Stated[i].Compare(of, f.Functions) != tt.want {
				t.Errorf("%s, %s before %s: %s, want %s", f.Name, tt.best, tt.second, f.Stated[i].Compare(of, f.Functions), tt.want)
			}
		}
		if seen == 0 {
			t.Errorf("no figure compares %s with %s", tt.best, tt.second)
		}
	}
}
