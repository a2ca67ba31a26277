package walk

import (
	"context"
	"sort"
)

// Numbers numbers the states of a space 0..States()-1: shard by shard, and in a shard in the order of discovery, so
// that states found one after the other, which often lead to each other, are mostly near each other in arrays by
// number. A bit map is numbered in its own order: for every 64th bit it is recorded how many bits are set
// before it.
//
// The numbers are invalid once the space has grown or been released. They may be asked for concurrently.
type Numbers struct {
	space *Space
	base  [shards + 1]int // of the first state of each shard, if they are in the order of discovery
	parts []piece
	index index
}

// index is what a form of the visited set adds to find numbers.
type index interface {
	// find is FindAll of at most abreast states.
	find(dst []int32, states []uint64, missing int32) (_ []int32, found bool)
	each(p piece, f func(state []uint64) bool)
	state(dst []uint64, i int) []uint64
	forget()
}

// piece is a part of a shard: a range of local numbers, or of 64-bit words of a map.
type piece struct {
	shard    int
	from, to int
	first    int // number of its first state
}

const mostPiece = 1 << 14 // states, or bits

// Numbers prepares to number the states found so far, unless ctx ends. Parents must be
// kept, or the states be in a bit map.
func (s *Space) Numbers(ctx context.Context) *Numbers {
	n := &Numbers{space: s}
	for i := range s.shards {
		count := int(s.shards[i].count)
		for from := 0; from < count; from += mostPiece {
			n.parts = append(n.parts, piece{i, from, min(from+mostPiece, count), n.base[i] + from})
		}
		n.base[i+1] = n.base[i] + count
	}
	n.index = s.form.index(ctx, n)
	return n
}

// Forget frees what Find and FindAll need; they must not be called any more.
func (n *Numbers) Forget() { n.index.forget() }

// States returns the number of states.
func (n *Numbers) States() int { return n.base[shards] }

// Parts returns the number of parts of the space. They are numbered consecutively.
func (n *Numbers) Parts() int { return len(n.parts) }

// Part returns the range of numbers from <= n < to of a part's states.
func (n *Numbers) Part(i int) (from, to int) {
	if i+1 < len(n.parts) {
		return n.parts[i].first, n.parts[i+1].first
	}
	return n.parts[i].first, n.base[shards]
}

// EachIn calls f with the states of a part, in the order of their numbers, until it returns
// false. The slice is reused.
func (n *Numbers) EachIn(i int, f func(state []uint64) bool) { n.index.each(n.parts[i], f) }

// State appends the words of a state, given its number.
func (n *Numbers) State(dst []uint64, i int) []uint64 { return n.index.state(dst, i) }

// discovered numbers states in the order of discovery.
type discovered struct{ n *Numbers }

func (d discovered) each(p piece, f func(state []uint64) bool) {
	s := d.n.space
	var states []uint64
	for from := p.from; from < p.to; from += together {
		states = states[:0]
		for local := from; local < min(from+together, p.to); local++ { // their cache misses overlap
			states = s.form.state(states, p.shard, uint32(local))
		}
		for rest := states; len(rest) > 0; rest = rest[s.words:] {
			if !f(rest[:s.words:s.words]) {
				return
			}
		}
	}
}

func (d discovered) state(dst []uint64, i int) []uint64 {
	base := &d.n.base
	shard := sort.Search(shards, func(k int) bool { return base[k+1] > i })
	return d.n.space.form.state(dst, shard, uint32(i-base[shard]))
}

func (d discovered) forget() {}

// Find returns the number of a state, given its words.
func (n *Numbers) Find(state []uint64) (int32, bool) {
	var one [1]int32
	numbers, found := n.FindAll(one[:0], state, 0)
	return numbers[0], found
}

// abreast is how many states are looked up at once, so that their cache misses overlap.
const abreast = 64

// FindAll appends the numbers of consecutive states, with missing for those that are not found,
// and reports whether all are. The more there are, the less time each takes.
func (n *Numbers) FindAll(dst []int32, states []uint64, missing int32) (_ []int32, found bool) {
	found = true
	for words := n.space.words; len(states) > 0; states = states[min(abreast*words, len(states)):] {
		few := states[:min(abreast*words, len(states))]
		all := false
		dst, all = n.index.find(dst, few, missing)
		found = found && all
	}
	return dst, found
}

// Numbered bounds the memory of the space with its numbers.
func (s *Space) Numbered() int64 { return s.bytes() + s.form.indexed() }
