package statespace

import (
	"context"
	"slices"
)

// chunk is a run of states of one shard that a worker expands, and their
// successors sorted by shard. An entry is a packed state and a word: the number of
// its parent, counted from the first state of the chunk, and above it the kind of step.
type chunk struct {
	shard       int
	from, to    uint32
	entries     []uint32
	bounds      [shards + 1]int32 // bucket i is entries[bounds[i]:bounds[i+1]]
	transitions int64
	flagged     [FlagBits]int32
	first       [FlagBits]uint32 // local numbers
	refusal     error            // of Next, at the first state where there is one
	refusedAt   uint32           // its local number
}

func (c *chunk) begin(shard int, from, to uint32) {
	*c = chunk{shard: shard, from: from, to: to, entries: c.entries[:0]}
}

// parentOf returns the parent that the last word of an entry tells.
func (c *chunk) parentOf(word uint32) ID { return idOf(c.shard, c.from+word&(chunkEntries-1)) }

func (c *chunk) bucket(shard int) []uint32 { return c.entries[c.bounds[shard]:c.bounds[shard+1]] }

// expander is the scratch memory of a worker.
type expander struct {
	w      *walk
	state  []uint64
	ahead  []uint64 // the next few states; state is one of them
	next   []uint64
	kinds  []uint32 // by successor
	key    []uint32
	out    []uint32 // entries in the order in which they come
	shards []uint8  // by entry of out
	fresh  []int32  // of the bucket that was put in last: where new states stand
	recent []uint32 // by some bits of the hash: the last such entry, counted from 1
	mixed  []uint64 // the same for states that are mixed
}

// Many successors of neighbouring states are the same; a look at the last one
// with the same bits of hash keeps most of them out of the buffers.
const recentBits = 12

// together is how many states are looked at side by side, so that they wait for
// memory together.
const together = 16

func newExpander(w *walk) *expander {
	return &expander{w: w, recent: make([]uint32, 1<<recentBits), mixed: make([]uint64, 1<<recentBits)}
}

func (x *expander) bytes() int64 {
	return int64(cap(x.state)+cap(x.ahead)+cap(x.next)+cap(x.mixed))*8 + int64(cap(x.kinds)+cap(x.out)+cap(x.recent)+cap(x.key)+cap(x.fresh))*4 + int64(cap(x.shards))
}

// expand fills a chunk. When the context ends it stops half-way; the chunk is
// not used then.
func (x *expander) expand(ctx context.Context, c *chunk) {
	space, inspect := x.w.space, x.w.opt.Inspect
	sh := &space.shards[c.shard]
	words := space.words
	x.out, x.shards = x.out[:0], x.shards[:0]
	switch sh.form {
	case byNumbers:
		clear(x.recent)
	case byQuotients:
		clear(x.mixed)
	}
	for local := c.from; local < c.to; local++ {
		if local&15 == 0 && ctx.Err() != nil {
			return
		}
		if n := int(local - c.from); n%together == 0 {
			x.ahead = x.ahead[:0]
			for next := local; next < min(local+together, c.to); next++ {
				x.ahead = space.stateAt(x.ahead, c.shard, next) // they wait for memory together
			}
		}
		x.state = x.ahead[int(local-c.from)%together*words:][:words]
		err := x.step()
		if err != nil {
			if c.refusal == nil {
				c.refusal, c.refusedAt = err, local
			}
			x.next = x.next[:0]
		}
		successors := len(x.next) / words
		c.transitions += int64(successors)
		if err != nil {
			successors = 1
		}
		if inspect != nil {
			if flags := inspect(x.state, successors); flags != 0 {
				c.flag(flags, local)
			}
		}
		switch sh.form {
		case byMarks:
			x.emitMarks(local - c.from)
		case byQuotients:
			x.emitMixed(local - c.from)
		default:
			x.emit(local - c.from)
		}
	}
	x.flagJudged(sh, c)
	x.sort(c)
}

// step finds the successors of the state, and their kinds if these are told.
func (x *expander) step() (err error) {
	if m := x.w.kinds; m != nil {
		x.next, x.kinds, err = m.Steps(x.next[:0], x.kinds[:0], x.state)
		return err
	}
	x.next, err = x.w.m.Next(x.next[:0], x.state)
	if more := len(x.next) - len(x.kinds); more > 0 {
		x.kinds = append(x.kinds, make([]uint32, more)...)
	}
	return err
}

func (c *chunk) flag(flags Flags, local uint32) {
	for f := range FlagBits {
		if flags&(1<<f) != 0 {
			if c.flagged[f] == 0 {
				c.first[f] = local
			}
			c.flagged[f]++
		}
	}
}

