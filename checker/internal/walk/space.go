package walk

import (
	"context"
	"errors"
	"slices"
)

// Space holds the states that a walk has found.
type Space struct {
	shards  [shards]shard
	words   int // 64-bit words of a state
	packed  int // 32-bit words of a packed state: all of its words, or all but half of the last
	compact bool
	whole   bool // wide states are kept whole, not as trees
	form    form
	traits
	arena  arena // of the blocks of shards
	tables tables

	widening bool // more states wait to be expanded than any level has had
}

// newSpace returns a space without states. If spare, it requests no huge pages.
func newSpace(m Machine, compact, whole, spare bool) *Space {
	l := m.Layout()
	s := &Space{words: l.Words(), packed: max(1, (l.Bits()+31)/32), compact: compact, whole: whole}
	s.arena.spare, s.tables.spare = spare, spare
	s.form, s.traits = newForm(s, l, spare)
	for i := range s.shards {
		s.shards[i] = shard{entry: s.entry, bits: bitsFor(s.entry), arena: &s.arena}
	}
	return s
}

// Parents reports whether parents and the order of discovery are kept. Without them
// states have no numbers: only Each and States work.
func (s *Space) Parents() bool { return !s.shards[0].bare }

// dropParents stops keeping parents and the order of discovery, if the form does not
// need them.
func (s *Space) dropParents() {
	if s.ordered {
		return
	}
	for i := range s.shards {
		s.shards[i].bare, s.shards[i].blocks = true, nil
	}
	s.arena.release()
}

// States returns the number of states.
func (s *Space) States() int64 {
	sum := int64(0)
	for i := range s.shards {
		sum += int64(s.shards[i].count)
	}
	return sum
}

// State appends the words of a state to dst. With Options.Compact states are
// not kept: only Trail works.
func (s *Space) State(dst []uint64, id ID) []uint64 {
	shard, local := id.split()
	return s.form.state(dst, shard, local)
}

// EachNumbered calls f with every state in the order of their numbers until f returns false. The slice is reused.
// Parents must be kept.
func (s *Space) EachNumbered(f func(id ID, state []uint64) bool) {
	var state []uint64
	for i := range s.shards {
		for local := range s.shards[i].count {
			id := idOf(i, local)
			state = s.State(state[:0], id)
			if !f(id, state) {
				return
			}
		}
	}
}

var errLost = errors.New("a state on the path is not found again")

// Chain returns the numbers of the states on a shortest path from an initial state to
// the given one, both included. It fails if the space comes from a forged checkpoint whose
// parents form a cycle.
func (s *Space) Chain(id ID) ([]ID, error) {
	var back []ID
	for states := s.States(); ; {
		back = append(back, id)
		parent := s.parent(id)
		if parent == id {
			break
		}
		if int64(len(back)) > states {
			return nil, errLost
		}
		id = parent
	}
	slices.Reverse(back)
	return back, nil
}

// parent returns the state from which a state was first found; an initial state is
// its own parent.
func (s *Space) parent(id ID) ID {
	shard, local := id.split()
	at := s.shards[shard].entryAt(local)
	return ID(at[len(at)-1])
}

// Trail returns the states on a shortest path to a state: those of Chain, found again step by step
// where only their hashes are kept. It ends with ctx.
func (s *Space) Trail(ctx context.Context, m Machine, id ID) ([][]uint64, error) {
	chain, err := s.Chain(id)
	if err != nil {
		return nil, err
	}
	var trail [][]uint64
	if !s.compact {
		for _, id := range chain {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			trail = append(trail, s.State(nil, id))
		}
		return trail, nil
	}
	choices := m.Start(nil)
	for i, id := range chain {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if i > 0 {
			if choices, err = m.AppendSuccessors(nil, trail[i-1]); err != nil {
				return nil, err
			}
		}
		shard, local := id.split()
		want := s.shards[shard].entryAt(local)
		found := false
		for i := 0; i+s.words <= len(choices) && !found; i += s.words {
			key := s.key(nil, s.pack(nil, choices[i:i+s.words]))
			if found = key[0] == want[0] && key[1] == want[1]; found {
				trail = append(trail, append([]uint64(nil), choices[i:i+s.words]...))
			}
		}
		if !found {
			return nil, errLost
		}
	}
	return trail, nil
}

// Release frees the memory. The space must not be used after that.
func (s *Space) Release() {
	s.form.release()
	for i := range s.shards {
		s.shards[i] = shard{}
	}
	s.arena.release()
	s.tables.release()
}

// bytes returns the memory of the space.
func (s *Space) bytes() int64 {
	var sizes [shards]int
	for i := range s.shards {
		sizes[i] = s.form.tabled(i)
	}
	return s.bytesWith(&sizes, 0)
}

// bytesWith returns the memory of the space once tables have these sizes, and blocks more words than now.
func (s *Space) bytesWith(sizes *[shards]int, more int) int64 {
	return s.form.outside() + s.tables.bytes(sizes) + s.arena.bytes(more)
}

// pack appends a state in 32-bit words.
func (s *Space) pack(dst []uint32, state []uint64) []uint32 {
	at := len(dst)
	for _, x := range state {
		dst = append(dst, uint32(x), uint32(x>>32))
	}
	return dst[:at+s.packed]
}

// packInto packs a state into exactly the words of a packed state.
func packInto(dst []uint32, state []uint64) {
	for i, x := range state {
		if dst[2*i] = uint32(x); 2*i+1 < len(dst) {
			dst[2*i+1] = uint32(x >> 32)
		}
	}
}

func (s *Space) unpack(dst []uint64, packed []uint32) []uint64 {
	for i := range s.words {
		x := uint64(0)
		if 2*i < s.packed {
			x = uint64(packed[2*i])
		}
		if 2*i+1 < s.packed {
			x |= uint64(packed[2*i+1]) << 32
		}
		dst = append(dst, x)
	}
	return dst
}

// key appends what a packed state is stored and found by: itself, or a 64-bit hash
// independent of the one that chooses its slot.
func (s *Space) key(dst, packed []uint32) []uint32 {
	if !s.compact {
		return append(dst, packed...)
	}
	h := uint64(0x9e3779b97f4a7c15)
	for _, x := range packed {
		h = mix(h + uint64(x)*0x2545f4914f6cdd1d)
	}
	return append(dst, uint32(h), uint32(h>>32))
}

// Each is [Visited.Each], without errors: by number if it is asked for the whole, and otherwise in whatever order is
// quickest.
func (s *Space) Each(part, parts int, f func(state []uint64) bool) error {
	if parts == 1 && s.Parents() {
		s.EachNumbered(func(_ ID, state []uint64) bool { return f(state) })
	} else {
		s.form.each(part, parts, f)
	}
	return nil
}

// eachFound is Each in the order of discovery, by shard.
func (s *Space) eachFound(part, parts int, f func(state []uint64) bool) {
	var states []uint64
	for i := part; i < shards; i += parts {
		count := s.shards[i].count
		for local := uint32(0); local < count; local += together {
			few := min(together, count-local)
			states = states[:0]
			for k := range few { // their cache misses overlap
				states = s.form.state(states, i, local+k)
			}
			for k := range few {
				if !f(states[int(k)*s.words:][:s.words]) {
					return
				}
			}
		}
	}
}

// stateOf appends the words of the state of a queue entry.
func (q *queue) stateOf(s *Space, dst []uint64, entry []uint32) []uint64 {
	shard, local := ID(entry[0]).split()
	if !q.encoded {
		return s.form.state(dst, shard, local)
	}
	return s.form.decode(dst, shard, entry[1:1+s.carried])
}
