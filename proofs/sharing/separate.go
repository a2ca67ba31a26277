// Package sharing gives the message classes of a network sets of virtual channels, each class one set, which several
// may share (virtual networks: Dally and Seitz 1987). With one set for all it is the network as it is.
package sharing

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Tags says of which message class are the packets of a class with some tags. The class of a packet never changes; but
// in a network with replies it is that of the transaction, and the tag tells which of its messages is under way.
type Tags struct {
	Class       spec.Class
	First, Last spec.Tag
	Message     int // message classes are numbered from 0
}

// Table is the message class by class and tag, -1 where none is said.
type Table [][]int32

// NewTable returns the table that lists of tags describe. No tag may be in two.
func NewTable(n *spec.Network, tags []Tags) (Table, error) {
	t := make(Table, len(n.Classes()))
	for c := range t {
		t[c] = slices.Repeat([]int32{-1}, n.Tags())
	}
	for _, x := range tags {
		if int(x.Class) >= len(t) || int(x.Last) >= n.Tags() || x.First > x.Last || x.Message < 0 || x.Message >= Most {
			return nil, fmt.Errorf(
				"tags %d to %d of class %d as message class %d: want classes below %d, tags below %d, "+
					"message classes below %d", x.First, x.Last, x.Class, x.Message, len(t), n.Tags(), Most)
		}
		for tag := int(x.First); tag <= int(x.Last); tag++ {
			if t[x.Class][tag] >= 0 {
				return nil, fmt.Errorf("tag %d of class %d is listed twice", tag, x.Class)
			}
			t[x.Class][tag] = int32(x.Message)
		}
	}
	return t, nil
}

// Most bounds the message classes: ten can share sets in 115,975 ways.
const Most = 10

// All returns, in one order, the ways in which message classes can share at most some sets: by class the number of its
// set, where class 0 has set 0, and each next class one of those before it has, or the next set. So each way in which
// they can is there once, whatever the sets are called.
func All(classes, sets int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		all := make([]int, classes)
		var from func(class, used int) bool
		from = func(class, used int) bool {
			if class == classes {
				return yield(slices.Clone(all))
			}
			for s := range min(used+1, sets) {
				all[class] = s
				if !from(class+1, max(used, s+1)) {
					return false
				}
			}
			return true
		}
		from(0, 0)
	}
}

// Separated is a network whose message classes have sets of VCs of their own.
type Separated struct {
	Network *spec.Network

	of   []int            // by message class: its set
	sets int              // how many
	now  []spec.ChannelID // by channel before and set; -1 where no packet of the set comes
	was  []spec.ChannelID // by channel: before
	in   []int            // by channel: its set; -1 in request buffers
}

// Separate gives each message class its set. A link has in turn the VCs that the classes of each set take on it, in
// the order of before; so a set adds a VC only where its packets come, and VCs that nobody took come last. Nothing
// else changes: nodes, links, flows, hops, switching, buffers of requests. It refuses a table that lets the message
// class change on the way, other than in a request buffer (a link from a node to itself), or that leaves one open.
// Linear in the sites and their hops.
func Separate(ctx context.Context, n *spec.Network, messages Table, of []int) (*Separated, error) {
	s := &Separated{of: of, sets: slices.Max(of) + 1}
	if err := s.channels(ctx, n, messages); err != nil {
		return nil, err
	}
	parts := spec.Parts{
		Name: n.Name(), Origin: n.Origin(), Topology: s.topology(n.Topology()), Classes: n.Classes(), Tags: n.Tags(),
		Switching: n.Switching(), Buffer: n.Buffer(), Selection: n.Selection(), Asks: n.Asks(),
		Alternatives: n.Alternatives(), Apart: n.FlowsApart(), Windows: n.Windows(), Exchanges: n.Exchanges(),
	}
	if err := s.tables(ctx, n, messages, &parts); err != nil {
		return nil, err
	}
	before := func(at spec.Site) spec.Site { at.Channel = s.original(at.Channel); return at }
	parts.Reason = func(at spec.Site, h spec.Hop) spec.Reason {
		return n.Reason(before(at), spec.Hop{Channel: s.original(h.Channel), Tag: h.Tag})
	}
	parts.Message = func(at spec.Site) string { return n.Message(before(at)) }
	parts.MessageClass = func(at spec.Site) (spec.Class, bool) { return n.MessageClass(before(at)) }
	var err error
	s.Network, err = spec.NewNetwork(ctx, parts)
	return s, err
}

