// Package figure draws topologies and dependency graphs as SVG inside HTML, for the report
// page and the explorer. Layout and drawing are done here, so a page needs no program to
// show them; a drawing depends on the network alone, byte for
// byte.
package figure

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/seed-105a2da2/unknot/checker/show/draw"
	"github.com/seed-105a2da2/unknot/spec"
)

// Design of a drawing of a topology.
//
// Nodes are boxes, links are arrows; opposite links pass each other on the right. Wrap
// links of a torus leave the drawing as stubs with the name of the node where they continue.
// The drawing itself never changes: it is written once as a symbol, and every figure of a
// page uses it and adds its own marks: slots (a small box on a link for each channel that
// matters, in which the player writes the packet that is there), strong links,
// numbers.
//
// Beyond Limits only the part that matters is drawn: the ends of the channels that matter,
// their neighbours as long as there is room, and the links among
// them.

// Limits bound a drawing.
type Limits struct {
	Nodes int // drawn at most
	Links int // beyond these only the links that matter are drawn
}

// Topology is a drawing of a topology, or of a part of it.
type Topology struct {
	ID    string // of the symbol; unique on its page
	View  Box
	Nodes []Node
	Links []Link
	Note  string // says what was left out; "" if nothing was

	t      *spec.Topology
	boxes  map[spec.NodeID]box
	lines  map[spec.LinkID]curve // where slots are: for wrap links, the stub at the tail
	paths  map[spec.LinkID]string
	middle draw.Point // of the nodes
	slots  float64    // on one link, for which there is room
}

// Node is a node as drawn, in pixels.
type Node struct {
	ID spec.NodeID
	Frame
	Label, Title string
}

// Link is a link as drawn.
type Link struct {
	Path   string
	Title  string
	Weight int // 0 to 5: how thick it is where weights are shown
	Stubs  []Stub
}

// Stub names the node that a wrap link leads to, or comes from.
type Stub struct {
	X, Y int
	Text string
}

// Options says how to draw a topology.
type Options struct {
	ID     string
	Limits Limits
	Matter []spec.ChannelID         // channels that matter; room is made for their slots
	Weigh  func(spec.LinkID) int    // 0 to 5; may be nil
	Title  func(spec.LinkID) string // of a link; may be nil
}

const (
	letter     = 7.2 // pixels per letter
	nodeHeight = 26.0
	slotWidth  = 34.0
	slotHeight = 18.0
	badgeSize  = 20.0 // including its edge
	mostSlots  = 6    // on a link, for which room is made
)

// Draw draws a topology.
func Draw(t *spec.Topology, o Options) *Topology {
	nodes, links := choose(t, o)
	part, ids := cut(t, nodes, links)
	d := &Topology{
		ID: o.ID, t: t, boxes: map[spec.NodeID]box{}, lines: map[spec.LinkID]curve{}, paths: map[spec.LinkID]string{},
		Note: note(t, nodes, links),
	}
	wide := 0.0
	for _, v := range nodes {
		wide = max(wide, nodeWidth(t.Node(v).Name))
	}
	d.slots = float64(max(1, min(mostSlots, slotsOnLink(t, o.Matter))))
	unit := max(110, wide+30+slotWidth*d.slots)
	at, wraps := placeNodes(part, unit)
	var e extent
	for i, v := range nodes {
		name := t.Node(v).Name
		b := box{at[i], nodeWidth(name), nodeHeight}
		d.boxes[v] = b
		e.addBox(b)
		d.middle = draw.Point{X: d.middle.X + at[i].X/float64(len(nodes)), Y: d.middle.Y + at[i].Y/float64(len(nodes))}
		d.Nodes = append(d.Nodes, Node{v, b.frame(), shorten(name), name})
	}
	for i, l := range links {
		half, wrap := wraps(part.Link(spec.LinkID(i)))
		link := d.link(l, half, wrap, unit, ids, &e)
		if o.Weigh != nil {
			link.Weight = o.Weigh(l)
		}
		link.Title = t.LinkName(l)
		if o.Title != nil {
			link.Title = o.Title(l)
		}
		d.Links = append(d.Links, link)
	}
	e.grow(26)
	for _, s := range d.Slots(o.Matter) { // a figure may number them
		b := d.Badge(s, 0, "", nil)
		e.add(draw.Point{X: float64(s.X), Y: float64(s.Y)}, slotWidth, slotHeight)
		e.add(draw.Point{X: float64(b.X), Y: float64(b.Y)}, badgeSize, badgeSize)
	}
	d.View = e.box(0)
	return d
}

