package rwc1_test

import (
	"fmt"
	"testing"

	"github.com/seed-105a2da2/unknot/models/mdce"
	"github.com/seed-105a2da2/unknot/models/rwc1"
	"github.com/seed-105a2da2/unknot/spec"
)

// values is a set of values of one coordinate, as a mask.
type values uint64

func span(low, size int) values { return (1<<size - 1) << low }

// parts lists the sets of values that one coordinate of 0..size-1 can have in a
// partition, straight from the definition of each kind.
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

// TestLeaks: what is said of all partitions at once is what comes out partition
// by partition, packet by packet, node by node.
func TestLeaks(t *testing.T) {
	for _, tt := range []struct {
		topology rwc1.Topology
		n        int
	}{{rwc1.CCCB, 2}, {rwc1.Banyan, 3}, {rwc1.CCC, 3}, {rwc1.Banyan, 4}, {rwc1.CCC, 4}} {
		o := mdce.Options{N: tt.n, Parallel: 1, VCs: 3}
		dims := 1
		if tt.topology != rwc1.CCC {
			o.Banyan = 1
		}
		if tt.topology != rwc1.Banyan {
			o.CCC = 1
		}
		if tt.topology == rwc1.CCCB {
			dims = 2
		}
		def, err := mdce.New(o)
		n := compiled(t, def, err)
		for b := range rwc1.Blocks(len(rwc1.BlockNames)) {
			got, err := rwc1.Leaks(t.Context(), rwc1.Options{N: tt.n, Topology: tt.topology, VCs: 3, Levels: 1}, b)
			if err != nil {
				t.Fatal(err)
			}
			partitions := [][]values{{span(0, tt.n)}}
			if b == rwc1.CutX {
				partitions = nil
				for _, x := range parts(tt.n, b) {
					partitions = append(partitions, []values{x})
				}
			}
			for range dims {
				var longer [][]values
				for _, p := range partitions {
					for _, q := range parts(1<<tt.n, b) {
						longer = append(longer, append(append([]values(nil), p...), q))
					}
				}
				partitions = longer
			}
			if got.Blocks != int64(len(partitions)) {
				t.Errorf("%v, %s: %d partitions, want %d", tt, rwc1.BlockNames[b], got.Blocks, len(partitions))
			}
			if want := leaks(t, n, partitions); got.Leaks != want {
				t.Errorf("%v, %s: %d packets leak, want %d", tt, rwc1.BlockNames[b], got.Leaks, want)
			}
			// The paper divides y and z alone, by the patterns of bits.
			if wantNone := b == rwc1.Aligned || b == rwc1.AnyBits; (got.Leaks == 0) != wantNone || (got.First == nil) != wantNone {
				t.Errorf("%v, %s: %d packets leak", tt, rwc1.BlockNames[b], got.Leaks)
			}
		}
	}
}

// leaks counts the packets that leave some partition that holds both their ends.
func leaks(t *testing.T, n *spec.Network, partitions [][]values) int {
	top := n.Topology()
	inside := func(v spec.NodeID, p []values) bool {
		for i, x := range top.Node(v).At {
			if p[i]>>x&1 == 0 {
				return false
			}
		}
		return true
	}
	count := 0
	for to := range spec.NodeID(top.Nodes()) {
		for from := range spec.NodeID(top.Nodes()) {
			if from == to {
				continue
			}
			var between []spec.NodeID
			for at := (spec.Site{Channel: spec.Injection(from), Header: spec.Header{Dest: to}}); ; {
				hops, _ := n.Hops(at)
				if len(hops) != 1 {
					t.Fatal("a packet has more than one way")
				}
				if hops[0].Channel == spec.Eject {
					break
				}
				at.Channel = hops[0].Channel
				between = append(between, top.Head(at.Channel))
			}
			leak := false
			for _, p := range partitions {
				if leak || !inside(from, p) || !inside(to, p) {
					continue
				}
				for _, v := range between {
					leak = leak || !inside(v, p)
				}
			}
			if leak {
				count++
			}
		}
	}
	return count
}

// TestRegions: the partitions listed are as many as were counted, all different,
// and 961 for the machine's 1024 nodes.
func TestRegions(t *testing.T) {
	for b := range rwc1.BlockNames {
		for _, n := range []int{2, 3} {
			o := rwc1.Options{N: n, VCs: 3, Levels: 1}
			p, err := rwc1.Leaks(t.Context(), o, rwc1.Blocks(b))
			if err != nil {
				t.Fatal(err)
			}
			all, err := rwc1.Regions(o, rwc1.Blocks(b))
			if err != nil {
				t.Fatal(err)
			}
			different := map[string]bool{}
			for _, region := range all {
				different[fmt.Sprint(region)] = true
			}
			if int64(len(all)) != p.Blocks || len(different) != len(all) {
				t.Errorf("n=%d, %s: %d partitions, %d different, want %d", n, rwc1.BlockNames[b], len(all), len(different), p.Blocks)
			}
			if p.First != nil && p.First.Region(all) == nil {
				t.Errorf("n=%d, %s: no partition that the packet leaves is listed", n, rwc1.BlockNames[b])
			}
		}
	}
	all, err := rwc1.Regions(rwc1.Options{N: 4, VCs: 3, Levels: 1}, rwc1.Aligned)
	if err != nil || len(all) != 961 { // 31 blocks of each of y and z: 16 + 8 + 4 + 2 + 1
		t.Errorf("%d partitions, %v", len(all), err)
	}
}
