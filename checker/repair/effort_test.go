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
	l := newHittingSet(t.Context(), problem{units: make([]unit, units), violations: func(_ context.Context, forbidden []bool, most int) (clauses [][]sat.Literal) {
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
		{Turns, "8 turns forbidden, and no fewer will do"},
		{Hops, "are needed; more effort may tell"},
	} {
		r, err := Propose(t.Context(), n, Options{Schemes: []Scheme{c.scheme}, Effort: 20_000})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Proposals[0].Because; !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: %s; want %s", c.scheme, got, c.want)
		}
	}
}
