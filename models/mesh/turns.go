package mesh

import (
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Turn is a change of direction in a two-dimensional mesh, such as "ES": a
// packet that travels east turns south. North is +y, east +x.
type Turn string

const compass = "EWNS" // by 2*dimension + direction

// Cycles are the two abstract cycles of turns (Glass and Ni, 1992): a turn
// model forbids at least one turn of each.
var Cycles = [2][4]Turn{
	{"EN", "NW", "WS", "SE"}, // counter-clockwise
	{"ES", "SW", "WN", "NE"}, // clockwise
}

// WestFirst returns the turns that west-first routing forbids (Glass and Ni, 1992).
func WestFirst() []Turn { return []Turn{"NW", "SW"} }

// NorthLast returns the turns that north-last routing forbids (Glass and Ni, 1992).
func NorthLast() []Turn { return []Turn{"NW", "NE"} }

// NegativeFirst returns the turns that negative-first routing forbids (Glass and Ni, 1992).
func NegativeFirst() []Turn { return []Turn{"NW", "ES"} }

// Turns is minimal routing on one VC that takes none of the forbidden turns and
// no hop from which the destination could no longer be reached without one.
func Turns(o Options, forbidden []Turn) (routing.Definition, error) {
	if o.N != 2 {
		return routing.Definition{}, fmt.Errorf("turn models in %d dimensions: want 2", o.N)
	}
	var no [4][4]bool
	for _, t := range forbidden {
		if len(t) != 2 || strings.IndexByte(compass, t[0]) < 0 || strings.IndexByte(compass, t[1]) < 0 || strings.IndexByte(compass, t[0])/2 == strings.IndexByte(compass, t[1])/2 {
			return routing.Definition{}, fmt.Errorf("invalid turn %q: want two letters such as \"ES\", one of E, W and one of N, S", t)
		}
		no[strings.IndexByte(compass, t[0])][strings.IndexByte(compass, t[1])] = true
	}
	g, err := o.grid(each(1))
	if err != nil {
		return routing.Definition{}, err
	}
	return definition("mesh turns", g, routing.Named("minimal, no forbidden turn", &turnModel{g, func(_ spec.NodeID, from, to int) bool { return !no[from][to] }})), nil
}

// OddEven is the turn model of Chiu (2000): in an even column no packet turns
// from east to north or south, in an odd column none from north or south to
// west. Minimal, one VC.
func OddEven(o Options) (routing.Definition, error) {
	if o.N != 2 {
		return routing.Definition{}, fmt.Errorf("odd-even in %d dimensions: want 2", o.N)
	}
	g, err := o.grid(each(1))
	if err != nil {
		return routing.Definition{}, err
	}
	const east, west = 0, 1
	return definition("mesh odd-even", g, routing.Named("minimal, odd-even turns", &turnModel{g, func(v spec.NodeID, from, to int) bool {
		even := g.At(v, 0)%2 == 0
		return !(even && from == east || !even && to == west)
	}})), nil
}

// turnModel permits minimal hops by permitted turns, as long as the destination
// stays within reach by further ones.
type turnModel struct {
	g *grid.Grid
	// may reports whether a packet at v may turn; directions count as in compass.
	may func(v spec.NodeID, from, to int) bool
}

const straight = -1 // the direction of a packet that has just been injected

func (m *turnModel) Next(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	from := straight
	if !at.IsInjection() {
		dim, d := m.g.Direction(at)
		from = 2*dim + int(d)
	}
	v := m.g.Head(at)
	for to := range 4 {
		if l, ok := m.hop(v, h.Dest, from, to); ok {
			dst = append(dst, spec.Hop{Channel: m.g.Channel(l, 0)})
		}
	}
	return dst, nil
}

// hop returns the link in direction to, if a minimal hop there is permitted and
// leads on to dest.
func (m *turnModel) hop(v, dest spec.NodeID, from, to int) (spec.LinkID, bool) {
	dim, d := to/2, grid.Direction(to%2)
	if !m.g.Minimal(v, dest, dim, grid.TiePositive).Has(d) {
		return 0, false
	}
	if from != straight && from/2 != to/2 && !m.may(v, from, to) {
		return 0, false
	}
	l := m.g.Port(v, dim, d)
	return l, m.reaches(m.g.Topology.Link(l).To, dest, to)
}

// reaches reports whether a packet that came to v in direction from can go on
// to dest minimally: depth-first search over the minimal rectangle.
func (m *turnModel) reaches(v, dest spec.NodeID, from int) bool {
	type state struct {
		v    spec.NodeID
		from int
	}
	seen := map[state]bool{}
	var search func(v spec.NodeID, from int) bool
	search = func(v spec.NodeID, from int) bool {
		if v == dest {
			return true
		}
		if seen[state{v, from}] {
			return false
		}
		seen[state{v, from}] = true
		for to := range 4 {
			dim, d := to/2, grid.Direction(to%2)
			if !m.g.Minimal(v, dest, dim, grid.TiePositive).Has(d) || from/2 != to/2 && !m.may(v, from, to) {
				continue
			}
			if search(m.g.Topology.Link(m.g.Port(v, dim, d)).To, to) {
				return true
			}
		}
		return false
	}
	return search(v, from)
}
