package unsat_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestRead: an unsatisfiability proof within a bound is read as such, not as one without a bound.
func TestRead(t *testing.T) {
	head := "unknot-unsatisfiability-proof 2\nnetwork " + strings.Repeat("0f", 32) + "\n"
	const steps = "clause 1 4\nsites 0 2\nclause\nclause 3 some 1 2 some some 5\ncondition 1 7\nend\n"
	for _, tt := range []struct {
		bound, steps, want string
	}{
		{"", steps, "{ 0}"},
		{"packets 2\n", steps, "{packets 2}"},
		{"channels 3\n", steps, "{channels 3}"},
		{"packets -1\n", steps, "invalid number"},
		{"packets 2\npackets 2\n", steps, `want "sites"`},
		{"", "clause 1 4\nsites 0 2\n", "unexpected end"},
		{"", "clause 1 -4\nend\n", "invalid number"},
		{"", "clause 1 4\nsite 2\nend\n", `want "sites"`},
		{"", steps + "clause\n", "text after the end"},
		{"", "sites 1 some 2\nend\n", "invalid number"},
		{"", "clause 1 any 2\nend\n", "invalid number"},
		{"", "condition 1 some 2\nend\n", "invalid number"},
		{"", "some 2\nend\n", `want "sites"`},
		{"scenario length 3\n", steps, "{ 0} length 3"},
		{"scenario length any\nchannels 3\n", steps, "{channels 3} length any"},
		{"scenario length 3 packets 2\n", steps, "invalid scenario"},
		{"scenario length 3 any\n", steps, "invalid scenario"},
		{"scenario length 0\n", steps, "invalid scenario"},
		{"channels 3\nscenario length 3\n", steps, `want "sites"`},
	} {
		r, err := unsat.Read("r", strings.NewReader(head+tt.bound+tt.steps))
		if err != nil {
			if !strings.Contains(err.Error(), tt.want) || !errors.As(err, new(*spec.PosError)) {
				t.Errorf("%q: %v, want %q", tt.bound+tt.steps, err, tt.want)
			}
			continue
		}
		got := fmt.Sprint(r.Bound)
		if r.Under != nil {
			got += " " + r.Under.String()
		}
		if got != tt.want {
			t.Errorf("%q: bound and scenario %s, want %s", tt.bound+tt.steps, got, tt.want)
		}
		want := []unsat.Step{{Clause: true, List: []int32{1, 4}}, {List: []int32{0, 2}}, {Clause: true},
			{Clause: true, List: []int32{3}, Sum: [][]int32{{1, 2}, nil, {5}}}, {Condition: true, List: []int32{1, 7}}}
		if diff := cmp.Diff(want, r.Steps); diff != "" {
			t.Error(diff)
		}
	}
}
