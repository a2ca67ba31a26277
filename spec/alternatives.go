package spec

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Alternatives.
//
// At a site the environment of a router, a hash of the header or a random bit, may commit a packet to one of several
// alternatives; within the alternative the router takes any hop that has room (oblivious routing, ECMP). A packet is
// committed as it enters a channel, or as it begins. So it waits for the hops of one alternative alone, and an
// alternative without hops is a dead end.
//
// A network holds this as a splitting of sites: each alternative of a site is a site of its own, told apart by the
// tag, and a hop leads to all alternatives of the site that it leads to. With T tags of the routing, alternative k of
// a site with tag t has tag k*T + t; the sources of a node in a table are the alternatives of its injection.
// Taking a hop includes the commitment, and nothing else can be chosen: a search that looks at channels alone sees the
// hops of one alternative, and one that looks for a bad continuation tries all commitments. So the theory of tables
// without alternatives covers those with them, and no engine knows of them.
// [NewNetwork] checks that a hop leads to all alternatives of a site, or to none.
//
// The data, too, may choose among several sources of a node (which node is asked, of several that answer). Each of
// these flows has alternatives of its own; [Parts] lists where the next flow begins.
//
// The closed form lists a site once, with the alternatives in its row, and hops with the tags of the routing;
// it is split as it is read, and put together as it is written.

// Alternatives returns how many alternatives a site in a network channel may have, among which the routing commits a
// packet; 0 if it never commits one, neither there nor at its source.
func (n *Network) Alternatives() int { return n.parts.Alternatives }

// OwnTags returns the number of tags that the routing tells apart: Tags, divided by the alternatives.
func (n *Network) OwnTags() int { return n.parts.ownTags() }

func (p *Parts) ownTags() int { return p.Tags / max(1, p.Alternatives) }

// OwnTag returns the tag that the routing sees where a table has tag t in a network channel, less than OwnTags: a table
// also tells alternatives apart by the tag.
func (n *Network) OwnTag(t Tag) Tag { return Tag(int(t) % n.OwnTags()) }

// Committed returns the alternative to which the routing has committed a packet at a site, from 1 on, and the number of
// alternatives there; 0 and 0 if there is only one.
func (n *Network) Committed(s Site) (alternative, of int) {
	t := n.TableOf(s.Header.Target())
	if n.parts.Alternatives == 0 || t == nil || s.Channel == Eject {
		return 0, 0
	}
	if s.Channel.IsInjection() {
		i, sends := t.FindSource(s.Channel, s.Header.Tag)
		if !sends {
			return 0, 0
		}
		first, end := i, i+1
		for ; n.ContinuesFlow(t, first); first-- {
		}
		for ; n.ContinuesFlow(t, end); end++ {
		}
		alternative, of = i-first+1, end-first
	} else {
		own := n.OwnTags()
		alternative = int(s.Header.Tag)/own + 1
		for more := true; more; of++ {
			tag := int(s.Header.Tag)%own + (of+1)*own
			_, more = t.Find(s.Channel, Tag(tag))
			more = more && tag < n.parts.Tags
		}
	}
	if of < 2 {
		return 0, 0
	}
	return alternative, of
}

// ContinuesFlow reports whether source i of a table is a further alternative of the flow to which the source before it
// belongs. Any other source begins a flow.
func (n *Network) ContinuesFlow(t *Table, i int) bool {
	if n.parts.Alternatives == 0 || i == 0 || i >= len(t.Sources) || t.Sources[i].Node != t.Sources[i-1].Node {
		return false
	}
	if len(n.parts.Apart) == 0 {
		return true
	}
	_, apart := slices.BinarySearchFunc(n.parts.Apart, t.SourceSite(i), compareSources)
	return !apart
}

// FlowsApart returns what [Parts] lists under that name. The slice must not be changed.
func (n *Network) FlowsApart() []Site { return n.parts.Apart }

// compareSources orders the sites of sources by target, node and number.
func compareSources(a, b Site) int { return Exchange{At: a}.Compare(Exchange{At: b}) }

// checkApart checks that flows that begin within the sources of a node are in order, and that they do.
func (n *Network) checkApart() error {
	for i, at := range n.parts.Apart {
		t := n.TableOf(at.Header.Target())
		sends := false
		if t != nil && at.Channel.IsInjection() {
			_, sends = t.FindSource(at.Channel, at.Header.Tag)
		}
		switch {
		case n.parts.Alternatives == 0:
			return errors.New("flows that begin apart in a network without alternatives")
		case !sends || at.Header.Tag == 0:
			return fmt.Errorf("flow %d that begins apart is no source of the network, or the first of its node", i)
		case i > 0 && compareSources(n.parts.Apart[i-1], at) >= 0:
			return fmt.Errorf(
				"flow %d that begins apart: these must be ascending by destination, class, node and source", i)
		}
	}
	return nil
}

