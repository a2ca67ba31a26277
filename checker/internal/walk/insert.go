package walk

// insert inserts the entries of the chunks that belong to one shard.
func (x *expander) insert(shard int, chunks []*chunk) {
	space := x.w.space
	sh := &space.shards[shard]
	for _, c := range chunks {
		c.locals[shard] = sh.count
		space.form.enlarge(shard, sh.count+uint32(len(c.bucket(shard))/(space.carried+1)), space.widening, &x.moving)
		space.form.insert(x, shard, c)
		c.fresh[shard] = int32(sh.count - c.locals[shard])
	}
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
				x.ahead = space.form.decode(x.ahead[:0], int(s), encoding)
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
	sleep.After(x.after, c.notesOf(int(last&(chunkEntries-1)), sleep.Notes), last>>offsetBits)
	return x.after
}
