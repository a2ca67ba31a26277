package peach2

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/seed-105a2da2/unknot/spec/support/bfs"
)

// Variant is the rule by which a packet chooses its direction on the ring.
type Variant uint8

const (
	// Minimal: fewest cables; ties by the board's rule.
	Minimal Variant = iota
	// OneWay: ring cables from west to east only.
	OneWay
	// Cut: minimal, but the cable from the last board of a ring to board 0 is not used,
	// as if the ring were a line.
	Cut
	// CutBoard: minimal, but ring cables into board 0 of a ring carry only packets for
	// the nodes of that column, so that no packet continues along the ring there. No
	// routing by address that is free on a ring of one buffer class is less restricted:
	// it must leave out some wait from east cable to east cable, at a board x, and one
	// from west to west, at y; if x and y differed, a packet whose eastward path leads
	// through x and whose westward path through y would have no path.
	CutBoard
	// Dateline: minimal, and that cable is a dateline: ring cables have two VCs,
	// which the hardware does not have (Dally and Seitz 1987).
	Dateline
)

// VariantNames are the names of the variants, in order.
var VariantNames = []string{"minimal", "one-way", "cut", "cut-board", "dateline"}

// Order says whether a packet first takes a ring cable or the cable to the other ring,
// where both are on a shortest path.
type Order uint8

const (
	RingFirst Order = iota
	SouthFirst
)

// OrderNames are the names of the orders, in order.
var OrderNames = []string{"ring-first", "south-first"}

// Options describes a cluster to be generated.
type Options struct {
	Boards  int     // in a ring, 2 to 16; the machine has 8 to 16 in all
	Rings   int     // 1 or 2; 0 means 1
	Coupled []int   // numbers, within the rings, of the boards that are joined by S; nil: all
	Ties    []Port  // by board, East or West: the direction if both are minimal; nil: East
	Order   Order   // with 2 rings
	Variant Variant // the routing
	South   [2]Role // the role of port S in either ring; they must differ if there are two
	Bits    int     // of addresses, 8 to 62; 0 means 39, the machine's 512 GB
}

// ParseTies reads the tie rule of the boards: "east"; "west"; "alternate",
// which is east at even boards; or a letter E or W for every board.
func ParseTies(text string, boards int) ([]Port, error) {
	ties := make([]Port, boards)
	for i := range ties {
		switch {
		case text == "east" || text == "alternate" && i%2 == 0:
			ties[i] = East
		case text == "west" || text == "alternate":
			ties[i] = West
		case len(text) == boards && text[i] == 'E':
			ties[i] = East
		case len(text) == boards && text[i] == 'W':
			ties[i] = West
		default:
			return nil, fmt.Errorf(
				"invalid tie %.40q: want east, west, alternate, or a letter E or W for each of the %d boards, such "+
					"as %s", text, boards, strings.Repeat("EW", boards)[:boards])
		}
	}
	return ties, nil
}

// Generate sets up a cluster: board i of ring r is board r*Boards+i, its E port is
// joined to the W port of board i+1 (cyclic) and its S port, if coupled, to that of
// board i of the other ring. It fails for options out of range and, as
// [Cluster.Validate] does, for a coupling of two root complexes or two endpoints.
func Generate(o Options) (*Cluster, error) {
	c, err := connect(&o)
	if err != nil {
		return nil, err
	}
	routes, err := c.routes(o)
	if err != nil {
		return nil, err
	}
	for b := range c.Boards {
		c.Boards[b].Offset = c.Map.Base(b)
		c.Boards[b].Registers = c.registers(b, routes[b])
	}
	return c, nil
}

// connect makes the boards and cables for checked options, without registers.
func connect(o *Options) (*Cluster, error) {
	if o.Rings == 0 {
		o.Rings = 1
	}
	if o.Bits == 0 {
		o.Bits = 39
	}
	n := o.Boards
	total := n * o.Rings
	window := uint64(1) << o.Bits
	part := window >> bits.Len(uint(total-1))
	c := &Cluster{Map: Map{Window: window, Part: part}, Boards: make([]Board, total)}
	for d := range devices {
		c.Map.Areas = append(c.Map.Areas, Area{d, uint64(d) * (part / 4), part / 4})
	}
	for r := range o.Rings {
		for i := range n {
			c.Boards[r*n+i].South = o.South[r]
			last := i == n-1
			c.Cables = append(c.Cables,
				Cable{Jack{r*n + i, East}, Jack{r*n + (i+1)%n, West}, last && o.Variant == Dateline})
		}
	}
	if o.Rings == 2 {
		if o.Coupled == nil {
			for i := range n {
				o.Coupled = append(o.Coupled, i)
			}
		}
		for _, i := range o.Coupled {
			if i < 0 || i >= n {
				return nil, fmt.Errorf("coupled board %d: boards of a ring are numbered 0 to %d", i, n-1)
			}
			c.Cables = append(c.Cables, Cable{A: Jack{i, South}, B: Jack{n + i, South}})
		}
		if len(o.Coupled) == 0 {
			return nil, fmt.Errorf("two rings need at least one coupled board")
		}
	}
	return c, c.Validate()
}