// emit appends the successors that are not among the recent ones.
func (x *expander) emit(parent uint32) {
	space := x.w.space
	entry := space.carried + 1
	for i, k := 0, 0; i+space.words <= len(x.next); i, k = i+space.words, k+1 {
		at := len(x.out)
		state := x.next[i : i+space.words]
		x.out = space.pack(x.out, state)
		var h uint64
		if space.compact {
			x.key = space.key(x.key[:0], x.out[at:])
			h = hashOf(x.key)
		} else {
			h = hashOfState(state, space.packed)
		}
		slot := &x.recent[h>>20&(1<<recentBits-1)]
		if e := int(*slot); e > 0 && slices.Equal(x.out[(e-1)*entry:e*entry-1], x.out[at:]) {
			x.out = x.out[:at]
			continue
		}
		*slot = uint32(at/entry) + 1
		x.out = append(x.out, parent|x.kinds[k]<<offsetBits)
		x.shards = append(x.shards, uint8(h>>(64-shardBits)))
	}
}

// emitMixed is emit where states are mixed. It holds the recent ones themselves, and
// has no branch: whether a successor is a recent one cannot be foreseen.
func (x *expander) emitMixed(parent uint32) {
	space := x.w.space
	m, words, entry := space.mixing, space.words, space.carried+1
	count := len(x.next) / words
	at := len(x.out)
	x.out = slices.Grow(x.out, entry*count+entry)
	x.shards = slices.Grow(x.shards, count+1)
	out, owners := x.out[at:cap(x.out)], x.shards[at/entry:cap(x.shards)]
	recent := (*[1 << recentBits]uint64)(x.mixed)
	n := 0
	kinds := x.kinds[:count]
	for i, kind := range kinds {
		lo, over := x.next[i*words], uint64(0)
		if words == 2 {
			lo, over = m.fold(lo, x.next[i*words+1])
		}
		shard, y := m.mix(lo, over)
		// The slot tells the shard and the first bits of y, the rest is not 0.
		const first = recentBits - shardBits
		slot := &recent[shard<<first|int(y>>((m.width-first)&63))&(1<<recentBits-1)]
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

// emitMarks is emit for states that are marked in the map, all of them: there,
// asking twice costs less than keeping the second question out.
func (x *expander) emitMarks(parent uint32) {
	at := len(x.out)
	x.out = slices.Grow(x.out, 2*len(x.next))[:at+2*len(x.next)]
	x.shards = slices.Grow(x.shards, len(x.next))[:at/2+len(x.next)]
	out, owners, kinds := x.out[at:], x.shards[at/2:], x.kinds[:len(x.next)]
	for i, s := range x.next {
		out[2*i], out[2*i+1] = uint32(s), parent|kinds[i]<<offsetBits
		owners[i] = uint8(shardOfMark(uint32(s)))
	}
}

// sort puts the entries into the chunk, by shard, in the order in which they came.
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
	}
	c.entries = c.entries[:sum]
	switch entry {
	case 2:
		for i, s := range x.shards {
			to := at[s&(shards-1)]
			at[s&(shards-1)] = to + 2
			c.entries[to], c.entries[to+1] = x.out[2*i], x.out[2*i+1]
		}
		return
	case 3:
		for i, s := range x.shards {
			to := at[s&(shards-1)]
			at[s&(shards-1)] = to + 3
			c.entries[to], c.entries[to+1], c.entries[to+2] = x.out[3*i], x.out[3*i+1], x.out[3*i+2]
		}
		return
	}
	for i, s := range x.shards {
		copy(c.entries[at[s]:], x.out[i*entry:(i+1)*entry])
		at[s] += int32(entry)
	}
}

// insert takes the chunks' entries for one shard into it.
func (x *expander) insert(shard int, chunks []*chunk) {
	sh := &x.w.space.shards[shard]
	for _, c := range chunks {
		found := sh.count
		x.insertBucket(sh, c.bucket(shard), c)
		x.judge(shard, found, c.bucket(shard))
	}
}

func (x *expander) insertBucket(sh *shard, bucket []uint32, c *chunk) {
	space := x.w.space
	entry := space.carried + 1
	if sh.form == byMarks {
		sh.insertMarks(space.marks, bucket, c)
		return
	}
	sh.enlarge(sh.count + uint32(len(bucket)/entry))
	if sh.form == byQuotients {
		x.fresh = sh.insertQuotients(x.fresh[:0], bucket, space.carried, c)
		return
	}
	if space.compact {
		sh.reserve(len(bucket) / entry * space.packed)
	}
	for ; len(bucket) > 0; bucket = bucket[entry:] {
		packed := bucket[:entry-1]
		key := packed
		if space.compact {
			x.key = space.key(x.key[:0], packed)
			key = x.key
		}
		if sh.insert(key, hashOf(key), c.parentOf(bucket[entry-1])) && space.compact {
			sh.next = append(sh.next, packed...)
		}
	}
}
