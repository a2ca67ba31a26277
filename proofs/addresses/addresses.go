// Package addresses holds evidence about routing by address, in any system of boards with ports: which address
// arrives where is stated by a table, and a tree of cases or one address shows that all arrive where they belong, or
// that one does not. It is self-contained: no network and no machine needs it.
//
// Boards have ports, cables between ports, and registers that let an address out through a port if, masked, it lies
// between two numbers. Some addresses belong to an area: they must come out at a port of a board, wherever they
// begin; all others must come out nowhere.
//
// A tree of cases proves this for all 2^Bits addresses: it asks for one bit of the address after another until no
// comparison depends on the remaining bits. Then all addresses of the case take the same path, which is followed. The
// check goes through the tree once and searches nothing; the form of the tree, two branches for each bit, guarantees
// that no address is left out. One address at one board refutes it.
//
// What such a table implies about a real system is unchecked.
package addresses

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec/support/lines"
)

// The properties that a table shows: that all addresses arrive where they belong, and that they do so over at most a
// given number of cables.
const (
	Arrive = "addresses"
	Hops   = "hops"
)

// Table is the setup of the boards, and what is claimed about it.
type Table struct {
	Bits      int // of an address, 1 to 62
	Boards    int // 1 to 1024
	Ports     int // of a board, 1 to 64
	Registers []Register
	Cables    []Cable // no port has two
	Areas     []Area  // apart from each other; with cases at least one
	Most      int     // cables on any path

	// Cases shows that all addresses arrive where they belong: in preorder, the
	// number of the bit asked for, followed by the cases in which it is 0, then
	// those in which it is 1; -1 ends a case.
	Cases []int8
	// Fault shows that some address does not; without cases.
	Fault Fault
}

// Register lets the addresses out at a port of a board for which
// Lower <= address & Mask <= Upper.
type Register struct {
	Board, Port        int
	Mask, Lower, Upper uint64
}

// Cable leads from a port to a port, and back.
type Cable struct{ FromBoard, FromPort, ToBoard, ToPort int }

// Area has the addresses First to Last, which are to leave by a port of a
// board without a cable. The board subtracts a number; the result must be LocalFirst
// to LocalLast.
type Area struct {
	Board, Port           int
	First, Last           uint64
	Subtract              uint64
	LocalFirst, LocalLast uint64
}

// Fault is an address that does not arrive where it belongs from a board.
type Fault struct {
	Board   int
	Address uint64
}

// prefix is the set of addresses that have the bits of ones, and any of the
// unknown ones.
type prefix struct{ ones, unknown uint64 }

// Verify checks a table with cases: that every address arrives where it
// belongs; or one with a fault: that this address does not, or only over more
// cables than are allowed. A nil error is the only acceptance. Cases are refused
// without areas, as then nothing is claimed; and so is a fault that a path is too
// long, if Most is 0 and no length is claimed. Each case takes time in proportion
// to registers, areas, and boards times the cables of the longest path.
//
// Soundness: the tree has both branches of every bit that it asks for, so its cases
// cover all addresses, and in each case no comparison depends on the bits left, so one
// path stands for all. Not covered: packets, buffers and time; that the table is that of
// a real system.
func Verify(t *Table) error {
	if t == nil {
		return errors.New("no table")
	}
	wires, err := t.check()
	if err != nil {
		return err
	}
	if len(t.Cases) == 0 {
		if t.Fault.Address>>t.Bits != 0 || t.Fault.Board < 0 || t.Fault.Board >= t.Boards {
			return fmt.Errorf("address %#x at board %d: no such address or board", t.Fault.Address, t.Fault.Board)
		}
		if t.fault(wires, t.Most) == nil || t.Most == 0 && t.fault(wires, t.Boards) == nil {
			return fmt.Errorf("address %#x arrives where it belongs from board %d: no fault",
				t.Fault.Address, t.Fault.Board)
		}
		return nil
	}
	if len(t.Areas) == 0 {
		return errors.New("no device claims any address: nothing is shown")
	}
	rest, err := t.cases(wires, prefix{unknown: 1<<t.Bits - 1}, t.Cases)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%d cases after the last that is needed", len(rest))
	}
	return err
}

// fault says what is wrong with the path of the fault's address, if it may have at
// most that many cables.
func (t *Table) fault(wires []int, most int) error {
	return t.follow(wires, prefix{ones: t.Fault.Address}, most).comes(t.Fault.Board)
}

// Why says which property the fault violates, and what is wrong with the path of
// its address. The table must be one with a fault that [Verify] accepts.
func (t *Table) Why() (property, why string) {
	wires, err := t.check()
	if err == nil {
		err = t.fault(wires, t.Boards) // no path without a cycle is longer
	}
	if err != nil {
		return Arrive, err.Error()
	}
	return Hops, fmt.Sprintf("it arrives where it belongs, but its path has more than %d cables", t.Most)
}

