package states_test

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/states"
)

// gate is a level crossing that closes for each train, but may open while one still passes.
type gate struct {
	layout       states.Layout
	closed, here states.Field
}

func newGate() *gate {
	g := &gate{}
	g.closed, g.here = g.layout.Field("closed", 2), g.layout.Field("train", 2)
	return g
}

func (g *gate) Name() string                { return "gate" }
func (g *gate) Layout() *states.Layout      { return &g.layout }
func (g *gate) Start(dst []uint64) []uint64 { return append(dst, make([]uint64, g.layout.Words())...) }

func (g *gate) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	step := func(f states.Field, v uint64) {
		dst = append(dst, s...)
		f.Put(dst[len(dst)-len(s):], v)
	}
	step(g.closed, 1-g.closed.Of(s))
	if g.here.Of(s) == 1 || g.closed.Of(s) == 1 {
		step(g.here, 1-g.here.Of(s))
	}
	return dst, nil
}

func (g *gate) Action(_ []uint64, i int) states.Action {
	return states.Action{Number: i, Name: []string{"the gate moves", "the train moves"}[i]}
}

func (g *gate) Claims() states.Claims {
	return states.Claims{Invariants: []states.Invariant{{
		Name:    "a train passes a closed gate",
		Applies: func(s []uint64) bool { return g.here.Of(s) == 1 },
		Holds:   func(s []uint64) bool { return g.closed.Of(s) == 1 },
	}}}
}

// A machine packs its fields into words, lists the steps of a state, and claims what must hold. Here a walk over the
// states, breadth first, meets one that breaks the claim.
func ExampleMachine() {
	g := newGate()
	queue := [][]uint64{g.Start(nil)}
	claim := states.ClaimsOf(g).Invariants[0]
	for seen := map[uint64]bool{}; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		if seen[s[0]] {
			continue
		}
		seen[s[0]] = true
		if claim.Broken(s) {
			fmt.Printf("not so: %s: %s\n", claim.Name, g.Layout().Text(s))
		}
		after, _ := g.AppendSuccessors(nil, s) // every step is defined
		for i, next := range after {
			fmt.Printf("%s: %s\n", g.Action(s, i).Name, states.ChangesText(states.Changes(g.Layout(), s, []uint64{next})))
			queue = append(queue, []uint64{next})
		}
	}
	// Output:
	// the gate moves: closed: 0 -> 1
	// the gate moves: closed: 1 -> 0
	// the train moves: train: 0 -> 1
	// the gate moves: closed: 1 -> 0
	// the train moves: train: 1 -> 0
	// not so: a train passes a closed gate: train=1
	// the gate moves: closed: 0 -> 1
	// the train moves: train: 1 -> 0
}
