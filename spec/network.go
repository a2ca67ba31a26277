package spec

import (
	"cmp"
	"iter"
	"slices"
	"sort"
)

// Design of the tables.
//
// The destination and the class of a packet never change, so the sites
// fall apart into one independent table per target, and everything that
// follows one packet (compilation, livelock, delivery) runs table by table, on
// all cores. Only the channels they share tie the tables together.
//
// A site is stored as a channel, a tag (left out when the network has but one)
// and the number of a row. A row is a sorted list of hops; equal rows are
// stored once for the whole network, because a router gives the same few
// answers over and over: a 64x64 torus with some sixty million sites has less
// than two hundred thousand rows. Rows are numbered in their own order and
// sites in the order (destination, class, channel, tag), so that all numbers
// are the same on every run and with any number of workers.
//
// From one destination to the next most places keep their rows. A large network stores what
// its tables have in common once, in fragments; a table lists its fragments, and is assembled
// when it is read ([Network.TableIn]).

// RowID numbers the rows of a network: 0 <= id < Network.RowCount().
type RowID int32

// Site is a channel with a header that some injected packet can bring there.
// The channel may be an injection channel; such a site is counted as a source,
// not as a site of a network channel, and its tag is the number of the source among those of its node.
type Site struct {
	Channel ChannelID
	Header  Header
}

// Source is a flow as its table holds it: a node that injects for the table's
// target, and the row of its injection channel. A node may be listed several
// times. Its sources are then alternatives among which the data choose, not the
// router: which memory is asked, say. Each is a flow of its own. In a network that has Alternatives they are those of
// the routing, and one flow.
type Source struct {
	Node NodeID
	Row  RowID
}

// Table holds the sites of one target. Its slices must not be changed.
type Table struct {
	Target
	First     int         // number of this table's site 0 among all sites of the network
	Sources   []Source    // ascending by node; those of a node are numbered from 0
	Channels  []ChannelID // by site, ascending by (channel, tag)
	Tags      []Tag       // by site; nil if every tag is 0
	Rows      []RowID     // by site
	Fragments []int32     // of [Parts], which continue the lists in turn; none in what [Network.Table] returns
}

// Len returns the number of the table's sites, injection channels not counted.
func (t *Table) Len() int { return len(t.Channels) }

// Tag returns the tag of site i.
func (t *Table) Tag(i int) Tag {
	if t.Tags == nil {
		return 0
	}
	return t.Tags[i]
}

// Site returns site i.
func (t *Table) Site(i int) Site {
	return Site{t.Channels[i], Header{t.Dest, t.Class, t.Tag(i)}}
}

// Find returns the number of the site with the given channel and tag within
// the table, by bisection.
func (t *Table) Find(c ChannelID, tag Tag) (int, bool) {
	i := sort.Search(t.Len(), func(i int) bool { return t.Channels[i] > c || t.Channels[i] == c && t.Tag(i) >= tag })
	return i, i < t.Len() && t.Channels[i] == c && t.Tag(i) == tag
}

// SourcesOf returns the sources of a node, none if it does not inject for the table's target.
func (t *Table) SourcesOf(n NodeID) []Source {
	first := t.firstSource(n)
	end := first
	for end < len(t.Sources) && t.Sources[end].Node == n {
		end++
	}
	return t.Sources[first:end]
}

// firstSource returns the number of the first source of a node, or where it would stand, by bisection.
func (t *Table) firstSource(n NodeID) int {
	i, _ := slices.BinarySearchFunc(t.Sources, n, func(s Source, n NodeID) int { return cmp.Compare(s.Node, n) })
	return i
}

// SourceSite returns the site at which source i injects.
func (t *Table) SourceSite(i int) Site {
	v, first := t.Sources[i].Node, i
	if i > 0 && t.Sources[i-1].Node == v {
		first = t.firstSource(v)
	}
	return Site{Injection(v), Header{t.Dest, t.Class, Tag(i - first)}}
}

// FindSource returns the number, within the table, of the source whose site is in an injection channel with the given
// tag.
func (t *Table) FindSource(c ChannelID, tag Tag) (int, bool) {
	v := NodeID(-2 - c)
	i := t.firstSource(v) + int(tag)
	return i, i < len(t.Sources) && t.Sources[i].Node == v
}

// Network is a table: for every site the permitted hops. It is immutable
// and safe for concurrent use. [NewNetwork] makes it from its parts.
type Network struct {
	parts  Parts   // without rows
	rowAt  []int32 // rowAt[r]..rowAt[r+1] are row r's hops
	hops   []Hop
	sites  int
	flows  int
	room   int  // the most that a hop needs, 0 for 1
	asks   bool // some node has several sources of one table
	digest func() Digest
}

// Name returns the network's name.
func (n *Network) Name() string { return n.parts.Name }

// Origin says where the network is from: a paper, a file; "" if unknown.
func (n *Network) Origin() string { return n.parts.Origin }

// Topology returns the nodes and links.
func (n *Network) Topology() *Topology { return n.parts.Topology }

// Classes returns the names of the classes, at least one. The slice must not be changed.
func (n *Network) Classes() []string { return n.parts.Classes }

