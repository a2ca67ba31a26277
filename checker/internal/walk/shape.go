package walk

import (
	"math/bits"
)

// shape is a binary tree over the pieces of a state, 16 bits each. Its nodes are numbered: the pieces first, in the order
// of the state, then inner nodes, each after the two that it joins. The last one is the root.
//
// Any shape is exact; a good one is small. A node has as many values as its pieces have together, so pieces that depend on
// each other, such as the variables of a process and its FIFO, belong under one node, and the two halves of the root should
// have little to do with each other: then n states have some sqrt(n) values on each side. Which pieces these are is seen
// in the states. Pieces and nodes are joined one by one, always the two that have the fewest values together in a sample:
// Huffman's greedy way, with counts for weights.
type shape struct {
	pieces int
	pairs  [][2]int32 // by inner node, from number pieces on: the two nodes that it joins
	up     []int32    // by node: the inner node, counted from 0, that joins it; of the root itself
}

const (
	pieceBits    = 16
	wordPieces   = 64 / pieceBits
	mostJoined   = 64      // nodes that are compared with each other
	sampleStates = 1 << 11 // from which a shape grows
)

func newShape(words int) *shape {
	s := &shape{pieces: words * wordPieces}
	s.up = make([]int32, s.pieces, 2*s.pieces-1)
	return s
}

// join adds the node of two others.
func (s *shape) join(a, b int32) int32 {
	k := int32(len(s.pairs))
	s.pairs = append(s.pairs, [2]int32{a, b})
	s.up[a], s.up[b] = k, k
	s.up = append(s.up, k)
	return k + int32(s.pieces)
}

// joinAll joins nodes into one, neighbours first.
func (s *shape) joinAll(nodes []int32) int32 {
	for len(nodes) > 1 {
		nodes = s.halve(nodes)
	}
	return nodes[0]
}

func (s *shape) halve(nodes []int32) (half []int32) {
	for ; len(nodes) > 1; nodes = nodes[2:] {
		half = append(half, s.join(nodes[0], nodes[1]))
	}
	return append(half, nodes...)
}

// evenShape joins neighbours, for states of which nothing is known.
func evenShape(words int) *shape {
	s := newShape(words)
	s.joinAll(s.all())
	return s
}

func (s *shape) all() []int32 {
	nodes := make([]int32, s.pieces)
	for i := range nodes {
		nodes[i] = int32(i)
	}
	return nodes
}

// grownShape returns a shape for states like those of a sample, in a time of mostJoined squared times the sample.
func grownShape(words int, sample []uint64) *shape {
	s := newShape(words)
	c := &columns{of: map[int32]column{}, seen: make([]uint64, 1<<bits.Len(uint(2*len(sample)/words)))}
	var same, live []int32
	for _, p := range s.all() {
		if x := c.piece(sample, words, int(p)); x.values > 1 {
			c.of[p], live = x, append(live, p)
		} else {
			same = append(same, p)
		}
	}
	for len(live) > mostJoined {
		live = s.halve(live)
		for _, n := range live {
			c.add(s, n)
		}
	}
	if len(same) > 0 {
		n := s.joinAll(same)
		c.of[n], live = column{values: 1, of: make([]uint32, len(sample)/words)}, append(live, n)
	}
	var together [mostJoined + 1][mostJoined + 1]int // by places in live, the later first: values
	for i := range live {
		for j := range live[:i] {
			together[i][j] = c.values(live[i], live[j])
		}
	}
	for len(live) > 1 {
		a, b := 1, 0
		for i := range live {
			for j := range live[:i] {
				if together[i][j] < together[a][b] {
					a, b = i, j
				}
			}
		}
		// The new node takes the place of the earlier one, and the last one that of the later.
		live[b] = s.join(live[b], live[a])
		c.add(s, live[b])
		last := len(live) - 1
		for j := range last {
			if j != a {
				together[max(a, j)][min(a, j)] = together[last][j]
			}
		}
		live[a], live = live[last], live[:last]
		for j := range live {
			if j != b {
				together[max(b, j)][min(b, j)] = c.values(live[j], live[b])
			}
		}
	}
	return s
}

// values returns the sum, over the inner nodes but the root, of the values that the states of a sample have there.
func (s *shape) values(sample []uint64, words int) (sum int) {
	c := &columns{of: map[int32]column{}, seen: make([]uint64, 1<<bits.Len(uint(2*len(sample)/words)))}
	for _, p := range s.all() {
		c.of[p] = c.piece(sample, words, int(p))
	}
	for k := range s.pairs[:len(s.pairs)-1] {
		sum += c.add(s, int32(s.pieces+k))
	}
	return sum
}

// columns are the values of nodes in a sample, numbered.
type columns struct {
	of   map[int32]column
	seen []uint64 // a hash table of pairs
	at   []uint32
}

type column struct {
	values int
	of     []uint32 // by state: which value
}

// piece returns the values of a piece.
func (c *columns) piece(sample []uint64, words, p int) (x column) {
	number := map[uint64]uint32{}
	word, shift := p/wordPieces, p%wordPieces*pieceBits
	for ; len(sample) > 0; sample = sample[words:] {
		v := sample[word] >> shift & (1<<pieceBits - 1)
		n, there := number[v]
		if !there {
			n = uint32(len(number))
			number[v] = n
		}
		x.of = append(x.of, n)
	}
	x.values = len(number)
	return x
}

// add adds an inner node of the shape, unless it is there, and returns its values.
func (c *columns) add(s *shape, node int32) int {
	if x, there := c.of[node]; there {
		return x.values
	}
	pair := s.pairs[int(node)-s.pieces]
	a, b := c.of[pair[0]], c.of[pair[1]]
	x := column{of: make([]uint32, len(a.of))}
	x.values = c.number(x.of, a.of, b.of)
	c.of[node] = x
	return x.values
}

// values returns how many values two nodes have together.
func (c *columns) values(a, b int32) int { return c.number(nil, c.of[a].of, c.of[b].of) }

// number numbers pairs, into dst if it is not nil, and returns how many differ.
func (c *columns) number(dst, a, b []uint32) (n int) {
	clear(c.seen)
	if dst != nil && c.at == nil {
		c.at = make([]uint32, len(c.seen))
	}
	mask := uint64(len(c.seen) - 1)
	for k, x := range a {
		v := pairOf(x, b[k]) + 1 // not 0
		i := mix(v) & mask
		for c.seen[i] != 0 && c.seen[i] != v {
			i = (i + 1) & mask
		}
		if c.seen[i] == 0 {
			c.seen[i] = v
			if dst != nil {
				c.at[i] = uint32(n)
			}
			n++
		}
		if dst != nil {
			dst[k] = c.at[i]
		}
	}
	return n
}
