package automorphism

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// rowFinder finds the number of a row in a network by its hops: open addressing,
// at most half full. A network stores equal rows once, so two sites have the same
// row if and only if its number is the same.
type rowFinder struct {
	n     *spec.Network
	slots []spec.RowID // row + 1, or 0; the length is a power of two
	row   []spec.Hop
}

func newRowFinder(n *spec.Network) *rowFinder {
	slots := 2
	for slots < 2*n.RowCount() {
		slots *= 2
	}
	f := &rowFinder{n: n, slots: make([]spec.RowID, slots)}
	for r := range spec.RowID(n.RowCount()) {
		i := f.hash(n.Row(r))
		for f.slots[i] != 0 {
			i = (i + 1) & (slots - 1)
		}
		f.slots[i] = r + 1
	}
	return f
}

func (f *rowFinder) hash(row []spec.Hop) int {
	h := uint64(len(row))
	for _, hop := range row {
		h = mix(h, uint64(uint32(hop.Channel))<<16|uint64(hop.Tag))
	}
	return int(h & uint64(len(f.slots)-1))
}

// image returns the number of the image of a row, or -1 if no site has that row.
func (f *rowFinder) image(row []spec.Hop, s Symmetry) spec.RowID {
	f.row = appendImage(f.row[:0], s, row)
	for i := f.hash(f.row); f.slots[i] != 0; i = (i + 1) & (len(f.slots) - 1) {
		if to := f.slots[i] - 1; slices.Equal(f.n.Row(to), f.row) {
			return to
		}
	}
	return -1
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
