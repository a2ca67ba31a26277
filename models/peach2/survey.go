package peach2

import "math/bits"

// portSet is a set of ports: bit p is set if p is in it.
type portSet uint8

func (s portSet) has(p Port) bool { return s>>p&1 == 1 }
func (s portSet) len() int        { return bits.OnesCount8(uint8(s)) }
func (s portSet) first() Port     { return Port(bits.TrailingZeros8(uint8(s))) }

// String lists the ports, such as "E+S".
func (s portSet) String() string {
	text := ""
	for p := range ports {
		if s.has(p) {
			if text != "" {
				text += "+"
			}
			text += p.String()
		}
	}
	return text
}

// cell is a set of addresses, not always one interval, that belong to the same
// device of the same node, or to none, and that every board treats alike.
type cell struct {
	node   int // -1: the addresses belong to nobody
	device Device
	ports  []portSet // by board: the ports whose registers match
}

// survey is a window cut into cells.
type survey struct {
	*space
	c     *Cluster
	cells []cell // by value of joint
	joint ref
}

// newSurvey cuts the window of a valid cluster into cells. A *spec.BoundError says
// that its registers are too entangled for that.
func newSurvey(c *Cluster) (*survey, error) {
	s := &survey{space: newSpace(c.Map.Bits()), c: c}
	owners, err := s.owners()
	if err != nil {
		return nil, err
	}
	// The joint value is built board by board; a value of a stage is a number
	// given to the pair (value of the stage before, set of ports).
	type stage struct {
		before int
		set    portSet
	}
	joint, stages := owners, make([][]stage, len(c.Boards))
	for b, board := range c.Boards {
		f, err := s.portsOf(board)
		if err != nil {
			return nil, err
		}
		numbers := map[stage]int{}
		joint, err = s.pair(joint, f, func(before, set int) int {
			k := stage{before, portSet(set)}
			x, ok := numbers[k]
			if !ok {
				x = len(stages[b])
				numbers[k] = x
				stages[b] = append(stages[b], k)
			}
			return x
		})
		if err != nil {
			return nil, err
		}
	}
	s.joint = joint
	last := len(c.Boards) - 1
	for value := range stages[last] {
		x := cell{ports: make([]portSet, len(c.Boards))}
		for b, v := last, value; b >= 0; b-- {
			k := stages[b][v]
			x.ports[b] = k.set
			if v = k.before; b == 0 {
				x.node, x.device = s.owner(v)
			}
		}
		s.cells = append(s.cells, x)
	}
	return s, nil
}

// portsOf returns the diagram of the set of ports whose registers match at a board.
func (s *survey) portsOf(b Board) (ref, error) {
	return s.matches(b.Registers, func(m []bool) int {
		var set portSet
		for i, yes := range m {
			if yes {
				set |= 1 << b.Registers[i].Port
			}
		}
		return int(set)
	})
}

// owners returns the diagram of whose address it is: 0 nobody's, otherwise 1 +
// node*areas + the number of the device's area.
func (s *survey) owners() (ref, error) {
	var rs []Register
	for i := range s.c.Boards {
		rs = append(rs, s.c.Map.areas(s.c.Map.Base(i))...)
	}
	return s.matches(rs, firstMatch)
}

// owner splits a value of owners.
func (s *survey) owner(value int) (node int, d Device) {
	if value == 0 {
		return -1, 0
	}
	areas := s.c.Map.Areas
	return (value - 1) / len(areas), areas[(value-1)%len(areas)].Device
}

// areas returns the areas of a part that begins at an address, as registers
// that compare all bits.
func (m Map) areas(base uint64) []Register {
	var rs []Register
	for _, a := range m.Areas {
		rs = append(rs, Register{Mask: m.Window - 1, Lower: base + a.Start, Upper: base + a.Start + a.Size - 1})
	}
	return rs
}

// firstMatch returns 1 + the number of the first register that matches, 0 if none does.
func firstMatch(m []bool) int {
	for i, yes := range m {
		if yes {
			return i + 1
		}
	}
	return 0
}

// ways tells apart how the addresses of each node are routed: by node, the
// different vectors of port sets by board, in the order of their lowest
// addresses. At the node itself it makes no difference which device it is.
func (s *survey) ways() [][][]portSet {
	all := make([][][]portSet, len(s.c.Boards))
	seen := map[string]bool{}
	// Pairing visits leaves in the order of addresses, so cells are in that order.
	for _, x := range s.cells {
		if x.node < 0 {
			continue
		}
		way := append([]portSet(nil), x.ports...)
		const local = 1<<North | 1<<Internal
		if way[x.node] != 0 && way[x.node]&^local == 0 {
			way[x.node] = 1 << North
		}
		key := []byte{byte(x.node)}
		for _, set := range way {
			key = append(key, byte(set))
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			all[x.node] = append(all[x.node], way)
		}
	}
	return all
}