// Has reports whether the node is drawn.
func (d *Topology) Has(v spec.NodeID) bool {
	_, ok := d.boxes[v]
	return ok
}

func nodeWidth(name string) float64 {
	return 14 + letter*float64(utf8.RuneCountInString(shorten(name)))
}

// shorten cuts names that would not fit; titles have them in full.
func shorten(name string) string {
	const most = 18
	if r := []rune(name); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return name
}

// slotsOnLink returns the largest number of channels that matter on one link.
func slotsOnLink(t *spec.Topology, matter []spec.ChannelID) int {
	most, on := 0, map[spec.LinkID]int{}
	for _, c := range matter {
		if c >= 0 {
			on[t.LinkOf(c)]++
			most = max(most, on[t.LinkOf(c)])
		}
	}
	return most
}

// link draws one link; if it wraps, half is the direction in which it leaves its tail.
func (d *Topology) link(
	l spec.LinkID, half draw.Point, wraps bool, unit float64, ids map[spec.NodeID]int, e *extent,
) Link {
	link := d.t.Link(l)
	from, to := d.boxes[link.From], d.boxes[link.To]
	same := d.t.LinksBetween(link.From, link.To)
	among := slices.Index(same, l)
	aside := d.offset(from, to) * float64(2*among)
	if len(d.t.LinksBetween(link.To, link.From)) > 0 || len(same) > 1 {
		aside += d.offset(from, to)
	}
	if wraps {
		return d.wrap(l, from, to, half, aside, e)
	}
	if _, length := way(from.centre, to.centre); length > 1.5*unit && d.passes(from, to, ids) {
		aside += 0.16 * length
	}
	c := between(from, to, aside)
	if link.From == link.To {
		c = corner(from, draw.Point{X: 1.65 * slotWidth, Y: -nodeHeight/2 - slotHeight - 2*badgeSize*float64(among)})
	}
	e.addCurve(c)
	d.lines[l], d.paths[l] = c, c.path()
	return Link{Path: c.path()}
}

// offset returns how far from the straight line a link passes, so that its slots and those
// of the opposite link are side by side: a slot is wider than high.
func (d *Topology) offset(from, to box) float64 {
	way, length := way(from.centre, to.centre)
	return (math.Abs(way.Y)*(slotWidth+2) + math.Abs(way.X)*(slotHeight+2)) / length / 2
}

// passes reports whether the straight line between two boxes crosses a third.
func (d *Topology) passes(from, to box, ids map[spec.NodeID]int) bool {
	way := to.centre.Minus(from.centre)
	square := way.X*way.X + way.Y*way.Y
	for v := range ids {
		b := d.boxes[v]
		p := b.centre.Minus(from.centre)
		k := (p.X*way.X + p.Y*way.Y) / square
		if k > 0.01 && k < 0.99 && math.Abs(p.X*way.Y-p.Y*way.X)/math.Sqrt(square) < b.height/2 {
			return true
		}
	}
	return false
}