// cases checks the first tree of a list, and returns the rest of the list. A bit asked
// for is known below, so the tree is at most as deep as there are bits.
func (t *Table) cases(wires []int, c prefix, list []int8) ([]int8, error) {
	if len(list) == 0 {
		return nil, errors.New("the list of cases ends too early")
	}
	bit := list[0]
	list = list[1:]
	if bit == -1 {
		w := t.follow(wires, c, t.Most)
		for b := range t.Boards {
			if err := w.comes(b); err != nil {
				return nil, fmt.Errorf("addresses %#x with any of the bits %#x, from board %d: %w",
					c.ones, c.unknown, b, err)
			}
		}
		return list, nil
	}
	if bit < 0 || c.unknown>>bit&1 == 0 {
		return nil, fmt.Errorf("a case splits on bit %d, which is already known or does not exist", bit)
	}
	c.unknown &^= 1 << bit
	list, err := t.cases(wires, c, list)
	if err != nil {
		return nil, err
	}
	c.ones |= 1 << bit
	return t.cases(wires, c, list)
}

// ways are the paths of the addresses of one case.
type ways struct {
	t     *Table
	c     prefix
	wires []int // see check
	most  int   // cables that a path may have

	area  int           // of the addresses; -1: no area's
	ports []int         // by board: where they leave it; -1: nowhere
	fault error         // the area is not the same for all of them
	at    map[int]error // by board: they do not leave it by one port, or by none
}

// follow finds out to which area the addresses of a case belong, and by which port
// they leave each board.
func (t *Table) follow(wires []int, c prefix, most int) *ways {
	w := &ways{t: t, c: c, wires: wires, most: most, area: -1, ports: make([]int, t.Boards), at: map[int]error{}}
	for i, a := range t.Areas {
		in, err := c.liesBetween(^uint64(0), a.First, a.Last)
		if err != nil {
			w.fault = err
			return w
		}
		if in {
			w.area = i
		}
	}
	for b := range w.ports {
		w.ports[b] = -1
	}
	for _, r := range t.Registers {
		in, err := c.liesBetween(r.Mask, r.Lower, r.Upper)
		was := w.ports[r.Board]
		if err == nil && in && was >= 0 && was != r.Port {
			err = fmt.Errorf("registers of ports %d and %d of board %d both let it out", was, r.Port, r.Board)
		}
		switch {
		case err != nil && w.at[r.Board] == nil:
			w.at[r.Board] = err
		case err == nil && in:
			w.ports[r.Board] = r.Port
		}
	}
	return w
}

// comes checks that the addresses arrive where they belong from a board.
func (w *ways) comes(board int) error {
	if w.fault != nil {
		return w.fault
	}
	t := w.t
	for cables := 0; ; cables++ {
		port := w.ports[board]
		switch {
		case w.at[board] != nil:
			return w.at[board]
		case w.area < 0 && port >= 0:
			return fmt.Errorf("an address that no device claims leaves board %d by port %d", board, port)
		case w.area < 0:
			return nil
		case port < 0:
			return fmt.Errorf("no register of board %d lets it out", board)
		}
		a := t.Areas[w.area]
		if board == a.Board && port == a.Port {
			least, most := w.c.ones, w.c.ones|w.c.unknown
			if least < a.Subtract || least-a.Subtract < a.LocalFirst || most-a.Subtract > a.LocalLast {
				const wrong = "what board %d leaves of it after subtracting %#x is not within %#x..%#x"
				return fmt.Errorf(wrong, board, a.Subtract, a.LocalFirst, a.LocalLast)
			}
			return nil
		}
		next := w.wires[board*t.Ports+port]
		switch {
		case next < 0:
			return fmt.Errorf("it leaves board %d by port %d, which is not its own and has no cable", board, port)
		case cables == w.most:
			return fmt.Errorf("its path has more than %d cables", w.most)
		}
		board = next
	}
}

// liesBetween reports whether the addresses, masked, lie between two numbers. It is
// an error if that depends on unknown bits.
func (c prefix) liesBetween(mask, lower, upper uint64) (bool, error) {
	least := c.ones & mask
	most := least | c.unknown&mask
	switch {
	case most < lower || least > upper || lower > upper:
		return false, nil
	case least >= lower && most <= upper:
		return true, nil
	}
	const open = "whether it lies in %#x..%#x with the mask %#x depends on more bits than are known"
	return false, fmt.Errorf(open, lower, upper, mask)
}

