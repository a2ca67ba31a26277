package combining

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestMachineTree: the tree of the paper, by hand.
func TestMachineTree(t *testing.T) {
	tree, err := NewTree(2, 2)
	if err != nil {
		t.Fatal(err)
	}
	type shape struct {
		Clusters, Nodes int
		Parents, Under5 []int
		Next            []int // of each node but cluster 2 on the way there
	}
	got := shape{Clusters: tree.Clusters(), Nodes: tree.Nodes(), Under5: tree.Children(5)}
	for n := range tree.Nodes() {
		got.Parents = append(got.Parents, tree.Parent(n))
		if n != 2 {
			got.Next = append(got.Next, tree.Next(n, 2))
		}
	}
	want := shape{Clusters: 4, Nodes: 7, Parents: []int{4, 4, 5, 5, 6, 6, -1}, Under5: []int{2, 3}, Next: []int{4, 4, 5, 6, 2, 5}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTreeBounds(t *testing.T) {
	for _, x := range [][2]int{{1, 2}, {9, 1}, {2, 0}, {2, 7}, {8, 3}, {-1, -1}} {
		if _, err := NewTree(x[0], x[1]); err == nil {
			t.Errorf("a tree of fan-out %d and depth %d is accepted", x[0], x[1])
		}
	}
}

// TestTrees: parents and children agree, and the path to a cluster leads there.
func TestTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree, err := NewTree(rapid.IntRange(2, 4).Draw(t, "fan-out"), rapid.IntRange(1, 3).Draw(t, "depth"))
		if err != nil {
			t.Fatal(err)
		}
		for n := range tree.Nodes() {
			for _, c := range tree.Children(n) {
				if tree.Parent(c) != n || tree.Height(c)+1 != tree.Height(n) {
					t.Fatalf("node %d is a child of %d, its parent is %d", c, n, tree.Parent(c))
				}
			}
		}
		c := rapid.IntRange(0, tree.Clusters()-1)
		at, to := c.Draw(t, "from"), c.Draw(t, "to")
		for range 2 * tree.Depth {
			if at != to {
				at = tree.Next(at, to)
			}
		}
		if at != to {
			t.Fatalf("after %d steps the way to %d is at %d", 2*tree.Depth, to, at)
		}
	})
}

// Neighbours returns the nodes joined with n: its children, then its parent.
func (t Tree) Neighbours(n int) []int {
	all := t.Children(n)
	if up := t.Parent(n); up >= 0 {
		all = append(all, up)
	}
	return all
}

// Distance returns the height of the smallest subtree that holds both clusters:
// the paper's sharing distance of two.
func (t Tree) Distance(a, b int) int {
	d := 0
	for a != b {
		a, b = t.Parent(a), t.Parent(b)
		d++
	}
	return d
}

// Tree is the content of tree.star in Go, for the brute force: a complete tree whose leaves are the clusters and whose
// inner nodes are the switches. Clusters have the numbers 0..Clusters()-1 from left to right; switches follow, level by
// level upwards and from left to right, so that the root has the highest number. The machine of the paper has fan-out 2
// and depth 2: clusters 0-3, switches 4 and 5, root 6.
type Tree struct {
	FanOut int // children of a switch, 2 to 8
	Depth  int // levels of switches, 1 to 6
	first  []int
}

// mostClusters bounds the trees: larger ones cannot be explored anyway.
const mostClusters = 64

// NewTree returns the tree of a fan-out (2 to 8) and a depth (1 to 6) with at
// most 64 clusters.
func NewTree(fanOut, depth int) (Tree, error) {
	t := Tree{FanOut: fanOut, Depth: depth}
	if fanOut < 2 || fanOut > 8 || depth < 1 || depth > 6 {
		return t, fmt.Errorf("a tree of fan-out %d and depth %d: want a fan-out of 2 to 8 and a depth of 1 to 6", fanOut, depth)
	}
	width, widths := 1, []int{1}
	for range depth {
		width *= fanOut
		widths = append(widths, width)
	}
	if width > mostClusters {
		return t, fmt.Errorf("a tree of fan-out %d and depth %d has %d clusters: want at most %d", fanOut, depth, width, mostClusters)
	}
	at := 0
	for h := range depth + 1 {
		t.first = append(t.first, at)
		at += widths[depth-h]
	}
	t.first = append(t.first, at)
	return t, nil
}

// Clusters returns the number of leaves.
func (t Tree) Clusters() int { return t.first[1] }

// Nodes returns the number of clusters and switches.
func (t Tree) Nodes() int { return t.first[t.Depth+1] }

// IsCluster reports whether a node is a leaf.
func (t Tree) IsCluster(n int) bool { return n < t.Clusters() }

// Height returns how many levels a node is above the clusters; theirs is 0.
func (t Tree) Height(n int) int {
	h := 0
	for n >= t.first[h+1] {
		h++
	}
	return h
}

// Parent returns the node above n, or -1 for the root.
func (t Tree) Parent(n int) int {
	h := t.Height(n)
	if h == t.Depth {
		return -1
	}
	return t.first[h+1] + (n-t.first[h])/t.FanOut
}

// Children returns the nodes below a switch from left to right; clusters have none.
func (t Tree) Children(n int) []int {
	h := t.Height(n)
	if h == 0 {
		return nil
	}
	all := make([]int, t.FanOut)
	for i := range all {
		all[i] = t.first[h-1] + (n-t.first[h])*t.FanOut + i
	}
	return all
}

// Below reports whether node n is in the subtree of node top; top itself is.
func (t Tree) Below(n, top int) bool {
	for n >= 0 && n != top {
		n = t.Parent(n)
	}
	return n == top
}

// Next returns the neighbour of node n on the path to a cluster, which must not be n.
func (t Tree) Next(n, cluster int) int {
	for _, child := range t.Children(n) {
		if t.Below(cluster, child) {
			return child
		}
	}
	return t.Parent(n)
}
