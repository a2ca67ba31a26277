package simulate

import "github.com/seed-105a2da2/unknot/spec"

// routes finds the sites of a network's tables in few lines of the cache. The channels of a
// table are cut into stretches of equal width, one for each perStretch sites; first has the
// first site of each stretch, and then one more.
type routes struct {
	n      *spec.Network
	tables []stretches
	first  []int32
}

// stretches are those of a table.
type stretches struct {
	from  int // in routes.first
	width int64
	low   spec.ChannelID
}

const perStretch = 16

func routesOf(n *spec.Network) *routes {
	r := &routes{n: n, tables: make([]stretches, n.Tables())}
	sites := 0
	for i := range r.tables {
		sites += n.Table(i).Len()/perStretch + 2
	}
	r.first = make([]int32, 0, sites)
	for i := range r.tables {
		t := n.Table(i)
		s := &r.tables[i]
		s.from = len(r.first)
		if t.Len() == 0 {
			r.first = append(r.first, 0)
			continue
		}
		number := int64(t.Len()/perStretch + 1)
		s.low = t.Channels[0]
		s.width = int64(t.Channels[t.Len()-1]-s.low)/number + 1
		next := int64(0)
		for k, c := range t.Channels {
			for ; next <= int64(c-s.low)/s.width; next++ {
				r.first = append(r.first, int32(k))
			}
		}
		r.first = append(r.first, int32(t.Len()))
	}
	return r
}

// row returns the row of the site with the given channel and tag in a table, if there is
// one; the channel lies within the table's.
func (r *routes) row(table int, c spec.ChannelID, tag spec.Tag) (spec.RowID, bool) {
	t := r.n.Table(table)
	s := &r.tables[table]
	at := s.from + int(int64(c-s.low)/s.width)
	lo, hi := int(r.first[at]), int(r.first[at+1])
	for lo < hi {
		if mid := (lo + hi) / 2; t.Channels[mid] < c || t.Channels[mid] == c && t.Tag(mid) < tag {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == t.Len() || t.Channels[lo] != c || t.Tag(lo) != tag {
		return 0, false
	}
	return t.Rows[lo], true
}
