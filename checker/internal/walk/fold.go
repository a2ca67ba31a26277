package walk

import (
	"math/bits"
	"sync"
)

// tree numbers the values of the nodes of a shape. A node of two pieces is its own number, as is a piece.
type tree struct {
	shape  *shape
	words  int // of a state
	packed int // and 32-bit words, which its hash begins with
	tables [nodeKinds]*nodes
	grows  sync.RWMutex // of the tables
	kinds  []uint8      // by inner node
	folds  sync.Pool    // of *fold, for unfolding
}

// Kinds of inner nodes. The halves of the root have tables of their own, so that their numbers are small.
const (
	inside = iota
	firstHalf
	secondHalf
	nodeKinds
	ofPieces = nodeKinds // two pieces: needs no table
)

func newTree(s *shape, words, packed int) *tree {
	t := &tree{shape: s, words: words, packed: packed, kinds: make([]uint8, len(s.pairs))}
	for i := range t.tables {
		t.tables[i] = newNodes(2*t.mostAdded(i), &t.grows)
	}
	halves := s.pairs[len(s.pairs)-1]
	for k, pair := range s.pairs {
		switch {
		case int(max(pair[0], pair[1])) < s.pieces:
			t.kinds[k] = ofPieces
		case k+s.pieces == int(halves[0]):
			t.kinds[k] = firstHalf
		case k+s.pieces == int(halves[1]):
			t.kinds[k] = secondHalf
		}
	}
	t.folds.New = func() any { return t.newUnfold() }
	return t
}

// mostAdded bounds the values that are added to a table between two calls of room: those of a state, by many workers.
func (t *tree) mostAdded(kind int) int {
	const workers = 64
	if kind == inside {
		return workers * len(t.shape.pairs)
	}
	return workers
}

// begin must precede the folding of states whose values may be new, and end follow it; room must be called before each.
func (t *tree) begin() { t.grows.RLock() }
func (t *tree) end()   { t.grows.RUnlock() }

// room makes tables larger that are nearly full. While one grows others may go on, each of which asks for room again
// before its next state, so what was there for one state of each worker stays.
func (t *tree) room() {
	for i, n := range t.tables {
		n.room(t.mostAdded(i))
	}
}

func (t *tree) bytes() (sum int64) {
	for _, n := range t.tables {
		sum += n.bytes()
	}
	return sum
}

// width returns how many bits the numbers of a half of the root have.
func (t *tree) width(half int) uint8 {
	node := int(t.shape.pairs[len(t.shape.pairs)-1][half])
	switch {
	case node < t.shape.pieces:
		return pieceBits
	case t.kinds[node-t.shape.pieces] == ofPieces:
		return 2 * pieceBits
	}
	return uint8(bits.Len32(t.tables[firstHalf+half].next.Load()))
}

// fold is a state and the numbers of its nodes. A state that differs from it in few words is folded by what differs: only
// the nodes above changed pieces are numbered again. It belongs to one goroutine.
type fold struct {
	tree    *tree
	state   []uint64
	sum     uint64   // hashOfState, before it is mixed
	numbers []uint32 // by node of the shape, but the root
	due     []uint64 // by inner node, a bit each: to be looked at
	before  []change
	recent  []numbered // by some bits of the hash of a pair
	whole   bool       // state and numbers belong together
}

// numbered is a pair that has a number in a table.
type numbered struct {
	pair   uint64
	number uint32
	kind   uint8
}

const recentPairs = 1 << 12

// change is what a node was.
type change struct {
	node   int32
	number uint32
}

func pairOf(a, b uint32) uint64 { return uint64(a) | uint64(b)<<32 }

func (t *tree) newFold() *fold {
	d := t.newUnfold()
	d.recent = make([]numbered, recentPairs)
	for i := range d.recent {
		d.recent[i].kind = ofPieces // of no table
	}
	return d
}

// newUnfold returns a fold for unfolding alone.
func (t *tree) newUnfold() *fold {
	state := make([]uint64, t.words)
	return &fold{
		tree: t, state: state, sum: sumOfState(state, t.packed), numbers: make([]uint32, len(t.shape.up)),
		due: make([]uint64, (len(t.shape.pairs)+63)/64),
	}
}

// foldBase folds a state, from which the next ones should differ little. If add is false, it returns false where the state
// has a value without a number.
func (d *fold) foldBase(state []uint64, add bool) (root, hash uint64, known bool) {
	if root, hash, known = d.move(state, add, !d.whole); !known {
		return 0, hash, false
	}
	d.sum += d.sumOf(state, d.state)
	copy(d.state, state)
	d.before, d.whole = d.before[:0], true
	return root, hash, true
}

// foldSuccessor folds a state with numbers for all its values, and leaves the base as it is.
func (d *fold) foldSuccessor(state []uint64) (root, hash uint64) {
	root, hash, _ = d.move(state, true, false)
	d.undo()
	return root, hash
}

