package combining

import "fmt"

// Home says where the memory is that requests are sent to.
type Home uint8

const (
	// AtLeaf is the memory of cluster 0, as in the machine: requests climb to
	// the switch that has cluster 0 below it, and then go down to it.
	AtLeaf Home = iota
	// AtRoot is a memory beside the root: requests only climb.
	AtRoot
)

// HomeNames are the names of the homes, in their order.
var HomeNames = []string{"leaf", "root"}

// BesideRoot stands for the memory beside the root where a home cluster is
// expected.
const BesideRoot = -1

// atHome stands for the home where a node is expected.
const atHome = -1

// homeward is a tree with its links turned towards a home: each switch has one
// way out, to the home, and ways in. Requests go one way, replies the other, so
// that the two of one home never share a direction of a link.
type homeward struct {
	Tree
	home int     // the cluster whose memory it is, or BesideRoot
	last int     // the switch beside the home
	next []int   // by node: towards the home, or atHome
	ways [][]int // by switch: the neighbours whose next it is: children first, from left to right
}

// turn turns a tree towards the home.
func turn(t Tree, home Home) (*homeward, error) {
	switch home {
	case AtLeaf:
		return towards(t, 0), nil
	case AtRoot:
		return towards(t, BesideRoot), nil
	}
	return nil, fmt.Errorf("home %d: want 0 or 1", home)
}

// towards turns a tree towards the memory of a cluster, or that beside the root.
func towards(t Tree, home int) *homeward {
	h := &homeward{Tree: t, home: home, last: t.Root(), next: make([]int, t.Nodes()), ways: make([][]int, t.Nodes())}
	if home != BesideRoot {
		h.last = t.Parent(home)
	}
	for node := range h.next {
		switch {
		case node == h.last || h.local(node):
			h.next[node] = atHome
		case home != BesideRoot:
			h.next[node] = t.Next(node, home)
		default:
			h.next[node] = t.Parent(node)
		}
	}
	for node := range h.next {
		for _, from := range t.Neighbours(node) {
			if h.next[from] == node {
				h.ways[node] = append(h.ways[node], from)
			}
		}
	}
	return h
}

// switches lists the inner nodes.
func (t Tree) switches() []int {
	var all []int
	for node := t.Clusters(); node < t.Nodes(); node++ {
		all = append(all, node)
	}
	return all
}

// local reports whether a node is the cluster whose memory the home is.
func (h *homeward) local(node int) bool { return h.home == node }

// onward is where a switch sends requests: the next node, or the home.
func (h *homeward) onward(s int) int {
	if h.next[s] == atHome {
		return h.home
	}
	return h.next[s]
}

// way returns the neighbour of a switch through which a cluster's requests come,
// or -1 if they do not pass it.
func (h *homeward) way(s, cluster int) int {
	for node := cluster; node != atHome; node = h.next[node] {
		if h.next[node] == s {
			return node
		}
	}
	return -1
}

// behind lists the clusters whose requests pass a switch.
func (h *homeward) behind(s int) []int {
	var clusters []int
	for c := range h.Clusters() {
		if h.way(s, c) >= 0 {
			clusters = append(clusters, c)
		}
	}
	return clusters
}
