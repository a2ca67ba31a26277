package addresses_test

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/proofs/addresses"
)

// One board has addresses of two bits. Those below 2 belong to port 0, and the register lets them out there: they are those
// whose bit 1 is 0. So the tree asks for bit 1, and each of the two cases ends at once. Without that question it is not
// known whether the register lets an address out.
func ExampleVerify() {
	t := &addresses.Table{
		Bits: 2, Boards: 1, Ports: 1,
		Registers: []addresses.Register{{Mask: 2, Lower: 0, Upper: 0}},
		Areas:     []addresses.Area{{First: 0, Last: 1, LocalLast: 1}},
		Cases:     []int8{1, -1, -1},
	}
	fmt.Println(addresses.Verify(t))
	t.Cases = []int8{-1}
	fmt.Println(addresses.Verify(t) != nil)
	// Output:
	// <nil>
	// true
}
