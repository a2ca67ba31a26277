package spec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
)

// Parts is what a network is made of, see [NewNetwork].
type Parts struct {
	Name     string
	Origin   string // where it is from; no part of the digest
	Topology *Topology
	Classes  []string // names of the classes 0, 1, ..., at least one
	Tags     int      // tags are 0..Tags-1
	// Alternatives is how many alternatives a site in a network channel may have, which divides Tags: that of tag t in
	// alternative k has tag k*Tags/Alternatives + t. The sources of a node in a table are then alternatives of the
	// routing, but for those that Apart lists. 0: the routing never commits a packet.
	Alternatives int
	// Apart lists, ascending as exchanges are, the sites of sources that are not the first of their node and yet no
	// alternative of the source before: the data choose the flow that begins there. For networks with Alternatives.
	Apart     []Site
	Switching Switching
	Buffer    int    // packets a channel holds (flits with Wormhole)
	Selection string // the selection function; "" means any work-conserving one
	Expect    []Expectation
	Rows      [][]Hop    // different, each ascending, in ascending order
	Pieces    Table      // the lists of all fragments, one after the other; without a target
	Ends      [][2]int32 // fragment f has the sources and sites of Pieces from Ends[f] to Ends[f+1]; nil: none
	Tables    []Table    // ascending by target, each with a source; First is filled in
	Asks      bool       // a node may have several sources in a table, among which the data choose
	Windows   []int      // how many requests may be outstanding; see [Outstanding]
	Exchanges []Exchange // the flows that are, ascending by target, node and alternative
	// Reason says why a hop is permitted, see [Network.Reason]; may be nil.
	Reason func(Site, Hop) Reason
	// Message names what is under way at a site, see [Network.Message]; may be nil.
	Message func(Site) string
	// MessageClass is the class of what is under way at a site, see [Network.MessageClass]; may be nil.
	MessageClass func(Site) (Class, bool)
}

// tableError is a fault in the table of a target.
type tableError struct {
	Target  Target
	Problem string
}

func (e *tableError) Error() string {
	return fmt.Sprintf("table of node %d, class %d: %s", e.Target.Dest, e.Target.Class, e.Problem)
}

// NewNetwork makes a network of its parts, which it keeps: they must not change
// afterwards. There is no other way to make a network. It checks everything that
// the theory takes for granted, so the maker of the tables need not be trusted:
// all numbers are in range and in order, names differ, hops leave the node that the
// packet is at, and every hop leads to a site of the same table. So all that an
// injected packet can do is in the tables. Sites that no source leads to do no
// harm: they ask more of a certificate, and no trace reaches them.
// Linear in the sites and their hops. More than [MostSites] are refused before any
// is looked at. It ends with ctx.
func NewNetwork(ctx context.Context, p Parts) (*Network, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	n := &Network{parts: p, hops: slices.Concat(p.Rows...), rowAt: make([]int32, 1, len(p.Rows)+1)}
	n.parts.Rows, n.room = nil, mostRoom(n.hops)
	for r, row := range p.Rows {
		if err := p.checkRow(r); err != nil {
			return nil, err
		}
		n.rowAt = append(n.rowAt, n.rowAt[r]+int32(len(row)))
	}
	if err := p.checkFragments(); err != nil {
		return nil, err
	}
	places, most := p.Topology.Nodes()+p.Topology.Channels()*p.Tags, 0 // in a table, and with all before it
	for i := range p.Tables {
		t := &p.Tables[i]
		if i > 0 && p.Tables[i-1].Target.Compare(t.Target) >= 0 {
			return nil, &tableError{t.Target, "tables must be ascending by node and class, each once"}
		}
		t.First = n.sites
		n.sites, n.flows, most = n.sites+t.Len(), n.flows+len(t.Sources), n.sites+n.flows+places
		for _, f := range t.Fragments {
			if f < 0 || int(f) >= n.Fragments() || uint(n.sites+n.flows) > uint(most) { // of 32 bits, perhaps
				return nil, &tableError{t.Target, fmt.Sprintf(
					"fragment %d: fragments are 0 to %d, and hold no place twice", f, n.Fragments()-1)}
			}
			n.sites, n.flows = n.sites+int(p.Ends[f+1][1]-p.Ends[f][1]), n.flows+int(p.Ends[f+1][0]-p.Ends[f][0])
		}
		if uint(n.sites+n.flows) > MostSites {
			return nil, &tableError{t.Target, fmt.Sprintf(
				"more than %d sites and flows so far: beyond the bound", MostSites)}
		}
	}
	workers := min(runtime.GOMAXPROCS(0), 1+n.sites>>14) // what is small takes one
	commits, err := n.checkTables(ctx, workers)
	if err != nil {
		return nil, err
	}
	n.flows += len(p.Apart)
	if err := n.checkApart(); err != nil {
		return nil, err
	}
	if p.Alternatives > 0 && !commits { // what has several is nowhere in the tables
		n.parts.Tags, n.parts.Alternatives, n.parts.Apart = p.ownTags(), 0, nil
	}
	if err := n.checkExchanges(); err != nil {
		return nil, err
	}
	n.digest = sync.OnceValue(func() Digest { return digestOf(n, workers) })
	return n, nil
}

