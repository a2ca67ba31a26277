package routing

import (
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/hash"
	"github.com/seed-105a2da2/unknot/spec/support/intern"
)

// rowSet numbers different rows in the order in which they are added. The zero value is empty.
type rowSet struct{ rows intern.Slices[spec.Hop] }

func (s *rowSet) len() int { return s.rows.Len() }

func (s *rowSet) row(r spec.RowID) []spec.Hop { return s.rows.Slice(int32(r)) }

// add returns the number of row, which it copies if it is new.
func (s *rowSet) add(row []spec.Hop) spec.RowID {
	h := uint64(len(row))
	for _, hop := range row {
		h = hash.Mix(h, uint64(uint32(hop.Channel))<<32^uint64(hop.Room)<<16^uint64(hop.Tag))
	}
	n, _ := s.rows.Number(h, row)
	return spec.RowID(n)
}