// routes returns, for every board and every node, the port that the options' routing
// takes; the entry of a board's own node is unused. It fails if the variant leaves
// no path.
//
// Distances count cables that the variant allows. Every port on a shortest path is
// minimal; the order decides between S and the ring, the board's tie rule between E and
// W.
func (c *Cluster) routes(o Options) ([][]Port, error) {
	w := c.wiring()
	routes := make([][]Port, len(c.Boards))
	for b := range routes {
		routes[b] = make([]Port, len(c.Boards))
	}
	for d := range c.Boards {
		allowed := func(b int, p Port) bool { return w[b][p].ok && o.allows(b, p, d) }
		far := w.distances(d, allowed)
		for b := range c.Boards {
			if b == d {
				continue
			}
			if far[b] == bfs.Never {
				return nil, fmt.Errorf("%s: no path from board %d to node %d: couple all boards",
					VariantNames[o.Variant], b, d)
			}
			minimal := func(p Port) bool { return allowed(b, p) && far[w[b][p].jack.Board] == far[b]-1 }
			east, west, south := minimal(East), minimal(West), minimal(South)
			switch {
			case south && (o.Order == SouthFirst || !east && !west):
				routes[b][d] = South
			case east && west && o.Ties != nil:
				routes[b][d] = o.Ties[b]
			case east:
				routes[b][d] = East
			case west:
				routes[b][d] = West
			}
		}
	}
	return routes, nil
}

// allows reports whether the variant lets packets for node d leave through a port.
func (o Options) allows(b int, p Port, d int) bool {
	n := o.Boards
	first, last := b%n == 0, b%n == n-1
	wraps := p == East && last || p == West && first
	switch o.Variant {
	case OneWay:
		return p != West
	case Cut:
		return !wraps
	case CutBoard:
		comes := p == East && last || p == West && b%n == 1 // to board 0 of the ring
		return !comes || d%n == 0
	}
	return true
}

// distances returns the number of allowed cables from every board to d, or bfs.Never.
func (w wiring) distances(d int, allowed func(b int, p Port) bool) []int32 {
	far, _ := bfs.Levels(len(w), []int{d}, func(b int, visit func(int)) {
		for p := range ports {
			// against the direction of travel: who reaches b by one cable?
			if x := w[b][p]; x.ok && allowed(x.jack.Board, x.jack.Port) {
				visit(x.jack.Board)
			}
		}
	})
	return far
}

// registers turns the routes of a board into registers: for every port, the runs of
// nodes to which it leads, by the bits that distinguish nodes; for the board's own part,
// the runs of devices, by the bits that distinguish those. Every address of a node
// matches a generated register.
func (c *Cluster) registers(b int, route []Port) []Register {
	m := c.Map
	all := m.Window - 1
	var rs []Register
	for _, p := range [...]Port{East, West, South} {
		mask := all &^ (m.Part - 1)
		for first := 0; first < len(route); first++ {
			last := first
			for last < len(route) && last != b && route[last] == p {
				last++
			}
			if last > first {
				rs = append(rs, Register{p, mask, m.Base(first), m.Base(last - 1)})
				first = last
			}
		}
	}
	grain := m.Part
	for _, a := range m.Areas {
		for grain > 1 && (a.Start|a.Size)%grain != 0 {
			grain /= 2
		}
	}
	mask := all &^ (grain - 1)
	base := m.Base(b)
	var local []Register
	for _, a := range m.Areas {
		r := Register{a.Device.Port(), mask, base + a.Start, (base + a.Start + a.Size - 1) & mask}
		if i := len(local) - 1; i >= 0 && local[i].Port == r.Port && local[i].Upper+grain == r.Lower {
			local[i].Upper = r.Upper
			continue
		}
		local = append(local, r)
	}
	return append(local, rs...)
}
