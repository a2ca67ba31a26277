package repair

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	if w.n.Tags() > 1 {
		text += fmt.Sprintf(" with tag %d", h.Tag)
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

// Paths through a network some of whose units are forbidden.
//
// A table is a graph. Its vertices are first the sources, then the sites; its edges are
// the hops. Ejections at the destination lead to arrived; those at another node are
// left out. An edge is live if no unit forbids it and it lies on a path from a source to
// arrived. The repaired network consists of the live edges. Forbidding more never makes an edge
// live: every argument here rests on that.

const (
	arrived = -1 // in table.to
	free    = -1 // in table.unit: no unit forbids the edge
)

// coverPaths is the network as graphs.
type paths struct {
	namer
	units  []unit
	tables []table
	hops   int // edges of all tables
}

type table struct {
	*spec.Table
	first []int32 // by vertex: edges
	to    []int32
	unit  []int32
	hop   []spec.Hop

	from []int32 // by edge
	into []int32 // by vertex: its incoming edges, at[into[v]:into[v+1]]
	at   []int32

	// Of the last call of forbid:
	live []bool  // by edge
	by   []int32 // by vertex: the edge that reached it from a source, or atSource, or unseen
	left []int32 // by vertex: hops to arrived, or never
}

const (
	atSource = -1
	unseen   = -2
	never    = 1<<31 - 1
)

// isLive reports whether a vertex has a live edge.
func (t *table) isLive(v int32) bool { return t.by[v] != unseen && t.left[v] < never }

func (t *table) vertices() int { return len(t.first) - 1 }

// site returns the site of a vertex, -1 of a source.
func (t *table) site(v int32) int { return int(v) - len(t.Sources) }

func (t *table) siteOf(v int32) spec.Site {
	if s := t.site(v); s >= 0 {
		return t.Site(s)
	}
	return t.SourceSite(int(v))
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
	index := n.NewIndex()
	for i := range w.tables {
		if ctx.Err() != nil {
			return nil
		}
		t := &w.tables[i]
		t.Table = n.Table(i)
		index.Load(t.Table)
		add := func(v int32, row spec.RowID) {
			t.first = append(t.first, int32(len(t.to)))
			at := t.siteOf(v)
			for _, h := range n.Row(row) {
				u := unit{at, h}
				switch {
				case h.Channel == spec.Eject:
					if at.Channel.IsInjection() || n.Topology().Head(at.Channel) != t.Dest {
						continue // misdelivery
					}
					t.to, t.unit, t.hop = append(t.to, arrived), append(t.unit, free), append(t.hop, h)
					continue
				case s != Hops && at.Channel.IsInjection():
					t.unit = append(t.unit, free)
				default:
					k, known := int32(0), false // hops are all different
					if s != Hops {
						u = unit{spec.Site{Channel: at.Channel}, spec.Hop{Channel: h.Channel}}
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
				t.to, t.hop = append(t.to, int32(len(t.Sources)+index.Site(h))), append(t.hop, h)
			}
		}
		for v, src := range t.Sources {
			add(int32(v), src.Row)
		}
		for s, row := range t.Rows {
			add(int32(len(t.Sources)+s), row)
		}
		t.first = append(t.first, int32(len(t.to)))
		w.hops += len(t.to)
	}
	return w
}

// forbid finds the live edges if units are forbidden; it stops if ctx ends.
func (w *paths) forbid(ctx context.Context, forbidden []bool) {
	for i := range w.tables {
		if ctx.Err() != nil {
			return
		}
		w.tables[i].forbid(forbidden)
	}
}

func (t *table) forbid(forbidden []bool) {
	if t.live == nil {
		t.live, t.by, t.left = make([]bool, len(t.to)), make([]int32, t.vertices()), make([]int32, t.vertices())
		t.reverse()
	}
	open := func(e int32) bool { return t.unit[e] == free || !forbidden[t.unit[e]] }
	queue := make([]int32, 0, t.vertices())
	for v := range t.by {
		t.by[v] = unseen
		if v < len(t.Sources) {
			t.by[v] = atSource
			queue = append(queue, int32(v))
		}
	}
	for i := 0; i < len(queue); i++ {
		for e := t.first[queue[i]]; e < t.first[queue[i]+1]; e++ {
			if to := t.to[e]; to >= 0 && open(e) && t.by[to] == unseen {
				t.by[to] = e
				queue = append(queue, to)
			}
		}
	}
	t.distances(open)
	for v := range int32(t.vertices()) {
		for e := t.first[v]; e < t.first[v+1]; e++ {
			t.live[e] = open(e) && t.by[v] != unseen && (t.to[e] == arrived || t.left[t.to[e]] < never)
		}
	}
}

// reverse lists the edges by their ends.
func (t *table) reverse() {
	t.into = make([]int32, t.vertices()+1)
	t.from = make([]int32, len(t.to))
	for v := range int32(t.vertices()) {
		for e := t.first[v]; e < t.first[v+1]; e++ {
			t.from[e] = v
			if t.to[e] >= 0 {
				t.into[t.to[e]+1]++
			}
		}
	}
	for v := range t.vertices() {
		t.into[v+1] += t.into[v]
	}
	t.at = make([]int32, t.into[t.vertices()])
	next := append([]int32{}, t.into...)
	for e, to := range t.to {
		if to >= 0 {
			t.at[next[to]] = int32(e)
			next[to]++
		}
	}
}

// distances finds, by vertex, the fewest hops to arrived along open edges.
func (t *table) distances(open func(e int32) bool) {
	var queue []int32
	for v := range int32(t.vertices()) {
		t.left[v] = never
		for e := t.first[v]; e < t.first[v+1]; e++ {
			if t.to[e] == arrived && open(e) {
				t.left[v] = 1
			}
		}
		if t.left[v] == 1 {
			queue = append(queue, v)
		}
	}
	for i := 0; i < len(queue); i++ {
		for _, e := range t.at[t.into[queue[i]]:t.into[queue[i]+1]] {
			if v := t.from[e]; open(e) && t.left[v] == never {
				t.left[v] = t.left[queue[i]] + 1
				queue = append(queue, v)
			}
		}
	}
}

// definition returns the network of the live edges.
func (w *paths) definition() routing.Definition {
	def := routing.FromNetwork(w.n)
	def.Routing = &liveRelation{def.Routing, w}
	return def
}

// solve is the relation of the live edges.
type liveRelation struct {
	routing.Relation
	w *paths
}

func (p *liveRelation) Next(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	t, v := p.w.vertex(at, h)
	for e := t.first[v]; e < t.first[v+1]; e++ {
		if t.live[e] {
			dst = append(dst, t.hop[e])
		}
	}
	return dst, nil
}

func (p *liveRelation) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) string {
	return routing.Reason(p.Relation, at, h, hop)
}

func (p *liveRelation) Message(at spec.ChannelID, h spec.Header) string {
	return routing.Message(p.Relation, at, h)
}

// vertex finds a site of the network.
func (w *paths) vertex(at spec.ChannelID, h spec.Header) (*table, int32) {
	i, _ := slices.BinarySearchFunc(w.tables, h.Target(), func(t table, to spec.Target) int { return t.Target.Compare(to) })
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
			if !t.isLive(v) {
				return
			}
			at := t.siteOf(v)
			e := t.first[v]
			for _, h := range w.n.Row(row) {
				if e == t.first[v+1] || t.hop[e] != h { // an edge left out
					headers[turn{at.Channel, h.Channel}] = append(headers[turn{at.Channel, h.Channel}], w.header(at.Header))
					continue
				}
				if !t.live[e] && (t.unit[e] == free || !forbidden[t.unit[e]]) {
					headers[turn{at.Channel, h.Channel}] = append(headers[turn{at.Channel, h.Channel}], w.header(at.Header))
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
	turns := slices.SortedFunc(maps.Keys(headers), func(a, b turn) int { return slices.Compare([]spec.ChannelID{a.at, a.to}, []spec.ChannelID{b.at, b.to}) })
	var lines []string
	for _, k := range turns {
		why := "no path is left after it"
		if k.to == spec.Eject {
			why = "it is not the destination"
		}
		lines = append(lines, fmt.Sprintf("so do not offer %s for packets %s: %s", w.turn(k.at, k.to), strings.Join(slices.Compact(headers[k]), ", "), why))
	}
	return lines
}
