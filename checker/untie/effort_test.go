package untie

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
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
	l := newLeast(t.Context(), question{units: make([]unit, units), refuse: func(_ context.Context, forbidden []bool, most int) (clauses [][]sat.Literal) {
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
	if err := l.search(t.Context(), func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if spent := effort - l.effort; l.cost == units || l.Visits == 0 || l.Visits > spent {
		t.Errorf("%d literals for a repair of %d, %d of %d spent", l.Visits, l.cost, spent, effort)
	}
}
