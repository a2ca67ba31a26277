package relation_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// plainPaths computes the hops left of a table by its definition, site by site.
func plainPaths(n *spec.Network, t *spec.Table) (left []int32, cyclic bool) {
	sites := t.Len()
	next := make([][]int, sites)
	for s, r := range t.Rows {
		for _, h := range n.Row(r) {
			if to, ok := t.Find(h.Channel, h.Tag); ok {
				next[s] = append(next[s], to)
			}
		}
	}
	left = make([]int32, sites)
	for range sites { // a path without cycles has fewer hops than there are sites
		for s := range left {
			for _, to := range next[s] {
				left[s] = max(left[s], left[to]+1)
			}
		}
	}
	if cyclic = slices.ContainsFunc(left, func(x int32) bool { return int(x) >= sites }); !cyclic {
		return left, false
	}
	for s, r := range t.Rows {
		if left[s] = graph.Never; n.Leaves(r) {
			left[s] = 0
		}
	}
	for range sites {
		for s := range left {
			for _, to := range next[s] {
				if left[to] != graph.Never {
					left[s] = min(left[s], left[to]+1)
				}
			}
		}
	}
	return left, true
}

func TestWaysEqualTheirPlainTwin(t *testing.T) {
	cyclic, all, descended := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		n := netgen.Network(rt, netgen.Options{Nodes: 5, Channels: 10, Tags: 2, MayFail: rapid.Bool().Draw(rt, "may fail"), Discards: true}, spec.Wormhole)
		graphs := relation.NewRowGraphs(n) // one for all tables: nothing of a table may remain when the next comes
		usage, err := relation.NewUsage(t.Context(), n, 1)
		if err != nil {
			rt.Fatal(err)
		}
		heights, acyclic := graph.Heights(usage.Dependencies())
		var descent *relation.Descent
		if acyclic {
			descent = relation.NewDescent(n, heights)
		}
		for i := range n.Tables() {
			table := n.Table(i)
			want, loops := plainPaths(n, table)
			if acyclic {
				got := make([]int32, table.Len())
				longest := descent.HopsLeft(table, got)
				if most := slices.Max(append(want, 0)); !slices.Equal(got, want) || longest != most {
					rt.Fatalf("table %d: %v, at most %d, by heights; plainly %v, at most %d", i, got, longest, want, most)
				}
				descended++
			}
			got := make([]int32, table.Len())
			g := graphs.Make(table)
			if is := g.HopsLeft(n, make([]int32, g.Len()), got); is != loops || !slices.Equal(got, want) {
				rt.Fatalf("table %d: %v, cyclic %v; plainly %v, %v", i, got, is, want, loops)
			}
			if all++; loops {
				cyclic++
			}
		}
	})
	if seedtest.Usual() && (cyclic == 0 || cyclic == all || descended == 0) {
		t.Errorf("%d of %d tables have a cycle, and %d were descended: all kinds are wanted", cyclic, all, descended)
	}
}