// CommitmentText says to which alternative a packet at a site is committed: " (alternative 2 of 3)"; "" if there is
// one alone.
func (n *Network) CommitmentText(s Site) string {
	if k, of := n.Committed(s); of > 0 {
		return fmt.Sprintf(" (alternative %d of %d)", k, of)
	}
	return ""
}

// TagText returns " tag 3" for a packet with tag 3, "" for tag 0, and then the text of CommitmentText.
func (n *Network) TagText(s Site) string {
	if own := n.OwnTag(s.Header.Tag); own > 0 && !s.Channel.IsInjection() {
		return fmt.Sprintf(" tag %d", own) + n.CommitmentText(s)
	}
	return n.CommitmentText(s)
}

// OwnHops returns hops as the routing permits them. Where a table has a hop to each alternative of a site, one is left.
func (n *Network) OwnHops(hops []Hop) []Hop {
	if n.parts.Alternatives < 2 {
		return hops
	}
	return slices.DeleteFunc(slices.Clone(hops), func(h Hop) bool {
		return h.Channel != Eject && int(h.Tag) >= n.OwnTags()
	})
}

// alternatives says what is wrong with the alternatives to which the hops of a row lead in the table that check has
// listed, without gaps: they must be all of a site. It looks each alternative up once, as there may be thousands.
func (check *tableCheck) alternatives(n *Network, number int, r RowID) (problem string) {
	own := n.OwnTags()
	offered := func(h Hop, tag int) bool {
		_, found := slices.BinarySearchFunc(n.Row(r), Hop{h.Channel, Tag(tag), h.Room}, Hop.Compare)
		return found
	}
	for _, h := range n.Row(r) {
		if h.Channel == Eject {
			continue
		}
		before, after := int(h.Tag)-own, int(h.Tag)+own
		listed := after < n.parts.Tags && check.sites[int(h.Channel)*n.parts.Tags+after] == int32(number)+1
		if before >= 0 && !offered(h, before) || listed && !offered(h, after) {
			return fmt.Sprintf("a hop into channel %d with tag %d leads to some of the alternatives there: want all",
				h.Channel, int(h.Tag)%own)
		}
	}
	return ""
}

// gap returns a site without the alternative before it, if there is one.
func (check *tableCheck) gap(n *Network, number int, t *Table) (problem string) {
	own := n.OwnTags()
	for i, c := range t.Channels {
		tag := int(t.Tag(i))
		if tag >= own && check.sites[int(c)*n.parts.Tags+tag-own] != int32(number)+1 {
			return fmt.Sprintf("site in channel %d with tag %d: alternative %d of it is missing", c, tag%own, tag/own)
		}
	}
	return ""
}

// row is a row of the closed form: alternatives, each a list of hops with the tags of the routing.
type row [][]Hop

func compareRows(a, b row) int {
	return slices.CompareFunc(a, b, func(x, y []Hop) int { return slices.CompareFunc(x, y, Hop.Compare) })
}

// together is a network whose sites are put together: each has all its alternatives.
type together struct {
	n    *Network
	own  [][]Hop          // by row of the network: its hops, with the tags of the routing
	rows []row            // ascending, once they are numbered
	met  map[string]int32 // by the rows of a site: its number
	key  []byte
}

// putTogether numbers the rows of all sites and sources.
func putTogether(n *Network) *together {
	w := &together{n: n, own: make([][]Hop, n.RowCount()), met: map[string]int32{}}
	for r := range w.own {
		for _, h := range n.Row(RowID(r)) {
			if h.Channel != Eject {
				h.Tag = n.OwnTag(h.Tag)
			}
			w.own[r] = append(w.own[r], h)
		}
		slices.SortFunc(w.own[r], Hop.Compare)
		w.own[r] = slices.Compact(w.own[r])
	}
	var scratch Table
	for i := range n.Tables() {
		t := n.TableIn(&scratch, i)
		w.sources(t, func(NodeID, int32) {})
		w.sites(t, func(ChannelID, Tag, int32) {})
	}
	order := make([]int32, len(w.rows)) // equal rows have one number
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return compareRows(w.rows[a], w.rows[b]) })
	number, sorted := make([]int32, len(order)), []row{}
	for i, r := range order {
		if i == 0 || compareRows(w.rows[r], w.rows[order[i-1]]) != 0 {
			sorted = append(sorted, w.rows[r])
		}
		number[r] = int32(len(sorted) - 1)
	}
	for key, r := range w.met {
		w.met[key] = number[r]
	}
	w.rows = sorted
	return w
}

