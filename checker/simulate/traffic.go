package simulate

import (
	"cmp"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// Traffic says where messages go. A pattern names one destination for each node, or spreads a
// node's messages; a node whose pattern names itself sends nothing.
type Traffic struct {
	Pattern string   // one of Patterns; "" means uniform; ignored with Demands or Events
	Hot     []string // hot-spot: names of nodes, each equally likely
	Share   float64  // hot-spot: share of all messages that go there
	Demands []Demand // a matrix
	Events  []Event  // a trace: what is generated when; load, lengths and bursts are then ignored
}

// Demand is how much a node sends to another, relative to other demands. The node that sends
// most sends Options.Load.
type Demand struct {
	Source, Dest spec.NodeID
	Weight       float64
}

// Event is a message of a trace.
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
	{"transpose-bits", "the upper half of the number's bits exchanged with the lower: (x, y) to (y, x) (BookSim)"},
	{"bit-reversal", "the number's bits in reverse"},
	{"bit-complement", "the number's bits inverted"},
	{"shuffle", "the number's bits rotated left by one"},
	{"tornado", "halfway round each dimension: by (k-1)/2, rounded down"},
	{"neighbour", "the next in each dimension"},
	{"permutation", "a random permutation, drawn from the seed"},
	{"hot-spot", "uniform, but for a share that goes to the hot nodes"},
}

// permute returns where a pattern of fixed destinations sends terminal i; ok is false for one
// that spreads.
func permute(n *spec.Network, pattern string, list []spec.NodeID, random *rand.Rand) (to func(i int) (int, error), ok bool) {
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
	case "transpose-bits":
		return binary(func(i uint) uint { return i>>(width/2) | i<<(width-width/2) }), true
	case "bit-reversal":
		return binary(func(i uint) uint { return bits.Reverse(i) >> (bits.UintSize - width) }), true
	case "bit-complement":
		return binary(func(i uint) uint { return ^i }), true
	case "shuffle":
		return binary(func(i uint) uint { return i<<1 | i>>(width-1) }), true
	case "tornado":
		return byCoordinates(n, pattern, list, func(at, size []int, d int) int { return (at[d] + (size[d]-1)/2) % size[d] }), true
	case "neighbour":
		return byCoordinates(n, pattern, list, func(at, size []int, d int) int { return (at[d] + 1) % size[d] }), true
	case "permutation":
		all := random.Perm(count)
		return func(i int) (int, error) { return all[i], nil }, true
	}
	return nil, false
}

// byCoordinates is a pattern on coordinates, given for each dimension.
func byCoordinates(n *spec.Network, pattern string, list []spec.NodeID, f func(at, size []int, d int) int) func(i int) (int, error) {
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
			return 0, fmt.Errorf("%s needs coordinates, and node %s of %s has none", pattern, n.Topology().Node(list[i]).Name, n.Name())
		}
		y := make([]int, len(x))
		for d := range x {
			y[d] = f(x, size, d)
		}
		to, ok := at[fmt.Sprint(y)]
		if !ok {
			return 0, fmt.Errorf("%s sends %s to %v, which is not a terminal of %s", pattern, n.Topology().Node(list[i]).Name, y, n.Name())
		}
		return to, nil
	}
}

// destinations is traffic on a network, ready to draw from.
type destinations struct {
	flows  *flows
	random *rand.Rand
	spans  []span    // by node, for fixed destinations
	hot    [][]span  // by node, to the hot nodes
	share  float64   // to the hot nodes
	sums   []float64 // by flow, for demands: the sum of the weights of its source so far
	rate   []float64 // by node, relative to the one that sends most
}

