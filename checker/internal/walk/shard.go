package walk

import (
	"math/bits"
	"slices"
)

// form is how a shard knows which states it has.
type form uint8

const (
	byNumbers   form = iota // the table holds local numbers and a few bits of hash
	byQuotients             // the table holds the states themselves, see quotient.go; blocks hold slots
	byMarks                 // the space's map has a bit for every possible state
)

// shard is the part of a space whose hashes begin with the same six bits.
type shard struct {
	form   form
	table  []uint32   // byNumbers: 0, or tag<<localBits | local+1; a power of two long
	blocks [][]uint32 // entries in the order of discovery
	arena  *arena     // of the blocks
	tables *tables    // of all shards; this one is number
	number int
	count  uint32 // states
	bare   bool   // no blocks are kept, so neither the order of discovery nor parents
	entry  int    // words of an entry: the state's (or fingerprint's) and the parent
	bits   uint8  // of an entry's number in its block

	quotients quotients // byQuotients
}

const (
	blockBits  = 12 // of an entry's number in its block, if entries are small
	blockSize  = 1 << blockBits
	blockWords = 1 << 14 // at most, in blocks of larger entries that hold more than one
	firstTable = 64
)

// bitsFor returns how many bits an entry's number in its block has.
func bitsFor(entry int) uint8 {
	return uint8(bits.Len(uint(min(max(1, blockWords/entry), blockSize))) - 1)
}

// size returns the number of entries in a block.
func (s *shard) size() int { return 1 << s.bits }

// full reports whether a table of the given length holds as many states as it should.
func full(count uint32, length int) bool { return int(count) >= length-length/5 }

func (s *shard) at(local uint32) []uint32 {
	i := int(local&(1<<(s.bits&31)-1)) * s.entry
	return s.blocks[local>>(s.bits&31)][i : i+s.entry : i+s.entry]
}

func tagOf(h uint64) uint32 { return uint32(h>>32) & (shards - 1) << localBits }

// insert adds a state with the given hash unless it is there, and reports
// whether it was new; if so, the caller then calls setParent. key has entry-1 words. There
// must be room.
func (s *shard) insert(key []uint32, h uint64) bool {
	mask := uint64(len(s.table) - 1)
	tag := tagOf(h)
	for i := h & mask; ; i = (i + 1) & mask {
		e := s.table[i]
		if e == 0 {
			s.table[i] = tag | s.count + 1
			s.add(key)
			return true
		}
		if e&^(1<<localBits-1) == tag && s.same(e&(1<<localBits-1)-1, key) {
			return false
		}
	}
}

// tells reports whether the first slot of a probe already shows that a state is present.
// States are never removed. Most slots hold another tag; an empty slot has the tag of
// few hashes.
func (s *shard) tells(e uint32, key []uint32, h uint64) bool {
	return e&^(1<<localBits-1) == tagOf(h) && e != 0 && s.same(e&(1<<localBits-1)-1, key)
}

func (s *shard) same(local uint32, key []uint32) bool {
	return string(bytesOf(s.at(local)[:len(key)])) == string(bytesOf(key)) // many bytes at a time
}

// add appends an entry, except for the parent.
func (s *shard) add(key []uint32) {
	if int(s.count>>s.bits) == len(s.blocks) {
		s.blocks = append(s.blocks, s.arena.begun(s.size()*s.entry))
	}
	copy(s.at(s.count), key)
	s.count++
}

// setParent records the parent of the state added last.
func (s *shard) setParent(parent ID) { s.at(s.count - 1)[s.entry-1] = uint32(parent) }

// find returns the number of a state that is in the shard.
func (s *shard) find(key []uint32, h uint64) (local uint32, ok bool) {
	mask := uint64(len(s.table) - 1)
	tag := tagOf(h)
	for i := h & mask; s.table[i] != 0; i = (i + 1) & mask {
		if e := s.table[i]; e&^(1<<localBits-1) == tag {
			if local := e&(1<<localBits-1) - 1; s.same(local, key) {
				return local, true
			}
		}
	}
	return 0, false
}

// tableFor returns the length of a table that count states do not fill.
func tableFor(count uint32) int {
	length := firstTable
	for full(count, length) {
		length *= 2
	}
	return length
}

// lengthFor returns the length of the table, grown if count states fill it. While levels widen,
// many states are still to come and each move of a table takes time, so steps are twice as large.
func (s *shard) lengthFor(count uint32, widening bool) int {
	length := max(len(s.table), tableFor(count))
	if widening && length > len(s.table) {
		length *= 2
	}
	return length
}

// grow rehashes the states into a table of the given length.
func (s *shard) grow(length int) {
	old := s.table
	s.table = s.tables.take(s.number, length)
	mask := uint64(length - 1)
	for local := range s.count {
		key := s.at(local)[:s.entry-1]
		h := hashOf(key)
		i := h & mask
		for s.table[i] != 0 {
			i = (i + 1) & mask
		}
		s.table[i] = tagOf(h) | local + 1
	}
	s.tables.give(s.number, old)
}

