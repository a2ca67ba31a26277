// Package grid, internal to unknot, holds what k-ary n-dimensional meshes and tori have in common:
// coordinates, links, minimal directions and the tie rule.
package grid

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Direction is the sense of a hop along a dimension.
type Direction int

const (
	Plus Direction = iota
	Minus
)

// Tie says which way a packet takes round a ring when both ways are equally
// long, which happens at distance k/2 with k even.
type Tie uint8

const (
	TiePositive Tie = iota // towards higher coordinates
	TieNegative            // towards lower coordinates
	TieAdaptive            // either
	TieParity              // positive where the current coordinate is even, else negative
)

// TieNames are the names of the tie rules, in order.
var TieNames = []string{"positive", "negative", "adaptive", "parity"}

// Options describes a grid.
type Options struct {
	Sizes   []int // number of nodes in each dimension, each at least 2
	Wrap    bool  // a torus, not a mesh
	VCs     func(dim int, d Direction) int
	VCNames []string
}

// Grid is a mesh or torus. Node numbers count dimension 0 fastest.
type Grid struct {
	*spec.Topology
	Sizes []int
	Wrap  bool

	coord []int16       // node*dims + dim
	links []spec.LinkID // (node*dims + dim)*2 + direction; -1 where a mesh ends
}

// Limits: what exceeds them is a typing mistake rather than a network.
const (
	mostNodes    = 1 << 20
	mostChannels = 1 << 24
)

// New builds a grid. A torus with two nodes in a dimension has both links
// between them, one for each direction.
func New(o Options) (*Grid, error) {
	nodes := 1
	if len(o.Sizes) == 0 {
		return nil, fmt.Errorf("a grid needs at least one dimension")
	}
	for _, k := range o.Sizes {
		if k < 2 || k > 1<<15-1 {
			return nil, fmt.Errorf("%d nodes in a dimension: want 2 to 32767", k)
		}
		if nodes *= k; nodes > mostNodes {
			return nil, fmt.Errorf("sizes %v make more than %d nodes", o.Sizes, mostNodes)
		}
	}
	dims := len(o.Sizes)
	if o.VCs == nil {
		o.VCs = func(int, Direction) int { return 1 }
	}
	channels := 0
	for d := range dims {
		channels += nodes * (o.VCs(d, Plus) + o.VCs(d, Minus))
	}
	if channels > mostChannels {
		return nil, fmt.Errorf("sizes %v make more than %d channels", o.Sizes, mostChannels)
	}
	g := &Grid{
		Topology: spec.NewTopology(o.VCNames...), Sizes: o.Sizes, Wrap: o.Wrap,
		coord: make([]int16, nodes*dims), links: make([]spec.LinkID, nodes*dims*2),
	}
	for v := range nodes {
		at := make([]int, dims)
		rest := v
		for d, k := range o.Sizes {
			at[d] = rest % k
			g.coord[v*dims+d] = int16(at[d])
			rest /= k
		}
		g.AddNode(routing.CoordinateName(at...), at...)
	}
	stride := 1
	for d, k := range o.Sizes {
		for v := range nodes {
			x := int(g.coord[v*dims+d])
			for _, dir := range []Direction{Plus, Minus} {
				y := x + 1
				if dir == Minus {
					y = x - 1
				}
				g.links[(v*dims+d)*2+int(dir)] = -1
				if !o.Wrap && (y < 0 || y >= k) {
					continue
				}
				to := v + ((y+k)%k-x)*stride
				g.links[(v*dims+d)*2+int(dir)] = g.AddLink(spec.Link{
					From: spec.NodeID(v), To: spec.NodeID(to), VCs: o.VCs(d, dir), Dim: d + 1,
					Out: portName(d, dir), In: portName(d, 1-dir),
				})
			}
		}
		stride *= k
	}
	return g, g.Err()
}

func portName(dim int, d Direction) string {
	axis := fmt.Sprintf("d%d", dim)
	if dim < 3 {
		axis = "xyz"[dim : dim+1]
	}
	return "+-"[d:d+1] + axis
}

// Coordinate returns the coordinate of v in a dimension.
func (g *Grid) Coordinate(v spec.NodeID, dim int) int { return int(g.coord[int(v)*len(g.Sizes)+dim]) }

// Port returns the link that leaves v along a dimension, or -1 at the rim of a mesh.
func (g *Grid) Port(v spec.NodeID, dim int, d Direction) spec.LinkID {
	return g.links[(int(v)*len(g.Sizes)+dim)*2+int(d)]
}

// Directions is a set of directions.
type Directions uint8

// Has reports whether d is in the set.
func (s Directions) Has(d Direction) bool { return s>>d&1 == 1 }

// Minimal returns the directions in which a hop along dim brings a packet at v
// nearer to dest: none if the coordinates agree, both only with TieAdaptive.
func (g *Grid) Minimal(v, dest spec.NodeID, dim int, tie Tie) Directions {
	x, y := g.Coordinate(v, dim), g.Coordinate(dest, dim)
	if x == y {
		return 0
	}
	if !g.Wrap {
		if y > x {
			return 1 << Plus
		}
		return 1 << Minus
	}
	k := g.Sizes[dim]
	ahead := y - x
	if ahead < 0 {
		ahead += k
	}
	switch {
	case 2*ahead < k:
		return 1 << Plus
	case 2*ahead > k:
		return 1 << Minus
	}
	switch tie {
	case TieNegative:
		return 1 << Minus
	case TieAdaptive:
		return 1<<Plus | 1<<Minus
	case TieParity:
		if x%2 == 1 {
			return 1 << Minus
		}
	}
	return 1 << Plus
}

// WrapsAhead reports whether a packet at v that travels along dim in direction
// d until it has dest's coordinate uses the wrap-around link on the way.
func (g *Grid) WrapsAhead(v, dest spec.NodeID, dim int, d Direction) bool {
	x, y := g.Coordinate(v, dim), g.Coordinate(dest, dim)
	if d == Plus {
		return y < x
	}
	return y > x
}

// Lowest returns the lowest dimension in which the coordinates of v and dest
// differ, or -1 if they agree.
func (g *Grid) Lowest(v, dest spec.NodeID) int {
	for d := range g.Sizes {
		if g.Coordinate(v, d) != g.Coordinate(dest, d) {
			return d
		}
	}
	return -1
}

// Square returns the sizes of a grid with n dimensions of k nodes each.
func Square(k, n int) []int {
	return slices.Repeat([]int{k}, max(0, n))
}
