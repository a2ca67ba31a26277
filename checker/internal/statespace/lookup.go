package statespace

import "sort"

// Numbering numbers the states of a space 0..States()-1, in the order of Each.
// Those of one part follow each other.
type Numbering struct{ base [shards + 1]int64 }

// Parts is the number of parts of a space (see [Space.EachPart]) that are
// numbered one after the other.
const Parts = shards

// Numbering returns the numbering of the states found so far.
func (s *Space) Numbering() *Numbering {
	n := &Numbering{}
	for i := range s.shards {
		n.base[i+1] = n.base[i] + int64(s.shards[i].count)
	}
	return n
}

// Of returns the number of a state.
func (n *Numbering) Of(id ID) int {
	shard, local := id.split()
	return int(n.base[shard]) + int(local)
}

// ID is the inverse of Of.
func (n *Numbering) ID(i int) ID {
	shard := sort.Search(shards, func(k int) bool { return n.base[k+1] > int64(i) })
	return idOf(shard, uint32(int64(i)-n.base[shard]))
}

// Part returns the numbers of a part's states: from, and so on below to.
func (n *Numbering) Part(part int) (from, to int) {
	return int(n.base[part]), int(n.base[part+1])
}

// Finder looks states up. It is for one goroutine at a time.
type Finder struct {
	space  *Space
	packed []uint32
	key    []uint32
}

// Finder returns a new one. Number has to come first.
func (s *Space) Finder() *Finder { return &Finder{space: s} }

// Find returns the number of a state, given its words.
func (f *Finder) Find(state []uint64) (ID, bool) {
	s := f.space
	if s.quotients() {
		shard, y := s.mixing.of(state)
		slot, _, ok := s.shards[shard].quotients.find(y)
		if !ok {
			return 0, false
		}
		return idOf(shard, s.shards[shard].locals[slot]), true
	}
	f.packed = s.pack(f.packed[:0], state)
	f.key = s.key(f.key[:0], f.packed)
	h := hashOf(f.key)
	shard := s.shardOf(f.key, h)
	local, ok := s.shards[shard].find(f.key, h)
	return idOf(shard, local), ok
}

// FindAll appends the numbers of states that follow each other, and reports whether all
// were found. It is Find for each of them, but they wait for memory together.
func (f *Finder) FindAll(dst []ID, states []uint64) ([]ID, bool) {
	s := f.space
	if !s.quotients() {
		return f.findEach(dst, states)
	}
	var slots, entries [together]uint64
	var owners [together]uint8
	for words := s.words; len(states) > 0; states = states[min(together*words, len(states)):] {
		few := min(together, len(states)/words)
		for k := range few {
			i, y := s.mixing.of(states[k*words:][:words])
			owners[k] = uint8(i)
			slots[k], entries[k] = s.shards[i].quotients.home(y)
		}
		for k, i := range owners[:few] { // the first two slots tell of most
			q, slot, entry := &s.shards[i&(shards-1)].quotients, slots[k], entries[k]
			first, second := q.at(slot), q.at(slot+1)
			if first != entry {
				slot++
			}
			slots[k] = slot
			if first != entry && second != entry+1 {
				_, y := s.mixing.of(states[k*words:][:words])
				found := false
				if slots[k], _, found = q.find(y); !found {
					return dst, false
				}
			}
		}
		for k, i := range owners[:few] {
			dst = append(dst, idOf(int(i), s.shards[i&(shards-1)].locals[slots[k]]))
		}
	}
	return dst, true
}

// findEach is FindAll, one after the other.
func (f *Finder) findEach(dst []ID, states []uint64) ([]ID, bool) {
	for words := f.space.words; len(states) > 0; states = states[words:] {
		id, found := f.Find(states[:words])
		if !found {
			return dst, false
		}
		dst = append(dst, id)
	}
	return dst, true
}

// Numbered bounds what the space takes once Number has been called.
func (s *Space) Numbered() int64 {
	sum := s.bytes()
	for i := range s.shards {
		sum += s.shards[i].numbering()
	}
	return sum
}
