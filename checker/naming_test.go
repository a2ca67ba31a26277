package checker_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// alike gives the nodes different names, "a", "a->a", "a->a->a" and so on, with which the names of
// many channels read alike: that from "a" to "a->a->a", say, and its reverse.
func alike(old *spec.Topology) *spec.Topology {
	t := spec.NewTopology()
	for i := range old.Nodes() {
		t.AddNode(strings.Repeat("a->", i) + "a")
	}
	for l := range old.Links() {
		t.AddLink(old.Link(spec.LinkID(l)))
	}
	return t
}

// TestNamesChangeNothing: what is found out about a network, including liveness, does not depend on
// the names of its channels; and the evidence for it verifies, or Explore would
// fail.
func TestNamesChangeNothing(t *testing.T) {
	seedtest.Sample(t, 25)
	rapid.Check(t, func(rt *rapid.T) {
		def := netgen.Definition(rt, netgen.Options{Nodes: 4, Channels: 5, Tags: 2})
		var sc spec.Scenario
		if def.Switching = rapid.SampledFrom([]spec.Switching{spec.StoreAndForward, spec.Wormhole}).Draw(rt, "switching"); def.Switching == spec.Wormhole {
			sc.Length = rapid.SampledFrom([]int{0, 2, spec.AnyLength}).Draw(rt, "length")
		}
		sc.Packets = rapid.IntRange(0, 3).Draw(rt, "packets")
		type found struct {
			States   int64
			Verdicts map[string]spec.Verdict
		}
		explore := func() found {
			n, err := routing.Compile(context.Background(), def, routing.CompileOptions{Workers: 1})
			if err != nil {
				rt.Fatal(err)
			}
			m, err := states.NewTraffic(n, sc)
			if err != nil {
				rt.Fatal(err)
			}
			x, err := checker.Explore(context.Background(), m, checker.Question{Workers: 1, Explore: checker.Whole, Liveness: true, MaxStates: 20_000})
			if err != nil {
				rt.Fatal(err)
			}
			f := found{x.States, map[string]spec.Verdict{}}
			for _, y := range x.Findings {
				f.Verdicts[y.Property] = y.Verdict
			}
			return f
		}
		want := explore()
		def.Topology = alike(def.Topology)
		if diff := cmp.Diff(want, explore()); diff != "" {
			rt.Fatalf("with other names (-before +after):\n%s", diff)
		}
	})
}
