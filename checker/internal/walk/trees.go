package walk

import (
	"bufio"
	"context"
	"math/bits"
	"slices"
)

// Tree compression, for states of many bits (Laarman, van de Pol and Weber, Parallel recursive state compression for
// free, SPIN 2011; Blom, Lisser, van de Pol and Weber, A database approach to distributed state space generation, 2009;
// its forerunner is Holzmann's recursive indexing, State compression in SPIN, SPIN 1997). It is exact.
//
// The words of a state are numbered, each different word once; so are pairs of neighbouring numbers, as words of
// 64 bits again, and so on, until two numbers are left: the root, which stands for the state. As a step changes few
// words, nearly all other nodes are there already, and a state takes the root, its parent, and a slot of its shard's
// table: 17 to 22 bytes, and its share of the nodes.
//
// Equal states have equal roots, and different ones different roots, as each number stands for one value (nodes). But
// which number that is depends on the order in which workers came. So a state's shard is chosen by the hash of the
// state itself, and its place in the shard by the order of discovery, as in every form; the root's hash only finds it
// there. A checkpoint has the states themselves.
//
// A worker folds a state by what differs from the one that it folded before: a successor is compared word by word, and
// only the paths from changed words to the root are numbered again.

// treeWords is how many words a state has, at least, to be kept as a tree. In models/examples/coherence/bridge.star, of
// 39 words, a state takes 65 bytes instead of 325, but finding it takes three times as long; so narrower ones are whole.
const treeWords = 24

type trees struct {
	space  *Space
	nodes  *nodes
	levels []int // by level, from the words of a state to the root: how many numbers it has
	finder hashTables
	folds  *fold // of what is folded outside chunks, one at a time
}

// fold is a state and the numbers of its tree, by level.
type fold struct {
	state   []uint64
	numbers [][]uint32
	changed []int
	whole   bool // numbers are those of state
}

func newTrees(s *Space) (form, traits) {
	f := &trees{space: s, finder: hashTables{listed: listed{s}}}
	for n := s.words; n > 2; n = (n + 1) / 2 {
		f.levels = append(f.levels, n)
	}
	f.levels = append(f.levels, 2)
	f.nodes = newNodes(8 * f.mostAdded())
	f.folds = f.newFold()
	for i := range f.finder.tables {
		f.finder.tables[i] = s.tables.take(i, firstTable)
	}
	return f, traits{name: "trees", entry: 3, carried: 2, recent: recentBits, batch: 1, ordered: true}
}

// mostAdded bounds the values that are added between two calls of room: those of a state, by many workers.
func (f *trees) mostAdded() int { return 64 * 2 * f.space.words }

func (f *trees) newFold() *fold {
	d := &fold{state: make([]uint64, f.space.words)}
	for _, n := range f.levels {
		d.numbers = append(d.numbers, make([]uint32, n))
	}
	return d
}

// root folds a state and returns its root. If add is false, it returns false where the state has a value without a
// number.
func (f *trees) root(d *fold, state []uint64, add bool) (root uint64, known bool) {
	d.changed = d.changed[:0]
	for i, w := range state {
		if w != d.state[i] || !d.whole {
			d.changed = append(d.changed, i)
			d.state[i] = w
		}
	}
	d.whole = false
	number := f.nodes.find
	if add {
		number = f.nodes.number
	}
	for _, i := range d.changed {
		if d.numbers[0][i], known = number(d.state[i]); !known {
			return 0, false
		}
	}
	for level := 1; level < len(f.levels); level++ {
		below, here := d.numbers[level-1], d.numbers[level]
		last, few := -1, d.changed[:0]
		for _, i := range d.changed {
			if i /= 2; i == last {
				continue
			}
			last = i
			few = append(few, i)
			if 2*i+1 == len(below) {
				here[i] = below[2*i]
			} else if here[i], known = number(pairOf(below[2*i], below[2*i+1])); !known {
				return 0, false
			}
		}
		d.changed = few
	}
	d.whole = true
	top := d.numbers[len(f.levels)-1]
	return pairOf(top[0], top[1]), true
}

func pairOf(a, b uint32) uint64 { return uint64(a) | uint64(b)<<32 }

// unfold appends the state of a root.
func (f *trees) unfold(dst []uint64, root uint64) []uint64 {
	at := len(dst)
	words := f.space.words
	dst = slices.Grow(dst, words)[:at+words]
	to := dst[at:]
	to[0], to[1] = root&(1<<32-1), root>>32
	// Each level is written over the one above, from its end, so that none is read too late.
	for level := len(f.levels) - 2; level >= 0; level-- {
		n := f.levels[level]
		for i := (n+1)/2 - 1; i >= 0; i-- {
			if 2*i+1 == n {
				to[2*i] = to[i]
				continue
			}
			pair := f.nodes.value(uint32(to[i]))
			to[2*i], to[2*i+1] = pair&(1<<32-1), pair>>32
		}
	}
	for i, n := range to {
		to[i] = f.nodes.value(uint32(n))
	}
	return dst
}

func (f *trees) emit(x *expander, parent uint32) {
	space := f.space
	words := space.words
	if x.fold == nil {
		x.fold = f.newFold()
	}
	x.out = slices.Grow(x.out, 3*len(x.next)/words+3)
	mask := uint64(1)<<(bits.Len(uint(len(x.recent)))-1) - 1
	f.nodes.begin()
	defer f.nodes.end()
	for k := 0; k*words < len(x.next); k++ {
		state := x.next[k*words:][:words]
		f.nodes.room(f.mostAdded())
		root, _ := f.root(x.fold, state, true)
		slot := &x.recent[mix(root)>>20&mask]
		if *slot == ^root { // no root has all bits, so an empty slot is none
			continue
		}
		*slot = ^root
		x.out = append(x.out, uint32(root), uint32(root>>32), parent|x.kinds[k]<<offsetBits)
		x.shards = append(x.shards, uint8(shardOfHash(hashOfState(state, space.packed))))
	}
}

