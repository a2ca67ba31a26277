package write

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/seed-105a2da2/unknot/proofs/addresses"
	"github.com/seed-105a2da2/unknot/proofs/answers"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
)

// Cycle writes a cycle, with comments in the names of n.
func Cycle(w io.Writer, n *spec.Network, c *answers.Cycle) error {
	b, comments := bufio.NewWriter(w), evidence.Cycle{Network: n, Cycle: c}.Comments()
	fmt.Fprintf(b, "unknot-cycle 1\nnetwork %s\n", c.Network)
	for i, s := range c.Sites {
		h := s.Header
		fmt.Fprintf(b, "site %d %d %d %d # %s\n", s.Channel, h.Dest, h.Class, h.Tag, comments[i])
	}
	b.WriteString("end\n")
	return b.Flush()
}

// Regions writes regions.
func Regions(w io.Writer, r *answers.RegionSet) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "unknot-regions 1\nnetwork %s\nregions %d\n", r.Network, len(r.Regions))
	nodes := func(list []spec.NodeID) {
		for i, v := range list {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(strconv.Itoa(int(v)))
		}
		b.WriteByte('\n')
	}
	for _, region := range r.Regions {
		nodes(region)
	}
	if r.Way != nil {
		fmt.Fprintf(b, "way %d %d ", r.Target.Dest, r.Target.Class)
		nodes(r.Way)
	}
	b.WriteString("end\n")
	return b.Flush()
}

// Addresses writes a table of addresses.
func Addresses(w io.Writer, t *addresses.Table) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "unknot-addresses 1\nbits %d\nboards %d %d\nmost %d\nregisters %d\n",
		t.Bits, t.Boards, t.Ports, t.Most, len(t.Registers))
	for _, r := range t.Registers {
		fmt.Fprintf(b, "%d %d %x %x %x\n", r.Board, r.Port, r.Mask, r.Lower, r.Upper)
	}
	fmt.Fprintf(b, "cables %d\n", len(t.Cables))
	for _, k := range t.Cables {
		fmt.Fprintf(b, "%d %d %d %d\n", k.FromBoard, k.FromPort, k.ToBoard, k.ToPort)
	}
	fmt.Fprintf(b, "areas %d\n", len(t.Areas))
	for _, a := range t.Areas {
		fmt.Fprintf(b, "%d %d %x %x %x %x %x\n", a.Board, a.Port, a.First, a.Last, a.Subtract,
			a.LocalFirst, a.LocalLast)
	}
	fmt.Fprintf(b, "cases %d\n", len(t.Cases))
	for i, bit := range t.Cases {
		word := "-"
		if bit >= 0 {
			word = strconv.Itoa(int(bit))
		}
		end := " "
		if i%perLine == perLine-1 || i == len(t.Cases)-1 {
			end = "\n"
		}
		b.WriteString(word + end)
	}
	if len(t.Cases) == 0 {
		fmt.Fprintf(b, "fault %d %x\n", t.Fault.Board, t.Fault.Address)
	}
	b.WriteString("end\n")
	return b.Flush()
}
