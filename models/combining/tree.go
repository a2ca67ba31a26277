package combining

import "fmt"

// Tree is a complete tree: its leaves are the clusters, its inner nodes the
// switches. Clusters have the numbers 0..Clusters()-1 from left to right;
// switches go on from there, level by level upwards and from left to right, so
// that the root has the highest number. The machine of the paper has fan-out 2
// and depth 2: clusters 0-3, switches 4 and 5, root 6.
type Tree struct {
	FanOut int // children of a switch, 2 to 8
	Depth  int // levels of switches, 1 to 6
	first  []int
}

// mostClusters bounds the trees: what is larger cannot be explored anyway.
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

// Root returns the number of the root.
func (t Tree) Root() int { return t.Nodes() - 1 }

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

// Next returns the neighbour of node n on the way to a cluster, which n is not.
func (t Tree) Next(n, cluster int) int {
	for _, child := range t.Children(n) {
		if t.Below(cluster, child) {
			return child
		}
	}
	return t.Parent(n)
}

// Name is what people call a node: "cluster 2", "switch 5", "root 6".
func (t Tree) Name(n int) string {
	switch {
	case t.IsCluster(n):
		return fmt.Sprintf("cluster %d", n)
	case n == t.Root():
		return fmt.Sprintf("root %d", n)
	}
	return fmt.Sprintf("switch %d", n)
}

// Lanes lists the nodes as they stand side by side: every switch between its
// children.
func (t Tree) Lanes() []int {
	var all []int
	var walk func(n int)
	walk = func(n int) {
		children := t.Children(n)
		half := (len(children) + 1) / 2
		for i, c := range children {
			if i == half {
				all = append(all, n)
			}
			walk(c)
		}
		if len(children) == 0 {
			all = append(all, n)
		}
	}
	walk(t.Root())
	return all
}