func newDestinations(n *spec.Network, o *Options) (*destinations, error) {
	d := &destinations{flows: flowsOf(n, o), random: rand.New(rand.NewPCG(o.Seed, 1)), rate: make([]float64, n.Topology().Nodes())}
	for v := range d.rate {
		if d.flows.first[v] < d.flows.first[v+1] {
			d.rate[v] = 1
		}
	}
	t := &o.Traffic
	if len(t.Demands) > 0 {
		return d, d.demand(n, t.Demands)
	}
	pattern := cmp.Or(t.Pattern, "uniform")
	known := false
	for _, p := range Patterns {
		known = known || p.Name == pattern
	}
	if !known {
		return nil, fmt.Errorf("invalid traffic %q: want %s", pattern, patternNames())
	}
	if pattern == "hot-spot" {
		return d, d.heat(n, t)
	}
	list := terminals(n)
	to, fixed := permute(n, pattern, list, d.random)
	if !fixed {
		return d, nil
	}
	d.spans = make([]span, len(d.rate))
	for i, v := range list {
		if d.rate[v] == 0 {
			continue
		}
		k, err := to(i)
		if err != nil {
			return nil, err
		}
		if d.rate[v] = 0; k != i {
			if d.spans[v], err = d.must(n, v, list[k]); err != nil {
				return nil, fmt.Errorf("%s: %w", pattern, err)
			}
			d.rate[v] = 1
		}
	}
	if !slices.Contains(d.rate, 1) {
		return nil, fmt.Errorf("%s: no node of %s sends to another", pattern, n.Name())
	}
	return d, nil
}

func patternNames() string {
	var names []string
	for _, p := range Patterns {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// must returns the flows from one node to another; there must be one.
func (d *destinations) must(n *spec.Network, from, to spec.NodeID) (span, error) {
	s := d.flows.to(n, from, to)
	if s.from == s.end {
		return s, fmt.Errorf("%s has no flow from %s to %s", n.Name(), n.Topology().Node(from).Name, n.Topology().Node(to).Name)
	}
	return s, nil
}

// heat sends a share of the messages to the hot nodes.
func (d *destinations) heat(n *spec.Network, t *Traffic) error {
	if len(t.Hot) == 0 || !(t.Share > 0 && t.Share <= 1) {
		return fmt.Errorf("hot-spot needs hot nodes and a share above 0 and at most 1, not %d and %v", len(t.Hot), t.Share)
	}
	d.share, d.hot = t.Share, make([][]span, len(d.rate))
	for _, name := range t.Hot {
		h, ok := n.Topology().NodeNamed(name)
		if !ok {
			return fmt.Errorf("invalid hot node %q: %s has no such node", name, n.Name())
		}
		for v, rate := range d.rate {
			if spec.NodeID(v) == h || rate == 0 {
				continue
			}
			s, err := d.must(n, spec.NodeID(v), h)
			if err != nil {
				return err
			}
			d.hot[v] = append(d.hot[v], s)
		}
	}
	return nil
}

// demand weights the flows by a matrix.
func (d *destinations) demand(n *spec.Network, demands []Demand) error {
	d.sums = make([]float64, len(d.flows.table))
	total := make([]float64, len(d.rate))
	for _, x := range demands {
		s, err := d.must(n, x.Source, x.Dest)
		if err != nil {
			return err
		}
		if !(x.Weight >= 0 && x.Weight < 1e300) {
			return fmt.Errorf("invalid demand %v: want a number of at least 0", x.Weight)
		}
		for i := s.from; i < s.end; i++ {
			d.sums[i] += x.Weight / float64(s.end-s.from)
		}
		total[x.Source] += x.Weight
	}
	most := slices.Max(total)
	if most <= 0 {
		return fmt.Errorf("all demands are 0: nothing is sent")
	}
	for v := range d.rate {
		d.rate[v] = total[v] / most
		of := d.sums[d.flows.first[v]:d.flows.first[v+1]]
		for i := 1; i < len(of); i++ {
			of[i] += of[i-1]
		}
	}
	return nil
}

// draw returns the flow of the next message of node v.
func (d *destinations) draw(v int32) int32 {
	from, end := d.flows.first[v], d.flows.first[v+1]
	s := span{from, end}
	switch {
	case d.sums != nil:
		of := d.sums[from:end]
		i, _ := slices.BinarySearch(of, d.random.Float64()*of[len(of)-1])
		for i < len(of)-1 && of[i] == 0 { // a flow without weight is never drawn
			i++
		}
		return from + int32(min(i, len(of)-1))
	case d.spans != nil:
		s = d.spans[v]
	case d.hot != nil && len(d.hot[v]) > 0 && d.random.Float64() < d.share:
		s = d.hot[v][d.random.IntN(len(d.hot[v]))]
	}
	return s.from + d.random.Int32N(s.end-s.from)
}
