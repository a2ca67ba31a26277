// Package peach2, internal to unknot, models the communication boards of the Tightly Coupled
// Accelerators architecture, after Hanawa, Kodama, Boku and Sato: Preliminary Evaluation of a
// Communication Mechanism for the Tightly Coupled Accelerators Architecture (in Japanese).
//
// A board has four PCI Express ports. N leads to the board's host, E and W join the
// boards into a ring, S joins two rings. A window of the PCI Express address space, 512
// GB, is split among the nodes; every board decides by address alone through which port
// a packet leaves, with a list of registers (mask, lower, upper) for each port. There
// is no translation table: a board only subtracts its own offset from an address that
// it hands to its host.
//
// A [Cluster] holds all of this: the map of addresses, boards with their registers, cables.
// It comes from [Generate] or from a file ([Read], [Write]). [Inspect] decides over the
// whole window, without enumerating it, whether every address takes one port at every
// board and gets where it belongs. [New] is the network for the checker. The machine of
// hosts that write and read, packet by packet, with the ordering rules of PCI Express,
// is peach2-reads.star.
//
// The paper leaves open the sizes of the devices' areas within a node's part (quarters
// here), the tie rule at distance n/2, whether a packet first takes its ring or S, which
// boards are coupled, and the buffers (here one packet for each link and class,
// store-and-forward). The model makes each of them a parameter or states the assumption.
package peach2

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// Port is a port of a board, or its inside.
type Port uint8

const (
	North    Port = iota // to the board's host and, through it, to the GPUs
	East                 // to the west port of the next board of the ring
	West                 // to the east port of the previous board
	South                // to the south port of a board of the other ring
	Internal             // into the board itself
	ports
)

var portNames = [ports]string{"N", "E", "W", "S", "I"}

// String returns N, E, W, S or I.
func (p Port) String() string { return portNames[p] }

// ParsePort reads what [Port.String] writes.
func ParsePort(s string) (Port, bool) {
	p := slices.Index(portNames[:], s)
	return Port(p), p >= 0
}

// Role is what a PCI Express port is to the port at the other end of its link:
// one must be the root complex, the other one the endpoint.
type Role uint8

const (
	RootComplex Role = iota
	Endpoint
)

var roleNames = [...]string{"rc", "ep"}

// String returns "rc" or "ep".
func (r Role) String() string { return roleNames[r] }

// ParseRole reads what [Role.String] writes.
func ParseRole(s string) (Role, bool) {
	r := slices.Index(roleNames[:], s)
	return Role(r), r >= 0
}

// Device is an addressable part of a node.
type Device uint8

const (
	HostMemory Device = iota
	GPU0
	GPU1
	BoardMemory // inside the PEACH2 chip and its SDRAM
	devices
)

var deviceNames = [devices]string{"host", "gpu0", "gpu1", "internal"}

// String returns "host", "gpu0", "gpu1" or "internal".
func (d Device) String() string { return deviceNames[d] }

// Port returns the port through which a board reaches a device of its own node.
func (d Device) Port() Port {
	if d == BoardMemory {
		return Internal
	}
	return North
}

// Area is where a device lies within the part of its node: addresses
// Start..Start+Size-1, counted from the beginning of the part.
type Area struct {
	Device      Device
	Start, Size uint64
}

// Map is the map of addresses that all nodes share. Node i has the addresses
// i*Part..(i+1)*Part-1 of the window 0..Window-1.
type Map struct {
	Window uint64 // bytes, a power of two; the machine has 1<<39
	Part   uint64 // bytes, a power of two
	Areas  []Area // ascending and disjoint, within the part
}

// Base returns the first address of a node.
func (m Map) Base(node int) uint64 { return uint64(node) * m.Part }

// Bits returns the number of bits of an address.
func (m Map) Bits() int { return bits.TrailingZeros64(m.Window) }

// Register sends through a port the addresses for which Lower <= address & Mask <= Upper.
type Register struct {
	Port               Port
	Mask, Lower, Upper uint64
}

// Match reports whether the register matches the address.
func (r Register) Match(address uint64) bool {
	a := address & r.Mask
	return r.Lower <= a && a <= r.Upper
}

// Board is the set-up of one board.
type Board struct {
	Offset    uint64 // subtracted from addresses that leave by N
	South     Role   // of port S
	Registers []Register
}

// Role returns the role of a port: N and E are endpoints, W is a root complex, that of
// S can be selected. Internal has no role and counts as an endpoint.
func (b Board) Role(p Port) Role {
	switch p {
	case West:
		return RootComplex
	case South:
		return b.South
	}
	return Endpoint
}

// Jack is a port of a board.
type Jack struct {
	Board int
	Port  Port
}

// String returns the board's number and the port's name, such as "3.E".
func (j Jack) String() string { return fmt.Sprintf("%d.%s", j.Board, j.Port) }

// Cable joins two jacks, by a link each way. If Dateline is set, each link has a second
// set of VCs, for packets that have passed such a cable.
type Cable struct {
	A, B     Jack
	Dateline bool
}

