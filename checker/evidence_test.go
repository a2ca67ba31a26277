package checker_test

import (
	"context"
	"flag"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestEvidenceIsNeverRejected: whatever the network, the scenario and the options, deciding and
// exploring end without an error. A certificate, closed set or trace that fails its check would
// be one (*checker.EvidenceError: exit code 4), and so would a trace that Minimise
// refuses.
func TestEvidenceIsNeverRejected(t *testing.T) {
	rapidChecks(t, 1000)
	seedtest.Sample(t, 25)
	rapid.Check(t, evidenceHolds)
}

// FuzzEvidence is the same, with draws guided by coverage.
func FuzzEvidence(f *testing.F) { f.Fuzz(rapid.MakeFuzz(evidenceHolds)) }

// rapidChecks makes rapid.Check draw at least the given number of cases in this test; -short
// still takes a fifth of them.
func rapidChecks(t *testing.T, least int) {
	f := flag.Lookup("rapid.checks")
	given := f.Value.String()
	if n, err := strconv.Atoi(given); err != nil || n >= least {
		return
	}
	if err := f.Value.Set(strconv.Itoa(least)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Value.Set(given) })
}

func evidenceHolds(t *rapid.T) {
	n := networkOf(t, drawnDefinition(t))
	opt := checker.Question{
		Properties: rapid.SampledFrom([][]string{nil, {"deadlock-freedom"}, {"delivery", "livelock-freedom"}}).Draw(t, "properties"),
		Workers:    rapid.IntRange(1, 2).Draw(t, "workers"),
		Explore:    rapid.SampledFrom([]checker.Exploration{checker.Never, checker.Auto}).Draw(t, "explored"),
		MaxStates:  rapid.SampledFrom([]int64{20, 2000}).Draw(t, "most states"),
	}
	report, err := checker.Check(context.Background(), n, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Findings {
		minimises(t, n, r.Trace())
	}
	if n.Tables() == 0 {
		return
	}
	sc := netgen.Scenario(t, n)

	x, err := checker.Explore(context.Background(), trafficOf(t, n, sc), explorations(t, sc))
	if err != nil {
		t.Fatalf("under %s: %v", sc, err)
	}
	for _, f := range x.Findings {
		minimises(t, n, f.Trace())
	}
}

// drawnDefinition draws a network that is as odd as networks come: random tables with dead ends,
// loops, rewritten tags and hops out at the wrong node, parallel links, unreachable nodes,
// classes, deep buffers; or shortest paths on a small torus or graph, which deadlock more
// often.
func drawnDefinition(t *rapid.T) routing.Definition {
	var def routing.Definition
	if rapid.IntRange(0, 3).Draw(t, "minimal") == 0 {
		topo := netgen.Topology(t, netgen.TopologyOptions{Nodes: 4, VCs: 2})
		def = routing.Definition{Name: "minimal", Topology: topo, Routing: netgen.Minimal(topo, netgen.VCs(t, topo)),
			Buffer: rapid.IntRange(1, 2).Draw(t, "buffer")}
	} else {
		def = netgen.Definition(t, netgen.Options{Nodes: 5, Channels: 9, Tags: 3, Classes: 2, Buffer: 3, Dims: 2,
			Ring: true, Sparse: true, MayFail: rapid.Bool().Draw(t, "may fail")})
	}
	def.Switching = rapid.SampledFrom([]spec.Switching{spec.StoreAndForward, spec.VirtualCutThrough, spec.Wormhole}).Draw(t, "switching")
	return def
}

// explorations draws options that are compatible.
func explorations(t *rapid.T, sc spec.Scenario) checker.Question {
	opt := checker.Question{
		Workers:   rapid.IntRange(1, 2).Draw(t, "workers"),
		MaxStates: rapid.SampledFrom([]int64{50, 500, 3000}).Draw(t, "most states"),
		Notion:    rapid.SampledFrom([]checker.Notion{checker.Local, checker.Weak, checker.Global}).Draw(t, "notion"),
		Explore:   rapid.SampledFrom([]checker.Exploration{checker.Auto, checker.Whole}).Draw(t, "whole"),
		Closed:    rapid.SampledFrom([]int{-1, 0, 100}).Draw(t, "closed"),
	}
	some := []string{"deadlock-freedom", "delivery"}
	switch rapid.SampledFrom([]string{"exact", "compact", "liveness", "partial order", "symmetry"}).Draw(t, "how") {
	case "compact":
		opt.Compact = true
	case "liveness":
		opt.Liveness, some = true, append(some, "starvation-freedom")
	case "partial order":
		if opt.PartialOrder = !sc.Flits(); opt.PartialOrder {
			some = some[:1]
		}
	case "symmetry":
		opt.Symmetry = !sc.Flits() && len(sc.Once) == 0
	}
	if rapid.Bool().Draw(t, "some") {
		opt.Properties = []string{rapid.SampledFrom(some).Draw(t, "property")}
	}
	return opt
}

// minimises checks that a trace can be minimised, and does not get longer.
func minimises(t *rapid.T, n *spec.Network, x *counterexamples.Trace) {
	if x == nil {
		return
	}
	small, err := explain.Minimise(t.Context(), evidence.Trace{Network: n, Trace: x})
	if err != nil {
		t.Fatal(err)
	}
	if len(small.Moves) > len(x.Moves) || !slices.IsSorted(small.Stuck) {
		t.Fatalf("%d moves became %d, stuck %v", len(x.Moves), len(small.Moves), small.Stuck)
	}
}

func networkOf(t rapid.TB, def routing.Definition) *spec.Network {
	n, err := routing.Compile(context.Background(), def, routing.CompileOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// written compares evidence by what would be written.
var written = cmp.Transformer("written", func(e evidence.Evidence) string {
	var b strings.Builder
	if e != nil && write.Evidence(&b, e) != nil {
		return "not written"
	}
	return b.String()
})