// wrap draws a wrap link as two stubs.
func (d *Topology) wrap(l spec.LinkID, from, to box, half draw.Point, aside float64, e *extent) Link {
	link := d.t.Link(l)
	length := max(1, math.Hypot(half.X, half.Y))
	across := math.Abs(half.X) / length * (from.width/2 + d.slots*(slotWidth+4) + 14)
	along := math.Abs(half.Y) / length * (from.height/2 + d.slots*(slotHeight+4) + 24)
	if room := across + along; length < room {
		half, length = half.Times(room/length), room
	}
	right := draw.Point{X: -half.Y / length, Y: half.X / length}.Times(aside)
	shift := func(p draw.Point, k float64) draw.Point { return p.Plus(half.Times(k)).Plus(right) }
	out := straight(from.edge(shift(from.centre, 1)), shift(from.centre, 1))
	in := straight(shift(to.centre, -1), to.edge(shift(to.centre, -1)))
	e.addCurve(out)
	e.addCurve(in)
	d.lines[l], d.paths[l] = out, out.path()+in.path()
	name := "→" + shorten(d.t.Node(link.To).Name)
	s := out.to.Plus(half.Times(8 / length)).Plus(right.Times(2.2))
	e.add(s, letter*float64(utf8.RuneCountInString(name)), 12)
	return Link{Path: d.paths[l], Stubs: []Stub{{px(s.X), px(s.Y) + 3, name}}}
}

// choose picks the nodes and links that are drawn, ascending.
func choose(t *spec.Topology, o Options) (nodes []spec.NodeID, links []spec.LinkID) {
	matter := map[spec.LinkID]bool{}
	in := map[spec.NodeID]bool{}
	add := func(v spec.NodeID) {
		if len(in) < o.Limits.Nodes {
			in[v] = true
		}
	}
	whole := t.Nodes() <= o.Limits.Nodes
	if whole {
		for v := range spec.NodeID(t.Nodes()) {
			in[v] = true
		}
	}
	for _, c := range o.Matter {
		switch {
		case c >= 0:
			matter[t.LinkOf(c)] = true
			add(t.Tail(c))
			add(t.Head(c))
		case c.IsInjection():
			add(t.Head(c))
		}
	}
	if len(in) == 0 {
		add(0)
	}
	if !whole {
		for _, v := range slices.Sorted(maps.Keys(in)) {
			for _, l := range t.OutLinks(v) {
				add(t.Link(l).To)
			}
			for _, l := range t.InLinks(v) {
				add(t.Link(l).From)
			}
		}
	}
	nodes = slices.Sorted(maps.Keys(in))
	for l := range spec.LinkID(t.Links()) {
		if in[t.Link(l).From] && in[t.Link(l).To] {
			links = append(links, l)
		}
	}
	if len(links) > o.Limits.Links {
		links = slices.DeleteFunc(links, func(l spec.LinkID) bool { return !matter[l] })
	}
	if len(links) > o.Limits.Links {
		links = links[:o.Limits.Links]
	}
	return nodes, links
}

// cut returns the part of a topology that is drawn, and the numbers of its
// nodes in it.
func cut(t *spec.Topology, nodes []spec.NodeID, links []spec.LinkID) (*spec.Topology, map[spec.NodeID]int) {
	part, ids := spec.NewTopology(), make(map[spec.NodeID]int, len(nodes))
	for i, v := range nodes {
		ids[v] = i
		part.AddNode(t.Node(v).Name, t.Node(v).At...)
	}
	for _, l := range links {
		link := t.Link(l)
		link.From, link.To = spec.NodeID(ids[link.From]), spec.NodeID(ids[link.To])
		part.AddLink(link)
	}
	return part, ids
}

func note(t *spec.Topology, nodes []spec.NodeID, links []spec.LinkID) string {
	switch {
	case len(nodes) < t.Nodes():
		return fmt.Sprintf("Of %d nodes and %d links the %d nodes and %d links at and next to what matters are drawn.",
			t.Nodes(), t.Links(), len(nodes), len(links))
	case len(links) < t.Links():
		return fmt.Sprintf("Of %d links the %d that matter are drawn.", t.Links(), len(links))
	}
	return ""
}

// Same reports whether two drawings are the same except for their names.
func (d *Topology) Same(other *Topology) bool {
	return d.View == other.View && slices.Equal(d.Nodes, other.Nodes) &&
		slices.EqualFunc(d.Links, other.Links, func(a, b Link) bool {
			return a.Path == b.Path && a.Title == b.Title && a.Weight == b.Weight && slices.Equal(a.Stubs, b.Stubs)
		})
}