// number returns the number of the row of a site whose alternatives have these rows.
func (w *together) number(rows []RowID) int32 {
	w.key = w.key[:0]
	for _, r := range rows {
		w.key = binary.AppendUvarint(w.key, uint64(r))
	}
	k, met := w.met[string(w.key)]
	if !met {
		k = int32(len(w.rows))
		var made row
		for _, r := range rows {
			made = append(made, w.own[r])
		}
		w.met[string(w.key)], w.rows = k, append(w.rows, made)
	}
	return k
}

// sources calls f for each flow, with its node and the number of its row.
func (w *together) sources(t *Table, f func(NodeID, int32)) {
	for i := 0; i < len(t.Sources); {
		rows, v := []RowID{t.Sources[i].Row}, t.Sources[i].Node
		for i++; w.n.ContinuesFlow(t, i); i++ {
			rows = append(rows, t.Sources[i].Row)
		}
		f(v, w.number(rows))
	}
}

// sites calls f for each site, with the tag of the routing and the number of its row.
func (w *together) sites(t *Table, f func(ChannelID, Tag, int32)) {
	own := w.n.OwnTags()
	var rows []RowID
	for i := 0; i < t.Len(); i++ {
		if int(t.Tag(i)) >= own {
			continue // it goes with the first alternative
		}
		rows = append(rows[:0], t.Rows[i])
		for k := i + 1; k < t.Len() && t.Channels[k] == t.Channels[i]; k++ {
			if int(t.Tag(k))%own == int(t.Tag(i)) {
				rows = append(rows, t.Rows[k])
			}
		}
		f(t.Channels[i], t.Tag(i), w.number(rows))
	}
}

// exchanges calls f for each exchange, with the number of its flow among those of its node.
func (n *Network) exchanges(f func(x Exchange, flow int)) {
	var t *Table
	flow, at := 0, -1 // that of the source, in the table, up to which flows are counted
	for _, x := range n.parts.Exchanges {
		if n.parts.Alternatives == 0 {
			f(x, int(x.At.Header.Tag))
			continue
		}
		if t == nil || t.Target != x.At.Header.Target() {
			t, at = n.TableOf(x.At.Header.Target()), -1
		}
		i, _ := t.FindSource(x.At.Channel, x.At.Header.Tag)
		for at++; at <= i; at++ {
			if at == 0 || t.Sources[at].Node != t.Sources[at-1].Node {
				flow = 0
			} else if !n.ContinuesFlow(t, at) {
				flow++
			}
		}
		if at = i; !n.ContinuesFlow(t, i) {
			f(x, flow)
		}
	}
}

// mostSplit bounds the sites and sources, and the hops of all of them, of a network whose sites are split: a short
// text can stand for many.
const mostSplit = 1 << 26

// split gives each alternative of the sites in p a site of its own. Until then, rows are those of alternatives, and
// tags are those of the routing; alternatives[r] are the rows of row r.
type split struct {
	p            *Parts
	alternatives [][]RowID
	own          int
	known        map[string]RowID
	rows         [][]Hop
	sites, hops  int               // so far: sites and sources, and their hops
	of           []int32           // by channel and tag: how many alternatives its site has in the present table
	exchanges    map[Site]Exchange // of the text, by site, whose tag counts flows; each is taken out once it is split
	key          []byte
}

// do splits all tables. Sources and sites whose rows do not exist, and hops to what is no site, are left for
// [NewNetwork] to refuse.
func (s *split) do(ctx context.Context) error {
	p := s.p
	s.own, p.Alternatives, s.known = p.Tags, 1, map[string]RowID{}
	for i := range p.Tables {
		for _, r := range p.Tables[i].Rows {
			p.Alternatives = max(p.Alternatives, len(s.alternatives[r]))
		}
	}
	p.Tags *= p.Alternatives
	if err := p.Check(); err != nil {
		return err
	}
	s.exchanges = make(map[Site]Exchange, len(p.Exchanges))
	for i, x := range p.Exchanges {
		if s.exchanges[x.At] = x; len(s.exchanges) <= i {
			return fmt.Errorf("exchange %d is listed twice", i)
		}
	}
	p.Exchanges = nil
	s.of = make([]int32, p.Topology.Channels()*s.own)
	for i := range p.Tables {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := s.table(&p.Tables[i]); err != nil {
			return err
		}
	}
	if len(s.exchanges) > 0 {
		return errors.New("an exchange is no flow of the network")
	}
	slices.SortFunc(p.Exchanges, Exchange.Compare)
	slices.SortFunc(p.Apart, compareSources)
	order := make([]RowID, len(s.rows))
	for i := range order {
		order[i] = RowID(i)
	}
	slices.SortFunc(order, func(a, b RowID) int { return slices.CompareFunc(s.rows[a], s.rows[b], Hop.Compare) })
	number := make([]RowID, len(order))
	p.Rows = nil
	for i, r := range order {
		number[r] = RowID(i)
		p.Rows = append(p.Rows, s.rows[r])
	}
	for i := range p.Tables {
		t := &p.Tables[i]
		for k := range t.Sources {
			t.Sources[k].Row = number[t.Sources[k].Row]
		}
		for k := range t.Rows {
			t.Rows[k] = number[t.Rows[k]]
		}
	}
	return nil
}

