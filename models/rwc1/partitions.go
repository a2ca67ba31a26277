package rwc1

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
)

// Blocks is a way to cut the nodes into partitions. The paper has them cut "by the
// bit pattern of y and z, into powers of two", which is Aligned or AnyBits, and
// has registers that report a user packet that would leave its partition: they are
// not modelled, as none leaves but what is sent outside. Coordinates are y, and z if
// the topology has it, of n bits each; x, the place within a ring, is not
// divided unless the name says so.
type Blocks uint8

const (
	// Aligned: 2^k successive values of each coordinate, from a multiple of
	// 2^k on; k may differ from coordinate to coordinate.
	Aligned Blocks = iota
	// AnyBits: nodes with the same values of some bits, any bits.
	AnyBits
	// Unaligned: 2^k successive values of each coordinate, from any value on.
	Unaligned
	// CutX: aligned blocks of x, y and z: rings are divided, too.
	CutX
)

// BlockNames are the names of the ways to cut, in order.
var BlockNames = []string{"aligned", "bits", "unaligned", "cut-x"}

// cut knows the partitions of one kind.
type cut struct {
	n, dims int // dims of n bits, without x
	blocks  Blocks
}

// mostRegionNodes bounds the nodes of all partitions together.
const mostRegionNodes = 1 << 22

// Regions lists the partitions of a kind, each by its nodes, ascending. It fails
// if they have more than 2^22 nodes in all.
func Regions(o Options, b Blocks) ([][]spec.NodeID, error) {
	def, err := routersOf(o)
	if err != nil {
		return nil, err
	}
	c := cut{n: o.N, dims: o.dims(), blocks: b}
	var all [][]spec.NodeID
	total := 0
	chosen := make([]func(v int) bool, 1+c.dims)
	var choose func(i int) error
	choose = func(i int) error {
		if i < len(chosen) {
			for _, part := range c.parts(i) {
				chosen[i] = part
				if err := choose(i + 1); err != nil {
					return err
				}
			}
			return nil
		}
		var region []spec.NodeID
		for v := range spec.NodeID(def.Topology.Nodes()) {
			inside := true
			for i, x := range def.Topology.Node(v).At {
				inside = inside && chosen[i](x)
			}
			if inside {
				region = append(region, v)
			}
		}
		all = append(all, region)
		if total += len(region); total > mostRegionNodes {
			return fmt.Errorf("partitions of more than %d nodes in all", mostRegionNodes)
		}
		return nil
	}
	return all, choose(0)
}

// parts lists what a partition may ask of one coordinate, x the first.
func (c cut) parts(coordinate int) []func(v int) bool {
	block := func(first, size int) func(int) bool {
		return func(v int) bool { return first <= v && v < first+size }
	}
	var all []func(int) bool
	switch values := 1 << c.n; {
	case coordinate == 0:
		all = append(all, func(int) bool { return true })
		for size := 1; c.blocks == CutX && size < c.n; size *= 2 {
			for first := 0; first+size <= c.n; first += size {
				all = append(all, block(first, size))
			}
		}
	case c.blocks == AnyBits:
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
			if c.blocks == Unaligned {
				step = 1
			}
			for first := 0; first+size <= values; first += step {
				all = append(all, block(first, size))
			}
		}
	}
	return all
}
