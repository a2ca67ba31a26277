package simulate

import (
	"cmp"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// Traffic says where packets go. A pattern names one destination for each node, or spreads a
// node's packets; a node whose pattern names itself sends nothing.
type Traffic struct {
	Pattern string   // one of Patterns; "" means uniform; ignored with Demands or Events
	Hot     []string // hot-spot: names of nodes, each equally likely
	Share   float64  // hot-spot: share of all packets that go there
	Demands []Demand // a matrix
	Events  []Event  // a trace: what is generated when; load, lengths and bursts are then ignored
}

// Demand is how much a node sends to another, relative to other demands. The node that sends
// most sends Options.Load.
type Demand struct {
	Source, Dest spec.NodeID
	Weight       float64
}

// Event is a packet of a trace.
type Event struct {
	Clock        int
	Source, Dest spec.NodeID
	Flits        int
}

// Patterns are the names of the patterns. Terminals are the nodes that send or receive, numbered
// ascending from 0; N is their number, and k the size of a dimension of coordinates.
var Patterns = []struct{ Name, Doc string }{
	{"uniform", "any other, each equally likely"},
	{"transpose", "(x, y) to (k-1-y, k-1-x): coordinates in reverse, each mirrored (Sugiyama and Funahashi)"},
	{"transpose-mirrored", "(x, y, z) to (k-1-y, k-1-x, k-1-z): the first two exchanged, all mirrored"},
	{"transpose-plane", "(x, y, z) to (k-1-y, k-1-x, z): the first two exchanged and mirrored, the others kept"},
	{"transpose-last", "(x, y, z) to (x, k-1-z, k-1-y): the last two exchanged and mirrored, the others kept"},
	{"transpose-ends", "(x, y, z) to (k-1-z, y, k-1-x): the first and the last exchanged and mirrored"},
	{"transpose-cyclic", "(x, y, z) to (k-1-y, k-1-z, k-1-x): each to the dimension before it, all mirrored"},
	{"transpose-bits", "the upper half of the number's bits exchanged with the lower: (x, y) to (y, x) (BookSim)"},
	{"bit-reversal", "the number's bits in reverse"},
	{"bit-complement", "the number's bits inverted"},
	{"shuffle", "the number's bits rotated left by one"},
	{"tornado", "halfway round each dimension: by (k-1)/2, rounded down"},
	{"neighbour", "the next in each dimension"},
	{"permutation", "a random permutation, drawn from the seed"},
	{"hot-spot", "uniform, except for a share that goes to the hot nodes"},
}

// sentence says where packets go; "" for a trace, which lists them.
func (t Traffic) sentence() string {
	switch {
	case len(t.Events) > 0:
		return ""
	case len(t.Demands) > 0:
		return "traffic by a matrix: the node that sends most generates the load, the others in proportion"
	case t.Pattern == "hot-spot":
		return fmt.Sprintf("traffic hot-spot: uniform, except for a share of %v that goes to %s",
			t.Share, strings.Join(t.Hot, ", "))
	}
	for _, p := range Patterns {
		if p.Name == cmp.Or(t.Pattern, "uniform") {
			return fmt.Sprintf("traffic %s: %s", p.Name, p.Doc)
		}
	}
	return ""
}

func patternNames() []string {
	var names []string
	for _, p := range Patterns {
		names = append(names, p.Name)
	}
	return names
}

// permute returns where a pattern of fixed destinations sends terminal i; ok is false for one
// that spreads.
func permute(
	n *spec.Network, pattern string, list []spec.NodeID, random *rand.Rand,
) (to func(i int) (int, error), ok bool) {
	count := len(list)
	width := bits.Len(uint(count - 1))
	binary := func(f func(uint) uint) func(int) (int, error) {
		return func(i int) (int, error) {
			if count != 1<<width {
				return 0, fmt.Errorf("%s needs a power of two of terminals, and %s has %d", pattern, n.Name(), count)
			}
			return int(f(uint(i))) & (count - 1), nil
		}
	}
	switch pattern {
	case "transpose":
		return byCoordinates(n, pattern, list, func(at, size []int, d int) int {
			return size[d] - 1 - at[len(at)-1-d]
		}), true
	case "transpose-mirrored", "transpose-plane", "transpose-last", "transpose-ends":
		return byCoordinates(n, pattern, list, func(at, size []int, d int) int {
			a, b := 0, min(1, len(at)-1) // exchanged
			if pattern == "transpose-last" {
				a = max(0, len(at)-2)
			}
			if pattern != "transpose-mirrored" && pattern != "transpose-plane" {
				b = len(at) - 1
			}
			switch {
			case d == a:
				return size[d] - 1 - at[b]
			case d == b:
				return size[d] - 1 - at[a]
			case pattern == "transpose-mirrored":
				return size[d] - 1 - at[d]
			}
			return at[d]
		}), true
	case "transpose-cyclic":
		return byCoordinates(n, pattern, list, func(at, size []int, d int) int {
			return size[d] - 1 - at[(d+1)%len(at)]
		}), true
	case "transpose-bits":
		return binary(func(i uint) uint { return i>>(width/2) | i<<(width-width/2) }), true
	case "bit-reversal":
		return binary(func(i uint) uint { return bits.Reverse(i) >> (bits.UintSize - width) }), true
	case "bit-complement":
		return binary(func(i uint) uint { return ^i }), true
	case "shuffle":
		return binary(func(i uint) uint { return i<<1 | i>>(width-1) }), true
	case "tornado":
		return byCoordinates(n, pattern, list, func(at, size []int, d int) int {
			return (at[d] + (size[d]-1)/2) % size[d]
		}), true
	case "neighbour":
		return byCoordinates(n, pattern, list, func(at, size []int, d int) int { return (at[d] + 1) % size[d] }), true
	case "permutation":
		all := random.Perm(count)
		return func(i int) (int, error) { return all[i], nil }, true
	}
	return nil, false
}

// byCoordinates is a pattern on coordinates, given for each dimension.
func byCoordinates(
	n *spec.Network, pattern string, list []spec.NodeID, f func(at, size []int, d int) int,
) func(i int) (int, error) {
	at := map[string]int{}
	var size []int
	for i, v := range list {
		x := n.Topology().Node(v).At
		at[fmt.Sprint(x)] = i
		for d, c := range x {
			if d == len(size) {
				size = append(size, 0)
			}
			size[d] = max(size[d], c+1)
		}
	}
	return func(i int) (int, error) {
		x := n.Topology().Node(list[i]).At
		if len(x) == 0 || len(x) != len(size) {
			return 0, fmt.Errorf("%s needs coordinates, and node %s of %s has none",
				pattern, n.Topology().Node(list[i]).Name, n.Name())
		}
		y := make([]int, len(x))
		for d := range x {
			y[d] = f(x, size, d)
		}
		to, ok := at[fmt.Sprint(y)]
		if !ok {
			return 0, fmt.Errorf("%s sends %s to %v, which is not a terminal of %s",
				pattern, n.Topology().Node(list[i]).Name, y, n.Name())
		}
		return to, nil
	}
}