// check refuses numbers out of range, and returns where ports lead: the board at
// the other end of the cable, by board and port; -1 without a cable.
func (t *Table) check() (wires []int, err error) {
	switch {
	case t.Bits < 1 || t.Bits > 62:
		return nil, fmt.Errorf("addresses of %d bits: want 1 to 62", t.Bits)
	case t.Boards < 1 || t.Boards > 1024 || t.Ports < 1 || t.Ports > 64:
		return nil, fmt.Errorf("%d boards with %d ports: want 1 to 1024 with 1 to 64", t.Boards, t.Ports)
	case t.Most < 0 || t.Most > t.Boards:
		return nil, fmt.Errorf("paths of at most %d cables: want 0 to %d", t.Most, t.Boards)
	}
	has := func(board, port int) bool { return board >= 0 && board < t.Boards && port >= 0 && port < t.Ports }
	wires = slices.Repeat([]int{-1}, t.Boards*t.Ports)
	for i, r := range t.Registers {
		if !has(r.Board, r.Port) {
			return nil, fmt.Errorf("register %d: no port %d of board %d", i+1, r.Port, r.Board)
		}
	}
	for i, k := range t.Cables {
		if !has(k.FromBoard, k.FromPort) || !has(k.ToBoard, k.ToPort) {
			return nil, fmt.Errorf("cable %d: a port does not exist", i+1)
		}
		from, to := k.FromBoard*t.Ports+k.FromPort, k.ToBoard*t.Ports+k.ToPort
		if from == to || wires[from] >= 0 || wires[to] >= 0 {
			return nil, fmt.Errorf("cable %d: a port already has a cable", i+1)
		}
		wires[from], wires[to] = k.ToBoard, k.FromBoard
	}
	for i, a := range t.Areas {
		switch {
		case !has(a.Board, a.Port) || wires[a.Board*t.Ports+a.Port] >= 0:
			return nil, fmt.Errorf("area %d: no port %d of board %d, or the port has a cable", i+1, a.Port, a.Board)
		case a.First > a.Last || a.Last>>t.Bits != 0:
			return nil, fmt.Errorf("area %d: invalid range %#x..%#x: want FIRST..LAST within the address space",
				i+1, a.First, a.Last)
		}
	}
	byFirst := slices.SortedFunc(slices.Values(t.Areas), func(a, b Area) int { return cmp.Compare(a.First, b.First) })
	for i := 1; i < len(byFirst); i++ { // neighbours that are apart leave all apart
		if a, b := byFirst[i-1], byFirst[i]; b.First <= a.Last {
			return nil, fmt.Errorf("the areas from %#x and from %#x have addresses in common", a.First, b.First)
		}
	}
	return wires, nil
}

// The written form of a table; numbers are decimal, addresses hexadecimal:
//
//	unknot-addresses 1
//	bits COUNT
//	boards COUNT PORTS
//	most CABLES
//	registers COUNT
//	BOARD PORT MASK LOWER UPPER
//	cables COUNT
//	BOARD PORT BOARD PORT
//	areas COUNT
//	BOARD PORT FIRST LAST SUBTRACT LOCALFIRST LOCALLAST
//	cases COUNT                    0 for a fault
//	BIT BIT ...                    32 a line, - for -1
//	fault BOARD ADDRESS            without cases
//	end
const perLine = 32 // cases

const firstLine = "unknot-addresses 1"

// Read reads the written form. Memory is bounded by the text. Errors
// are *spec.PosError with the given file name.
func Read(file string, r io.Reader) (*Table, error) {
	l := lines.New(file, r, firstLine)
	t := &Table{Bits: l.Numbers("bits", 1)[0]}
	size := l.Numbers("boards", 2)
	t.Boards, t.Ports, t.Most = size[0], size[1], l.Numbers("most", 1)[0]
	rows(l, "registers", 2, 3, func(n []int, a []uint64) {
		t.Registers = append(t.Registers, Register{n[0], n[1], a[0], a[1], a[2]})
	})
	rows(l, "cables", 4, 0, func(n []int, _ []uint64) {
		t.Cables = append(t.Cables, Cable{n[0], n[1], n[2], n[3]})
	})
	rows(l, "areas", 2, 5, func(n []int, a []uint64) {
		t.Areas = append(t.Areas, Area{n[0], n[1], a[0], a[1], a[2], a[3], a[4]})
	})
	count := l.Numbers("cases", 1)[0]
	for len(t.Cases) < count && l.Err() == nil {
		words := strings.Split(l.ReadLine(), " ")
		if len(words) != min(perLine, count-len(t.Cases)) {
			l.Fail("want %d cases in this line", min(perLine, count-len(t.Cases)))
		}
		for _, word := range words {
			bit := -1
			if word != "-" {
				bit = l.Number(word, 0, 63)
			}
			t.Cases = append(t.Cases, int8(bit))
		}
	}
	if count == 0 {
		words := strings.Split(l.Field("fault"), " ")
		if len(words) != 2 {
			l.Fail("want \"fault BOARD ADDRESS\" here")
		} else {
			t.Fault = Fault{l.Number(words[0], 0, math.MaxInt), l.Hexadecimal(words[1:])[0]}
		}
	}
	return lines.End(l, t)
}

// rows reads a name with a count, and that number of lines of decimal numbers followed by
// hexadecimal ones.
func rows(l *lines.Reader, name string, decimal, hexadecimal int, row func([]int, []uint64)) {
	for i := l.Numbers(name, 1)[0]; i > 0; i-- { // an error ends them: after it a line has one word
		words := strings.Split(l.ReadLine(), " ")
		if len(words) != decimal+hexadecimal {
			l.Fail("want %d numbers here", decimal+hexadecimal)
			return
		}
		row(l.Integers(words[:decimal]), l.Hexadecimal(words[decimal:]))
	}
}

// Leaves returns how many cases there are, 0 with a fault.
func (t *Table) Leaves() int { return (len(t.Cases) + 1) / 2 }