func (f *trees) insert(x *expander, shard int, c *chunk) {
	sh, bucket := &f.space.shards[shard], c.bucket(shard)
	var hashes [together]uint64
	var homes [together]uint32
	var there [together]bool
	for table, mask := f.finder.tables[shard], uint64(len(f.finder.tables[shard])-1); len(bucket) > 0; {
		few := min(together, len(bucket)/3)
		for k := range few { // their cache misses overlap
			hashes[k] = mix(carriedY(bucket[3*k:], 2))
			homes[k] = table[hashes[k]&mask]
		}
		for k, h := range hashes[:few] { // and so do these
			there[k] = sh.tells(homes[k], bucket[3*k:][:2], h)
		}
		for k, h := range hashes[:few] {
			last := &bucket[3*k+2]
			if there[k] || !sh.insert(table, bucket[3*k:][:2], h) {
				*last = seen
			} else {
				sh.setParent(c.parentOf(*last))
			}
		}
		bucket = bucket[3*few:]
	}
}

func (f *trees) enlarge(shard int, count uint32, widening bool, _ *moving) {
	if length := lengthFor(f.finder.tables[shard], count, widening); length > len(f.finder.tables[shard]) {
		f.rehash(shard, length)
	}
}

func (f *trees) rehash(shard, length int) {
	s, old := &f.space.shards[shard], f.finder.tables[shard]
	table := f.space.tables.take(shard, length)
	mask := uint64(length - 1)
	for local := range s.count {
		h := mix(carriedY(s.entryAt(local), 2))
		i := h & mask
		for table[i] != 0 {
			i = (i + 1) & mask
		}
		table[i] = tagOf(h) | local + 1
	}
	f.finder.tables[shard] = table
	f.space.tables.give(shard, old)
}

func (f *trees) enlarged(shard int, count uint32, widening bool) int {
	return f.finder.enlarged(shard, count, widening)
}

func (f *trees) tabled(shard int) int { return f.finder.tabled(shard) }

func (f *trees) outside() int64 { return f.nodes.bytes() }

func (f *trees) release() {
	f.finder.release()
	f.nodes.release()
}

// encode is called for one state at a time.
func (f *trees) encode(state []uint64) (words []uint32, shard int) {
	f.nodes.begin()
	defer f.nodes.end()
	f.nodes.room(f.mostAdded())
	root, _ := f.root(f.folds, state, true)
	return []uint32{uint32(root), uint32(root >> 32)}, shardOfHash(hashOfState(state, f.space.packed))
}

func (f *trees) decode(dst []uint64, _ int, encoding []uint32) []uint64 {
	return f.unfold(dst, carriedY(encoding, 2))
}

func (f *trees) state(dst []uint64, shard int, local uint32) []uint64 {
	return f.unfold(dst, carriedY(f.space.shards[shard].entryAt(local), 2))
}

func (f *trees) each(part, parts int, visit func(state []uint64) bool) {
	f.space.eachFound(part, parts, visit)
}

func (f *trees) index(_ context.Context, n *Numbers) index { return &treeIndex{discovered{n}, f} }

func (f *trees) indexed() int64 { return 0 }

// treeIndex finds numbers of states by their roots.
type treeIndex struct {
	discovered
	form *trees
}

func (x *treeIndex) find(dst []int32, states []uint64, missing int32) (_ []int32, found bool) {
	f, words, d := x.form, x.n.space.words, x.form.newFold()
	f.nodes.begin()
	defer f.nodes.end()
	found = true
	for ; len(states) >= words; states = states[words:] {
		root, known := f.root(d, states[:words], false)
		shard := shardOfHash(hashOfState(states[:words], f.space.packed))
		local := uint32(0)
		if known {
			key := [2]uint32{uint32(root), uint32(root >> 32)}
			local, known = f.space.shards[shard].find(f.finder.tables[shard], key[:], mix(root))
		}
		if !known {
			dst, found = append(dst, missing), false
			continue
		}
		dst = append(dst, int32(x.n.base[shard]+int(local)))
	}
	return dst, found
}

func (f *trees) filed() int { return f.space.packed + 1 }

func (f *trees) write(b *bufio.Writer, shard int) { f.space.write(b, shard, 2) }

// read folds the states as it reads them: each must be valid and must not have occurred before.
func (f *trees) read(c *CheckpointReader, shard int, count uint32, check *StateCheck) error {
	s := f.space
	sh := &s.shards[shard]
	one := make([]uint32, s.packed+1)
	var state []uint64
	for range count {
		if err := c.Read(one); err != nil {
			return err
		}
		if state = s.unpack(state[:0], one); !check.Holds(state) {
			return damaged("a state is out of range")
		}
		f.enlarge(shard, sh.count+1, false, nil)
		root, of := f.encode(state)
		if of != shard || !sh.insert(f.finder.tables[shard], root, mix(carriedY(root, 2))) {
			return damaged("a state is in the wrong place")
		}
		sh.setParent(ID(one[s.packed]))
	}
	return nil
}

func (f *trees) restore(int, *StateCheck) error { return nil }