// buffers reports whether a link is a request buffer.
func buffers(t *spec.Topology, l spec.LinkID) bool { return t.Link(l).From == t.Link(l).To }

// channels marks in now the channels that the packets of each set take.
func (s *Separated) channels(ctx context.Context, n *spec.Network, messages Table) error {
	topo := n.Topology()
	s.now = slices.Repeat([]spec.ChannelID{-1}, topo.Channels()*s.sets)
	var scratch spec.Table
	for i := range n.Tables() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t := n.TableIn(&scratch, i)
		for k, c := range t.Channels {
			if buffers(topo, topo.LinkOf(c)) {
				continue
			}
			m := messages[t.Class][t.Tag(k)]
			if m < 0 || int(m) >= len(s.of) {
				return fmt.Errorf("packets of class %d with tag %d are of no message class", t.Class, t.Tag(k))
			}
			s.now[int(c)*s.sets+s.of[m]] = 0
			for _, h := range n.Row(t.Rows[k]) {
				if h.Channel != spec.Eject && !buffers(topo, topo.LinkOf(h.Channel)) && messages[t.Class][h.Tag] != m {
					return fmt.Errorf("in %s the message class of a packet changes from %d to %d: want one all the way",
						topo.ChannelName(c), m, messages[t.Class][h.Tag])
				}
			}
		}
	}
	return nil
}

// topology numbers the channels that are marked.
func (s *Separated) topology(old *spec.Topology) *spec.Topology {
	t := spec.NewTopology()
	for v := range spec.NodeID(old.Nodes()) {
		t.AddNode(old.Node(v).Name, old.Node(v).At...)
	}
	for l := range spec.LinkID(old.Links()) {
		link, first := old.Link(l), len(s.was)
		add := func(vc, set int) spec.ChannelID {
			s.was, s.in = append(s.was, old.Channel(l, vc)), append(s.in, set)
			return spec.ChannelID(len(s.was) - 1)
		}
		for set := range s.sets {
			for vc := range link.VCs {
				if at := &s.now[int(old.Channel(l, vc))*s.sets+set]; *at == 0 {
					*at = add(vc, set)
				}
			}
		}
		for vc := 0; buffers(old, l) && vc < link.VCs; vc++ {
			c := add(vc, -1)
			for set := range s.sets {
				s.now[int(old.Channel(l, vc))*s.sets+set] = c
			}
		}
		for len(s.was)-first < link.VCs { // nobody takes it, as before
			add(len(s.was)-first, 0)
		}
		link.VCs = len(s.was) - first
		t.AddLink(link)
	}
	return t
}

// original returns what a channel was before.
func (s *Separated) original(c spec.ChannelID) spec.ChannelID {
	if c < 0 {
		return c
	}
	return s.was[c]
}

