package p3

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// settles reports whether the packets of a move wait in no cycle, see [Settling].
func settles(t *testing.T, r Rebalancing, quietly bool) bool {
	t.Helper()
	r.Tables = Settling
	if quietly {
		r.Tables = Apart
	}
	def, err := Moved(t.Context(), r.Move)
	if err != nil {
		t.Fatal(err)
	}
	return cycle(t, def) == 0
}

// TestSettlingByExploration: if packets wait in no cycle, exploring all states finds no
// deadlock between two PEs, under all disciplines that the network represents, with packets
// for the target that moves and for one that stays, sent anywhere.
func TestSettlingByExploration(t *testing.T) {
	r := moving(t, 2, 1, 16, 0)
	r.Kinds, r.Packets = []int{0, 0, 1}, 0
	free := 0
	for order := AnyOrder; order <= AtOnce; order++ {
		for wait := Nothing; wait <= OfNetwork; wait++ {
			for hold := Nobody; hold <= Everybody; hold++ {
				r.Discipline = Discipline{order, wait, hold}
				quietly := wait >= OfTarget && (hold != Nobody || order == AtOnce)
				if !quietly && wait != Nothing || !settles(t, r, quietly) {
					continue
				}
				if free++; deadlock(t, r) != spec.Holds {
					t.Errorf("%+v: no cycle of waits, but a deadlock", r.Discipline)
				}
			}
		}
	}
	if free == 0 {
		t.Error("no discipline settles")
	}
}

// TestDisciplines: packets that deadlock under some disciplines, but not under slightly
// stricter ones.
func TestDisciplines(t *testing.T) {
	for i, tt := range []struct {
		dx, dy int64
		free   []Discipline
		stuck  map[Discipline][][2]int // kinds and the PEs that send them
	}{
		// No cycle by entries of one sort for each target.
		{16, 0, []Discipline{{Wait: OfTarget, Hold: TargetsOwn}, {Order: AtOnce, Wait: Inputs}}, map[Discipline][][2]int{
			{AtOnce, Nothing, Everybody}:    {{7, 0}, {1, 1}, {0, 3}, {2, 2}},
			{AnyOrder, Nothing, Everybody}:  {{7, 0}, {1, 1}, {0, 3}, {2, 2}},
			{GiverFirst, OfNetwork, Nobody}: {{0, 0}, {0, 1}},
			{TakerFirst, OfNetwork, Nobody}: {{1, 0}, {1, 1}},
		}},
		// A cycle of entries before for some targets and after for others.
		{56, 8, []Discipline{{Wait: OfTarget, Hold: Everybody}, {Wait: OfNetwork, Hold: TargetsOwn}}, map[Discipline][][2]int{
			{AtOnce, Inputs, Everybody}:    {{0, 2}, {0, 3}, {5, 1}, {9, 0}},
			{AtOnce, OfTarget, TargetsOwn}: {{1, 2}, {0, 3}, {2, 1}, {9, 0}},
			{AtOnce, OfNetwork, Nobody}:    {{1, 2}, {0, 3}, {2, 1}, {9, 0}},
		}},
	} {
		if !seedtest.Sampled(i, 2) {
			continue
		}
		r := moving(t, 2, 2, tt.dx, tt.dy)
		for d, packets := range tt.stuck {
			r.Kinds, r.From, r.Packets = nil, nil, 0
			for _, p := range packets {
				r.Kinds, r.From = append(r.Kinds, p[0]), append(r.From, p[1])
			}
			if r.Discipline = d; deadlock(t, r) != spec.Violated {
				t.Errorf("%+v: packets %v reach no deadlock", d, packets)
			}
			for _, r.Discipline = range tt.free {
				if deadlock(t, r) != spec.Holds {
					t.Errorf("%+v: packets %v reach a deadlock", r.Discipline, packets)
				}
			}
		}
	}
}
