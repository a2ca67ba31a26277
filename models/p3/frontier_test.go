package p3

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestWeaker: an order of the disciplines, with one that asks for nothing.
func TestWeaker(t *testing.T) {
	all := Disciplines()
	if len(all) != 4*4*3 {
		t.Fatalf("%d disciplines", len(all))
	}
	for _, d := range all {
		if zero := (Discipline{}); d != zero && !zero.Weaker(d) {
			t.Errorf("%s: asks for something, and is not stronger than nothing", d)
		}
		for _, e := range all {
			if d.Weaker(e) && e.Weaker(d) {
				t.Errorf("%s and %s are each weaker", d, e)
			}
			for _, f := range all {
				if d.Weaker(e) && e.Weaker(f) && !d.Weaker(f) {
					t.Errorf("%s, %s, %s: not transitive", d, e, f)
				}
			}
		}
	}
}

// TestFrontierByExploration: exploration of all states contradicts the search for
// no discipline, between two PEs: packets for the target that moves and for one
// that stays, sent anywhere. What the search leaves open are some of those under
// which a packet may meet any entries.
func TestFrontierByExploration(t *testing.T) {
	r := moving(t, 2, 1, 16, 0)
	r.Kinds, r.Packets = []int{0, 0, 1}, 0
	kinds, err := Kinds(t.Context(), r.Before, r.After, r.Rule)
	if err != nil {
		t.Fatal(err)
	}
	s := &frontier{before: r.Before, after: r.After, rule: r.Rule, kinds: kinds}
	for _, d := range Disciplines() {
		got, err := s.fate(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		r.Discipline = d
		x := deadlock(t, r)
		if got.verdict != x && (got.verdict != spec.Unknown || d.meets() != anything) {
			t.Errorf("%s: %s, explored: %s", d, got.verdict, x)
		}
	}
}

// TestFrontier: the weakest disciplines of moves that leave both planes free. The
// packets that refute the strongest of the others are explored: under those they
// come to a deadlock, and not under the weakest that hold.
func TestFrontier(t *testing.T) {
	for _, tt := range []struct {
		columns, rows int
		dx, dy        int64
		weakest       []Discipline
		stuck         map[Discipline][][2]int // kinds and the PEs that send them
	}{
		// Two PEs: a packet to and fro always finds one that serves it in the end.
		{2, 1, 16, 0, []Discipline{{}}, nil},
		// No cycle by entries of one sort for each target.
		{2, 2, 16, 0, []Discipline{{Wait: OfTarget, Hold: TargetsOwn}, {Order: AtOnce, Wait: Inputs}}, map[Discipline][][2]int{
			{AtOnce, Nothing, Everybody}:    {{7, 0}, {1, 1}, {0, 3}, {2, 2}},
			{AnyOrder, Nothing, Everybody}:  {{7, 0}, {1, 1}, {0, 3}, {2, 2}},
			{GiverFirst, OfNetwork, Nobody}: {{0, 0}, {0, 1}},
			{TakerFirst, OfNetwork, Nobody}: {{1, 0}, {1, 1}},
		}},
		// A cycle of entries before for some targets and after for others.
		{2, 2, 56, 8, []Discipline{{Wait: OfTarget, Hold: Everybody}, {Wait: OfNetwork, Hold: TargetsOwn}}, map[Discipline][][2]int{
			{AtOnce, Inputs, Everybody}:    {{0, 2}, {0, 3}, {5, 1}, {9, 0}},
			{AtOnce, OfTarget, TargetsOwn}: {{1, 2}, {0, 3}, {2, 1}, {9, 0}},
			{AtOnce, OfNetwork, Nobody}:    {{1, 2}, {0, 3}, {2, 1}, {9, 0}},
		}},
	} {
		r := moving(t, tt.columns, tt.rows, tt.dx, tt.dy)
		got, err := Frontier(t.Context(), r.Before, r.After, r.Rule)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, d := range tt.weakest {
			names = append(names, d.String())
		}
		_, weakest, _ := strings.Cut(got.Because, "the weakest: ")
		if diff := cmp.Diff(strings.Join(names, "; or "), weakest); diff != "" || got.Verdict != spec.Holds {
			t.Errorf("%d x %d by (%d,%d): %s\n%s", tt.columns, tt.rows, tt.dx, tt.dy, got.Verdict, diff)
		}
		for d, packets := range tt.stuck {
			r.Kinds, r.From, r.Packets = nil, nil, 0
			for _, p := range packets {
				r.Kinds, r.From = append(r.Kinds, p[0]), append(r.From, p[1])
			}
			if r.Discipline = d; deadlock(t, r) != spec.Violated {
				t.Errorf("%s: packets %v come to no deadlock", d, packets)
			}
			for _, r.Discipline = range tt.weakest {
				if deadlock(t, r) != spec.Holds {
					t.Errorf("%s: packets %v come to a deadlock", r.Discipline, packets)
				}
			}
		}
	}
}

// TestFrontierOfPlanes: where a plane by itself has a cycle of waits there is no
// discipline; with choices, that need not be a deadlock.
func TestFrontierOfPlanes(t *testing.T) {
	for rule, want := range map[Rule]spec.Verdict{BeyondHorizontal: spec.Violated, Beyond: spec.Unknown} {
		r := moving(t, 2, 2, 16, 8)
		got, err := Frontier(t.Context(), r.Before, r.After, rule)
		if err != nil || got.Verdict != want || !strings.HasPrefix(got.Because, "before the move or after it") {
			t.Errorf("%s: %+v, %v", RuleNames[rule], got, err)
		}
	}
}
