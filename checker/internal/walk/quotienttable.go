package walk

import (
	"bufio"
	"context"
	"encoding/binary"
	"slices"
)

// quotientTables is the form for states of up to 70 bits: the table of a shard holds the states themselves, in fewer
// bits than they have (quotient.go). Blocks hold the slots of the states, 4 bytes, and the parents.
type quotientTables struct {
	space  *Space
	mixing mixing
	tables [shards]quotients
}

func newQuotientTables(s *Space, m mixing) (form, traits) {
	q := &quotientTables{space: s, mixing: m}
	for i := range q.tables {
		q.tables[i] = newQuotients(m.width, firstGrade(m.width), &s.tables, i)
	}
	return q, traits{name: "quotients", entry: 2, carried: int(m.width+31) / 32, recent: mixedBits, batch: 1}
}

// emit compares the mixed states themselves, and does not branch
// on the result, which no predictor could guess.
func (q *quotientTables) emit(x *expander, parent uint32) {
	space := q.space
	m, words, entry := q.mixing, space.words, space.carried+1
	count := len(x.next) / words
	at := len(x.out)
	x.out = slices.Grow(x.out, entry*count+entry)
	x.shards = slices.Grow(x.shards, count+1)
	out, owners := x.out[at:cap(x.out)], x.shards[at/entry:cap(x.shards)]
	recent := (*[1 << mixedBits]uint64)(x.recent)
	n := 0
	kinds := x.kinds[:count]
	for i, kind := range kinds {
		lo, over := x.next[i*words], uint64(0)
		if words == 2 {
			lo, over = m.fold(lo, x.next[i*words+1])
		}
		shard, y := m.mix(lo, over)
		// The slot tells the shard and the first bits of y, the rest is not 0.
		const first = mixedBits - shardBits
		slot := &recent[shard<<first|int(y>>((m.width-first)&63))&(1<<mixedBits-1)]
		rest := y&(1<<((m.width-first)&63)-1) + 1
		to := out[n*entry : n*entry+entry : n*entry+entry]
		to[0] = uint32(y)
		if entry == 3 {
			to[1] = uint32(y >> 32)
		}
		to[entry-1] = parent | kind<<offsetBits
		owners[n] = uint8(shard)
		other := 0
		if *slot != rest {
			other = 1
		}
		*slot = rest
		n += other
	}
	x.out, x.shards = x.out[:at+entry*n], x.shards[:at/entry+n]
}

