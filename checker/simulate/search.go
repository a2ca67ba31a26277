package simulate

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Large networks.
//
// A hash table of all sites takes 24 bytes a site, and the list of all flows 10 a flow: on a mesh of 128x128, ten times
// what its tables take in fragments. So the routes of such a network are searched for in the tables as they are stored,
// and of the flows only those are listed that there are not. No site is copied, and all runs share the tables.
//
// What a search takes is the memory that it waits for. A table's pieces are found in a list of their first places, which
// lie side by side; within a piece the places ascend almost evenly, so the search begins where the place would stand if
// they did. Most searches read four cache lines. Heads that arrive together read theirs ahead: see touch.
//
// TestSearch compares both forms.

// mostHashed is the number of sites above which routes are searched for.
const mostHashed = 1 << 19

// search finds rows in the tables as they are stored.
type search struct {
	n       *spec.Network
	parts   []part          // by fragment, and then those that tables have for themselves
	tags    [][]spec.Tag    // by part; nil if no site has a tag
	sources [][]spec.Source // by part
	of, at  index           // the parts of each table with sources, by node; those with sites, by channel
}

// part is some sites of a table, or of several.
type part struct { // 56 bytes: a cache line
	channels    []spec.ChannelID
	rows        []spec.RowID
	first, last spec.ChannelID
}

// index lists, by table, parts that ascend by place.
type index struct {
	from        []int32 // from[t]..from[t+1] are those of table t
	first, part []int32 // the first place of each, and its number
}

// add adds a part to the table that is added last.
func (x *index) add(first, part int32) {
	x.first, x.part = append(x.first, first), append(x.part, part)
}

// cut drops what is listed of a table, which is the last one.
func (x *index) cut(table int) {
	x.first, x.part = x.first[:x.from[table]], x.part[:x.from[table]]
}

// find returns the number, in the index, of the last part of a table that begins at most at a place; false if there is
// none.
func (x *index) find(table, place int32) (int32, bool) {
	from, end := x.from[table], x.from[table+1]
	lo, hi := from, end // parts before lo begin at most there, those from hi on later
	for lo < hi {
		if half := int32(uint32(lo+hi) / 2); x.first[half] <= place {
			lo = half + 1
		} else {
			hi = half
		}
	}
	return lo - 1, lo > from
}

// newSearch prepares the search. Linear in the fragments of all tables. A table in which a place has entries in two
// parts is assembled; the compiler makes none.
func newSearch(n *spec.Network) *search {
	s := &search{n: n}
	for f := range int32(n.Fragments()) {
		p := n.Fragment(f)
		s.add(&p)
	}
	s.of.from, s.at.from = make([]int32, 1, n.Tables()+1), make([]int32, 1, n.Tables()+1)
	for i := range n.Tables() {
		t := n.Stored(i)
		split := false
		if len(t.Sources) > 0 || t.Len() > 0 { // what precedes its fragments
			split = s.list(s.add(t))
		}
		for _, f := range t.Fragments {
			split = s.list(f) || split
		}
		if split {
			s.of.cut(i)
			s.at.cut(i)
			s.list(s.add(n.Table(i)))
		}
		s.of.from, s.at.from = append(s.of.from, int32(len(s.of.part))), append(s.at.from, int32(len(s.at.part)))
	}
	return s
}

// add adds the sources and sites of a table, without its fragments, and returns the number of the part.
func (s *search) add(t *spec.Table) int32 {
	p := part{channels: t.Channels, rows: t.Rows}
	if k := len(p.channels); k > 0 {
		p.first, p.last = p.channels[0], p.channels[k-1]
	}
	s.parts, s.sources = append(s.parts, p), append(s.sources, t.Sources)
	if s.n.Tags() > 1 {
		s.tags = append(s.tags, t.Tags)
	}
	return int32(len(s.parts) - 1)
}

// list adds a part to the table that is added last, and reports whether its first place has entries in the part before,
// too.
func (s *search) list(part int32) (split bool) {
	if of := s.sources[part]; len(of) > 0 {
		if k := len(s.of.part) - 1; k >= int(s.of.from[len(s.of.from)-1]) {
			before := s.sources[s.of.part[k]]
			split = before[len(before)-1].Node == of[0].Node
		}
		s.of.add(int32(of[0].Node), part)
	}
	if p := &s.parts[part]; len(p.channels) > 0 {
		if k := len(s.at.part) - 1; k >= int(s.at.from[len(s.at.from)-1]) {
			split = split || s.parts[s.at.part[k]].last == p.first
		}
		s.at.add(int32(p.first), part)
	}
	return split
}

// touch reads ahead what the sites take that heads arrive at: each step for all of them before the next, so that the
// processor waits for their cache lines at once. The scratch has a place for each.
func (s *search) touch(of []arrival, scratch []int32) (sum int32) {
	for i := range of {
		from, end := s.at.from[of[i].table], s.at.from[of[i].table+1]
		sum += s.at.first[min(int(from+end)/2, len(s.at.first)-1)]
	}
	for i := range of {
		k, found := s.at.find(of[i].table, int32(of[i].to))
		if scratch[i] = none; found {
			scratch[i] = s.at.part[k]
		}
	}
	for i := range of {
		sum += int32(s.parts[max(scratch[i], 0)].first)
	}
	for i := range of {
		if scratch[i] == none {
			continue
		}
		p := &s.parts[scratch[i]]
		at := p.guess(of[i].to)
		sum += int32(p.channels[at]) + int32(p.rows[at])
	}
	return sum
}

