package walk

import (
	"context"
	"math/bits"
	"slices"
	"unsafe"
)

// Many successors of neighbouring states are the same; comparing with the last one that has
// the same bits of hash keeps most of them out of the buffers. This is sound across chunks
// as long as a worker's chunks are in order: the entries of an earlier chunk reach their
// shard before those of a later one. A worker that goes back forgets the recent ones.
const (
	markedBits = 12 // form byMarks, whose map tells of earlier rounds
	mixedBits  = 15
	recentBits = 12 // words of all entries, byNumbers: they stay in the cache
	wideBits   = 15 // where states are kept as hashes and may be wide: fewer bits let most duplicates through
)

func newExpander(w *walk, worker int) *expander {
	size := map[form]int{byNumbers: recentBits, byQuotients: mixedBits, byMarks: markedBits}[w.space.shards[0].form]
	if w.space.compact {
		size = wideBits
	}
	x := &expander{w: w, worker: worker, tells: w.kinds != nil || w.opt.Sleep != nil}
	words := max(1<<size, w.space.words+1)
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
	words, form := space.words, space.shards[0].form
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
				entry := c.queue.at(next) // their cache misses overlap
				x.ahead = c.queue.stateOf(space, x.ahead, entry)
				if form == byNumbers {
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
		if inspect != nil {
			if flags := inspect(x.state, successors); flags != 0 {
				c.flag(flags, place)
			}
		}
		switch form {
		case byMarks:
			x.emitMarks(n)
		case byQuotients:
			x.emitMixed(n)
		default: // the successors of a few states, or of one that has many
			x.ends = append(x.ends, len(x.next)/words)
			if n%together < together-1 && place+1 < c.to && len(x.next) < together*words {
				continue
			}
			x.emit(n + 1 - uint32(len(x.ends)))
			x.ends = x.ends[:0]
		}
		if x.next = x.next[:0]; x.tells {
			x.kinds = x.kinds[:0]
		}
	}
	x.flagJudged(c)
	x.sort(c)
	c.owners, x.shards = x.shards, nil
}

// step appends the successors of the state at a place, and their kinds if the machine
// reports them. It returns how many successors sleep.
func (x *expander) step(c *chunk, place int64) (sleeping int, err error) {
	w := x.w
	switch sleep := w.opt.Sleep; {
	case sleep != nil:
		x.asleep = w.queue.asleep(x.asleep[:0], w.queue.at(place))
		x.next, x.kinds, sleeping, err = sleep.Steps(x.next, x.kinds, x.taken, c.notesOf(int(place-c.from), sleep.Notes), x.state, x.asleep)
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

// emit appends the successors that are not among the recent ones, for the states from parent on.
// It does not branch on that, as no predictor could guess it. All hashes are computed first, so
// that the cache misses of the comparisons overlap.
func (x *expander) emit(parent uint32) {
	space := x.w.space
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
				to[2*i], to[2*i+1] = uint32(v), uint32(v>>32) // if words is odd, the last half is overwritten by the parent
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

// emitMixed is emit for mixed states. It compares the states themselves, and does not branch
// on the result, which no predictor could guess.
func (x *expander) emitMixed(parent uint32) {
	space := x.w.space
	m, words, entry := space.mixing, space.words, space.carried+1
	count := len(x.next) / words
	at := len(x.out)
	x.out = slices.Grow(x.out, entry*count+entry)
	x.shards = slices.Grow(x.shards, count+1)
	out, owners := x.out[at:cap(x.out)], x.shards[at/entry:cap(x.shards)]
	recent := (*[1 << mixedBits]uint64)(x.recent)
	n := 0
	kinds := x.kinds[:count]
	for i, kind := range kinds {
		lo, over := x.next[i*words], uint64(0)
		if words == 2 {
			lo, over = m.fold(lo, x.next[i*words+1])
		}
		shard, y := m.mix(lo, over)
		// The slot tells the shard and the first bits of y, the rest is not 0.
		const first = mixedBits - shardBits
		slot := &recent[shard<<first|int(y>>((m.width-first)&63))&(1<<mixedBits-1)]
		rest := y&(1<<((m.width-first)&63)-1) + 1
		to := out[n*entry : n*entry+entry : n*entry+entry]
		to[0] = uint32(y)
		if entry == 3 {
			to[1] = uint32(y >> 32)
		}
		to[entry-1] = parent | kind<<offsetBits
		owners[n] = uint8(shard)
		other := 0
		if *slot != rest {
			other = 1
		}
		*slot = rest
		n += other
	}
	x.out, x.shards = x.out[:at+entry*n], x.shards[:at/entry+n]
}

// emitMarks is emit for states marked in the map. It also leaves out states found before this
// round: no worker writes to the map in this half of a round.
func (x *expander) emitMarks(parent uint32) {
	at, marks := len(x.out), x.w.space.marks
	x.out = slices.Grow(x.out, 2*len(x.next)+2)
	out, kinds := x.out[at:cap(x.out)], x.kinds[:len(x.next)]
	n := 0
	for i, s := range x.next {
		key := uint32(s)
		out[2*n], out[2*n+1] = key, parent|kinds[i]<<offsetBits
		n += int(^marks[key>>5] >> (key & 31) & 1)
	}
	recent := (*[1 << markedBits]uint64)(x.recent)
	for from := range n {
		key, word := out[2*from], out[2*from+1]
		slot := &recent[key*(factor3>>32)>>(32-markedBits)]
		if *slot == uint64(key)+1 {
			continue
		}
		*slot = uint64(key) + 1
		x.out = append(x.out, key, word)
		x.shards = append(x.shards, uint8(shardOfMark(key)))
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

// keyOf is Space.key in scratch memory, valid until the next call.
func (x *expander) keyOf(packed []uint32) []uint32 {
	if !x.w.space.compact {
		return packed
	}
	x.key = x.w.space.key(x.key[:0], packed)
	return x.key
}
