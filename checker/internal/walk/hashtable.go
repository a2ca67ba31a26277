package walk

import (
	"context"
	"math/bits"
	"slices"
)

// hashTables is the form for states of any size: the table of a shard holds the local number of a state, plus 1,
// below six bits of its hash; 0 is an empty slot. Blocks hold the states themselves, packed, or only 64 bits of another
// hash of them (Space.compact). Tables are a power of two long.
type hashTables struct {
	listed
	tables [shards][]uint32
}

func newHashTables(s *Space) (form, traits) {
	h := &hashTables{listed: listed{s}}
	for i := range h.tables {
		h.tables[i] = s.tables.take(i, firstTable)
	}
	t := traits{
		name: "table", entry: s.packed + 1, carried: s.packed, recent: recentBits, batch: together, ordered: true,
		wide: true,
	}
	if s.compact {
		t.name, t.entry, t.recent = "hashes", 3, wideBits
	}
	return h, t
}

const firstTable = 64

// full reports whether a table of the given length holds as many states as it should.
func full(count uint32, length int) bool { return int(count) >= length-length/5 }

func tagOf(h uint64) uint32 { return uint32(h>>32) & (shards - 1) << localBits }

// emit appends the successors that are not among the recent ones, for the states from parent on.
// It does not branch on that, as no predictor could guess it. All hashes are computed first, so
// that the cache misses of the comparisons overlap.
func (h *hashTables) emit(x *expander, parent uint32) {
	space := h.space
	words, packed, entry := space.words, space.packed, space.packed+1
	count := len(x.next) / words
	at, n := len(x.out), len(x.shards)
	x.out = slices.Grow(x.out, entry*count+entry)
	x.shards, x.hashes = slices.Grow(x.shards, count+1), slices.Grow(x.hashes, 2*count+1)
	out, owners, hashes := x.out[:cap(x.out)], x.shards[:cap(x.shards)], x.hashes[:cap(x.hashes)]
	all := hashes[n+count:][:count] // after the hashes of what is emitted
	for k := range all {
		if state := x.next[k*words:][:words]; space.compact {
			packInto(out[at:at+packed], state)
			all[k] = hashOf(x.keyOf(out[at : at+packed]))
		} else {
			all[k] = hashOfState(state, packed)
		}
	}
	// A slot has a state and its hash. An empty slot matches no state: even the state of all
	// zeros has a hash other than 0.
	slots := uint64(1)<<(bits.Len(uint(len(x.recent)/(words+1)))-1) - 1
	k := 0
	for i, end := range x.ends {
		for ; k < end; k++ {
			state, to, h := x.next[k*words:][:words], out[at:at+entry], all[k]
			slot := x.recent[int(h>>20&slots)*(words+1):][:words+1]
			differs := slot[words] ^ h
			slot[words] = h
			for i, v := range state {
				differs |= slot[i] ^ v
				slot[i] = v
				// if words is odd, the last half is overwritten by the parent
				to[2*i], to[2*i+1] = uint32(v), uint32(v>>32)
			}
			to[packed] = parent + uint32(i) | x.kinds[k]<<offsetBits
			owners[n], hashes[n] = uint8(h>>(64-shardBits)), h
			other := 0
			if differs != 0 {
				other = 1
			}
			n += other
			at += entry & -other
		}
	}
	x.out, x.shards, x.hashes = out[:at], owners[:n], hashes[:n]
}

func (h *hashTables) insert(x *expander, shard int, c *chunk) {
	sh, bucket, entry := &h.space.shards[shard], c.bucket(shard), h.space.carried+1
	hashes := c.hashes[int(c.bounds[shard])/entry:]
	var there [together]bool
	var homes [together]uint32
	for table, mask := h.tables[shard], uint64(len(h.tables[shard])-1); len(bucket) > 0; {
		few := min(together, len(bucket)/entry)
		for k, h := range hashes[:few] { // their cache misses overlap
			homes[k] = table[h&mask]
		}
		for k, h := range hashes[:few] { // and so do these
			there[k] = sh.tells(homes[k], x.keyOf(bucket[k*entry:][:entry-1]), h)
		}
		for k := range few {
			encoding, last := bucket[k*entry:][:entry-1], &bucket[k*entry+entry-1]
			if there[k] || !sh.insert(table, x.keyOf(encoding), hashes[k]) {
				*last = seen
			} else {
				sh.setParent(c.parentOf(*last))
			}
		}
		bucket, hashes = bucket[few*entry:], hashes[few:]
	}
}

