// Package place says where a field lies in a packed state, in three words: what a
// step needs of a states.Field.
package place

import "github.com/seed-105a2da2/unknot/spec/states"

// Place is where a field lies: its word, its lowest bit there, and the mask of
// its values before they are shifted.
type Place struct {
	Word  int
	Shift uint
	Mask  uint64
}

// Of returns the place of a field.
func Of(f states.Field) Place {
	word, shift, mask := f.Place()
	return Place{word, shift, mask}
}

// Value returns the field's value in s.
func (p Place) Value(s []uint64) uint64 { return s[p.Word] >> (p.Shift & 63) & p.Mask }

// Put sets the field's value in s. v must be one of its values.
func (p Place) Put(s []uint64, v uint64) {
	shift := p.Shift & 63
	s[p.Word] = s[p.Word]&^(p.Mask<<shift) | v<<shift
}

// Add adds to the field's value in s; the sum must be one of its values.
func (p Place) Add(s []uint64, v uint64) { s[p.Word] += v << (p.Shift & 63) }

// All returns the places of a queue.
func All(q states.Queue) []Place {
	all := make([]Place, q.Len())
	for i := range all {
		all[i] = Of(q.FieldAt(i))
	}
	return all
}