// WithBuffer returns the network with channels that hold so many packets (flits with [Wormhole]). It shares the tables.
// Its digest is its own. A buffer that holds less than some hop needs is refused.
func (n Network) WithBuffer(buffer int) (*Network, error) {
	n.parts.Buffer = buffer
	if err := n.parts.Check(); err != nil {
		return nil, err
	}
	if problem := n.parts.WrongRoom(max(1, n.room)); problem != "" {
		return nil, errors.New(problem)
	}
	of := n
	n.digest = sync.OnceValue(func() Digest { return digestOf(&of, runtime.GOMAXPROCS(0)) })
	return &n, nil
}

// Check checks all parts but rows and tables, so that tables are made only for numbers
// of channels and tags that a network can have.
func (p *Parts) Check() error {
	if p.Topology == nil {
		return errors.New("a network needs a topology")
	}
	if err := checkExpectations(p.Expect); err != nil {
		return err
	}
	if err := p.Topology.Err(); err != nil {
		return err
	}
	const mostPlaces = 1 << 26
	switch {
	case int(p.Switching) >= len(switchingNames):
		return fmt.Errorf("invalid switching mode %d", p.Switching)
	case len(p.Classes) < 1 || len(p.Classes) > 1<<16:
		return fmt.Errorf("%d classes: want 1 to 65536", len(p.Classes))
	case p.Tags < 1 || p.Tags > 1<<16:
		return fmt.Errorf("%d tags: want 1 to 65536", p.Tags)
	case p.Alternatives < 0 || p.Alternatives > 0 && p.Tags%p.Alternatives > 0:
		return fmt.Errorf("%d tags with up to %d alternatives of a site: want a multiple", p.Tags, p.Alternatives)
	case p.Buffer < 1:
		return fmt.Errorf("a buffer of %d: must hold at least 1", p.Buffer)
	case p.Topology.Channels()*p.Tags > mostPlaces:
		return &BoundError{What: "pairs of channel and tag", Limit: mostPlaces}
	}
	return cmp.Or(repeated("VC", p.Topology.VCNames()), repeated("class", p.Classes))
}

// repeated refuses a name that occurs twice.
func repeated(what string, names []string) error {
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			return fmt.Errorf("duplicate %s name %q", what, name)
		}
		seen[name] = true
	}
	return nil
}

