package statespace

import (
	"math/bits"
	"slices"
)

// chunk is a run of the walk that one worker expands, and the successors of its states
// sorted by shard. An entry is the encoding of a state and a word: the number of its
// parent, counted from the first state of the chunk, below the kind of step. The
// word is set to seen if the state was found before.
type chunk struct {
	queue       *queue
	from, to    int64    // places in the walk
	parents     []uint32 // byNumbers: by state, its number
	entries     []uint32
	bounds      [shards + 1]int32 // bucket i is entries[bounds[i]:bounds[i+1]]
	owners      []uint8           // by entry, in the order of the steps: its shard
	hashes      []uint64          // byNumbers: by entry
	locals      [shards]uint32    // how many states each shard had before its bucket was inserted
	fresh       [shards]int32     // how many states of the bucket were new
	place       int64             // in the walk, of the first new state
	transitions int64
	steps       int64 // transitions that were taken
	flags       Flags // found in any state, or judged to be
	flagged     [FlagBits]int32
	first       [FlagBits]int64 // places in the walk
	judged      [FlagBits]int64 // like first, for new states judged to have the flag; counted from 1
	refusal     error           // of Next, at the first refused state
	refusedAt   int64           // its place
}

// seen is not a word of an entry: kinds are at most MostKinds.
const seen = 1<<32 - 1

// begin empties the chunk for reuse.
func (c *chunk) begin() {
	*c = chunk{queue: c.queue, from: c.from, to: c.to, parents: c.parents[:0], entries: c.entries[:0], owners: c.owners[:0], hashes: c.hashes[:0]}
}

// parentOf returns the parent that the last word of an entry names.
func (c *chunk) parentOf(word uint32) ID {
	state := int(word & (chunkEntries - 1))
	if state < len(c.parents) {
		return ID(c.parents[state])
	}
	return ID(c.queue.at(c.from + int64(state))[0])
}

func (c *chunk) bucket(shard int) []uint32 { return c.entries[c.bounds[shard]:c.bounds[shard+1]] }

func (c *chunk) flag(flags Flags, place int64) {
	c.flags |= flags
	for ; flags != 0; flags &= flags - 1 {
		f := bits.TrailingZeros32(uint32(flags))
		if c.flagged[f] == 0 {
			c.first[f] = place
		}
		c.flagged[f]++
	}
}

// sort moves the entries into the chunk by shard, keeping their order.
func (x *expander) sort(c *chunk) {
	entry := x.w.space.carried + 1
	var at [shards]int32
	for _, s := range x.shards {
		at[s&(shards-1)]++
	}
	sum := int32(0)
	for i := range at {
		c.bounds[i] = sum
		sum += at[i] * int32(entry)
		at[i] = c.bounds[i]
	}
	c.bounds[shards] = sum
	if cap(c.entries) < int(sum) {
		c.entries = make([]uint32, sum, int(sum)+int(sum)/8)
		begin(c.entries)
	}
	c.entries = c.entries[:sum]
	switch {
	case len(x.hashes) > 0:
	case entry == 2:
		for i, s := range x.shards {
			to := at[s&(shards-1)]
			at[s&(shards-1)] = to + 2
			c.entries[to], c.entries[to+1] = x.out[2*i], x.out[2*i+1]
		}
		return
	case entry == 3:
		for i, s := range x.shards {
			to := at[s&(shards-1)]
			at[s&(shards-1)] = to + 3
			c.entries[to], c.entries[to+1], c.entries[to+2] = x.out[3*i], x.out[3*i+1], x.out[3*i+2]
		}
		return
	}
	c.hashes = slices.Grow(c.hashes[:0], len(x.hashes))[:len(x.hashes)]
	for i, s := range x.shards {
		c.hashes[int(at[s])/entry] = x.hashes[i]
		copy(c.entries[at[s]:], x.out[i*entry:(i+1)*entry])
		at[s] += int32(entry)
	}
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

// keyOf is Space.key in scratch memory, valid until the next call.
func (x *expander) keyOf(packed []uint32) []uint32 {
	if !x.w.space.compact {
		return packed
	}
	x.key = x.w.space.key(x.key[:0], packed)
	return x.key
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
	x.asleep = c.queue.asleep(x.asleep[:0], c.queue.at(c.from+int64(last&(chunkEntries-1))))
	sleep.After(x.after, x.asleep, last>>offsetBits)
	return x.after
}
