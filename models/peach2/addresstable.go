package peach2

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// WriteTable writes the findings of [Inspect] for an independent program: the registers,
// cables and areas as a table with cases (see AddressTable of package answers) or, without
// cases, with an address that is faulty at a board. most is the greatest number of cables
// on a path.
func WriteTable(w io.Writer, c *Cluster, most int, cases Cases, fault Fault) error {
	b := bufio.NewWriter(w)
	registers := 0
	for _, board := range c.Boards {
		registers += len(board.Registers)
	}
	fmt.Fprintf(b, "unknot-addresses 1\nbits %d\nboards %d %d\nmost %d\nregisters %d\n",
		c.Map.Bits(), len(c.Boards), ports, most, registers)
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
			// No offset is subtracted from addresses that stay inside a board.
			first, subtract := c.Map.Base(i)+a.Start, uint64(0)
			local := first
			if a.Device.Port() == North {
				subtract, local = board.Offset, a.Start
			}
			fmt.Fprintf(b, "%d %d %x %x %x %x %x\n", i, a.Device.Port(), first, first+a.Size-1, subtract, local,
				local+a.Size-1)
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
