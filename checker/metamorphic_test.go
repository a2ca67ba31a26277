package checker_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// summary is what must not depend on the names of things.
type summary struct {
	Census   checker.Census
	Verdicts []spec.Verdict
}

func summarise(t *rapid.T, def routing.Definition) summary {
	n, err := routing.Compile(context.Background(), def, routing.CompileOptions{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	r, err := checker.Check(context.Background(), n, checker.Question{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	s := summary{Census: *r.Census}
	s.Census.IdleVCs = nil // numbers, which a relabelling changes
	for _, res := range r.Findings {
		s.Verdicts = append(s.Verdicts, res.Verdict)
	}
	return s
}

func TestRelabellingKeepsVerdictsAndCounts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		def := netgen.Definition(rt, netgen.Options{Nodes: 5, Channels: 10, Tags: 2, MayFail: true})
		def.Switching = rapid.SampledFrom([]spec.Switching{spec.StoreAndForward, spec.VirtualCutThrough, spec.Wormhole}).Draw(rt, "switching")
		perm := rapid.Permutation(indices(def.Topology.Nodes())).Draw(rt, "permutation")
		before, after := summarise(rt, def), summarise(rt, netgen.Relabelled(def, perm))
		// Whether a candidate is confirmed may depend on which stuck sets are
		// tried first; the decision itself must not.
		for i := range before.Verdicts {
			if before.Verdicts[i] == spec.Unknown || after.Verdicts[i] == spec.Unknown {
				before.Verdicts[i], after.Verdicts[i] = unlessHolds(before.Verdicts[i]), unlessHolds(after.Verdicts[i])
			}
		}
		if diff := cmp.Diff(before, after); diff != "" {
			rt.Fatalf("(-before +after relabelling):\n%s", diff)
		}
	})
}

func unlessHolds(v spec.Verdict) spec.Verdict {
	if v == spec.Holds {
		return v
	}
	return spec.Unknown
}

func indices(n int) []int {
	is := make([]int, n)
	for i := range is {
		is[i] = i
	}
	return is
}

func TestRemovingHopsKeepsGraphsAcyclic(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		def := netgen.Definition(rt, netgen.Options{Nodes: 5, Channels: 10, Tags: 2})
		salt := rapid.Uint32().Draw(rt, "salt")
		fewer := def
		fewer.Routing = routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			hops, _ := def.Routing.AppendHops(nil, at, h)
			for _, hop := range hops {
				x := salt ^ uint32(at)*2654435761 ^ uint32(h.Dest)*40503 ^ uint32(h.Tag)*97 ^ uint32(hop.Channel)*31 ^ uint32(hop.Tag)
				x *= 2654435761
				if hop.Channel == spec.Eject || x>>30 != 0 { // drops a quarter
					dst = append(dst, hop)
				}
			}
			return dst
		})
		if cyclic(rt, fewer) && !cyclic(rt, def) {
			rt.Fatal("removing hops made an acyclic dependency graph cyclic")
		}
	})
}

func cyclic(rt *rapid.T, def routing.Definition) bool {
	n, err := routing.Compile(context.Background(), def, routing.CompileOptions{Workers: 1})
	if err != nil {
		rt.Fatal(err)
	}
	g, err := dependency.Of(context.Background(), n)
	if err != nil {
		rt.Fatal(err)
	}
	cycle, exact := g.ShortestCycle()
	if !exact {
		rt.Fatal("the search for a shortest cycle gave up on a tiny graph")
	}
	if (cycle != nil) != (len(g.Cyclic()) > 0) {
		rt.Fatalf("shortest cycle %v, but components %v", cycle, g.Cyclic())
	}
	return cycle != nil
}
