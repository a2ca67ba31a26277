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

// Neighbours returns the nodes joined with n: its children, then its parent.
func (t Tree) Neighbours(n int) []int {
	all := t.Children(n)
	if up := t.Parent(n); up >= 0 {
		all = append(all, up)
	}
	return all
}

// Ancestor returns the node at a height (0 to Depth) over a cluster.
func (t Tree) Ancestor(cluster, height int) int {
	for range height {
		cluster = t.Parent(cluster)
	}
	return cluster
}

// Below reports whether node n is in the subtree of node top; top itself is.
func (t Tree) Below(n, top int) bool {
	for n >= 0 && n != top {
		n = t.Parent(n)
	}
	return n == top
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

// Next returns the neighbour of node n on the way to a cluster, which n is not.
func (t Tree) Next(n, cluster int) int {
	for _, child := range t.Children(n) {
		if t.Below(cluster, child) {
			return child
		}
	}
	return t.Parent(n)
}

// Path returns the nodes from one cluster to another, both included.
func (t Tree) Path(from, to int) []int {
	path := []int{from}
	for from != to {
		from = t.Next(from, to)
		path = append(path, from)
	}
	return path
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

// automorphisms calls f with the permutations of the nodes that keep the tree as
// it is, the identity among them, until f returns false.
func (t Tree) automorphisms(f func(image []int) bool) {
	image := make([]int, t.Nodes())
	image[t.Root()] = t.Root()
	// Switches have their children placed from the root downwards.
	var place func(n int) bool
	place = func(n int) bool {
		if t.IsCluster(n) {
			return f(image)
		}
		children, targets := t.Children(n), t.Children(image[n])
		var arrange func(k int) bool
		arrange = func(k int) bool {
			if k == len(children) {
				return place(n - 1)
			}
			for i := k; i < len(targets); i++ {
				targets[k], targets[i] = targets[i], targets[k]
				image[children[k]] = targets[k]
				if !arrange(k + 1) {
					return false
				}
				targets[k], targets[i] = targets[i], targets[k]
			}
			return true
		}
		return arrange(0)
	}
	place(t.Root())
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
