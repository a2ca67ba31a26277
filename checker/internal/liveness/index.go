package liveness

import (
	"context"
	"math/bits"

	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
)

// finder tells the number of a state. It is for one goroutine at a time.
type finder interface {
	find(state []uint64) (number int32, found bool)
	// findAll appends those of states that follow each other, if all are found.
	findAll(dst []int32, states []uint64) (numbers []int32, found bool)
}

// inSpace asks the space.
type inSpace struct {
	*statespace.Finder
	*statespace.Numbering
	ids []statespace.ID
}

func (f *inSpace) find(state []uint64) (int32, bool) {
	id, found := f.Find(state)
	return int32(f.Of(id)), found
}

func (f *inSpace) findAll(dst []int32, states []uint64) (_ []int32, found bool) {
	f.ids, found = f.FindAll(f.ids[:0], states)
	for _, id := range f.ids {
		dst = append(dst, int32(f.Of(id)))
	}
	return dst, found
}

// index is the finder of states of few bits: a map with a bit for each that there
// could be. It stays in the cache where the tables of a space do not.
type index struct {
	words   []indexWord
	numbers []int32 // by rank
}

type indexWord struct {
	has   uint64
	below uint32 // states before those of the word
}

// mostIndexed bounds the bits of indexed states, so that the map takes 16 MiB at most.
const mostIndexed = 26

// indexWords returns the length of the map, 0 if states have too many bits.
func (s *Space) indexWords() int {
	if width := s.Machine.Layout().Bits(); width <= mostIndexed {
		return max(1, 1<<width>>6)
	}
	return 0
}

// newIndex returns the index of a space, or nil if its states have too many bits; when
// ctx has ended it is of no use.
func newIndex(ctx context.Context, s *Space, n *statespace.Numbering) *index {
	if s.indexWords() == 0 {
		return nil
	}
	x := &index{make([]indexWord, s.indexWords()), make([]int32, s.States())}
	k := 0
	s.Each(func(_ statespace.ID, state []uint64) bool {
		x.words[state[0]>>6].has |= 1 << (state[0] & 63)
		k++
		return goesOn(ctx, k)
	})
	below := uint32(0)
	for i := range x.words {
		x.words[i].below = below
		below += uint32(bits.OnesCount64(x.words[i].has))
	}
	s.Each(func(id statespace.ID, state []uint64) bool {
		x.numbers[x.rank(state[0])] = int32(n.Of(id))
		k++
		return goesOn(ctx, k)
	})
	return x
}

// rank returns how many states are less than one.
func (x *index) rank(state uint64) int {
	w := &x.words[state>>6]
	return int(w.below) + bits.OnesCount64(w.has&(1<<(state&63)-1))
}

func (x *index) find(state []uint64) (int32, bool) {
	if x.words[state[0]>>6].has>>(state[0]&63)&1 == 0 {
		return 0, false
	}
	return x.numbers[x.rank(state[0])], true
}

func (x *index) findAll(dst []int32, states []uint64) ([]int32, bool) {
	missing := uint64(0)
	for _, s := range states { // of one word
		missing |= ^x.words[s>>6].has >> (s & 63)
		dst = append(dst, x.numbers[min(x.rank(s), len(x.numbers)-1)])
	}
	return dst, missing&1 == 0
}
