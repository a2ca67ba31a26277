package routing_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// TestVisit: the sites that are visited, and their hops, are those of the tables; what Compile refuses is refused in the
// same words.
func TestVisit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		def := netgen.Definition(rt, netgen.Options{
			Nodes: 4, Channels: 10, Tags: 3, MayFail: true, Classes: 2, Sparse: true, Discards: true,
		})
		if rapid.IntRange(0, 9).Draw(rt, "wrong") == 0 {
			of := def.Routing
			def.Routing = routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
				dst, _ = of.AppendHops(dst, at, h)
				return append(dst, spec.Hop{Channel: spec.ChannelID(def.Topology.Channels())})
			})
		}
		var visited, tabulated []string
		line := func(s spec.Site, hops []spec.Hop) string { return fmt.Sprint(s, spec.Distinct(slices.Clone(hops))) }
		visiting := routing.Visit(t.Context(), def, routing.CompileOptions{}, func(s spec.Site, all [][]spec.Hop) error {
			visited = append(visited, line(s, slices.Concat(all...)))
			return nil
		})
		n, err := routing.Compile(t.Context(), def, routing.CompileOptions{Workers: 1})
		if err != nil || visiting != nil {
			if fmt.Sprint(err) != fmt.Sprint(visiting) {
				rt.Fatalf("visiting: %v, compiling: %v", visiting, err)
			}
			return
		}
		_ = routing.Sites(n, func(s spec.Site, hops []spec.Hop) error {
			tabulated = append(tabulated, line(s, hops))
			return nil
		})
		slices.Sort(visited)
		slices.Sort(tabulated)
		if diff := cmp.Diff(tabulated, visited); diff != "" {
			rt.Errorf("(-tables +visited):\n%s", diff)
		}
	})
}
