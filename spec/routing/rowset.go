package routing

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// rowSet numbers different rows in the order in which they are added: an open
// addressing table over one arena of hops. The zero value is empty.
type rowSet struct {
	at    []int32 // at[r]..at[r+1] are row r's hops
	hops  []spec.Hop
	slots []int32 // row number + 1, or 0; a power of two of them, at most half full
}

func (s *rowSet) len() int { return max(0, len(s.at)-1) }

func (s *rowSet) row(r spec.RowID) []spec.Hop { return s.hops[s.at[r]:s.at[r+1]] }

// add returns the number of row, which it copies if it is new.
func (s *rowSet) add(row []spec.Hop) spec.RowID {
	if 2*(s.len()+1) > len(s.slots) {
		s.grow()
	}
	slot, found := s.find(row)
	if !found {
		if len(s.hops)+len(row) > cap(s.hops) { // twice as large: they become many
			s.hops = slices.Grow(s.hops, max(len(row), len(s.hops)))
		}
		s.hops = append(s.hops, row...)
		s.at = append(s.at, int32(len(s.hops)))
		s.slots[slot] = int32(s.len())
	}
	return spec.RowID(s.slots[slot] - 1)
}

func (s *rowSet) find(row []spec.Hop) (slot int, found bool) {
	mask := len(s.slots) - 1
	for i := hashRow(row) & mask; ; i = (i + 1) & mask {
		r := s.slots[i] - 1
		if r < 0 {
			return i, false
		}
		if slices.Equal(s.row(spec.RowID(r)), row) {
			return i, true
		}
	}
}

func (s *rowSet) grow() {
	if s.at == nil {
		s.at = []int32{0}
	}
	s.slots = make([]int32, max(64, 2*len(s.slots)))
	for r := range s.len() {
		slot, _ := s.find(s.row(spec.RowID(r)))
		s.slots[slot] = int32(r) + 1
	}
}

func hashRow(row []spec.Hop) int {
	h := uint64(len(row))
	for _, hop := range row {
		h = (h ^ uint64(uint32(hop.Channel))<<16 ^ uint64(hop.Tag)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return int(h >> 1)
}
