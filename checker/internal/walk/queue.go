package walk

// queue holds the states found but not yet expanded, in the order of the walk, which is
// that of a sequential search: by parent, and for one parent in the order of its steps. So
// neighbours have parents near each other, and many of their successors are the same, which
// a comparison with the recent ones finds (expand.go).
//
// An entry holds the number of a state. Where reading the state from its shard would miss
// the cache, or the shard does not hold it, the entry also holds the words that encoded
// it as a successor.
type queue struct {
	entry      int        // words
	encoded    bool       // entries have the words that encode the state
	sleep      int        // words of sleep sets, 64 bits each, at the end of an entry
	bits       uint8      // of an entry's number in its block
	blocks     [][]uint32 // the first block holds the first entry
	spare      [][]uint32 // blocks no longer in use
	arena      *arena     // of the blocks
	base       int64      // the place in the walk where the first block begins
	first, end int64      // places in the walk
}

// entryAt returns the entry of a place in the walk.
func (q *queue) entryAt(n int64) []uint32 {
	n -= q.base
	i := int(n&(1<<(q.bits&63)-1)) * q.entry
	return q.blocks[n>>(q.bits&63)][i : i+q.entry : i+q.entry]
}

// put writes an entry: the number of a state, its encoding, and its sleep set.
func (q *queue) put(place int64, id ID, encoding []uint32, asleep []uint64) {
	to := q.entryAt(place)
	to[0] = uint32(id)
	if q.encoded {
		for i, x := range encoding { // few: copy would be a call
			to[1+i] = x
		}
	}
	for to = to[len(to)-2*q.sleep:]; len(to) > 0; to = to[2:] {
		to[0], to[1] = 0, 0
		if len(asleep) > 0 {
			to[0], to[1] = uint32(asleep[0]), uint32(asleep[0]>>32)
			asleep = asleep[1:]
		}
	}
}

// grow makes room for more entries at the end.
func (q *queue) grow(more int64) {
	q.end += more
	for int64(len(q.blocks))<<q.bits < q.end-q.base {
		if last := len(q.spare) - 1; last >= 0 {
			q.blocks, q.spare = append(q.blocks, q.spare[last]), q.spare[:last]
		} else {
			q.blocks = append(q.blocks, q.arena.begun(q.entry<<q.bits))
		}
	}
}

// drop removes what lies before a place.
func (q *queue) drop(to int64) {
	q.first = to
	done := int((to - q.base) >> q.bits)
	q.spare = append(q.spare, q.blocks[:done]...)
	q.blocks = q.blocks[done:]
	q.base += int64(done) << q.bits
}

// words returns how much memory the queue needs for more entries.
func (q *queue) words(more int64) int {
	blocks := int((q.end + more - q.base + 1<<q.bits - 1) >> q.bits)
	return max(0, blocks-len(q.blocks)-len(q.spare)) * q.entry << q.bits
}

// asleep returns the sleep set in an entry of the queue.
func (q *queue) asleep(dst []uint64, entry []uint32) []uint64 {
	for words := entry[len(entry)-2*q.sleep:]; len(words) > 0; words = words[2:] {
		dst = append(dst, uint64(words[0])|uint64(words[1])<<32)
	}
	return dst
}
