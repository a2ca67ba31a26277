package walk

import (
	"context"
	"math/bits"
	"slices"
	"sort"

	"github.com/seed-105a2da2/unknot/spec/support/pages"
)

// bitMap is the form for states of up to 26 bits: a bit for each number that fits into the bits of a state. Each cache
// line of the map belongs to one shard. Blocks hold states and parents.
type bitMap struct {
	listed
	marks []uint32
	slab  []uint32 // that marks lie in
}

func newBitMap(s *Space, bits int, spare bool) (form, traits) {
	m := &bitMap{listed: listed{s}, marks: allocate(max(lineWords, 1<<bits/32))}
	m.slab = m.marks
	if len(m.marks) >= hugeWords && !spare {
		release(m.slab)
		m.slab, m.marks = aligned(len(m.marks))
		pages.Huge(m.marks)
	}
	return m, traits{name: "bit map", entry: 2, carried: 1, recent: markedBits, batch: 1}
}

// lineWords are the consecutive words of the map that belong to one shard: a cache
// line.
const lineWords = 16

func shardOfMark(key uint32) int { return int(mix(uint64(key/(lineWords*32))) >> (64 - shardBits)) }

// emit also leaves out states found before this round: no worker writes to the map in this half of a round.
func (m *bitMap) emit(x *expander, parent uint32) {
	at, marks := len(x.out), m.marks
	x.out = slices.Grow(x.out, 2*len(x.next)+2)
	out, kinds := x.out[at:cap(x.out)], x.kinds[:len(x.next)]
	n := 0
	for i, s := range x.next {
		key := uint32(s)
		out[2*n], out[2*n+1] = key, parent|kinds[i]<<offsetBits
		n += int(^marks[key>>5] >> (key & 31) & 1)
	}
	recent := (*[1 << markedBits]uint64)(x.recent)
	for from := range n {
		key, word := out[2*from], out[2*from+1]
		slot := &recent[key*(factor3>>32)>>(32-markedBits)]
		if *slot == uint64(key)+1 {
			continue
		}
		*slot = uint64(key) + 1
		x.out = append(x.out, key, word)
		x.shards = append(x.shards, uint8(shardOfMark(key)))
	}
}

// insert writes every key after the last state and counts it only if it is new, as a
// branch on that would be unpredictable.
func (m *bitMap) insert(_ *expander, shard int, c *chunk) {
	s, marks, bucket := &m.space.shards[shard], m.marks, c.bucket(shard)
	for ; s.bare && len(bucket) >= 2; bucket = bucket[2:] {
		key := bucket[0]
		fresh := ^marks[key>>5] >> (key & 31) & 1
		s.count += fresh
		bucket[1] |= fresh - 1
		marks[key>>5] |= 1 << (key & 31)
	}
	for len(bucket) >= 2 {
		at := int(s.count >> blockBits)
		if at == len(s.blocks) {
			s.blocks = append(s.blocks, s.arena.begun(blockSize*2))
		}
		block := (*[blockSize * 2]uint32)(s.blocks[at])
		n := s.count & (blockSize - 1)
		few := min(len(bucket)/2, int(blockSize-n)) // these find room even if all are new
		for ; few > 0; few-- {
			key := bucket[0]
			block[n*2&(blockSize*2-1)], block[(n*2+1)&(blockSize*2-1)] = key, uint32(c.parentOf(bucket[1]))
			word := &marks[key>>5]
			fresh := ^*word >> (key & 31) & 1
			n += fresh
			bucket[1] |= fresh - 1
			*word |= 1 << (key & 31)
			bucket = bucket[2:]
		}
		s.count = uint32(at)<<blockBits + n
	}
}

func (m *bitMap) enlarge(int, uint32, bool, *moving) {}

func (m *bitMap) enlarged(int, uint32, bool) int { return 0 }

func (m *bitMap) tabled(int) int { return 0 }

func (m *bitMap) outside() int64 { return int64(len(m.marks)) * 4 }

