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
// The pieces of a state are the leaves of a binary tree (shape.go). The pairs of values below a node are numbered, each
// different pair once, up to the root: its two numbers stand for the state. The root is stored in fewer bits than it has,
// in a table of quotients (quotient.go; van der Vegt and Laarman, A parallel compact hash table, MEMICS 2011). So a state
// takes its slot, 4 bytes, its parent, 4, some 4 to 6 of the table, and its share of the nodes. Where the two halves of the
// root have little to do with each other, that share is small; so the tree is planted anew, once some thousands of states
// tell which pieces belong together.
//
// Equal states have equal roots, and different ones different roots, as each number stands for one value (nodes). But
// which number that is depends on the order in which workers came. So a state's shard is chosen by the hash of the
// state itself, and its place in the shard by the order of discovery, as in every form; the root only finds it there. A
// checkpoint has the states themselves.
//
// A successor is compared with its parent, and only the nodes above what a step changed are numbered again (fold.go).

// treeBits is how many bits a state has, at least, to be kept as a tree. In models/examples/coherence/bridge.star, of 2,436
// bits, a state takes 24 bytes in all, some 17 of them here, instead of 353, in 1.4 times the time. Of 352 bits, it takes
// two thirds of the memory, but over four times the time, most of it to fold and unfold, so narrower ones are whole.
const treeBits = 1025

type trees struct {
	space  *Space
	tree   *tree
	tables [shards]roots
	next   int64 // states at which the shape of the tree is looked at again
	fold   *fold // of what is folded outside chunks, one at a time
}

// roots is the table of a shard. What it holds is a root, mixed: the number of its first half below that of the second.
type roots struct {
	quotients
	mixing mixing
}

// fits reports whether the numbers that a tree gives have no more bits than there are for them.
func (r *roots) fits(t *tree) bool {
	return t.width(0) <= r.mixing.first && t.width(1) <= r.mixing.bits-r.mixing.first
}

// holds reports whether a root may be in the table.
func (r *roots) holds(root uint64) bool {
	return root&(1<<32-1)>>r.mixing.first == 0 && root>>32>>(r.mixing.bits-r.mixing.first) == 0
}

func (r *roots) mix(root uint64) (y uint64) {
	return r.mixing.whole(root&(1<<32-1) | root>>32<<r.mixing.first)
}

// root returns the root in a slot.
func (r *roots) root(slot uint32) uint64 {
	x := r.mixing.unmixed(r.y(uint64(slot)))
	return x&(1<<r.mixing.first-1) | x>>r.mixing.first<<32
}

func newTrees(s *Space) (form, traits) {
	f := &trees{space: s, next: sampleStates}
	f.plant(newTree(evenShape(s.words), s.words, s.packed))
	for i := range f.tables {
		f.build(i, nil, 0, false)
	}
	return f, traits{
		name: "trees", entry: 2, carried: 2, recent: recentBits, batch: 1, ordered: true, indirect: true,
	}
}

func (f *trees) plant(t *tree) { f.tree, f.fold = t, t.newFold() }

// plan returns the mixing and the grade of a table that holds count states. Numbers have bits to spare, as far as entries
// take the same bytes then.
func (f *trees) plan(shard int, count uint32, widening bool) (m mixing, grade int, bytes int64) {
	const least, most = 12, 32
	old := &f.tables[shard].quotients
	widths := [2]uint8{max(f.tree.width(0), least), max(f.tree.width(1), least)}
	for grade = max(old.grade, firstGrade(2*most)); ; grade++ {
		q, _ := shapeOf(widths[0]+widths[1], grade)
		grade = q.gradeFor(count, widening)
		q, bytes = shapeOf(q.width, grade)
		if int(bytes/4) <= len(old.words) && len(old.words) >= leastBeside {
			continue // the table of a shard may only grow; see tables
		}
		for half, same := 1, 0; same < 2; half = 1 - half {
			wider, _ := shapeOf(widths[0]+widths[1]+1, grade)
			if same++; widths[half] < most && wider.size == q.size {
				widths[half]++
				same = 0
			}
		}
		return wholeMixing(widths[0], widths[0]+widths[1]), grade, bytes
	}
}

