package walk

import (
	"context"
	"encoding/binary"
	"math/bits"
	"sort"
)

// Numbers numbers the states of a space 0..States()-1: shard by shard, and in a shard in the order of discovery, so
// that states found one after the other, which often lead to each other, are mostly near each other in arrays by
// number. A bit map is numbered in its own order: for every 64th bit it is recorded how many bits are set
// before it.
//
// The numbers are invalid once the space has grown or been released. They may be asked for concurrently.
type Numbers struct {
	space *Space
	base  [shards + 1]int  // of the first state of each shard, unless they are in a bit map
	slots [shards][]uint32 // byQuotients: numbers, by slot
	ranks rank             // byMarks
	parts []piece
}

// piece is a part of a shard: a range of local numbers, or of 64-bit words of a map.
type piece struct {
	shard    int
	from, to int
	first    int // number of its first state
}

const mostPiece = 1 << 14 // states, or bits

// rank finds how many bits of a set come before a given one, and which is the k-th.
type rank []struct {
	has   uint64
	below uint32 // bits set before the word
}

func (r rank) of(i uint64) int {
	w := &r[i>>6]
	return int(w.below) + bits.OnesCount64(w.has&(1<<(i&63)-1))
}

// at is the inverse of of.
func (r rank) at(k int) uint64 {
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

// Numbers prepares to number the states found so far, unless ctx ends. Parents must be
// kept, or the states be in a bit map.
func (s *Space) Numbers(ctx context.Context) *Numbers {
	n := &Numbers{space: s}
	if s.marks != nil {
		n.ranks = make(rank, (len(s.marks)+1)/2)
		for i, w := range s.marks {
			n.ranks[i/2].has |= uint64(w) << (i % 2 * 32)
		}
		n.base[shards] = n.ranks.count()
		for from := 0; from < len(n.ranks); from += mostPiece / 64 {
			n.parts = append(n.parts, piece{0, from, min(from+mostPiece/64, len(n.ranks)), int(n.ranks[from].below)})
		}
		return n
	}
	for i := range s.shards {
		if ctx.Err() != nil {
			return n
		}
		sh := &s.shards[i]
		if sh.form == byQuotients {
			n.slots[i] = allocate(int(sh.quotients.length()) + len(sh.quotients.astray))
			for local := range sh.count {
				n.slots[i][sh.at(local)[0]] = uint32(n.base[i]) + local
			}
		}
		for from := 0; from < int(sh.count); from += mostPiece {
			n.parts = append(n.parts, piece{i, from, min(from+mostPiece, int(sh.count)), n.base[i] + from})
		}
		n.base[i+1] = n.base[i] + int(sh.count)
	}
	return n
}

// Forget frees what Find and FindAll need; they must not be called any more.
func (n *Numbers) Forget() {
	for i, l := range n.slots {
		release(l)
		n.slots[i] = nil
	}
}

// States returns the number of states.
func (n *Numbers) States() int { return n.base[shards] }

// Parts returns the number of parts of the space. They are numbered consecutively.
func (n *Numbers) Parts() int { return len(n.parts) }

// Part returns the range of numbers from <= n < to of a part's states.
func (n *Numbers) Part(i int) (from, to int) {
	if i+1 < len(n.parts) {
		return n.parts[i].first, n.parts[i+1].first
	}
	return n.parts[i].first, n.base[shards]
}

// EachIn calls f with the states of a part, in the order of their numbers, until it returns
// false. The slice is reused.
func (n *Numbers) EachIn(i int, f func(state []uint64) bool) {
	s, p := n.space, n.parts[i]
	var states []uint64
	if s.marks != nil {
		for k, w := range n.ranks[p.from:p.to] {
			for has := w.has; has != 0; has &= has - 1 {
				if states = append(states[:0], uint64(p.from+k)<<6|uint64(bits.TrailingZeros64(has))); !f(states) {
					return
				}
			}
		}
		return
	}
	for from := p.from; from < p.to; from += together {
		states = states[:0]
		for local := from; local < min(from+together, p.to); local++ { // their cache misses overlap
			states = s.stateAt(states, p.shard, uint32(local))
		}
		for rest := states; len(rest) > 0; rest = rest[s.words:] {
			if !f(rest[:s.words:s.words]) {
				return
			}
		}
	}
}

// State appends the words of a state, given its number.
func (n *Numbers) State(dst []uint64, i int) []uint64 {
	if n.space.marks != nil {
		return append(dst, n.ranks.at(i))
	}
	shard := sort.Search(shards, func(k int) bool { return n.base[k+1] > i })
	return n.space.stateAt(dst, shard, uint32(i-n.base[shard]))
}

// Find returns the number of a state, given its words.
func (n *Numbers) Find(state []uint64) (int32, bool) {
	var one [1]int32
	numbers, found := n.FindAll(one[:0], state, 0)
	return numbers[0], found
}

// abreast is how many states are looked up at once, so that their cache misses overlap.
const abreast = 64

// FindAll appends the numbers of consecutive states, with missing for those that are not found,
// and reports whether all are. The more there are, the less time each takes.
func (n *Numbers) FindAll(dst []int32, states []uint64, missing int32) (_ []int32, found bool) {
	found = true
	for words := n.space.words; len(states) > 0; states = states[min(abreast*words, len(states)):] {
		few := states[:min(abreast*words, len(states))]
		all := false
		switch {
		case n.space.marks != nil:
			dst, all = n.findMarks(dst, few, missing)
		case n.space.quotients():
			dst, all = n.findQuotients(dst, few, missing)
		default:
			dst, all = n.findPacked(dst, few, missing)
		}
		found = found && all
	}
	return dst, found
}

func (n *Numbers) findMarks(dst []int32, states []uint64, missing int32) (_ []int32, found bool) {
	r, found := n.ranks, true
	for _, s := range states {
		if s>>6 >= uint64(len(r)) || r[s>>6].has>>(s&63)&1 == 0 {
			dst, found = append(dst, missing), false
			continue
		}
		dst = append(dst, int32(r.of(s)))
	}
	return dst, found
}

// findQuotients reads the first two slots of all of the states before it looks at any, as
// insertQuotients does.
func (n *Numbers) findQuotients(dst []int32, states []uint64, missing int32) (_ []int32, found bool) {
	s, words := n.space, n.space.words
	var ys, slots, entries [abreast]uint64
	var owners [abreast]uint8
	var off [abreast]bool
	few := len(states) / words
	for k := range few {
		shard, y := s.mixing.of(states[k*words:][:words])
		ys[k], owners[k] = y, uint8(shard)
		slots[k], entries[k] = s.shards[shard&(shards-1)].quotients.home(y)
	}
	for k, shard := range owners[:few] {
		q, slot, entry := &s.shards[shard&(shards-1)].quotients, slots[k], entries[k]
		b := q.slots[slot*q.size:]
		d, e := binary.LittleEndian.Uint64(b)&q.mask-entry, binary.LittleEndian.Uint64(b[q.size:])&q.mask-entry-1
		slots[k] = slot + (d|-d)>>63 // 1 if it is not in the first slot
		off[k] = d != 0 && e != 0
	}
	found = true
	for k, shard := range owners[:few] {
		slot := slots[k]
		if off[k] {
			there := false
			if slot, _, there = s.shards[shard&(shards-1)].quotients.find(ys[k]); !there {
				dst, found = append(dst, missing), false
				continue
			}
		}
		dst = append(dst, int32(n.slots[shard&(shards-1)][slot]))
	}
	return dst, found
}

// findPacked reads the first slot of all of the states before it looks at any.
func (n *Numbers) findPacked(dst []int32, states []uint64, missing int32) (_ []int32, found bool) {
	s, words := n.space, n.space.words
	var hashes [abreast]uint64
	var owners [abreast]uint8
	var firsts [abreast]uint32
	var buffer [32]uint32
	packed := buffer[:0]
	few := len(states) / words
	for k := range few {
		packed = s.pack(packed[:0], states[k*words:][:words])
		h := hashOf(packed)
		shard := s.shardOf(packed, h)
		hashes[k], owners[k] = h, uint8(shard)
	}
	for k, shard := range owners[:few] {
		t := s.shards[shard&(shards-1)].table
		firsts[k] = t[hashes[k]&uint64(len(t)-1)]
	}
	found = true
	for k, shard := range owners[:few] {
		sh := &s.shards[shard&(shards-1)]
		packed = s.pack(packed[:0], states[k*words:][:words])
		local, there := firsts[k]&(1<<localBits-1)-1, true
		if !sh.tells(firsts[k], packed, hashes[k]) {
			local, there = sh.find(packed, hashes[k])
		}
		if !there {
			dst, found = append(dst, missing), false
			continue
		}
		dst = append(dst, int32(n.base[shard&(shards-1)]+int(local)))
	}
	return dst, found
}

// Numbered bounds the memory of the space with its numbers.
func (s *Space) Numbered() int64 {
	sum := s.bytes() + int64(len(s.marks))*8
	for i := range s.shards {
		if sh := &s.shards[i]; sh.form == byQuotients {
			sum += int64(sh.quotients.length()) * 4
		}
	}
	return sum
}
