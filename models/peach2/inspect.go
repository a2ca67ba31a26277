package peach2

import (
	"cmp"
	"fmt"
	"slices"
)

// Kind is what is wrong with some addresses at a board.
type Kind uint8

const (
	// Gap: an address of a node matches no port.
	Gap Kind = iota
	// Overlap: an address matches two ports or more.
	Overlap
	// Stray: an address that belongs to nobody matches a port.
	Stray
	// WrongNode: a board hands an address to its host or keeps it, but it
	// belongs to another node.
	WrongNode
	// WrongDevice: the right board hands an address to its host that is inside
	// the board, or keeps one that is the host's; or the host has another device
	// at what is left of the address after subtraction.
	WrongDevice
	// Unconnected: an address leaves by a port that has no cable.
	Unconnected
	// Cycle: an address comes back to the board without having arrived.
	Cycle
	// Outside: after subtraction of the offset an address lies outside of the
	// host's part: below 0 or beyond its end.
	Outside
	kinds
)

var kindNames = [kinds]string{"gap", "overlap", "stray", "wrong node", "wrong device", "unconnected", "cycle", "outside"}

// String returns the kind's name in words, such as "wrong node".
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return "kind(?)"
}

// Fault says what is wrong with which addresses at a board.
type Fault struct {
	Board       int
	Kind        Kind
	First, Last uint64 // the first run of these addresses, as long as possible
	Count       uint64 // of these addresses in the whole window
}

// String is a sentence such as "board 3, gap: 0x100..0x1ff (256 addresses in all)".
func (f Fault) String() string {
	return fmt.Sprintf("board %d, %s: %#x..%#x (%d addresses in all)", f.Board, f.Kind, f.First, f.Last, f.Count)
}

// Inspection is what was found out about all addresses at all boards.
type Inspection struct {
	Faults    []Fault // by board, then by kind; none: everything is as it should be
	Owned     uint64  // addresses of some device of some node
	Unowned   uint64  // the rest of the window
	Cells     int     // sets of addresses that differ in owner or in their way
	Registers int     // of all boards
	Longest   int     // the longest list of registers of one port
}

// Inspect decides about every address of the window at every board of a valid
// cluster: that it matches exactly one port if it belongs to a node and none if
// it does not; that from every board it gets to its own node and there to its
// own device; that subtracting the offset leaves it within the host's part, at
// the same device. The first address and the number of addresses of each fault
// are exact. Registers too entangled for that end in a *spec.BoundError.
//
// An address with a gap or an overlap at some board is followed no further there.
func Inspect(c *Cluster) (*Inspection, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	s, err := newSurvey(c)
	if err != nil {
		return nil, err
	}
	return s.inspect()
}

// faultless returns the ways of all nodes' addresses, see survey.ways, all of
// which are single ports that lead to the node. It fails if there are faults.
func faultless(c *Cluster) ([][][]portSet, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	s, err := newSurvey(c)
	if err != nil {
		return nil, err
	}
	in, err := s.inspect()
	if err != nil {
		return nil, err
	}
	if len(in.Faults) > 0 {
		return nil, fmt.Errorf("the registers are faulty: %s", in.Faults[0])
	}
	return s.ways(), nil
}

func (s *survey) inspect() (*Inspection, error) {
	c := s.c
	in := &Inspection{Cells: len(s.cells)}
	in.Owned = s.count(s.joint, func(v int) bool { return s.cells[v].node >= 0 })
	in.Unowned = c.Map.Window - in.Owned
	in.countRegisters(c)

	// What is wrong at a board depends on the cell alone, but for subtraction.
	wrong := make([][]kindSet, len(s.cells))
	there := make([]kindSet, len(c.Boards)) // in some cell
	w := c.wiring()
	for i, x := range s.cells {
		wrong[i] = x.faults(w)
		for b, set := range wrong[i] {
			there[b] |= set
		}
	}
	for b := range c.Boards {
		for k := range kinds {
			if there[b].has(k) {
				in.add(s, b, k, s.joint, func(v int) bool { return wrong[v][b].has(k) })
			}
		}
		if err := in.subtraction(s, b); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(in.Faults, func(x, y Fault) int {
		return cmp.Or(cmp.Compare(x.Board, y.Board), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.First, y.First))
	})
	return in, nil
}

func (in *Inspection) countRegisters(c *Cluster) {
	for _, b := range c.Boards {
		in.Registers += len(b.Registers)
		var list [ports]int
		for _, r := range b.Registers {
			list[r.Port]++
		}
		in.Longest = max(in.Longest, slices.Max(list[:]))
	}
}

// add records the addresses whose value is faulty, if there are any.
func (in *Inspection) add(s *survey, board int, k Kind, f ref, faulty func(v int) bool) {
	first, last, ok := s.interval(f, faulty)
	if !ok {
		return
	}
	in.Faults = append(in.Faults, Fault{board, k, first, last, s.count(f, faulty)})
}

// kindSet is a set of kinds: bit k is set if k is in it.
type kindSet uint8

func (s kindSet) has(k Kind) bool { return s>>k&1 == 1 }

// when is k alone if the condition holds.
func (k Kind) when(condition bool) kindSet {
	if condition {
		return 1 << k
	}
	return 0
}

// faults says, by board, what is wrong with the addresses of a cell.
func (x cell) faults(w wiring) []kindSet {
	wrong := make([]kindSet, len(x.ports))
	next := make([]int, len(x.ports)) // the board that the packet goes to; -1: none
	for b, set := range x.ports {
		next[b] = -1
		if set.len() != 1 || x.node < 0 {
			wrong[b] = Overlap.when(set.len() > 1) | Stray.when(set.len() == 1) | Gap.when(set == 0 && x.node >= 0)
			continue
		}
		switch p := set.first(); {
		case p == North || p == Internal:
			wrong[b] = WrongNode.when(b != x.node) | WrongDevice.when(b == x.node && p != x.device.Port())
		case !w[b][p].ok:
			wrong[b] = Unconnected.when(true)
		default:
			next[b] = w[b][p].jack.Board
		}
	}
	for b := range next {
		at := next[b]
		for range next {
			if at < 0 || at == b {
				break
			}
			at = next[at]
		}
		wrong[b] |= Cycle.when(at == b)
	}
	return wrong
}

// subtraction checks what is left of the addresses that a board hands to its own
// host: the host has, at the same places as the map, a part that begins at 0.
func (in *Inspection) subtraction(s *survey, board int) error {
	const (
		outside = iota
		nothing // inside, but no device there
		device  // + its number
	)
	m, offset := s.c.Map, s.c.Boards[board].Offset
	var rs []Register
	if offset < m.Window {
		rs = append(m.areas(offset), Register{Mask: m.Window - 1, Lower: offset, Upper: offset + m.Part - 1})
	}
	left, err := s.matches(rs, func(match []bool) int {
		switch i := firstMatch(match); {
		case i == 0:
			return outside
		case i == len(match):
			return nothing
		default:
			return device + int(m.Areas[i-1].Device)
		}
	})
	if err != nil {
		return err
	}
	const fine, isOutside, isOther = 0, 1, 2
	f, err := s.pair(s.joint, left, func(v, left int) int {
		x := s.cells[v]
		switch {
		case x.node != board || x.ports[board] != 1<<North:
			return fine
		case left == outside:
			return isOutside
		case left != device+int(x.device) && x.device.Port() == North:
			return isOther
		}
		return fine
	})
	if err != nil {
		return err
	}
	in.add(s, board, Outside, f, func(v int) bool { return v == isOutside })
	in.add(s, board, WrongDevice, f, func(v int) bool { return v == isOther })
	return nil
}