// build makes the table of a shard, with the roots of its states in the order of discovery.
func (f *trees) build(shard int, all []uint64, count uint32, widening bool) {
	m, grade, _ := f.plan(shard, count, widening)
	s, old := &f.space.shards[shard], f.tables[shard].words
	r := roots{newQuotients(m.bits, grade, &f.space.tables, shard), m}
	for local, root := range all {
		slot, _ := r.insert(r.mix(root))
		s.entryAt(uint32(local))[0] = uint32(slot)
	}
	f.tables[shard] = r
	if old != nil {
		f.space.tables.give(shard, old)
	}
}

// rootsOf appends the roots of a shard, in the order of discovery.
func (f *trees) rootsOf(dst []uint64, shard int) []uint64 {
	s, r := &f.space.shards[shard], &f.tables[shard]
	for local := range s.count {
		dst = append(dst, r.root(s.entryAt(local)[0]))
	}
	return dst
}

func (f *trees) outgrown(shard int, count uint32, widening bool) bool {
	r := &f.tables[shard]
	return r.gradeFor(count, widening) > r.grade || !r.fits(f.tree)
}

func (f *trees) enlarge(shard int, count uint32, widening bool, with *moving) {
	if f.outgrown(shard, count, widening) {
		with.ys = f.rootsOf(with.ys[:0], shard)
		f.build(shard, with.ys, count, widening)
	}
}

func (f *trees) enlarged(shard int, count uint32, widening bool) int {
	if !f.outgrown(shard, count, widening) {
		return f.tabled(shard)
	}
	_, _, bytes := f.plan(shard, count, widening)
	return int(bytes / 4)
}

// reshape plants the tree anew if another shape needs fewer nodes for a sample of the states. Each time, it waits for many
// times as many states.
func (f *trees) reshape(each func(count int, do func(worker, i int))) {
	const times = 16
	if f.space.States() < f.next {
		return
	}
	f.next *= times
	sample := f.sample()
	shape := grownShape(f.space.words, sample)
	if shape.values(sample, f.space.words)*5 > f.tree.shape.values(sample, f.space.words)*4 {
		return
	}
	old := *f
	f.plant(newTree(shape, f.space.words, f.space.packed))
	each(shards, func(_, i int) {
		d, state := f.tree.newFold(), []uint64(nil)
		all := old.rootsOf(nil, i)
		for local, root := range all {
			state = old.tree.unfold(state[:0], root)
			all[local], _ = f.add(d, state)
		}
		f.build(i, all, f.space.shards[i].count, f.space.widening)
	})
}

// sample returns states of all shards, as far apart in the order of discovery as possible.
func (f *trees) sample() (states []uint64) {
	const each = sampleStates / shards
	for i := range f.space.shards {
		count := f.space.shards[i].count
		for k := range min(each, count) {
			states = f.state(states, i, uint32(uint64(k)*uint64(count)/each))
		}
	}
	return states
}

// add folds a state as the base of a fold.
func (f *trees) add(d *fold, state []uint64) (root, hash uint64) {
	f.tree.begin()
	defer f.tree.end()
	f.tree.room()
	root, hash, _ = d.foldBase(state, true)
	return root, hash
}

func (f *trees) emit(x *expander, parent uint32) {
	words := f.space.words
	if x.fold == nil || x.fold.tree != f.tree {
		x.fold = f.tree.newFold()
		clear(x.recent) // roots of another tree
	}
	d := x.fold
	x.out = slices.Grow(x.out, 3*len(x.next)/words+3)
	mask := uint64(1)<<(bits.Len(uint(len(x.recent)))-1) - 1
	f.tree.begin()
	defer f.tree.end()
	f.tree.room()
	d.foldBase(x.state, true)
	for k := 0; k*words < len(x.next); k++ {
		f.tree.room()
		root, hash := d.foldSuccessor(x.next[k*words:][:words])
		slot := &x.recent[mix(root)>>20&mask]
		if *slot == ^root { // no root has all bits, so an empty slot is none
			continue
		}
		*slot = ^root
		x.out = append(x.out, uint32(root), uint32(root>>32), parent|x.kinds[k]<<offsetBits)
		x.shards = append(x.shards, uint8(shardOfHash(hash)))
	}
}

