package statespace

import "slices"

// Judging states when they are found.
//
// Where a state is expanded, Inspect sees all of it. Judge sees it earlier, with the kind
// of the step that found it, and so may look at what such a step can have changed alone:
// if the parent, expanded, lacks a flag, the rest of the state lacks it, too. Invariant:
// as long as no state that was expanded has a flag, a state with the flag was judged to
// have it when it was found. So the first state with it in the order of the walk is
// known, and it is flagged when it is expanded, as if Inspect had seen it. A shard keeps
// its first state for each flag; once some state was flagged, no more is asked.

// MostKinds is the largest kind of a step.
const MostKinds = 1<<(32-offsetBits) - 1

// judge judges the states of a shard from one on, which came out of a bucket: there
// they stand in the same order, each the first of its like.
func (x *expander) judge(shard int, from uint32, bucket []uint32) {
	if x.w.kinds == nil {
		return
	}
	sh := &x.w.space.shards[shard]
	space := x.w.space
	if n := space.carried; sh.form == byQuotients {
		for i, at := range x.fresh {
			x.ahead = space.mixing.state(x.ahead[:0], shard, carriedY(bucket[at:], n))
			sh.hasFlags(from+uint32(i), x.w.opt.Judge(x.ahead, bucket[int(at)+n]>>offsetBits))
		}
		return
	}
	for local := from; local < sh.count; local++ {
		packed := space.packedAt(sh, local)
		for !slices.Equal(bucket[:space.packed], packed) {
			bucket = bucket[space.packed+1:]
		}
		x.ahead = space.unpack(x.ahead[:0], packed)
		sh.hasFlags(local, x.w.opt.Judge(x.ahead, bucket[space.packed]>>offsetBits))
		bucket = bucket[space.packed+1:]
	}
}

// judgeFrontier judges all states that were not expanded, whatever steps led there.
func (w *walk) judgeFrontier() {
	if w.kinds == nil {
		return
	}
	var state []uint64
	for i := range w.space.shards {
		sh := &w.space.shards[i]
		for local := sh.expand; local < sh.count; local++ {
			state = w.space.stateAt(state[:0], i, local)
			sh.hasFlags(local, w.opt.Judge(state, 0))
		}
	}
}

// hasFlags notes what a state was judged to have.
func (s *shard) hasFlags(local uint32, flags Flags) {
	for f := 0; flags != 0; f, flags = f+1, flags>>1 {
		if flags&1 != 0 && s.judged[f] == 0 {
			s.judged[f] = local + 1
		}
	}
}

// flagJudged flags the states of a chunk that were judged, unless some state was
// flagged alike in a round before.
func (x *expander) flagJudged(sh *shard, c *chunk) {
	for f, n := range sh.judged {
		if n > c.from && n <= c.to && x.w.result.Flagged[f] == 0 {
			c.flag(1<<f, n-1)
		}
	}
}
