package rwc1

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/seed-105a2da2/unknot/spec"
)

// Design of the decision on partitions.
//
// A partition is a set of nodes; a packet between two of them leaks if it comes
// to a node outside. Since a link between two nodes of a partition belongs to
// it, and partitions that are used at the same time have no node in common,
// packets of different partitions then share neither nodes nor links.
//
// Not every partition is looked at: of the aligned blocks that hold two given
// nodes there is a smallest, which lies in all others, so a packet leaks from
// some block if and only if it leaks from the smallest; the same goes for
// partitions by any bits, and for blocks that divide x as well. Unaligned blocks
// have no smallest; there the block is looked for that leaves the visited node
// out.

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

// Leak is a packet that leaves its partition.
type Leak struct {
	From, To, At spec.NodeID // At is the first node outside
	Way          []spec.NodeID
	Block        string // the partition
	cut          cut
}

// Partitions is what was found about all partitions and all packets.
type Partitions struct {
	Topology *spec.Topology
	Blocks   int64 // partitions of the kind, the whole network included
	Packets  int   // pairs of nodes; each is inside some partition
	Visits   int64 // nodes that they pass, ends not counted
	Leaks    int   // packets that leave some partition that holds both ends
	First    *Leak // nil without leaks
	n        int
}

// Leaks follows every packet of the network of o.Topology and o.N and tells
// which leave a partition that holds both ends. Packets between partitions, which
// only the system may send, are not asked for: they arrive like all others.
func Leaks(ctx context.Context, o Options, b Blocks) (*Partitions, error) {
	if int(b) >= len(BlockNames) {
		return nil, fmt.Errorf("blocks of kind %d do not exist", b)
	}
	w, err := newWays(o)
	if err != nil {
		return nil, err
	}
	c := cut{n: o.N, dims: o.dims(), blocks: b}
	p := &Partitions{Topology: w.t, Blocks: c.count(), n: o.N}
	err = w.each(ctx, func(from, to spec.NodeID, way []spec.ChannelID) error {
		p.Packets++
		p.Visits += int64(len(way) - 1)
		for _, channel := range way[:len(way)-1] {
			at := w.t.Head(channel)
			block, out := c.leaves(w.t.Node(from).At, w.t.Node(to).At, w.t.Node(at).At)
			if !out {
				continue
			}
			p.Leaks++
			if p.First == nil {
				p.First = &Leak{From: from, To: to, At: at, Way: nodesOf(w.t, from, way), Block: block, cut: c}
			}
			break
		}
		return nil
	})
	return p, err
}

func nodesOf(t *spec.Topology, from spec.NodeID, way []spec.ChannelID) []spec.NodeID {
	nodes := []spec.NodeID{from}
	for _, c := range way {
		nodes = append(nodes, t.Head(c))
	}
	return nodes
}

// cut knows the partitions of one kind.
type cut struct {
	n, dims int // dims of n bits, without x
	blocks  Blocks
}

// count returns the number of partitions.
func (c cut) count() int64 {
	one := int64(1) // of one coordinate
	switch c.blocks {
	case Aligned, CutX:
		one = 2<<c.n - 1
	case AnyBits:
		for range c.n {
			one *= 3 // each bit is 0, 1, or not looked at
		}
	case Unaligned:
		one = 0
		for k := range c.n + 1 {
			one += int64(1<<c.n - 1<<k + 1)
		}
	}
	all := int64(1)
	for range c.dims {
		all *= one
	}
	if c.blocks == CutX {
		// Aligned blocks of 0..n-1, those cut short at the end left out but for the whole.
		x := int64(1)
		for size := 1; size < c.n; size *= 2 {
			x += int64(c.n / size)
		}
		all *= x
	}
	return all
}

// leaves reports whether node at is outside some partition that holds from and
// to, and describes that partition. Coordinates are (x, y, ...).
func (c cut) leaves(from, to, at []int) (block string, out bool) {
	names := "xyz"
	for i := range at {
		if i == 0 && c.blocks != CutX {
			continue
		}
		a, b, w := from[i], to[i], at[i]
		switch c.blocks {
		case AnyBits:
			if wrong := (w ^ a) &^ (a ^ b); wrong != 0 {
				return fmt.Sprintf("bit %d of %c is %d", bits.TrailingZeros(uint(wrong)), names[i], a>>bits.TrailingZeros(uint(wrong))&1), true
			}
		case Unaligned:
			if low, size, out := c.without(min(a, b), max(a, b), w); out {
				return fmt.Sprintf("%c in %d..%d", names[i], low, low+size-1), true
			}
		default:
			k := bits.Len(uint(a ^ b))
			// A block of x that is cut short at the end of the ring is no block;
			// the next larger ones hold the whole ring.
			if i == 0 && (a>>k+1)<<k > c.n {
				continue
			}
			if (w^a)>>k != 0 {
				return fmt.Sprintf("%c in %d..%d", names[i], a>>k<<k, a>>k<<k+1<<k-1), true
			}
		}
	}
	return "", false
}

// without returns a block of a power of two of successive values that holds low
// and high, but not w.
func (c cut) without(low, high, w int) (first, size int, ok bool) {
	for size = 1; size < high-low+1; size *= 2 {
	}
	last := 1<<c.n - size // where a block can begin at most
	switch {
	case w > high: // as far down as it goes
		first = max(0, high-size+1)
		ok = w >= first+size
	case w < low:
		first = min(low, last)
		ok = w < first
	}
	return first, size, ok
}
