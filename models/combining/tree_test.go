package combining

import (
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
		Clusters, Nodes, Root int
		Parents, Under5       []int
		Lanes                 []int
		Next                  []int // of each node but cluster 2 on the way there
	}
	got := shape{Clusters: tree.Clusters(), Nodes: tree.Nodes(), Root: tree.Root(), Under5: tree.Children(5), Lanes: tree.Lanes()}
	for n := range tree.Nodes() {
		got.Parents = append(got.Parents, tree.Parent(n))
		if n != 2 {
			got.Next = append(got.Next, tree.Next(n, 2))
		}
	}
	want := shape{Clusters: 4, Nodes: 7, Root: 6, Parents: []int{4, 4, 5, 5, 6, 6, -1}, Under5: []int{2, 3},
		Lanes: []int{0, 4, 1, 6, 2, 5, 3}, Next: []int{4, 4, 5, 6, 2, 5}}
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

// TestTrees: parents and children fit, and the way to a cluster gets there.
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
