package repair

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// unit is what a scheme may forbid: a hop at a site, or a turn, which all sites of
// a channel share, whatever the header and tag. A hop has the tag of the routing: to all alternatives where it leads.
type unit struct {
	at  spec.Site
	hop spec.Hop
}

// unit is what a scheme forbids.
func (s Scheme) unit() string {
	if s == Hops {
		return "hop"
	}
	return "turn"
}

// namer names the parts of a network.
type namer struct {
	n      *spec.Network
	scheme Scheme
}

// words names a unit.
func (w namer) words(x unit) string {
	turn := w.turn(x.at.Channel, x.hop.Channel)
	if w.scheme != Hops {
		return turn
	}
	return turn + " for packets " + w.header(x.at)
}

func (w namer) turn(at, to spec.ChannelID) string {
	return w.n.Topology().ChannelName(at) + " then " + w.n.Topology().ChannelName(to)
}

// header names what a router looks at.
func (w namer) header(at spec.Site) string {
	h, text := at.Header, w.target(at.Header.Target())
	if w.n.OwnTags() > 1 {
		text += fmt.Sprintf(" with tag %d", w.n.OwnTag(h.Tag))
	}
	return text + w.n.CommitmentText(at)
}

// target names a destination and a class.
func (w namer) target(to spec.Target) string {
	text := "to " + w.n.Topology().Node(to.Dest).Name
	if len(w.n.Classes()) > 1 {
		text += " of class " + w.n.Classes()[to.Class]
	}
	return text
}

// forbids says which units are forbidden.
func (w namer) forbids(units []unit, forbidden []bool) (lines []findings.Fact) {
	for u, is := range forbidden {
		switch {
		case is && w.scheme == Bubble:
			lines = append(lines, findings.LeaveRoom{Turn: w.words(units[u])})
		case is:
			lines = append(lines, findings.Forbid{Unit: w.scheme.unit(), Of: w.words(units[u])})
		}
	}
	return lines
}

// Paths through a network some of whose units are forbidden. The repaired network consists of the live edges of its
// tables: see relation.Paths.

// free is the unit of an edge that no unit forbids.
const free = -1

// paths is the network as graphs.
type paths struct {
	namer
	units  []unit
	tables []table
	graphs []*relation.Paths // of the tables
	hops   int               // edges of all tables
}

// table is the graph of a table, with the unit of each edge.
type table struct {
	*relation.Paths
	unit []int32
}

// newPaths numbers the units in the order of the sites. It returns nil if ctx has ended.
func newPaths(ctx context.Context, n *spec.Network, s Scheme) *paths {
	w := &paths{namer: namer{n, s}, tables: make([]table, n.Tables())}
	number := map[unit]int32{}
	if s == Hops {
		hops := 0
		for i := range w.tables {
			for _, row := range n.Table(i).Rows {
				hops += len(n.Row(row))
			}
		}
		w.units = make([]unit, 0, hops+n.FlowCount())
	}
	walk := relation.NewWalk(n)
	for i := range w.tables {
		if ctx.Err() != nil {
			return nil
		}
		walk.Load(n.Table(i))
		t := &w.tables[i]
		t.Paths = walk.Paths()
		w.graphs = append(w.graphs, t.Paths)
		w.hops += len(t.To)
		for e, hop := range t.Hop {
			at := t.VertexSite(t.From[e])
			if hop.Channel == spec.Eject || s != Hops && s != Bubble && at.Channel.IsInjection() {
				t.unit = append(t.unit, free)
				continue
			}
			u, k, known := unit{at, hop}, int32(0), false // hops are all different, without alternatives
			shared := s != Hops || n.Alternatives() > 1
			switch {
			case s != Hops:
				u = unit{spec.Site{Channel: at.Channel}, spec.Hop{Channel: hop.Channel}}
			case shared:
				u.hop.Tag = n.OwnTag(hop.Tag)
			}
			if shared {
				k, known = number[u]
			}
			if !known {
				k = int32(len(w.units))
				w.units = append(w.units, u)
				if shared {
					number[u] = k
				}
			}
			t.unit = append(t.unit, k)
		}
	}
	return w
}

// forbid finds the live edges if units are forbidden; it stops if ctx ends.
func (w *paths) forbid(ctx context.Context, forbidden []bool) {
	for i := range w.tables {
		if ctx.Err() != nil {
			return
		}
		t := &w.tables[i]
		t.Open(func(e int32) bool { return t.unit[e] == free || !forbidden[t.unit[e]] })
	}
}

// definition returns the network of the live edges.
func (w *paths) definition() routing.Definition {
	def := routing.FromNetwork(w.n)
	if w.n.Alternatives() > 0 {
		return routing.Definition{
			Name: def.Name, Origin: def.Origin, Topology: def.Topology, Classes: def.Classes, Tags: w.n.OwnTags(),
			Switching: def.Switching, Buffer: def.Buffer, Flows: def.Flows, Senders: def.Senders, Selection: def.Selection,
			Routing: &liveAlternatives{liveRelation{def.Routing, w}},
		}
	}
	def.Routing = &liveRelation{def.Routing, w}
	return def
}

// liveRelation is the relation of the live edges.
type liveRelation struct {
	routing.Relation
	w *paths
}

func (p *liveRelation) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	t, v := p.w.vertex(at, h)
	for e, end := t.Edges(v); e < end; e++ {
		if t.Live[e] {
			dst = append(dst, t.Hop[e])
		}
	}
	return dst, nil
}

