package hyperx_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models/graph/censustest"
	"github.com/seed-105a2da2/unknot/models/hyperx"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

func compile(t testing.TB, sizes []int, v hyperx.Variant) *spec.Network {
	t.Helper()
	return routingtest.Network(t)(hyperx.New(sizes, v))
}

// With N nodes and sizes k1, k2, ...: N sum(ki-1) links. One hop corrects a
// dimension, so a channel of dimension i is followed by the kj-1 channels of
// every other dimension j: with all hops minimal N sum over i != j of
// (ki-1)(kj-1) dependencies, in dimension order half of them. A channel of
// dimension i holds packets for the N/ki nodes that agree with its end there;
// in dimension order each pair of nodes makes one site.
//
// Escape: behind VC 1, every turn occurs to VC 1 and, if the dimension turned to
// is the lowest wrong one, to VC 0; behind VC 0 all lower dimensions are right,
// so only ascending turns do, to either VC. Once, once, half and half: three
// times the turns of all minimal hops.
func TestCounts(t *testing.T) {
	for _, sizes := range [][]int{{2}, {5}, {3, 3}, {2, 4}, {4, 3, 2}, {2, 2, 2, 2}} {
		nodes, links, ascending := 1, 0, 0
		for i, k := range sizes {
			nodes *= k
			links += k - 1
			for _, j := range sizes[:i] {
				ascending += (k - 1) * (j - 1)
			}
		}
		links *= nodes
		ascending *= nodes
		every := 0
		for _, k := range sizes {
			every += nodes * (k - 1) * (nodes / k)
		}
		pairs := nodes * (nodes - 1)
		one := len(sizes) == 1
		for v, want := range []censustest.Census{
			hyperx.DimensionOrder: {Channels: links, Edges: ascending, Sites: pairs, Acyclic: true},
			hyperx.Adaptive:       {Channels: links, Edges: 2 * ascending, Sites: every, Acyclic: one},
			hyperx.Escape:         {Channels: 2 * links, Edges: 6 * ascending, Sites: pairs + every, Acyclic: one},
		} {
			n := compile(t, sizes, hyperx.Variant(v))
			if diff := cmp.Diff(want, censustest.Count(n)); diff != "" {
				t.Errorf("%v %s (-want +got):\n%s", sizes, hyperx.VariantNames[v], diff)
			}
			if n.FlowCount() != pairs {
				t.Errorf("%v %s: %d flows, want %d", sizes, hyperx.VariantNames[v], n.FlowCount(), pairs)
			}
			if err := errors.Join(censustest.Undelivered(n), censustest.Unexplained(n)); err != nil {
				t.Errorf("%v %s: %v", sizes, hyperx.VariantNames[v], err)
			}
		}
	}
}

// TestLinks: the links of a node in the middle of a 3 x 4 HyperX, in order.
func TestLinks(t *testing.T) {
	top := compile(t, []int{3, 4}, hyperx.DimensionOrder).Topology()
	v, ok := top.NodeNamed("(1,2)")
	if !ok {
		t.Fatal("no node is called (1,2)")
	}
	var got []string
	for _, l := range top.OutLinks(v) {
		got = append(got, fmt.Sprintf("%d %s", top.Link(l).Dim, top.Node(top.Link(l).To).Name))
	}
	want := []string{"1 (0,2)", "1 (2,2)", "2 (1,0)", "2 (1,1)", "2 (1,3)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, tt := range []struct {
		sizes   []int
		variant hyperx.Variant
		want    string
	}{
		{nil, hyperx.Adaptive, `a HyperX of 0 dimensions, variant 1: want at least one and ["dor" "adaptive" "escape"]`},
		{[]int{3}, 3, `a HyperX of 1 dimensions, variant 3: want at least one and ["dor" "adaptive" "escape"]`},
		{[]int{3, 1}, hyperx.Adaptive, "1 nodes in a dimension: want 2 to 1024"},
		{[]int{3, 100000}, hyperx.Adaptive, "100000 nodes in a dimension: want 2 to 1024"},
		{[]int{1024, 1024}, hyperx.Adaptive, "sizes [1024 1024] make more than 65536 nodes or 8388608 links"},
	} {
		got := ""
		if _, err := hyperx.New(tt.sizes, tt.variant); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