// checkRow checks that the hops of row r exist, leave the same node and are in
// order, and that the row comes after the one before it.
func (p *Parts) checkRow(r int) error {
	row := p.Rows[r]
	for i, h := range row {
		switch {
		case h.Channel < Eject || int(h.Channel) >= p.Topology.Channels():
			return fmt.Errorf("row %d: hop into channel %d: channels are -1 (eject) to %d",
				r, h.Channel, p.Topology.Channels()-1)
		case h.Channel == Eject && h.Tag > 1:
			return fmt.Errorf("row %d: hop out of the network with tag %d: want 0 for eject, 1 for discard", r, h.Tag)
		case h.Channel != Eject && int(h.Tag) >= p.Tags:
			return fmt.Errorf("row %d: hop into channel %d with tag %d: tags are 0 to %d",
				r, h.Channel, h.Tag, p.Tags-1)
		case h.Room > 0 && h.Channel == Eject:
			return fmt.Errorf("row %d: a hop out of the network with room for %d packets: want none", r, h.Room)
		case p.WrongRoom(int(h.Room)) != "":
			return fmt.Errorf("row %d: %s", r, p.WrongRoom(int(h.Room)))
		case h.Room == 1:
			return fmt.Errorf("row %d: hop into channel %d with room for 1 packet, which is 0 here", r, h.Channel)
		case i > 0 && row[i-1].compareTo(h) >= 0:
			return fmt.Errorf("row %d: hops must be ascending by channel and tag, each once", r)
		case i > 0 && row[i-1].Channel != Eject && p.Topology.Tail(h.Channel) != p.Topology.Tail(row[i-1].Channel):
			return fmt.Errorf("row %d: hops leave different nodes", r)
		}
	}
	if r > 0 && slices.CompareFunc(p.Rows[r-1], row, Hop.Compare) >= 0 {
		return fmt.Errorf("row %d: rows must be ascending by their hops, each once", r)
	}
	return nil
}

// mostRoom returns the most room that one of the hops needs, 0 for 1.
func mostRoom(hops []Hop) (most int) {
	for _, h := range hops {
		most = max(most, int(h.Room))
	}
	return most
}

// capacity is that of [Network.Capacity].
func (p *Parts) capacity() int {
	if p.Switching == Wormhole {
		return 1
	}
	return p.Buffer
}

// WrongRoom says what is wrong with the room that a hop into a channel needs, if anything.
func (p *Parts) WrongRoom(room int) string {
	switch {
	case room > 1 && p.Switching == Wormhole:
		return fmt.Sprintf("hop with room for %d packets: a room counts whole packets, and wormhole switching moves flits",
			room)
	case room > p.capacity():
		return fmt.Sprintf("hop with room for %d packets: a channel holds %d (buffer), so it is never taken", room, p.Buffer)
	}
	return ""
}

// list notes which sites a table lists, or says what is wrong with one.
func (check *tableCheck) list(n *Network, number int, t *Table) (problem string) {
	channels, tags := n.Topology().Channels(), n.parts.Tags
	for i, c := range t.Channels {
		switch {
		case c < 0 || int(c) >= channels || int(t.Tag(i)) >= tags:
			return fmt.Sprintf("site in channel %d with tag %d: channels are 0 to %d, tags 0 to %d",
				c, t.Tag(i), channels-1, tags-1)
		case i > 0 && cmp.Or(cmp.Compare(t.Channels[i-1], c), cmp.Compare(t.Tag(i-1), t.Tag(i))) >= 0:
			return fmt.Sprintf("site in channel %d with tag %d: sites must be ascending by channel and tag, each once",
				c, t.Tag(i))
		}
		check.sites[int(c)*tags+int(t.Tag(i))] = int32(number) + 1
	}
	return ""
}

// checkFragments checks that fragments are consecutive ranges of the pieces.
func (p *Parts) checkFragments() error {
	all, last := &p.Pieces, [2]int32{}
	uneven := len(all.Rows) != all.Len() || all.Tags != nil && len(all.Tags) != all.Len()
	for f, end := range p.Ends {
		if end[0] < last[0] || end[1] < last[1] || int(end[0]) > len(all.Sources) || int(end[1]) > all.Len() || uneven {
			return fmt.Errorf(
				"fragments from %d: want consecutive ranges of %d sources and %d sites with %d tags and %d rows",
				f, len(all.Sources), all.Len(), len(all.Tags), len(all.Rows))
		}
		last = end
	}
	return nil
}

