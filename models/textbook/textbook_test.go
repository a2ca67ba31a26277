package textbook_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/textbook"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// TestStates: counts that other checkers have published.
//
// TLC finds 288 distinct states of TwoPhase.tla with 3 resource managers and 8,832 with 5, and
// generates 1,146 with 3, the initial one among them, so there are 1,145 steps.
// CMurphi finds 882 and 628,868 states of n_peterson.m with 3 and 5 processes;
// each process always has one step, so there are n times as many steps.
func TestStates(t *testing.T) {
	type counts struct{ States, Transitions int64 }
	for _, tt := range []struct {
		name  string
		build func(int) (*program.Program, error)
		n     int
		want  counts // -1: not published
	}{
		{"two-phase commit", textbook.TwoPhase, 3, counts{288, 1145}},
		{"two-phase commit", textbook.TwoPhase, 5, counts{8832, -1}},
		{"Peterson", textbook.Peterson, 3, counts{882, 3 * 882}},
		{"Peterson", textbook.Peterson, 5, counts{628868, 5 * 628868}},
	} {
		p, err := tt.build(tt.n)
		if err != nil {
			t.Fatal(err)
		}
		m, err := p.Machine()
		if err != nil {
			t.Fatal(err)
		}
		x, err := checker.Explore(t.Context(), m, checker.ExploreOptions{Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		got := counts{x.States, x.Transitions}
		if tt.want.Transitions < 0 {
			got.Transitions = -1
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || !x.Complete {
			t.Errorf("%s of %d, complete %v (-want +got):\n%s", tt.name, tt.n, x.Complete, diff)
		}
		for _, f := range x.Findings {
			if f.Verdict != spec.Holds {
				t.Errorf("%s of %d: %s is %s", tt.name, tt.n, f.Property, f.Verdict)
			}
		}
	}
}

// TestBroken: what is left out is missed. A resource manager that aborts after
// it has prepared, and a process that does not wait, break the claims.
func TestBroken(t *testing.T) {
	commit, err := textbook.TwoPhase(2)
	if err != nil {
		t.Fatal(err)
	}
	commit.Rule("abort after all", program.Eq(program.Var(0), 1), program.Set(0, 3))
	peterson, err := textbook.Peterson(3)
	if err != nil {
		t.Fatal(err)
	}
	peterson.Rule("push in", program.Eq(program.Var(0), 3), program.Set(0, 4))
	for _, p := range []*program.Program{commit, peterson} {
		m, err := p.Machine()
		if err != nil {
			t.Fatal(err)
		}
		x, err := checker.Explore(t.Context(), m, checker.ExploreOptions{})
		if err != nil {
			t.Fatal(err)
		}
		violated := false
		for _, f := range x.Findings {
			violated = violated || f.Property == p.Invariants[0].Name && f.Verdict == spec.Violated
		}
		if !violated {
			t.Errorf("%s, broken: %+v", p.Name, x.Findings)
		}
	}
}

func TestBounds(t *testing.T) {
	for _, n := range []int{-1, 0, 17} {
		if _, err := textbook.TwoPhase(n); err == nil {
			t.Errorf("two-phase commit of %d", n)
		}
		if _, err := textbook.Peterson(n); err == nil {
			t.Errorf("Peterson of %d", n)
		}
	}
}
