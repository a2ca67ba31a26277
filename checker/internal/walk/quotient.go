package walk

import (
	"encoding/binary"
	"math/bits"
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
	reciprocalBits = 33 // there are up to 2^30 homes
	stepBits       = 10 // of an entry's distance from home, plus 1
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

	// states that found no slot near enough, numbered as slots after the last; nearly always none
	astray []uint64
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

func (q *quotients) load(slot uint64) uint64 {
	return binary.LittleEndian.Uint64(q.slots[slot*q.size:]) & q.mask
}

func (q *quotients) put(slot, entry uint64) {
	b := q.slots[slot*q.size:]
	binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)&^q.mask|entry)
}

// append is put where all slots that follow are empty.
func (q *quotients) append(slot, entry uint64) {
	binary.LittleEndian.PutUint64(q.slots[slot*q.size:], entry)
}

// find returns the slot of y, or the one where it would go, with the entry it has
// there; an entry of 0 says that there is no slot for it.
func (q *quotients) find(y uint64) (slot, entry uint64, found bool) {
	slot, entry = q.home(y)
	for last := entry + mostSteps; ; slot, entry = slot+1, entry+1 {
		switch e := q.load(slot); {
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
	return q.fraction(slot, q.load(slot))
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

// carriedY returns the y that an entry of a bucket begins with.
func carriedY(entry []uint32, carried int) uint64 {
	if carried == 1 {
		return uint64(entry[0])
	}
	return uint64(entry[0]) | uint64(entry[1])<<32
}
