package sharing_test

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/proofs/sharing"
)

// Three message classes share at most two sets of VCs in four ways. The list has the set of each class.
func ExampleAll() {
	for way := range sharing.All(3, 2) {
		fmt.Println(way)
	}
	// Output:
	// [0 0 0]
	// [0 0 1]
	// [0 1 0]
	// [0 1 1]
}