func (d *fold) undo() {
	for i := len(d.before) - 1; i >= 0; i-- {
		d.numbers[d.before[i].node] = d.before[i].number
	}
	d.before = d.before[:0]
}

// sumOf returns what is added to the sum of a hash if one state becomes another: NH sums over pairs of words.
func (d *fold) sumOf(to, from []uint64) (sum uint64) {
	add := uint64(factor1)
	i := 0
	for ; i+1 < len(to); i += 2 {
		if to[i] != from[i] || to[i+1] != from[i+1] {
			sum += folded(to[i], to[i+1], add) - folded(from[i], from[i+1], add)
		}
		add += factor3
	}
	if i < len(to) && to[i] != from[i] {
		sum += folded(to[i], 0, add) - folded(from[i], 0, add)
	}
	return sum
}

// move changes the numbers to those of a state, and notes what they were.
func (d *fold) move(state []uint64, add, all bool) (root, hash uint64, known bool) {
	t := d.tree
	s := t.shape
	for i, w := range state {
		x := w ^ d.state[i]
		for x != 0 {
			at := bits.TrailingZeros64(x) &^ (pieceBits - 1)
			x &^= (1<<pieceBits - 1) << at
			d.set(int32(i*wordPieces+at/pieceBits), uint32(w>>at&(1<<pieceBits-1)))
		}
	}
	if all {
		d.markAll()
	}
	sum := d.sum + d.sumOf(state, d.state)
	top := len(s.pairs) - 1
	for i := range d.due {
		for d.due[i] != 0 {
			k := i<<6 + bits.TrailingZeros64(d.due[i])
			d.due[i] &= d.due[i] - 1
			if k == top {
				break
			}
			pair := s.pairs[k]
			a, b := d.numbers[pair[0]], d.numbers[pair[1]]
			n := a | b<<pieceBits
			if kind := t.kinds[k]; kind != ofPieces {
				var known bool
				if n, known = d.number(kind, pairOf(a, b), add); !known {
					clear(d.due)
					d.undo()
					return 0, mix(sum), false
				}
			}
			if node := int32(s.pieces + k); n != d.numbers[node] {
				d.set(node, n)
			}
		}
	}
	halves := s.pairs[top]
	return pairOf(d.numbers[halves[0]], d.numbers[halves[1]]), mix(sum), true
}

// number returns the number of a pair in a table. Most pairs have been met a little while ago.
func (d *fold) number(kind uint8, pair uint64, add bool) (n uint32, known bool) {
	hash := mix(pair)
	at := &d.recent[hash>>32&(recentPairs-1)]
	if at.pair == pair && at.kind == kind {
		return at.number, true
	}
	if table := d.tree.tables[kind]; add {
		n = table.number(pair, hash)
	} else if n, known = table.find(pair, hash); !known {
		return 0, false
	}
	*at = numbered{pair, n, kind}
	return n, true
}

// set changes the number of a node, and has the one above it looked at.
func (d *fold) set(node int32, n uint32) {
	d.before = append(d.before, change{node, d.numbers[node]})
	d.numbers[node] = n
	k := d.tree.shape.up[node]
	d.due[k>>6] |= 1 << (k & 63)
}

func (d *fold) markAll() {
	for k := range d.tree.shape.pairs {
		d.due[k>>6] |= 1 << (k & 63)
	}
}

// unfold appends the state of a root.
func (t *tree) unfold(dst []uint64, root uint64) []uint64 {
	d := t.folds.Get().(*fold)
	dst = append(dst, d.unfold(root)...)
	t.folds.Put(d)
	return dst
}

// unfold returns the state of a root: only the nodes that differ from those of the state before are read. The fold is not
// for folding, too.
func (d *fold) unfold(root uint64) []uint64 {
	t := d.tree
	s := t.shape
	if !d.whole {
		d.markAll()
		d.whole = true
	}
	top := len(s.pairs) - 1
	d.due[top>>6] |= 1 << (top & 63)
	for i := len(d.due) - 1; i >= 0; i-- {
		for d.due[i] != 0 {
			bit := bits.Len64(d.due[i]) - 1
			d.due[i] &^= 1 << bit
			k := i<<6 + bit
			pair, value := s.pairs[k], root
			if k < top {
				n := d.numbers[s.pieces+k]
				if kind := t.kinds[k]; kind == ofPieces {
					value = pairOf(n&(1<<pieceBits-1), n>>pieceBits)
				} else {
					value = t.tables[kind].value(n)
				}
			}
			d.lower(pair[0], uint32(value))
			d.lower(pair[1], uint32(value>>32))
		}
	}
	return d.state
}

// lower changes the number of a node, and has it looked at if it is not a piece.
func (d *fold) lower(node int32, n uint32) {
	was := d.numbers[node]
	if n == was {
		return
	}
	d.numbers[node] = n
	if k := int(node) - d.tree.shape.pieces; k >= 0 {
		d.due[k>>6] |= 1 << (k & 63)
	} else {
		d.state[node/wordPieces] ^= uint64(n^was) << (node % wordPieces * pieceBits)
	}
}
