package repair

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// unit is what a scheme may forbid: a hop at a site, or a turn, which all sites of
// a channel share, whatever the header and tag.
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
	return turn + " for packets " + w.header(x.at.Header)
}

func (w namer) turn(at, to spec.ChannelID) string {
	return w.n.Topology().ChannelName(at) + " then " + w.n.Topology().ChannelName(to)
}

// header names what a router looks at.
func (w namer) header(h spec.Header) string {
	text := "to " + w.n.Topology().Node(h.Dest).Name
	if len(w.n.Classes()) > 1 {
		text += " of class " + w.n.Classes()[h.Class]
	}
	if w.n.OwnTags() > 1 {
		text += fmt.Sprintf(" with tag %d", w.n.OwnTag(h.Tag))
	}
	return text
}

// forbids says which units are forbidden.
func (w namer) forbids(units []unit, forbidden []bool) []string {
	var lines []string
	for u, is := range forbidden {
		if is {
			lines = append(lines, fmt.Sprintf("forbid the %s %s", w.scheme.unit(), w.words(units[u])))
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
			if hop.Channel == spec.Eject || s != Hops && at.Channel.IsInjection() {
				t.unit = append(t.unit, free)
				continue
			}
			u, k, known := unit{at, hop}, int32(0), false // hops are all different
			if s != Hops {
				u = unit{spec.Site{Channel: at.Channel}, spec.Hop{Channel: hop.Channel}}
				k, known = number[u]
			}
			if !known {
				k = int32(len(w.units))
				w.units = append(w.units, u)
				if s != Hops {
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

// deadHops names the hops that no unit forbids but after which the destination is out of reach,
// by channel and next channel, with their headers. Fewer if ctx ends.
func (w *paths) deadHops(ctx context.Context, forbidden []bool) []string {
	type turn struct{ at, to spec.ChannelID }
	headers := map[turn][]string{}
	for i := range w.tables {
		if ctx.Err() != nil {
			break
		}
		t := &w.tables[i]
		add := func(v int32, row spec.RowID) {
			if !t.IsLive(v) {
				return
			}
			at := t.VertexSite(v)
			e, end := t.Edges(v)
			for _, h := range w.n.Row(row) {
				if e == end || t.Hop[e] != h { // an edge left out
					headers[turn{at.Channel, h.Channel}] = append(headers[turn{at.Channel, h.Channel}],
						w.header(at.Header))
					continue
				}
				if !t.Live[e] && (t.unit[e] == free || !forbidden[t.unit[e]]) {
					headers[turn{at.Channel, h.Channel}] = append(headers[turn{at.Channel, h.Channel}],
						w.header(at.Header))
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
	var lines []string
	for _, k := range turns {
		why := "no path is left after it"
		if k.to == spec.Eject {
			why = "it is not the destination"
		}
		lines = append(lines, fmt.Sprintf("so do not offer %s for packets %s: %s",
			w.turn(k.at, k.to), strings.Join(slices.Compact(headers[k]), ", "), why))
	}
	return lines
}
