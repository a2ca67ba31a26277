package liveness_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/checker/internal/explore"
	"github.com/seed-105a2da2/unknot/checker/internal/liveness"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestStrongFairness: x goes round 0, 1, 2, and done can be set where x is 0. If setting it is strongly fair, it happens if and
// only if every round passes 0: not if x may also go from 2 back to 1. If it is weakly fair, it need not happen, as it is
// not possible throughout; unless x stays.
func TestStrongFairness(t *testing.T) {
	for _, tt := range []struct {
		name         string
		strong, back bool
		third        bool // the way back is by 3, where another strongly fair action is possible, which leads to 0
		stays        bool // x never moves
		holds        bool
	}{
		{name: "strong", strong: true, holds: true},
		{name: "strong, another round", strong: true, back: true},
		{name: "strong, another round in which the next is forced", strong: true, back: true, third: true, holds: true},
		{name: "weak"},
		{name: "weak, another round", back: true},
		{name: "weak, x stays", stays: true, holds: true},
		{name: "strong, x stays", strong: true, stays: true, holds: true},
	} {
		p := program.New("rounds")
		x, done := p.Var("x", 4), p.Var("done", 2)
		move := func(from, to int) {
			p.Rule("move", program.And(program.Eq(x, from), program.Eq(done, 0)), program.Set(x, to))
		}
		if !tt.stays {
			move(0, 1)
			move(1, 2)
			move(2, 0)
		}
		switch {
		case tt.back && tt.third:
			move(2, 3)
			move(3, 1)
			p.Rule("leave", program.And(program.Eq(x, 3), program.Eq(done, 0)), program.Set(x, 0)).Strong = true
		case tt.back:
			move(2, 1)
		}
		p.Rule("set", program.And(program.Eq(x, 0), program.Eq(done, 0)), program.Set(done, 1)).Strong = tt.strong
		p.Response("is done", program.Eq(done, 0))
		m, err := p.Machine()
		if err != nil {
			t.Fatal(err)
		}
		w := explore.Machine(m, func(c states.Claims) states.Claims { return c })
		space, r, err := walk.Explore(t.Context(), w.Machine, walk.Options{Workers: 1, Sleep: w.Sleep})
		if err != nil {
			t.Fatal(err)
		}
		g, err := liveness.New(t.Context(), liveness.Space{Space: space, Steps: r.Transitions, Machine: m,
			Fast: w.Machine, Claims: w.Claims, Labels: w.Labels, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		a, err := g.Decide(t.Context(), 0)
		if err != nil || (a.Stem == nil) != tt.holds {
			t.Errorf("%s: %+v, %v; want that it is set in the end: %t", tt.name, a, err, tt.holds)
		}
		space.Release()
	}
}