// insert adds a state with the given hash unless it is there, and reports
// whether it was new; if so, the caller then calls setParent. key has entry-1 words. There
// must be room.
func (s *shard) insert(table, key []uint32, h uint64) bool {
	mask := uint64(len(table) - 1)
	tag := tagOf(h)
	for i := h & mask; ; i = (i + 1) & mask {
		e := table[i]
		if e == 0 {
			table[i] = tag | s.count + 1
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
	return string(bytesOf(s.entryAt(local)[:len(key)])) == string(bytesOf(key)) // many bytes at a time
}

// find returns the number of a state that is in the shard.
func (s *shard) find(table, key []uint32, h uint64) (local uint32, ok bool) {
	mask := uint64(len(table) - 1)
	tag := tagOf(h)
	for i := h & mask; table[i] != 0; i = (i + 1) & mask {
		if e := table[i]; e&^(1<<localBits-1) == tag {
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
func lengthFor(table []uint32, count uint32, widening bool) int {
	length := max(len(table), tableFor(count))
	if widening && length > len(table) {
		length *= 2
	}
	return length
}

func (h *hashTables) enlarge(shard int, count uint32, widening bool, _ *moving) {
	if length := lengthFor(h.tables[shard], count, widening); length > len(h.tables[shard]) {
		h.rehash(shard, length)
	}
}

// rehash puts the states of a shard into a table of the given length.
func (h *hashTables) rehash(shard, length int) {
	s, old := &h.space.shards[shard], h.tables[shard]
	table := h.space.tables.take(shard, length)
	mask := uint64(length - 1)
	for local := range s.count {
		key := s.entryAt(local)[:s.entry-1]
		h := hashOf(key)
		i := h & mask
		for table[i] != 0 {
			i = (i + 1) & mask
		}
		table[i] = tagOf(h) | local + 1
	}
	h.tables[shard] = table
	h.space.tables.give(shard, old)
}

func (h *hashTables) enlarged(shard int, count uint32, widening bool) int {
	return lengthFor(h.tables[shard], count, widening)
}

func (h *hashTables) tabled(shard int) int { return len(h.tables[shard]) }

func (h *hashTables) outside() int64 { return 0 }

func (h *hashTables) release() {
	for i, table := range h.tables {
		h.space.tables.free(i, table)
		h.tables[i] = nil
	}
}

func shardOfHash(h uint64) int { return int(h >> (64 - shardBits)) }

func (h *hashTables) encode(state []uint64) (words []uint32, shard int) {
	words = h.space.pack(nil, state)
	return words, shardOfHash(hashOf(h.space.key(nil, words)))
}

func (h *hashTables) decode(dst []uint64, _ int, encoding []uint32) []uint64 {
	return h.space.unpack(dst, encoding)
}

func (h *hashTables) state(dst []uint64, shard int, local uint32) []uint64 {
	return h.space.unpack(dst, h.space.shards[shard].entryAt(local))
}

func (h *hashTables) each(part, parts int, f func(state []uint64) bool) {
	h.space.eachFound(part, parts, f)
}

func (h *hashTables) index(_ context.Context, n *Numbers) index {
	return &hashIndex{discovered{n}, h}
}

func (h *hashTables) indexed() int64 { return 0 }

// hashIndex finds numbers in hash tables.
type hashIndex struct {
	discovered
	form *hashTables
}

// find reads the first slot of all of the states before it looks at any.
func (x *hashIndex) find(dst []int32, states []uint64, missing int32) (_ []int32, found bool) {
	n, s, words := x.n, x.n.space, x.n.space.words
	var hashes [abreast]uint64
	var owners [abreast]uint8
	var firsts [abreast]uint32
	var buffer [32]uint32
	packed := buffer[:0]
	few := len(states) / words
	for k := range few {
		packed = s.pack(packed[:0], states[k*words:][:words])
		h := hashOf(packed)
		hashes[k], owners[k] = h, uint8(shardOfHash(h))
	}
	for k, shard := range owners[:few] {
		t := x.form.tables[shard&(shards-1)]
		firsts[k] = t[hashes[k]&uint64(len(t)-1)]
	}
	found = true
	for k, shard := range owners[:few] {
		sh := &s.shards[shard&(shards-1)]
		packed = s.pack(packed[:0], states[k*words:][:words])
		local, there := firsts[k]&(1<<localBits-1)-1, true
		if !sh.tells(firsts[k], packed, hashes[k]) {
			local, there = sh.find(x.form.tables[shard&(shards-1)], packed, hashes[k])
		}
		if !there {
			dst, found = append(dst, missing), false
			continue
		}
		dst = append(dst, int32(n.base[shard&(shards-1)]+int(local)))
	}
	return dst, found
}

func (h *hashTables) restore(shard int, check *StateCheck) error {
	sh := &h.space.shards[shard]
	var state []uint64
	for local := range sh.count {
		key := sh.entryAt(local)[:sh.entry-1]
		if !h.space.compact {
			if state = h.space.unpack(state[:0], key); !check.Holds(state) {
				return damaged("a state is out of range")
			}
		}
		if shardOfHash(hashOf(key)) != shard {
			return damaged("a state is in the wrong place")
		}
	}
	h.rehash(shard, tableFor(sh.count))
	return nil
}
