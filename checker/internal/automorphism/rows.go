package automorphism

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/hash"
	"github.com/seed-105a2da2/unknot/spec/support/intern"
)

// rowFinder finds the number of a row in a network by its hops. A network stores equal rows once, so two sites have the
// same row if and only if its number is the same.
type rowFinder struct {
	n    *spec.Network
	rows *intern.Index
	row  []spec.Hop
}

func newRowFinder(n *spec.Network) *rowFinder {
	f := &rowFinder{n: n, rows: intern.NewIndex(n.RowCount())}
	for r := range spec.RowID(n.RowCount()) {
		f.rows.Add(hashRow(n.Row(r)))
	}
	return f
}

func hashRow(row []spec.Hop) uint64 {
	h := uint64(len(row))
	for _, hop := range row {
		h = hash.Mix(h, uint64(uint32(hop.Channel))<<16|uint64(hop.Tag))
	}
	return h
}

// image returns the number of the image of a row, or -1 if no site has that row.
func (f *rowFinder) image(row []spec.Hop, s Symmetry) spec.RowID {
	f.row = appendImage(f.row[:0], s, row)
	same := func(r int32) bool { return slices.Equal(f.n.Row(spec.RowID(r)), f.row) }
	return spec.RowID(f.rows.Find(hashRow(f.row), same))
}

// appendImage appends the image of a row, in the order of rows: ascending by
// channel and tag.
func appendImage(dst []spec.Hop, s Symmetry, row []spec.Hop) []spec.Hop {
	at := len(dst)
	for _, h := range row {
		if h.Channel != spec.Eject {
			h.Channel = s.Channels[h.Channel]
		}
		dst = append(dst, h)
	}
	slices.SortFunc(dst[at:], spec.Hop.Compare)
	return dst
}