// Tags returns the number of tags: they are 0..Tags()-1.
func (n *Network) Tags() int { return n.parts.Tags }

// Buffer returns how many packets a channel holds (flits with wormhole switching).
func (n *Network) Buffer() int { return n.parts.Buffer }

// Switching returns how packets occupy channels.
func (n *Network) Switching() Switching { return n.parts.Switching }

// Selection names the one selection function that the network stands for; ""
// means any work-conserving one.
func (n *Network) Selection() string { return n.parts.Selection }

// Expect returns what the author expects. The slice must not be changed.
func (n *Network) Expect() []Expectation { return n.parts.Expect }

// Tables returns the number of targets that some node sends to.
func (n *Network) Tables() int { return len(n.parts.Tables) }

// Stored returns table i as it is stored, in constant time. Its lists are not complete if it has fragments, see
// [Network.Fragment]; [Network.Table] completes them. The table must not be changed.
func (n *Network) Stored(i int) *Table { return &n.parts.Tables[i] }

// Table returns table i of 0..Tables()-1, which are in the order (destination, class). If it is stored in fragments, a
// new table is made, in linear time. The table must not be changed.
func (n *Network) Table(i int) *Table { return n.TableIn(nil, i) }

// TableIn is Table for callers that read many tables one after the other. A table stored in fragments is assembled in
// the memory of t, and is valid until t is used again; nil makes a new table. It takes time linear in the table.
func (n *Network) TableIn(t *Table, i int) *Table {
	of, p := &n.parts.Tables[i], &n.parts.Pieces
	if of.Fragments == nil {
		return of
	} else if t == nil {
		t = new(Table)
	}
	*t = Table{
		of.Target, of.First, append(t.Sources[:0], of.Sources...), append(t.Channels[:0], of.Channels...),
		append(t.Tags[:0], of.Tags...), append(t.Rows[:0], of.Rows...), nil,
	}
	sites := 0
	for _, f := range of.Fragments {
		from, to := n.parts.Ends[f], n.parts.Ends[f+1]
		sites += int(to[1] - from[1])
		if to[0] > from[0] { // which is so of few
			t.Sources = append(t.Sources, p.Sources[from[0]:to[0]]...)
		}
	}
	t.Channels, t.Rows = slices.Grow(t.Channels, sites), slices.Grow(t.Rows, sites)
	for _, f := range of.Fragments {
		from, to := n.parts.Ends[f][1], n.parts.Ends[f+1][1]
		t.Channels = append(t.Channels, p.Channels[from:to]...)
		t.Rows = append(t.Rows, p.Rows[from:to]...)
		if len(p.Tags) > 0 { // all sites have tags, or none
			t.Tags = append(t.Tags, p.Tags[from:to]...)
		}
	}
	return t
}

// Portions yields the lists of table i as they are stored: its own, and then those of its fragments. They continue each
// other and have its target, so they are [Network.TableIn] without a copy. First is the number, among all sites of the
// network, of a portion's site 0. A portion is valid until the next one is asked for.
func (n *Network) Portions(i int) iter.Seq[*Table] {
	return func(yield func(*Table) bool) {
		own := n.Stored(i)
		if len(own.Sources)+own.Len() > 0 && !yield(own) {
			return
		}
		var p Table // made once, as yield keeps it from the stack
		next := own.First + own.Len()
		for _, f := range own.Fragments {
			p = n.Fragment(f)
			p.Target, p.First = own.Target, next
			if next += p.Len(); !yield(&p) {
				return
			}
		}
	}
}

// Fragments returns the number of fragments; 0 if no table has any.
func (n *Network) Fragments() int { return max(0, len(n.parts.Ends)-1) }

// Fragment returns fragment f of 0..Fragments()-1: sources and sites that tables can share, without a target. Its slices
// must not be changed.
func (n *Network) Fragment(f int32) Table {
	from, to, p := n.parts.Ends[f], n.parts.Ends[f+1], &n.parts.Pieces
	tags := p.Tags[min(int(from[1]), len(p.Tags)):min(int(to[1]), len(p.Tags))]
	return Table{
		Sources: p.Sources[from[0]:to[0]], Channels: p.Channels[from[1]:to[1]], Tags: tags, Rows: p.Rows[from[1]:to[1]],
	}
}

// TableOf returns the table of a target, or nil if no node sends to it.
func (n *Network) TableOf(target Target) *Table {
	if i, found := n.Find(target); found {
		return n.Table(i)
	}
	return nil
}

// Find returns the number of the table of a target; false if no node sends to it.
func (n *Network) Find(target Target) (i int, found bool) {
	i = sort.Search(n.Tables(), func(i int) bool { return n.Stored(i).Target.Compare(target) >= 0 })
	return i, i < n.Tables() && n.Stored(i).Target == target
}

// SiteCount returns the number of sites in network channels; those at sources are not counted.
func (n *Network) SiteCount() int { return n.sites }

// FlowCount returns the number of flows: of different (source, target) pairs that inject.
func (n *Network) FlowCount() int { return n.flows }

