package walk

import (
	"bufio"
	"context"
	"encoding/binary"

	"github.com/seed-105a2da2/unknot/spec/states"
)

// form is how a space knows which states it has: the visited set of a walk in memory. A new form is one file that
// implements it, and a line of newForm.
//
// The walk calls it with batches - the successors of one state or of a few, the bucket of a shard, the shard of a
// checkpoint - so that the loops over states are the form's own and a call through the interface is not felt. Alone
// state and decode are called once a state, never once a successor.
//
// A set on disk (package disk) is no form: it compares states when a level is merged, not when they are found. What
// both leave behind is [Visited].
type form interface {
	// emit appends the successors x.next of the states that end at x.ends to the entries of x, but for those that it
	// knows to be found already. parent is the number of the first of these states in its chunk.
	emit(x *expander, parent uint32)
	// insert inserts the bucket of a shard that has room for it, marks in it what was seen, and records the others in
	// the order of discovery.
	insert(x *expander, shard int, c *chunk)

	// enlarge makes the table of a shard large enough for count states, and larger while levels widen.
	enlarge(shard int, count uint32, widening bool, with *moving)
	// enlarged returns the words of a shard's table once it is enlarged, and tabled those that it has.
	enlarged(shard int, count uint32, widening bool) int
	tabled(shard int) int
	// outside returns the bytes that it takes outside the tables.
	outside() int64
	release()

	// encode returns the words that a state has on its way to its shard, and the shard; decode appends the state.
	encode(state []uint64) (words []uint32, shard int)
	decode(dst []uint64, shard int, encoding []uint32) []uint64
	// state appends a state, given its place in the order of discovery.
	state(dst []uint64, shard int, local uint32) []uint64
	// each is Each in whatever order is quickest.
	each(part, parts int, f func(state []uint64) bool)
	// index prepares to number the states, and indexed bounds the bytes that this takes.
	index(ctx context.Context, n *Numbers) index
	indexed() int64

	// write writes the states of a shard and their parents to a checkpoint.
	write(b *bufio.Writer, shard int)
	// read reads count states and their parents into an empty shard; filed is how many words each has.
	read(c *CheckpointReader, shard int, count uint32, check *StateCheck) error
	filed() int
	// restore checks the states of a shard, if read did not, once all shards are read, and finds them from then on.
	restore(shard int, check *StateCheck) error
}

// reshaping is a form that learns from the states how to keep them. reshape is called between rounds, and each shares work
// among workers.
type reshaping interface {
	reshape(each func(count int, do func(worker, i int)))
}

// traits is what the rest of the walk knows of a form.
type traits struct {
	name    string // as Result.Visited says it
	entry   int    // words of an entry of a shard: of what stands for the state, and of the parent
	carried int    // 32-bit words that encode a successor on its way to its shard
	recent  int    // recent states that a worker compares with, as a power of two
	batch   int    // states whose successors are emitted at once
	ordered bool   // the order of discovery is needed
	wide    bool   // entries of the queue may be large, so parents are read once a chunk, and large states not copied
	// The queue has the numbers of states alone, as what encodes them may change.
	indirect bool
}

// newForm chooses the quickest form for the states of a layout.
func newForm(s *Space, l *states.Layout, spare bool) (form, traits) {
	if !s.compact && l.Bits() <= markBits {
		return newBitMap(s, l.Bits(), spare)
	}
	if m, ok := newMixing(l); ok && !s.compact {
		return newQuotientTables(s, m)
	}
	if !s.compact && !s.whole && l.Bits() >= treeBits {
		return newTrees(s)
	}
	return newHashTables(s)
}

// listed is a form whose blocks hold the states themselves, or their hashes: a checkpoint holds the blocks.
type listed struct{ space *Space }

func (l listed) filed() int { return l.space.entry }

func (l listed) write(b *bufio.Writer, shard int) { l.space.shards[shard].write(b) }

func (l listed) read(c *CheckpointReader, shard int, count uint32, _ *StateCheck) error {
	return l.space.shards[shard].read(c, count)
}

// write writes the states of a shard packed, as blocks hold them, for forms whose blocks hold other things. The parent
// of a state is the given word of its entry.
func (s *Space) write(b *bufio.Writer, shard, parent int) {
	sh := &s.shards[shard]
	var state []uint64
	var packed []uint32
	for local := range sh.count {
		state = s.form.state(state[:0], shard, local)
		packed = append(s.pack(packed[:0], state), sh.entryAt(local)[parent])
		for _, x := range packed {
			b.Write(binary.LittleEndian.AppendUint32(b.AvailableBuffer(), x))
		}
	}
}
