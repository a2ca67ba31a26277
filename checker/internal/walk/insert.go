package walk

import "encoding/binary"

// insertMarks inserts a bucket of one-word keys; the map tells which are there. It marks what
// was seen. It writes every key after the last state and counts it only if it is new, as a
// branch on that would be unpredictable.
func (s *shard) insertMarks(marks, bucket []uint32, c *chunk) {
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

// insert inserts the entries of the chunks that belong to one shard.
func (x *expander) insert(shard int, chunks []*chunk) {
	sh := &x.w.space.shards[shard]
	for _, c := range chunks {
		c.locals[shard] = sh.count
		x.insertBucket(sh, shard, c)
		c.fresh[shard] = int32(sh.count - c.locals[shard])
	}
}

func (x *expander) insertBucket(sh *shard, shard int, c *chunk) {
	space, bucket := x.w.space, c.bucket(shard)
	entry := space.carried + 1
	if sh.form == byMarks {
		sh.insertMarks(space.marks, bucket, c)
		return
	}
	sh.enlarge(sh.count+uint32(len(bucket)/entry), space.widening, &x.moving)
	if sh.form == byQuotients {
		sh.insertQuotients(bucket, space.carried, c)
		return
	}
	hashes := c.hashes[int(c.bounds[shard])/entry:]
	var there [together]bool
	var homes [together]uint32
	for table, mask := sh.table, uint64(len(sh.table)-1); len(bucket) > 0; {
		few := min(together, len(bucket)/entry)
		for k, h := range hashes[:few] { // their cache misses overlap
			homes[k] = table[h&mask]
		}
		for k, h := range hashes[:few] { // and so do these
			there[k] = sh.tells(homes[k], x.keyOf(bucket[k*entry:][:entry-1]), h)
		}
		for k := range few {
			encoding, last := bucket[k*entry:][:entry-1], &bucket[k*entry+entry-1]
			if there[k] || !sh.insert(x.keyOf(encoding), hashes[k]) {
				*last = seen
			} else {
				sh.setParent(c.parentOf(*last))
			}
		}
		bucket, hashes = bucket[few*entry:], hashes[few:]
	}
}

// gather appends the new states of a chunk to the queue, in the order of the steps that
// found them, and judges them.
func (x *expander) gather(c *chunk) {
	space, q, judges := x.w.space, c.queue, x.w.kinds != nil
	carried, free := space.carried, x.w.free
	at, locals, place := c.bounds, c.locals, c.place
	var froms [together]int32
	var lasts [together]uint32
	for owners := c.owners; len(owners) > 0; owners = owners[min(together, len(owners)):] {
		few := owners[:min(together, len(owners))]
		for k, s := range few { // their cache misses overlap
			s &= shards - 1
			from := at[s]
			at[s] = from + int32(carried+1)
			froms[k], lasts[k] = from, c.entries[int(from)+carried]
		}
		for k, s := range few {
			last := lasts[k]
			if last == seen {
				continue
			}
			s &= shards - 1
			encoding := c.entries[froms[k]:][:carried]
			kind := last >> offsetBits
			after := x.sleepBehind(c, last)
			q.put(place, idOf(int(s), locals[s]), encoding, after)
			locals[s]++
			place++
			if judges && (int(kind) >= len(free) || !free[kind]) {
				x.ahead = space.decode(x.ahead[:0], int(s), encoding)
				c.hasFlags(place, x.w.opt.Judge(x.ahead, kind))
			}
		}
	}
}

// sleepBehind returns what sleeps in a state, given the last word of its entry.
func (x *expander) sleepBehind(c *chunk, last uint32) []uint64 {
	sleep := x.w.opt.Sleep
	if sleep == nil {
		return nil
	}
	sleep.After(x.after, c.notesOf(int(last&(chunkEntries-1)), sleep.Notes), last>>offsetBits)
	return x.after
}