// Asks reports whether some node has several sources in one table. The data choose among them or, in a network whose
// routing commits packets ([Network.Alternatives]), the routing does.
func (n *Network) Asks() bool { return n.asks }

// RowCount returns the number of different rows.
func (n *Network) RowCount() int { return len(n.rowAt) - 1 }

// Row returns the hops of row r, ascending by channel and tag; Eject comes
// first, then Discard. The slice must not be changed.
func (n *Network) Row(r RowID) []Hop { return n.hops[n.rowAt[r]:n.rowAt[r+1]] }

// Arrives reports whether row r permits Eject, so that a packet arrives where it is.
func (n *Network) Arrives(r RowID) bool {
	return len(n.Row(r)) > 0 && n.Row(r)[0] == Hop{Channel: Eject}
}

// Leaves reports whether row r permits Eject or [Discard], so that a packet need not wait for any channel.
func (n *Network) Leaves(r RowID) bool { return len(n.Row(r)) > 0 && n.Row(r)[0].Channel == Eject }

// MayDiscard reports whether row r permits [Discard].
func (n *Network) MayDiscard(r RowID) bool {
	hops := n.Row(r)
	return slices.ContainsFunc(hops[:min(2, len(hops))], Hop.Discards)
}

// Discards reports whether some row permits [Discard].
func (n *Network) Discards() bool {
	for r := range n.RowCount() {
		if n.MayDiscard(RowID(r)) {
			return true
		}
	}
	return false
}

// Hops returns the hops permitted at a site, or false if no injected packet
// ever comes there.
func (n *Network) Hops(s Site) ([]Hop, bool) {
	table, found := n.Find(s.Header.Target())
	if !found {
		return nil, false
	}
	if s.Channel.IsInjection() {
		t := n.Table(table)
		if i, ok := t.FindSource(s.Channel, s.Header.Tag); ok {
			return n.Row(t.Sources[i].Row), true
		}
		return nil, false
	}
	t := n.Stored(table)
	i, ok := t.Find(s.Channel, s.Header.Tag)
	for k := 0; !ok && k < len(t.Fragments); k++ { // whose table is not assembled for a single site
		if f := n.Fragment(t.Fragments[k]); f.Len() > 0 && f.Channels[0] <= s.Channel {
			if i, ok = f.Find(s.Channel, s.Header.Tag); ok {
				return n.Row(f.Rows[i]), true
			}
		}
	}
	if !ok {
		return nil, false
	}
	return n.Row(t.Rows[i]), true
}

// Heading says where the packet at a site goes: "towards d", or "for the request to m1"; and to which alternative it
// is committed.
func (n *Network) Heading(s Site) string {
	if message := n.Message(s); message != "" {
		return "for the " + message + n.CommitmentText(s)
	}
	return "towards " + n.headerName(s.Header) + n.CommitmentText(s)
}

// Message says what is under way at a site when its destination and class do not tell: "request to m1", of a
// packet that becomes the reply there; "" if they do, or if it is unknown.
func (n *Network) Message(s Site) string {
	if n.parts.Message == nil {
		return ""
	}
	return n.parts.Message(s)
}

// MessageClass returns the class of what is under way at a site: of a network with replies that of the message, not of
// the transaction. It is false if it is unknown, as after the closed form is read.
func (n *Network) MessageClass(s Site) (Class, bool) {
	if n.parts.MessageClass == nil {
		return 0, false
	}
	return n.parts.MessageClass(s)
}

// Reason says why a hop is permitted at a site: the rule or the line of the
// file that made it; the zero Reason if the relation gives none.
func (n *Network) Reason(s Site, hop Hop) Reason {
	if n.parts.Reason == nil {
		return Reason{}
	}
	return n.parts.Reason(s, hop)
}

// WithReasons returns the network with other reasons for its hops.
func (n Network) WithReasons(reason func(Site, Hop) Reason) *Network {
	n.parts.Reason = reason
	return &n
}

// Index finds the sites of one table in constant time. It is scratch memory: a
// worker makes one and loads it with table after table.
type Index struct {
	tags int
	at   []int32 // by channel*tags+tag: site number + 1, or 0
	met  []int32 // those of at that are not 0
}

// NewIndex returns an empty index for the tables of n. It takes 4 bytes per channel and tag, and is not safe for
// concurrent use.
func (n *Network) NewIndex() *Index {
	return &Index{tags: n.parts.Tags, at: make([]int32, n.parts.Topology.Channels()*n.parts.Tags)}
}

// Load makes the index answer for t. Linear in the sites of t and of the table
// loaded before.
func (x *Index) Load(t *Table) {
	for _, place := range x.met {
		x.at[place] = 0
	}
	x.met = slices.Grow(x.met[:0], t.Len())[:t.Len()]
	for i, c := range t.Channels {
		place := int32(c)*int32(x.tags) + int32(t.Tag(i))
		x.at[place], x.met[i] = int32(i)+1, place
	}
}

// Site returns the number, within the loaded table, of the site that a hop
// leads to; -1 for Eject.
func (x *Index) Site(h Hop) int {
	if h.Channel < 0 {
		return -1
	}
	return int(x.at[int(h.Channel)*x.tags+int(h.Tag)]) - 1
}
