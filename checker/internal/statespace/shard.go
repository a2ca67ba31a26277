package statespace

// shard is the part of a space whose hashes begin with the same six bits.
type shard struct {
	table   []uint32   // 0, or tag<<localBits | local+1; a power of two long
	blocks  [][]uint32 // entries in the order of discovery
	count   uint32     // states
	expand  uint32     // the first state that was not yet expanded
	level   uint32     // the first state of the next level
	entry   int        // words of an entry: the state's (or fingerprint's) and the parent
	keyed   bool       // the table holds keys, see insertWord
	current []uint32   // with Compact: the states of the current level, packed
	next    []uint32   // with Compact: those of the next one
}

const (
	blockBits  = 12
	blockSize  = 1 << blockBits
	firstTable = 64
)

// full reports whether a table of the given length holds as many as it should.
func full(count uint32, length int) bool { return int(count) >= length-length/5 }

func (s *shard) at(local uint32) []uint32 {
	i := int(local&(blockSize-1)) * s.entry
	return s.blocks[local>>blockBits][i : i+s.entry : i+s.entry]
}

func tagOf(h uint64) uint32 { return uint32(h>>32) & (shards - 1) << localBits }

// insert adds a state with the given hash unless it is there, and reports
// whether it was new. key has entry-1 words. The caller has made room.
func (s *shard) insert(key []uint32, h uint64, parent ID) bool {
	if s.keyed {
		before := s.count
		s.insertWord(key[0], h, parent)
		return s.count > before
	}
	mask := uint64(len(s.table) - 1)
	tag := tagOf(h)
	for i := h & mask; ; i = (i + 1) & mask {
		e := s.table[i]
		if e == 0 {
			s.table[i] = tag | s.count + 1
			s.add(key, parent)
			return true
		}
		if e&^(1<<localBits-1) == tag && s.same(e&(1<<localBits-1)-1, key) {
			return false
		}
	}
}

func (s *shard) same(local uint32, key []uint32) bool {
	at := s.at(local)
	for i, x := range key {
		if at[i] != x {
			return false
		}
	}
	return true
}

// insertWord is insert for keys of less than 32 bits: there the table holds the
// keys themselves, plus 1, until somebody asks for the numbers of states.
func (s *shard) insertWord(key uint32, h uint64, parent ID) {
	table := s.table
	for i := h; ; i++ {
		e := table[i&uint64(len(table)-1)]
		if e == key+1 {
			return
		}
		if e == 0 {
			table[i&uint64(len(table)-1)] = key + 1
			break
		}
	}
	local := s.count
	if int(local>>blockBits) == len(s.blocks) {
		s.blocks = append(s.blocks, make([]uint32, blockSize*2))
	}
	block := s.blocks[local>>blockBits]
	i := local & (blockSize - 1) * 2
	block[i], block[i+1] = key, uint32(parent)
	s.count++
}

// add appends an entry.
func (s *shard) add(key []uint32, parent ID) {
	if int(s.count>>blockBits) == len(s.blocks) {
		s.blocks = append(s.blocks, make([]uint32, blockSize*s.entry))
	}
	at := s.at(s.count)
	copy(at, key)
	at[s.entry-1] = uint32(parent)
	s.count++
}

// insertWords inserts a bucket of keys of one word. A probe mostly waits for
// memory, and whether it ends at once cannot be foreseen; looking at the slots
// of the next few keys beforehand lets them wait together.
func (s *shard) insertWords(bucket []uint32, c *chunk) {
	const together = 16
	table := s.table
	mask := uint64(len(table) - 1)
	var hashes [together]uint64
	var slots [together]uint32
	for len(bucket) >= 2*together {
		for k := range together {
			h := mix(1 ^ uint64(bucket[2*k]))
			hashes[k] = h
			slots[k] = table[h&mask]
		}
		for k := range together {
			// What was in the slot stays there: a key that is found now is there.
			if key := bucket[2*k]; slots[k] != key+1 {
				s.insertWord(key, hashes[k], idOf(c.shard, c.from+bucket[2*k+1]))
			}
		}
		bucket = bucket[2*together:]
	}
	for ; len(bucket) >= 2; bucket = bucket[2:] {
		s.insertWord(bucket[0], mix(1^uint64(bucket[0])), idOf(c.shard, c.from+bucket[1]))
	}
}

// number makes the table hold the numbers of states.
func (s *shard) number() {
	if s.keyed {
		s.keyed = false
		s.grow(len(s.table))
	}
}

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

// grow makes the table large enough for count states, rehashing what is there.
func (s *shard) grow(length int) {
	old := s.table
	s.table = allocate(length)
	mask := uint64(length - 1)
	for local := range s.count {
		key := s.at(local)[:s.entry-1]
		h := hashOf(key)
		i := h & mask
		for s.table[i] != 0 {
			i = (i + 1) & mask
		}
		if s.keyed {
			s.table[i] = key[0] + 1
		} else {
			s.table[i] = tagOf(h) | local + 1
		}
	}
	release(old)
}

// bytes returns what the shard takes.
func (s *shard) bytes() int64 {
	return int64(len(s.table))*4 + int64(len(s.blocks))*blockSize*int64(s.entry)*4 + int64(cap(s.current)+cap(s.next))*4
}

// hashOf mixes the words of a key. The highest bits choose the shard, the lowest
// the slot, those above bit 32 the tag. (Multiply and fold, after Steele and
// Vigna's studies of 64-bit mixers, 2021.)
func hashOf(key []uint32) uint64 {
	h := uint64(len(key))
	for len(key) >= 2 {
		h = mix(h ^ (uint64(key[0]) | uint64(key[1])<<32))
		key = key[2:]
	}
	if len(key) == 1 {
		h = mix(h ^ uint64(key[0]))
	}
	return h
}

func mix(x uint64) uint64 {
	x *= 0xd1342543de82ef95
	x ^= x >> 32
	x *= 0xaf251af3b0f025b5
	return x ^ x>>29
}