func (m *bitMap) release() {
	release(m.slab)
	m.slab, m.marks = nil, nil
}

func (m *bitMap) encode(state []uint64) (words []uint32, shard int) {
	key := uint32(state[0])
	return []uint32{key}, shardOfMark(key)
}

func (m *bitMap) decode(dst []uint64, _ int, encoding []uint32) []uint64 {
	return append(dst, uint64(encoding[0]))
}

func (m *bitMap) state(dst []uint64, shard int, local uint32) []uint64 {
	return append(dst, uint64(m.space.shards[shard].entryAt(local)[0]))
}

func (m *bitMap) each(part, parts int, f func(state []uint64) bool) {
	if m.space.Parents() {
		m.space.eachFound(part, parts, f)
		return
	}
	state := make([]uint64, 1)
	for i := part; i < len(m.marks); i += parts {
		for word := m.marks[i]; word != 0; word &= word - 1 {
			if state[0] = uint64(i)<<5 | uint64(bits.TrailingZeros32(word)); !f(state) {
				return
			}
		}
	}
}

func (m *bitMap) index(_ context.Context, n *Numbers) index {
	ranks := make(rank, (len(m.marks)+1)/2)
	for i, w := range m.marks {
		ranks[i/2].has |= uint64(w) << (i % 2 * 32)
	}
	n.base[shards], n.parts = ranks.count(), nil
	for from := 0; from < len(ranks); from += mostPiece / 64 {
		n.parts = append(n.parts, piece{0, from, min(from+mostPiece/64, len(ranks)), int(ranks[from].below)})
	}
	return ranks
}

func (m *bitMap) indexed() int64 { return int64(len(m.marks)) * 8 }

// rank finds how many bits of a set come before a given one, and which is the k-th.
type rank []struct {
	has   uint64
	below uint32 // bits set before the word
}

func (r rank) rankOf(i uint64) int {
	w := &r[i>>6]
	return int(w.below) + bits.OnesCount64(w.has&(1<<(i&63)-1))
}

// nth is the inverse of of.
func (r rank) nth(k int) uint64 {
	i := sort.Search(len(r), func(i int) bool { return int(r[i].below) > k }) - 1
	w := r[i].has
	for range k - int(r[i].below) {
		w &= w - 1
	}
	return uint64(i)<<6 | uint64(bits.TrailingZeros64(w))
}

// count fills in below from has, and returns the number of bits.
func (r rank) count() int {
	sum := uint32(0)
	for i := range r {
		r[i].below = sum
		sum += uint32(bits.OnesCount64(r[i].has))
	}
	return int(sum)
}

func (r rank) find(dst []int32, states []uint64, missing int32) (_ []int32, found bool) {
	found = true
	for _, s := range states {
		if s>>6 >= uint64(len(r)) || r[s>>6].has>>(s&63)&1 == 0 {
			dst, found = append(dst, missing), false
			continue
		}
		dst = append(dst, int32(r.rankOf(s)))
	}
	return dst, found
}

func (r rank) each(p piece, f func(state []uint64) bool) {
	state := make([]uint64, 1)
	for k, w := range r[p.from:p.to] {
		for has := w.has; has != 0; has &= has - 1 {
			if state[0] = uint64(p.from+k)<<6 | uint64(bits.TrailingZeros64(has)); !f(state) {
				return
			}
		}
	}
}

func (r rank) state(dst []uint64, i int) []uint64 { return append(dst, r.nth(i)) }

func (r rank) forget() {}

func (m *bitMap) restore(shard int, check *StateCheck) error {
	sh := &m.space.shards[shard]
	var state []uint64
	for local := range sh.count {
		key := sh.entryAt(local)[0]
		if state = append(state[:0], uint64(key)); !check.Holds(state) {
			return damaged("a state is out of range")
		}
		if shardOfMark(key) != shard {
			return damaged("a state is in the wrong place")
		}
		m.marks[key>>5] |= 1 << (key & 31)
	}
	return nil
}