// insert marks the states that were already present. A probe
// spends most of its time waiting for memory, and whether its first slot ends it cannot be
// predicted. So two slots of each of the next few states are read first, back to back and
// without a branch: their cache misses overlap, and most states already present are recognised.
func (f *quotientTables) insert(_ *expander, shard int, c *chunk) {
	s, bucket, carried := &f.space.shards[shard], c.bucket(shard), f.space.carried
	var ys, slots, entries [together]uint64
	var there [together]bool
	q, width := &f.tables[shard], carried+1
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
			// entries never change place here
			d, f := binary.LittleEndian.Uint64(b)&mask-e, binary.LittleEndian.Uint64(b[size:])&mask-e-1
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
			for most := entry + mostSteps; word&mask != 0 && word&mask != entry && entry != most; {
				slot, entry, b = slot+1, entry+1, b[size:]
				word = binary.LittleEndian.Uint64(b)
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

// insertOne inserts one state; there must be room.
func (f *quotientTables) insertOne(shard int, y uint64, parent ID) (isNew bool) {
	slot, isNew := f.tables[shard].insert(y)
	if isNew {
		f.space.shards[shard].found(slot, parent)
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
func (f *quotientTables) regrade(shard, grade int, with *moving) {
	s, old := &f.space.shards[shard], f.tables[shard]
	q := newQuotients(old.width, grade, &f.space.tables, shard)
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
				q.append(now, entry+(now-home))
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
	f.space.tables.give(shard, old.words)
	f.tables[shard] = q
}

func (f *quotientTables) enlarge(shard int, count uint32, widening bool, with *moving) {
	if grade := f.tables[shard].gradeFor(count, widening); grade > f.tables[shard].grade {
		f.regrade(shard, grade, with)
	}
}

func (f *quotientTables) enlarged(shard int, count uint32, widening bool) int {
	q := &f.tables[shard]
	if grade := q.gradeFor(count, widening); grade > q.grade {
		_, bytes := shapeOf(q.width, grade)
		return int(bytes / 4)
	}
	return f.tabled(shard)
}

func (f *quotientTables) tabled(shard int) int { return len(f.tables[shard].words) }

func (f *quotientTables) outside() int64 {
	sum := int64(0)
	for i := range f.tables {
		sum += int64(len(f.tables[i].astray)) * 32
	}
	return sum
}

func (f *quotientTables) release() {
	for i := range f.tables {
		f.space.tables.free(i, f.tables[i].words)
		f.tables[i] = quotients{}
	}
}

func (f *quotientTables) encode(state []uint64) (words []uint32, shard int) {
	shard, y := f.mixing.of(state)
	return []uint32{uint32(y), uint32(y >> 32)}[:f.space.carried], shard
}

func (f *quotientTables) decode(dst []uint64, shard int, encoding []uint32) []uint64 {
	return f.mixing.state(dst, shard, carriedY(encoding, f.space.carried))
}

func (f *quotientTables) state(dst []uint64, shard int, local uint32) []uint64 {
	return f.mixing.state(dst, shard, f.tables[shard].y(uint64(f.space.shards[shard].entryAt(local)[0])))
}
func (f *quotientTables) each(part, parts int, visit func(state []uint64) bool) {
	var state, ys []uint64
	var slots []uint32
	for i := part; i < shards; i += parts {
		q := &f.tables[i]
		for slot, n := uint64(0), 0; slot < q.length(); {
			ys, slots, n, slot = q.read(ys, slots, slot)
			for _, y := range ys[:n] {
				if state = f.mixing.state(state[:0], i, y); !visit(state) {
					return
				}
			}
		}
		for _, y := range q.astray {
			if state = f.mixing.state(state[:0], i, y); !visit(state) {
				return
			}
		}
	}
}

func (f *quotientTables) index(ctx context.Context, n *Numbers) index {
	x := &quotientIndex{discovered: discovered{n}, form: f}
	for i := range f.tables {
		if ctx.Err() != nil {
			break
		}
		x.slots[i] = slotNumbers(&f.space.shards[i], &f.tables[i], n.base[i])
	}
	return x
}

// slotNumbering is the numbers of states, by shard and slot.
type slotNumbering [shards][]uint32

// slotNumbers returns the numbers of a shard, whose first state has the given one.
func slotNumbers(s *shard, q *quotients, first int) []uint32 {
	slots := allocate(int(q.length()) + len(q.astray))
	for local := range s.count {
		slots[s.entryAt(local)[0]] = uint32(first) + local
	}
	return slots
}

func (n *slotNumbering) forget() {
	for i, l := range n {
		release(l)
		n[i] = nil
	}
}

func (f *quotientTables) indexed() int64 {
	sum := int64(0)
	for i := range f.tables {
		sum += int64(f.tables[i].length()) * 4
	}
	return sum
}

// quotientIndex finds numbers in tables of quotients.
type quotientIndex struct {
	discovered
	form  *quotientTables
	slots slotNumbering
}

func (x *quotientIndex) forget() { x.slots.forget() }

// find reads the first two slots of all of the states before it looks at any, as insert does.
func (x *quotientIndex) find(dst []int32, states []uint64, missing int32) (_ []int32, found bool) {
	form, words := x.form, x.n.space.words
	var ys, slots, entries [abreast]uint64
	var owners [abreast]uint8
	var off [abreast]bool
	few := len(states) / words
	for k := range few {
		shard, y := form.mixing.of(states[k*words:][:words])
		ys[k], owners[k] = y, uint8(shard)
		slots[k], entries[k] = form.tables[shard&(shards-1)].home(y)
	}
	for k, shard := range owners[:few] {
		q, slot, entry := &form.tables[shard&(shards-1)], slots[k], entries[k]
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
			if slot, _, there = form.tables[shard&(shards-1)].find(ys[k]); !there {
				dst, found = append(dst, missing), false
				continue
			}
		}
		dst = append(dst, int32(x.slots[shard&(shards-1)][slot]))
	}
	return dst, found
}

func (f *quotientTables) filed() int { return f.space.packed + 1 }

func (f *quotientTables) write(b *bufio.Writer, shard int) { f.space.write(b, shard, 1) }

// read inserts the states as it reads them: each must be valid and must not have occurred before.
func (f *quotientTables) read(c *CheckpointReader, shard int, count uint32, check *StateCheck) error {
	s := f.space
	f.enlarge(shard, count, false, &moving{})
	block := make([]uint32, blockSize*(s.packed+1))
	var state []uint64
	for left := count; left > 0; {
		some := block[:min(left, blockSize)*uint32(s.packed+1)]
		if err := c.Read(some); err != nil {
			return err
		}
		for ; len(some) > 0; some = some[s.packed+1:] {
			if state = s.unpack(state[:0], some); !check.Holds(state) {
				return damaged("a state is out of range")
			}
			if i, y := f.mixing.of(state); i != shard || !f.insertOne(shard, y, ID(some[s.packed])) {
				return damaged("a state is in the wrong place")
			}
			left--
		}
	}
	return nil
}

func (f *quotientTables) restore(int, *StateCheck) error { return nil }