// tables writes rows and tables with the new channels.
func (s *Separated) tables(ctx context.Context, n *spec.Network, messages Table, parts *spec.Parts) error {
	type site struct {
		spec.Hop // a packet stands there
		row      spec.RowID
	}
	place := func(class spec.Class, h spec.Hop) spec.Hop {
		if h.Channel != spec.Eject {
			// In a request buffer the set does not matter; elsewhere the message class is known.
			set := s.of[min(max(0, messages[class][h.Tag]), int32(len(s.of)-1))]
			h.Channel = s.now[int(h.Channel)*s.sets+set]
		}
		return h
	}
	row := newRows(n, parts, place)
	for i := range n.Tables() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		old := n.Table(i)
		t := spec.Table{Target: old.Target}
		for _, x := range old.Sources {
			t.Sources = append(t.Sources, spec.Source{Node: x.Node, Row: row(old.Class, x.Row)})
		}
		sites := make([]site, old.Len())
		for k, c := range old.Channels {
			sites[k] = site{place(old.Class, spec.Hop{Channel: c, Tag: old.Tag(k)}), row(old.Class, old.Rows[k])}
		}
		slices.SortFunc(sites, func(a, b site) int { return a.Compare(b.Hop) })
		for _, at := range sites {
			t.Channels, t.Tags = append(t.Channels, at.Channel), append(t.Tags, at.Tag)
			t.Rows = append(t.Rows, at.row)
		}
		parts.Tables = append(parts.Tables, t)
	}
	ascending(parts)
	return nil
}

// newRows returns what appends to parts the row that a row of n becomes for a class, once each, and returns its number.
func newRows(
	n *spec.Network, parts *spec.Parts, place func(spec.Class, spec.Hop) spec.Hop,
) func(spec.Class, spec.RowID) spec.RowID {
	type use struct {
		row   spec.RowID
		class spec.Class
	}
	number, same := map[use]spec.RowID{}, map[string]spec.RowID{}
	return func(class spec.Class, r spec.RowID) spec.RowID {
		if id, known := number[use{r, class}]; known {
			return id
		}
		var hops []spec.Hop
		var key []byte
		for _, h := range n.Row(r) {
			hops = append(hops, place(class, h))
		}
		slices.SortFunc(hops, spec.Hop.Compare)
		for _, h := range hops {
			key = binary.BigEndian.AppendUint64(key, uint64(uint32(h.Channel))<<16|uint64(h.Tag))
			key = binary.BigEndian.AppendUint16(key, h.Room)
		}
		id, known := same[string(key)]
		if !known {
			id = spec.RowID(len(parts.Rows))
			same[string(key)], parts.Rows = id, append(parts.Rows, hops)
		}
		number[use{r, class}] = id
		return id
	}
}

// ascending puts the rows into the order of [spec.NewNetwork].
func ascending(p *spec.Parts) {
	order := make([]spec.RowID, len(p.Rows))
	for r := range order {
		order[r] = spec.RowID(r)
	}
	slices.SortFunc(order, func(a, b spec.RowID) int {
		return slices.CompareFunc(p.Rows[a], p.Rows[b], spec.Hop.Compare)
	})
	rows, now := make([][]spec.Hop, len(order)), make([]spec.RowID, len(order))
	for to, r := range order {
		rows[to], now[r] = p.Rows[r], spec.RowID(to)
	}
	p.Rows = rows
	for i := range p.Tables {
		t := &p.Tables[i]
		for k := range t.Sources {
			t.Sources[k].Row = now[t.Sources[k].Row]
		}
		for k := range t.Rows {
			t.Rows[k] = now[t.Rows[k]]
		}
	}
}

// Channel returns where a channel of s that a packet can be in is in a network whose classes share more. What is
// negative stays.
func (s *Separated) Channel(c spec.ChannelID, in *Separated) spec.ChannelID {
	if c < 0 {
		return c
	}
	class := max(0, slices.Index(s.of, s.in[c]))
	return in.now[int(s.was[c])*in.sets+in.of[class]]
}

// Coarser reports whether classes that share a set in one way do so in another one, too.
func Coarser(than, way []int) bool {
	for i := range than {
		for k := range i {
			if than[i] == than[k] && way[i] != way[k] {
				return false
			}
		}
	}
	return true
}

// CheckSets refuses numbers of sets that are not as in [All].
func CheckSets(of []int) error {
	used := 0
	for _, s := range of {
		if s < 0 || s > used {
			return errors.New("sets must be numbered in the order of the first class that has them")
		}
		used = max(used, s+1)
	}
	return nil
}