func (s *split) table(t *Table) error {
	for i, c := range t.Channels {
		s.of[int(c)*s.own+int(t.Tag(i))] = int32(len(s.alternatives[t.Rows[i]]))
		s.sites += len(s.alternatives[t.Rows[i]])
	}
	for _, src := range t.Sources {
		s.sites += len(s.alternatives[src.Row])
	}
	beyond := &BoundError{What: "sites, sources and hops of alternatives", Limit: mostSplit}
	if s.sites > mostSplit { // before they are made
		return beyond
	}
	type site struct {
		c   ChannelID
		tag Tag
		row RowID
	}
	var sites []site
	sources := s.sources(t)
	for i, c := range t.Channels {
		for k, r := range s.alternatives[t.Rows[i]] {
			sites = append(sites, site{c, t.Tag(i) + Tag(k*s.own), s.row(r)})
		}
	}
	for i, c := range t.Channels {
		s.of[int(c)*s.own+int(t.Tag(i))] = 0
	}
	if s.hops > mostSplit {
		return beyond
	}
	slices.SortStableFunc(sites, func(a, b site) int { return cmp.Or(cmp.Compare(a.c, b.c), cmp.Compare(a.tag, b.tag)) })
	t.Sources, t.Channels, t.Tags, t.Rows = sources, t.Channels[:0:0], nil, t.Rows[:0:0]
	for _, x := range sites {
		t.Channels, t.Rows = append(t.Channels, x.c), append(t.Rows, x.row)
		if s.p.Tags > 1 {
			t.Tags = append(t.Tags, x.tag)
		}
	}
	return nil
}

// sources returns the sources of a table, one for each alternative, and renumbers the exchanges that begin there.
func (s *split) sources(t *Table) (sources []Source) {
	slices.SortStableFunc(t.Sources, func(a, b Source) int { return cmp.Compare(a.Node, b.Node) })
	flow, first := Tag(0), 0 // of a node: the number of the flow, and the first of its sources
	for i, src := range t.Sources {
		if flow++; i == 0 || t.Sources[i-1].Node != src.Node {
			flow, first = 0, len(sources)
		}
		at := Site{Injection(src.Node), Header{t.Dest, t.Class, Tag(len(sources) - first)}}
		if flow > 0 {
			s.p.Apart = append(s.p.Apart, at)
		}
		listed := Site{at.Channel, Header{t.Dest, t.Class, flow}}
		x, exchanges := s.exchanges[listed]
		delete(s.exchanges, listed)
		for k, r := range s.alternatives[src.Row] {
			sources = append(sources, Source{src.Node, s.row(r)})
			if exchanges {
				x.At.Header.Tag = at.Header.Tag + Tag(k)
				s.p.Exchanges = append(s.p.Exchanges, x)
			}
		}
	}
	return sources
}

// row returns the number of the row of an alternative in the present table: with a hop to each alternative there.
func (s *split) row(r RowID) RowID {
	var made []Hop
	for _, h := range s.p.Rows[r] {
		if made = append(made, h); h.Channel == Eject || s.hops+len(made) > mostSplit {
			continue
		}
		for k := range s.of[int(h.Channel)*s.own+int(h.Tag)] {
			if k > 0 {
				made = append(made, Hop{h.Channel, h.Tag + Tag(int(k)*s.own), h.Room})
			}
		}
	}
	s.hops += len(made)
	slices.SortFunc(made, Hop.Compare)
	s.key = s.key[:0]
	for _, h := range made {
		s.key = binary.AppendUvarint(binary.AppendVarint(s.key, int64(h.Channel)), uint64(h.Tag)|uint64(h.Room)<<16)
	}
	id, known := s.known[string(s.key)]
	if !known {
		id = RowID(len(s.rows))
		s.known[string(s.key)], s.rows = id, append(s.rows, made)
	}
	return id
}