func (p *liveRelation) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	return routing.Reason(p.Relation, at, h, hop)
}

func (p *liveRelation) Message(at spec.ChannelID, h spec.Header) string {
	return routing.Message(p.Relation, at, h)
}

// liveAlternatives is the relation of the live edges where packets are committed: of the alternatives that have some.
type liveAlternatives struct{ liveRelation }

// Alternatives is asked with tags of the routing.
func (p *liveAlternatives) Alternatives(at spec.ChannelID, h spec.Header) (all [][]spec.Hop, err error) {
	n := p.w.n
	step, most := n.OwnTags(), n.Tags()
	if at.IsInjection() {
		h.Tag, step, most = 0, 1, len(n.TableOf(h.Target()).SourcesOf(n.Topology().Head(at)))
	}
	for tag := int(h.Tag); tag < most; tag += step {
		h.Tag = spec.Tag(tag)
		if _, is := n.Hops(spec.Site{Channel: at, Header: h}); !is {
			break
		}
		hops, err := p.liveRelation.AppendHops(nil, at, h)
		if err != nil {
			return nil, err
		}
		for i := range hops {
			if hops[i].Channel != spec.Eject {
				hops[i].Tag = n.OwnTag(hops[i].Tag) // perhaps to one of the alternatives there alone
			}
		}
		if len(hops) > 0 {
			all = append(all, spec.Distinct(hops))
		}
	}
	if all == nil { // no packet is there
		all = [][]spec.Hop{nil}
	}
	return all, nil
}

func (p *liveAlternatives) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	all, err := p.Alternatives(at, h)
	if err == nil && len(all) > 1 {
		err = routing.ErrCommits
	}
	if err != nil {
		return dst, err
	}
	return append(dst, all[0]...), nil
}

// vertex finds a site of the network.
func (w *paths) vertex(at spec.ChannelID, h spec.Header) (*table, int32) {
	i, _ := slices.BinarySearchFunc(w.tables, h.Target(), func(t table, to spec.Target) int {
		return t.Target.Compare(to)
	})
	t := &w.tables[i]
	if at.IsInjection() {
		v, _ := t.FindSource(at, h.Tag)
		return t, int32(v)
	}
	s, _ := t.Find(at, h.Tag)
	return t, int32(len(t.Sources) + s)
}

// routes reports whether some alternative of a site has a live edge.
func (w *paths) routes(t *table, at spec.Site) bool {
	_, of := w.n.Committed(at)
	step, first := w.n.OwnTags(), w.n.OwnTag(at.Header.Tag)
	if at.Channel.IsInjection() {
		step, first = 1, 0
	}
	for k := range of {
		h := at.Header
		h.Tag = first + spec.Tag(k*step)
		if _, v := w.vertex(at.Channel, h); t.IsLive(v) {
			return true
		}
	}
	return false
}

// deadHops names the hops that no unit forbids but after which the destination is out of reach,
// by channel and next channel, with their headers. Fewer if ctx ends.
func (w *paths) deadHops(ctx context.Context, forbidden []bool) (lines []findings.Fact) {
	type turn struct{ at, to spec.ChannelID }
	var dropped []findings.Fact
	headers := map[turn][]string{}
	for i := range w.tables {
		if ctx.Err() != nil {
			break
		}
		t := &w.tables[i]
		add := func(v int32, row spec.RowID) {
			at := t.VertexSite(v)
			if _, of := w.n.Committed(at); of > 0 && t.By[v] != relation.Unseen && !t.IsLive(v) && w.routes(t, at) {
				dropped = append(dropped, findings.NeverCommit{
					Header: w.header(at), At: w.n.Topology().ChannelName(at.Channel),
				})
			}
			if !t.IsLive(v) {
				return
			}
			e, end := t.Edges(v)
			offered := func(e int32) bool { // to another alternative
				for x, end := t.Edges(v); x < end; x++ {
					if t.Live[x] && t.Hop[x].Channel == t.Hop[e].Channel && w.n.OwnTag(t.Hop[x].Tag) == w.n.OwnTag(t.Hop[e].Tag) {
						return true
					}
				}
				return false
			}
			for _, h := range w.n.Row(row) {
				if e == end || t.Hop[e] != h { // an edge left out
					headers[turn{at.Channel, h.Channel}] = append(headers[turn{at.Channel, h.Channel}],
						w.header(at))
					continue
				}
				if !t.Live[e] && !offered(e) && (t.unit[e] == free || !forbidden[t.unit[e]]) {
					headers[turn{at.Channel, h.Channel}] = append(headers[turn{at.Channel, h.Channel}], w.header(at))
				}
				e++
			}
		}
		for v, s := range t.Sources {
			add(int32(v), s.Row)
		}
		for s, row := range t.Rows {
			add(int32(len(t.Sources)+s), row)
		}
	}
	turns := slices.SortedFunc(maps.Keys(headers), func(a, b turn) int {
		return slices.Compare([]spec.ChannelID{a.at, a.to}, []spec.ChannelID{b.at, b.to})
	})
	for _, k := range turns {
		lines = append(lines, findings.NeverOffer{
			Turn: w.turn(k.at, k.to), Headers: slices.Compact(headers[k]), Ejects: k.to == spec.Eject,
		})
	}
	return append(lines, dropped...)
}