// insert looks at two slots for each of some states before it branches, as that of quotients does.
func (f *trees) insert(_ *expander, shard int, c *chunk) {
	sh, r, bucket := &f.space.shards[shard], &f.tables[shard], c.bucket(shard)
	var ys [together]uint64
	var there [together]bool
	for ; len(bucket) > 0; bucket = bucket[min(together*3, len(bucket)):] {
		few := min(together, len(bucket)/3)
		for k := range few { // their cache misses overlap
			ys[k] = r.mix(carriedY(bucket[3*k:], 2))
			slot, entry := r.home(ys[k])
			there[k] = r.load(slot) == entry || r.load(slot+1) == entry+1
		}
		for k, y := range ys[:few] {
			last := &bucket[3*k+2]
			if there[k] {
				*last = seen
			} else if slot, isNew := r.insert(y); isNew {
				sh.found(slot, c.parentOf(*last))
			} else {
				*last = seen
			}
		}
	}
}

func (f *trees) tabled(shard int) int { return len(f.tables[shard].words) }

func (f *trees) outside() int64 {
	sum := f.tree.bytes()
	for i := range f.tables {
		sum += int64(len(f.tables[i].astray)) * 32
	}
	return sum
}

func (f *trees) release() {
	for i := range f.tables {
		f.space.tables.free(i, f.tables[i].words)
		f.tables[i] = roots{}
	}
	f.tree, f.fold = nil, nil
}

// encode is called for one state at a time.
func (f *trees) encode(state []uint64) (words []uint32, shard int) {
	root, hash := f.add(f.fold, state)
	return []uint32{uint32(root), uint32(root >> 32)}, shardOfHash(hash)
}

func (f *trees) decode(dst []uint64, _ int, encoding []uint32) []uint64 {
	return f.tree.unfold(dst, carriedY(encoding, 2))
}

func (f *trees) state(dst []uint64, shard int, local uint32) []uint64 {
	return f.tree.unfold(dst, f.tables[shard].root(f.space.shards[shard].entryAt(local)[0]))
}

func (f *trees) each(part, parts int, visit func(state []uint64) bool) {
	f.space.eachFound(part, parts, visit)
}

func (f *trees) index(ctx context.Context, n *Numbers) index {
	x := &treeIndex{discovered: discovered{n}, form: f}
	for i := range f.tables {
		if ctx.Err() != nil {
			break
		}
		x.slots[i] = slotNumbers(&f.space.shards[i], &f.tables[i].quotients, n.base[i])
	}
	return x
}

func (f *trees) indexed() (sum int64) {
	for i := range f.tables {
		sum += int64(f.tables[i].length()) * 4
	}
	return sum
}

// treeIndex finds numbers of states by their roots.
type treeIndex struct {
	discovered
	form  *trees
	slots slotNumbering
}

func (x *treeIndex) forget() { x.slots.forget() }

func (x *treeIndex) find(dst []int32, states []uint64, missing int32) (_ []int32, found bool) {
	f, words := x.form, x.n.space.words
	f.tree.begin()
	defer f.tree.end()
	d := f.tree.newFold()
	found = true
	for ; len(states) > 0; states = states[words:] {
		root, hash, known := d.foldBase(states[:words], false)
		shard, slot := shardOfHash(hash), uint64(0)
		r := &f.tables[shard]
		if known = known && r.holds(root); known {
			slot, _, known = r.find(r.mix(root))
		}
		if !known {
			dst, found = append(dst, missing), false
			continue
		}
		dst = append(dst, int32(x.slots[shard][slot]))
	}
	return dst, found
}

func (f *trees) filed() int { return f.space.packed + 1 }

func (f *trees) write(b *bufio.Writer, shard int) { f.space.write(b, shard, 1) }

// read folds the states as it reads them: each must be valid and must not have occurred before.
func (f *trees) read(c *CheckpointReader, shard int, count uint32, check *StateCheck) error {
	s := f.space
	one := make([]uint32, s.packed+1)
	var state []uint64
	var with moving
	for i := range count {
		if err := c.Read(one); err != nil {
			return err
		}
		if state = s.unpack(state[:0], one); !check.Holds(state) {
			return damaged("a state is out of range")
		}
		root, of := f.encode(state)
		f.enlarge(shard, s.shards[shard].count+1, false, &with)
		r := &f.tables[shard]
		slot, isNew := r.insert(r.mix(carriedY(root, 2)))
		if of != shard || !isNew {
			return damaged("a state is in the wrong place")
		}
		s.shards[shard].found(slot, ID(one[s.packed]))
		if i%sampleStates == 0 {
			f.reshape(serial)
		}
	}
	return nil
}

// serial does what workers would do.
func serial(count int, do func(worker, i int)) {
	for i := range count {
		do(0, i)
	}
}

func (f *trees) restore(int, *StateCheck) error { return nil }
