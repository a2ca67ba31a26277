package statespace

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"
)

// States of 27 to 70 bits are stored in a table that takes less than their bits and
// yet identifies them exactly (Cleary, Compact hash tables using bidirectional linear
// probing, 1984; Geldenhuys and Valmari, A nearly memory-optimal data structure
// for sets and mappings, 2003).
//
// A bijection mixes the bits of a state. The first six bits of the result choose the
// shard; the others, read as a fraction y of 1, choose the home among the shard's
// slots: y times their number. An entry goes into the first free slot from its home on,
// and never moves until the table grows.
//
// Invariant: slot and entry determine the state. An entry holds its distance from home,
// plus 1, and so gives the home. All y of one home lie in an interval of at most 2^kept
// numbers; the entry also holds the kept lowest bits of y, which say which of them it is.
// No entry is 0.

const (
	leastQuotient  = markBits + 1
	mostQuotient   = 64 + shardBits // bits of a state: what is left after choosing the shard fits into a word
	reciprocalBits = 33             // there are up to 2^30 homes
	stepBits       = 10             // of an entry's distance from home, plus 1
	mostSteps      = 1<<stepBits - 2
)

// quotients is the table of a shard.
type quotients struct {
	words []uint32 // the same memory as slots
	slots []byte
	n     uint64 // homes; the slots after them are not homes
	grade int    // n is 4, 5, 6 or 7 times a power of two: the grade-th such number
	width uint8  // of y
	kept  uint8  // bits of y in an entry
	size  uint64 // bytes of an entry
	mask  uint64 // its bits

	// The homes lie in groups of 4 to 7 that begin at multiples of 2^(kept+2). These
	// fields hold the size of a group, its reciprocal, and the least y of each home
	// within a group.
	group, reciprocal uint64
	least             [8]uint64

	astray []uint64          // states that found no slot near enough, numbered as slots after the last; hardly ever any
	strays map[uint64]uint32 // index into astray
}

func homesOf(grade int) uint64 { return uint64(4+grade&3) << (grade >> 2) }

// firstGrade returns the least grade: entries have 64 bits at most.
func firstGrade(width uint8) int { return 4 * max(6, int(width)+stepBits-64-2) }

// gradeFor returns the grade of a table that count states fill to at most four fifths;
// beyond that, entries are far from home. Large tables grow by a half or a third, small
// ones double. While levels widen, many states are still to come and each move of a table
// takes time, so steps are twice as large.
func (q *quotients) gradeFor(count uint32, widening bool) int {
	grade, most := q.grade, 4*(int(q.width)-2)
	for uint64(count)*5 > homesOf(grade)*4 && grade < most {
		step := 2
		if grade < 4*(16-2) {
			step *= 2
		}
		if widening {
			step *= 2
		}
		grade = min(grade+step, most)
	}
	return grade
}

// shapeOf returns a table of a grade without its memory, and the size of that memory in bytes.
func shapeOf(width uint8, grade int) (q quotients, bytes int64) {
	q = quotients{n: homesOf(grade), grade: grade, width: width}
	q.kept = width - min(width, uint8(bits.Len64(q.n)-1))
	q.size = uint64(q.kept+stepBits+7) / 8
	q.group = 4 + uint64(grade&3)
	q.reciprocal = 1<<reciprocalBits/q.group + 1
	for i := range q.group {
		q.least[i] = (i<<(q.kept+2) + q.group - 1) / q.group
	}
	q.mask = 1<<(8*q.size) - 1
	return q, int64((q.n+min(q.n, mostSteps)+1)*q.size+8+3) &^ 3
}

func newQuotients(width uint8, grade int, from *tables, shard int) quotients {
	q, bytes := shapeOf(width, grade)
	q.words = from.take(shard, int(bytes/4))
	q.slots = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(q.words))), bytes)
	return q
}

// length returns the number of slots.
func (q *quotients) length() uint64 { return q.n + min(q.n, mostSteps) + 1 }

// home returns the home of y, and the entry of y there. Each slot further on, the
// entry is greater by 1.
func (q *quotients) home(y uint64) (slot, entry uint64) {
	slot, _ = bits.Mul64(y<<((64-q.width)&63), q.n)
	return slot, y&(1<<(q.kept&63)-1)<<stepBits | 1
}

func (q *quotients) at(slot uint64) uint64 {
	return binary.LittleEndian.Uint64(q.slots[slot*q.size:]) & q.mask
}

func (q *quotients) put(slot, entry uint64) {
	b := q.slots[slot*q.size:]
	binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)&^q.mask|entry)
}

// last is put where all slots that follow are empty.
func (q *quotients) last(slot, entry uint64) {
	binary.LittleEndian.PutUint64(q.slots[slot*q.size:], entry)
}

// find returns the slot of y, or the one where it would go, with the entry it has
// there; an entry of 0 says that there is no slot for it.
func (q *quotients) find(y uint64) (slot, entry uint64, found bool) {
	slot, entry = q.home(y)
	for last := entry + mostSteps; ; slot, entry = slot+1, entry+1 {
		switch e := q.at(slot); {
		case e == entry:
			return slot, entry, true
		case e == 0:
			return slot, entry, false
		case entry == last:
			i, found := q.strays[y]
			return q.length() + uint64(i), 0, found
		}
	}
}

