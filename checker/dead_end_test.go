package checker_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// TestDeadEndsHaveAMeaning: where packets can come to a dead end, each verdict says whether they are discarded or kept, also
// where verdicts of one network differ by that; where they cannot, none says so. In X->A->B a packet for C stands in A->B for
// ever, and one for B waits behind it: starved, but not deadlocked.
func TestDeadEndsHaveAMeaning(t *testing.T) {
	for _, c := range []struct {
		name string
		ends bool // that a packet for C is sent, for which there is no hop at B
	}{{"dead end", true}, {"none", false}} {
		topo := spec.NewTopology()
		x, a, b, cc := topo.AddNode("X"), topo.AddNode("A"), topo.AddNode("B"), topo.AddNode("C")
		topo.AddLink(spec.Link{From: x, To: a, VCs: 1})
		topo.AddLink(spec.Link{From: a, To: b, VCs: 1})
		route := routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			if v := topo.Head(at); v == x || v == a {
				dst = append(dst, spec.Hop{Channel: spec.ChannelID(v)})
			}
			return dst
		})
		n := networkOf(t, routing.Definition{Topology: topo, Routing: routing.Deliver(topo, route),
			Flows: func(src, dst spec.NodeID, _ spec.Class) bool {
				return src == x && dst == b || c.ends && src == a && dst == cc
			}})
		for _, always := range []bool{false, true} {
			r, err := checker.Check(t.Context(), n, checker.Question{Explore: map[bool]checker.Exploration{true: checker.Always}[always], Liveness: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Findings {
				said := strings.Join(slices.DeleteFunc(words.Written(f.Assumptions), func(s string) bool { return !strings.Contains(s, "dead end") }), "; ")
				word := map[bool]string{true: "keeps it in its channel", false: "treats it as discarded"}[f.Property == "starvation-freedom"]
				if c.ends != strings.Contains(said, word) || !c.ends && said != "" {
					t.Errorf("%s, %s (%s): assumes %q, want %q", c.name, f.Property, f.Method, said, word)
				}
				want := spec.Holds
				if c.ends && (f.Property == "delivery" || f.Property == "starvation-freedom") {
					want = spec.Violated
				}
				if f.Verdict != want {
					t.Errorf("%s, %s (%s): %s, want %s", c.name, f.Property, f.Method, f.Verdict, want)
				}
				blamed := slices.ContainsFunc(words.Written(f.Notes), func(s string) bool { return strings.Contains(s, "stands at a dead end in A->B vc0") })
				if blamed != (c.ends && f.Property == "starvation-freedom") {
					t.Errorf("%s, %s: notes %q", c.name, f.Property, f.Notes)
				}
			}
		}
	}
}

// TestDiscardedNeedNotBeSent: the oracle discards packets at dead ends on their way from the empty network, and finds a
// deadlock if and only if exploring finds one, where they stay: what is discarded need never have been sent.
func TestDiscardedNeedNotBeSent(t *testing.T) {
	rapidChecks(t, 400)
	seen := map[string]int{}
	seedtest.Sample(t, 20)
	rapid.Check(t, func(t *rapid.T) {
		def := netgen.Definition(t, netgen.Options{Nodes: 4, Channels: 5, Tags: 2, Classes: 2, Buffer: 2, Dims: 2, Ring: true, Sparse: true, MayFail: true})
		def.Switching = rapid.SampledFrom([]spec.Switching{spec.StoreAndForward, spec.Wormhole}).Draw(t, "switching")
		n := networkOf(t, def)
		if n.FlowCount() == 0 {
			return
		}
		sc := netgen.Scenario(t, n)
		sc.Bubble = 0 // a packet that a bubble keeps out for ever is starved
		m := newModel(def, sc)
		m.discard = true
		all := &run{}
		if !m.visit(all, []world{m.start()}, mostWorlds, nil) {
			return
		}
		stuck := slices.ContainsFunc(all.movesAgain(), func(w []bool) bool { return slices.Contains(w, false) })
		x := explore(t, trafficOf(t, n, sc), checker.Question{Workers: 1, Explore: checker.Whole})
		if stuck != (x.Local > 0) {
			t.Fatalf("%s: %d states with a deadlock, but discarding says %t", sc, x.Local, stuck)
		}
		lost := finding(t, x, "delivery").Verdict == spec.Violated
		count(seen, stuck && lost, "deadlock")
		count(seen, !stuck && lost, "no deadlock")
	})
	for _, what := range []string{"deadlock", "no deadlock"} {
		if seedtest.Usual() && seen[what] == 0 {
			t.Errorf("the random networks test nothing: %v", seen)
		}
	}
	t.Log(seen)
}
