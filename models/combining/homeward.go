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

// atHome stands for the home where a node is expected.
const atHome = -1

// homeward is a tree with its links turned towards the home: each switch has one
// way out, to the home, and ways in. Requests go one way, replies the other, so
// that the two never share a direction of a link.
type homeward struct {
	Tree
	home Home
	last int     // the switch beside the home
	next []int   // by node: towards the home, or atHome
	ways [][]int // by switch: the neighbours whose next it is: children first, from left to right
}

// turn turns a tree towards the home.
func turn(t Tree, home Home) (*homeward, error) {
	if home > AtRoot {
		return nil, fmt.Errorf("home %d: want 0 or 1", home)
	}
	h := &homeward{Tree: t, home: home, last: t.Root(), next: make([]int, t.Nodes()), ways: make([][]int, t.Nodes())}
	if home == AtLeaf {
		h.last = t.Parent(0)
	}
	for node := range h.next {
		switch {
		case node == h.last || h.local(node):
			h.next[node] = atHome
		case home == AtLeaf:
			h.next[node] = t.Next(node, 0)
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
	return h, nil
}

// switches lists the inner nodes.
func (h *homeward) switches() []int {
	var all []int
	for node := h.Clusters(); node < h.Nodes(); node++ {
		all = append(all, node)
	}
	return all
}

// local reports whether a node is the cluster whose memory the home is.
func (h *homeward) local(node int) bool { return h.home == AtLeaf && node == 0 }

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
