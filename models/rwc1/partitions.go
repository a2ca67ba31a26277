package rwc1

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Blocks is a way to cut the nodes into partitions. The paper cuts them "by the bit
// pattern of y and z, into powers of two", which is Aligned or AnyBits. It has
// registers that control the partition; a user packet that would leave against them is
// treated as an error, the paper does not say how. They are not modelled, as only
// packets that are sent outside leave. The coordinates are y, and z
// if the topology has it, of n bits each; x, the place within a ring, is not divided
// unless the name says so.
type Blocks uint8

const (
	// Aligned: 2^k successive values of each coordinate, beginning at a multiple of
	// 2^k; k may differ between coordinates.
	Aligned Blocks = iota
	// AnyBits: nodes with the same values of some bits, any bits.
	AnyBits
	// Unaligned: 2^k successive values of each coordinate, beginning anywhere.
	Unaligned
	// CutX: aligned blocks of x, y and z: rings are divided, too.
	CutX
)

// BlockNames are the names of the ways to cut, in order.
var BlockNames = []string{"aligned", "bits", "unaligned", "cut-x"}

// mostRegionNodes bounds the nodes of all partitions together.
const mostRegionNodes = 1 << 22

// Regions lists the partitions of a kind, each by its nodes, ascending. It fails
// if they have more than 2^22 nodes in all.
func Regions(o Options, b Blocks) ([][]spec.NodeID, error) {
	def, err := routersOf(o)
	if err != nil {
		return nil, err
	}
	regions := [][]spec.NodeID{nil}
	for v := range spec.NodeID(def.Topology.Nodes()) {
		regions[0] = append(regions[0], v)
	}
	for i := range 1 + o.dims() {
		var cut [][]spec.NodeID
		total := 0
		for _, region := range regions {
			for _, part := range b.parts(o.N, i) {
				inside := slices.DeleteFunc(slices.Clone(region),
					func(v spec.NodeID) bool { return !part(def.Topology.Node(v).At[i]) })
				cut = append(cut, inside)
				if total += len(inside); total > mostRegionNodes {
					return nil, fmt.Errorf("partitions of more than %d nodes in all", mostRegionNodes)
				}
			}
		}
		regions = cut
	}
	return regions, nil
}

// parts lists the sets that a partition may take from one coordinate: x, the first,
// which has n values, or another, which has n bits.
func (b Blocks) parts(n, coordinate int) (all []func(v int) bool) {
	blocks := func(size, step, values int) {
		for first := 0; first+size <= values; first += step {
			all = append(all, func(v int) bool { return first <= v && v < first+size })
		}
	}
	switch values := 1 << n; {
	case coordinate == 0:
		blocks(n, n, n)
		for size := 1; b == CutX && size < n; size *= 2 {
			blocks(size, size, n)
		}
	case b == AnyBits:
		for mask := range values {
			for value := range values {
				if value&^mask == 0 {
					all = append(all, func(v int) bool { return v&mask == value })
				}
			}
		}
	default:
		for size := 1; size <= values; size *= 2 {
			step := size
			if b == Unaligned {
				step = 1
			}
			blocks(size, step, values)
		}
	}
	return all
}
