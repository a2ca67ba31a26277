package textbook_test

import (
	order "cmp"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/textbook"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
)

func twoPhase(managers int) (*program.Program, error) {
	return programtest.Of(textbook.TwoPhaseEntry().Machine(catalogue.Set{"managers": strconv.Itoa(managers)}))
}

func peterson(n int) (*program.Program, error) {
	return programtest.Of(textbook.PetersonEntry().Machine(catalogue.Set{"n": strconv.Itoa(n)}))
}

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
		{"two-phase commit", twoPhase, 3, counts{288, 1145}},
		{"two-phase commit", twoPhase, 5, counts{8832, -1}},
		{"Peterson", peterson, 3, counts{882, 3 * 882}},
		{"Peterson", peterson, 5, counts{628868, 5 * 628868}},
	} {
		p, err := tt.build(tt.n)
		if err != nil {
			t.Fatal(err)
		}
		m, err := p.Machine()
		if err != nil {
			t.Fatal(err)
		}
		x, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole})
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

// TestBroken: faults are found. A resource manager that aborts after it has prepared, and a
// process that does not wait, violate the claims.
func TestBroken(t *testing.T) {
	commit, err := twoPhase(2)
	if err != nil {
		t.Fatal(err)
	}
	commit.Rule("abort after all", program.Eq(program.Var(0), 1), program.Set(0, 3))
	peterson, err := peterson(3)
	if err != nil {
		t.Fatal(err)
	}
	peterson.Rule("push in", program.Eq(program.Var(0), 3), program.Set(0, 4))
	for _, p := range []*program.Program{commit, peterson} {
		m, err := p.Machine()
		if err != nil {
			t.Fatal(err)
		}
		x, err := checker.Explore(t.Context(), m, checker.Question{})
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
		if _, err := twoPhase(n); err == nil {
			t.Errorf("two-phase commit of %d", n)
		}
		if _, err := peterson(n); err == nil {
			t.Errorf("Peterson of %d", n)
		}
	}
}

// TestSymmetry: modulo permutations of identical processes CMurphi finds 172 and
// 6,770 states of n_peterson.m. Two-phase commit of 5 has 314 orbits, see
// TestPublishedOrbits. The verdicts are those of the whole space.
func TestSymmetry(t *testing.T) {
	for _, tt := range []struct {
		name  string
		build func(int) (*program.Program, error)
		n     int
		want  int64
	}{
		{"two-phase commit", twoPhase, 5, 314},
		{"Peterson", peterson, 3, 172},
		{"Peterson", peterson, 5, 6770},
	} {
		p, err := tt.build(tt.n)
		if err != nil {
			t.Fatal(err)
		}
		m, err := p.Machine()
		if err != nil {
			t.Fatal(err)
		}
		x, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole, Symmetry: true})
		if err != nil {
			t.Fatal(err)
		}
		if x.States != tt.want || x.Verdict() != spec.Holds {
			t.Errorf("%s of %d: %d states, %s; want %d and holds", tt.name, tt.n, x.States, x.Verdict(), tt.want)
		}
	}
}

// TestWrongSymmetryRefused: processes declared symmetric that are not.
func TestWrongSymmetryRefused(t *testing.T) {
	p, err := peterson(3)
	if err != nil {
		t.Fatal(err)
	}
	p.Rule("0 pushes in", program.Eq(program.Var(0), 3), program.Set(0, 4))
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	if x, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole, Symmetry: true}); err == nil {
		t.Errorf("explored modulo a wrong symmetry: %d states", x.States)
	}
}

// TestPublishedOrbits: two-phase commit of 5 has 314 orbits: sorting the managers by
// all that is known of them leaves one state of each. The published number is 665, from
// a depth-first search with representatives that sort the managers only by what they do.
// Several of these belong to one orbit (1,092 are reachable), and the order of the search
// decides how many of them it finds.
func TestPublishedOrbits(t *testing.T) {
	p, err := twoPhase(5)
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	fields := m.Layout().Fields()
	// Variables i, 5+i and 10+i belong to manager i.
	sorted := func(s []uint64, compare func(a, b [3]uint64) int) []uint64 {
		var managers [][3]uint64
		for i := range 5 {
			managers = append(managers, [3]uint64{fields[i].Of(s), fields[5+i].Of(s), fields[10+i].Of(s)})
		}
		slices.SortStableFunc(managers, compare)
		s = slices.Clone(s)
		for i, x := range managers {
			for k, v := range x {
				fields[5*k+i].Put(s, v)
			}
		}
		return s
	}
	count := func(compare func(a, b [3]uint64) int) int {
		seen := map[string]bool{}
		var queue [][]uint64
		add := func(s []uint64) {
			s = sorted(s, compare)
			if key := fmt.Sprint(s); !seen[key] {
				seen[key] = true
				queue = append(queue, s)
			}
		}
		add(m.Start(nil))
		for i := 0; i < len(queue); i++ {
			next, err := m.AppendSuccessors(nil, queue[i])
			if err != nil {
				t.Fatal(err)
			}
			for s := range slices.Chunk(next, m.Layout().Words()) {
				add(s)
			}
		}
		return len(queue)
	}
	if got := count(func(a, b [3]uint64) int { return order.Compare(a[0], b[0]) }); got != 1092 {
		t.Errorf("sorted by what they do: %d representatives, want 1092", got)
	}
	if got := count(func(a, b [3]uint64) int { return slices.Compare(a[:], b[:]) }); got != 314 {
		t.Errorf("sorted by all: %d, want 314", got)
	}
}
