package repair

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/models/modeltest"
)

// TestEffortIsSpentOnce: one of each of 300 triples of 150 units must go. Each literal
// that the solver makes true is charged, including those on the way to each better
// repair.
func TestEffortIsSpentOnce(t *testing.T) {
	const units, effort = 150, 100_000
	random := rand.New(rand.NewPCG(1, 2))
	var triples [][3]int32
	for range 300 {
		triples = append(triples, [3]int32{random.Int32N(units), random.Int32N(units), random.Int32N(units)})
	}
	l := newHittingSet(t.Context(), problem{units: make([]unit, units),
		violations: func(_ context.Context, forbidden []bool, most int) (clauses [][]sat.Literal) {
			for _, x := range triples {
				if len(clauses) < most && !forbidden[x[0]] && !forbidden[x[1]] && !forbidden[x[2]] {
					clauses = append(clauses, []sat.Literal{sat.Yes(x[0]), sat.Yes(x[1]), sat.Yes(x[2])})
				}
			}
			return clauses
		}}, effort)
	l.scheme = Order // which has no thinning
	l.best, l.cost = make([]bool, units), units
	for u := range l.best {
		l.best[u] = true
	}
	if err := l.improve(t.Context(), func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if spent := effort - l.effort; l.cost == units || l.Visits == 0 || l.Visits > spent {
		t.Errorf("%d literals for a repair of %d, %d of %d spent", l.Visits, l.cost, spent, effort)
	}
}

// TestEffortEnds: a search that ended because its effort was used up says so; one that has an answer
// does not ask for more. The adaptive 3 x 3 mesh has 8 cycles of four turns without a turn in
// common, and a turn model forbids one of each; how many hops must go takes more than 30 million steps.
func TestEffortEnds(t *testing.T) {
	n := modeltest.Network(t, "mesh", map[string]string{"k": "3", "routing": "adaptive"})
	for _, c := range []struct {
		scheme Scheme
		want   string
	}{
		{Turns, "8 turns forbidden, and fewer are not enough"},
		{Hops, "are needed; more effort may tell"},
	} {
		r, err := Propose(t.Context(), n, Options{Schemes: []Scheme{c.scheme}, Effort: 20_000})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Proposals[0].Because.String(); !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: %s; want %s", c.scheme, got, c.want)
		}
	}
}

// TestDemand: how many units must go, as one unit occurs in so many clauses. Of the triples of pairs, two; where a clause also says that
// some unit stays, none that is counted; and a clause that nothing satisfies demands no number.
func TestDemand(t *testing.T) {
	yes := func(units ...int32) (c []sat.Literal) {
		for _, u := range units {
			c = append(c, sat.Yes(u))
		}
		return c
	}
	pairs := [][]sat.Literal{yes(0, 1), yes(1, 2), yes(0, 2)}
	for _, tt := range []struct {
		clauses [][]sat.Literal
		times   []int
		want    int
	}{
		{pairs, []int{1, 1, 1}, 2}, {pairs, []int{1, 0, 0}, 1}, {pairs, []int{2, 1, 1}, 2}, {pairs, []int{0, 0, 0}, 0},
		{[][]sat.Literal{yes(0), yes(1), yes(2, 3)}, []int{1, 1, 1}, 3},
		{[][]sat.Literal{yes(0), append(yes(1), sat.No(0))}, []int{1, 1}, 1}, // unit 1 may stay if unit 0 does not go
		{[][]sat.Literal{{}}, []int{3}, 0}, {nil, nil, 0},
	} {
		if got := demand(tt.clauses, tt.times); got != tt.want {
			t.Errorf("%v, %v times: %d, want %d", tt.clauses, tt.times, got, tt.want)
		}
	}
}

// TestOrdersTakeHalf: as soon as there is a repair, further orders are tried with half of the effort; there is one after the
// first order, which takes more than an effort of 1.
func TestOrdersTakeHalf(t *testing.T) {
	j := newConditions(t.Context(), modeltest.Network(t, "mesh", map[string]string{"k": "3", "routing": "adaptive"}), Turns)
	spent := func(effort int64) int64 {
		l := newHittingSet(t.Context(), problem{namer: j.namer, units: j.units, violations: j.violations}, effort)
		l.tryOrders(t.Context())
		if l.best == nil {
			t.Fatal("no order gives a repair")
		}
		return effort - l.effort
	}
	all, first := spent(1<<40), spent(1)
	if first <= 0 || 3*first > all { // the numbers of nodes, and two orders from each of some nodes
		t.Errorf("%d is spent of an effort of 1, %d of one that suffices", first, all)
	}
	if half := spent(2 * all / 3); half > all/3+2*first || half < all/3 {
		t.Errorf("%d is spent of %d: want half, and that of an order", half, 2*all/3)
	}
}