// Cluster is a set of boards with their cables, a mini-cluster in the paper.
type Cluster struct {
	Map    Map
	Boards []Board
	Cables []Cable
}

// mostBoards bounds a cluster; the machine's have 8 to 16 boards.
const mostBoards = 64

// Validate checks everything that does not depend on how addresses are routed: the map,
// the ranges of numbers, and the cables. Its errors are those of [Map.Validate] and
// [Cluster.CheckCable].
func (c *Cluster) Validate() error {
	if err := c.Map.Validate(len(c.Boards)); err != nil {
		return err
	}
	used := map[Jack]int{}
	for i := range c.Cables {
		if err := c.CheckCable(i, used); err != nil {
			return err
		}
	}
	return nil
}

// Validate checks a map for a number of nodes.
func (m Map) Validate(nodes int) error {
	if err := m.checkSizes(); err != nil {
		return err
	}
	switch {
	case nodes < 1 || nodes > mostBoards:
		return fmt.Errorf("%d boards: want 1 to %d", nodes, mostBoards)
	case m.Window == 0 || m.Part == 0:
		return fmt.Errorf("a window of %#x bytes with parts of %#x: want powers of two", m.Window, m.Part)
	case uint64(nodes) > m.Window/m.Part:
		return fmt.Errorf("%d parts of %#x bytes do not fit into a window of %#x", nodes, m.Part, m.Window)
	case len(m.Areas) == 0:
		return errors.New("no device has an address range")
	}
	end := uint64(0)
	for _, a := range m.Areas {
		switch {
		case a.Device >= devices:
			return fmt.Errorf("device %d does not exist", a.Device)
		case a.Size == 0 || a.Size > m.Part || a.Start > m.Part-a.Size:
			return fmt.Errorf("%s at %#x with %#x bytes does not lie within a part of %#x",
				a.Device, a.Start, a.Size, m.Part)
		case a.Start < end:
			return fmt.Errorf("%s at %#x begins before the previous device ends, at %#x", a.Device, a.Start, end)
		}
		end = a.Start + a.Size
	}
	return nil
}

// checkSizes checks the sizes of window and part; one that is 0 is left for later.
func (m Map) checkSizes() error {
	power := func(x uint64) bool { return bits.OnesCount64(x) == 1 }
	switch {
	case m.Window != 0 && (!power(m.Window) || m.Window < 2 || m.Window > 1<<62):
		return fmt.Errorf("a window of %#x bytes: want a power of two from 0x2 to %#x", m.Window, uint64(1)<<62)
	case m.Part != 0 && !power(m.Part):
		return fmt.Errorf("a part of %#x bytes: want a power of two", m.Part)
	case m.Window != 0 && m.Part > m.Window:
		return fmt.Errorf("a part of %#x bytes does not fit into a window of %#x", m.Part, m.Window)
	}
	return nil
}

// CheckCable checks cable i: its boards exist, its ports take cables and are not in
// used, and it joins a root complex and an endpoint. It adds the cable's jacks to used.
func (c *Cluster) CheckCable(i int, used map[Jack]int) error {
	k := c.Cables[i]
	for _, j := range [...]Jack{k.A, k.B} {
		if j.Board < 0 || j.Board >= len(c.Boards) {
			return fmt.Errorf("cable %s-%s: no board %d: boards are numbered 0 to %d",
				k.A, k.B, j.Board, len(c.Boards)-1)
		}
		if j.Port != East && j.Port != West && j.Port != South {
			return fmt.Errorf("cable %s-%s: port %s takes no cable, only E, W and S do", k.A, k.B, j.Port)
		}
		if other, taken := used[j]; taken {
			return fmt.Errorf("cable %s-%s: port %s already has the cable %s-%s",
				k.A, k.B, j, c.Cables[other].A, c.Cables[other].B)
		}
		used[j] = i
	}
	if k.A.Board == k.B.Board {
		return fmt.Errorf("cable %s-%s joins a board with itself", k.A, k.B)
	}
	if a, b := c.Boards[k.A.Board].Role(k.A.Port), c.Boards[k.B.Board].Role(k.B.Port); a == b {
		return &RoleError{k, a}
	}
	return nil
}

// RoleError says that a cable joins two root complexes or two endpoints.
type RoleError struct {
	Cable Cable
	Role  Role // of both ends
}

func (e *RoleError) Error() string {
	return fmt.Sprintf("cable %s-%s joins %s and %s: a PCI Express link needs a root complex (rc) and an endpoint (ep)",
		e.Cable.A, e.Cable.B, e.Role, e.Role)
}

// wiring lists where each port of a board leads.
type wiring [][ports]far

type far struct {
	jack     Jack // at the other end
	dateline bool
	ok       bool
}

func (c *Cluster) wiring() wiring {
	w := make(wiring, len(c.Boards))
	for _, k := range c.Cables {
		w[k.A.Board][k.A.Port] = far{k.B, k.Dateline, true}
		w[k.B.Board][k.B.Port] = far{k.A, k.Dateline, true}
	}
	return w
}
