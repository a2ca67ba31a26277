package p3

import (
	"maps"
	"slices"
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

// settlingCycle returns the length of a shortest cycle of waits of packets that meet
// such entries during a move, 0 if there is none.
func settlingCycle(t *testing.T, r Rebalancing, meets Meeting) int {
	t.Helper()
	def, err := Settling(t.Context(), r.Before, r.After, r.Rule, meets)
	if err != nil {
		t.Fatal(err)
	}
	return cycle(t, def)
}

// keeps reports whether packets that meet such entries wait in no cycle.
func keeps(t *testing.T, r Rebalancing, meets Meeting) bool {
	if meets != Phases {
		return settlingCycle(t, r, meets) == 0
	}
	return cycle(t, forwarding(t, Options{Plane: r.Before, Rule: r.Rule}).Definition()) == 0 && cycle(t, forwarding(t, Options{Plane: r.After, Rule: r.Rule}).Definition()) == 0
}

// TestMeetingsByExploration: where packets wait in no cycle, exploration of all
// states finds no deadlock, between two PEs: packets for the target that moves and
// for one that stays, sent anywhere.
func TestMeetingsByExploration(t *testing.T) {
	r := moving(t, 2, 1, 16, 0)
	r.Kinds, r.Packets = []int{0, 0, 1}, 0
	found := map[spec.Verdict]int{}
	for _, d := range Disciplines() {
		r.Discipline = d
		x := deadlock(t, r)
		found[x]++
		if keeps(t, r, d.Meets()) && x != spec.Holds {
			t.Errorf("%s: no cycle of waits, explored: %s", d, x)
		}
	}
	if found[spec.Holds] == 0 {
		t.Errorf("explored: %v", found)
	}
}

// TestWeakestDisciplines: those that keep packets from waiting in a cycle, of moves
// that leave both planes free. Packets that refute the strongest of the others
// are explored: under those they come to a deadlock, and not under the weakest.
func TestWeakestDisciplines(t *testing.T) {
	for _, tt := range []struct {
		columns, rows int
		dx, dy        int64
		weakest       []Discipline
		stuck         map[Discipline][][2]int // kinds and the PEs that send them
		all           bool                    // no other discipline is left
	}{
		// Two PEs: a packet to and fro always finds one that serves it in the end.
		{2, 1, 16, 0, []Discipline{{}}, nil, false},
		// No cycle by entries of one sort for each target.
		{2, 2, 16, 0, []Discipline{{Wait: OfTarget, Hold: TargetsOwn}, {Order: AtOnce, Wait: Inputs}}, map[Discipline][][2]int{
			{AtOnce, Nothing, Everybody}:    {{7, 0}, {1, 1}, {0, 3}, {2, 2}},
			{AnyOrder, Nothing, Everybody}:  {{7, 0}, {1, 1}, {0, 3}, {2, 2}},
			{GiverFirst, OfNetwork, Nobody}: {{0, 0}, {0, 1}},
			{TakerFirst, OfNetwork, Nobody}: {{1, 0}, {1, 1}},
		}, false},
		// A cycle of entries before for some targets and after for others.
		{2, 2, 56, 8, []Discipline{{Wait: OfTarget, Hold: Everybody}, {Wait: OfNetwork, Hold: TargetsOwn}}, map[Discipline][][2]int{
			{AtOnce, Inputs, Everybody}:    {{0, 2}, {0, 3}, {5, 1}, {9, 0}},
			{AtOnce, OfTarget, TargetsOwn}: {{1, 2}, {0, 3}, {2, 1}, {9, 0}},
			{AtOnce, OfNetwork, Nobody}:    {{1, 2}, {0, 3}, {2, 1}, {9, 0}},
		}, true},
	} {
		r := moving(t, tt.columns, tt.rows, tt.dx, tt.dy)
		var weakest []Discipline
		kept := slices.DeleteFunc(Disciplines(), func(d Discipline) bool { return !keeps(t, r, d.Meets()) })
		for _, d := range kept {
			if !slices.ContainsFunc(kept, func(e Discipline) bool { return e.Weaker(d) }) {
				weakest = append(weakest, d)
			}
		}
		if diff := cmp.Diff(tt.weakest, weakest); diff != "" {
			t.Errorf("%d x %d by (%d,%d):\n%s", tt.columns, tt.rows, tt.dx, tt.dy, diff)
		}
		refuted := 0
		for _, d := range Disciplines() {
			if _, itself := tt.stuck[d]; itself || slices.ContainsFunc(slices.Collect(maps.Keys(tt.stuck)), d.Weaker) {
				refuted++
			}
		}
		if got := refuted + len(kept); tt.all != (got == len(Disciplines())) && tt.stuck != nil {
			t.Errorf("%d x %d by (%d,%d): %d disciplines kept or refuted", tt.columns, tt.rows, tt.dx, tt.dy, got)
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

// TestSettlingRefuses: the planes by themselves are no network of a move.
func TestSettlingRefuses(t *testing.T) {
	r := moving(t, 2, 2, 16, 8)
	for _, meets := range []Meeting{Phases, Anything + 1} {
		if _, err := Settling(t.Context(), r.Before, r.After, r.Rule, meets); err == nil {
			t.Errorf("meeting %d has a network", meets)
		}
	}
}
