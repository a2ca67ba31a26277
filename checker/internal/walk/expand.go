package walk

import (
	"context"
	"slices"
	"unsafe"
)

// Many successors of neighbouring states are the same; comparing with the last one that has
// the same bits of hash keeps most of them out of the buffers. This is sound across chunks
// as long as a worker's chunks are in order: the entries of an earlier chunk reach their
// shard before those of a later one. A worker that goes back forgets the recent ones.
const (
	markedBits = 12 // of a bit map, which tells of earlier rounds
	mixedBits  = 15
	recentBits = 12 // words of all entries, of states in hash tables: they stay in the cache
	wideBits   = 15 // where states are kept as hashes and may be wide: fewer bits let most duplicates through
)

func newExpander(w *walk, worker int) *expander {
	x := &expander{w: w, worker: worker, tells: w.kinds != nil || w.opt.Sleep != nil}
	words := max(1<<w.space.recent, w.space.words+1)
	x.recent = unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(w.arena.begun(2*words)))), words)
	if sleep := w.opt.Sleep; sleep != nil {
		x.after, x.taken = own[uint64](sleep.Words), own[bool](sleep.Kinds)
	}
	return x
}

// expand fills a chunk. When the context ends it stops half-way, and the chunk is
// discarded.
func (x *expander) expand(ctx context.Context, c *chunk) {
	space, inspect, met := x.w.space, x.w.opt.Inspect, x.w.opt.Met
	words, batch := space.words, uint32(space.batch)
	c.begin()
	if sleep := x.w.opt.Sleep; sleep != nil {
		words := int(c.to-c.from) * sleep.Notes
		if cap(c.notes) < words { // Grow would leave a quarter unused
			c.notes = make([]uint64, 0, words+words/8)
		}
		c.notes = c.notes[:words]
		clear(c.notes)
	}
	x.out, x.shards, x.hashes = x.out[:0], c.owners, x.hashes[:0]
	if c.from < x.at {
		clear(x.recent)
	}
	x.at = c.to
	for place := c.from; place < c.to; place++ {
		n := uint32(place - c.from)
		if n%together == 0 {
			if ctx.Err() != nil {
				return
			}
			x.ahead = x.ahead[:0]
			for next := place; next < min(place+together, c.to); next++ {
				entry := c.queue.entryAt(next) // their cache misses overlap
				x.ahead = c.queue.stateOf(space, x.ahead, entry)
				if space.wide {
					c.parents = append(c.parents, entry[0])
				}
			}
			if met != nil {
				met(x.worker, x.ahead)
			}
		}
		x.state = x.ahead[int(n)%together*words:][:words]
		before := len(x.next)
		sleeping, err := x.step(c, place)
		if err != nil {
			if c.refusal == nil {
				c.refusal, c.refusedAt = err, place
			}
			if x.next = x.next[:before]; x.tells {
				x.kinds = x.kinds[:before/words]
			}
		}
		successors := (len(x.next)-before)/words + sleeping
		c.transitions += int64(successors)
		c.steps += int64(successors - sleeping)
		if err != nil {
			successors = 1
		}
		if x.w.opt.Leaves && err == nil && successors > 0 && !c.rests && !Leaves(x.next[before:], x.state) {
			c.rests = sleeping == 0 || !x.leaves()
		}
		if inspect != nil {
			if flags := inspect(x.state, successors); flags != 0 {
				c.flag(flags, place)
			}
		}
		// The successors of a few states are emitted together, or of one that has many.
		x.ends = append(x.ends, len(x.next)/words)
		if n%batch < batch-1 && place+1 < c.to && len(x.next) < together*words {
			continue
		}
		space.form.emit(x, n+1-uint32(len(x.ends)))
		x.ends = x.ends[:0]
		if x.next = x.next[:0]; x.tells {
			x.kinds = x.kinds[:0]
		}
	}
	x.flagJudged(c)
	x.sort(c)
	c.owners, x.shards = x.shards, nil
}

// leaves reports whether some step leads from the state to another one, those that sleep among them.
func (x *expander) leaves() bool {
	var err error
	x.whole, err = x.w.m.AppendSuccessors(x.whole[:0], x.state)
	return err == nil && Leaves(x.whole, x.state)
}

// Leaves reports whether some successor of a state is another state.
func Leaves(successors, state []uint64) bool {
	for len(successors) > 0 {
		if !slices.Equal(successors[:len(state)], state) {
			return true
		}
		successors = successors[len(state):]
	}
	return false
}

// step appends the successors of the state at a place, and their kinds if the machine
// reports them. It returns how many successors sleep.
func (x *expander) step(c *chunk, place int64) (sleeping int, err error) {
	w := x.w
	switch sleep := w.opt.Sleep; {
	case sleep != nil:
		x.asleep = w.queue.asleep(x.asleep[:0], w.queue.entryAt(place))
		x.next, x.kinds, sleeping, err = sleep.Steps(x.next, x.kinds, x.taken,
			c.notesOf(int(place-c.from), sleep.Notes), x.state, x.asleep)
		return sleeping, err
	case w.kinds != nil:
		before := len(x.kinds)
		x.next, x.kinds, err = w.kinds.Steps(x.next, x.kinds, x.state)
		for _, k := range x.kinds[before:] {
			if more := int(k) + 1 - len(x.taken); more > 0 {
				x.taken = append(x.taken, make([]bool, more)...)
			}
			x.taken[k] = true
		}
		return 0, err
	}
	x.next, err = w.m.AppendSuccessors(x.next, x.state)
	if more := len(x.next) - len(x.kinds); more > 0 {
		x.kinds = append(x.kinds, make([]uint32, more)...)
	}
	return 0, err
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

// keyOf is Space.key in scratch memory, valid until the next call.
func (x *expander) keyOf(packed []uint32) []uint32 {
	if !x.w.space.compact {
		return packed
	}
	x.key = x.w.space.key(x.key[:0], packed)
	return x.key
}
