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
		Parents               []int
		Under5, Around5       []int
		Path                  []int
		Distances             []int
	}
	got := shape{Clusters: tree.Clusters(), Nodes: tree.Nodes(), Root: tree.Root(), Under5: tree.Children(5), Around5: tree.Neighbours(5),
		Path: tree.Path(1, 2)}
	for n := range tree.Nodes() {
		got.Parents = append(got.Parents, tree.Parent(n))
	}
	for c := range tree.Clusters() {
		got.Distances = append(got.Distances, tree.Distance(1, c))
	}
	want := shape{Clusters: 4, Nodes: 7, Root: 6, Parents: []int{4, 4, 5, 5, 6, 6, -1}, Under5: []int{2, 3}, Around5: []int{2, 3, 6},
		Path: []int{1, 4, 6, 5, 2}, Distances: []int{1, 0, 2, 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{0, 4, 1, 6, 2, 5, 3}, tree.Lanes()); diff != "" {
		t.Errorf("side by side: %s", diff)
	}
	// Every swap of siblings at one of three switches: 2^3.
	n := 0
	tree.automorphisms(func([]int) bool { n++; return true })
	if n != 8 {
		t.Errorf("%d automorphisms, want 8", n)
	}
}

func TestTreeBounds(t *testing.T) {
	for _, x := range [][2]int{{1, 2}, {9, 1}, {2, 0}, {2, 7}, {8, 3}, {-1, -1}} {
		if _, err := NewTree(x[0], x[1]); err == nil {
			t.Errorf("a tree of fan-out %d and depth %d is accepted", x[0], x[1])
		}
	}
}

// TestTrees: parents and children fit, a path goes by single edges, and distance
// is half of its length.
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
		a, b := c.Draw(t, "a"), c.Draw(t, "b")
		path := tree.Path(a, b)
		for i := range path[1:] {
			if tree.Parent(path[i]) != path[i+1] && tree.Parent(path[i+1]) != path[i] {
				t.Fatalf("the path %v jumps", path)
			}
		}
		if d := tree.Distance(a, b); len(path) != 2*d+1 {
			t.Fatalf("the path %v is not twice the distance %d", path, d)
		}
		tree.automorphisms(func(image []int) bool {
			for n := range tree.Nodes() {
				if up := tree.Parent(n); up >= 0 && image[up] != tree.Parent(image[n]) {
					t.Fatalf("%v is not an automorphism", image)
				}
			}
			return rapid.IntRange(0, 20).Draw(t, "go on") > 0
		})
	})
}