// y returns the y whose entry is in a slot.
func (q *quotients) y(slot uint64) uint64 {
	if slot >= q.length() {
		return q.astray[slot-q.length()]
	}
	return q.fraction(slot, q.at(slot))
}

// fraction returns the y that an entry stands for in a slot.
func (q *quotients) fraction(slot, entry uint64) uint64 {
	home := slot - (entry&(1<<stepBits-1) - 1)
	part := home * q.reciprocal >> reciprocalBits
	least := part<<(q.kept&63+2) + q.least[(home-part*q.group)&7]
	return least + (entry>>stepBits-least)&(1<<(q.kept&63)-1)
}

// insert adds y unless it is there.
func (q *quotients) insert(y uint64) (slot uint64, isNew bool) {
	slot, entry, found := q.find(y)
	switch {
	case found:
	case entry != 0:
		q.put(slot, entry)
	default:
		if q.strays == nil {
			q.strays = map[uint64]uint32{}
		}
		slot = q.length() + uint64(len(q.astray))
		q.strays[y] = uint32(len(q.astray))
		q.astray = append(q.astray, y)
	}
	return slot, !found
}

// insertQuotients inserts a bucket and marks the states that were already present. A probe
// spends most of its time waiting for memory, and whether its first slot ends it cannot be
// predicted. So two slots of each of the next few states are read first, back to back and
// without a branch: their cache misses overlap, and most states already present are recognised.
func (s *shard) insertQuotients(bucket []uint32, carried int, c *chunk) {
	var ys, slots, entries [together]uint64
	var there [together]bool
	q, width := &s.quotients, carried+1
	all, size, mask := q.slots, q.size, q.mask
	for ; len(bucket) > 0; bucket = bucket[min(together*width, len(bucket)):] {
		few := min(together, len(bucket)/width)
		for k := range few {
			y := carriedY(bucket[k*width:], carried)
			ys[k] = y
			slots[k], entries[k] = q.home(y)
		}
		for k, slot := range slots[:few] {
			b, e := all[slot*size:], entries[k]
			d, f := binary.LittleEndian.Uint64(b)&mask-e, binary.LittleEndian.Uint64(b[size:])&mask-e-1 // entries never change place here
			there[k] = d == 0 || f == 0
		}
		for k := range few {
			last := &bucket[k*width+carried]
			if there[k] {
				*last = seen
				continue
			}
			slot, entry := slots[k], entries[k]
			b := all[slot*size:]
			word := binary.LittleEndian.Uint64(b)
			for most := entry + mostSteps; word&mask != 0 && word&mask != entry && entry != most; word = binary.LittleEndian.Uint64(b) {
				slot, entry, b = slot+1, entry+1, b[size:]
			}
			isNew := word&mask == 0
			if isNew {
				binary.LittleEndian.PutUint64(b, word|entry)
			} else if word&mask != entry {
				slot, isNew = q.insert(ys[k])
			}
			switch {
			case !isNew:
				*last = seen
			case s.bare:
				s.count++
			default:
				s.found(slot, c.parentOf(*last))
			}
		}
	}
}

// insertQuotient inserts one state; there must be room.
func (s *shard) insertQuotient(y uint64, parent ID) (isNew bool) {
	slot, isNew := s.quotients.insert(y)
	if isNew {
		s.found(slot, parent)
	}
	return isNew
}

// found records that a new state is in a slot.
func (s *shard) found(slot uint64, parent ID) {
	at := s.count >> blockBits
	if int(at) == len(s.blocks) {
		s.blocks = append(s.blocks, s.arena.begun(blockSize*2))
	}
	i := s.count & (blockSize - 1) * 2
	s.blocks[at][i], s.blocks[at][i+1] = uint32(slot), uint32(parent)
	s.count++
}

// many is how many entries a pass over a table reads at a time, before it runs the code
// with unpredictable branches over them.
const many = 1 << 8

// read reads entries from a slot on, until there are at least many and an empty slot follows, or the table
// ends: their y into ys, and their slots. It returns how many, and the next slot.
func (q *quotients) read(ys []uint64, slots []uint32, slot uint64) (_ []uint64, _ []uint32, n int, next uint64) {
	all, size, mask, length := q.slots, q.size, q.mask, q.length()
	for ; slot < length; slot++ { // the last one is empty
		entry := binary.LittleEndian.Uint64(all[slot*size:]) & mask
		if entry == 0 && n >= many {
			break
		}
		if n == len(ys) {
			ys, slots = append(ys, make([]uint64, max(n, many))...), append(slots, make([]uint32, max(n, many))...)
		}
		ys[n], slots[n] = q.fraction(slot, entry), uint32(slot)
		full := 0 // counted without a branch on whether a slot is full
		if entry != 0 {
			full = 1
		}
		n += full
	}
	return ys, slots, n, slot
}

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

// carriedY returns the y that an entry of a bucket begins with.
func carriedY(entry []uint32, carried int) uint64 {
	if carried == 1 {
		return uint64(entry[0])
	}
	return uint64(entry[0]) | uint64(entry[1])<<32
}
