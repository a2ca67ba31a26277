package wormhole_test

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/internal/wormhole"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/models/gadget"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestQueued: if exploring all states, flit by flit, finds a deadlock, there is no unsatisfiability proof, whether channels are shared or
// not, for messages of any length or of one; an unsatisfiability proof for other messages is not accepted for these, nor are drawn
// steps. If there is an unsatisfiability proof, the verifier accepts it; otherwise the worms found are stuck by the definition, those aside
// that only fill a channel.
func TestQueued(t *testing.T) {
	var free, stuck, others, open int
	found := map[bool]int{} // sets of worms, by whether some of them are behind others
	seedtest.Sample(t, 30)
	rapid.Check(t, func(rt *rapid.T) {
		def := netgen.Definition(rt, netgen.Options{Nodes: 4, Channels: 6, Tags: 2, Buffer: 3, Ring: true, Sparse: true,
			MayFail: rapid.Bool().Draw(rt, "may fail")})
		if name := rapid.SampledFrom([]string{"", "", "", "W1", "W2", "W5"}).Draw(rt, "gadget"); name != "" {
			var err error
			buffer := def.Buffer
			if def, err = gadget.Wormhole(name); err != nil {
				rt.Fatal(err)
			}
			def.Buffer = buffer
		}
		def.Switching = spec.Wormhole
		n := routingtest.Compile(rt, def)
		if n.SiteCount() == 0 {
			return
		}
		buffer := n.Buffer()
		moving := func() *spec.Scenario {
			return &spec.Scenario{Length: rapid.SampledFrom([]int{spec.AnyLength, 1, 2, 3, 4}).Draw(rt, "length"), Shared: rapid.Bool().Draw(rt, "shared")}
		}
		sc := moving()
		refute := func(sc *spec.Scenario) *unsat.Proof {
			r, worms, err := wormhole.Refute(context.Background(), n, sc, unsat.Bound{}, wormhole.Options{})
			if err != nil {
				rt.Fatal(err)
			}
			whole := slices.DeleteFunc(slices.Clone(worms), func(w wormhole.Worm) bool { return w.Any })
			if worms != nil {
				found[slices.ContainsFunc(whole, func(w wormhole.Worm) bool { return w.Behind })]++
				if err := wormhole.Check(n, whole); err != nil {
					rt.Fatalf("%s, buffer %d: %v of %v", sc, buffer, err, worms)
				}
			}
			return r
		}
		if r := refute(sc); r != nil {
			if err := unsat.Verify(context.Background(), n, r); err != nil {
				rt.Fatalf("%s, buffer %d: %v", sc, buffer, err)
			}
			free++
		}
		traffic, err := states.NewTraffic(n, *sc)
		if err != nil {
			rt.Fatal(err)
		}
		x, err := checker.Explore(context.Background(), traffic, checker.Question{Workers: 1, MaxStates: 10_000, Properties: []string{"deadlock-freedom"}})
		if err != nil {
			rt.Fatal(err)
		}
		if x.Findings[0].Verdict != spec.Violated {
			open++
			return
		}
		stuck++
		wrong := []*unsat.Proof{drawSteps(rt, n, sc)}
		for range 3 {
			if r := refute(moving()); r != nil {
				others++
				wrong = append(wrong, r)
			}
		}
		all := unsat.Step{}
		for s := range n.SiteCount() {
			all.List = append(all.List, int32(s))
		}
		for _, r := range append(wrong, &unsat.Proof{Network: n.Digest(), Steps: []unsat.Step{all, {Clause: true}}}) {
			if r.Under = sc; unsat.Verify(context.Background(), n, r) == nil {
				rt.Fatalf("%s, buffer %d: %v is accepted, and there is a deadlock", sc, buffer, r.Steps)
			}
		}
	})
	t.Logf("%d refuted; %d stuck, and %d refutations of other messages refused; %d without a deadlock, or too large; worms %v",
		free, stuck, others, open, found)
	if seedtest.Usual() && (free == 0 || stuck == 0 || others == 0 || found[false] == 0 || found[true] == 0) {
		t.Error("the random networks do not test it")
	}
}

// TestQueuedGadgets: what frees messages in channels of their own does not free them in shared ones: a message waits for
// h, and another one goes on from h behind its tail (checker.TestGadgetLengths has the traces).
func TestQueuedGadgets(t *testing.T) {
	for _, name := range []string{"W2", "pigeonholes"} {
		for _, length := range []int{spec.AnyLength, 3} {
			def := gadget.Pigeonholes(3, 2)
			if name == "W2" {
				def, _ = gadget.Wormhole(name)
			}
			def.Switching, def.Buffer = spec.Wormhole, 2
			n := compile(t, def)
			r, _, err := wormhole.Refute(t.Context(), n, &spec.Scenario{Length: length}, unsat.Bound{}, wormhole.Options{})
			if err != nil || r == nil || unsat.Verify(t.Context(), n, r) != nil {
				t.Fatalf("%s, length %d: no unsatisfiability proof, %v", name, length, err)
			}
			if r.Under = (&spec.Scenario{Length: length, Shared: true}); unsat.Verify(t.Context(), n, r) == nil {
				t.Errorf("%s, length %d: free in shared channels", name, length)
			}
		}
	}
}