// checkTable checks one table, and that it is closed under its rows.
func (n *Network) checkTable(number int, check *tableCheck) error {
	t := n.TableIn(&check.table, number)
	if check.met == nil {
		check.met = make([][2]int32, n.RowCount())
	}
	wrong := func(format string, args ...any) error { return &tableError{t.Target, fmt.Sprintf(format, args...)} }
	topo := n.Topology()
	switch {
	case t.Dest < 0 || int(t.Dest) >= topo.Nodes():
		return wrong("nodes are 0 to %d", topo.Nodes()-1)
	case int(t.Class) >= len(n.parts.Classes):
		return wrong("classes are 0 to %d", len(n.parts.Classes)-1)
	case len(t.Sources) == 0:
		return wrong("no node sends to it")
	case len(t.Rows) != t.Len() || t.Tags != nil && len(t.Tags) != t.Len():
		return wrong("%d sites with %d tags and %d rows", t.Len(), len(t.Tags), len(t.Rows))
	}
	if problem := check.list(n, number, t); problem != "" {
		return wrong("%s", problem)
	}
	if problem := check.gap(n, number, t); n.parts.Alternatives > 0 && problem != "" {
		return wrong("%s", problem)
	}
	const mostOfNode = math.MaxUint16 + 1 // their number is a tag
	for i, s := range t.Sources {
		switch {
		case s.Node < 0 || int(s.Node) >= topo.Nodes():
			return wrong("source node %d: nodes are 0 to %d", s.Node, topo.Nodes()-1)
		case i > 0 && t.Sources[i-1].Node > s.Node, i > 0 && t.Sources[i-1].Node == s.Node && !n.parts.Asks:
			return wrong("source node %d: sources must be ascending by node, each once", s.Node)
		case i >= mostOfNode && t.Sources[i-mostOfNode].Node == s.Node:
			return wrong("source node %d: more than %d sources of a node", s.Node, mostOfNode)
		}
		if i > 0 && t.Sources[i-1].Node == s.Node {
			check.parted++
			check.commits = check.commits || n.ContinuesFlow(t, i)
		}
		if problem := check.hops(n, number, Injection(s.Node), s.Row); problem != "" {
			return wrong("%s", problem)
		}
	}
	for i, c := range t.Channels {
		if problem := check.hops(n, number, c, t.Rows[i]); problem != "" {
			return wrong("%s", problem)
		}
		check.commits = check.commits || n.parts.Alternatives > 0 && int(t.Tag(i)) >= n.parts.ownTags()
	}
	return nil
}

// hops says what is wrong with the row of a channel in a table: its hops must leave the node that the packet is at, and
// lead to sites of the table.
func (check *tableCheck) hops(n *Network, number int, at ChannelID, r RowID) (problem string) {
	if r < 0 || int(r) >= n.RowCount() {
		return fmt.Sprintf("row %d: rows are 0 to %d", r, n.RowCount()-1)
	}
	topo := n.Topology()
	node, here := topo.Head(at), [2]int32{int32(number) + 1, int32(topo.Head(at))}
	if check.met[r] == here && (at.IsInjection() || topo.Tail(at) != node) {
		return ""
	}
	for _, h := range n.Row(r) {
		switch {
		case h.Channel == Eject:
		case topo.Tail(h.Channel) != node || h.Channel == at:
			return fmt.Sprintf("a hop leads into %s, which does not leave %s, or is where the packet is",
				topo.ChannelName(h.Channel), topo.Node(node).Name)
		case check.sites[int(h.Channel)*n.parts.Tags+int(h.Tag)] != int32(number)+1:
			return fmt.Sprintf("a hop leads into channel %d with tag %d, but this table lists no such site",
				h.Channel, h.Tag)
		}
	}
	if n.parts.Alternatives > 0 {
		problem = check.alternatives(n, number, r)
	}
	check.met[r] = here
	return problem
}
