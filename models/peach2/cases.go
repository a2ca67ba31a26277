package peach2

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strconv"
)

// What [Inspect] finds, written for a program that knows nothing of it: the
// registers, cables and areas as tables, and cases by bits of the address in
// which every comparison is settled (see AddressTable of package proofs), or one
// address that is faulty.

// Cases is a tree of cases over the bits of an address, in preorder: the bit that
// is asked for, -1 where a case ends.
type Cases []int8

// mostCases bounds a tree. Registers that compare scattered bits can need as many
// cases as there are addresses.
const mostCases = 1 << 18

// errTooManyCases says that a tree was given up.
var errTooManyCases = errors.New("the registers take too many cases")

// comparison is whether an address, masked, lies between two numbers.
type comparison struct{ mask, lower, upper uint64 }

// open returns the highest bit that the comparison depends on for addresses with
// the bits of ones and any of the unknown bits, -1 if it depends on none.
func (x comparison) open(ones, unknown uint64) int {
	least := ones & x.mask
	most := least | unknown&x.mask
	if most < x.lower || least > x.upper || x.lower > x.upper || least >= x.lower && most <= x.upper {
		return -1
	}
	return bits.Len64(unknown&x.mask) - 1
}

// CasesOf cuts the window into cases in which no register and no area depends on
// the bits that are left. It fails with more than 2^18 of them. Time: cases times
// the comparisons that are open, at most all.
func CasesOf(c *Cluster) (Cases, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	var all []comparison
	for i, b := range c.Boards {
		for _, r := range append(c.Map.areas(c.Map.Base(i)), b.Registers...) {
			all = append(all, comparison{r.Mask, r.Lower, r.Upper})
		}
	}
	var tree Cases
	var cut func(ones, unknown uint64, open []comparison) error
	cut = func(ones, unknown uint64, open []comparison) error {
		highest := -1
		var left []comparison
		for _, x := range open {
			if bit := x.open(ones, unknown); bit >= 0 {
				left = append(left, x)
				highest = max(highest, bit)
			}
		}
		if len(tree) >= 2*mostCases {
			return errTooManyCases
		}
		tree = append(tree, int8(highest))
		if highest < 0 {
			return nil
		}
		if err := cut(ones, unknown&^(1<<highest), left); err != nil {
			return err
		}
		return cut(ones|1<<highest, unknown&^(1<<highest), left)
	}
	return tree, cut(0, c.Map.Window-1, all)
}

// WriteTable writes the cluster as a table of addresses with cases, or without
// cases with an address that is faulty at a board. most is the largest number of
// cables on a way.
func WriteTable(w io.Writer, c *Cluster, most int, cases Cases, fault Fault) error {
	b := bufio.NewWriter(w)
	registers := 0
	for _, board := range c.Boards {
		registers += len(board.Registers)
	}
	fmt.Fprintf(b, "unknot-addresses 1\nbits %d\nboards %d %d\nmost %d\nregisters %d\n", c.Map.Bits(), len(c.Boards), ports, most, registers)
	for i, board := range c.Boards {
		for _, r := range board.Registers {
			fmt.Fprintf(b, "%d %d %x %x %x\n", i, r.Port, r.Mask, r.Lower, r.Upper)
		}
	}
	fmt.Fprintf(b, "cables %d\n", len(c.Cables))
	for _, k := range c.Cables {
		fmt.Fprintf(b, "%d %d %d %d\n", k.A.Board, k.A.Port, k.B.Board, k.B.Port)
	}
	fmt.Fprintf(b, "areas %d\n", len(c.Boards)*len(c.Map.Areas))
	for i, board := range c.Boards {
		for _, a := range c.Map.Areas {
			// What stays inside a board is not subtracted from.
			first, subtract := c.Map.Base(i)+a.Start, uint64(0)
			local := first
			if a.Device.Port() == North {
				subtract, local = board.Offset, a.Start
			}
			fmt.Fprintf(b, "%d %d %x %x %x %x %x\n", i, a.Device.Port(), first, first+a.Size-1, subtract, local, local+a.Size-1)
		}
	}
	fmt.Fprintf(b, "cases %d\n", len(cases))
	const perLine = 32
	for i, bit := range cases {
		word := "-"
		if bit >= 0 {
			word = strconv.Itoa(int(bit))
		}
		end := " "
		if i%perLine == perLine-1 || i == len(cases)-1 {
			end = "\n"
		}
		b.WriteString(word + end)
	}
	if len(cases) == 0 {
		fmt.Fprintf(b, "fault %d %x\n", fault.Board, fault.First)
	}
	b.WriteString("end\n")
	return b.Flush()
}
