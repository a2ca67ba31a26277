package peach2

import (
	"fmt"
	"slices"
)

// Kind says what is wrong with some addresses at a board.
type Kind uint8

const (
	// Gap: an address of a node matches no port.
	Gap Kind = iota
	// Overlap: an address matches two ports or more.
	Overlap
	// Stray: an address that belongs to no device matches a port.
	Stray
	// WrongNode: a board passes an address to its host or keeps it, although it
	// belongs to another node.
	WrongNode
	// WrongDevice: the right board passes to its host an address inside the board, or
	// keeps one of the host's; or the host has another device at the address after
	// subtraction.
	WrongDevice
	// Unconnected: an address leaves by a port that has no cable.
	Unconnected
	// Cycle: an address comes back to the board without having arrived.
	Cycle
	// Outside: after subtraction of the offset an address lies outside the host's part:
	// below 0 or beyond its end.
	Outside
	kinds
)

var kindNames = [kinds]string{
	"gap", "overlap", "stray", "wrong node", "wrong device", "unconnected", "cycle", "outside",
}

// String returns the kind's name in words, such as "wrong node".
func (k Kind) String() string { return kindNames[k] }

// Fault says what is wrong with which addresses at a board.
type Fault struct {
	Board int
	Kind  Kind
	First uint64 // the lowest of these addresses
	Count uint64 // of these addresses in the whole window
}

// String is a sentence such as "board 3, gap: 0x100 and so on, 256 addresses in all".
func (f Fault) String() string {
	return fmt.Sprintf("board %d, %s: %#x and so on, %d addresses in all", f.Board, f.Kind, f.First, f.Count)
}

// Inspection is the result for all addresses at all boards.
type Inspection struct {
	Faults    []Fault // by board, then by kind; none: the registers are right
	Owned     uint64  // addresses of some device of some node
	Unowned   uint64  // the rest of the window
	Cases     Cases   // the tree of cases, in each of which every comparison is settled
	Registers int     // of all boards
	Longest   int     // the longest list of registers of one port
}

// Inspect decides for every address of the window, at every board of a valid cluster,
// that it matches exactly one port if it belongs to a node and none if it does not;
// that from every board it reaches its own node and there its own device; that
// subtracting the offset leaves it within the host's part, at the same device. The
// first address and the number of addresses of each fault are exact. If the registers
// are too entangled for that, the error is a *spec.BoundError.
//
// An address with a gap or an overlap at some board is followed no further there.
func Inspect(c *Cluster) (*Inspection, error) {
	_, in, err := surveyed(c)
	return in, err
}

func surveyed(c *Cluster) (*survey, *Inspection, error) {
	if err := c.Validate(); err != nil {
		return nil, nil, err
	}
	s, err := newSurvey(c)
	if err != nil {
		return nil, nil, err
	}
	return s, s.inspect(), nil
}

// faultless returns how the addresses of all nodes are routed, see survey.routes; each is
// a single port at every board, and leads to the node. It fails if there are faults.
func faultless(c *Cluster) ([][][]portSet, error) {
	s, in, err := surveyed(c)
	if err != nil {
		return nil, err
	}
	if len(in.Faults) > 0 {
		return nil, fmt.Errorf("the registers are faulty: %s", in.Faults[0])
	}
	return s.routes(), nil
}

func (s *survey) inspect() *Inspection {
	c, w := s.c, s.c.wiring()
	in := &Inspection{Cases: s.cases}
	in.countRegisters(c)
	found := make([][kinds]Fault, len(c.Boards))
	for i := range s.cells {
		x := &s.cells[i]
		if x.node >= 0 {
			in.Owned += x.count()
		}
		for b, set := range x.faults(w) {
			for k := range kinds {
				if f := &found[b][k]; set.has(k) {
					if f.Count == 0 {
						*f = Fault{Board: b, Kind: k, First: x.ones}
					}
					f.Count += x.count()
				}
			}
		}
	}
	in.Unowned = c.Map.Window - in.Owned
	for _, of := range found {
		for _, f := range of {
			if f.Count > 0 {
				in.Faults = append(in.Faults, f)
			}
		}
	}
	return in
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

// faults lists, by board, the faults of the addresses of a cell.
func (x *cell) faults(w wiring) []kindSet {
	wrong := make([]kindSet, len(x.ports))
	next := make([]int, len(x.ports)) // the board to which the packet goes; -1: none
	for b, set := range x.ports {
		next[b] = -1
		if set.len() != 1 || x.node < 0 {
			wrong[b] = Overlap.when(set.len() > 1) | Stray.when(set.len() == 1) | Gap.when(set == 0 && x.node >= 0)
			continue
		}
		switch p := set.lowest(); {
		case (p == North || p == Internal) && b != x.node:
			wrong[b] = WrongNode.when(true)
		case p == North: // in the host's part, which begins at 0, devices lie as in the map
			out, own := x.left == outside, x.device.Port() == North
			wrong[b] = Outside.when(out) | WrongDevice.when(!own || !out && x.left != x.device)
		case p == Internal:
			wrong[b] = WrongDevice.when(p != x.device.Port())
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
