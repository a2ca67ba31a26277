package simulate

import (
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/pages"
)

// routes finds the row of a site: a hash table of all tables' sites with open addressing, so that one cache line is
// read. If all VCs of a link have the same tag and row in a table, as in most networks, the link has a single entry.
// Rows are numbered by what they permit, so that those of a router are adjacent. Of a large network there is no such
// table: see search.
type routes struct {
	sites  []site
	search *search // if not nil, sites is
	byLink bool
	number []spec.RowID // of the rows of the network
	rowAt  []int32      // rowAt[r]..rowAt[r+1] are the hops of row r, as the routing permits them
	hops   []spec.Hop
	of     []uint16 // by hop: how many alternatives the site has that it leads to; nil if no site has several
	own    int      // tags of the routing
}

type site struct { // 16 bytes
	table int32
	at    int32      // channel, or link
	row   spec.RowID // in this numbering
	tag   spec.Tag
	used  bool
}

// routesOf returns the routes of a network; they are only read, so many runs may share them.
func routesOf(n *spec.Network) *routes {
	if n.Fragments() > 0 || n.SiteCount() > mostHashed {
		return searchedRoutes(n)
	}
	t := n.Topology()
	r := &routes{byLink: true}
	r.sort(n)
	sites, links := 0, 0
	for i := range n.Tables() {
		table := n.Table(i)
		sites += table.Len()
		for k, c := range table.Channels {
			if k == 0 || t.LinkOf(c) != t.LinkOf(table.Channels[k-1]) {
				links++
			} else if table.Tag(k) != table.Tag(k-1) || table.Rows[k] != table.Rows[k-1] {
				r.byLink = false
			}
		}
	}
	if r.byLink {
		sites = links
	}
	r.sites = make([]site, sites+sites/2+1)
	pages.Huge(r.sites)
	for i := range n.Tables() {
		table := n.Table(i)
		for k, c := range table.Channels {
			at := int32(c)
			if r.byLink {
				at = int32(t.LinkOf(c))
			}
			*r.find(int32(i), at, table.Tag(k)) = site{int32(i), at, r.number[table.Rows[k]], table.Tag(k), true}
		}
	}
	return r
}

// searchedRoutes returns the routes of a network without a table of its sites.
func searchedRoutes(n *spec.Network) *routes {
	r := &routes{search: newSearch(n)}
	r.sort(n)
	return r
}

// sort numbers the rows of a network.
func (r *routes) sort(n *spec.Network) {
	rows := make([]spec.RowID, n.RowCount())
	for i := range rows {
		rows[i] = spec.RowID(i)
	}
	slices.SortStableFunc(rows, func(a, b spec.RowID) int {
		return slices.CompareFunc(n.Row(a), n.Row(b), spec.Hop.Compare)
	})
	r.number, r.rowAt = make([]spec.RowID, len(rows)), make([]int32, 1, len(rows)+1)
	for i, row := range rows {
		r.number[row] = spec.RowID(i)
		r.add(n, n.Row(row))
		r.rowAt = append(r.rowAt, int32(len(r.hops)))
	}
}

// add adds the hops of a row: one for those to all alternatives of a site.
func (r *routes) add(n *spec.Network, row []spec.Hop) {
	first := len(r.hops)
	r.hops = append(r.hops, n.OwnHops(row)...)
	if r.own = n.OwnTags(); n.Alternatives() < 2 {
		return
	}
	for _, h := range r.hops[first:] {
		of := uint16(0)
		for _, x := range row {
			if x.Channel == h.Channel && int(x.Tag)%r.own == int(h.Tag) {
				of++
			}
		}
		r.of = append(r.of, of)
	}
}

// alternatives returns how many alternatives the site has that a hop of a row leads to.
func (r *routes) alternatives(row spec.RowID, h spec.Hop) int {
	if r.of == nil {
		return 1
	}
	return int(r.of[int(r.rowAt[row])+slices.Index(r.permitted(row), h)])
}

// permitted returns the hops of a row: first those that leave the network. The slice must not be changed.
func (r *routes) permitted(row spec.RowID) []spec.Hop { return r.hops[r.rowAt[row]:r.rowAt[row+1]] }

// place returns where the search for a site begins; the channel belongs to the link.
func (r *routes) place(table, channel, link int32, tag spec.Tag) uint64 {
	if r.byLink {
		channel = link
	}
	return r.hash(table, channel, tag)
}

func (r *routes) hash(table, at int32, tag spec.Tag) uint64 {
	h := (uint64(uint32(table))<<32|uint64(uint32(at)))*0x9e3779b97f4a7c15 + uint64(tag)*0xd6e8feb86659fd93
	i, _ := bits.Mul64(h, uint64(len(r.sites)))
	return i
}

// find returns the place of a site, or where it would be.
func (r *routes) find(table, at int32, tag spec.Tag) *site {
	for i := r.hash(table, at, tag); ; {
		if s := &r.sites[i]; s.at == at && s.table == table && s.tag == tag || !s.used {
			return s
		}
		if i++; i == uint64(len(r.sites)) {
			i = 0
		}
	}
}

// row returns the row of a site of a table, by channel and tag; the channel belongs to the link.
func (r *routes) row(table, channel, link int32, tag spec.Tag) spec.RowID {
	if r.search != nil {
		row, found := r.search.site(table, channel, tag)
		if !found {
			panic(lost)
		}
		return r.number[row]
	}
	if r.byLink {
		channel = link
	}
	s := r.find(table, channel, tag)
	if !s.used {
		panic(lost)
	}
	return s.row
}

const lost = "a packet is where no table has it"
