package combining

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestMachineHomeward: the tree of the paper, by hand. Clusters are 0-3, the
// switches 4 (of 0 and 1) and 5 (of 2 and 3), the root is 6.
func TestMachineHomeward(t *testing.T) {
	tree, err := NewTree(2, 2)
	if err != nil {
		t.Fatal(err)
	}
	type shape struct {
		Last int
		Next []int
		Ways [][]int
	}
	for home, want := range map[Home]shape{
		AtRoot: {6, []int{4, 4, 5, 5, 6, 6, atHome}, [][]int{nil, nil, nil, nil, {0, 1}, {2, 3}, {4, 5}}},
		// The root sends down to switch 4, which is beside cluster 0.
		AtLeaf: {4, []int{atHome, 4, 5, 5, atHome, 6, 4}, [][]int{nil, nil, nil, nil, {1, 6}, {2, 3}, {5}}},
	} {
		h, err := turn(tree, home)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, shape{h.last, h.next, h.ways}); diff != "" {
			t.Errorf("home %d (-want +got):\n%s", home, diff)
		}
	}
	if _, err := turn(tree, 2); err == nil {
		t.Error("home 2 is accepted")
	}
}

// TestHomeward: on any tree every cluster's way ends at the home, and a switch
// finds the way back to exactly the clusters behind it.
func TestHomeward(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tree, err := NewTree(rapid.IntRange(2, 4).Draw(rt, "fan-out"), rapid.IntRange(1, 3).Draw(rt, "depth"))
		if err != nil {
			rt.Fatal(err)
		}
		h, err := turn(tree, rapid.SampledFrom([]Home{AtLeaf, AtRoot}).Draw(rt, "home"))
		if err != nil {
			rt.Fatal(err)
		}
		c := rapid.IntRange(0, tree.Clusters()-1).Draw(rt, "cluster")
		passed := map[int]bool{}
		if !h.local(c) {
			node := c
			for h.next[node] != atHome {
				if tree.Parent(node) != h.next[node] && tree.Parent(h.next[node]) != node {
					rt.Fatalf("%d and %d are not joined", node, h.next[node])
				}
				if way := h.way(h.next[node], c); way != node {
					rt.Fatalf("switch %d finds cluster %d through %d, not %d", h.next[node], c, way, node)
				}
				node = h.next[node]
				passed[node] = true
			}
			if node != h.last {
				rt.Fatalf("cluster %d ends at %d, not %d", c, node, h.last)
			}
		}
		for _, s := range h.switches() {
			behind := false
			for _, other := range h.behind(s) {
				behind = behind || other == c
			}
			if behind != passed[s] {
				rt.Fatalf("cluster %d behind switch %d: %v", c, s, behind)
			}
		}
	})
}