// guess returns where the site of a channel would be, if the channels ascended evenly.
func (p *part) guess(c spec.ChannelID) int {
	if c >= p.last {
		return len(p.channels) - 1
	}
	return int(int64(c-p.first) * int64(len(p.channels)-1) / int64(p.last-p.first))
}

// site returns the row of a site; false if the table does not have it.
func (s *search) site(table, channel int32, tag spec.Tag) (spec.RowID, bool) {
	k, found := s.at.find(table, channel)
	if !found {
		return 0, false
	}
	number := s.at.part[k]
	p := &s.parts[number]
	var tags []spec.Tag
	if s.tags != nil {
		tags = s.tags[number]
	}
	i := p.find(spec.ChannelID(channel), tag, tags)
	if i == len(p.channels) || int32(p.channels[i]) != channel || tagOf(tags, i) != tag {
		return 0, false
	}
	return p.rows[i], true
}

func tagOf(tags []spec.Tag, i int) spec.Tag {
	if tags == nil {
		return 0
	}
	return tags[i]
}

// find returns the first site of a part that is not below a channel, which is not below the first one, with a tag: from
// the guess on in steps that double, and then by bisection.
func (p *part) find(c spec.ChannelID, tag spec.Tag, tags []spec.Tag) int {
	below := func(i int) bool {
		x := p.channels[i]
		return x < c || x == c && tags != nil && tags[i] < tag
	}
	lo, hi := 0, len(p.channels) // those before lo are below, those from hi on are not
	if at := p.guess(c); below(at) {
		lo = at + 1
		for step := 1; lo+step <= hi; step *= 2 {
			if !below(lo + step - 1) {
				hi = lo + step - 1
				break
			}
			lo += step
		}
	} else {
		hi = at
		for step := 1; hi-step >= lo; step *= 2 {
			if below(hi - step) {
				lo = hi - step + 1
				break
			}
			hi -= step
		}
	}
	for lo < hi {
		if half := int(uint(lo+hi) / 2); below(half) {
			lo = half + 1
		} else {
			hi = half
		}
	}
	return lo
}

// sourcesOf returns the sources of a node in a table, which are in one part.
func (s *search) sourcesOf(table int32, v spec.NodeID) []spec.Source {
	k, found := s.of.find(table, int32(v))
	if !found {
		return nil
	}
	t := spec.Table{Sources: s.sources[s.of.part[k]]}
	return t.SourcesOf(v)
}

// absent lists which flows there are not, of a network where almost every node sends to almost every target, once.
type absent struct {
	tables []int32   // that packets are sent to by their sources, ascending
	of     [][]int32 // by node: places in tables of those that it does not send to, ascending
	search *search
	number []spec.RowID // of the rows
}

// absentOf returns the flows that there are not; nil if they are many, or if a node has several sources in a table.
// Linear in the fragments of all tables, and in the sources of those whose nodes are not consecutive.
func absentOf(n *spec.Network, o *Options) *absent {
	if o.routes == nil || o.routes.search == nil || n.Asks() {
		return nil
	}
	s := o.routes.search
	a := &absent{search: s, number: o.routes.number, of: make([][]int32, n.Topology().Nodes())}
	for i, count := 0, 0; i < n.Tables(); i++ {
		if o.Window > 0 && len(n.Classes()) > 1 && n.Stored(i).Class == o.Replies {
			continue
		}
		place, next := int32(len(a.tables)), spec.NodeID(0)
		a.tables = append(a.tables, int32(i))
		skip := func(to spec.NodeID) { // from next on, no node sends there, up to this one
			for ; next < to; next++ {
				a.of[next] = append(a.of[next], place)
				count++
			}
			next++
		}
		for _, part := range s.of.part[s.of.from[i]:s.of.from[i+1]] {
			sources := s.sources[part]
			first, last := sources[0].Node, sources[len(sources)-1].Node
			if skip(first); int(last-first) == len(sources)-1 {
				next = last + 1
				continue
			}
			for _, x := range sources[1:] {
				skip(x.Node)
			}
		}
		if skip(spec.NodeID(len(a.of))); count > n.FlowCount()/16+len(a.of) {
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
	return table, a.number[a.search.sourcesOf(table, spec.NodeID(v))[0].Row]
}

// countBelow returns how many of the flows of node v are to destinations below d.
func (a *absent) countBelow(v, d spec.NodeID) int32 {
	at, _ := slices.BinarySearchFunc(a.tables, d, func(i int32, d spec.NodeID) int {
		return int(a.search.n.Stored(int(i)).Dest - d)
	})
	not, _ := slices.BinarySearch(a.of[v], int32(at))
	return int32(at - not)
}
