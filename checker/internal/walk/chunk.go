package walk

import "math/bits"

// chunk is a run of the walk that one worker expands, and the successors of its states
// sorted by shard. An entry is the encoding of a state and a word: the number of its
// parent, counted from the first state of the chunk, below the kind of step. The
// word is set to seen if the state was found before.
type chunk struct {
	queue       *queue
	from, to    int64    // places in the walk
	parents     []uint32 // traits.wide: by state, its number
	notes       []uint64 // by state, see Sleep
	entries     []uint32
	bounds      [shards + 1]int32 // bucket i is entries[bounds[i]:bounds[i+1]]
	owners      []uint8           // by entry, in the order of the steps: its shard
	hashes      []uint64          // hash tables: by entry
	locals      [shards]uint32    // how many states each shard had before its bucket was inserted
	fresh       [shards]int32     // how many states of the bucket were new
	place       int64             // in the walk, of the first new state
	transitions int64
	steps       int64 // transitions that were taken
	rests       bool  // Options.Leaves: some state has successors, of which none is another state
	flags       Flags // found in any state, or judged to be
	flagged     [FlagBits]int32
	first       [FlagBits]int64 // places in the walk
	judged      [FlagBits]int64 // like first, for new states judged to have the flag; counted from 1
	refusal     error           // of AppendSuccessors, at the first refused state
	refusedAt   int64           // its place
}

const (
	offsetBits   = 14                     // of the number of a state in its chunk
	chunkEntries = 1 << offsetBits        // successors that a chunk aims at, and states at most
	MostKinds    = 1<<(32-offsetBits) - 2 // MostKinds is the largest kind of a step.
	seen         = 1<<32 - 1              // not a word of an entry: kinds are at most MostKinds
)

// begin empties the chunk for reuse.
func (c *chunk) begin() {
	*c = chunk{
		queue: c.queue, from: c.from, to: c.to, parents: c.parents[:0], notes: c.notes[:0],
		entries: c.entries[:0], owners: c.owners[:0], hashes: c.hashes[:0],
	}
}

// parentOf returns the parent that the last word of an entry names.
func (c *chunk) parentOf(word uint32) ID {
	state := int(word & (chunkEntries - 1))
	if state < len(c.parents) {
		return ID(c.parents[state])
	}
	return ID(c.queue.entryAt(c.from + int64(state))[0])
}

// notesOf returns the notes of a state, as many words each.
func (c *chunk) notesOf(state, words int) []uint64 { return c.notes[state*words:][:words:words] }

func (c *chunk) bucket(shard int) []uint32 { return c.entries[c.bounds[shard]:c.bounds[shard+1]] }

func (c *chunk) flag(flags Flags, place int64) {
	c.flags |= flags
	for ; flags != 0; flags &= flags - 1 {
		f := bits.TrailingZeros64(uint64(flags))
		if c.flagged[f] == 0 {
			c.first[f] = place
		}
		c.flagged[f]++
	}
}

// hasFlags records the flags that a state was judged to have. Its place is counted from 1.
func (c *chunk) hasFlags(place int64, flags Flags) {
	c.flags |= flags
	for ; flags != 0; flags &= flags - 1 {
		if f := bits.TrailingZeros64(uint64(flags)); c.judged[f] == 0 {
			c.judged[f] = place
		}
	}
}
