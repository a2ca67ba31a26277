package simulate

import "github.com/seed-105a2da2/unknot/spec"

// routes finds the sites of a network's tables in few lines of the cache. The channels of a
// table are cut into stretches of equal width, one for each perStretch sites; first has the
// first site of each stretch, and then one more.
type routes struct {
	tables []stretches
	first  []int32
	sites  []site // of all tables, as they are numbered
}

// stretches are those of a table.
type stretches struct {
	from, site int // in routes.first; of the table's sites in routes.sites
	width      int64
	low        spec.ChannelID
}

type site struct {
	channel spec.ChannelID
	row     spec.RowID
	tag     spec.Tag
}

const perStretch = 2

func routesOf(n *spec.Network) *routes {
	r := &routes{tables: make([]stretches, n.Tables())}
	sites, firsts := 0, 0
	for i := range r.tables {
		sites, firsts = sites+n.Table(i).Len(), firsts+n.Table(i).Len()/perStretch+2
	}
	r.first, r.sites = make([]int32, 0, firsts), make([]site, 0, sites)
	for i := range r.tables {
		t := n.Table(i)
		s := &r.tables[i]
		s.from, s.site, s.width = len(r.first), len(r.sites), 1
		if t.Len() == 0 {
			r.first = append(r.first, 0, 0)
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
			r.sites = append(r.sites, site{c, t.Rows[k], t.Tag(k)})
		}
		r.first = append(r.first, int32(t.Len()))
	}
	return r
}

// row returns the row of the site with the given channel and tag in a table, if there is
// one; the channel lies within the table's.
func (r *routes) row(table int, c spec.ChannelID, tag spec.Tag) (spec.RowID, bool) {
	s := &r.tables[table]
	at := s.from + int(int64(c-s.low)/s.width)
	of := r.sites[s.site+int(r.first[at]) : s.site+int(r.first[at+1])]
	for len(of) > 1 {
		if mid := len(of) / 2; of[mid].channel > c || of[mid].channel == c && of[mid].tag > tag {
			of = of[:mid]
		} else {
			of = of[mid:]
		}
	}
	if len(of) == 0 || of[0].channel != c || of[0].tag != tag {
		return 0, false
	}
	return of[0].row, true
}
