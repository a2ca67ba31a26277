package simulate

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Large networks.
//
// A hash table of all sites takes 24 bytes a site, and the list of all flows 10 a flow: on a mesh of 128x128, ten times
// what its tables take in fragments. So the routes of such a network are searched for in the tables as they are stored,
// and of the flows only those are listed that there are not. Nothing is copied, and all runs share the tables. A
// search takes longer than a look into the hash table, but only a head makes one, once a hop.
//
// TestSearch compares both forms.

// mostHashed is the number of sites above which routes are searched for.
const mostHashed = 1 << 26

// search finds rows in the tables as they are stored.
type search struct {
	n      *spec.Network
	tables []*spec.Table
	sites  []int32 // by table: its first fragment that has sites; those before it have sources
}

// newSearch prepares the search. Linear in the fragments of all tables. A table whose fragments of sources do not come
// before those of sites is assembled; the compiler makes none.
func newSearch(n *spec.Network) *search {
	s := &search{n: n, tables: make([]*spec.Table, n.Tables()), sites: make([]int32, n.Tables())}
	for i := range s.tables {
		t := n.Stored(i)
		if len(t.Fragments) > 0 && (t.Len() > 0 || len(t.Sources) > 0) {
			t = n.Table(i)
		}
		first := slices.IndexFunc(t.Fragments, s.hasSites)
		if first < 0 {
			first = len(t.Fragments)
		}
		if slices.ContainsFunc(t.Fragments[first:], func(f int32) bool { return !s.hasSites(f) }) {
			t, first = n.Table(i), 0
		}
		s.tables[i], s.sites[i] = t, int32(first)
	}
	return s
}

func (s *search) hasSites(fragment int32) bool {
	p := s.n.Fragment(fragment)
	return p.Len() > 0
}

// site returns the row of a site; false if the table does not have it.
func (s *search) site(table, channel int32, tag spec.Tag) (spec.RowID, bool) {
	t := s.tables[table]
	if len(t.Fragments) > 0 {
		part := s.fragment(t.Fragments[s.sites[table]:], channel, func(p *spec.Table) (first, last int32) {
			return int32(p.Channels[0]), int32(p.Channels[p.Len()-1])
		})
		t = &part
	}
	i, found := t.Find(spec.ChannelID(channel), tag)
	if !found {
		return 0, false
	}
	return t.Rows[i], true
}

// sources returns the sources of a node in a table.
func (s *search) sources(table int32, v spec.NodeID) []spec.Source {
	t := s.tables[table]
	if len(t.Fragments) > 0 {
		part := s.fragment(t.Fragments[:s.sites[table]], int32(v), func(p *spec.Table) (first, last int32) {
			return int32(p.Sources[0].Node), int32(p.Sources[len(p.Sources)-1].Node)
		})
		t = &part
	}
	return t.SourcesOf(v)
}

// fragment returns that of consecutive fragments which has a place, if any has it: by interpolation, as most places
// have as many fragments before them as their number suggests, and by bisection if that comes no closer.
func (s *search) fragment(of []int32, place int32, ends func(p *spec.Table) (first, last int32)) (p spec.Table) {
	lo, hi := 0, len(of)-1
	for guesses := 0; lo <= hi; guesses++ {
		at := (lo + hi) / 2
		if guesses < 3 {
			first, last := s.n.Fragment(of[lo]), s.n.Fragment(of[hi])
			from, _ := ends(&first)
			_, to := ends(&last)
			if place < from || place > to {
				return spec.Table{}
			}
			at = lo + int(int64(place-from)*int64(hi-lo)/int64(max(to-from, 1)))
		}
		p = s.n.Fragment(of[at])
		switch from, to := ends(&p); {
		case place < from:
			hi = at - 1
		case place > to:
			lo = at + 1
		default:
			return p
		}
	}
	return spec.Table{}
}

// absent lists which flows there are not, of a network where almost every node sends to almost every target, once.
type absent struct {
	tables []int32   // that packets are sent to by their sources, ascending
	of     [][]int32 // by node: places in tables of those that it does not send to, ascending
	search *search
	number []spec.RowID // of the rows
}

// absentOf returns the flows that there are not; nil if they are many, or if a node has several sources in a table.
func absentOf(n *spec.Network, o *Options) *absent {
	if o.routes == nil || o.routes.search == nil || n.Asks() {
		return nil
	}
	a := &absent{search: o.routes.search, number: o.routes.number, of: make([][]int32, n.Topology().Nodes())}
	var t spec.Table
	for i, count := 0, 0; i < n.Tables(); i++ {
		if o.Window > 0 && len(n.Classes()) > 1 && n.Stored(i).Class == o.Replies {
			continue
		}
		place, sources := int32(len(a.tables)), n.TableIn(&t, i).Sources
		a.tables = append(a.tables, int32(i))
		for v := range a.of {
			if len(sources) > 0 && int(sources[0].Node) == v {
				sources = sources[1:]
				continue
			}
			a.of[v] = append(a.of[v], place)
			count++
		}
		if count > n.FlowCount()/16+len(a.of) {
			return nil
		}
	}
	return a
}

// flow returns the table and the row of flow k of node v.
func (a *absent) flow(v, k int32) (table int32, row spec.RowID) {
	for _, not := range a.of[v] {
		if not > k {
			break
		}
		k++
	}
	table = a.tables[k]
	return table, a.number[a.search.sources(table, spec.NodeID(v))[0].Row]
}

// countBelow returns how many of the flows of node v are to destinations below d.
func (a *absent) countBelow(v, d spec.NodeID) int32 {
	at, _ := slices.BinarySearchFunc(a.tables, d, func(i int32, d spec.NodeID) int {
		return int(a.search.n.Stored(int(i)).Dest - d)
	})
	not, _ := slices.BinarySearch(a.of[v], int32(at))
	return int32(at - not)
}
