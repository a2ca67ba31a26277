package liveness_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/explore"
	"github.com/seed-105a2da2/unknot/checker/internal/liveness"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// handOver adds processes that go around and hand something over: each sets its own variable, and one that all set.
func handOver(t *rapid.T, p *program.Program) {
	shared := p.Var("shared", 3)
	any3 := rapid.IntRange(0, 2)
	for i := range rapid.IntRange(1, 3).Draw(t, "processes") {
		name := string(rune('a' + i))
		at := p.Var("at "+name, 3)
		for from := range 3 {
			for range rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(t, "ways") {
				guards, effect := []program.Expr{program.Eq(at, from)}, []program.Stmt{program.Set(at, (from+1)%3)}
				switch rapid.IntRange(0, 3).Draw(t, "looks") {
				case 0:
					guards = append(guards, program.Ne(shared, any3.Draw(t, "not")))
				case 1:
					guards = append(guards, program.Eq(shared, any3.Draw(t, "is")))
				}
				switch rapid.IntRange(0, 9).Draw(t, "astray") {
				case 0:
					effect = []program.Stmt{program.Set(at, any3.Draw(t, "to"))}
				case 1:
					effect = nil // a step of the same action that leaves its own variable alone
				}
				if rapid.Bool().Draw(t, "sets") {
					effect = append(effect, program.Set(shared, any3.Draw(t, "value")))
				}
				p.Rule(name, program.And(guards...), effect...) // all of a name are one action
			}
		}
		if i == 0 {
			p.Response("moves on", program.Eq(at, any3.Draw(t, "waits")))
			p.Response("comes home", program.Ne(at, 0))
		}
	}
}

// TestLocally: what a response directly depends on gives the same verdict as the whole graph. Mutants: unfair actions are helpful;
// so are those with a step that stays; steps of an action that leave its variables alone are not counted; values that others restore
// latch; others set no latch.
func TestLocally(t *testing.T) {
	held, violated, vacuous, atOnce, several, latched := 0, 0, 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := program.New("in turn")
		if rapid.IntRange(0, 3).Draw(t, "anything") == 0 {
			p = netgen.Program(t, true)
		}
		handOver(t, p)
		m, err := p.Machine()
		if err != nil {
			t.Skip(err.Error())
		}
		w := explore.Machine(m, func(c states.Claims) states.Claims { return c })
		space, r, err := walk.Explore(t.Context(), w.Machine, walk.Options{Workers: 1, MaxStates: 3000, Sleep: w.Sleep})
		if err != nil {
			t.Fatal(err)
		}
		defer space.Release()
		if r.Reason != walk.Complete {
			return
		}
		whole := liveness.Space{Space: space, Steps: r.Transitions, Machine: m, Fast: w.Machine, Claims: w.Claims,
			Labels: w.Labels, Workers: rapid.IntRange(1, 2).Draw(t, "workers")}
		g, err := liveness.New(t.Context(), whole)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range w.Claims.Responses {
			by, err := w.Local(v.Name)
			if err != nil {
				t.Fatal(err)
			}
			if by == nil {
				continue
			}
			got, left, graphs, err := liveness.DecideLocallyAnyhow(t.Context(), &whole, k, *by)
			if err != nil {
				t.Fatal(err)
			}
			if graphs > 1 {
				several++
			}
			want, err := g.Decide(t.Context(), k)
			switch {
			case err != nil:
				t.Fatal(err)
			case want.Stem != nil && got != nil || want.Stem == nil && (got == nil || got.Vacuous != want.Vacuous):
				t.Fatalf("%q holds in the whole graph: %t; locally: %+v", v.Name, want.Stem == nil, got)
			case want.Stem != nil:
				violated++
			case want.Vacuous:
				vacuous++
			default:
				held++
				if left == 0 {
					atOnce++
				}
				if len(by.Latches) > 0 {
					latched++
				}
			}
		}
	})
	t.Logf("%d responses held, %d of them without a graph, %d with latches; %d were vacuous, %d violated; %d took several graphs",
		held, atOnce, latched, vacuous, violated, several)
	if seedtest.Usual() && min(held-atOnce, atOnce, several, latched, vacuous, violated) == 0 {
		t.Error("want some of each")
	}
}
