// Package intern, internal to unknot, numbers what is equal: the first of some equal things gets the next number, and
// the others have it, too.
package intern

import "slices"

// Index finds numbers by hashes: an open-addressing table, at most half full, over things that its user keeps in the
// order of their numbers. The zero value is empty.
type Index struct {
	slots []uint64 // the upper half of a hash above a number + 1; or 0; a power of two of them
	count int32
}

// NewIndex returns an index with room for n numbers.
func NewIndex(n int) *Index {
	size := 2
	for size < 2*n {
		size *= 2
	}
	return &Index{slots: make([]uint64, size)}
}

// Len returns how many numbers there are.
func (x *Index) Len() int { return int(x.count) }

// Find returns the number that was added with a hash and that is accepts, or -1. It asks only about numbers whose
// hashes agree in 32 bits.
func (x *Index) Find(hash uint64, is func(n int32) bool) int32 {
	mask := uint64(len(x.slots) - 1)
	if x.count == 0 {
		return -1
	}
	for i := hash >> 32 & mask; ; i = (i + 1) & mask {
		slot := x.slots[i]
		if slot == 0 {
			return -1
		}
		if slot>>32 == hash>>32 && is(int32(slot)-1) {
			return int32(slot) - 1
		}
	}
}

// Add adds the next number, with a hash. What it numbers must be new: Find did not find it.
func (x *Index) Add(hash uint64) (n int32) {
	if 2*(x.Len()+1) > len(x.slots) {
		before := x.slots
		x.slots = make([]uint64, max(64, 2*len(before)))
		for _, slot := range before {
			if slot != 0 {
				x.put(slot)
			}
		}
	}
	x.count++
	x.put(hash>>32<<32 | uint64(x.count))
	return x.count - 1
}

func (x *Index) put(slot uint64) {
	mask := uint64(len(x.slots) - 1)
	i := slot >> 32 & mask
	for x.slots[i] != 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = slot
}

// Slices numbers different slices in the order in which they are added, in one arena. The zero value is empty.
type Slices[T comparable] struct {
	index Index
	at    []int32 // at[n] to at[n+1] are the elements of slice n
	items []T
}

// Len returns how many slices there are.
func (s *Slices[T]) Len() int { return max(0, len(s.at)-1) }

// Slice returns a slice by its number. It must not be changed.
func (s *Slices[T]) Slice(n int32) []T { return s.items[s.at[n]:s.at[n+1]] }

// Number returns the number of a slice with a hash, which is the same for equal slices, and whether it is new; it is
// then copied.
func (s *Slices[T]) Number(hash uint64, slice []T) (n int32, added bool) {
	if n := s.index.Find(hash, func(n int32) bool { return slices.Equal(s.Slice(n), slice) }); n >= 0 {
		return n, false
	}
	if len(s.items)+len(slice) > cap(s.items) { // twice as large: they become many
		s.items = slices.Grow(s.items, max(len(slice), len(s.items)))
	}
	if s.at == nil {
		s.at = []int32{0}
	}
	s.items = append(s.items, slice...)
	s.at = append(s.at, int32(len(s.items)))
	return s.index.Add(hash), true
}
