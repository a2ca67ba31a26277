package checker_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// TestCovers: a number that counts from 0 to 3 reaches 2 in two steps, and never 4. The first is
// shown by a run of two steps that violates the negation, the second by the set of four states,
// in which the negation holds. Neither ends the exploration early.
func TestCovers(t *testing.T) {
	p := program.New("counter")
	x := p.Var("x", 5)
	p.Rule("up", program.Lt(x, 3), program.Set(x, program.Add(x, 1)))
	p.Rule("again", program.Eq(x, 3), program.Set(x, 0))
	for _, n := range []int{2, 4} {
		p.Invariants = append(p.Invariants, program.Invariant{Name: fmt.Sprintf("not %d", n), Holds: program.Ne(x, n), Cover: fmt.Sprint(n)})
	}
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		property string
		opt      checker.Question
		verdict  spec.Verdict
		shown    string // by the evidence; "": there is none
	}{
		{"2", checker.Question{}, spec.Holds, "2 holds (reached, trace of 2 steps)"},
		{"4", checker.Question{}, spec.Violated, "4 violated (never reached, closed set of 4 states)"},
		{"4", checker.Question{MaxStates: 2}, spec.Unknown, ""},
		{"4", checker.Question{Properties: []string{"4"}}, spec.Violated, "4 violated (never reached, closed set of 4 states)"},
		{"2", checker.Question{Properties: []string{"2"}}, spec.Holds, "2 holds (reached, trace of 2 steps)"},
	} {
		r, err := checker.Explore(context.Background(), m, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		f := r.Of(c.property)
		if f == nil || f.Verdict != c.verdict {
			t.Errorf("%s under %+v: %+v, want %s", c.property, c.opt, f, c.verdict)
			continue
		}
		got := ""
		if f.Evidence != nil {
			if err := f.Evidence.Verify(context.Background(), evidence.Options{}); err != nil {
				t.Error(err)
			}
			got = f.Evidence.Shown().String()
		}
		if got != c.shown {
			t.Errorf("%s: %q is shown, want %q", c.property, got, c.shown)
		}
	}
}
