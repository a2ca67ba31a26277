package rwc1_test

import (
	"fmt"
	"testing"

	"github.com/seed-105a2da2/unknot/models/rwc1"
	"github.com/seed-105a2da2/unknot/spec"
)

// values is a set of values of one coordinate, as a mask.
type values uint64

func span(low, size int) values { return (1<<size - 1) << low }

// parts lists the sets of values that one coordinate of 0..size-1 can have in a
// partition, directly from the definition of each kind.
func parts(size int, b rwc1.Blocks) []values {
	var all []values
	switch b {
	case rwc1.AnyBits:
		for mask := range size {
			for value := range size {
				if value&^mask != 0 {
					continue
				}
				var set values
				for v := range size {
					if v&mask == value {
						set |= 1 << v
					}
				}
				all = append(all, set)
			}
		}
	case rwc1.Unaligned:
		for length := 1; length <= size; length *= 2 {
			for low := 0; low+length <= size; low++ {
				all = append(all, span(low, length))
			}
		}
	default:
		for length := 1; length < size; length *= 2 {
			for low := 0; low+length <= size; low += length {
				all = append(all, span(low, length))
			}
		}
		all = append(all, span(0, size))
	}
	return all
}

// TestRegions: the partitions listed are all combinations of sets of values, directly
// from the definition of each kind, each once; and 961 for the machine's 1024 nodes.
func TestRegions(t *testing.T) {
	for _, topology := range []rwc1.Topology{rwc1.CCCB, rwc1.Banyan, rwc1.CCC} {
		for b := range rwc1.Blocks(len(rwc1.BlockNames)) {
			for _, n := range []int{2, 3} {
				o := rwc1.Options{N: n, Topology: topology, VCs: 3, Levels: 1}
				all, err := rwc1.Regions(o, b)
				if err != nil {
					t.Fatal(err)
				}
				want := map[string]bool{}
				xs := []values{span(0, n)} // rings are whole
				if b == rwc1.CutX {
					xs = parts(n, b)
				}
				for _, x := range xs {
					for _, y := range parts(1<<n, b) {
						zs := []values{1}
						if topology == rwc1.CCCB {
							zs = parts(1<<n, b)
						}
						for _, z := range zs {
							var region []spec.NodeID
							for v := range n << n << n {
								if x>>(v%n)&1 == 1 && y>>(v/n%(1<<n))&1 == 1 && z>>(v/n>>n)&1 == 1 {
									region = append(region, spec.NodeID(v))
								}
							}
							want[fmt.Sprint(region)] = true
						}
					}
				}
				for _, region := range all {
					if !want[fmt.Sprint(region)] {
						t.Errorf("%s, n=%d, %s: %v is not a partition, or is listed twice", rwc1.TopologyNames[topology], n, rwc1.BlockNames[b], region)
					}
					delete(want, fmt.Sprint(region))
				}
				if len(want) > 0 {
					t.Errorf("%s, n=%d, %s: %d partitions are not listed", rwc1.TopologyNames[topology], n, rwc1.BlockNames[b], len(want))
				}
			}
		}
	}
	all, err := rwc1.Regions(rwc1.Options{N: 4, VCs: 3, Levels: 1}, rwc1.Aligned)
	if err != nil || len(all) != 961 { // 31 blocks of each of y and z: 16 + 8 + 4 + 2 + 1
		t.Errorf("%d partitions, %v", len(all), err)
	}
}
