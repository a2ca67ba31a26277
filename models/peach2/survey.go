package peach2

import (
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Design of the exact decision over a whole window.
//
// The window is cut into cases, sets of addresses with given values of some bits and
// any values of the others, until no comparison of any register or area depends on the
// other bits. Then all addresses of a case belong to the same device and are routed
// alike. Whether a comparison depends on the other bits shows in the lowest and the
// highest address of the case, as far as they are compared. The highest bit that some
// comparison depends on is decided first; so there are as many cases as places where
// decisions change, not as addresses. Registers that compare scattered bits may need as
// many cases as there are addresses, and no method can avoid that in general: "no gap"
// says that a disjunction of bit patterns is a tautology, which is co-NP-complete to decide.
// Then the result is a *spec.BoundError, never an answer. A second program checks the tree of
// cases; see AddressTable of package answers.

// portSet is a set of ports: bit p is set if p is in it.
type portSet uint8

func (s portSet) has(p Port) bool { return s>>p&1 == 1 }
func (s portSet) len() int        { return bits.OnesCount8(uint8(s)) }
func (s portSet) lowest() Port    { return Port(bits.TrailingZeros8(uint8(s))) }

// open returns the highest bit on which the comparison of a register depends, for
// addresses with the bits of ones and any of the unknown bits, or -1.
func (r Register) open(ones, unknown uint64) int {
	least := ones & r.Mask
	most := least | unknown&r.Mask
	if most < r.Lower || least > r.Upper || r.Lower > r.Upper || least >= r.Lower && most <= r.Upper {
		return -1
	}
	return bits.Len64(unknown&r.Mask) - 1
}

// Cases is a tree of cases over the bits of an address, in preorder: the bit that is
// decided, or -1 where a case ends.
type Cases []int8

// Bounds of a tree: cases, and cases times comparisons.
const (
	mostCases = 1 << 18
	mostWork  = 1 << 27
)

// cell is a case: the addresses that have the bits of ones, and any of the unknown.
type cell struct {
	ones, unknown uint64
	node          int // -1: they belong to no device
	device        Device
	ports         []portSet // by board: the ports whose registers match
	left          Device    // where they lie after subtraction of the node's offset
}

// After subtraction an address may lie in no area of the part, or outside of it.
const (
	nothing Device = devices + iota
	outside
)

// count returns the number of the addresses.
func (x *cell) count() uint64 { return 1 << bits.OnesCount64(x.unknown) }

// survey is a window cut into cells, in the order of their lowest addresses.
type survey struct {
	c     *Cluster
	most  int // cells
	cases Cases
	cells []cell
}

// newSurvey cuts the window of a valid cluster. A *spec.BoundError says that its
// registers need too many cases. Time: cases times the comparisons.
func newSurvey(c *Cluster) (*survey, error) {
	s := &survey{c: c}
	var all []Register
	for i, b := range c.Boards {
		all = append(all, c.Map.areas(c.Map.Base(i))...)
		if b.Offset < c.Map.Window && b.Offset != c.Map.Base(i) {
			all = append(append(all, c.Map.areas(b.Offset)...), c.Map.part(b.Offset))
		}
		all = append(all, b.Registers...)
	}
	s.most = min(mostCases, mostWork/len(all))
	return s, s.cut(0, c.Map.Window-1, all)
}

func (s *survey) cut(ones, unknown uint64, all []Register) error {
	highest := -1
	var left []Register
	for _, x := range all {
		if bit := x.open(ones, unknown); bit >= 0 {
			left = append(left, x)
			highest = max(highest, bit)
		}
	}
	if len(s.cells) == s.most {
		return &spec.BoundError{What: "cases of addresses that the registers need", Limit: s.most}
	}
	s.cases = append(s.cases, int8(highest))
	if highest < 0 {
		s.cells = append(s.cells, s.cellOf(ones, unknown))
		return nil
	}
	if err := s.cut(ones, unknown&^(1<<highest), left); err != nil {
		return err
	}
	return s.cut(ones|1<<highest, unknown&^(1<<highest), left)
}

func (s *survey) cellOf(ones, unknown uint64) cell {
	m := s.c.Map
	x := cell{ones: ones, unknown: unknown, node: -1, ports: make([]portSet, len(s.c.Boards))}
	for b, board := range s.c.Boards {
		if d := m.deviceAt(ones, m.Base(b)); d < devices {
			x.node, x.device, x.left = b, d, m.deviceAt(ones, board.Offset)
		}
		for _, r := range board.Registers {
			if r.Match(ones) {
				x.ports[b] |= 1 << r.Port
			}
		}
	}
	return x
}

// areas returns the areas of a part that begins at an address, as registers that
// compare all bits.
func (m Map) areas(base uint64) []Register {
	var all []Register
	for _, a := range m.Areas {
		all = append(all, Register{Mask: m.Window - 1, Lower: base + a.Start, Upper: base + a.Start + a.Size - 1})
	}
	return all
}

// part returns the whole part that begins at an address, as one such register.
func (m Map) part(base uint64) Register {
	return Register{Mask: m.Window - 1, Lower: base, Upper: base + m.Part - 1}
}

// deviceAt returns where in a part that begins at base an address lies.
func (m Map) deviceAt(address, base uint64) Device {
	if base >= m.Window || !m.part(base).Match(address) {
		return outside
	}
	for i, x := range m.areas(base) {
		if x.Match(address) {
			return m.Areas[i].Device
		}
	}
	return nothing
}

// routes returns how the addresses of each node are routed: by node, the different
// vectors of port sets by board, in the order of their lowest addresses. At the node
// itself the devices make no difference.
func (s *survey) routes() [][][]portSet {
	all := make([][][]portSet, len(s.c.Boards))
	for _, x := range s.cells {
		if x.node < 0 {
			continue
		}
		route := slices.Clone(x.ports)
		const local = 1<<North | 1<<Internal
		if route[x.node] != 0 && route[x.node]&^local == 0 {
			route[x.node] = 1 << North
		}
		if !slices.ContainsFunc(all[x.node], func(w []portSet) bool { return slices.Equal(w, route) }) {
			all[x.node] = append(all[x.node], route)
		}
	}
	return all
}