// enlarge makes the table large enough for count states, and larger while levels widen.
func (s *shard) enlarge(count uint32, widening bool, with *moving) {
	switch s.form {
	case byNumbers:
		if length := s.lengthFor(count, widening); length > len(s.table) {
			s.grow(length)
		}
	case byQuotients:
		if grade := s.quotients.gradeFor(count, widening); grade > s.quotients.grade {
			s.regrade(grade, with)
		}
	}
}

// enlarged returns the words of the table once it is enlarged.
func (s *shard) enlarged(count uint32, widening bool) int {
	switch s.form {
	case byNumbers:
		return s.lengthFor(count, widening)
	case byQuotients:
		if grade := s.quotients.gradeFor(count, widening); grade > s.quotients.grade {
			_, bytes := shapeOf(s.quotients.width, grade)
			return int(bytes / 4)
		}
	}
	return s.tabled()
}

// tabled returns the words of the table.
func (s *shard) tabled() int { return len(s.table) + len(s.quotients.words) }

// hashOf mixes the words of a key. The highest bits choose the shard, the lowest
// the slot, those above bit 32 the tag. It sums products of pairs of words, each word with a
// constant added (NH: Black, Halevi, Krawczyk, Krovetz and Rogaway, UMAC, 1999), so no product
// waits for another.
func hashOf(key []uint32) uint64 {
	h, add := uint64(len(key)), uint64(factor1)
	for ; len(key) >= 4; key = key[4:] {
		h += folded(uint64(key[0])|uint64(key[1])<<32, uint64(key[2])|uint64(key[3])<<32, add)
		add += factor3
	}
	var last [4]uint32
	if copy(last[:], key) > 0 {
		h += folded(uint64(last[0])|uint64(last[1])<<32, uint64(last[2]), add)
	}
	return mix(h)
}

// hashOfState is hashOf for the words of a state before it is packed.
func hashOfState(state []uint64, packed int) uint64 {
	h, add := uint64(packed), uint64(factor1)
	for ; len(state) >= 2; state = state[2:] {
		h += folded(state[0], state[1], add)
		add += factor3
	}
	if len(state) > 0 {
		h += folded(state[0], 0, add)
	}
	return mix(h)
}

// folded combines the two halves of a product.
func folded(a, b, add uint64) uint64 {
	hi, lo := bits.Mul64(a+add, b+add+factor2)
	return hi ^ lo
}

func mix(x uint64) uint64 {
	x *= 0xd1342543de82ef95
	x ^= x >> 32
	x *= 0xaf251af3b0f025b5
	return x ^ x>>29
}

// together is how many states are accessed at once, so that their cache misses
// overlap.
const together = 16

// moving is the memory needed to move a table, kept for the next move.
type moving struct {
	ys    []uint64
	slots []uint32
	to    []uint32 // by full slot, its new slot
}

func (m *moving) bytes() int64 { return int64(cap(m.ys))*8 + int64(cap(m.slots)+cap(m.to))*4 }

// regrade moves all states to a table of the given grade. Homes keep their order: with the entries
// between empty slots sorted, one pass puts every entry at its home or, if that is taken,
// after the last entry. Runs of full slots are short.
func (s *shard) regrade(grade int, with *moving) {
	old := s.quotients
	q := newQuotients(old.width, grade, s.tables, s.number)
	length := old.length()
	var moved []uint32 // contents of the blocks, if there are any
	if !s.bare {
		with.to = slices.Grow(with.to[:0], int(length)+len(old.astray))
		moved = with.to[:cap(with.to)]
	}
	ys, slots := with.ys, with.slots
	n, end := 0, uint64(0)
	for slot := uint64(0); slot < length; {
		ys, slots, n, slot = old.read(ys, slots, slot)
		for i, y := range ys[:n] {
			at, from := i, slots[i]
			for ; at > 0 && ys[at-1] > y; at-- {
				ys[at], slots[at] = ys[at-1], slots[at-1]
			}
			ys[at], slots[at] = y, from
		}
		for i, y := range ys[:n] {
			home, entry := q.home(y)
			now := max(home, end)
			if now > home+mostSteps {
				now, _ = q.insert(y)
			} else {
				q.last(now, entry+(now-home))
				end = now + 1
			}
			if moved != nil {
				moved[slots[i]] = uint32(now)
			}
		}
	}
	for i, y := range old.astray {
		now, _ := q.insert(y)
		if moved != nil {
			moved[length+uint64(i)] = uint32(now)
		}
	}
	for local := uint32(0); local < s.count && moved != nil; local++ {
		slot := &s.blocks[local>>blockBits][local&(blockSize-1)*2]
		*slot = moved[*slot]
	}
	with.ys, with.slots = ys, slots
	s.tables.give(s.number, old.words)
	s.quotients = q
}
